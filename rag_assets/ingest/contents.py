"""What lies in a segment, decoded when it is asked for.

Holds: documents, normalized documents and chunks of a segment or of a stage's view, all or some by source.
Add here: another way to read what a stage wrote.
Never here: writing it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from rag_assets.ingest.codec import decode_chunks, decode_document, decode_normalized
from rag_assets.ingest.order import CHUNKS, NORMALIZED, PARSED, ROWS_FILE
from rag_assets.ingest.rows import DocumentRow, read_payloads, read_rows
from rag_assets.model.chunk import Chunk
from rag_assets.model.document import Document
from rag_assets.model.table import Normalized


class Files(Protocol):
    """A segment, or a draft of one."""

    @property
    def stage(self) -> str: ...

    def path(self, name: str) -> Path: ...


class DocumentOf(NamedTuple):
    source: str
    document: Document


class NormalizedOf(NamedTuple):
    source: str
    normalized: Normalized


class ChunksOf(NamedTuple):
    source: str
    chunks: tuple[Chunk, ...]


def rows(segment: Files) -> tuple[DocumentRow, ...]:
    """Every document with its outcome; nothing is decoded."""
    return read_rows(segment.path(ROWS_FILE[segment.stage]))


def documents(segment: Files, sources: Iterable[str] | None = None) -> Iterator[DocumentOf]:
    """Of a parsed_blocks segment."""
    for payload in read_payloads(segment.path(ROWS_FILE[PARSED]), sources):
        yield DocumentOf(payload.source, decode_document(payload.content))


def normalized(segment: Files, sources: Iterable[str] | None = None) -> Iterator[NormalizedOf]:
    """Of a normalized_tables segment."""
    for payload in read_payloads(segment.path(ROWS_FILE[NORMALIZED]), sources):
        yield NormalizedOf(payload.source, decode_normalized(payload.content))


def chunks_by_source(segment: Files, sources: Iterable[str] | None = None) -> Iterator[ChunksOf]:
    """Of a chunks segment."""
    for payload in read_payloads(segment.path(ROWS_FILE[CHUNKS]), sources):
        yield ChunksOf(payload.source, decode_chunks(payload.content))


def chunks(segment: Files, sources: Iterable[str] | None = None) -> Iterator[Chunk]:
    for _, found in chunks_by_source(segment, sources):
        yield from found
