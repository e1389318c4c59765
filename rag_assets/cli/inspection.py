"""What `inspect` says of one document: its blocks, grids, tables, statements, chunks and account.

Holds: understanding one document without any state, and its JSON, which is a contract.
Add here: a field of that JSON.
Never here: typer, rich: worker processes import this module.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import msgspec

from rag_assets.chunking.document import ChunkSettings, chunk_document
from rag_assets.errors import Quarantine
from rag_assets.model.chunk import Chunk
from rag_assets.model.document import Block, Document, Grid, Reason, Source
from rag_assets.model.statement import Statement
from rag_assets.model.table import Account, Column, Normalized, Row, Table
from rag_assets.tables.long import unseen_ranges
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.overrides import Overrides
from rag_assets.tables.rules import Rules

Fields = dict[str, object]


class Piece(NamedTuple):
    """A document as read, and what an override file beside it says."""

    document: Document
    overrides: Overrides | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    document: Document
    normalized: Normalized = field(default_factory=Normalized)
    chunks: tuple[Chunk, ...] = ()


def understand(piece: Piece, rules: Rules, settings: ChunkSettings) -> Inspected:
    """A quarantined document comes back with empty lists; so does one whose account does not balance."""
    document = piece.document
    source = document.source
    if source.status == "quarantined":
        return Inspected(document=Document(source=source))
    try:
        normalized = normalize_document(document, rules, piece.overrides)
        if not normalized.account.balanced:
            raise Quarantine(Reason.UNBALANCED_ACCOUNT, _imbalance(normalized.account))
    except Quarantine as fault:
        return Inspected(document=Document(source=_refused(source, fault)))
    chunks = chunk_document(source.uri, source.sha256, normalized, settings)
    return Inspected(document=document, normalized=normalized, chunks=chunks)


def inspect_line(piece: Piece, rules: Rules, settings: ChunkSettings, addresses: bool) -> bytes:
    """One compact JSON object."""
    return msgspec.json.encode(inspected_fields(understand(piece, rules, settings), addresses))


def inspected_fields(found: Inspected, addresses: bool = False) -> Fields:
    normalized = found.normalized
    fields: Fields = {
        "source": _source(found.document.source),
        "blocks": [_block(block) for block in normalized.blocks],
        "grids": [_grid(grid) for grid in found.document.grids],
        "tables": [_table(table) for table in normalized.tables],
        "statements": [_statement(statement) for statement in normalized.statements],
        "chunks": [_chunk(chunk) for chunk in found.chunks],
        "account": _account(normalized.account, whole=True),
    }
    if addresses:
        fields["addresses"] = [
            {"address": p.address, "place": p.place.value}
            for p in (*normalized.placements, *(p for table in normalized.tables for p in unseen_ranges(table)))
        ]
    return fields


def _refused(source: Source, fault: Quarantine) -> Source:
    return replace(source, status="quarantined", reason=fault.reason, detail=fault.detail)


def _imbalance(account: Account) -> str:
    kept = account.characters_out + sum(account.characters_dropped.values())
    return f"cells {account.cells_in} in, {account.cells_out} out; characters {account.characters_in} in, {kept} out"


def _source(source: Source) -> Fields:
    fields: Fields = {
        "uri": source.uri,
        "media_type": source.media_type,
        "sha256": source.sha256,
        "status": source.status,
        "reason": source.reason,
    }
    if source.detail:
        fields["detail"] = source.detail
    return fields


def _block(block: Block) -> Fields:
    fields: Fields = {
        "id": block.id,
        "kind": block.kind.value,
        "level": block.level,
        "text": block.text,
        "heading_path": block.heading_path,
        "page": block.page,
    }
    if block.grid:
        fields["grid"] = block.grid
    return fields


def _grid(grid: Grid) -> Fields:
    return {
        "id": grid.id,
        "page": grid.page,
        "sheet": grid.sheet,
        "range": grid.range,
        "hidden": grid.hidden,
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "row_span": cell.row_span,
                "column_span": cell.column_span,
                "text": cell.text,
                "address": cell.address,
                "hidden": cell.hidden,
            }
            for cell in grid.cells
        ],
    }


def _table(table: Table) -> Fields:
    return {
        "id": table.id,
        "grid": table.grid,
        "name": table.name,
        "full_name": table.full_name,
        "caption": table.caption,
        "unit": table.unit,
        "heading_path": table.heading_path,
        "notes": table.notes,
        "part_of": table.part_of,
        "page": table.page,
        "sheet": table.sheet,
        "range": table.range,
        "confidence": table.confidence,
        "label_columns": [_column(column) for column in table.label_columns],
        "columns": [_column(column) for column in table.columns],
        "rows": [_row(row) for row in table.rows],
        "row_count": table.row_count,
        "pairs": table.pairs,
        "account": _account(table.account),
    }


def _column(column: Column) -> Fields:
    return {
        "index": column.index,
        "path": column.path,
        "heading": column.heading,
        "period": column.period,
        "type": column.type.value,
        "unit": column.unit,
    }


def _row(row: Row) -> Fields:
    return {
        "path": row.path,
        "kind": row.kind.value,
        "cells": [
            {
                "column": cell.column,
                "text": cell.text,
                "value": cell.value,
                "unit": cell.unit,
                "scale": cell.scale,
                "nil": cell.nil,
                "address": cell.address,
            }
            for cell in row.cells
        ],
    }


def _statement(statement: Statement) -> Fields:
    return {
        "subject": statement.subject,
        "phrase": statement.phrase,
        "text": statement.text,
        "value": statement.value,
        "when": statement.when,
        "qualifiers": statement.qualifiers,
        "unit": statement.unit,
        "scale": statement.scale,
        "nil": statement.nil,
        "table": statement.table,
        "address": statement.address,
        "phrase_is_value": statement.phrase_is_value,
        "phrase_is_subject": statement.phrase_is_subject,
    }


def _chunk(chunk: Chunk) -> Fields:
    return {
        "id": chunk.id,
        "kind": chunk.kind.value,
        "text": chunk.text,
        "tokens": chunk.tokens,
        "heading_path": chunk.heading_path,
        "table": chunk.table,
        "addresses": chunk.addresses,
        "oversize": chunk.oversize,
    }


def _account(account: Account, whole: bool = False) -> Fields:
    fields: Fields = {
        "cells_in": account.cells_in,
        "cells_out": account.cells_out,
        "placed": account.placed,
        "dropped": account.dropped,
    }
    if whole:
        fields |= {
            "characters_in": account.characters_in,
            "characters_out": account.characters_out,
            "characters_dropped": account.characters_dropped,
        }
    return fields
