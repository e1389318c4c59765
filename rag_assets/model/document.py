"""A document as a reader found it: blocks in reading order and raw grids of cells.

Holds: `Source`, `Block`, `Grid`, `GridCell`, `LongRows`, `Document` and the reasons a document can be quarantined for.
Add here: something a reader can *see* on the page.
Never here: what a cell means (model/table.py); a reader reports, `tables/` decides.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, NewType

BlockId = NewType("BlockId", str)
GridId = NewType("GridId", str)
Counts = dict[str, int]

Status = Literal["ok", "quarantined"]


class Reason(StrEnum):
    """Why a document was quarantined; the names are a contract (status, manifests, `inspect`)."""

    EMPTY_FILE = "empty_file"
    NOT_REGULAR = "not_regular"
    SYMLINK = "symlink"
    OUTSIDE_ROOT = "outside_root"
    UNREADABLE = "unreadable"
    STILL_CHANGING = "still_changing"
    TOO_LARGE = "too_large"
    UNSUPPORTED_TYPE = "unsupported_type"
    TYPE_MISMATCH = "type_mismatch"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    TRUNCATED = "truncated"
    DOCTYPE = "doctype"
    ZIP_BOMB = "zip_bomb"
    SPARSE_EXTENT = "sparse_extent"
    TOO_MANY_CELLS = "too_many_cells"
    TOO_MANY_PAGES = "too_many_pages"
    TOO_DEEP = "too_deep"
    BAD_NAME = "bad_name"
    CPU_LIMIT = "cpu_limit"
    WALL_LIMIT = "wall_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    PARSER_CRASHED = "parser_crashed"
    BAD_ENCODING = "bad_encoding"
    GARBLED_TEXT = "garbled_text"
    NEEDS_OCR = "needs_ocr"
    UNBALANCED_ACCOUNT = "unbalanced_account"


class BlockKind(StrEnum):
    HEADING = "heading"
    PROSE = "prose"
    LIST = "list"
    CODE = "code"
    GRID = "grid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a document came from. `uri` is the SOURCE name, or the path given to `inspect`."""

    uri: str
    media_type: str
    sha256: str
    status: Status = "ok"
    reason: Reason | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of the document in reading order. Kind `grid` stands for the grid it names and has no text.

    `heading_path` holds the headings above it, outermost first, not its own text.
    """

    id: BlockId
    kind: BlockKind
    text: str = ""
    level: int | None = None
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    grid: GridId | None = None


class StoredValue(NamedTuple):
    """What a workbook stores behind the shown text.

    `kind`: integer number boolean date timestamp duration text error formula (formula: no cached value).
    `value`: the number; ISO 8601 text for date and timestamp; seconds for duration; None where there is none.
    `format`: the number format code as stored (`0%`, `$#,##0`), or None for General.
    """

    kind: str
    value: int | float | bool | str | None
    format: str | None = None


class GridCell(NamedTuple):
    """A non-empty cell where the reader found it; 0-based row and column after spans are laid out.

    `text` is what is shown, blanks folded, line breaks kept as "\\n". `marks` are superscript runs at the end of
    `text` (still part of it). `indent` counts in em, from padding, margin, text-indent and leading no-break spaces.
    """

    row: int
    column: int
    text: str
    address: str
    row_span: int = 1
    column_span: int = 1
    header: bool = False
    hidden: bool = False
    bold: bool = False
    indent: float = 0.0
    marks: tuple[str, ...] = ()
    stored: StoredValue | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NameHint:
    """A name the file itself gives a rectangle: a ListObject or a defined name, with its A1 range."""

    kind: Literal["list_object", "defined_name"]
    name: str
    range: str


class Witness(NamedTuple):
    """One cell for all cells of a column that read alike. `key` says which those are, `count` how many."""

    key: str
    text: str
    stored: StoredValue | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LongColumn:
    """What the cells of one column are that are no `GridCell`s: `column` as in the grid, `place` as in addresses.

    `characters` counts those that are not white space; numbers that a workbook stores count none. `distinct` counts
    different texts (of a very long column those of its first part), `values` are all of them where they are few, else
    some in order. `low` and `high` are the least and the greatest of its numbers or days, None where it has texts only.
    """

    column: int
    place: str
    witnesses: tuple[Witness, ...] = ()
    characters: int = 0
    distinct: int = 0
    values: tuple[str, ...] = ()
    low: Witness | None = None
    high: Witness | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LongRows:
    """The rows of a long grid that have no `GridCell`s; their cells stand in the document's columns file.

    `sampled` are the rows that do, or that are blank, ascending; all other rows are alike: each has two cells or more
    and none says that it is a heading or a total. The cell of grid row 0 stands on line `first_line` of the page, and
    its address is `prefix`, then place and line.
    """

    sampled: tuple[int, ...]
    columns: tuple[LongColumn, ...]
    prefix: str
    first_line: int
    epoch_1904: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Raw cells of one table of a page, or of one sheet. Empty cells are left out.

    `ordinal` is the place among the document's grids, 0-based. `range` is the A1 range of a sheet's cells.
    `head_rows` counts leading rows that the markup calls header (thead), 0 where it says nothing.
    `hidden` says that the whole sheet or table is hidden. `header_rows` and `regions` come from an override file.
    `long` says that only some rows of a long grid have cells here.
    """

    id: GridId
    ordinal: int
    n_rows: int
    n_columns: int
    cells: tuple[GridCell, ...]
    page: int | None = None
    sheet: str | None = None
    range: str | None = None
    caption: tuple[str, ...] = ()
    head_rows: int = 0
    hidden: bool = False
    parent: GridId | None = None
    hints: tuple[NameHint, ...] = ()
    long: LongRows | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a reader returns for one file.

    `cells_in`: non-empty cells of all grids, hidden ones included, counted where the file is read.
    `characters_in`: characters that are not white space in all visible text, counted where the file is read;
    `characters_dropped`: those of them left out of blocks and cells, by name of the drop.
    `cells_dropped`: cells counted in `cells_in` that are in no grid, by name (`error`, `uncached_formula`, …).
    `warnings`: what a person should look at, with the place (rows of another width, an unclosed quote).
    """

    source: Source
    blocks: tuple[Block, ...] = ()
    grids: tuple[Grid, ...] = ()
    cells_in: int = 0
    cells_dropped: Counts = field(default_factory=dict)
    characters_in: int = 0
    characters_dropped: Counts = field(default_factory=dict)
    title: str | None = None
    warnings: tuple[str, ...] = ()
