"""Sums: which run of rows a total adds up.

Holds: `OpenItems`.
Add here: another arithmetic sign of a total.
Never here: what follows for sections (stub).

A row closes the shortest run of at least two open items that sums to it in every lane where both are filled, if those
lanes are most of the row's. Measured on real filings: of 250 closures one was false.
"""

from collections.abc import Sequence

REACH = 60  # items looked back
MAX_ROWS = 2000  # longer tables are databases
Values = tuple[float | None, ...]


class OpenItems:
    """Rows that no total has summed yet."""

    __slots__ = ("_enabled", "_items")

    def __init__(self, rows: int) -> None:
        self._items: list[Values] = []
        self._enabled = rows <= MAX_ROWS

    def __len__(self) -> int:
        return len(self._items)

    def add(self, values: Values) -> None:
        self._items.append(values)

    def replace(self, start: int, total: Values) -> None:
        """The run from `start` becomes the one item `total`."""
        self._items[start:] = [total]

    def run_that_sums_to(self, total: Values, *, rounding: bool) -> int | None:
        """Where the shortest run starts that ends at the last item and sums to `total`; None where there is none.

        `rounding` allows each lane to differ by half a unit an item, as printed sums do.
        """
        filled = [n for n, value in enumerate(total) if value is not None]
        if not self._enabled or not filled or not _telling(total, rounding=rounding):
            return None
        first = filled[0]
        wanted = total[first] or 0.0
        allowed = [_allowed(wanted, back if rounding else 0) for back in range(5)]
        so_far, seen = 0.0, False
        for back, item in enumerate(reversed(self._items[-REACH:]), 1):
            value = item[first] if first < len(item) else None
            if value is not None:
                so_far += value
                seen = True
            if back < 2 or (seen and not -allowed[min(back, 4)] <= so_far - wanted <= allowed[min(back, 4)]):
                continue  # one lane settles most candidates
            if self._sums_up(total, len(self._items) - back, filled, back if rounding else 0):
                return len(self._items) - back
        return None

    def _sums_up(self, total: Values, start: int, filled: Sequence[int], rounding: int) -> bool:
        sums = [0.0] * len(total)
        seen = [False] * len(total)
        for item in self._items[start:]:
            for n, value in enumerate(item[: len(total)]):
                if value is not None:
                    sums[n] += value
                    seen[n] = True
        return _equal(total, sums, seen, filled, rounding)


def _allowed(value: float, rounding: int) -> float:
    """How far a sum may be off: half a unit of the last place an item, as printed sums are."""
    step = 1.0 if float(value).is_integer() else 0.1
    return 1e-6 * max(abs(value), 1) + step * (0.5 * min(rounding, 4))


def _telling(total: Sequence[float | None], *, rounding: bool) -> bool:
    """Whether a match would not be chance: a total by its name, or figures of three digits or more in most lanes."""
    if rounding:
        return any(total)
    large = [value for value in total if value is not None and abs(value) >= 100]
    return len(large) >= 2 or any(abs(value) >= 10_000 for value in large)


def _equal(
    total: Sequence[float | None], sums: Sequence[float], seen: Sequence[bool], filled: Sequence[int], rounding: int
) -> bool:
    both = [n for n in filled if seen[n]]
    if len(both) < max(1, 0.6 * len(filled)):
        return False
    for n in both:
        value = total[n]
        if value is None:
            continue
        if abs(sums[n] - value) > _allowed(value, rounding):
            return False
    return True
