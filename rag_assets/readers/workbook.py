"""A workbook becomes one grid a sheet: cells with what they show and what they store, hidden parts marked.

Holds: `read_workbook`: container checks, the format's own pass, calamine's values, one grid for each sheet.
Add here: what joins the passes.
Never here: headers, regions, types (tables/), one format's parts (workbook_*.py).
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import Quarantine
from rag_assets.model.document import Block, BlockId, BlockKind, Document, Grid, GridCell, GridId, Reason, Source
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workbook_archive import Archive
from rag_assets.readers.workbook_cells import CellContent, cell_content, fact_of
from rag_assets.readers.workbook_facts import CellFact, CellStyle, SheetFacts, WorkbookFacts
from rag_assets.readers.workbook_values import NO_VALUES, SheetValues, Values
from rag_assets.readers.workbook_xls import read_xls_facts
from rag_assets.readers.workbook_xlsb import read_xlsb_facts
from rag_assets.readers.workbook_xlsx import read_xlsx_facts
from rag_assets.tables.ranges import Rectangle, cell_name, quoted_sheet

READER_VERSION = "1"

ZIP_HEAD = b"PK\x03\x04"
SPARSE_AREA = 17_000_000  # a whole xls sheet is 16.8 million
SPARSE_SHARE = 1 / 200
PLAIN = CellStyle()
NO_STYLE = 1 << 30


class _SheetGrid(NamedTuple):
    grid: Grid
    cells_in: int
    characters_in: int


def read_workbook(path: Path, source: Source, limits: ReadLimits) -> Document:
    """Blocks: the name of each visible sheet with cells, then its grid. Raises Quarantine."""
    with path.open("rb") as file:
        zipped = file.read(4) == ZIP_HEAD
    found = _archive_facts(path, limits) if zipped else _Found(read_xls_facts(path.read_bytes()), False)
    if found.facts is not None:
        for sheet in found.facts.sheets:
            _check_extent(sheet, limits)
    if found.facts is not None and found.knows_texts:
        return _with_texts(path, source, found.facts)
    with Values(path) as values:
        return _document(source, _facts_of_values(values, found.facts, limits), None)


class _Found(NamedTuple):
    """What a format's own pass reports. `knows_texts`: it knows which text cells show anything."""

    facts: WorkbookFacts | None
    knows_texts: bool


def _archive_facts(path: Path, limits: ReadLimits) -> _Found:
    with Archive(path, limits) as archive:
        kind = archive.kind()
        archive.refuse_doctype()
        if kind == "xlsx":
            return _Found(read_xlsx_facts(archive, limits), True)
        return _Found(read_xlsb_facts(archive) if kind == "xlsb" else None, False)


def _with_texts(path: Path, source: Source, facts: WorkbookFacts) -> Document:
    if not any(_has_texts(sheet) for sheet in facts.sheets):
        return _document(source, facts, None)
    with Values(path) as values:
        return _document(source, facts, values)


def _facts_of_values(values: Values, known: WorkbookFacts | None, limits: ReadLimits) -> WorkbookFacts:
    """Cells as calamine has them, each with what the format's own pass knows; errors only that pass has."""
    by_name = {sheet.name: sheet for sheet in known.sheets} if known else {}
    sheets = []
    left = limits.cells
    for name, hidden in values.sheets:
        own = by_name.get(name)
        cells = _merged_cells(values.sheet(name), own.cells if own else ())
        left -= len(cells)
        if left < 0:
            raise Quarantine(Reason.TOO_MANY_CELLS, f"more than {limits.cells:,} cells")
        plain = SheetFacts(name=name, merged=values.merged(name))
        sheets.append(replace(own or plain, cells=cells, hidden=hidden or (own is not None and own.hidden)))
    if known is None:
        return WorkbookFacts(sheets=tuple(sheets))
    return replace(known, sheets=tuple(sheets))


def _merged_cells(found: SheetValues, known: tuple[CellFact, ...]) -> tuple[CellFact, ...]:
    own = {(fact.row, fact.column): fact for fact in known}
    cells = {place: fact for place, fact in own.items() if fact.kind != "text"}
    for r, row in enumerate(found.rows, found.top):
        for c, value in enumerate(row, found.left):
            fact = fact_of(r, c, value) if (r, c) not in cells else None
            if fact is not None:
                cells[r, c] = fact._replace(style=own[r, c].style) if (r, c) in own else fact._replace(style=NO_STYLE)
    return tuple(cells.values())


def _check_extent(sheet: SheetFacts, limits: ReadLimits) -> None:
    """calamine lays a sheet out as a full rectangle; two far corners alone would take the process down."""
    if not sheet.cells:
        return
    area = _bounds(sheet.cells)
    size = (area.bottom - area.top + 1) * (area.right - area.left + 1)
    if size > SPARSE_AREA and len(sheet.cells) < size * SPARSE_SHARE:
        raise Quarantine(Reason.SPARSE_EXTENT, f"{sheet.name}: {len(sheet.cells):,} cells spread over {area.a1}")
    if size > limits.cells:
        raise Quarantine(Reason.TOO_MANY_CELLS, f"{sheet.name}: {area.a1} is {size:,} cells, at most {limits.cells:,}")


