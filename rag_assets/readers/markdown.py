"""Markdown becomes blocks, and its pipe tables grids.

Holds: `read_markdown`.
Add here: another kind of block that Markdown writes.
Never here: what a table means (tables/), HTML pages (html.py).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag_assets.model.document import Block, BlockId, BlockKind, Document, Grid, GridCell, GridId, Source
from rag_assets.readers.encoding import decode
from rag_assets.readers.limits import ReadLimits

READER_VERSION = "1"

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_TAG = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)
_PIPE = re.compile(r"(?<!\\)\|")


def read_markdown(content: bytes, source: Source, limits: ReadLimits) -> Document:  # noqa: ARG001 one shape for all readers
    """Headings, paragraphs, lists, code, tables. Front matter is dropped and counted. Raises Quarantine."""
    text = decode(content).text
    front = _FRONT_MATTER.match(text)
    dropped: dict[str, int] = {}
    title = None
    if front:
        dropped["front_matter"] = _visible(front[0])
        titled = _TITLE.search(front[1])
        title = titled[1] if titled else None
        text = text[front.end() :]
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    lines = text.splitlines()
    cells_in, characters_in = _counted(tokens, lines)
    page = _Page(lines=lines)
    page.lay(tokens)
    return Document(
        source=source,
        blocks=tuple(page.blocks),
        grids=tuple(page.grids),
        cells_in=cells_in,
        characters_in=characters_in + sum(dropped.values()),
        characters_dropped=dropped,
        title=title or next((b.text for b in page.blocks if b.kind == BlockKind.HEADING and b.level == 1), None),
    )


def _counted(tokens: Sequence[Token], lines: Sequence[str]) -> tuple[int, int]:
    """Non-empty table cells and visible characters, before anything is laid out."""
    cells = characters = 0
    in_cell = False
    for token in tokens:
        if token.type in {"th_open", "td_open"}:
            in_cell = True
        elif token.type == "inline":
            shown = _visible(_shown(token))
            characters += shown
            cells += in_cell and shown > 0
            in_cell = False
        elif token.type in {"fence", "code_block", "html_block"}:
            characters += _visible(_raw(token))
        elif token.type == "tr_open":
            extra = [text for text in _excess(token, lines, tokens) if text]
            cells += len(extra)
            characters += sum(map(_visible, extra))
    return cells, characters


@dataclass(slots=True)
class _Page:
    """Blocks and grids laid so far."""

    lines: Sequence[str]
    blocks: list[Block] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)

    def lay(self, tokens: Sequence[Token]) -> None:
        place = 0
        while place < len(tokens):
            token = tokens[place]
            end = _end(tokens, place)
            if token.type == "heading_open":
                self._heading(int(token.tag[1:]), _shown(tokens[place + 1]))
            elif token.type == "table_open":
                self._table(tokens[place:end], tokens)
            elif token.type in {"bullet_list_open", "ordered_list_open"} and not _holds_table(tokens[place:end]):
                self._add(BlockKind.LIST, "\n".join(_inner_texts(tokens[place:end])))
            elif token.type in {"fence", "code_block"}:
                self._add(BlockKind.CODE, _raw(token))
            elif token.type == "html_block":
                self._add(BlockKind.PROSE, _folded(_raw(token)))
            elif token.type == "inline":
                self._add(BlockKind.PROSE, _shown(token))
            else:
                end = place + 1
            place = end

    def _heading(self, level: int, text: str) -> None:
        self.headings = [h for h in self.headings if h[0] < level]
        self._add(BlockKind.HEADING, text, level)
        if text:
            self.headings.append((level, text))

    def _add(self, kind: BlockKind, text: str, level: int | None = None, grid: GridId | None = None) -> None:
        if text or grid:
            path = tuple(text for _, text in self.headings)
            name = BlockId(f"b{len(self.blocks) + 1}")
            self.blocks.append(Block(id=name, kind=kind, text=text, level=level, heading_path=path, grid=grid))

    def _table(self, tokens: Sequence[Token], page: Sequence[Token]) -> None:
        name = GridId(f"table-{len(self.grids) + 1}")
        rows = list(_table_rows(tokens, self.lines, page))
        cells = tuple(
            GridCell(r, c, text, f"#{name}!r{r + 1}c{c + 1}", header=r == 0)
            for r, row in enumerate(rows)
            for c, text in enumerate(row)
            if text
        )
        width = max(map(len, rows), default=0)
        grid = Grid(id=name, ordinal=len(self.grids), n_rows=len(rows), n_columns=width, cells=cells, head_rows=1)
        self.grids.append(grid)
        self._add(BlockKind.GRID, "", grid=name)


def _end(tokens: Sequence[Token], place: int) -> int:
    """Behind the token that closes the one at `place`."""
    if tokens[place].nesting != 1:
        return place + 1
    depth = 0
    for n in range(place, len(tokens)):
        depth += tokens[n].nesting
        if depth == 0:
            return n + 1
    return len(tokens)


def _holds_table(tokens: Sequence[Token]) -> bool:
    return any(token.type == "table_open" for token in tokens)


def _inner_texts(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        text = _shown(token) if token.type == "inline" else ""
        if token.type in {"fence", "code_block", "html_block"}:
            text = _raw(token)
        if text:
            yield text


def _table_rows(tokens: Sequence[Token], lines: Sequence[str], page: Sequence[Token]) -> Iterator[list[str]]:
    row: list[str] = []
    extra: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            row, extra = [], _excess(token, lines, page)
        elif token.type == "inline":
            row.append(_shown(token))
        elif token.type == "tr_close":
            yield [*row, *extra]


def _excess(row: Token, lines: Sequence[str], page: Sequence[Token]) -> list[str]:
    """Cells beyond the header's width: the specification drops them, we keep them as written."""
    if row.map is None or row.map[0] >= len(lines):
        return []
    start = page.index(row)
    width = 0
    for token in page[start + 1 :]:
        if token.type == "tr_close":
            break
        width += token.type in {"th_open", "td_open"}
    written = lines[row.map[0]].strip().lstrip("> ")
    parts = _PIPE.split(written.removeprefix("|"))
    if parts and not parts[-1].strip():
        parts.pop()
    return [_folded(part.replace("\\|", "|")) for part in parts[width:]]


def _raw(token: Token) -> str:
    if token.type == "html_block":
        return _TAG.sub("", token.content).strip()
    return token.content.strip("\n")


def _shown(token: Token) -> str:
    """What a person sees of an inline token: link texts, alternative texts, no marks."""
    shown = []
    for child in token.children or ():
        if child.type in {"text", "code_inline", "image", "text_special"}:
            shown.append(child.content)
        elif child.type == "softbreak":
            shown.append(" ")
        elif child.type == "hardbreak" or (child.type == "html_inline" and child.content.lower().startswith("<br")):
            shown.append("\n")
    return "\n".join(folded for line in "".join(shown).split("\n") if (folded := _folded(line)))


def _folded(text: str) -> str:
    return " ".join(text.split())


def _visible(text: str) -> int:
    return len("".join(text.split()))
