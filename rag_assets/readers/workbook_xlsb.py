"""The records of an xlsb file that calamine keeps to itself: formats, hidden parts, merged cells, errors.

Holds: `read_xlsb_facts`: one pass over the binary parts ([MS-XLSB]).
Add here: another record that says something about cells.
Never here: texts (calamine reads them), the container (workbook_archive.py).
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from rag_assets.readers.workbook_archive import Archive
from rag_assets.readers.workbook_facts import CellFact, CellStyle, SheetFacts, WorkbookFacts
from rag_assets.readers.workbook_relations import WORKSHEET, relations_of
from rag_assets.readers.workbook_xls import BOLD, ERRORS, numeral, rk_number
from rag_assets.tables.number_formats import BUILT_IN
from rag_assets.tables.ranges import Rectangle

MAIN = "xl/workbook.bin"
ROW, BLANK, RK, ERROR, BOOLEAN, REAL, STRING, SHARED = range(8)
FORMULA_STRING, FORMULA_NUMBER, FORMULA_BOOLEAN, FORMULA_ERROR = 8, 9, 10, 11
FONT, FORMAT, XF, COLUMN, WORKBOOK, SHEET, MERGED = 43, 44, 47, 60, 153, 156, 176
BEGIN_CELL_FORMATS, END_CELL_FORMATS = 617, 618
TEXT_KINDS = frozenset({STRING, SHARED, FORMULA_STRING})
NUMBER_KINDS = frozenset({REAL, FORMULA_NUMBER})
FLAG_KINDS = frozenset({ERROR, BOOLEAN, FORMULA_BOOLEAN, FORMULA_ERROR})
ERROR_KINDS = frozenset({ERROR, FORMULA_ERROR})


class _Record(NamedTuple):
    kind: int
    body: bytes


def read_xlsb_facts(archive: Archive) -> WorkbookFacts | None:
    """None where the parts cannot be followed: calamine may still read the file. Text cells have no value here."""
    try:
        return _facts(archive)
    except (struct.error, IndexError, KeyError, UnicodeDecodeError):
        return None


def _facts(archive: Archive) -> WorkbookFacts:
    relations = relations_of(archive, MAIN)
    epoch_1904, sheets = False, []
    for record in _records(archive.read(MAIN)):
        if record.kind == WORKBOOK:
            epoch_1904 = bool(record.body[0] & 1)
        elif record.kind == SHEET:
            state = struct.unpack_from("<I", record.body, 0)[0]
            relation_id, end = _text(record.body, 8)
            name, _ = _text(record.body, end)
            relation = relations.get(relation_id)
            if relation is not None and relation.kind == WORKSHEET:
                sheets.append(_sheet(archive.read(relation.part), name, state != 0))
    part = next((r.part for r in relations.values() if r.kind == "styles"), None)
    styles = _styles(archive.read(part)) if part else (CellStyle(),)
    return WorkbookFacts(sheets=tuple(sheets), styles=styles, epoch_1904=epoch_1904)


def _records(part: bytes) -> Iterator[_Record]:
    at = 0
    while at < len(part):
        kind = part[at]
        at += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | (part[at] & 0x7F) << 7
            at += 1
        length = shift = 0
        while True:
            byte = part[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80 or shift > 21:
                break
        yield _Record(kind, part[at : at + length])
        at += length


def _text(body: bytes, at: int) -> tuple[str, int]:
    count = struct.unpack_from("<I", body, at)[0]
    if count == 0xFFFFFFFF:
        return "", at + 4
    end = at + 4 + 2 * count
    return body[at + 4 : end].decode("utf-16-le"), end


def _styles(part: bytes) -> tuple[CellStyle, ...]:
    codes, bold, styles, inside = dict(BUILT_IN), [], [], False
    for kind, body in _records(part):
        if kind == FORMAT:
            codes[struct.unpack_from("<H", body, 0)[0]] = _text(body, 2)[0]
        elif kind == FONT:
            bold.append(struct.unpack_from("<H", body, 4)[0] >= BOLD)
        elif kind in {BEGIN_CELL_FORMATS, END_CELL_FORMATS}:
            inside = kind == BEGIN_CELL_FORMATS
        elif kind == XF and inside:
            number, font = struct.unpack_from("<HH", body, 2)
            code = codes.get(number)
            styles.append(
                CellStyle(
                    format=None if not code or code.lower() == "general" else code,
                    bold=font < len(bold) and bold[font],
                    indent=float(body[11] if len(body) > 11 else 0),
                )
            )
    return tuple(styles) or (CellStyle(),)


def _sheet(part: bytes, name: str, hidden: bool) -> SheetFacts:
    cells, merged, hidden_rows, hidden_columns, row = {}, [], set(), [], 0
    for kind, body in _records(part):
        if kind == ROW:
            row = struct.unpack_from("<I", body, 0)[0]
            if body[11] & 0x10:
                hidden_rows.add(row)
        elif BLANK < kind <= FORMULA_ERROR:
            column, packed = struct.unpack_from("<II", body, 0)
            cells[row, column] = _cell(kind, body, row, column, packed & 0xFFFFFF)
        elif kind == COLUMN:
            first, last, width, _, flags = struct.unpack_from("<IIIIH", body, 0)
            if flags & 1 or width == 0:
                hidden_columns.append((first, last))
        elif kind == MERGED:
            top, bottom, left, right = struct.unpack_from("<IIII", body, 0)
            merged.append(Rectangle(top, left, bottom, right))
    return SheetFacts(
        name=name,
        hidden=hidden,
        cells=tuple(cells.values()),
        merged=tuple(merged),
        hidden_rows=frozenset(hidden_rows),
        hidden_columns=tuple(hidden_columns),
    )


def _cell(kind: int, body: bytes, row: int, column: int, style: int) -> CellFact:
    if kind in TEXT_KINDS:
        return CellFact(row, column, "text", None, style)
    if kind in ERROR_KINDS:
        return CellFact(row, column, "error", ERRORS.get(body[8], "#ERROR"), style)
    if kind in FLAG_KINDS:
        return CellFact(row, column, "boolean", bool(body[8]), style)
    if kind in NUMBER_KINDS:
        return CellFact(row, column, "number", numeral(struct.unpack_from("<d", body, 8)[0]), style)
    return CellFact(row, column, "number", numeral(rk_number(struct.unpack_from("<I", body, 8)[0])), style)
