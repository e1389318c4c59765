"""HTML pages become blocks in reading order, and their tables grids.

Holds: `read_html`.
Add here: another element that starts a block.
Never here: cells (html_tables), looks (html_style), what anything means (tables/).
"""

import re
from dataclasses import replace
from html import unescape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rag_assets.errors import Quarantine
from rag_assets.model.document import Block, BlockId, BlockKind, Document, GridId, Reason, Source
from rag_assets.readers.encoding import decode
from rag_assets.readers.html_account import count_page
from rag_assets.readers.html_style import StyleSheet
from rag_assets.readers.html_tables import GridBuilder
from rag_assets.readers.html_taming import tame
from rag_assets.readers.html_text import BREAKING, NO_WIDTH, UNSEEN, characters_inside, fold
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.plain_text import read_text, text_blocks
from rag_assets.readers.typed_filings import is_all_typed, is_typed, with_typed_tables
from rag_assets.tables.text_tables import with_text_tables

READER_VERSION = "2"
MAX_DEPTH = 5000
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)
_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "dl"})


def read_html(content: bytes, source: Source, limits: ReadLimits) -> Document:
    """Headings, paragraphs, lists, code and tables of a page. Raises Quarantine (bad_encoding, too_deep, …)."""
    page_text = _decoded(content).replace("\x00", "")
    if is_typed(page_text):
        if is_all_typed(page_text):
            return read_text(unescape(page_text), source)
        page_text = with_typed_tables(page_text)
    text = tame(page_text)
    tree = LexborHTMLParser(text)
    body = tree.body
    if body is None:
        raise Quarantine(Reason.EMPTY_FILE, "no body")
    sheet = StyleSheet([node.text(deep=True) for node in tree.css("style")[:50]])
    counted = count_page(body)
    page = _Page(sheet, limits)
    page.walk(body)
    title = tree.css_first("title")
    blocks, rules = _with_typed_pages(page.blocks)
    drawn = with_text_tables(blocks, len(page.grids.grids))
    hidden = page.hidden + page.grids.hidden_characters
    dropped = {"hidden": hidden, "ruling": drawn.ruling, "rule": rules}
    return Document(
        source=source,
        blocks=drawn.blocks,
        grids=(*page.grids.grids, *drawn.grids),
        cells_in=counted.cells + drawn.cells,
        cells_dropped={"hidden": page.hidden_cells} if page.hidden_cells else {},
        characters_in=counted.characters,
        characters_dropped={name: n for name, n in dropped.items() if n},
        title=fold(title.text(deep=True)) or None if title is not None else None,
    )


def _with_typed_pages(blocks: list[Block]) -> tuple[list[Block], int]:
    """Preformatted text of several paragraphs around a drawn table is a typed page, not code."""
    out: list[Block] = []
    rules = 0
    for block in blocks:
        if block.kind is BlockKind.CODE and "\n\n" in block.text and with_text_tables([block], 0).grids:
            typed, ruled = text_blocks(block.text)
            path = block.heading_path
            out += [replace(one, heading_path=(*path, *one.heading_path)) for one in typed]
            rules += ruled
        else:
            out.append(block)
    numbered = (
        [replace(block, id=BlockId(f"b{n}")) for n, block in enumerate(out, 1)] if len(out) > len(blocks) else out
    )
    return numbered, rules


def _decoded(content: bytes) -> str:
    """By byte order mark, then by what the page says, then as any text file."""
    if not content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        said = _CHARSET.search(content[:4096])
        name = said[1].decode("ascii").lower() if said else None
        if name and name not in ("utf-8", "utf8", "utf-16", "utf-16le", "utf-16be"):
            try:
                return content.decode(
                    "cp1252" if name in ("iso-8859-1", "latin-1", "latin1", "ascii", "us-ascii") else name
                )
            except (LookupError, UnicodeDecodeError):
                pass
    return decode(content.replace(b"\x00", b"") if _is_ascii_with_nul(content) else content).text


def _is_ascii_with_nul(content: bytes) -> bool:
    """NUL bytes strewn into a page of one-byte text; a two-byte encoding has them at every other place."""
    nul = content[:4096].count(b"\x00")
    return 0 < nul < min(len(content), 4096) / 4


