"""What a format's own pass reports of a workbook, before any value is understood.

Holds: `CellFact`, `SheetFacts`, `WorkbookFacts`, `CellStyle`: the language between the passes and workbook.py.
Add here: something another pass can see in its file.
Never here: parsing, laying out cells.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from rag_assets.model.document import NameHint
from rag_assets.tables.ranges import Rectangle

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
class SheetFacts:
    """One sheet. `hidden_columns` are rectangles' column bounds, both inside."""

    name: str
    hidden: bool = False
    cells: tuple[CellFact, ...] = ()
    merged: tuple[Rectangle, ...] = ()
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: tuple[tuple[int, int], ...] = ()
    hints: tuple[NameHint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkbookFacts:
    sheets: tuple[SheetFacts, ...]
    styles: tuple[CellStyle, ...] = field(default=(CellStyle(),))
    epoch_1904: bool = False
