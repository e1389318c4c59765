"""A table as it is understood: caption run, boxhead, stub, body, unit, one address and one place for each cell.

Holds: `Column`, `TableCell`, `Row`, `Table`, `LongBody`, `Account`, `Normalized`.
Add here: a fact about a table that chunks, lookups or statements need.
Never here: how it is found out (tables/) or drawn (rendering/).
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, NewType

from rag_assets.model.document import Block, BlockId, Counts, GridId, StoredValue
from rag_assets.model.statement import Statement

TableId = NewType("TableId", str)

Value = int | float | bool | str | None


class RowKind(StrEnum):
    DATA = "data"
    TOTAL = "total"


class ColumnType(StrEnum):
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    DURATION = "duration"
    TEXT = "text"


class Place(StrEnum):
    """Where a source cell went. The first group is kept, the second is a named drop."""

    BODY = "body"
    HEADER = "header"
    LABEL = "label"
    SECTION = "section"
    CAPTION = "caption"
    NOTE = "note"
    TOTAL = "total"
    PAIR = "pair"
    JOINED = "joined"
    BLOCK = "block"

    HIDDEN = "hidden"
    ERROR = "error"
    REPEATED_HEADER = "repeated_header"
    FORMULA = "uncached_formula"
    SKIPPED = "skipped"

    @property
    def dropped(self) -> bool:
        return self in _DROPS


_DROPS = frozenset({Place.HIDDEN, Place.ERROR, Place.REPEATED_HEADER, Place.FORMULA, Place.SKIPPED})


class Placement(NamedTuple):
    """One non-empty source cell and where it went."""

    address: str
    place: Place


class TableCell(NamedTuple):
    """A cell with its meaning: magnitude = `value` × `scale`.

    `value` is a number (a percent is a fraction), a boolean, ISO 8601 text for dates and timestamps, seconds for
    durations, or None where the text is no value. `nil` marks a dash that means none. `stacked` marks a cell that
    shows more than one fact, in reading order, separated by line breaks.
    """

    column: int
    text: str
    value: Value
    unit: str | None
    scale: int
    nil: bool
    address: str
    stacked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of the table. `path` is outermost first, empty where no heading stands over the column."""

    index: int
    path: tuple[str, ...]
    period: str | None = None
    type: ColumnType = ColumnType.TEXT
    unit: str | None = None

    @property
    def heading(self) -> str:
        return " ".join(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A body row. `path` is its sections, outermost first, then its labels.

    `labels` are the label cells themselves (column index as in the grid's own columns), for typed loading.
    """

    path: tuple[str, ...]
    kind: RowKind
    cells: tuple[TableCell, ...]
    labels: tuple[TableCell, ...] = ()
    sections: tuple[str, ...] = ()


class Convention(NamedTuple):
    """How a column prints numbers, where its own cells prove it."""

    decimal_comma: bool = False
    spaced: bool = False
    apostrophe: bool = False


class Alike(NamedTuple):
    """Cells of one column that read alike: one of them as it is understood, under `key` as in the columns file."""

    key: str
    cell: TableCell
    stored: StoredValue | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyColumn:
    """One column of a long body. `index` as in the table's columns, `column` as in the grid, `place` as in addresses.

    `distinct`, `values`, `low` and `high` as in `LongColumn`.
    """

    index: int
    column: int
    place: str
    convention: Convention
    alike: tuple[Alike, ...] = ()
    distinct: int = 0
    values: tuple[str, ...] = ()
    low: TableCell | None = None
    high: TableCell | None = None


class Stretch(NamedTuple):
    """Adjoining data rows, by grid row, both ends inside, and the sections they stand in.

    `start` is the row of the columns file that holds the first of them.
    """

    first: int
    last: int
    start: int
    sections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LongBody:
    """The data rows of a long table that are no `Row`s. Addresses as in `LongRows`.

    `cells` with a value; where several tables share the rows of a grid, the first has the cells of all.
    """

    grid: GridId
    stretches: tuple[Stretch, ...]
    columns: tuple[BodyColumn, ...]
    prefix: str
    first_line: int
    epoch_1904: bool = False
    cells: int = 0

    @property
    def rows(self) -> int:
        return sum(stretch.last - stretch.first + 1 for stretch in self.stretches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """An understood table. `columns` holds value columns, `label_columns` the stub's with their stubhead as heading.

    `column` of a cell refers to `Column.index`; indices are unique over columns and label columns together and keep
    the order of the page. `part_of` names the first table of the grid that this one is a part of.
    `caption_blocks` are blocks of the document that went into `caption`. `confidence` is 0..1.
    `lookup` says that it is loaded as a typed table; then `name` is its short tool name and `full_name` the full one.
    Of a long table only some rows are in `rows`; `body` stands for the others.
    """

    id: TableId
    grid: GridId
    ordinal: int
    caption: tuple[str, ...] = ()
    unit: str | None = None
    heading_path: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    label_columns: tuple[Column, ...] = ()
    rows: tuple[Row, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    pair_rows: tuple[tuple[TableCell, ...], ...] = ()
    part_of: TableId | None = None
    page: int | None = None
    sheet: str | None = None
    range: str | None = None
    caption_blocks: tuple[BlockId, ...] = ()
    neighbour_prose: str = ""
    confidence: float = 1.0
    lookup: bool = False
    name: str | None = None
    full_name: str | None = None
    key: tuple[str, ...] = ()
    effective: tuple[tuple[str, str], ...] = ()
    body: LongBody | None = None
    account: "Account" = field(default_factory=lambda: Account())

    @property
    def row_count(self) -> int:
        """All rows, those of a long body too."""
        return len(self.rows) + (self.body.rows if self.body is not None else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Both sides of a count that must balance; characters are those that are not white space."""

    cells_in: int = 0
    placed: Counts = field(default_factory=dict)
    dropped: Counts = field(default_factory=dict)
    characters_in: int = 0
    characters_out: int = 0
    characters_dropped: Counts = field(default_factory=dict)

    @property
    def cells_out(self) -> int:
        return sum(self.placed.values()) + sum(self.dropped.values())

    @property
    def balanced(self) -> bool:
        return self.cells_in == self.cells_out and self.characters_in == self.characters_out + sum(
            self.characters_dropped.values()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalized:
    """All that is understood of one document. `firings` counts how often each named rule fired."""

    tables: tuple[Table, ...] = ()
    blocks: tuple[Block, ...] = ()
    statements: tuple[Statement, ...] = ()
    placements: tuple[Placement, ...] = ()
    account: Account = field(default_factory=Account)
    firings: Counts = field(default_factory=dict)
