"""Where cells stand once their spans are laid on a rectangle.

Holds: `lay_spans`, used by every reader, and `Position`.
Add here: another rule of how spans occupy a rectangle.
Never here: what a cell says or means.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

MAX_COLUMN_SPAN = 1000
PLAUSIBLE_SPAN = 120


class Position(NamedTuple):
    """0-based place of a cell; the spans are those it really has inside the rectangle."""

    row: int
    column: int
    row_span: int
    column_span: int


def lay_spans(
    rows: Sequence[Sequence[tuple[int, int]]], group_ends: Iterable[int] = ()
) -> tuple[tuple[tuple[Position, ...], ...], int]:
    """Positions of the cells of `rows`, given as (row_span, column_span), and the number of columns.

    A row span of 0 reaches to the end of its row group; `group_ends` are the row indices where groups end (exclusive);
    no span reaches beyond its group. A column span is capped by the width of the other rows. Where spans overlap, the
    first cell keeps the slot and the later one moves right, as a browser does:

        a(2×1)  b        a b
        c           →    a c
    """
    limits = _row_limits(len(rows), group_ends)
    width = max((_plausible_width(row) for row in rows), default=0)
    taken_until: dict[int, int] = {}
    laid: list[tuple[Position, ...]] = []
    n_columns = 0
    for r, row in enumerate(rows):
        positions: list[Position] = []
        column = 0
        for row_span, column_span in row:
            if taken_until:
                while taken_until.get(column, 0) > r:
                    column += 1
            if column_span > 1:
                column_span = _free_span(taken_until, r, column, min(column_span, max(width - column, 1)))
            if row_span != 1:
                room = limits[r] - r
                row_span = min(row_span, room) if row_span > 0 else room
                for c in range(column, column + column_span):
                    taken_until[c] = r + row_span
            positions.append(Position(r, column, row_span, column_span))
            column += column_span
        if column > n_columns:
            n_columns = column
        laid.append(tuple(positions))
    return tuple(laid), n_columns


def _row_limits(n_rows: int, group_ends: Iterable[int]) -> list[int]:
    limits = [n_rows] * n_rows
    start = 0
    for end in sorted({e for e in group_ends if 0 < e < n_rows}):
        limits[start:end] = [end] * (end - start)
        start = end
    return limits


def _plausible_width(row: Sequence[tuple[int, int]]) -> int:
    return sum(span if 0 < span <= PLAUSIBLE_SPAN else 1 for _, span in row)


def _free_span(taken_until: dict[int, int], row: int, column: int, wanted: int) -> int:
    if not taken_until:
        return wanted
    span = 1
    while span < wanted and taken_until.get(column + span, 0) <= row:
        span += 1
    return span
