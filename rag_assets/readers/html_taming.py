"""Markup that parsers choke on, cut before parsing; the visible text stays as it is.

Holds: `tame`.
Add here: another construct that makes a parser slow or hides text from it.
Never here: charsets, what the markup means.
"""

import re

MAX_DEPTH = 512  # where browsers stop nesting too
LONG_TAG = 20_000
MANY_ATTRIBUTES = 2_000
SLICE = 4096

_LONG = re.compile(rf"<([A-Za-z][\w:-]*)[^<>]{{{LONG_TAG},}}")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]*)[^<>]*>")
_VOID = frozenset(
    {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "p",
        "li",
        "dt",
        "dd",
        "option",
    }
)
_CELL = frozenset({"td", "th", "tr", "tbody", "thead", "tfoot", "caption", "colgroup"})
_INLINE = frozenset(
    {"b", "i", "u", "s", "a", "em", "strong", "font", "span", "small", "big", "sub", "sup", "code", "tt"}
)
_ENDED_BY = {"td": frozenset({"td", "th"}), "th": frozenset({"td", "th"})}
_ROW_ENDS = frozenset({"td", "th", "tr"})


def tame(text: str) -> str:
    """Cut tags with thousands of attributes and nesting deeper than a browser keeps.

    100,000 open <div> take lexbor 55 s, 100,000 attributes 34 s.
    """
    if _has_long_tag(text):
        text = _LONG.sub(lambda m: f"<{m[1]}" if len(m[0].split()) > MANY_ATTRIBUTES else m[0], text)
    return _flattened(text) if _may_be_deep(text) else text


def _has_long_tag(text: str) -> bool:
    """A tag of LONG_TAG characters covers a whole window of half that length: one look at each window is enough."""
    step = LONG_TAG // 2
    return any(text.find(">", start, start + step) < 0 for start in range(0, len(text), step))


def _may_be_deep(text: str) -> bool:
    """A cheap upper bound of the depth, counted in slices; only text over it is scanned tag by tag."""
    depth = 0
    for start in range(0, len(text), SLICE):
        piece = text[start : start + SLICE]
        closed = piece.count("</")
        opened = piece.count("<") - closed
        if depth + max(opened - closed, 0) > MAX_DEPTH // 2 or opened > MAX_DEPTH:
            opened -= piece.count("<br") + piece.count("<hr") + piece.count("<img") + piece.count("<!")
        if depth + max(opened - closed, 0) > MAX_DEPTH or opened > MAX_DEPTH:
            return True
        depth = max(depth + opened - closed, 0)
    return False


def _flattened(text: str) -> str:
    out: list[str] = []
    kept_until = 0
    stack: list[str] = []
    for found in _TAG.finditer(text):
        name = found[2].lower()
        if name in _VOID or found[0].endswith("/>"):
            continue
        if found[1]:
            _close(stack, name)
            continue
        if name in _CELL:
            _close_cell(stack, name)
        if len(stack) < MAX_DEPTH:
            stack.append(name)
            continue
        out.append(text[kept_until : found.start()])
        if name not in _INLINE:
            out.append(" ")
        kept_until = found.end()
    out.append(text[kept_until:])
    return "".join(out)


def _close(stack: list[str], name: str) -> None:
    if name in stack:
        while stack.pop() != name:
            pass


def _close_cell(stack: list[str], name: str) -> None:
    """A new cell or row closes the open one of its table, with all that was left open inside it."""
    enders = _ENDED_BY.get(name, _ROW_ENDS | {name})
    for back in range(len(stack) - 1, -1, -1):
        if stack[back] == "table":
            return
        if stack[back] in enders:
            del stack[back:]
            if name in _ENDED_BY:
                return
