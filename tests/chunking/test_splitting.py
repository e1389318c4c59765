"""A 200-row, 5-column table with a unit line before it: what every piece must hold."""

from dataclasses import replace

import pytest

from rag_assets.chunking.document import ChunkSettings, chunk_document
from rag_assets.model.chunk import Chunk, ChunkKind
from rag_assets.model.table import Column, Normalized, Table
from rag_assets.rendering.markdown import row_line
from tests.rendering.tables import cell, prices


def large_table() -> Table:
    table = prices(200)
    rows = tuple(replace(r, cells=(*r.cells, cell(4, f"note {n}", f"E{n + 5}"))) for n, r in enumerate(table.rows))
    return replace(table, columns=(*table.columns, Column(index=4, path=("Remarks",))), rows=rows)


def pieces(table: Table, settings: ChunkSettings) -> list[Chunk]:
    chunks = chunk_document("a", "0", Normalized(tables=(table,), blocks=()), settings)
    return [c for c in chunks if c.kind in {ChunkKind.TABLE, ChunkKind.TABLE_ROWS}]


@pytest.mark.parametrize("max_tokens", [64, 128, 320, 1000, 100_000])
def test_every_piece_holds_headings_caption_and_unit_and_no_row_is_torn(max_tokens: int):
    table = large_table()
    found = pieces(table, ChunkSettings(max_tokens=max_tokens))
    lines = [line for piece in found for line in piece.text.split("\n")]
    head = [
        "Regional discount tiers",
        "(In thousands)",
        "| Region | Tier | Terms Discount | Terms Min order | Remarks |",
    ]
    assert all(set(head) <= set(piece.text.split("\n")) for piece in found)
    assert [line for line in lines if line.startswith("|") and "note" in line] == [
        row_line(table, row) for row in table.rows
    ]
    assert sum(len(piece.addresses) for piece in found) == 1000
    assert max_tokens == 64 or not any(piece.oversize for piece in found)
    assert all(piece.tokens <= max_tokens or piece.oversize for piece in found)


def test_a_row_over_the_budget_stays_whole_and_is_listed():
    table = large_table()
    long = replace(table.rows[3], cells=(cell(2, "word " * 500, "C8"),))
    found = pieces(replace(table, rows=(*table.rows[:3], long, *table.rows[4:])), ChunkSettings())
    oversize = [piece for piece in found if piece.oversize]
    assert len(oversize) == 1
    assert oversize[0].addresses == ("A8", "B8", "C8")


def test_records_know_the_piece_that_shows_their_row():
    chunks = chunk_document("a", "0", Normalized(tables=(large_table(),), blocks=()), ChunkSettings())
    shown = {c.id: set(c.addresses) for c in chunks if c.kind is ChunkKind.TABLE_ROWS}
    records = [c for c in chunks if c.kind is ChunkKind.RECORD]
    assert len(records) == 200
    assert all(set(r.addresses) <= shown[r.parent] for r in records if r.parent)


def test_the_ablation_tears_rows():
    found = pieces(large_table(), ChunkSettings(row_splitting=False))
    whole = {row_line(large_table(), row) for row in large_table().rows}
    assert sum(line in whole for piece in found for line in piece.text.split("\n")) < 200
