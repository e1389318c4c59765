"""What a format's own pass reports of a workbook, before any value is understood.

Holds: `CellFact`, `SheetFacts`, `LongSheet`, `WorkbookFacts`, `CellStyle`: what the passes tell workbook.py.
Add here: something another pass can see in its file.
Never here: parsing, laying out cells.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from rag_assets.model.document import LongRows, NameHint
from rag_assets.tables.ranges import Rectangle

if TYPE_CHECKING:
    from rag_assets.columnar.raw import RawColumn  # polars: 0.2 s that short workbooks need not pay

FactKind = Literal["number", "text", "boolean", "error", "date", "formula"]


class CellStyle(NamedTuple):
    """`format` is the number format code, None for General; `indent` in em."""

    format: str | None = None
    bold: bool = False
    indent: float = 0.0


class CellFact(NamedTuple):
    """A non-empty cell, 0-based. `value`: the number; the text where the pass knows it, else None (calamine has it);
    the error's name; ISO text of a date that is stored as text. Kind `formula` has no cached value.
    """

    row: int
    column: int
    kind: FactKind
    value: int | float | bool | str | None
    style: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LongSheet:
    """The part of a long sheet that is no facts: its rows that are all alike, by column.

    `area`: all its cells; `cells_in` counts all of them, `characters_in` those of the texts that are no facts.
    """

    area: Rectangle
    rows: LongRows
    body: "tuple[RawColumn, ...]"
    cells_in: int
    characters_in: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFacts:
    """One sheet. `hidden_columns` are rectangles' column bounds, both inside. Of a `long` one `cells` are some."""

    name: str
    hidden: bool = False
    cells: tuple[CellFact, ...] = ()
    merged: tuple[Rectangle, ...] = ()
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: tuple[tuple[int, int], ...] = ()
    hints: tuple[NameHint, ...] = ()
    long: LongSheet | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkbookFacts:
    sheets: tuple[SheetFacts, ...]
    styles: tuple[CellStyle, ...] = field(default=(CellStyle(),))
    epoch_1904: bool = False
