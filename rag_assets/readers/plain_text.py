"""Plain text becomes paragraphs and headings, and tables drawn in it grids.

Holds: `read_plain_text`, `read_text`, `text_blocks`.
Add here: another convention of plain text that shows its structure.
Never here: how a text table is told (tables/text_tables.py).
"""

import re
from collections.abc import Sequence

from rag_assets.model.document import Block, BlockId, BlockKind, Document, Source
from rag_assets.readers.encoding import decode
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.typed_filings import blanked, is_typed
from rag_assets.tables.text_tables import with_text_tables

READER_VERSION = "2"

MAX_HEADING = 80
MIN_CAPITALS = 4
_UNDERLINE = re.compile(r"\s*(={3,}|-{3,}|~{3,}|\*{3,})\s*")
_RULE_LEVEL = {"=": 1, "-": 2, "~": 3, "*": 3}
_COLUMNS = re.compile(r"\S(?: {2,}|\t| ?\.{3,} ?)\S|^\s*[-=_ ]{4,}\s*$")
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+\S")


def read_plain_text(content: bytes, source: Source, limits: ReadLimits) -> Document:  # noqa: ARG001 one shape for all readers
    """Paragraphs are parted by blank lines. Underlines are dropped and counted as `rule`, the tags of typed filings as
    `markup`. Raises Quarantine."""
    return read_text(decode(content).text, source)


def read_text(text: str, source: Source) -> Document:
    """The same, of text that is decoded."""
    characters_in = len("".join(text.split()))
    if is_typed(text):
        text = blanked(text)
    markup = characters_in - len("".join(text.split()))
    blocks, rules = text_blocks(text)
    drawn = with_text_tables(blocks, 0)
    dropped = {"rule": rules, "ruling": drawn.ruling, "markup": markup}
    return Document(
        source=source,
        blocks=drawn.blocks,
        grids=drawn.grids,
        cells_in=drawn.cells,
        characters_in=characters_in,
        characters_dropped={name: n for name, n in dropped.items() if n},
        title=next((block.text for block in blocks if block.kind == BlockKind.HEADING), None),
    )


def text_blocks(text: str) -> tuple[list[Block], int]:
    """Headings, paragraphs, lists, and as code what may be a drawn table; how many characters only ruled off."""
    blocks: list[Block] = []
    headings: list[tuple[int, str]] = []
    rules = 0
    paragraphs = _paragraphs(text)
    at = 0
    while at < len(paragraphs):
        table = _drawn_table(paragraphs, at)
        if table is not None:
            _add(blocks, BlockKind.CODE, "\n\n".join("\n".join(p) for p in paragraphs[at:table]), headings)
            at = table
            continue
        lines, at = paragraphs[at], at + 1
        level, title, rest, ruled = _heading(lines)
        rules += ruled
        if title:
            headings = [h for h in headings if h[0] < level]
            _add(blocks, BlockKind.HEADING, title, headings, level)
            headings.append((level, title))
        if rest:
            kind = BlockKind.LIST if all(map(_BULLET.match, rest)) else BlockKind.PROSE
            joiner = "\n" if kind == BlockKind.LIST or all("|" in line for line in rest) else " "
            _add(blocks, kind, joiner.join(" ".join(line.split()) for line in rest), headings)
    return blocks, rules


def _drawn_table(paragraphs: Sequence[Sequence[str]], at: int) -> int | None:
    """Where a table drawn in aligned columns ends that starts with this paragraph; None where there is none.

    Blank lines inside it part paragraphs: it goes on as long as most lines show columns.
    """
    end = at
    while end < len(paragraphs) and _shows_columns(paragraphs[end]):
        end += 1
    while end > at:
        text = "\n\n".join("\n".join(p) for p in paragraphs[at:end])
        block = Block(id=BlockId("drawn"), kind=BlockKind.CODE, text=text)
        if with_text_tables([block], 0).grids:
            return end
        end -= 1
    return None


def _shows_columns(lines: Sequence[str]) -> bool:
    return sum(bool(_COLUMNS.search(line)) for line in lines) * 2 >= len(lines)


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
