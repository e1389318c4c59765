"""The account of the chunks: every body cell and every block of prose is in a chunk, or counted by name.

Holds: `Coverage` and how it is counted.
Add here: another thing of a document that must not get lost on the way to a chunk.
Never here: cutting.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag_assets.model.chunk import Chunk, ChunkKind
from rag_assets.model.document import BlockKind
from rag_assets.model.table import Normalized, Table
from rag_assets.rendering.markdown import head_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """`body_cells` = `in_chunk` + `behind_tool` + `missing`. `without_header` counts pieces of tables that lost their
    headings (must be 0); `oversize` names the chunks that hold a single row larger than the budget."""

    body_cells: int = 0
    in_chunk: int = 0
    behind_tool: int = 0
    missing: int = 0
    prose_blocks: int = 0
    prose_missing: int = 0
    without_header: int = 0
    oversize: tuple[str, ...] = ()


def coverage(normalized: Normalized, chunks: Sequence[Chunk]) -> Coverage:
    shown = {address for chunk in chunks for address in chunk.addresses}
    cells = {table.id: _body_addresses(table) for table in normalized.tables}
    in_pieces = {chunk.table for chunk in chunks if chunk.kind is not ChunkKind.SUMMARY}
    behind = {t.id for t in normalized.tables if t.lookup and t.id not in in_pieces}
    everything = [(table, address) for table, addresses in cells.items() for address in addresses]
    hidden = [address for table, address in everything if address not in shown]
    behind_tool = sum(1 for table, address in everything if address not in shown and table in behind)
    prose = [b for b in normalized.blocks if b.kind in {BlockKind.PROSE, BlockKind.LIST, BlockKind.CODE}]
    placed = {block for chunk in chunks for block in chunk.blocks}
    unseen = sum(table.body.cells for table in normalized.tables if table.body is not None)
    return Coverage(
        body_cells=len(everything) + unseen,
        in_chunk=len(everything) - len(hidden),
        behind_tool=behind_tool + unseen,
        missing=len(hidden) - behind_tool,
        prose_blocks=len(prose),
        prose_missing=sum(1 for b in prose if b.text.strip() and b.id not in placed),
        without_header=_without_header(normalized.tables, chunks),
        oversize=tuple(chunk.id for chunk in chunks if chunk.oversize),
    )


def _body_addresses(table: Table) -> list[str]:
    cells = [cell for row in table.rows for cell in (*row.labels, *row.cells)]
    cells += [cell for row in table.pair_rows for cell in row]
    return [cell.address for cell in cells if cell.text.strip()]


def _without_header(tables: Iterable[Table], chunks: Iterable[Chunk]) -> int:
    heads = {str(table.id): {line for line in head_lines(table) if line} for table in tables}
    pieces = [chunk for chunk in chunks if chunk.kind in {ChunkKind.TABLE, ChunkKind.TABLE_ROWS}]
    return sum(1 for piece in pieces if not heads.get(piece.table or "", set()) <= set(piece.text.split("\n")))
