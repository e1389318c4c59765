"""Tables cut into chunks: the whole table or blocks of its rows, a record for each row, a summary.

Holds: where a table is cut and what every piece repeats.
Add here: another kind of piece of a table.
Never here: how a row or heading is written (rendering/), how prose is cut (chunking/prose.py).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rag_assets.chunking.identity import Namer
from rag_assets.chunking.prose import heading_zones
from rag_assets.chunking.settings import ChunkSettings
from rag_assets.chunking.tokens import count_tokens
from rag_assets.model.chunk import Chunk, ChunkId, ChunkKind, Zone, ZoneText
from rag_assets.model.table import Row, Table
from rag_assets.rendering.markdown import body_lines, caption_lines, head_lines, note_lines, pair_lines
from rag_assets.rendering.records import RecordLine, caption_record_lines, record_cells, row_record_lines
from rag_assets.rendering.summary import render_summary, source_lines


class TableLine(NamedTuple):
    """A line of the body, the row it shows (None: a line of a pair or a note) and the cells in it."""

    text: str
    row: int | None
    addresses: tuple[str, ...]


class Piece(NamedTuple):
    lines: tuple[str, ...]
    rows: tuple[int, ...]
    addresses: tuple[str, ...]
    tokens: int
    oversize: bool


def chunk_table(table: Table, settings: ChunkSettings, namer: Namer) -> list[Chunk]:
    """Pieces in page order, each followed by the records of its rows; the summary last.

    A table of more than `record_rows` rows is a database: where a lookup tool holds its rows, only the summary chunk
    stands for it.
    """
    chunks: list[Chunk] = []
    if not is_behind_tool(table, settings):
        pieces = _pieces(table, settings)
        for piece in pieces:
            parent = _piece_chunk(table, piece, whole=len(pieces) == 1, namer=namer)
            chunks.append(parent)
            if settings.records:
                chunks += [_record_chunk(table, table.rows[n], settings, namer, parent.id) for n in piece.rows]
    if table.lookup or not chunks:
        chunks.append(_summary_chunk(table, namer))
    if table.caption_blocks and chunks:
        chunks[0] = _with_blocks(chunks[0], table)
    return chunks


def is_behind_tool(table: Table, settings: ChunkSettings) -> bool:
    return table.lookup and (table.body is not None or len(table.rows) > settings.record_rows)


def _with_blocks(chunk: Chunk, table: Table) -> Chunk:
    return replace(chunk, blocks=tuple(table.caption_blocks))


def _pieces(table: Table, settings: ChunkSettings) -> list[Piece]:
    """One piece where the table fits `max_tokens`; else blocks of whole rows, caption, unit and headings on each."""
    head = head_lines(table)
    if not settings.row_splitting:
        return _torn_pieces(table, settings)
    lines = _table_lines(table)
    head_tokens = sum(count_tokens(f"{line}\n") for line in head)
    pieces: list[Piece] = []
    held: list[TableLine] = []
    held_tokens = head_tokens
    for line in lines:
        tokens = count_tokens(f"{line.text}\n")
        if held and held_tokens + tokens > settings.max_tokens:
            pieces.append(_piece(_head_of(head, pieces, settings), held, held_tokens, settings))
            held, held_tokens = [], head_tokens
        held.append(line)
        held_tokens += tokens
    if held or not pieces:
        pieces.append(_piece(_head_of(head, pieces, settings), held, held_tokens, settings))
    return pieces


def _head_of(head: Sequence[str], before: Sequence[Piece], settings: ChunkSettings) -> Sequence[str]:
    return head if settings.header_repeat or not before else ()


def _piece(head: Sequence[str], lines: Sequence[TableLine], tokens: int, settings: ChunkSettings) -> Piece:
    return Piece(
        lines=(*head, *(line.text for line in lines)),
        rows=tuple(line.row for line in lines if line.row is not None),
        addresses=tuple(address for line in lines for address in line.addresses),
        tokens=tokens,
        oversize=tokens > settings.max_tokens,
    )


def _table_lines(table: Table) -> list[TableLine]:
    texts = body_lines(table)
    lines = [
        TableLine(text, n, tuple(c.address for c in record_cells(row)))
        for n, (text, row) in enumerate(zip(texts, table.rows, strict=False))
    ]
    loose = texts[len(table.rows) :]
    lines += [
        TableLine(text, None, tuple(c.address for c in cells if c.text.strip()))
        for text, cells in zip(loose, table.pair_rows, strict=True)
    ]
    lines += [TableLine(text, None, ()) for text in (*pair_lines(table), *note_lines(table))]
    return lines


def _torn_pieces(table: Table, settings: ChunkSettings) -> list[Piece]:
    """Ablation only: windows of words that tear rows, as a splitter that knows no tables cuts them."""
    lines = _table_lines(table)
    words = [(w, line) for line in lines for w in line.text.split(" ")]
    head = head_lines(table)
    pieces: list[Piece] = []
    step = max(1, settings.max_tokens // 2)
    for start in range(0, max(1, len(words)), step):
        window = words[start : start + step]
        opened = [line for n, (_, line) in enumerate(window) if start + n == 0 or words[start + n - 1][1] is not line]
        text = " ".join(w for w, _ in window)
        first = _piece(_head_of(head, pieces, settings), opened, count_tokens(text), settings)
        shown = (*_head_of(head, pieces, settings), text)
        pieces.append(first._replace(lines=shown, tokens=sum(map(count_tokens, shown)), oversize=False))
    return pieces


def _piece_chunk(table: Table, piece: Piece, *, whole: bool, namer: Namer) -> Chunk:
    text = "\n".join(piece.lines)
    captions = caption_lines(table)
    body = "\n".join(line for line in piece.lines if line not in captions)
    zones = (
        *heading_zones(table.heading_path),
        *(ZoneText(caption_zone(table), line) for line in captions),
        ZoneText(Zone.CELL, body),
        *_neighbour_zones(table),
    )
    return namer.name(
        ChunkKind.TABLE if whole else ChunkKind.TABLE_ROWS,
        text,
        zones,
        piece.tokens,
        heading_path=table.heading_path,
        addresses=piece.addresses,
        table=table.id,
        tool=table.name,
        oversize=piece.oversize,
        complete=whole,
    )


def _record_chunk(table: Table, row: Row, settings: ChunkSettings, namer: Namer, parent: ChunkId) -> Chunk:
    captions: tuple[RecordLine, ...] = caption_record_lines(table) if settings.header_repeat else ()
    lines = (*captions, *row_record_lines(table, row, with_headings=settings.header_repeat))
    text = "\n".join(line.text for line in lines)
    tokens = sum(count_tokens(f"{line.text}\n") for line in lines)
    parts = (part for line in lines for part in line.parts)
    weighed = ((caption_zone(table) if zone is Zone.CAPTION else zone, words) for zone, words in parts)
    zones = (*heading_zones(table.heading_path), *(ZoneText(*part) for part in weighed), *_neighbour_zones(table))
    return namer.name(
        ChunkKind.RECORD,
        text,
        zones,
        tokens,
        heading_path=table.heading_path,
        addresses=tuple(cell.address for cell in record_cells(row)),
        table=table.id,
        parent=parent,
        tool=table.name,
        oversize=tokens > settings.max_tokens,
        complete=len(table.rows) == 1,
    )


def _summary_chunk(table: Table, namer: Namer) -> Chunk:
    text = render_summary(table, namer.source)
    captions = caption_lines(table)
    named = source_lines(namer.source)
    body = "\n".join(line for line in text.split("\n") if line not in captions and line not in named)
    zones = (
        *(ZoneText(Zone.CAPTION, line.partition(": ")[2].replace("_", " ")) for line in named),
        *heading_zones(table.heading_path),
        *(ZoneText(caption_zone(table), line) for line in captions),
        ZoneText(Zone.TEXT, body),
        *_neighbour_zones(table),
    )
    return namer.name(
        ChunkKind.SUMMARY,
        text,
        zones,
        count_tokens(text),
        heading_path=table.heading_path,
        table=table.id,
        tool=table.name,
        complete=False,
    )


def caption_zone(table: Table) -> Zone:
    """Title rows of a sheet are its headings. On a page the headings are, and a caption run weighs as text.

    On financial pages, where one table in three has a caption run (units, spanners, "was as follows:"), MRR .722 as
    text, .695 as a title; on pages with titles over every table no question moved.
    """
    return Zone.CAPTION if table.sheet is not None else Zone.TEXT


def _neighbour_zones(table: Table) -> tuple[ZoneText, ...]:
    return (ZoneText(Zone.NEIGHBOUR, table.neighbour_prose),) if table.neighbour_prose.strip() else ()
