"""lookup_tables and bm25_index: one file set of all documents of a partition.

Holds: feeding normalized documents to the warehouse and chunks to the index.
Add here: another stage over a whole partition.
Never here: how a warehouse or an index is built (lookup/, retrieval/).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rag_assets.ingest.codec import decode_normalized, many_values
from rag_assets.ingest.contents import Files, chunks, rows
from rag_assets.ingest.order import INDEX_FOLDER, NORMALIZED, ROWS_FILE, WAREHOUSE_FILE
from rag_assets.ingest.rows import DocumentRow, logical_hash, read_payloads
from rag_assets.lookup.update import update_warehouse
from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse
from rag_assets.model.document import Counts
from rag_assets.retrieval.index import build_index
from rag_assets.settings import RetrievalSettings
from rag_assets.store import Segment

UPDATED_SHARE = 0.3
LOADED_COUNTS = ("documents", "rows", "columns_typed", "columns_text", "odd_cells", "totals", "statements")


ColumnsOf = Callable[[str], Path]


class Built(NamedTuple):
    """`logical`: file name → logical hash where bytes differ between equal builds."""

    counts: Counts
    logical: dict[str, str]
    warnings: tuple[str, ...] = ()


class Before(NamedTuple):
    """The warehouse segment to start from, and the normalized segment it was made of."""

    warehouse: Segment
    normalized: Segment


def build_lookup_tables(
    folder: Path, normalized: Files, collection: str, columns_of: ColumnsOf, before: Before | None = None
) -> Built:
    """Where few documents differ from `before`, its file is copied and only those are loaded again.

    `columns_of` finds columns files by their hash.

    Two files of the same tables differ in bytes, so their equality is judged by what they were made of.
    """
    target = folder / WAREHOUSE_FILE
    served = {row.source: row for row in rows(normalized) if row.payload_hash is not None}
    changed = _changed(served, before)
    long_tables = any(row.columns for row in served.values())
    with many_values():
        if before is None or len(changed) > UPDATED_SHARE * len(served):
            documents = loaded_documents(normalized, served.values(), collection, columns_of)
            report = build_warehouse(target, documents, long_tables=long_tables)
        else:
            due = [served[source] for source in changed if source in served]
            documents = loaded_documents(normalized, due, collection, columns_of)
            report = update_warehouse(
                target, warehouse_file(before.warehouse), changed, documents, len(served), long_tables=long_tables
            )
    counts = {"tables": len(report.tables), **{name: getattr(report, name) for name in LOADED_COUNTS}}
    return Built(counts, {WAREHOUSE_FILE: logical_hash(served.values())}, report.warnings)


def _changed(served: Mapping[str, DocumentRow], before: Before | None) -> set[str]:
    """Sources that came, went, or were loaded from something else."""
    old = {row.source: row for row in rows(before.normalized) if row.payload_hash} if before else {}
    return {s for s in served.keys() | old.keys() if _loaded_as(served.get(s)) != _loaded_as(old.get(s))}


def _loaded_as(row: DocumentRow | None) -> tuple[str | None, ...] | None:
    return None if row is None else (row.payload_hash, row.served_sha256, row.columns)


def build_bm25_index(
    folder: Path,
    chunked: Files,
    settings: RetrievalSettings,
    previous: Segment | None,
    *,
    as_previous: bool = False,
) -> Built:
    target = folder / INDEX_FOLDER
    target.mkdir()
    with many_values():
        before = index_folder(previous) if previous else None
        counts = build_index(target, list(chunks(chunked)), settings, before, as_previous=as_previous)
    return Built({name: getattr(counts, name) for name in counts._fields}, {})


def index_folder(segment: Segment) -> Path:
    """The folder of an index segment, each of its files checked."""
    for name in segment.files:
        segment.path(name)
    return Path(segment.folder) / INDEX_FOLDER


def warehouse_file(segment: Segment) -> Path:
    return segment.path(WAREHOUSE_FILE)


def loaded_documents(
    normalized: Files, served: Iterable[DocumentRow], collection: str, columns_of: ColumnsOf
) -> Iterator[LoadedDocument]:
    known = {row.source: row for row in served}
    for source, content in read_payloads(normalized.path(ROWS_FILE[NORMALIZED]), known):
        row = known[source]
        yield LoadedDocument(
            source=source,
            sha256=row.served_sha256 or row.sha256,
            collection=collection,
            normalized=decode_normalized(content),
            loaded_at=row.made,
            columns=columns_of(row.columns) if row.columns else None,
        )
