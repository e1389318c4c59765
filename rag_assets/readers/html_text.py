"""The text inside one element: what is shown, in order, with its line breaks.

Holds: `InnerText`, `inner_text`, `visible_characters`.
Add here: another element that breaks a line or is not shown.
Never here: blocks of a page (html), cells of a table (html_tables).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from rag_assets.readers.html_style import StyleSheet

UNSEEN = frozenset(
    {"script", "style", "template", "noscript", "head", "title", "meta", "link", "iframe", "object", "svg", "select"}
    | {"datalist", "audio", "video", "canvas", "map", "-comment"}
)
BREAKING = frozenset(
    {"p", "div", "li", "ul", "ol", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "section"}
    | {"article", "header", "footer", "center", "address", "tr", "table", "hr"}
)
MAX_DEPTH = 2000  # elements inside each other; real documents stay under 100
NO_WIDTH = dict.fromkeys(map(ord, "\u200b\ufeff\u00ad"))
_PLAIN = frozenset({"span", "font", "b", "strong", "i", "em", "p", "div"})
_BLANKS = re.compile(r"[ \t\r\f\v\u2002-\u200a\u202f\u205f\u3000\u00a0\u200b\ufeff\u00ad]+")
_LINES = re.compile(r" ?\n ?(?:\n ?)*")


class InnerText(NamedTuple):
    """`text` with blanks folded and "\\n" for breaks; `leading` counts no-break spaces before it."""

    text: str
    bold: bool = False
    indent: float = 0.0
    marks: tuple[str, ...] = ()
    leading: int = 0
    hidden_characters: int = 0


def fold(raw: str) -> str:
    """Blanks to one space, soft hyphens and zero-width characters out, no blank lines."""
    if raw.isascii() and "\n" not in raw:
        return " ".join(raw.split())
    return _LINES.sub("\n", _BLANKS.sub(" ", raw)).strip(" \n")


def shown_characters(text: str) -> int:
    """Characters that are not white space, soft hyphens or zero-width marks: what `fold` keeps."""
    return len("".join(_BLANKS.sub("", text).split()))


def inner_text(cell: LexborNode, sheet: StyleSheet) -> InnerText:
    """What one element shows. Hidden parts inside it are left out and counted; nested tables are left out."""
    only = cell.child
    if only is None:
        return InnerText("")
    if only.next is None and only.is_text_node:
        raw = only.text_content or ""
        return InnerText(fold(raw.replace("\n", " ")), leading=_leading(raw))
    plain = _of_one_span(only, sheet)
    if plain is not None:
        return plain
    parts: list[str] = []
    state = _State(sheet)
    state.walk(cell, parts)
    raw = "".join(parts)
    text = fold(raw)
    marks = tuple(m for mark in state.marks if (m := fold(mark)) and text.endswith(m) and m != text)
    return InnerText(text, state.bold, state.indent, marks[-1:], _leading(raw), state.hidden)


def _of_one_span(only: LexborNode, sheet: StyleSheet) -> InnerText | None:
    """The usual cell of a filing: one styled element around one text. None for anything else."""
    if only.next is not None or only.tag not in _PLAIN:
        return None
    text = only.child
    if text is None or text.next is not None or not text.is_text_node:
        return None
    look = sheet.look(only.attributes)
    if look.hidden:
        return None
    raw = text.text_content or ""
    return InnerText(
        fold(raw.replace("\n", " ")), look.bold or only.tag in ("b", "strong"), look.indent, (), _leading(raw)
    )


def _leading(raw: str) -> int:
    stripped = raw.lstrip("\n\r\t ")
    return len(stripped) - len(stripped.lstrip("\u00a0\u2003\u2002 "))


class _State:
    __slots__ = ("bold", "hidden", "indent", "marks", "seen", "sheet")

    def __init__(self, sheet: StyleSheet) -> None:
        self.sheet = sheet
        self.bold = False
        self.indent = 0.0
        self.marks: list[str] = []
        self.hidden = 0
        self.seen = False

    def walk(self, node: LexborNode, parts: list[str], depth: int = 0) -> None:
        """Depth first; too deep an element gives its text as a whole."""
        child = node.child
        while child is not None:
            if child.is_text_node:
                text = (child.text_content or "").replace("\n", " ")
                parts.append(text)
                self.seen = self.seen or not text.isspace()
            else:
                self._element(child, parts, depth)
            child = child.next

    def _element(self, child: LexborNode, parts: list[str], depth: int) -> None:
        tag = child.tag or ""
        if tag == "br":
            parts.append("\n")
            return
        if tag in UNSEEN or tag == "table" or not child.is_element_node:
            return
        look = self.sheet.look(child.attributes)
        if look.hidden:
            self.hidden += characters_inside(child, tables=False)
            return
        if not self.seen:
            self.bold = self.bold or look.bold or tag in ("b", "strong", "th")
            self.indent += look.indent
        breaks = tag in BREAKING
        if breaks and parts:
            parts.append("\n")
        start = len(parts)
        if depth < 200:
            self.walk(child, parts, depth + 1)
        else:
            parts.append(child.text(deep=True))
        if tag == "sup":
            self.marks.append("".join(parts[start:]))
        if breaks:
            parts.append("\n")


def text_nodes(root: LexborNode, *, tables: bool = True) -> Iterator[tuple[LexborNode, str]]:
    """(text node, tag of its parent) for every text that an element may show, without recursion.

    `tables` False leaves out what stands in tables inside the element.
    """
    node, depth = root.child, 1
    while node is not None and depth > 0:
        tag = node.tag or ""
        if node.is_text_node:
            yield node, tag
        elif tag not in UNSEEN and node.child is not None and (tables or tag != "table"):
            node, depth = node.child, depth + 1
            continue
        while node is not None and node.next is None:
            node, depth = node.parent, depth - 1
            if depth == 0:
                return
        node = node.next if node is not None else None


def characters_inside(root: LexborNode, *, tables: bool = True) -> int:
    return sum(shown_characters(node.text_content or "") for node, _ in text_nodes(root, tables=tables))


def all_text(root: LexborNode) -> str:
    """The text of an element, hidden parts and all, nested tables left out."""
    return fold(" ".join(node.text_content or "" for node, _ in text_nodes(root, tables=False)))
