"""Caption run and unit line: what stands over a table and says what all of it is in.

Holds: `Unit`, `unit_of`, `caption_run`, `running_heads`, `is_page_number`, `row_is_excepted`.
Add here: another way a unit line or its exceptions are printed.
Never here: units printed in the cells themselves (values).
"""

import re
from collections import Counter
from collections.abc import Container, Sequence
from typing import NamedTuple

from rag_assets.model.document import Block, BlockKind

RUN = 5  # paragraphs
SHORT = 160  # characters of a caption paragraph
SEVERAL_PAGES = 3
_SCALE = re.compile(r"\b(thousands?|millions?|billions?|trillions?)\b|\b(?:000s?|000['’]s)\b", re.IGNORECASE)
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_UNIT_LINE = re.compile(
    r"\b(?:in|of|amounts?|figures?|expressed|stated|presented|dollars?|US\$|USD|EUR|GBP|\$|€|£|¥)\W+(?:[\w.$€£¥]+\W+){0,4}?"
    r"(?:thousands?|millions?|billions?|trillions?)\b|^\W*(?:thousands?|millions?|billions?)\b|\b(?:US|C|A)?\$\s?(?:000s?|m|bn)\b"
    r"|[€£¥]\s?(?:000s?|m|bn)\b|\bper\s?cent(?:age)?s?\b.*$|^\W*in\s+(?:%|percent|dollars|euros?|units|tons?)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except|excluding|other than|unless)\b(.*)$", re.IGNORECASE)
_WORDS = re.compile(r"[a-z]+")
_PER_SHARE = re.compile(
    r"\bper\b.*\b(?:share|unit|ads|stock|ordinary)\b|\bEPS\b|\bearnings per\b|\bloss per\b", re.IGNORECASE
)
_SHARES = re.compile(
    r"\bshares?\b.*\b(?:outstanding|issued|used|repurchased|authorized)\b|\bnumber of\b"
    r"|\bweighted[\s-]average\b.*\bshares?\b",
    re.IGNORECASE,
)
_PAR_VALUE = re.compile(r"\bpar\b|\bstated value\b", re.IGNORECASE)  # the row is the stock's amount, not its number
_RATIO = re.compile(r"\bratios?\b|\bmargin\b|\brates?\b|%|\bpercent(?:age)?\b|\bas a % of\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"[-–—. ]*(?:page\s+)?(?:[A-Z]{1,2}-)?\d{1,4}(?:\s+of\s+\d{1,4})?[-–—. ]*"
    r"|[^|\n]*\|\s*(?:page\s+)?\d{1,3}"
    r"|page\s+[ivxl]+",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"\W*(?:(?:back|return)\s+to\s+)?(?:table\s+of\s+)?contents\W*", re.IGNORECASE)


class Unit(NamedTuple):
    """`line` is the whole printed line; `scale` what it multiplies by; `excepted` the words after "except"."""

    line: str
    scale: int
    excepted: str = ""


def unit_of(captions: Sequence[str]) -> Unit | None:
    """The unit line among caption lines, the nearest to the table first; None where none states one."""
    for text in reversed(captions):
        stripped = text.strip()
        match = _UNIT_LINE.search(stripped)
        if not match or len(stripped) > SHORT:
            continue
        line = _bracketed(stripped) or stripped
        before_exception = _EXCEPT.split(line)[0]
        scale = _SCALE.search(before_exception)
        excepted = _EXCEPT.search(line)
        return Unit(line.strip("() "), _scale(scale), excepted[1] if excepted else "")
    return None


def _bracketed(text: str) -> str | None:
    """The bracketed part of a title line that holds the unit: "Balance sheets (in millions)"."""
    for found in re.finditer(r"\(([^()]*)\)", text):
        if _UNIT_LINE.search(found[1]):
            return found[1]
    return None


def _scale(found: re.Match[str] | None) -> int:
    if found is None:
        return 1
    word = (found[1] or "thousand").lower().rstrip("s")
    return _SCALES.get(word, 1000)


def row_is_excepted(unit: Unit, path: Sequence[str], heading: str) -> bool:
    """Whether an exception of the unit line takes this row or column out of the scale.

    "in millions, except per share data" excepts rows that are per share; "except share and per share data" also counts
    of shares; "except percentages" ratios. What is per share is out of the scale where any exception is stated.
    """
    words = unit.excepted.lower()
    text = " ".join((*path, heading))
    if not words:
        return False
    if _PER_SHARE.search(text):
        return "per" in words or "share" in words
    if _SHARES.search(text) and not _PAR_VALUE.search(text):
        return bool(re.search(r"\bshares?\b", re.sub(r"\bper[\s-]shares?\b|\bshares? data\b", " ", words)))
    if _RATIO.search(text):
        return bool(re.search(r"percent|ratio|%|rates?\b", words))
    last = path[-1].lower() if path else ""
    return any(len(word) > 4 and word in last and word not in ("share", "amounts") for word in _WORDS.findall(words))


def caption_run(blocks: Sequence[Block], place: int, running: Container[str] = ()) -> tuple[Block, ...]:
    """Up to five consecutive short paragraphs or headings right before block `place`, in reading order.

    The run ends at a table, a list, a long paragraph, a sentence that is longer than a title, or the end of the page
    before. Heads that are `running` from page to page are left out.
    """
    run: list[Block] = []
    for block in reversed(blocks[max(place - RUN, 0) : place]):
        if block.kind is BlockKind.HEADING and run:
            break
        if block.kind not in (BlockKind.PROSE, BlockKind.HEADING) or not _is_short(block.text):
            break
        if _is_contents_link(block.text) or block.text in running:
            continue
        if is_page_number(block.text):
            break
        run.append(block)
        if block.kind is BlockKind.HEADING:
            break
    return tuple(reversed([block for block in run if block.kind is BlockKind.PROSE]))


def running_heads(blocks: Sequence[Block]) -> frozenset[str]:
    """Short lines that stand beside a page number, or behind the link to the contents, on several pages."""
    beside: Counter[str] = Counter()
    for n, block in enumerate(blocks):
        if block.kind is BlockKind.GRID or not (is_page_number(block.text) or _is_contents_link(block.text)):
            continue
        near = {b.text for b in (*blocks[max(n - 1, 0) : n], *blocks[n + 1 : n + 2]) if b.kind is BlockKind.PROSE}
        beside.update(text for text in near if _is_short(text) and not is_page_number(text))
    return frozenset(text for text, times in beside.items() if times >= SEVERAL_PAGES)


def is_page_number(text: str) -> bool:
    """ "12", "- 12 -", "F-12", "Page 12 of 40", "Harbor Tools | 12"."""
    return len(text) <= SHORT and bool(_PAGE_NUMBER.fullmatch(text))


def _is_contents_link(text: str) -> bool:
    return len(text) <= SHORT and bool(_CONTENTS.fullmatch(text))


def _is_short(text: str) -> bool:
    if len(text) > SHORT:
        return False
    sentence = text.rstrip().endswith((".", ";")) and len(text.split()) > 8
    return not sentence