def _document(source: Source, facts: WorkbookFacts, values: Values | None) -> Document:
    blocks: list[Block] = []
    grids: list[Grid] = []
    cells_in = characters_in = 0
    for ordinal, sheet in enumerate(facts.sheets):
        if not sheet.cells:
            continue
        found = values.sheet(sheet.name) if values is not None and _has_texts(sheet) else NO_VALUES
        made = _sheet_grid(ordinal, sheet, facts, found)
        cells_in += made.cells_in
        characters_in += made.characters_in
        grids.append(made.grid)
        if not sheet.hidden:
            characters_in += visible_characters(sheet.name)
            blocks.append(Block(id=BlockId(f"b{len(blocks) + 1}"), kind=BlockKind.HEADING, text=sheet.name, level=1))
        path = () if sheet.hidden else (sheet.name,)
        block = Block(id=BlockId(f"b{len(blocks) + 1}"), kind=BlockKind.GRID, heading_path=path, grid=made.grid.id)
        blocks.append(block)
    return Document(
        source=source,
        blocks=tuple(blocks),
        grids=tuple(grids),
        cells_in=cells_in,
        characters_in=characters_in,
    )


def visible_characters(text: str) -> int:
    return len("".join(text.split()))


def _has_texts(sheet: SheetFacts) -> bool:
    return any(fact.kind == "text" and fact.value is None for fact in sheet.cells)


def _sheet_grid(ordinal: int, sheet: SheetFacts, facts: WorkbookFacts, values: SheetValues) -> _SheetGrid:
    area = _bounds(sheet.cells)
    merges = _Merges(sheet.merged, area)
    prefix = f"{quoted_sheet(sheet.name)}!"
    cells = []
    characters = 0
    for fact in sorted(sheet.cells):
        if fact.kind == "text" and fact.value is None:
            fact = fact._replace(value=_text(values, fact))
        style = facts.styles[fact.style] if fact.style < len(facts.styles) else PLAIN
        content = cell_content(fact, style, facts.epoch_1904)
        if not content.text:
            continue
        hidden = sheet.hidden or _is_hidden(sheet, fact) or merges.covers(fact.row, fact.column)
        characters += visible_characters(content.text)
        cells.append(_cell(fact, content, style, prefix, area, merges, hidden))
    grid = Grid(
        id=GridId(f"sheet-{ordinal + 1}"),
        ordinal=ordinal,
        n_rows=area.bottom - area.top + 1,
        n_columns=area.right - area.left + 1,
        cells=tuple(cells),
        sheet=sheet.name,
        range=area.a1,
        hidden=sheet.hidden,
        hints=sheet.hints,
    )
    return _SheetGrid(grid, len(sheet.cells), characters)


def _text(values: SheetValues, fact: CellFact) -> str:
    value = values.at(fact.row, fact.column)
    return "" if value is None else str(value)


def _is_hidden(sheet: SheetFacts, fact: CellFact) -> bool:
    return fact.row in sheet.hidden_rows or any(first <= fact.column <= last for first, last in sheet.hidden_columns)


def _cell(
    fact: CellFact,
    content: CellContent,
    style: CellStyle,
    prefix: str,
    area: Rectangle,
    merges: "_Merges",
    hidden: bool,
) -> GridCell:
    rows, columns = merges.spans(fact.row, fact.column)
    return GridCell(
        row=fact.row - area.top,
        column=fact.column - area.left,
        text=content.text,
        address=prefix + cell_name(fact.row, fact.column),
        row_span=rows,
        column_span=columns,
        hidden=hidden,
        bold=style.bold,
        indent=style.indent,
        stored=content.stored,
    )


def _bounds(cells: Iterable[CellFact]) -> Rectangle:
    rows = [fact.row for fact in cells]
    columns = [fact.column for fact in cells]
    return Rectangle(min(rows), min(columns), max(rows), max(columns))


class _Merges:
    """Merged areas, cut to the used rectangle. What stands in one but not in its first cell is not seen."""

    def __init__(self, merged: tuple[Rectangle, ...], area: Rectangle) -> None:
        self._by_anchor: dict[tuple[int, int], Rectangle] = {}
        self._rows: dict[int, list[Rectangle]] = {}
        for merge in merged:
            if not merge.overlaps(area):
                continue
            cut = Rectangle(merge.top, merge.left, min(merge.bottom, area.bottom), min(merge.right, area.right))
            self._by_anchor.setdefault((cut.top, cut.left), cut)
            for row in range(cut.top, cut.bottom + 1):
                self._rows.setdefault(row, []).append(cut)

    def spans(self, row: int, column: int) -> tuple[int, int]:
        cut = self._by_anchor.get((row, column))
        return (1, 1) if cut is None else (cut.bottom - cut.top + 1, cut.right - cut.left + 1)

    def covers(self, row: int, column: int) -> bool:
        return (row, column) not in self._by_anchor and any(
            cut.left <= column <= cut.right for cut in self._rows.get(row, ())
        )
