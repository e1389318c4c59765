"""What worker processes do with one document: encoded payload in, encoded payload out.

Holds: normalizing and chunking of one document, with the counts each stage records.
Add here: another per-document step.
Never here: polars, pydantic, anything a worker should not import.
"""

from collections import Counter
from dataclasses import asdict
from typing import NamedTuple

from rag_assets.chunking.coverage import coverage
from rag_assets.chunking.document import ChunkSettings, chunk_document
from rag_assets.errors import Quarantine
from rag_assets.ingest.codec import decode_document, decode_normalized, encode_payload, hash_of, many_values
from rag_assets.model.chunk import Chunk
from rag_assets.model.document import Counts, Document, Reason
from rag_assets.model.table import Account, Normalized
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.overrides import Overrides
from rag_assets.tables.rules import Rules


class Work(NamedTuple):
    source: str
    sha256: str
    content: bytes
    overrides: Overrides | None = None


class Made(NamedTuple):
    """`content` None: the document is quarantined for `reason`. `columns`: of its columns file, from parsing."""

    source: str
    content: bytes | None
    payload_hash: str | None
    counts: Counts
    reason: str | None = None
    detail: str | None = None
    columns: str | None = None

    @classmethod
    def of(cls, source: str, content: bytes, counts: Counts) -> "Made":
        return cls(source, content, hash_of(content), counts)


def normalize_one(work: Work, rules: Rules) -> Made:
    with many_values():
        return _normalized(work, rules)


def chunk_one(work: Work, settings: ChunkSettings) -> Made:
    with many_values():
        normalized = decode_normalized(work.content)
        chunks = chunk_document(work.source, work.sha256, normalized, settings)
        return Made.of(work.source, encode_payload(chunks), chunk_counts(normalized, chunks))


def _normalized(work: Work, rules: Rules) -> Made:
    document = decode_document(work.content)
    try:
        result = normalize_document(document, rules, work.overrides)
    except Quarantine as fault:
        return Made(work.source, None, None, {}, fault.reason.value, fault.detail)
    if not result.account.balanced:
        return Made(work.source, None, None, {}, Reason.UNBALANCED_ACCOUNT.value, imbalance(result.account))
    return Made.of(work.source, encode_payload(result), normalized_counts(result))


def document_counts(document: Document) -> Counts:
    return {
        "blocks": len(document.blocks),
        "grids": len(document.grids),
        "cells_in": document.cells_in,
        "characters_in": document.characters_in,
    }


def normalized_counts(result: Normalized) -> Counts:
    account = result.account
    cells = [cell for table in result.tables for row in table.rows for cell in row.cells]
    return {
        "tables": len(result.tables),
        "lookup_tables": sum(table.lookup for table in result.tables),
        "body_cells": len(cells) + sum(table.body.cells for table in result.tables if table.body is not None),
        "columns": sum(len(table.columns) for table in result.tables),
        "columns_with_heading": sum(bool(c.path) for table in result.tables for c in table.columns),
        "statements": len(result.statements),
        "cells_in": account.cells_in,
        "cells_out": account.cells_out,
        "characters_in": account.characters_in,
        "characters_out": account.characters_out,
        **{f"placed.{name}": n for name, n in account.placed.items()},
        **{f"dropped.{name}": n for name, n in account.dropped.items()},
        **{f"rule.{name}": n for name, n in result.firings.items()},
    }


def chunk_counts(normalized: Normalized, chunks: tuple[Chunk, ...]) -> Counts:
    kinds = Counter(chunk.kind.value for chunk in chunks)
    tokens: Counter[str] = Counter()
    for chunk in chunks:
        tokens[chunk.kind.value] += chunk.tokens
    found = coverage(normalized, chunks)
    covered = {name: value for name, value in asdict(found).items() if isinstance(value, int)}
    return {
        "chunks": len(chunks),
        "oversize": sum(chunk.oversize for chunk in chunks),
        **{f"chunks.{kind}": n for kind, n in kinds.items()},
        **{f"tokens.{kind}": n for kind, n in tokens.items()},
        **{f"coverage.{name}": n for name, n in covered.items()},
    }


def imbalance(account: Account) -> str:
    dropped = sum(account.characters_dropped.values())
    return (
        f"{account.cells_in} cells were found and {account.cells_out} have a place; "
        f"{account.characters_in} characters were found, {account.characters_out} kept and {dropped} dropped by name"
    )
