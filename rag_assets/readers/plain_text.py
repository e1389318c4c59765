"""Plain text becomes paragraphs and headings, and tables drawn in it grids.

Holds: `read_plain_text`.
Add here: another convention of plain text that shows its structure.
Never here: how a text table is told (tables/text_tables.py).
"""

import re
from collections.abc import Sequence

from rag_assets.model.document import Block, BlockId, BlockKind, Document, Source
from rag_assets.readers.encoding import decode
from rag_assets.readers.limits import ReadLimits

READER_VERSION = "1"

MAX_HEADING = 80
MIN_CAPITALS = 4
_UNDERLINE = re.compile(r"\s*(={3,}|-{3,}|~{3,}|\*{3,})\s*")
_RULE_LEVEL = {"=": 1, "-": 2, "~": 3, "*": 3}
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+\S")


def read_plain_text(content: bytes, source: Source, limits: ReadLimits) -> Document:  # noqa: ARG001 one shape for all readers
    """Paragraphs are parted by blank lines. Underlines are dropped and counted as `rule`. Raises Quarantine."""
    text = decode(content).text
    characters_in = len("".join(text.split()))
    blocks: list[Block] = []
    headings: list[tuple[int, str]] = []
    rules = 0
    for lines in _paragraphs(text):
        level, title, rest, ruled = _heading(lines)
        rules += ruled
        if title:
            headings = [h for h in headings if h[0] < level]
            _add(blocks, BlockKind.HEADING, title, headings, level)
            headings.append((level, title))
        if rest:
            kind = BlockKind.LIST if all(map(_BULLET.match, rest)) else BlockKind.PROSE
            joiner = "\n" if kind == BlockKind.LIST else " "
            _add(blocks, kind, joiner.join(" ".join(line.split()) for line in rest), headings)
    return Document(
        source=source,
        blocks=tuple(blocks),
        characters_in=characters_in,
        characters_dropped={"rule": rules} if rules else {},
        title=next((block.text for block in blocks if block.kind == BlockKind.HEADING), None),
    )


def _paragraphs(text: str) -> list[list[str]]:
    paragraphs: list[list[str]] = [[]]
    for line in text.replace("\f", "\n\n").splitlines():
        if line.strip():
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    return [p for p in paragraphs if p]


def _heading(lines: Sequence[str]) -> tuple[int, str, Sequence[str], int]:
    """Level, title, the other lines, dropped underline characters; the title is empty where there is none."""
    first = lines[0].strip()
    if len(lines) > 1 and (under := _UNDERLINE.fullmatch(lines[1])) and len(first) <= MAX_HEADING:
        mark = under[1]
        if abs(len(mark) - len(first)) <= max(3, len(first) // 2):
            return _RULE_LEVEL[mark[0]], " ".join(first.split()), lines[2:], len(mark)
    letters = [c for c in first if c.isalpha()]
    capitals = len(letters) >= MIN_CAPITALS and all(c.isupper() for c in letters)
    if len(lines) == 1 and capitals and len(first) <= MAX_HEADING and len(letters) > len(first.replace(" ", "")) / 2:
        return 2, " ".join(first.split()), (), 0
    return 0, "", lines, 0


def _add(
    blocks: list[Block], kind: BlockKind, text: str, headings: Sequence[tuple[int, str]], level: int | None = None
) -> None:
    path = tuple(title for _, title in headings)
    blocks.append(Block(id=BlockId(f"b{len(blocks) + 1}"), kind=kind, text=text, level=level, heading_path=path))
