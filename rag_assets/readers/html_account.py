"""The reader's side of a page's account, counted before any structure is built.

Holds: `PageCount`, `count_page`.
Add here: nothing that shares code with how blocks and cells are made.
Never here: what is dropped and why (html, html_tables).
"""

from collections.abc import Mapping
from typing import NamedTuple

from selectolax.lexbor import LexborNode

NOT_SHOWN = frozenset(
    {"script", "style", "template", "noscript", "head", "title", "meta", "link", "iframe", "object", "svg", "select",
     "datalist", "audio", "video", "canvas", "map"}
)  # fmt: skip
FOLDED_AWAY = dict.fromkeys(map(ord, "\u200b\ufeff\u00ad"))

_NOT_SHOWN = ",".join(sorted(NOT_SHOWN))


class PageCount(NamedTuple):
    """`characters` that are not white space in all text a page can show; `cells` with any of it in themselves."""

    characters: int
    cells: int


def count_page(body: LexborNode) -> PageCount:
    """All text under `body`, less what is in elements that show none; each cell by its own text."""
    silent = {node.mem_id: node for node in body.css(_NOT_SHOWN)}
    characters = _characters(body.text(deep=True)) - _unshown(body, silent)
    cells = body.css("td:not(:empty),th:not(:empty)")
    if not silent and body.css_first("td table,th table") is None:
        return PageCount(characters, sum(1 for cell in cells if _is_shown(cell.text(deep=True))))
    return PageCount(characters, sum(1 for cell in cells if _has_own_text(cell)))


def _characters(text: str) -> int:
    if not text.isascii():
        text = text.translate(FOLDED_AWAY)
    return len("".join(text.split()))


def _is_shown(text: str) -> bool:
    return bool(text.strip() if text.isascii() else text.translate(FOLDED_AWAY).strip())


def _unshown(body: LexborNode, found: Mapping[int, LexborNode]) -> int:
    """Characters under the outermost elements that show nothing."""
    count = 0
    for node in found.values():
        above = node.parent
        while above is not None and above.mem_id not in found and above.mem_id != body.mem_id:
            above = above.parent
        if above is None or above.mem_id not in found:
            count += _characters(node.text(deep=True))
    return count


def _has_own_text(cell: LexborNode) -> bool:
    node = cell.child
    trail: list[LexborNode] = []
    while node is not None:
        tag = node.tag or ""
        if node.is_text_node:
            if _is_shown(node.text_content or ""):
                return True
        elif tag != "table" and tag not in NOT_SHOWN and node.child is not None:
            trail.append(node)
            node = node.child
            continue
        while node.next is None and trail:
            node = trail.pop()
        node = node.next
    return False
