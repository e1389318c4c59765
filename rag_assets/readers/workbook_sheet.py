"""The cells of one sheet of an xlsx file: where they stand, what kind they are, how they look.

Holds: one streaming pass of regular expressions over the sheet's XML, and the slower exact one for unusual XML.
Add here: another fact that stands in a sheet part.
Never here: texts of strings (calamine reads them), other parts (workbook_xlsx.py).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from math import isfinite
from typing import NamedTuple
from xml.etree import ElementTree

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.workbook_archive import Archive
from rag_assets.readers.workbook_facts import CellFact, FactKind
from rag_assets.readers.workbook_strings import shows_text
from rag_assets.tables.ranges import MAX_COLUMNS, MAX_ROWS, Rectangle, column_number, parse_range

TINY = 0.01
EXACT = 1 << 53

_PART = re.compile(
    rb'<c r="([A-Z]{1,3})([0-9]{1,7})"(?: s="([0-9]+)")?(?: t="(\w+)")?(?:/>|>(.*?)</c>)'
    rb"|<row\b(?P<row>[^>]*)>|<c\b(?P<cell>[^>]*?)(?:/>|>(?P<body>.*?)</c>)"
    rb"|<col\b(?P<column>[^>]*)>|<mergeCell\b(?P<merged>[^>]*)>|<sheetFormatPr\b(?P<defaults>[^>]*)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rb'([\w:]+)\s*=\s*"([^"]*)"')
_VALUE = re.compile(rb"<v\b[^>]*>(.*?)</v>", re.DOTALL)
_ADDRESS = re.compile(rb"([A-Za-z]{1,3})([0-9]{1,7})")
_UNUSUAL = re.compile(
    rb"<!--|<!\[CDATA|<\w+:(?:c|row|worksheet)\b|<(?:c|row)\b[^>]*='|encoding=[\"'](?!utf-?8)", re.IGNORECASE
)
Attributes = dict[bytes, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPart:
    cells: tuple[CellFact, ...]
    merged: tuple[Rectangle, ...]
    hidden_rows: frozenset[int]
    hidden_columns: tuple[tuple[int, int], ...]


class Piece(NamedTuple):
    """One element of the sheet; `name` is row, cell, column, merged or defaults."""

    name: str
    attributes: Attributes
    body: bytes | None = None


def read_sheet(archive: Archive, part: str, blank: tuple[bool, ...], cells: int) -> SheetPart:
    """Facts of the sheet. Raises Quarantine: corrupt, too_many_cells (over `cells` non-empty ones)."""
    collected = Collected(blank, cells)
    try:
        for piece in _pieces(archive, part):
            if isinstance(piece, Piece):
                collected.take(piece)
            else:
                collected.take_usual(*piece)
    except (ElementTree.ParseError, ValueError, IndexError) as error:
        if isinstance(error, Quarantine):
            raise
        raise Quarantine(Reason.CORRUPT, f"{part}: {error}") from None
    return collected.sheet_part()


class Collected:
    """What was seen so far, in sheet order."""

    def __init__(self, blank: tuple[bool, ...], limit: int) -> None:
        self._blank = blank
        self._limit = limit
        self._cells: dict[tuple[int, int], CellFact] = {}
        self._merged: list[Rectangle] = []
        self._hidden_rows: set[int] = set()
        self._hidden_columns: list[tuple[int, int]] = []
        self._row = -1
        self._column = -1
        self._take: dict[str, Callable[[Piece], None]] = {
            "row": self._take_row,
            "cell": self._take_cell,
            "column": self._take_column,
            "merged": self._take_merged,
            "defaults": self._take_defaults,
        }
        self._rows_hide = False

    def take(self, piece: Piece) -> None:
        self._take[piece.name](piece)

    @property
    def rows_hide(self) -> bool:
        """Rows are hidden unless they say otherwise."""
        return self._rows_hide

    @property
    def hidden_rows(self) -> int:
        return len(self._hidden_rows)

    def sheet_part(self) -> SheetPart:
        return SheetPart(
            cells=tuple(self._cells.values()),
            merged=tuple(self._merged),
            hidden_rows=frozenset(self._hidden_rows),
            hidden_columns=tuple(self._hidden_columns),
        )

    def _take_row(self, piece: Piece) -> None:
        number = piece.attributes.get(b"r")
        self._row = int(number) - 1 if number else self._row + 1
        self._column = -1
        shown = piece.attributes.get(b"hidden")
        height = piece.attributes.get(b"ht")
        if _true(shown) or (shown is None and self._rows_hide) or (height is not None and float(height) < TINY):
            self._hidden_rows.add(self._row)

    def take_usual(self, letters: bytes, number: bytes, style: bytes, type_name: bytes, body: bytes) -> None:
        """A cell as nearly every program writes it: address, style, type, in this order."""
        self._row, self._column = int(number) - 1, _column(letters)
        if body:
            self._put(type_name or b"n", body, style)

    def _take_cell(self, piece: Piece) -> None:
        place = _ADDRESS.fullmatch(piece.attributes.get(b"r", b""))
        if place is not None:
            self._row, self._column = int(place[2]) - 1, _column(place[1])
        else:
            self._column += 1
            self._row = max(self._row, 0)
        if piece.body is not None:
            self._put(piece.attributes.get(b"t", b"n"), piece.body, piece.attributes.get(b"s", b""))

    def _put(self, type_name: bytes, body: bytes, style: bytes) -> None:
        row, column = self._row, self._column
        kind, value = kind_and_value(type_name, body, self._blank)
        if kind is None:
            return
        if not (0 <= row < MAX_ROWS and column < MAX_COLUMNS):
            raise Quarantine(Reason.CORRUPT, f"a cell at row {row + 1}, column {column + 1}")
        self._cells[row, column] = CellFact(row, column, kind, value, int(style) if style else 0)
        if len(self._cells) > self._limit:
            raise Quarantine(Reason.TOO_MANY_CELLS, f"more than {self._limit:,} cells")

    def _take_column(self, piece: Piece) -> None:
        width = piece.attributes.get(b"width")
        if _true(piece.attributes.get(b"hidden")) or (width is not None and float(width) < TINY):
            bounds = (int(piece.attributes.get(b"min", b"1")) - 1, int(piece.attributes.get(b"max", b"1")) - 1)
            self._hidden_columns.append(bounds)

    def _take_merged(self, piece: Piece) -> None:
        area = parse_range(piece.attributes.get(b"ref", b"").decode("ascii", "replace"))
        if area is not None and (area.top < area.bottom or area.left < area.right):
            self._merged.append(area)

    def _take_defaults(self, piece: Piece) -> None:
        self._rows_hide = _true(piece.attributes.get(b"zeroHeight"))


class CellValue(NamedTuple):
    """Kind None: the cell shows nothing."""

    kind: FactKind | None
    value: int | float | bool | str | None


_NOTHING = CellValue(None, None)
_TEXT = CellValue("text", None)


def _true(value: bytes | None) -> bool:
    return value is not None and value.lower() in {b"1", b"true", b"on"}


def kind_and_value(type_name: bytes, body: bytes, blank: tuple[bool, ...]) -> CellValue:
    if type_name == b"inlineStr":
        return _TEXT if shows_text(body) else _NOTHING
    raw = raw_value(body)
    if not raw:
        return CellValue("formula", None) if b"<f" in body and type_name != b"str" else _NOTHING
    if type_name == b"s":
        return _NOTHING if blank[int(raw)] else _TEXT
    if type_name == b"n":
        return _numeral(raw)
    if type_name == b"b":
        return CellValue("boolean", raw.lower() in {b"1", b"true"})
    if type_name == b"e":
        return CellValue("error", raw.decode("utf-8", "replace"))
    if type_name == b"d":
        return CellValue("date", raw.decode("ascii", "replace"))
    return _TEXT if shows_text(b"<t>" + raw + b"</t>") else _NOTHING


def raw_value(body: bytes) -> bytes:
    if body.startswith(b"<v>") and body.endswith(b"</v>"):
        return body[3:-4].strip()
    found = _VALUE.search(body)
    return found[1].strip() if found else b""


@cache
def _column(letters: bytes) -> int:
    return column_number(letters.decode("ascii"))


def _numeral(raw: bytes) -> CellValue:
    """A whole number that a double holds exactly is an integer; what is no number is an error cell."""
    try:
        number = float(raw)
    except ValueError:
        return CellValue("error", raw.decode("utf-8", "replace")[:80])
    if number.is_integer() and -EXACT < number < EXACT:
        return CellValue("number", int(number))
    if not isfinite(number):
        return CellValue("error", raw.decode("utf-8", "replace"))
    return CellValue("number", number)


def _pieces(archive: Archive, part: str) -> Iterator[Piece | tuple[bytes, ...]]:
    """Rows, columns, merged areas as pieces; cells of the usual form as (letters, number, style, type, body)."""
    stream = archive.pieces(part)
    rest = next(stream, b"")
    if is_unusual(rest):
        yield from _exact_pieces(rest + b"".join(stream))
        return
    for piece in stream:
        if b"<!" in piece:
            yield from _exact_pieces(archive.read(part))
            return
        end = _safe_end(rest)
        yield from fast_pieces(rest, end)
        rest = rest[end:] + piece
    yield from fast_pieces(rest, len(rest))


def is_unusual(head: bytes) -> bool:
    return head[:2] in {b"\xff\xfe", b"\xfe\xff"} or b"\x00" in head[:64] or _UNUSUAL.search(head) is not None


def _safe_end(text: bytes) -> int:
    """Behind the last row or cell that is complete in `text`."""
    cell = text.rfind(b"</c>")
    return max(cell + 4 if cell >= 0 else 0, text.rfind(b"<row"))


def fast_pieces(text: bytes, until: int) -> Iterator[Piece | tuple[bytes, ...]]:
    for match in _PART.finditer(text, 0, until):
        if match[1]:
            yield match.groups()[:5]
            continue
        name = match.lastgroup or "cell"
        if name == "body":
            name = "cell"
        yield Piece(name, dict(_ATTRIBUTE.findall(match[name])), match["body"])


_EXACT_NAMES = {"row": "row", "c": "cell", "col": "column", "mergeCell": "merged", "sheetFormatPr": "defaults"}


def _exact_pieces(content: bytes) -> Iterator[Piece]:
    """The same by an XML parser, for prefixes, comments, CDATA, other encodings."""
    for event, element in ElementTree.iterparse(BytesIO(content), ("start", "end")):
        name = element.tag.rpartition("}")[2]
        kind = _EXACT_NAMES.get(name)
        if kind is None:
            continue
        if (event == "start") == (name != "c"):
            attributes = {k.encode(): v.encode() for k, v in element.attrib.items()}
            yield Piece(kind, attributes, _plain_body(element) if name == "c" else None)
        if event == "end" and name in {"c", "row"}:
            element.clear()


def _plain_body(cell: ElementTree.Element) -> bytes | None:
    """The cell's content as XML without prefixes; None for an empty cell."""
    if len(cell) == 0:
        return None
    for element in cell.iter():
        element.tag = element.tag.rpartition("}")[2]
    return b"".join(ElementTree.tostring(child) for child in cell)
