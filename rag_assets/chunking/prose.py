"""Prose cut into chunks: whole blocks packed under one heading path, long blocks at sentence ends.

Holds: the packing of prose, list and code blocks.
Add here: another place where prose may be cut.
Never here: tables (chunking/tables.py).
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rag_assets.chunking.identity import Namer
from rag_assets.chunking.tokens import count_tokens
from rag_assets.model.chunk import Chunk, ChunkKind, Zone, ZoneText
from rag_assets.model.document import Block

_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n+")
ENOUGH_TOKENS = 240


class ProsePiece(NamedTuple):
    text: str
    tokens: int
    blocks: tuple[str, ...]


def chunk_prose(blocks: Sequence[Block], max_tokens: int, namer: Namer) -> list[Chunk]:
    """Chunks of consecutive blocks that share a heading path; no text stands in two of them."""
    if not blocks:
        return []
    path = blocks[0].heading_path
    chunks = []
    for piece in _pack(_pieces_of(blocks, max_tokens), max_tokens):
        zones = (*heading_zones(path), ZoneText(Zone.TEXT, piece.text))
        chunks.append(
            namer.name(ChunkKind.PROSE, piece.text, zones, piece.tokens, heading_path=path, blocks=piece.blocks)
        )
    return chunks


def heading_zones(path: Iterable[str]) -> tuple[ZoneText, ...]:
    return tuple(ZoneText(Zone.HEADING, part) for part in path if part.strip())


def _pieces_of(blocks: Iterable[Block], max_tokens: int) -> Iterable[ProsePiece]:
    for block in blocks:
        tokens = count_tokens(block.text)
        if tokens <= max_tokens:
            yield ProsePiece(block.text, tokens, (block.id,))
        else:
            runs = _cut_block(block.text, max_tokens)
            yield from (ProsePiece(run, count_tokens(run), (block.id,)) for run in runs)


def _pack(pieces: Iterable[ProsePiece], max_tokens: int) -> Iterable[ProsePiece]:
    """Short blocks join the next until there is enough to read alone; a paragraph that is enough stays by itself.

    On financial pages MRR .734, at 120 tokens .730, packed up to the whole budget .733.
    """
    held: list[ProsePiece] = []
    for piece in pieces:
        size = sum(p.tokens + 1 for p in held)
        if held and (size >= ENOUGH_TOKENS or size + piece.tokens > max_tokens):
            yield _joined(held)
            held = []
        held.append(piece)
    if held:
        yield _joined(held)


def _joined(pieces: Sequence[ProsePiece]) -> ProsePiece:
    text = "\n\n".join(p.text for p in pieces)
    blocks = tuple(dict.fromkeys(b for p in pieces for b in p.blocks))
    return ProsePiece(text, sum(p.tokens for p in pieces) + len(pieces) - 1, blocks)


def _cut_block(text: str, max_tokens: int) -> list[str]:
    """Runs of whole sentences within the budget; a sentence over it is cut between words."""
    sentences = [s for part in _SENTENCE_END.split(text) if (s := part.strip())]
    pieces: list[str] = []
    held, held_tokens = "", 0
    for sentence in (run for s in sentences for run in _cut_sentence(s, max_tokens)):
        tokens = count_tokens(sentence) + 1
        if held and held_tokens + tokens > max_tokens:
            pieces.append(held)
            held, held_tokens = "", 0
        held = f"{held} {sentence}" if held else sentence
        held_tokens += tokens
    return [*pieces, held] if held else pieces


def _cut_sentence(sentence: str, max_tokens: int) -> list[str]:
    if count_tokens(sentence) <= max_tokens:
        return [sentence]
    runs: list[str] = []
    held: list[str] = []
    held_tokens = 0
    for word in (part for w in sentence.split() for part in _cut_word(w, max_tokens)):
        tokens = count_tokens(f" {word}")
        if held and held_tokens + tokens > max_tokens:
            runs.append(" ".join(held))
            held, held_tokens = [], 0
        held.append(word)
        held_tokens += tokens
    return [*runs, " ".join(held)]


def _cut_word(word: str, max_tokens: int) -> list[str]:
    """A run without blanks (a script that has none, or a blob) is cut by characters: at most 4 bytes, so 4 tokens."""
    if count_tokens(f" {word}") <= max_tokens:
        return [word]
    step = max(1, max_tokens // 4)
    return [word[n : n + step] for n in range(0, len(word), step)]
