"""The content of an OpenDocument sheet: cells with their shown texts, formats, hidden parts, merged cells, errors.

Holds: `read_ods_facts`: one streaming pass over content.xml (OpenDocument 1.3, part 3, chapter 9).
Add here: another attribute that says something about cells.
Never here: the container (workbook_archive.py), what a value shows under a format (tables/number_formats.py).
"""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workbook_archive import Archive
from rag_assets.readers.workbook_facts import CellFact, CellStyle, FactKind, SheetFacts, WorkbookFacts
from rag_assets.readers.workbook_relations import local_name
from rag_assets.tables.ranges import MAX_COLUMNS, MAX_ROWS, Rectangle

CONTENT = "content.xml"
HIDING = frozenset({"collapse", "filter"})
TYPED = {"float": "number", "percentage": "number", "currency": "number", "boolean": "boolean", "date": "date"}
_ERROR = re.compile(r"#(?:N/A|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NULL!)|Err:\d{3}")
_FIGURE = re.compile(r"\D*?(?P<whole>\d[\d,.' \u00a0\u202f]*)\D*")
_SIGN = re.compile(r"[^\d\s.,()+\-'%]+")


class _Read(NamedTuple):
    kind: FactKind
    value: int | float | bool | str | None
    code: str | None = None


def read_ods_facts(archive: Archive, limits: ReadLimits) -> WorkbookFacts:
    """All sheets. Raises Quarantine: corrupt, too_many_cells."""
    content = _Content(limits)
    try:
        for event, element in ElementTree.iterparse(BytesIO(archive.read(CONTENT)), ("start", "end")):
            content.take(event, element)
    except (ElementTree.ParseError, ValueError) as error:
        if isinstance(error, Quarantine):
            raise
        raise Quarantine(Reason.CORRUPT, f"{CONTENT}: {error}") from None
    return WorkbookFacts(sheets=tuple(content.sheets), styles=tuple(content.styles))


class _Content:
    """What was seen so far, in document order."""

    def __init__(self, limits: ReadLimits) -> None:
        self.sheets: list[SheetFacts] = []
        self.styles: dict[CellStyle, int] = {CellStyle(): 0}
        self._limit = limits.cells
        self._hidden_sheets: set[str] = set()
        self._bold: set[str] = set()
        self._depth = 0
        self._begin("", False)

    def take(self, event: str, element: Element) -> None:
        name = local_name(element)
        if event == "start":
            if name == "table":
                self._depth += 1
                if self._depth == 1:
                    self._begin(_get(element, "name") or "", (_get(element, "style-name") or "") in self._hidden_sheets)
        elif name == "style":
            self._style(element)
        elif name == "table":
            self._depth -= 1
            if self._depth == 0:
                self._end()
                element.clear()
        elif self._depth == 1 and name == "table-column":
            self._columns(element)
        elif self._depth == 1 and name == "table-row":
            self._rows(element)
            element.clear()

    def _begin(self, name: str, hidden: bool) -> None:
        self._name, self._hidden = name, hidden
        self._cells: list[CellFact] = []
        self._merged: list[Rectangle] = []
        self._hidden_rows: set[int] = set()
        self._hidden_columns: list[tuple[int, int]] = []
        self._row = self._column = 0

    def _end(self) -> None:
        self.sheets.append(
            SheetFacts(
                name=self._name,
                hidden=self._hidden,
                cells=tuple(self._cells),
                merged=tuple(self._merged),
                hidden_rows=frozenset(self._hidden_rows),
                hidden_columns=tuple(self._hidden_columns),
            )
        )

    def _style(self, element: Element) -> None:
        name = _get(element, "name") or ""
        for part in element:
            if local_name(part) == "table-properties" and _get(part, "display") == "false":
                self._hidden_sheets.add(name)
            elif local_name(part) == "text-properties" and _get(part, "font-weight") == "bold":
                self._bold.add(name)

    def _columns(self, element: Element) -> None:
        count = _count(element, "number-columns-repeated")
        if _get(element, "visibility") in HIDING:
            self._hidden_columns.append((self._column, self._column + count - 1))
        self._column += count

    def _rows(self, element: Element) -> None:
        count = _count(element, "number-rows-repeated")
        filled = list(self._filled(element))
        if filled:
            for row in range(self._row, self._row + count):
                if _get(element, "visibility") in HIDING:
                    self._hidden_rows.add(row)
                self._cells.extend(fact._replace(row=row) for fact in filled)
                self._check(row, filled[-1].column)
        self._row += count

    def _filled(self, element: Element) -> Iterator[CellFact]:
        column = 0
        for cell in element:
            name = local_name(cell)
            if name not in {"table-cell", "covered-table-cell"}:
                continue
            count = _count(cell, "number-columns-repeated")
            across, down = _count(cell, "number-columns-spanned"), _count(cell, "number-rows-spanned")
            if across > 1 or down > 1:
                self._merged.append(Rectangle(self._row, column, self._row + down - 1, column + across - 1))
            found = _read(cell)
            if found is not None:
                self._check(self._row, column + count - 1)
                style = self._index(CellStyle(format=found.code, bold=_get(cell, "style-name") in self._bold))
                for place in range(column, column + count):
                    yield CellFact(self._row, place, found.kind, found.value, style)
            column += count

    def _index(self, style: CellStyle) -> int:
        return self.styles.setdefault(style, len(self.styles))

    def _check(self, row: int, column: int) -> None:
        if row >= MAX_ROWS or column >= MAX_COLUMNS:
            raise Quarantine(Reason.SPARSE_EXTENT, f"{self._name}: a cell at row {row + 1}, column {column + 1}")
        if len(self._cells) > self._limit:
            raise Quarantine(Reason.TOO_MANY_CELLS, f"more than {self._limit:,} cells")


