"""What a tag's attributes say about how it looks: hidden, indented, bold.

Holds: `Look`, `look_of`, `StyleSheet`.
Add here: another spelling of hidden, another unit of length.
Never here: what a look means for a table (tables/).
"""

import re
from functools import lru_cache
from typing import NamedTuple

_EM = {
    "em": 1.0,
    "rem": 1.0,
    "ex": 0.5,
    "ch": 0.5,
    "pt": 1 / 9,
    "px": 1 / 12,
    "in": 8.0,
    "cm": 3.15,
    "mm": 0.315,
    "%": 1 / 3,
}
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(em|rem|ex|ch|pt|px|in|cm|mm|%)?", re.IGNORECASE)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?<![\w-])(?:font-size|width|height|max-width|max-height|opacity)"
    r"\s*:\s*0*\.?0+(?:\s*(?:px|pt|em|rem|%|in|cm|mm))?\s*(?:!important\s*)?(?:;|$)",
    re.IGNORECASE,
)
_ZERO_SIZE = re.compile(r"(?<![\w-])(?:width|height)\s*:", re.IGNORECASE)
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|bolder|[6-9]00)|font\s*:[^;]*\bbold", re.IGNORECASE)
_PADDING = re.compile(r"(?<![\w-])(padding|margin)(-left|-inline-start)?\s*:\s*([^;]+)", re.IGNORECASE)
_TEXT_INDENT = re.compile(r"text-indent\s*:\s*([^;]+)", re.IGNORECASE)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
MAX_SHEET = 400_000  # characters of style rules read


class Look(NamedTuple):
    """`indent` in em."""

    hidden: bool = False
    bold: bool = False
    indent: float = 0.0


PLAIN = Look()


@lru_cache(maxsize=16384)
def look_of(style: str) -> Look:
    """What one distinct style attribute says; a zero width or height hides only where overflow is cut as well."""
    hidden = False
    for found in _HIDDEN.finditer(style):
        hidden = hidden or not _ZERO_SIZE.match(found[0]) or "overflow" in style.lower()
    return Look(hidden, bool(_BOLD.search(style)), _indent(style))


def _indent(style: str) -> float:
    indent = 0.0
    for kind, side, value in _PADDING.findall(style):
        lengths = _LENGTH.findall(value)
        if not lengths:
            continue
        left = lengths[0] if side else lengths[{1: 0, 2: 1, 3: 1}.get(len(lengths), min(3, len(lengths) - 1))]
        if kind.lower() == "padding" or side:
            indent += _em(left)
    text = _TEXT_INDENT.search(style)
    first = _LENGTH.search(text[1]) if text else None
    return max(indent + (_em(first.groups()) if first else 0.0), 0.0)


def _em(length: tuple[str | None, ...]) -> float:
    number, unit = length[0] or "0", (length[1] or "px").lower()
    return float(number) * _EM[unit]


class StyleSheet:
    """Class rules of the page's own `<style>` elements, where a selector is one class or a tag with one class."""

    def __init__(self, texts: list[str]) -> None:
        self._rules: dict[str, str] = {}
        for text in texts:
            for selectors, body in _RULE.findall(_COMMENT.sub("", text[:MAX_SHEET])):
                for selector in selectors.split(","):
                    found = re.fullmatch(r"\s*[\w-]*\.([\w-]+)\s*", selector)
                    if found:
                        self._rules[found[1]] = f"{self._rules.get(found[1], '')};{body.strip()}"

    def style_of(self, attributes: dict[str, str | None]) -> str:
        """The style attribute behind what the classes say."""
        style = attributes.get("style") or ""
        classes = attributes.get("class")
        if not classes or not self._rules:
            return style
        ruled = ";".join(self._rules[name] for name in classes.split() if name in self._rules)
        return f"{ruled};{style}" if ruled else style

    def look(self, attributes: dict[str, str | None]) -> Look:
        if not attributes:
            return PLAIN
        style = self.style_of(attributes)
        look = look_of(style) if style else PLAIN
        if "hidden" in attributes or attributes.get("aria-hidden") == "true":
            look = look._replace(hidden=True)
        return look
