"""Transposed pair: two rows that are labels over their values, stored sideways.

Holds: `pairs_of`.
Add here: nothing that lets it fire on figures, unequal rows or longer runs.
Never here: ordinary headers.

    Student card        | Staff card      | Visitor pass
    Undergraduates only | With valid ID   | With a date       →  "Student card: Undergraduates only", …

Loosely worded the rule fires on every seventh Wikipedia page; on runs of exactly two equally wide digit-free rows it
fires on none.
"""

from collections.abc import Sequence

from rag_assets.tables.lines import Line

MIN_COLUMNS = 3


def pairs_of(lines: Sequence[Line]) -> tuple[tuple[str, str], ...]:
    """(label, value) pairs if the whole run is exactly two such rows, else ()."""
    full = [line for line in lines if len(line.slots) > 1]
    if len(full) != 2 or len(lines) - len(full) > 1:
        return ()
    if len(lines) != len(full) and lines[0] in full:
        return ()
    above, below = full
    if below.row - above.row != 1 or len(above.slots) != len(below.slots) or len(above.slots) < MIN_COLUMNS:
        return ()
    if any(a.start != b.start or a.end != b.end for a, b in zip(above.slots, below.slots, strict=True)):
        return ()
    if any(c.isdigit() for line in full for text in line.texts for c in text):
        return ()
    if any(slot.header for slot in above.slots) or any(slot.filled for slot in below.slots):
        return ()
    return tuple(zip(above.texts, below.texts, strict=True))
