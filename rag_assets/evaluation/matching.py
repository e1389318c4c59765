"""When two texts or two figures count as the same.

Holds: folding of texts, figures read out of a text, agreement of values.
Add here: another way in which the same thing is written.
Never here: what a case expects of them (scorers/).
"""

import re
import unicodedata
from typing import NamedTuple

_BLANKS = re.compile(r"\s+")
_BEFORE_PERCENT = re.compile(r"\s+%")
_FIGURE = re.compile(
    r"(?P<open>\()?(?P<sign>[-\u2212\u2013])?(?P<unit>[$€£¥])?\s?(?P<minus>-)?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"\s?(?P<percent>%|percent\b)?\s?(?P<scale>(?:thousand|million|billion|bn)\b)?(?P<close>\))?",
    re.IGNORECASE,
)
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "bn": 1_000_000_000}
WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*", re.UNICODE)
_EPSILON = 1e-9


class Figure(NamedTuple):
    """`value` is the magnitude; a percent is a fraction with unit `percent`."""

    value: float
    unit: str | None


def fold(text: str) -> str:
    """NFKC, case and blanks folded, no blank before a percent sign."""
    return _BEFORE_PERCENT.sub("%", _BLANKS.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold())


def contains(text: str, wanted: str) -> bool:
    """`wanted` stands in `text`, but not as a part of a longer number: "12%" is not in "312%"."""
    inside, sought = fold(text), fold(wanted)
    if not sought:
        return True
    start = inside.find(sought)
    while start >= 0:
        if _stands_alone(inside, start, start + len(sought)):
            return True
        start = inside.find(sought, start + 1)
    return False


def same_text(one: str, other: str) -> bool:
    return fold(one) == fold(other)


def words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(fold(text)))


def figures_in(text: str) -> tuple[Figure, ...]:
    """All figures of a text: "9.4 %" is 0.094 percent, "($1.5 million)" is -1,500,000 $."""
    return tuple(_figure(found) for found in _FIGURE.finditer(unicodedata.normalize("NFKC", text)))


def same_value(found: object, wanted: object, tolerance: float = 0) -> bool:
    """Numbers agree within an absolute tolerance (at least what doubles lose), everything else as folded text."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, int | float) and isinstance(wanted, int | float):
        return abs(found - wanted) <= tolerance + _EPSILON * max(1.0, abs(wanted))
    return same_text(str(found), str(wanted))


def same_unit(found: str | None, wanted: str | None) -> bool:
    return wanted is None or (found is not None and same_text(found, wanted))


def same_address(found: str, wanted: str) -> bool:
    """Equal, or `wanted` is a cell inside the range `found` (`'Sheet'!C2:C41`)."""
    if found == wanted:
        return True
    sheet, _, cells = found.rpartition("!")
    wanted_sheet, _, cell = wanted.rpartition("!")
    first, separator, last = cells.partition(":")
    if not separator or sheet != wanted_sheet:
        return False
    corner, opposite, place = _a1(first), _a1(last), _a1(cell)
    if corner is None or opposite is None or place is None:
        return False
    return all(low <= here <= high for low, here, high in zip(corner, place, opposite, strict=True))


def _a1(cell: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"\$?([A-Z]{1,3})\$?(\d+)", cell)
    if found is None:
        return None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column, int(found[2])


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, first = text[start - 1 : start], text[start]
    after, last = text[end : end + 1], text[end - 1]
    if _joins(before, first) or _joins(last, after):
        return False
    # "3" is no part of "1.3", "3.5" or "1,300"
    left_number = first.isdigit() and before in {".", ","} and text[start - 2 : start - 1].isdigit()
    right_number = last.isdigit() and after in {".", ","} and text[end + 1 : end + 2].isdigit()
    return not (left_number or right_number)


def _joins(one: str, other: str) -> bool:
    """Both are digits of one number."""
    return one.isdigit() and other.isdigit()


def _figure(found: re.Match[str]) -> Figure:
    value = float(found["digits"].replace(",", ""))
    if found["sign"] or found["minus"] or (found["open"] and found["close"]):
        value = -value
    if found["percent"]:
        return Figure(value / 100, "percent")
    return Figure(value * _SCALES.get((found["scale"] or "").casefold(), 1), found["unit"])
