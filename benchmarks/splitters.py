"""What splitters leave of a table: pieces that hold all headings, the caption and the unit; rows that are torn.

usage: splitters.py [--rows 200]

Beside ours: the public splitters that are installed (langchain-text-splitters, llama-index-core, chonkie, semchunk),
each over the table as markdown, and windows of characters and of words, which need nothing.
"""

import argparse
import importlib.util
from collections.abc import Callable
from typing import NamedTuple

from rag_assets.chunking.document import ChunkSettings, chunk_document
from rag_assets.model.chunk import ChunkKind
from rag_assets.model.document import GridId
from rag_assets.model.table import Column, Normalized, Row, RowKind, Table, TableCell, TableId
from rag_assets.rendering.markdown import render_table, row_line

HEADINGS = ("Region", "Tier", "Discount", "Min order", "Effective from")
CAPTION = "Regional discount tiers"
UNIT = "(In thousands, except percentages)"
CHARACTERS = 1000


class Splitter(NamedTuple):
    name: str
    split: Callable[[str], list[str]]


def price_table(rows: int) -> Table:
    body = []
    for n in range(rows):
        texts = (f"Region {n // 5}", f"T{n % 5}", f"{n % 14 + 2}%", f"${(n + 1) * 1000:,}", f"2026-01-{n % 28 + 1:02d}")
        cells = [TableCell(c, text, None, None, 1, False, f"r{n}c{c}") for c, text in enumerate(texts)]
        body.append(Row(path=texts[:1], kind=RowKind.DATA, labels=(cells[0],), cells=tuple(cells[1:])))
    columns = [Column(index=n, path=(text,)) for n, text in enumerate(HEADINGS)]
    return Table(
        id=TableId("t"), grid=GridId("g"), ordinal=0, caption=(CAPTION, UNIT), unit=UNIT.strip("()"),
        label_columns=(columns[0],), columns=tuple(columns[1:]), rows=tuple(body),
    )  # fmt: skip


def windows(text: str, size: int, overlap: int) -> list[str]:
    return [text[n : n + size] for n in range(0, len(text), size - overlap)]


def word_windows(text: str, size: int) -> list[str]:
    words = text.split(" ")
    return [" ".join(words[n : n + size]) for n in range(0, len(words), size)]


def public_splitters() -> list[Splitter]:
    found = [
        Splitter("windows 800/80", lambda text: windows(text, 800, 80)),
        Splitter("windows of 200 words", lambda text: word_windows(text, 200)),
    ]
    if importlib.util.find_spec("langchain_text_splitters"):
        import langchain_text_splitters as lc

        found += [
            Splitter("langchain recursive", lc.RecursiveCharacterTextSplitter(chunk_size=CHARACTERS).split_text),
            Splitter("langchain character", lc.CharacterTextSplitter(chunk_size=CHARACTERS, separator="\n").split_text),
            Splitter("langchain markdown", lc.MarkdownTextSplitter(chunk_size=CHARACTERS).split_text),
        ]
    if importlib.util.find_spec("llama_index"):
        from llama_index.core.node_parser import SentenceSplitter, TokenTextSplitter

        found += [
            Splitter("llama-index sentence", SentenceSplitter(chunk_size=320, chunk_overlap=20).split_text),
            Splitter("llama-index token", TokenTextSplitter(chunk_size=320, chunk_overlap=20).split_text),
        ]
    if importlib.util.find_spec("chonkie"):
        import chonkie

        for name in ("TokenChunker", "RecursiveChunker", "SentenceChunker", "TableChunker"):
            if hasattr(chonkie, name):
                chunker = getattr(chonkie, name)(tokenizer="character", chunk_size=CHARACTERS)
                found.append(
                    Splitter(f"chonkie {name}", lambda text, c=chunker: [piece.text for piece in c.chunk(text)])
                )
    if importlib.util.find_spec("semchunk"):
        import semchunk

        found.append(Splitter("semchunk", semchunk.chunkerify(len, CHARACTERS)))
    return found


def report(name: str, pieces: list[str], rows: list[str]) -> None:
    count = len(pieces)
    headings = sum(all(heading in piece for heading in HEADINGS) for piece in pieces)
    captions = sum(CAPTION in piece for piece in pieces)
    units = sum(UNIT in piece for piece in pieces)
    whole = {line for piece in pieces for line in piece.split("\n")}
    torn = sum(row not in whole for row in rows)
    print(f"{name:<28} {count:6} {headings / count:9.0%} {captions / count:8.0%} {units / count:6.0%} {torn:6}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    options = parser.parse_args()
    table = price_table(options.rows)
    text, rows = render_table(table), [row_line(table, row) for row in table.rows]
    print(f"{'splitter':<28} {'pieces':>6} {'headings':>9} {'caption':>8} {'unit':>6} {'torn':>6}")
    chunks = chunk_document("t", "0", Normalized(tables=(table,)), ChunkSettings())
    ours = [c.text for c in chunks if c.kind in {ChunkKind.TABLE, ChunkKind.TABLE_ROWS}]
    report("rag_assets", ours, rows)
    for splitter in public_splitters():
        report(splitter.name, splitter.split(text), rows)


if __name__ == "__main__":
    main()
