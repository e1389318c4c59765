"""The records of an xls file that calamine keeps to itself: formats, hidden parts, merged cells, errors.

Holds: `read_xls_facts`: one pass over the workbook stream (BIFF5 and BIFF8, [MS-XLS]).
Add here: another record that says something about cells.
Never here: texts (calamine reads them), the container (workbook_ole.py).
"""

import struct
from collections.abc import Callable, Iterator
from math import isfinite
from typing import NamedTuple

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.workbook_facts import CellFact, CellStyle, SheetFacts, WorkbookFacts
from rag_assets.readers.workbook_ole import BrokenContainer, Container
from rag_assets.tables.number_formats import BUILT_IN
from rag_assets.tables.ranges import Rectangle

BOF, EOF, FILEPASS, DATEMODE, CODEPAGE = 0x0809, 0x000A, 0x002F, 0x0022, 0x0042
FORMAT, XF, FONT, BOUNDSHEET = 0x041E, 0x00E0, 0x0031, 0x0085
NUMBER, RK, MULRK, BOOLERR, FORMULA = 0x0203, 0x027E, 0x00BD, 0x0205, 0x0006
LABEL, LABELSST, RSTRING = 0x0204, 0x00FD, 0x00D6
ROW, COLINFO, MERGECELLS = 0x0208, 0x007D, 0x00E5
BIFF8 = 0x0600
BOLD = 700
WORKSHEET = 0
ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
ENCRYPTED_STREAMS = frozenset({"encryptedpackage", "encryptioninfo"})


class _Record(NamedTuple):
    kind: int
    body: bytes


def read_xls_facts(content: bytes) -> WorkbookFacts | None:
    """None where the container or its records cannot be followed: calamine may still read it.

    Cells that hold text are not among the facts, but their styles are (kind `text`, no value).
    Raises Quarantine: encrypted.
    """
    try:
        container = Container(content)
        if ENCRYPTED_STREAMS & set(container.names):
            raise Quarantine(Reason.ENCRYPTED, "is protected by a password: save it without one")
        stream = container.stream("workbook", "book")
        return _facts(stream) if stream else None
    except (BrokenContainer, struct.error, IndexError, UnicodeDecodeError):
        return None


def numeral(value: float) -> int | float:
    return int(value) if value == int(value) and abs(value) < 1 << 53 else value


def rk_number(raw: int) -> float:
    """30 bits of a double, or an integer; both perhaps in hundredths."""
    if raw & 2:
        value = float((raw - (1 << 32) if raw & 0x80000000 else raw) >> 2)
    else:
        value = struct.unpack("<d", struct.pack("<Q", (raw & 0xFFFFFFFC) << 32))[0]
    return value / 100 if raw & 1 else value


def _facts(stream: bytes) -> WorkbookFacts | None:
    globals_ = _Globals()
    for record in _records(stream, 0):
        if record.kind == FILEPASS:
            raise Quarantine(Reason.ENCRYPTED, "is protected by a password: save it without one")
        globals_.take(record)
        if record.kind == EOF:
            break
    sheets = tuple(
        _Sheet(name, hidden).read(_records(stream, place))
        for place, hidden, kind, name in globals_.sheets
        if kind == WORKSHEET
    )
    return WorkbookFacts(sheets=sheets, styles=globals_.styles(), epoch_1904=globals_.epoch_1904)


def _records(stream: bytes, at: int) -> Iterator[_Record]:
    """From a place on to the EOF of the same depth, embedded charts left out."""
    depth = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        body = stream[at + 4 : at + 4 + length]
        at += 4 + length
        depth += (kind == BOF) - (kind == EOF)
        if depth == 1 or (depth == 0 and kind == EOF):
            yield _Record(kind, body)
        if depth <= 0:
            return


class _Globals:
    def __init__(self) -> None:
        self.wide = True
        self.codes = dict(BUILT_IN)
        self.fonts: list[bool] = []
        self.formats: list[tuple[int, int, int]] = []
        self.sheets: list[tuple[int, bool, int, str]] = []
        self.epoch_1904 = False

    def take(self, record: _Record) -> None:
        body = record.body
        if record.kind == BOF:
            self.wide = struct.unpack_from("<H", body, 0)[0] == BIFF8
        elif record.kind == DATEMODE:
            self.epoch_1904 = body[:1] == b"\x01"
        elif record.kind == FORMAT:
            self.codes[struct.unpack_from("<H", body, 0)[0]] = self._code(body[2:])
        elif record.kind == FONT:
            self.fonts.append(struct.unpack_from("<H", body, 6)[0] >= BOLD)
        elif record.kind == XF:
            font, code = struct.unpack_from("<HH", body, 0)
            self.formats.append((font, code, body[8] & 0x0F if self.wide and len(body) > 8 else 0))
        elif record.kind == BOUNDSHEET:
            place, state, kind = struct.unpack_from("<IBB", body, 0)
            self.sheets.append((place, bool(state & 3), kind, _short_text(body[6:], self.wide)))

    def styles(self) -> tuple[CellStyle, ...]:
        made = []
        for font, number, indent in self.formats:
            place = font - 1 if font > 4 else font  # there is no font 4
            code = self.codes.get(number)
            made.append(
                CellStyle(
                    format=None if not code or code.lower() == "general" else code,
                    bold=place < len(self.fonts) and self.fonts[place],
                    indent=float(indent),
                )
            )
        return tuple(made) or (CellStyle(),)

    def _code(self, body: bytes) -> str:
        if not self.wide:
            return body[1 : 1 + body[0]].decode("cp1252", "replace")
        count, flags = struct.unpack_from("<HB", body, 0)
        return body[3 : 3 + 2 * count].decode("utf-16-le") if flags & 1 else body[3 : 3 + count].decode("latin-1")


