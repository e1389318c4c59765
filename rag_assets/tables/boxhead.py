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
from rag_assets.tables.periods import names_change, names_period
from rag_assets.tables.rules import Rules

NEAR = 3  # columns between a heading and the figures it governs where nothing overlaps


def column_paths(
    headers: Sequence[Line], lanes: Sequence[Lane], stub_end: int, rules: Rules, corner: str | None = None
) -> list[tuple[str, ...]]:
    """The path of each lane, outermost heading first; the stub's lane gets what stands in the corner."""
    paths: list[list[str]] = [[] for _ in lanes]
    lines = headers if rules.stacked_headings else headers[-1:]
    for line in lines:
        for index, text in _texts_over(line, lanes, stub_end):
            if text and (not paths[index] or paths[index][-1] != text):
                paths[index].append(text)
    found = [tuple(path) for path in paths]
    found = _with_period_at_left(found, lanes, stub_end)
    if corner and rules.corner:
        found = [(*path, corner) if lane.start >= stub_end else path for path, lane in zip(found, lanes, strict=True)]
    return found


def _texts_over(line: Line, lanes: Sequence[Lane], stub_end: int) -> list[tuple[int, str]]:
    """(lane index, text) for each lane that a heading of this line governs."""
    governed: dict[int, list[str]] = {}
    unused: list[Slot] = []
    for slot in line.slots:
        over = [n for n, lane in enumerate(lanes) if lane.overlap(slot) > 0]
        if slot.start < stub_end and len(over) > 1:
            over = over[:1] if not slot.header else over
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
    texts = [" ".join(path) for path in paths]
    out: list[tuple[str, ...]] = []
    left: str | None = None
    for path, text, lane in zip(paths, texts, lanes, strict=True):
        named = [part for part in path if names_period(part) and not names_change(part)]
        if lane.start < stub_end:
            out.append(path)
        elif named:
            left = named[-1]
            out.append(path)
        elif left is not None and (not path or (texts.count(text) > 1 and not names_change(text))):
            out.append((*path[:-1], left, *path[-1:]) if path else (left,))
        else:
            out.append(path)
    return out


def replace_headers(current: Sequence[Line], new: Sequence[Line], stub_end: int) -> tuple[Line, ...]:
    """The header lines that hold below a header in the middle of a table.

    A line of periods replaces the line of periods only, a line of words all lines; a lone spanner replaces its own line.
    """
    if not new:
        return tuple(current)
    kinds = {_of_periods(line, stub_end) for line in new}
    if kinds == {True}:
        kept = [line for line in current if not _of_periods(line, stub_end)]
        lower = [line for line in current if _of_periods(line, stub_end)]
        if all(len(line.slots) == 1 for line in new) and lower and kept == []:
            finer = [line for line in lower if len(line.slots) > 1]
            return (*new, *finer) if len(lower) > len(finer) else tuple(new)
        place = next((n for n, line in enumerate(current) if _of_periods(line, stub_end)), len(current))
        above = [line for n, line in enumerate(current) if n < place and line in kept]
        below = [line for n, line in enumerate(current) if n >= place and line in kept]
        return (*above, *new, *below)
    if len(new) == 1 and len(new[0].slots) == 1 and len(current) > 1:
        return (*new, *current[1:])
    return tuple(new)


def _of_periods(line: Line, stub_end: int) -> bool:
    values = [slot for slot in line.slots if slot.start >= stub_end] or list(line.slots)
    return all(names_period(slot.text) for slot in values)
