"""A long xlsx sheet: cells by column, its head, tail and odd rows as facts.

Holds: `read_long_sheet`.
Add here: another fact of a sheet part that holds for whole rows or columns.
Never here: the cells' XML (long_cells.py), short sheets (workbook_sheet.py).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from xml.etree import ElementTree

import polars as pl

from rag_assets.columnar.census import Fashions, Shown, visible_characters
from rag_assets.columnar.raw import RawColumn
from rag_assets.columnar.stored import Fashion
from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.long_cells import LongCells, NotUsual
from rag_assets.readers.long_grid import LONG_CELLS, Layout, long_grid
from rag_assets.readers.workbook_archive import Archive
from rag_assets.readers.workbook_cells import cell_content
from rag_assets.readers.workbook_facts import CellFact, CellStyle, LongSheet, SheetFacts
from rag_assets.readers.workbook_sheet import Collected, Piece, SheetPart, fast_pieces, is_unusual
from rag_assets.readers.workbook_strings import shared_texts
from rag_assets.tables.ranges import Rectangle, column_letters, quoted_sheet

PIECE_BYTES = 1 << 23
MAX_SPECIAL_ROWS = 4000

_ROW = re.compile(rb"<row\b[^>]*>")
OTHER_CELLS = (b"<c>", b"<c/", b"<c\t", b"<c\n", b"<c\r")


class Workbook(NamedTuple):
    """What a sheet needs of its workbook. `strings_part`: where its shared strings stand, if it has any."""

    archive: Archive
    styles: Sequence[CellStyle]
    strings_part: str | None
    epoch_1904: bool

    def shared_texts(self) -> pl.Series:
        texts = shared_texts(self.archive, self.strings_part) if self.strings_part else ()
        return pl.Series("text", list(texts), dtype=pl.String)


def read_long_sheet(workbook: Workbook, part: str, name: str, limits: ReadLimits) -> SheetFacts | None:
    """Facts of some rows, and columns for the others. None where the sheet is short, or not written as is usual.

    Raises Quarantine: too_many_cells.
    """
    try:
        cells = LongCells(workbook.styles, workbook.shared_texts())
        around = Collected((), 0)
        for n, xml in enumerate(_pieces(workbook.archive, part)):
            _take_piece(xml, cells, around, first=n == 0)
            if cells.taken > limits.cells * LONG_CELLS:
                raise Quarantine(Reason.TOO_MANY_CELLS, f"{name}: more than {limits.cells * LONG_CELLS:,} cells")
    except (NotUsual, pl.exceptions.PolarsError, UnicodeDecodeError, ElementTree.ParseError):
        return None
    bounds = cells.bounds()
    if bounds is None or bounds[2] - bounds[0] < limits.long_rows:
        return None
    return _sheet(name, cells, around.sheet_part(), Rectangle(*bounds), workbook)


def _take_piece(xml: bytes, cells: LongCells, around: Collected, *, first: bool) -> None:
    if any(form in xml for form in OTHER_CELLS):
        raise NotUsual
    if b"hidden=" in xml or b"ht=" in xml or around.rows_hide:
        for row in _ROW.finditer(xml):
            _take_all(row[0], around)
            if around.hidden_rows > MAX_SPECIAL_ROWS:
                raise NotUsual
    if first:
        _take_all(xml[: xml.find(b"<sheetData")], around)
    end = xml.rfind(b"</sheetData>")
    if end >= 0:
        _take_all(xml[end:], around)
    cells.take(xml.decode())


def _take_all(xml: bytes, around: Collected) -> None:
    for piece in fast_pieces(xml, len(xml)):
        if isinstance(piece, Piece) and piece.name != "cell":
            around.take(piece)


def _pieces(archive: Archive, part: str) -> Iterator[bytes]:
    """Pieces that end behind a row; the first goes on to the sheet's data, the last has what follows them."""
    rest: list[bytes] = []
    size = 0
    first = True
    for piece in archive.pieces(part):
        if first and is_unusual(piece):
            raise NotUsual
        first = False
        if b"<!" in piece:
            raise NotUsual
        rest.append(piece)
        size += len(piece)
        if size >= PIECE_BYTES:
            whole = b"".join(rest)
            end = whole.rfind(b"</row>") + 6
            if end < 6:
                continue
            yield whole[:end]
            rest, size = [whole[end:]], len(whole) - end
    yield b"".join(rest)