class _Page:
    """One pass over the body; text gathers until an element starts or ends a block."""

    def __init__(self, sheet: StyleSheet, limits: ReadLimits) -> None:
        self.sheet = sheet
        self.grids = GridBuilder(sheet, limits.cells)
        self.blocks: list[Block] = []
        self.headings: list[tuple[int, str]] = []
        self.parts: list[str] = []
        self.kind = BlockKind.PROSE
        self.level: int | None = None
        self.hidden = 0
        self.hidden_cells = 0
        self._after: LexborNode | None = None

    def walk(self, body: LexborNode) -> None:
        """Without recursion: pages nest as deep as they like, up to a bound."""
        node = body.child
        trail: list[tuple[LexborNode, BlockKind, int | None]] = []
        while node is not None or trail:
            if node is None:
                self._leave(trail.pop())
                node = self._after
                continue
            if node.is_text_node:
                raw = node.text_content or ""
                self.parts.append(raw if self.kind is BlockKind.CODE else raw.replace("\n", " "))
                node = node.next
                continue
            if self._enters(node):
                if len(trail) > MAX_DEPTH:
                    raise Quarantine(Reason.TOO_DEEP, f"elements nested over {MAX_DEPTH} deep")
                trail.append((node, self.kind, self.level))
                self._enter(node.tag or "")
                node = node.child
                continue
            node = node.next
        self._flush()

    def _enters(self, node: LexborNode) -> bool:
        tag = node.tag or ""
        if tag == "br":
            self.parts.append("\n")
            return False
        if tag in UNSEEN or not node.is_element_node:
            return False
        hidden = self.sheet.look(node.attributes).hidden
        if tag == "table":
            self._table(node, hidden)
            return False
        if hidden:
            self.hidden += characters_inside(node)
            self.hidden_cells += count_page(node).cells
            return False
        return True

    def _table(self, node: LexborNode, hidden: bool) -> None:
        self._flush()
        first = len(self.grids.grids)
        self.grids.build(node, hidden)
        for grid in self.grids.grids[first:]:
            self._add(BlockKind.GRID, "", grid=grid.id)

    def _enter(self, tag: str) -> None:
        if tag in BREAKING:
            self._break(tag)
        if tag in _HEADINGS:
            self.kind, self.level = BlockKind.HEADING, _HEADINGS[tag]
        elif tag in _LISTS:
            self.kind = BlockKind.LIST
        elif tag == "pre":
            self.kind = BlockKind.CODE

    def _leave(self, entered: tuple[LexborNode, BlockKind, int | None]) -> None:
        node, kind, level = entered
        tag = node.tag or ""
        if tag in BREAKING:
            self._break(tag, leaving=True)
        self.kind, self.level = kind, level
        self._after = node.next

    def _break(self, tag: str, leaving: bool = False) -> None:
        """A list stays one block with a line for each item; preformatted text and everything else ends the block."""
        if tag == "pre":
            self._flush()
        elif self.kind is BlockKind.LIST and not (leaving and tag in _LISTS):
            self.parts.append("\n")
        elif not (tag in _LISTS and self.kind is BlockKind.LIST and not leaving):
            self._flush()

    def _flush(self) -> None:
        raw = "".join(self.parts)
        self.parts = []
        text = raw.translate(NO_WIDTH).strip("\n").rstrip() if self.kind is BlockKind.CODE else fold(raw)
        if text and not text.isspace():
            self._add(self.kind, text, self.level if self.kind is BlockKind.HEADING else None)

    def _add(self, kind: BlockKind, text: str, level: int | None = None, grid: GridId | None = None) -> None:
        if kind is BlockKind.HEADING and level is not None:
            text = text.replace("\n", " ")
            self.headings = [h for h in self.headings if h[0] < level]
        path = tuple(heading for _, heading in self.headings)
        block_id = BlockId(f"b{len(self.blocks) + 1}")
        self.blocks.append(Block(id=block_id, kind=kind, text=text, level=level, heading_path=path, grid=grid))
        if kind is BlockKind.HEADING and level is not None:
            self.headings.append((level, text))