def _read(cell: Element) -> _Read | None:
    """None for a cell that shows nothing."""
    text = "\n".join(_paragraphs(cell))
    kind = _get(cell, "value-type")
    formula = _get(cell, "formula")
    if _is_error(cell, text, formula):
        return _Read("error", text.strip() or "#ERROR")
    if kind == "time":
        return _Read("date", _get(cell, "time-value") or text)
    if kind in {"float", "percentage", "currency"}:
        return _number(cell, kind, text)
    if kind == "boolean":
        return _Read("boolean", _get(cell, "boolean-value") == "true")
    if kind == "date":
        return _Read("date", (_get(cell, "date-value") or text).removesuffix("T00:00:00"))
    shown = text if text.strip() else _get(cell, "string-value") or ""
    if shown.strip():
        return _Read("text", shown)
    return _Read("formula", None) if formula and kind is None else None


def _is_error(cell: Element, text: str, formula: str | None) -> bool:
    says = any(key.endswith("}value-type") and value == "error" for key, value in cell.attrib.items())
    return says or (formula is not None and _ERROR.fullmatch(text.strip()) is not None)


def _number(cell: Element, kind: str, text: str) -> _Read | None:
    raw = _get(cell, "value")
    if raw is None:
        return _Read("text", text) if text.strip() else None
    value = float(raw)
    whole = value.is_integer() and abs(value) < 1 << 53
    return _Read("number", int(value) if whole else value, _code(kind, text, _get(cell, "currency")))


def _code(kind: str, text: str, currency: str | None) -> str | None:
    """A number format that prints what the file shows; the text is the only place where it is written out."""
    figure = _FIGURE.fullmatch(text.strip())
    if figure is None:
        return "0%" if kind == "percentage" else None
    whole, _, decimals = (
        figure["whole"].rstrip().rpartition(".") if "." in figure["whole"] else (figure["whole"], "", "")
    )
    grouped = any(mark in whole for mark in ",' \u00a0\u202f")
    code = ("#,##0" if grouped else "0") + ("." + "0" * len(decimals) if decimals else "")
    if kind == "percentage":
        return code + "%"
    if kind == "currency":
        sign = _SIGN.search(text)
        return f"[${sign[0] if sign else currency or ''}]{code}"
    return code if grouped or decimals else None


def _paragraphs(cell: Element) -> Iterator[str]:
    """The texts a person sees in the cell; remarks pinned to it are not among them."""
    for part in cell:
        if local_name(part) == "p":
            yield "".join(_runs(part))


def _runs(element: Element) -> Iterator[str]:
    yield element.text or ""
    for part in element:
        name = local_name(part)
        if name == "s":
            yield " " * _count(part, "c")
        elif name in {"tab", "line-break"}:
            yield "\n" if name == "line-break" else "\t"
        elif name not in {"annotation", "ruby-text"}:
            yield from _runs(part)
        yield part.tail or ""


def _get(element: Element, name: str) -> str | None:
    """By its local name, calcext's doubles left out."""
    for key, value in element.attrib.items():
        space, _, local = key.rpartition("}")
        if local == name and not space.endswith("calcext:1.0"):
            return value
    return None


def _count(element: Element, name: str) -> int:
    value = _get(element, name)
    return max(int(value), 1) if value and value.isdigit() else 1
