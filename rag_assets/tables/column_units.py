"""Units in a heading: what the figures of one column are in.

Holds: `ColumnUnit`, `column_unit`.
Add here: another way a heading names the unit of its column.
Never here: the unit line of the whole table (caption), signs in the cells themselves (values).

    |  2020 | 2019  |
    | £'000 |   %   |      → £ × 1,000; percent
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

_UNIT = re.compile(
    r"(?P<sign>US\$|C\$|A\$|[$€£¥₹]|USD|EUR|GBP|Rs\.?)?\s*(?:in\s+)?"
    r"(?P<scale>['’]?000['’]?s?|thousands?|m|mn|mm|millions?|bn|billions?|k)\b\.?",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\(?\s*(?:%|per\s?cent|percentage|percent)\s*\)?", re.IGNORECASE)
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,20})[)\]]$")
_SCALES = {"t": 10**3, "k": 10**3, "0": 10**3, "m": 10**6, "b": 10**9}


class ColumnUnit(NamedTuple):
    """`scale` is what the figures of the column are multiplied by, None where the heading states none."""

    unit: str | None = None
    scale: int | None = None
    percent: bool = False


NONE = ColumnUnit()


def column_unit(path: Sequence[str]) -> ColumnUnit:
    """The unit that a column's own heading states: a part that is nothing else, or brackets at its end."""
    for part in reversed(path):
        found = _of(part.strip()) or _of_brackets(part.strip())
        if found is not None:
            return found
    return NONE


def _of_brackets(part: str) -> ColumnUnit | None:
    found = _BRACKETED.search(part)
    return _of(found[1].strip()) if found else None


def _of(text: str) -> ColumnUnit | None:
    text = text.strip("()[] ")
    if not text:
        return None
    if _PERCENT.fullmatch(text):
        return ColumnUnit("percent", None, True)
    found = _UNIT.fullmatch(text)
    if found and (found["sign"] or len(found["scale"]) > 2):
        return ColumnUnit(found["sign"], _SCALES[found["scale"].strip("'’")[0].lower()])
    return None
