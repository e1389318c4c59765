"""Figures in running text: every number, amount, percentage and date a sentence claims.

Holds: `Figure`, `figures_in`.
Add here: another way a figure is written.
Never here: where a figure comes from (cell_check).
"""

import re
from typing import NamedTuple

from rag_assets.tables.values import CURRENCY, read_date

_SCALES = {
    **dict.fromkeys(("thousand", "k", "mil"), 10**3),
    **dict.fromkeys(("million", "millions", "mn", "m", "mm", "millones", "millionen"), 10**6),
    **dict.fromkeys(("billion", "bn", "b"), 10**9),
    "trillion": 10**12,
    "万": 10**4,
    "亿": 10**8,
}
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS: dict[str, int] = {
    **{word: n for n, word in enumerate(_ONES.split())},
    **{word: 10 * n for n, word in enumerate(_TENS.split(), start=2)},
}
_SPELLED = re.compile(
    rf"\b(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[-\s])?(?P<one>{'|'.join(_WORDS)})\b"
    r"(?:\s+(?P<scale>thousand|million|billion))?(?:\s*(?P<percent>%|percent|per cent))?",
    re.IGNORECASE,
)
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{1,2}}\s+{_MONTH}\.?\s+\d{{4}})\b"
)
_NUMBER = re.compile(
    rf"(?P<minus>[-−(]\s?)?(?P<before>{CURRENCY})?\s?(?P<minus2>[-−])?(?<![\w.,])"
    r"(?P<number>\d{1,3}(?:[,.'’\u202f\u00a0 ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\w]*\d)"
    rf"(?:\s?(?P<percent>%|percent\b|per cent\b|por ciento\b|Prozent\b|pour cent\b))?"
    rf"(?:\s?(?P<scale>thousand|millions?|billion|trillion|millones|Millionen|mil|mn|bn|MM|[KkMmBb](?![A-Za-z])|万|亿))?"
    rf"(?:\s?(?P<after>{CURRENCY}))?",
)
_MARK = re.compile(r"\[(?:t?\d+(?:\s*,\s*t?\d+)*)\]")
_LIST_NUMBER = re.compile(r"(?m)^\s*\d{1,2}[.)]\s+")


class Figure(NamedTuple):
    """`values` are the magnitudes it can be read as ("1.234" is two); a percent is a fraction. `date` is ISO text."""

    text: str
    start: int
    values: frozenset[float] = frozenset()
    percent: bool = False
    currency: str | None = None
    scaled: bool = False
    date: str | None = None


def figures_in(text: str) -> tuple[Figure, ...]:
    """All figures of a text, in order; citation marks and list numbers are none."""
    blank = _LIST_NUMBER.sub(_spaces, _MARK.sub(_spaces, text))
    found: list[Figure] = []
    for match in _DATE.finditer(blank):
        said = read_date(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", match[0]))
        if said:
            found.append(Figure(match[0], match.start(), date=said))
    blank = _DATE.sub(_spaces, blank)
    found += [_number(match) for match in _NUMBER.finditer(blank)]
    blank = _NUMBER.sub(_spaces, blank)
    found += [figure for match in _SPELLED.finditer(blank) if (figure := _spelled(match))]
    return tuple(sorted(found, key=lambda figure: figure.start))


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _number(match: re.Match[str]) -> Figure:
    readings = readings_of(match["number"])
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
    factor = 0.01 if match["percent"] else 1
    negative = bool(match["minus2"]) or (match["minus"] or "").strip() in ("-", "−")
    values = frozenset(round((-v if negative else v) * scale * factor, 12) for v in readings)
    currency = match["before"] or match["after"]
    return Figure(match[0].strip(" ("), match.start(), values, bool(match["percent"]), currency, scale != 1)


def readings_of(number: str) -> frozenset[float]:
    """What digits with separators can mean: "1,234" is one number, "1.234" two, "9,4" one with a decimal comma."""
    plain = re.sub(r"['’\u202f\u00a0 ]", "", number)
    found = set()
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?", plain):
        found.add(float(plain.replace(",", "")))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+", plain) and not re.fullmatch(r"\d{1,3}(?:,\d{3})+", plain):
        found.add(float(plain.replace(".", "").replace(",", ".")))
    return frozenset(found or {float(re.sub(r"[.,]", "", plain))})


def _spelled(match: re.Match[str]) -> Figure | None:
    """ "twelve percent"; a lone small word without unit or scale is hardly ever a claim ("one of them")."""
    value = _WORDS[match["one"].lower()] + (_WORDS[match["tens"].lower()] if match["tens"] else 0)
    if not match["percent"] and not match["scale"] and value < 11:
        return None
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
    factor = 0.01 if match["percent"] else 1
    return Figure(match[0], match.start(), frozenset({round(value * scale * factor, 12)}), bool(match["percent"]))
