"""Warehouses built from grids drawn as text, through the same understanding as everything else, or from made tables."""

from collections.abc import Sequence
from pathlib import Path

from rag_assets.lookup.tools import Toolbox, open_toolbox
from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse
from rag_assets.model.document import Block, BlockId, BlockKind, Document, GridId, Source
from rag_assets.model.statement import Statement
from rag_assets.model.table import Column, ColumnType, Normalized, Row, RowKind, Table, TableCell, TableId, Value
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules
from tests.tables.drawn_grid import grid


def loaded(source: str, *lines: str) -> LoadedDocument:
    drawn = grid(*lines)
    block = Block(id=BlockId("b1"), kind=BlockKind.GRID, grid=drawn.id)
    document = Document(
        source=Source(uri=source, media_type="text/csv", sha256="x"),
        blocks=(block,),
        grids=(drawn,),
        cells_in=len(drawn.cells),
    )
    collection = source.split("/")[0]
    return LoadedDocument(source, "x", collection, normalize_document(document, Rules()), "2026-11-30T00:00:00+00:00")


def toolbox(folder: Path, *documents: LoadedDocument) -> Toolbox:
    path = folder / "tables.duckdb"
    build_warehouse(path, documents)
    return open_toolbox([("prices", path)])


def column(index: int, heading: str, kind: ColumnType = ColumnType.TEXT, unit: str | None = None) -> Column:
    return Column(index=index, path=(heading,) if heading else (), type=kind, unit=unit)


def cell(index: int, text: str, value: Value = None, unit: str | None = None, scale: int = 1) -> TableCell:
    """A cell without a page; `-` stands for nil."""
    return TableCell(index, text, value, unit, scale, text == "-", "")


def row(line: int, *cells: TableCell, kind: RowKind = RowKind.DATA) -> Row:
    """Value cells on one line of the sheet `S`, each in the column that its index says."""
    placed = tuple(c._replace(address=f"S!{chr(ord('A') + c.column)}{line}") for c in cells)
    return Row(path=(), kind=kind, cells=placed)


def table(columns: Sequence[Column], *rows: Row, name: str = "lookup_made") -> Table:
    return Table(
        id=TableId("table-1"),
        grid=GridId("table-1"),
        ordinal=0,
        columns=tuple(columns),
        rows=rows,
        lookup=True,
        name=name,
        full_name=f"{name}_abc123",
    )


def holding(source: str, *tables: Table, statements: tuple[Statement, ...] = ()) -> LoadedDocument:
    normalized = Normalized(tables=tables, statements=statements)
    return LoadedDocument(source, "x", source.split("/")[0], normalized, "2026-11-30T00:00:00+00:00")
