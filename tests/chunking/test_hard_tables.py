"""Every piece of a hard table holds its full headings, caption and unit, and no row is torn."""

from pathlib import Path

import pytest

from rag_assets.chunking.document import ChunkSettings, chunk_document
from rag_assets.model.chunk import Chunk, ChunkKind
from rag_assets.readers.formats import read_document
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules
from tests.chunking.hard_tables import HARD_TABLES, HardTable


def pieces(hard: HardTable, folder: Path, max_tokens: int) -> list[Chunk]:
    path = folder / f"page.{hard.suffix}"
    path.write_text(hard.page, encoding="utf-8")
    normalized = normalize_document(read_document(path, path.name, ReadLimits()), Rules())
    assert normalized.account.balanced
    chunks = chunk_document(path.name, "0", normalized, ChunkSettings(max_tokens=max_tokens))
    return [c for c in chunks if c.kind in {ChunkKind.TABLE, ChunkKind.TABLE_ROWS}]


@pytest.mark.parametrize("max_tokens", [96, 320])
@pytest.mark.parametrize("hard", HARD_TABLES, ids=lambda hard: hard.name)
def test_every_piece_holds_its_head_and_no_row_is_torn(hard: HardTable, max_tokens: int, tmp_path: Path) -> None:
    found = pieces(hard, tmp_path, max_tokens)
    assert len(found) > 1
    beheaded = [(piece.text, held) for piece in found for held in hard.held if held not in piece.text]
    assert not beheaded
    lines = [line for piece in found for line in piece.text.split("\n") if line.startswith("|")]
    cells = [[text.split(" › ")[-1].strip() for text in line.strip("|").split("|")] for line in lines]
    torn = [row for row in hard.rows if sum(set(row) <= set(line) for line in cells) != 1]
    assert not torn
