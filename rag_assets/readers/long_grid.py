"""A long grid put together: which of its rows become cells, and what the columns say of the others.

Holds: `long_grid`, and the `Layout` a reader hands it.
Add here: what long sheets and long delimited files share once their columns are read.
Never here: reading them (long_delimited.py, long_sheet.py), understanding.
"""

from collections.abc import Callable, Collection, Iterable
from itertools import pairwise
from typing import NamedTuple

from rag_assets.columnar.census import Fashions, census_of, failed_cells
from rag_assets.columnar.raw import RawColumn
from rag_assets.columnar.rows import sampled_rows
from rag_assets.model.document import LongRows

MIN_COLUMNS = 2
LONG_CELLS = 10  # a cell in a column takes a tenth of one that is a value by itself, or less


class Layout(NamedTuple):
    """Addresses of a long grid, and the columns of it that are hidden. `special` rows are never left out."""

    prefix: str
    first_line: int
    place_of: Callable[[int], str]
    hidden: Collection[int] = frozenset()
    special: Iterable[int] = ()
    fashions: Fashions | None = None


class LongGrid(NamedTuple):
    """`head`: the rows that are sampled, one after the other; `body`: all others, as they go into the columns file."""

    rows: LongRows
    head: tuple[RawColumn, ...]
    body: tuple[RawColumn, ...]


def long_grid(columns: list[RawColumn], n_rows: int, layout: Layout) -> LongGrid | None:
    """None where the grid had better be read cell by cell: too many rows unlike the others, or a single column.

    Empties `columns`: each is parted into head and body one after the other, so that never two of all are there.
    """
    sampled = sampled_rows(columns, n_rows, layout.special) if n_rows else None
    if sampled is None or len(sampled) == n_rows:
        return None
    runs = [(a + 1, b - 1) for a, b in pairwise(sampled) if b > a + 1]
    if sum(bool(raw.runs(runs).filled.any()) for raw in columns) < MIN_COLUMNS:
        return None
    head, body, counted = [], [], []
    columns.reverse()
    while columns:
        raw = columns.pop()
        head.append(raw.at(sampled))
        own = raw.runs(runs).without_empty_parts()
        if own.filled.any():
            hidden = raw.column in layout.hidden
            counted.append(census_of(own, layout.place_of(raw.column), layout.fashions, hidden))
            body.append(own.without_texts(failed_cells(own, layout.fashions)))
    rows = LongRows(
        sampled=sampled,
        columns=tuple(counted),
        prefix=layout.prefix,
        first_line=layout.first_line,
        epoch_1904=layout.fashions is not None and layout.fashions.epoch_1904,
    )
    return LongGrid(rows, tuple(head), tuple(body))
