"""Boxhead: header lines stacked into one path for each lane.

Holds: `Heading`, `column_paths`, `replace_headers`.
Add here: another way a heading governs a column.
Never here: which lines are headers (row_roles), what a period means (periods).

    |      Three Months Ended      |
    | July 26, 2026 | July 27, 2025|   →  "Three Months Ended › July 26, 2026", "Three Months Ended › July 27, 2025"
"""

from collections.abc import Sequence

from rag_assets.tables.lanes import Lane
from rag_assets.tables.lines import Line, Slot
from rag_assets.tables.periods import is_heading_figure, names_change, names_period, names_year
from rag_assets.tables.rules import Rules

NEAR = 3  # columns between a heading and the figures it governs where nothing overlaps


def column_paths(
    headers: Sequence[Line], lanes: Sequence[Lane], stub_end: int, rules: Rules, corner: str | None = None
) -> list[tuple[str, ...]]:
    """The path of each lane, outermost heading first; the stub's lane gets what stands in the corner."""
    paths: list[list[str]] = [[] for _ in lanes]
    lines = headers if rules.stacked_headings else headers[-1:]
    values = [n for n, lane in enumerate(lanes) if lane.start >= stub_end]
    below: list[str] = []
    for line in reversed(lines):
        over = _texts_by_order(line, lanes, values, stub_end, below) or _texts_over(line, lanes, stub_end)
        if below and len(line.slots) == 1 and line.slots[0].end - line.slots[0].start == 1:
            over = [(n, line.slots[0].text) for n in values]  # a title centred over all, where nothing says how far
        for index, text in over:
            if text and (not paths[index] or paths[index][0] != text):
                paths[index].insert(0, text)
        below = below or ["".join(paths[n][:1]) for n in values]
    found = _with_period_at_left([tuple(path) for path in paths], lanes, stub_end)
    found = _with_sole_period(found, values)
    if corner and rules.corner:
        found = [
            _with_corner(path, corner) if lane.start >= stub_end else path
            for path, lane in zip(found, lanes, strict=True)
        ]
    return found


def _with_corner(path: tuple[str, ...], corner: str) -> tuple[str, ...]:
    """ "Years ended December 31," in the corner goes before the years it needs, a whole period behind the headings."""
    place = next((n for n, part in enumerate(path) if is_heading_figure(part)), None)
    if names_year(corner) or place is None:
        return path if any(names_period(part) for part in path) else (*path, corner)
    return (*path[:place], corner, *path[place:])


def _texts_by_order(
    line: Line, lanes: Sequence[Lane], values: Sequence[int], stub_end: int, below: Sequence[str]
) -> list[tuple[int, str]]:
    """Headings that stand beside their columns instead of over them are told by their order.

    One heading for each lane, one of which lies over none; or k spanners over k repetitions of the same lower headings.
    """
    slots = [slot for slot in line.slots if slot.start >= stub_end]
    hits = [[n for n in values if lanes[n].overlap(slot) > 0] for slot in slots]
    if len(slots) == len(values):
        astray = any(not hit for hit in hits) or len({tuple(hit) for hit in hits}) < len(hits)
        return [(n, slot.text) for n, slot in zip(values, slots, strict=True)] if astray else []
    if len(slots) < 2 or len(values) % len(slots) or not below:
        return []
    run = len(values) // len(slots)
    groups = [tuple(below[n * run : (n + 1) * run]) for n in range(len(slots))]
    if len(set(groups)) > 1 or len(set(groups[0])) < run:
        return []
    return [(values[n * run + m], slot.text) for n, slot in enumerate(slots) for m in range(run)]


