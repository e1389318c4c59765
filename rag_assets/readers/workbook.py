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
from rag_assets.model.document import (
    Block,
    BlockId,
    BlockKind,
    Document,
    Grid,
    GridCell,
    GridId,
    Reason,
    Source,
    StoredValue,
)
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workbook_archive import Archive
from rag_assets.readers.workbook_cells import cell_content, fact_of
from rag_assets.readers.workbook_facts import CellFact, CellStyle, SheetFacts, WorkbookFacts
from rag_assets.readers.workbook_ods import read_ods_facts
from rag_assets.readers.workbook_values import NO_VALUES, SheetValues, Values
from rag_assets.readers.workbook_xls import read_xls_facts
from rag_assets.readers.workbook_xlsb import read_xlsb_facts
from rag_assets.readers.workbook_xlsx import read_xlsx_facts
from rag_assets.tables.ranges import Rectangle, column_letters, quoted_sheet

READER_VERSION = "2"

ZIP_HEAD = b"PK\x03\x04"
SPARSE_AREA = 17_000_000  # a whole xls sheet is 16.8 million
SPARSE_SHARE = 1 / 200
PLAIN = CellStyle()
NO_STYLE = 1 << 30
MAX_KNOWN = 100_000


class _SheetGrid(NamedTuple):
    grid: Grid
    cells_in: int
    characters_in: int


def read_workbook(path: Path, source: Source, limits: ReadLimits, columns_to: Path | None = None) -> Document:
    """Blocks: the name of each visible sheet with cells, then its grid. Raises Quarantine.

    The columns file of its long sheets, if it has any, is written to `columns_to`.
    """
    with path.open("rb") as file:
        zipped = file.read(4) == ZIP_HEAD
    found = _archive_facts(path, limits) if zipped else _Found(read_xls_facts(path.read_bytes()), False)
    if found.facts is not None:
        for sheet in found.facts.sheets:
            _check_extent(sheet, limits)
    if found.facts is not None and found.knows_texts:
        if columns_to is not None and any(sheet.long is not None for sheet in found.facts.sheets):
            _write_columns(columns_to, found.facts)
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
        if kind == "ods":
            return _Found(read_ods_facts(archive, limits), True)
        return _Found(read_xlsb_facts(archive), False)


def _write_columns(path: Path, facts: WorkbookFacts) -> None:
    from rag_assets.columnar.raw import write_columns  # polars: 0.2 s that short workbooks need not pay

    sheets = enumerate(facts.sheets)
    write_columns(path, {grid_id(n): sheet.long.body for n, sheet in sheets if sheet.long is not None})


def grid_id(ordinal: int) -> GridId:
    return GridId(f"sheet-{ordinal + 1}")


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
    if not sheet.cells or sheet.long is not None:
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
    long = sheet.long
    area = _bounds(sheet.cells) if long is None else long.area
    layout = _Layout(sheet, area)
    content_of = _Contents(facts)
    cells = []
    characters = 0
    for fact in sorted(sheet.cells):
        if fact.kind == "text" and fact.value is None:
            fact = fact._replace(value=_text(values, fact))
        content = content_of(fact)
        if content.text:
            characters += content.characters
            cells.append(layout.cell(fact, content))
    grid = Grid(
        id=grid_id(ordinal),
        ordinal=ordinal,
        n_rows=area.bottom - area.top + 1,
        n_columns=area.right - area.left + 1,
        cells=tuple(cells),
        sheet=sheet.name,
        range=area.a1,
        hidden=sheet.hidden,
        hints=sheet.hints,
        long=long.rows if long is not None else None,
    )
    if long is not None:
        return _SheetGrid(grid, long.cells_in, characters + long.characters_in)
    return _SheetGrid(grid, len(sheet.cells), characters)


def _text(values: SheetValues, fact: CellFact) -> str:
    value = values.at(fact.row, fact.column)
    return "" if value is None else str(value)


class _Shown(NamedTuple):
    text: str
    stored: StoredValue
    style: CellStyle
    characters: int


class _Contents:
    """What cells show. Sheets repeat themselves: equal values of one style are worked out once."""

    def __init__(self, facts: WorkbookFacts) -> None:
        self._styles, self._epoch_1904 = facts.styles, facts.epoch_1904
        self._known: dict[tuple[object, ...], _Shown] = {}

    def __call__(self, fact: CellFact) -> _Shown:
        key = fact[2:]
        shown = self._known.get(key)
        if shown is None:
            style = self._styles[fact.style] if fact.style < len(self._styles) else PLAIN
            text, stored = cell_content(fact, style, self._epoch_1904)
            shown = _Shown(text, stored, style, visible_characters(text))
            if len(self._known) < MAX_KNOWN:
                self._known[key] = shown
        return shown


class _Layout:
    """Where the cells of a sheet stand, which are hidden, how far they reach."""

    def __init__(self, sheet: SheetFacts, area: Rectangle) -> None:
        self._sheet, self._area = sheet, area
        self._merges = _Merges(sheet.merged, area)
        self._prefix = f"{quoted_sheet(sheet.name)}!"
        columns = range(area.left, area.right + 1)
        self._letters = {column: column_letters(column) for column in columns}
        self._hidden_columns = {c for c in columns if any(a <= c <= b for a, b in sheet.hidden_columns)}

    def cell(self, fact: CellFact, shown: _Shown) -> GridCell:
        row, column = fact.row, fact.column
        spans, covered = self._merges.at(row, column) if self._merges.any else ((1, 1), False)
        return GridCell(
            row - self._area.top,
            column - self._area.left,
            shown.text,
            f"{self._prefix}{self._letters[column]}{row + 1}",
            *spans,
            False,
            covered or self._sheet.hidden or row in self._sheet.hidden_rows or column in self._hidden_columns,
            shown.style.bold,
            shown.style.indent,
            (),
            shown.stored,
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

    @property
    def any(self) -> bool:
        return bool(self._by_anchor)

    def at(self, row: int, column: int) -> tuple[tuple[int, int], bool]:
        """Row and column span, and whether the cell is covered by another one's."""
        cut = self._by_anchor.get((row, column))
        if cut is not None:
            return (cut.bottom - cut.top + 1, cut.right - cut.left + 1), False
        return (1, 1), any(cut.left <= column <= cut.right for cut in self._rows.get(row, ()))
