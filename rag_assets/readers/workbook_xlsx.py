"""The parts of an xlsx or xlsm file around its cells: sheets, styles, shared strings, tables, defined names.

Holds: `read_xlsx_facts`.
Add here: another part that says something about cells.
Never here: the cells of a sheet (workbook_sheet.py), other formats.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple
from xml.etree.ElementTree import Element

from rag_assets.errors import Quarantine
from rag_assets.model.document import NameHint, Reason
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workbook_archive import Archive
from rag_assets.readers.workbook_facts import CellStyle, SheetFacts, WorkbookFacts
from rag_assets.readers.workbook_relations import (
    WORKSHEET,
    Relation,
    descendants,
    is_true,
    local_name,
    parse_part,
    relations_of,
)
from rag_assets.readers.workbook_sheet import read_sheet
from rag_assets.readers.workbook_strings import blank_strings
from rag_assets.tables.number_formats import BUILT_IN
from rag_assets.tables.ranges import parse_range, sheet_of

TABLE = "table"
LEAST_ROW_BYTES = 24  # `<row><c><v>1</v></c></row>`
BUILT_IN_NAMES = "_xlnm"
HIDDEN_STATES = frozenset({"hidden", "veryHidden"})


class _Sheet(NamedTuple):
    name: str
    part: str
    hidden: bool


def read_xlsx_facts(archive: Archive, limits: ReadLimits) -> WorkbookFacts:
    """All worksheets in workbook order; chart sheets have no cells and are left out. Raises Quarantine."""
    main = _main_part(archive)
    root = parse_part(archive, main)
    relations = relations_of(archive, main)
    sheets = tuple(_sheets(root, relations))
    names = tuple(_defined_names(root, sheets))
    strings_part = next((r.part for r in relations.values() if r.kind == "sharedStrings"), None)
    strings = blank_strings(archive, strings_part) if strings_part and strings_part in archive else ()
    styles_part = next((r.part for r in relations.values() if r.kind == "styles"), None)
    styles = _styles(parse_part(archive, styles_part)) if styles_part and styles_part in archive else (CellStyle(),)
    facts = []
    left = limits.cells
    look = _Look(styles, strings_part if strings else None, _is_1904(root))
    for sheet in sheets:
        if sheet.part not in archive:
            raise Quarantine(Reason.CORRUPT, f"sheet {sheet.name}: its part {sheet.part} is missing")
        read = _long_sheet(archive, sheet, look, limits)
        if read is None:
            found = read_sheet(archive, sheet.part, strings, left)
            left -= len(found.cells)
            read = SheetFacts(
                name=sheet.name,
                cells=found.cells,
                merged=found.merged,
                hidden_rows=found.hidden_rows,
                hidden_columns=found.hidden_columns,
            )
        hints = (*_list_objects(archive, sheet.part), *(hint for name, hint in names if name == sheet.name))
        facts.append(replace(read, hidden=sheet.hidden, hints=hints))
    return WorkbookFacts(sheets=tuple(facts), styles=styles, epoch_1904=look.epoch_1904)


class _Look(NamedTuple):
    """What all sheets share."""

    styles: tuple[CellStyle, ...]
    strings_part: str | None
    epoch_1904: bool


def _long_sheet(archive: Archive, sheet: _Sheet, look: _Look, limits: ReadLimits) -> SheetFacts | None:
    if archive.size(sheet.part) <= limits.long_rows * LEAST_ROW_BYTES:
        return None
    from rag_assets.readers.long_sheet import Workbook, read_long_sheet  # polars: 0.2 s that others need not pay

    workbook = Workbook(archive, look.styles, look.strings_part, look.epoch_1904)
    return read_long_sheet(workbook, sheet.part, sheet.name, limits)


def _main_part(archive: Archive) -> str:
    for relation in relations_of(archive, "").values():
        if relation.kind == "officeDocument" and relation.part in archive:
            return relation.part
    if "xl/workbook.xml" in archive:
        return "xl/workbook.xml"
    raise Quarantine(Reason.CORRUPT, "the workbook part is missing")


def _sheets(root: Element, relations: dict[str, Relation]) -> Iterator[_Sheet]:
    for element in descendants(root, "sheet"):
        relation = relations.get(_relation_id(element))
        if relation is not None and relation.kind == WORKSHEET:
            yield _Sheet(element.get("name") or "", relation.part, element.get("state") in HIDDEN_STATES)


def _relation_id(element: Element) -> str:
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


def _is_1904(root: Element) -> bool:
    return any(is_true(element.get("date1904")) for element in descendants(root, "workbookPr"))


def _defined_names(root: Element, sheets: tuple[_Sheet, ...]) -> Iterator[tuple[str, NameHint]]:
    known = {sheet.name for sheet in sheets}
    for element in descendants(root, "definedName"):
        name, target = element.get("name") or "", (element.text or "").strip()
        if name.startswith(BUILT_IN_NAMES) or is_true(element.get("hidden")):
            continue
        area, sheet = parse_range(target), sheet_of(target)
        if area is not None and sheet in known and area.bottom > area.top and area.right > area.left:
            yield sheet, NameHint(kind="defined_name", name=name, range=area.a1)


def _list_objects(archive: Archive, sheet_part: str) -> Iterator[NameHint]:
    for relation in relations_of(archive, sheet_part).values():
        if relation.kind != TABLE or relation.part not in archive:
            continue
        root = parse_part(archive, relation.part)
        area = parse_range(root.get("ref") or "")
        if area is not None:
            name = root.get("displayName") or root.get("name") or ""
            yield NameHint(kind="list_object", name=name, range=area.a1)


def _styles(root: Element) -> tuple[CellStyle, ...]:
    codes = dict(BUILT_IN)
    for element in descendants(root, "numFmt"):
        number = element.get("numFmtId") or ""
        if number.isdigit():
            codes[int(number)] = element.get("formatCode") or ""
    fonts = next(descendants(root, "fonts"), None)
    bold = [_is_bold(font) for font in fonts] if fonts is not None else []
    formats = next(descendants(root, "cellXfs"), None)
    if formats is None:
        return (CellStyle(),)
    return tuple(_style(element, codes, bold) for element in formats) or (CellStyle(),)


def _is_bold(font: Element) -> bool:
    return any(local_name(e) == "b" and (e.get("val") is None or is_true(e.get("val"))) for e in font)


def _style(element: Element, codes: dict[int, str], bold: list[bool]) -> CellStyle:
    number, font = _number(element.get("numFmtId")), _number(element.get("fontId"))
    indent = next((_number(e.get("indent")) for e in element if local_name(e) == "alignment"), 0)
    code = codes.get(number)
    return CellStyle(
        format=None if not code or code.lower() == "general" else code,
        bold=font < len(bold) and bold[font],
        indent=float(indent),
    )


def _number(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0
