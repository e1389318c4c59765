"""One document cut into chunks, in reading order.

Holds: the order of prose and tables, and the prose a table without a caption borrows from its neighbour.
Add here: a rule about which text of a document goes with which other.
Never here: how a table (chunking/tables.py) or a run of prose (chunking/prose.py) is cut.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rag_assets.chunking.coverage import Coverage, coverage
from rag_assets.chunking.identity import Namer
from rag_assets.chunking.prose import chunk_prose
from rag_assets.chunking.settings import ChunkSettings
from rag_assets.chunking.tables import chunk_table
from rag_assets.model.chunk import Chunk
from rag_assets.model.document import Block, BlockKind
from rag_assets.model.table import Normalized, Table

CHUNKING_VERSION = "1"
NEIGHBOUR_CHARACTERS = 300
LEADING_CHARACTERS = 200

__all__ = ["CHUNKING_VERSION", "ChunkSettings", "Coverage", "chunk_document", "coverage"]


def chunk_document(source: str, sha256: str, normalized: Normalized, settings: ChunkSettings) -> tuple[Chunk, ...]:
    """Chunks of one document. Ids follow from content; `order` counts from 0 in reading order."""
    namer = Namer(source=source, sha256=sha256)
    captions = {block for table in normalized.tables for block in table.caption_blocks}
    tables = _tables_by_grid(normalized.tables)
    chunks: list[Chunk] = []
    run: list[Block] = []
    for position, block in enumerate(normalized.blocks):
        if block.kind is BlockKind.GRID:
            chunks += chunk_prose(run, settings.max_tokens, namer)
            run = []
            for table in tables.pop(block.grid or "", ()):
                chunks += chunk_table(_with_neighbour(table, normalized.blocks, position), settings, namer)
        elif block.kind is not BlockKind.HEADING and block.id not in captions and block.text.strip():
            if run and run[0].heading_path != block.heading_path:
                chunks += chunk_prose(run, settings.max_tokens, namer)
                run = []
            run.append(block)
    chunks += chunk_prose(run, settings.max_tokens, namer)
    for table in (t for group in tables.values() for t in group):
        chunks += chunk_table(table, settings, namer)
    return tuple(chunks)


def _tables_by_grid(tables: Iterable[Table]) -> dict[str, list[Table]]:
    grouped: dict[str, list[Table]] = {}
    for table in tables:
        grouped.setdefault(table.grid, []).append(table)
    return grouped


def _with_neighbour(table: Table, blocks: Sequence[Block], position: int) -> Table:
    """A table that no paragraph names borrows up to 300 characters of the prose before it, else of the prose after it.

    Of a longer run, its first 200 characters (which say what it is about) and its last 100 (which lead to the table):
    on financial pages MRR .726, the last 300 .715, the whole run .695.
    """
    if table.caption_blocks:
        return replace(table, neighbour_prose="")
    before = _run_of_prose(reversed(blocks[:position]))[::-1]
    text = " ".join(before or _run_of_prose(blocks[position + 1 :]))
    if len(text) > NEIGHBOUR_CHARACTERS:
        text = f"{text[:LEADING_CHARACTERS]} … {text[LEADING_CHARACTERS - NEIGHBOUR_CHARACTERS :]}"
    return replace(table, neighbour_prose=text) if text else table


def _run_of_prose(blocks: Iterable[Block]) -> list[str]:
    """Texts of blocks up to the next heading or table."""
    texts = []
    for block in blocks:
        if block.kind in {BlockKind.HEADING, BlockKind.GRID}:
            break
        texts.append(" ".join(block.text.split()))
    return [text for text in texts if text]
