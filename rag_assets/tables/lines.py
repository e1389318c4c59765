"""Lines of slots: a grid's visible cells row by row, spans filled down, split symbols rejoined.

Holds: `Slot`, `Line`, `lines_of`.
Add here: what must be settled before anyone asks what a row is.
Never here: roles of rows, headings, sections.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from rag_assets.model.document import Grid, GridCell, StoredValue
from rag_assets.model.table import Place, Placement
from rag_assets.tables.periods import is_heading_figure
from rag_assets.tables.rules import Rules
from rag_assets.tables.values import CURRENCY, Kind, is_grouped_figure, read_value

_PREFIX = re.compile(rf"\(?\s*(?:{CURRENCY})?\s*\(?")
_SUFFIX = re.compile(r"[)\]]?\s*(?:%|x|X|bps|pts?\.?)?\s*[)\]]?")
_FIGURE_LIKE = re.compile(r"\d|^[\s(]*[-−–—―‒‐]+[\s)]*$")
REACH = 2  # columns between a symbol and its figure; spacer columns are one wide, sometimes two


class Slot(NamedTuple):
    """A cell on its line: columns `start` to `end` (exclusive). `filled` marks a copy below a cell with a row span."""

    row: int
    start: int
    end: int
    text: str
    address: str
    header: bool
    bold: bool
    indent: float
    marks: tuple[str, ...]
    stored: StoredValue | None
    filled: bool = False
    joined: tuple[str, ...] = ()
    row_span: int = 1

    @property
    def is_data(self) -> bool:
        """A figure, a dash or a "not meaningful" mark; years and dates that stand as headings are none."""
        if self.stored is not None and self.stored.kind in ("integer", "number", "boolean", "duration"):
            return not is_heading_figure(self.text)
        return _reads_as_data(self.text)


@lru_cache(maxsize=65536)
def _reads_as_data(text: str) -> bool:
    kind = read_value(text).kind
    if kind is Kind.WORDS:
        return is_grouped_figure(text)
    return kind in (Kind.FIGURE, Kind.NIL, Kind.MISSING, Kind.RANGE) and not is_heading_figure(text)


class Line(NamedTuple):
    row: int
    slots: tuple[Slot, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(slot.text for slot in self.slots)


def lines_of(grid: Grid, rules: Rules) -> tuple[tuple[Line, ...], tuple[Placement, ...]]:
    """The lines that hold anything, top to bottom, and the places of the cells that are already settled."""
    kept, places = _visible(grid, rules)
    by_row: dict[int, list[Slot]] = {}
    for cell in kept:
        for row in range(cell.row, cell.row + max(cell.row_span, 1)):
            by_row.setdefault(row, []).append(_slot(cell, row))
    lines = []
    for row in sorted(by_row):
        slots = sorted(by_row[row], key=lambda slot: slot.start)
        if all(slot.filled for slot in slots) and len(slots) < 2:
            continue
        if rules.rejoin_symbols:
            slots = _rejoined(slots)
        places.extend(Placement(address, Place.JOINED) for slot in slots if not slot.filled for address in slot.joined)
        lines.append(Line(row, tuple(slots)))
    return tuple(lines), tuple(places)


def _visible(grid: Grid, rules: Rules) -> tuple[list[GridCell], list[Placement]]:
    kept, places = [], []
    exclude = rules.hidden_policy == "exclude"
    for cell in grid.cells:
        if exclude and (cell.hidden or grid.hidden):
            places.append(Placement(cell.address, Place.HIDDEN))
        elif cell.stored is not None and cell.stored.kind == "error":
            places.append(Placement(cell.address, Place.ERROR))
        elif cell.stored is not None and cell.stored.kind == "formula":
            places.append(Placement(cell.address, Place.FORMULA))
        else:
            kept.append(cell)
    return kept, places


def _slot(cell: GridCell, row: int) -> Slot:
    return Slot(
        row,
        cell.column,
        cell.column + max(cell.column_span, 1),
        line_text(cell.text),
        cell.address,
        cell.header,
        cell.bold,
        cell.indent,
        cell.marks,
        cell.stored,
        row > cell.row,
        (),
        max(cell.row_span, 1),
    )


def line_text(text: str) -> str:
    """The text of a cell on one line, but for cells that show several figures below each other."""
    if "\n" in text and sum(read_value(part).kind is Kind.FIGURE for part in text.split("\n")) < 2:
        return text.replace("\n", " ")
    return text


def _rejoined(slots: list[Slot]) -> list[Slot]:
    """`$`, brackets and `%` in cells of their own join the figure beside them: "$", "4,310" → "$4,310"."""
    out: list[Slot] = []
    for slot in reversed(slots):
        after = out[-1] if out else None
        if after is not None and _joins_right(slot, after):
            out[-1] = _join(slot, after, after)
        else:
            out.append(slot)
    out.reverse()
    joined: list[Slot] = []
    for slot in out:
        before = joined[-1] if joined else None
        if before is not None and _joins_left(before, slot):
            joined[-1] = _join(before, slot, before)
        else:
            joined.append(slot)
    return joined


def _joins_right(slot: Slot, after: Slot) -> bool:
    return bool(
        slot.text
        and len(slot.text) <= 5
        and _same_rows(slot, after)
        and _PREFIX.fullmatch(slot.text)
        and after.start - slot.end <= REACH
        and _FIGURE_LIKE.search(after.text)
        and not is_heading_figure(after.text)
        and len(after.text) <= 40
    )


def _joins_left(before: Slot, slot: Slot) -> bool:
    return bool(
        slot.text
        and len(slot.text) <= 5
        and _same_rows(before, slot)
        and _SUFFIX.fullmatch(slot.text)
        and slot.start - before.end <= REACH
        and _FIGURE_LIKE.search(before.text)
        and not is_heading_figure(before.text)
        and read_value(before.text.lstrip("(") if before.text.count("(") > before.text.count(")") else before.text).kind
        is not Kind.WORDS
    )


def _same_rows(one: Slot, other: Slot) -> bool:
    """A symbol beside one row of a cell that spans several is not that cell's."""
    return one.filled == other.filled and one.row_span == other.row_span


def _join(left: Slot, right: Slot, figure: Slot) -> Slot:
    symbol = right if figure is left else left
    return figure._replace(
        start=left.start,
        end=right.end,
        text=left.text + right.text,
        joined=(*figure.joined, symbol.address, *symbol.joined),
        bold=left.bold or right.bold,
    )


def slots_of(lines: Iterable[Line]) -> list[Slot]:
    return [slot for line in lines for slot in line.slots]
