"""Periods: which heading text names a time, which only looks like a figure.

Holds: `names_period`, `names_year`, `is_heading_figure`, `names_change`, `period_of`.
Add here: another way a heading prints a time or a change between times.
Never here: which column or row a heading governs (boxhead, stub).
"""

import re
from collections.abc import Sequence
from functools import lru_cache

MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
YEAR = r"(?:19|20)\d\d"
_YEAR_LIKE = re.compile(
    rf"(?:FY|CY|fiscal(?:\s+year)?|calendar(?:\s+year)?)?\s*'?’?{YEAR}\s*[AEPF]?(?:\s*[-–/]\s*(?:{YEAR}|\d\d))?"
    r"(?:\s*(?:\(\w{1,2}\)|\[\w{1,2}\]|\*+|[¹²³†‡]+))*",
    re.IGNORECASE,
)
_A_YEAR = re.compile(rf"\b{YEAR}\b|['’]\d\d\b")
_DAY_YEAR = re.compile(rf"\d{{1,2}},\s?{YEAR}(?:\s*\(\w{{1,2}}\))*")
_SHORT_YEARS = re.compile(r"['’]\d\d(?:\s*(?:vs?\.?|/|-|–|to)\s*['’]?\d\d)?", re.IGNORECASE)
_PERIOD = re.compile(
    rf"\b{YEAR}\b|\b{MONTHS}\.?\s+\d{{1,2}}\b|\bQ[1-4]\b|\b[1-4]Q\b|\bH[12]\b|\bFY\s?'?\d\d|\bYTD\b"
    r"|\b(?:first|second|third|fourth|last|current|prior)[\s-]+(?:fiscal\s+)?(?:quarter|half|year|period)\b"
    r"|\b(?:quarters?|halves|half|years?|months?|weeks?|days|periods?)\s+(?:then\s+)?end(?:ed|ing)"
    r"|\b(?:three|six|nine|twelve|twenty|thirteen|fourteen|forty|fifty|[1-9]\d?)[\w-]*\s+(?:months?|weeks?)\b"
    rf"|\bas\s+(?:of|at)\b|^\s*{MONTHS}\.?\s*$",
    re.IGNORECASE,
)
_TIME_WORDS = re.compile(
    rf"\b(?:{MONTHS}|{YEAR}|the|and|of|as|at|for|on|fiscal|in|ended|ending|unaudited|audited)\b", re.IGNORECASE
)
_CHANGE = re.compile(
    r"\bchanges?\b|\bincrease\b|\bdecrease\b|\bgrowth\b|\bvariance\b|\bvs\.?(?!\w)|\bversus\b|\bQ\s?/\s?Q\b|\bY\s?/\s?Y\b|\bYoY\b"
    r"|\bQoQ\b|\b(?:year|quarter|month|period)[\s-]+over[\s-]+(?:year|quarter|month|period)\b|\bCAGR\b|Δ",
    re.IGNORECASE,
)


@lru_cache(maxsize=32768)
def is_heading_figure(text: str) -> bool:
    """Digits that stand as a heading: "2024", "2024 (3)", "29,2025", "FY2027", "'24 vs. '23"."""
    text = text.strip()
    return bool(_YEAR_LIKE.fullmatch(text) or _DAY_YEAR.fullmatch(text) or _SHORT_YEARS.fullmatch(text))


@lru_cache(maxsize=32768)
def names_period(text: str) -> bool:
    """Whether the text names a time: a year, a date, a quarter, "Three Months Ended", "As of"."""
    return bool(is_heading_figure(text) or _PERIOD.search(text))


@lru_cache(maxsize=32768)
def names_year(text: str) -> bool:
    return bool(_A_YEAR.search(text))


@lru_cache(maxsize=32768)
def names_change(text: str) -> bool:
    """Whether the text names a change between periods: "Q/Q", "% change", "'24 vs. '23"."""
    return bool(_CHANGE.search(text))


@lru_cache(maxsize=32768)
def is_lone_period(text: str) -> bool:
    """A short text that is a period and hardly anything else, as it stands in a section row or a corner."""
    if len(text) > 60 or not names_period(text) or names_change(text):
        return False
    rest = _PERIOD.sub(" ", text)
    rest = _TIME_WORDS.sub(" ", rest)
    return len(re.sub(r"[\W\d_]+", "", rest)) <= 2


def period_of(path: Sequence[str]) -> str | None:
    """The period that a column path names: its parts from the first to the last that names one; None for a change."""
    marks = [n for n, part in enumerate(path) if names_period(part)]
    if not marks or any(names_change(part) for part in path):
        return None
    kept = [part for part in path[marks[0] : marks[-1] + 1] if names_period(part)]
    return " ".join(kept)
