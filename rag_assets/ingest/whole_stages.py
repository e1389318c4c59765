"""lookup_tables and bm25_index: one file set of all documents of a partition.

Holds: feeding normalized documents to the warehouse and chunks to the index.
Add here: another stage over a whole partition.
Never here: how a warehouse or an index is built (lookup/, retrieval/).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rag_assets.ingest.codec import decode_normalized
from rag_assets.ingest.contents import Files, chunks, rows
from rag_assets.ingest.order import INDEX_FOLDER, NORMALIZED, ROWS_FILE, WAREHOUSE_FILE
from rag_assets.ingest.rows import read_payloads
from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse, logical_hash
from rag_assets.model.document import Counts
from rag_assets.retrieval.index import build_index
from rag_assets.settings import RetrievalSettings
from rag_assets.store import Segment

LOADED_COUNTS = ("documents", "rows", "columns_typed", "columns_text", "odd_cells", "totals", "statements")


class Built(NamedTuple):
    """`logical`: file name → logical hash where bytes differ between equal builds."""

    counts: Counts
    logical: dict[str, str]
    warnings: tuple[str, ...] = ()


def build_lookup_tables(folder: Path, normalized: Files, collection: str) -> Built:
    target = folder / WAREHOUSE_FILE
    report = build_warehouse(target, loaded_documents(normalized, collection))
    counts = {"tables": len(report.tables), **{name: getattr(report, name) for name in LOADED_COUNTS}}
    return Built(counts, {WAREHOUSE_FILE: logical_hash(target)}, report.warnings)


def build_bm25_index(folder: Path, chunked: Files, settings: RetrievalSettings, previous: Segment | None) -> Built:
    target = folder / INDEX_FOLDER
    target.mkdir()
    counts = build_index(target, list(chunks(chunked)), settings, index_folder(previous) if previous else None)
    return Built({name: getattr(counts, name) for name in counts._fields}, {})


def index_folder(segment: Segment) -> Path:
    """The folder of an index segment, each of its files checked."""
    for name in segment.files:
        segment.path(name)
    return Path(segment.folder) / INDEX_FOLDER


def warehouse_file(segment: Segment) -> Path:
    return segment.path(WAREHOUSE_FILE)


def loaded_documents(normalized: Files, collection: str) -> Iterator[LoadedDocument]:
    known = {row.source: row for row in rows(normalized)}
    for source, content in read_payloads(normalized.path(ROWS_FILE[NORMALIZED])):
        row = known[source]
        yield LoadedDocument(
            source=source,
            sha256=row.served_sha256 or row.sha256,
            collection=collection,
            normalized=decode_normalized(content),
            loaded_at=row.made,
        )