def _texts_over(line: Line, lanes: Sequence[Lane], stub_end: int) -> list[tuple[int, str]]:
    """(lane index, text) for each lane that a heading of this line governs."""
    governed: dict[int, list[str]] = {}
    unused: list[Slot] = []
    for slot in line.slots:
        over = [n for n, lane in enumerate(lanes) if lane.overlap(slot) > 0]
        if slot.start < stub_end and len(over) > 1:
            spans_all = len(line.slots) == 1 and names_period(slot.text)
            over = over[1:] if spans_all else over if slot.header else over[:1]
        for n in over:
            governed.setdefault(n, []).append(slot.text)
        if not over:
            unused.append(slot)
    for slot in unused:
        free = [n for n, lane in enumerate(lanes) if n not in governed and lane.start >= stub_end]
        near = min(free, key=lambda n: _gap(lanes[n], slot), default=None)
        if near is not None and _gap(lanes[near], slot) <= NEAR:
            governed.setdefault(near, []).append(slot.text)
    return [(n, " ".join(dict.fromkeys(governed[n]))) for n in sorted(governed)]


def _gap(lane: Lane, slot: Slot) -> int:
    return max(lane.start - slot.end, slot.start - lane.end, 0)


def _with_period_at_left(
    paths: Sequence[tuple[str, ...]], lanes: Sequence[Lane], stub_end: int
) -> list[tuple[str, ...]]:
    """A heading repeated beside each period ("% of sales") takes the period at its left; so does a lane without any."""
    lowest = [path[-1] if path else "" for path in paths]
    out: list[tuple[str, ...]] = []
    left: str | None = None
    for path, text, lane in zip(paths, lowest, lanes, strict=True):
        if lane.start < stub_end:
            out.append(path)
        elif text and names_period(text) and not names_change(text):
            left = text
            out.append(path)
        elif left is not None and not path:
            out.append((left,))
        elif left is not None and lowest.count(text) > 1 and not names_change(text) and left not in path:
            out.append((*path[:-1], left, text))
        else:
            out.append(path)
    return out


def _with_sole_period(paths: Sequence[tuple[str, ...]], values: Sequence[int]) -> list[tuple[str, ...]]:
    """A breakdown beside its total takes the total's period.

    The one period heads the first column alone, and all the others stand under one spanner.
    """
    out = list(paths)
    if len(values) < 3:
        return out
    first, *others = (paths[n] for n in values)
    alone = len(first) == 1 and names_period(first[0]) and not names_change(first[0])
    spanners = {path[0] if len(path) > 1 else "" for path in others}
    if not alone or len(spanners) != 1 or "" in spanners:
        return out
    if any(names_period(part) or names_change(part) for path in others for part in path):
        return out
    for n in values[1:]:
        out[n] = (first[0], *paths[n])
    return out


def replace_headers(current: Sequence[Line], new: Sequence[Line], stub_end: int) -> tuple[Line, ...]:
    """The header lines that hold below a header in the middle of a table.

    A line of periods replaces the line of periods only, a line of words all lines; a lone spanner its own line.
    """
    if not new:
        return tuple(current)
    if not all(_of_periods(line, stub_end) for line in new):
        return (*new, *current[1:]) if _is_spanner(new, stub_end) and len(current) > 1 else tuple(new)
    replaced = [line for line in current if _of_periods(line, stub_end)]
    if _is_spanner(new, stub_end) and len(replaced) > 1:
        replaced = [line for line in replaced if _is_spanner((line,), stub_end)] or replaced[:1]
    kept = [line for line in current if line not in replaced]
    place = next((n for n, line in enumerate(current) if line in replaced), len(current))
    above = sum(line in kept for line in current[:place])
    return (*kept[:above], *new, *kept[above:])


def _is_spanner(lines: Sequence[Line], stub_end: int) -> bool:
    """One line with a single heading over the value columns."""
    return len(lines) == 1 and sum(slot.start >= stub_end for slot in lines[0].slots) == 1


def _of_periods(line: Line, stub_end: int) -> bool:
    values = [slot for slot in line.slots if slot.start >= stub_end] or list(line.slots)
    return all(names_period(slot.text) for slot in values)
