"""Warehouses built from grids drawn as text, through the same understanding as everything else."""

from pathlib import Path

from rag_assets.lookup.tools import Toolbox, open_toolbox
from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse
from rag_assets.model.document import Block, BlockId, BlockKind, Document, Source
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