def _short_text(body: bytes, wide: bool) -> str:
    count = body[0]
    if not wide:
        return body[1 : 1 + count].decode("cp1252", "replace")
    return body[2 : 2 + 2 * count].decode("utf-16-le") if body[1] & 1 else body[2 : 2 + count].decode("latin-1")


class _Sheet:
    def __init__(self, name: str, hidden: bool) -> None:
        self._name, self._hidden = name, hidden
        self._cells: dict[tuple[int, int], CellFact] = {}
        self._merged: list[Rectangle] = []
        self._hidden_rows: set[int] = set()
        self._hidden_columns: list[tuple[int, int]] = []
        self._take: dict[int, Callable[[bytes], None]] = {
            NUMBER: self._number,
            RK: self._rk,
            MULRK: self._many_rk,
            BOOLERR: self._boolean_or_error,
            FORMULA: self._formula,
            LABEL: self._text,
            LABELSST: self._text,
            RSTRING: self._text,
            ROW: self._row,
            COLINFO: self._column,
            MERGECELLS: self._merge,
        }

    def read(self, records: Iterator[_Record]) -> SheetFacts:
        for record in records:
            take = self._take.get(record.kind)
            if take is not None:
                take(record.body)
        return SheetFacts(
            name=self._name,
            hidden=self._hidden,
            cells=tuple(self._cells.values()),
            merged=tuple(self._merged),
            hidden_rows=frozenset(self._hidden_rows),
            hidden_columns=tuple(self._hidden_columns),
        )

    def _put_number(self, row: int, column: int, style: int, value: float) -> None:
        kind = "number" if isfinite(value) else "error"
        self._cells[row, column] = CellFact(row, column, kind, numeral(value) if isfinite(value) else "#NUM!", style)

    def _number(self, body: bytes) -> None:
        self._put_number(*struct.unpack_from("<HHHd", body, 0))

    def _rk(self, body: bytes) -> None:
        row, column, style, raw = struct.unpack_from("<HHHI", body, 0)
        self._put_number(row, column, style, rk_number(raw))

    def _many_rk(self, body: bytes) -> None:
        row, first = struct.unpack_from("<HH", body, 0)
        for n in range((len(body) - 6) // 6):
            style, raw = struct.unpack_from("<HI", body, 4 + 6 * n)
            self._put_number(row, first + n, style, rk_number(raw))

    def _boolean_or_error(self, body: bytes) -> None:
        row, column, style, value, is_error = struct.unpack_from("<HHHBB", body, 0)
        self._put_flag(row, column, style, value, bool(is_error))

    def _put_flag(self, row: int, column: int, style: int, value: int, is_error: bool) -> None:
        if is_error:
            self._cells[row, column] = CellFact(row, column, "error", ERRORS.get(value, "#ERROR"), style)
        else:
            self._cells[row, column] = CellFact(row, column, "boolean", bool(value), style)

    def _formula(self, body: bytes) -> None:
        row, column, style = struct.unpack_from("<HHH", body, 0)
        if body[12:14] != b"\xff\xff":
            self._put_number(row, column, style, struct.unpack_from("<d", body, 6)[0])
        elif body[6] in {1, 2}:
            self._put_flag(row, column, style, body[8], body[6] == 2)
        else:
            self._cells[row, column] = CellFact(row, column, "text", None, style)

    def _text(self, body: bytes) -> None:
        row, column, style = struct.unpack_from("<HHH", body, 0)
        self._cells[row, column] = CellFact(row, column, "text", None, style)

    def _row(self, body: bytes) -> None:
        if len(body) >= 16 and struct.unpack_from("<I", body, 12)[0] & 0x20:
            self._hidden_rows.add(struct.unpack_from("<H", body, 0)[0])

    def _column(self, body: bytes) -> None:
        first, last, width, _, flags = struct.unpack_from("<HHHHH", body, 0)
        if flags & 1 or width == 0:
            self._hidden_columns.append((first, last))

    def _merge(self, body: bytes) -> None:
        for n in range(struct.unpack_from("<H", body, 0)[0]):
            top, bottom, left, right = struct.unpack_from("<HHHH", body, 2 + 8 * n)
            self._merged.append(Rectangle(top, left, bottom, right))