def _sheet(name: str, cells: LongCells, part: SheetPart, area: Rectangle, workbook: Workbook) -> SheetFacts | None:
    styles, epoch_1904 = workbook.styles, workbook.epoch_1904
    columns = cells.columns(area.top, area.left, area.bottom - area.top + 1)
    known = cells.fashions
    raws, area = _shrunk([column.raw for column in columns], area)
    special = _special_rows(part, area)
    if special is None:
        return None
    counted, characters = sum(c.cells for c in columns), sum(c.characters for c in columns)

    def show(fashion: Fashion, number: float) -> Shown:
        content = cell_content(_number_fact(0, 0, fashion, number), styles[fashion.style], epoch_1904)
        return Shown(content.text, content.stored)

    hidden = {c - area.left for a, b in part.hidden_columns for c in range(max(a, area.left), min(b, area.right) + 1)}
    layout = Layout(
        prefix=f"{quoted_sheet(name)}!",
        first_line=area.top + 1,
        place_of=lambda column: column_letters(column + area.left),
        hidden=hidden,
        special=special,
        fashions=Fashions(known, epoch_1904, show),
    )
    found = long_grid(raws, area.bottom - area.top + 1, layout)
    if found is None:
        return None
    seen = sum(visible_characters(raw.texts) for raw in found.head if raw.texts is not None)
    return SheetFacts(
        name=name,
        cells=tuple(_facts(found.head, found.rows.sampled, known, area)),
        merged=part.merged,
        hidden_rows=part.hidden_rows,
        hidden_columns=part.hidden_columns,
        long=LongSheet(area=area, rows=found.rows, body=found.body, cells_in=counted, characters_in=characters - seen),
    )


def _special_rows(part: SheetPart, area: Rectangle) -> list[int] | None:
    """Rows that are hidden or merged with others, from the first used row on; None where they are very many."""
    merged = [area_ for area_ in part.merged if area_.overlaps(area)]
    if sum(m.bottom - m.top + 1 for m in merged) > MAX_SPECIAL_ROWS:
        return None
    rows = {row for m in merged for row in range(m.top, m.bottom + 1)} | part.hidden_rows
    return sorted(row - area.top for row in rows if area.top <= row <= area.bottom)


def _shrunk(raws: list[RawColumn], area: Rectangle) -> tuple[list[RawColumn], Rectangle]:
    """Without columns and rows at the edges in which all texts turned out to show nothing."""
    if not raws:
        return raws, area
    filled = [raw.filled for raw in raws]
    top = min(mask.arg_max() or 0 for mask in filled)
    bottom = max(int(mask.arg_true()[-1]) for mask in filled)
    left, right = raws[0].column, raws[-1].column
    moved = [replace(raw.between(top, bottom), column=raw.column - left) for raw in raws]
    return moved, Rectangle(area.top + top, area.left + left, area.top + bottom, area.left + right)


def _facts(
    head: Sequence[RawColumn], rows: Sequence[int], known: Sequence[Fashion], area: Rectangle
) -> Iterator[CellFact]:
    for raw in head:
        numbers = raw.numbers.to_list() if raw.numbers is not None else [None] * len(rows)
        texts = raw.texts.to_list() if raw.texts is not None else [None] * len(rows)
        codes = raw.fashions.to_list() if raw.fashions is not None else [None] * len(rows)
        for row, number, text, code in zip(rows, numbers, texts, codes, strict=True):
            if code is None:
                continue
            fashion = known[code]
            place = (row + area.top, raw.column + area.left)
            if number is not None:
                yield _number_fact(*place, fashion, number)
            elif fashion.kind == "formula":
                yield CellFact(*place, "formula", None, fashion.style)
            else:
                yield CellFact(*place, "error" if fashion.kind == "error" else "text", text, fashion.style)


def _number_fact(row: int, column: int, fashion: Fashion, number: float) -> CellFact:
    if fashion.kind == "boolean":
        return CellFact(row, column, "boolean", bool(number), fashion.style)
    whole = float(number).is_integer() and abs(number) < 1 << 53
    return CellFact(row, column, "number", int(number) if whole else number, fashion.style)
