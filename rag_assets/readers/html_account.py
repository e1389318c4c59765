"""The reader's side of a page's account, counted before any structure is built.

Holds: `PageCount`, `count_page`.
Add here: nothing that shares code with how blocks and cells are made.
Never here: what is dropped and why (html, html_tables).
"""

from typing import NamedTuple

from selectolax.lexbor import LexborNode

NOT_SHOWN = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "head",
        "title",
        "meta",
        "link",
        "iframe",
        "object",
        "svg",
        "select",
        "datalist",
        "audio",
        "video",
        "canvas",
        "map",
    ]
)
FOLDED_AWAY = dict.fromkeys(map(ord, "\u200b\ufeff\u00ad"))


class PageCount(NamedTuple):
    """`characters` that are not white space in all text a page can show; `cells` with any of it in themselves."""

    characters: int
    cells: int


def count_page(body: LexborNode) -> PageCount:
    """Walk all text nodes once; each belongs to the innermost cell around it."""
    characters = 0
    filled: set[int] = set()
    cells: list[int] = []
    node, depth = body.child, 1
    marks: list[int] = []
    while node is not None:
        tag = node.tag or ""
        if node.is_text_node:
            n = len("".join((node.text_content or "").translate(FOLDED_AWAY).split()))
            characters += n
            if n and cells:
                filled.add(cells[-1])
        elif tag not in NOT_SHOWN and node.child is not None:
            if tag in ("td", "th"):
                cells.append(node.mem_id)
                marks.append(depth)
            elif tag == "table":
                cells.append(0)
                marks.append(depth)
            node, depth = node.child, depth + 1
            continue
        while node is not None and node.next is None:
            node, depth = node.parent, depth - 1
            if depth == 0 or node is None:
                return PageCount(characters, len(filled - {0}))
            if marks and marks[-1] == depth:
                marks.pop()
                cells.pop()
        node = node.next if node is not None else None
    return PageCount(characters, len(filled - {0}))
