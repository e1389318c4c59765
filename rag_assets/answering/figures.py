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
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{1,2}}\s+{_MONTH}\.?,?\s+\d{{4}})\b"
)
_DAY = re.compile(
    rf"\b(?:(?P<m1>{_MONTH})\.?\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m2>{_MONTH}))\b"
)
_CLOCK = re.compile(
    r"(?<![\d:])(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?::\d\d)?(?:\s?(?P<half>[ap])\.?m\b\.?)?", re.IGNORECASE
)
_DIMENSIONS = (
    ("second", "minute", "hour", "day", "week", "month", "quarter", "year"),
    ("mm", "cm", "m", "km", "metre", "meter", "mile", "foot", "feet", "inch"),
    ("g", "kg", "lb", "pound", "ton", "tonne"),
)
MEASURES = {name + plural: n for n, names in enumerate(_DIMENSIONS) for name in names for plural in ("s", "")}
_NUMBER = re.compile(
    rf"(?P<minus>[-−(]\s?)?(?P<before>{CURRENCY})?\s?(?P<minus2>[-−(]\s?)?(?<![\w.,])"
    r"(?P<number>\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?"
    r"|\d{1,3}(?:[,.'’\u202f\u00a0 ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\w]*\d)"
    r"(?P<close>\))?(?:\s?(?P<percent>%|(?:percent|per cent|por ciento|Prozent|pour cent|basis points|bps)\b))?"
    r"(?:\s?(?P<scale>thousand|millions?|billion|trillion|millones|Millionen|mil|mn|bn|MM|万|亿)(?![A-Za-z])"
    r"|(?P<letter>[KkMmBb])(?![A-Za-z]))?"
    rf"(?:\s?(?P<after>{CURRENCY}))?(?:[\s-]?(?P<measure>(?i:{'|'.join(MEASURES)}))\b)?",
)
_MARK = re.compile(r"\[(?:t?\d+(?:\s*,\s*t?\d+)*)\]")
_LIST_NUMBER = re.compile(r"(?m)^\s*\d{1,2}[.)]\s+")


class Figure(NamedTuple):
    """`values` are the magnitudes it can be read as ("1.234" is two); a percent is a fraction.

    `date` is ISO text: a day, `--MM-DD` without its year, or `THH:MM`. `measure` is the word behind ("days").
    """

    text: str
    start: int
    values: frozenset[float] = frozenset()
    percent: bool = False
    currency: str | None = None
    scaled: bool = False
    date: str | None = None
    measure: str | None = None


def figures_in(text: str) -> tuple[Figure, ...]:
    """All figures of a text, in order; citation marks and list numbers are none."""
    blank = _LIST_NUMBER.sub(_spaces, _MARK.sub(_spaces, text))
    found: list[Figure] = []
    for match in _DATE.finditer(blank):
        said = read_date(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", match[0]))
        if said:
            found.append(Figure(match[0], match.start(), date=said))
    blank = _DATE.sub(_spaces, blank)
    found += [Figure(match[0], match.start(), date=_day(match)) for match in _DAY.finditer(blank)]
    blank = _DAY.sub(_spaces, blank)
    found += [Figure(match[0].strip(), match.start(), date=_clock(match)) for match in _CLOCK.finditer(blank)]
    blank = _CLOCK.sub(_spaces, blank)
    found += [_number(match) for match in _NUMBER.finditer(blank)]
    blank = _NUMBER.sub(_spaces, blank)
    found += [figure for match in _SPELLED.finditer(blank) if (figure := _spelled(match))]
    return tuple(sorted(found, key=lambda figure: figure.start))


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _day(match: re.Match[str]) -> str:
    month = _MONTHS.index((match["m1"] or match["m2"])[:3].lower()) + 1
    return f"--{month:02}-{int(match['d1'] or match['d2']):02}"


def _clock(match: re.Match[str]) -> str:
    hour = int(match["h"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    return f"T{hour:02}:{match['m']}"


def _number(match: re.Match[str]) -> Figure:
    """A lone small m or b may be a unit ("10m rope"), so without a currency it is read both ways."""
    readings = readings_of(match["number"])
    word = match["scale"] or match["letter"] or ""
    scales = {_SCALES[word.lower()] if word else 1}
    currency = match["before"] or match["after"]
    if match["letter"] in ("m", "b") and not currency:
        scales.add(1)
    before = f"{match['minus'] or ''}{match['minus2'] or ''}"
    negative = "-" in before or "−" in before
    in_brackets = "(" in before and bool(match["close"])
    signs = (1, -1) if in_brackets else (-1,) if negative else (1,)
    percent = match["percent"] or ""
    factor = 0.0001 if percent in ("bps", "basis points") else 0.01 if percent else 1
    values = frozenset(round(sign * v * scale * factor, 12) for v in readings for scale in scales for sign in signs)
    text = match[0].strip() if in_brackets else match[0].strip(" ()")
    return Figure(
        text,
        match.start() + match[0].index(text),
        values,
        bool(percent),
        currency,
        scales != {1},
        measure=match["measure"] or ("m" if match["letter"] == "m" and not currency else None),
    )


def readings_of(number: str) -> frozenset[float]:
    """What digits with separators can mean: "1,234" is one number, "1.234" two, "9,4" one with a decimal comma."""
    plain = re.sub(r"['’\u202f\u00a0 ]", "", number)
    found = set()
    if re.fullmatch(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d+(?:\.\d+)?", plain):
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
