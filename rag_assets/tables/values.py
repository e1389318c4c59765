"""What a cell's text is worth: number, percent, currency, nil, missing, date, range.

Holds: `read_value`, used by everything that reads a figure, and the number convention a column proves.
Add here: another way a figure is printed.
Never here: which column or row a cell belongs to, or what scale its caption states.
"""

import re
from collections.abc import Iterable
from datetime import date
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from rag_assets.model.table import Convention


class Kind(IntEnum):
    """`WORDS` is everything that is not read as one value; a range or ratio keeps its text and has no value."""

    WORDS = 0
    FIGURE = 1
    NIL = 2
    MISSING = 3
    DATE = 4
    RANGE = 5


class Reading(NamedTuple):
    """`value` × `scale` is the magnitude; `scale` None means that the text itself states none.

    `unit` is "percent", "x", "bps", a currency as printed, or None. A percent is a fraction (18 % → 0.18).
    """

    kind: Kind
    value: int | float | str | None = None
    unit: str | None = None
    scale: int | None = None

    @property
    def nil(self) -> bool:
        return self.kind is Kind.NIL


POINT = Convention()
WORDS = Reading(Kind.WORDS)

CURRENCY = (
    r"(?:US|CA|C|A|AU|NZ|HK|NT|S|R|MX)?\$|[€£¥₹₩₽₪฿₫₴₦]|R(?=\s?\d)"
    r"|(?:USD|EUR|GBP|JPY|CHF|RMB|CNY|INR|CAD|AUD|SEK|NOK|DKK|Rs\.?|kr\.?)(?![A-Za-z])"
)
_MARK = r"(?:\s*(?:\(\d{1,2}\)|\([a-z]{1,2}\)|\[\w{1,3}\]|\*{1,4}|[†‡§¹²³⁴⁵⁶⁷⁸⁹]+))*"
_UNIT = rf"%|[xX×](?!\w)|{CURRENCY}|bps|bp|pts?\.?|pp|percent|basis\spoints"
_FIGURE = re.compile(
    rf"""(?P<sign>[-−–+]\s?)?(?P<before>{CURRENCY})?\s*(?P<open>\(\s?)?(?P<sign2>[-−–+]\s?)?(?P<before2>{CURRENCY})?\s*
    (?P<number>\d{{1,3}}(?:,\d{{2,3}})*,\d{{3}}(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+)
    (?P<trail>-(?!\d))?\s*(?P<unit>{_UNIT})?
    \s*(?P<close>\))?\s*(?P<unit2>{_UNIT})?\s*(?P<scale>thousand|million|billion|trillion|[KMB]|MM|bn|mn|m)?(?P<close2>\))?
    {_MARK}""",
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_PLAIN = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_NIL = re.compile(rf"(?:{CURRENCY})?\s*\(?\s*(?:[-−–—―‒‐]{{1,3}}|[Nn]il)\s*\)?\s*(?:%|x)?\s*\)?{_MARK}")
_MISSING = re.compile(
    r"(?:n\.?\s?/?\s?[am]\.?|n\.?\s?m\.?\s?f?\.?|n\.?d\.?|not (?:meaningful|applicable|available)|tbd"
    r"|\*{1,3}|\.{2,}|…|\?)"
    r"(?:\s*%)?(?:\s*\(\w\))?",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"(?:{CURRENCY})?\s*[\d.,]*\d\s*(?:{CURRENCY}|%)?\s*(?:[-−–—]|to|:|/)\s*(?:{CURRENCY})?\s*[\d.,]*\d\s*(?:{CURRENCY}|%|x)?",
    re.IGNORECASE,
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_WRITTEN = re.compile(
    rf"(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+)?(?P<month>{_MONTH})\.?\s*(?P<d2>\d{{1,2}})?(?:st|nd|rd|th)?,?\s*(?P<year>\d{{4}})",
    re.I,
)
_SLASHED = re.compile(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4})")
_SCALES = {
    "thousand": 1000,
    "k": 1000,
    "million": 10**6,
    "mm": 10**6,
    "mn": 10**6,
    "m": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "b": 10**9,
    "trillion": 10**12,
}
_UNITS = {"%": "percent", "percent": "percent", "X": "x", "×": "x", "bp": "bps", "basis points": "bps", "pp": "pts"}
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?![\d])")
_APOSTROPHE = re.compile(r"(?<![\d.,])\d{1,3}(?:['’]\d{3})+(?!\d)")
_GROUPED = re.compile(
    rf"""[-−–+(]?\s?(?:{CURRENCY})?\s?[-−–+(]?
    (?:\d{{1,3}}(?:(?:[ \u00a0\u2009\u202f]\d{{3}})+|(?:['’]\d{{3}})+|(?:\.\d{{3}})+)(?:[.,]\d+)?|\d+,\d+)
    \s?[-)]?\s?(?:%|{CURRENCY})?\s?\)?""",
    re.VERBOSE,
)
_COMMA_PROOF = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})+,\d+|\d+,(?:\d{1,2}|\d{4,}))(?![\d.,])")
_COMMA_PLAUSIBLE = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?(?![\d.,])")


@lru_cache(maxsize=65536)
def read_value(text: str, convention: Convention = POINT) -> Reading:
    """The value of one cell's text; never a guess: text that is not wholly one value is WORDS without value.

    Raises nothing. Brackets and trailing minus are negative; "—" is nil, "n/a" is missing.
    """
    if _PLAIN.fullmatch(text) and convention is POINT:
        return Reading(Kind.FIGURE, int(text.replace(",", "")))
    if not text or len(text) > 60:
        return WORDS
    text = _to_point(text, convention) if convention != POINT else text
    found = _FIGURE.fullmatch(text)
    if found:
        return _figure(found)
    if _NIL.fullmatch(text):
        return Reading(Kind.NIL)
    if _MISSING.fullmatch(text):
        return Reading(Kind.MISSING)
    written = read_date(text)
    if written:
        return Reading(Kind.DATE, written)
    if _RANGE.fullmatch(text):
        return Reading(Kind.RANGE)
    return WORDS


def _figure(found: re.Match[str]) -> Reading:
    if found["scale"] and len(found["scale"]) == 1 and not (found["before"] or found["before2"]):
        return WORDS  # 100m and 5K are distances as often as sums of money
    number = found["number"].replace(",", "")
    value: int | float = float(number) if "." in number else int(number)
    signs = (found["sign"] or "") + (found["sign2"] or "")
    bracketed = bool(found["open"]) or bool(found["close"] and not found["open"])
    if bracketed or found["trail"] or signs.strip(" +"):
        value = -value
    shown = found["unit"] or found["unit2"] or found["before"] or found["before2"]
    currency = found["before"] or found["before2"]
    unit = _UNITS.get(shown, shown) if shown else None
    if unit == "percent":
        value = _hundredth(number, value < 0)
    elif currency:
        unit = currency
    if unit and unit.rstrip(".") in ("pt", "pts"):
        unit = "pts"
    scale = found["scale"]
    return Reading(Kind.FIGURE, value, unit, _SCALES[scale.lower()] if scale else None)


def _hundredth(number: str, negative: bool) -> float:
    """The decimal point moved two places as text, so that 9.4 % is exactly 0.094."""
    whole, _, part = number.partition(".")
    shifted = float(f"{whole or '0'}{part}e-{len(part) + 2}")
    return -shifted if negative else shifted


@lru_cache(maxsize=16384)
def read_date(text: str) -> str | None:
    """ISO 8601 text of a whole date, or None; "03/04/2025" could be two dates and is none."""
    iso = _ISO.fullmatch(text)
    if iso:
        return _iso(int(iso[1]), int(iso[2]), int(iso[3]))
    written = _WRITTEN.fullmatch(text)
    if written and (written["d1"] or written["d2"]) and not (written["d1"] and written["d2"]):
        return _iso(int(written["year"]), _MONTHS[written["month"].lower()], int(written["d1"] or written["d2"]))
    slashed = _SLASHED.fullmatch(text)
    if not slashed:
        return None
    first, second, year = int(slashed[1]), int(slashed[3]), int(slashed[4])
    if slashed[2] == "." or (first > 12 >= second):
        return _iso(year, second, first)
    if second > 12 >= first or first == second:
        return _iso(year, first, second)
    return None


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def is_grouped_figure(text: str) -> bool:
    """A figure in some convention, whichever it is: "1.234,5", "1'234.50", "1 234,5 €"."""
    return len(text) <= 40 and bool(_GROUPED.fullmatch(text))


def proven_convention(texts: Iterable[str]) -> Convention:
    """The convention that the figures of one column prove; without proof the point is the decimal sign."""
    shown = [t for t in texts if _DIGIT.search(t)]
    if not any("," in t or " " in t or "\u00a0" in t or "'" in t or "’" in t for t in shown):
        return POINT
    comma = any(_COMMA_PROOF.search(t) for t in shown) and all(
        _COMMA_PLAUSIBLE.search(t) for t in shown if "," in t or "." in t
    )
    spaced = sum(bool(_SPACED.search(t)) for t in shown) >= 2
    apostrophe = any(_APOSTROPHE.search(t) for t in shown)
    if not (comma or spaced or apostrophe):
        return POINT
    return Convention(decimal_comma=comma, spaced=spaced, apostrophe=apostrophe)


def proves_convention(text: str) -> str:
    """What one text adds to `proven_convention`, as letters: texts with the same letters weigh the same there."""
    if not _DIGIT.search(text):
        return ""
    separated = "," in text or "." in text
    signs = (
        ("c", _COMMA_PROOF.search(text) is not None),
        ("p", separated and not _COMMA_PLAUSIBLE.search(text)),
        ("s", _SPACED.search(text) is not None),
        ("a", _APOSTROPHE.search(text) is not None),
    )
    return "".join(letter for letter, holds in signs if holds)


def _to_point(text: str, convention: Convention) -> str:
    if convention.spaced:
        text = _SPACED.sub(lambda m: re.sub(r"\s", "", m[0]), text)
    if convention.apostrophe:
        text = _APOSTROPHE.sub(lambda m: re.sub(r"['’]", "", m[0]), text)
    if convention.decimal_comma:
        text = _COMMA_PLAUSIBLE.sub(lambda m: m[0].replace(".", "").replace(",", "."), text)
    return text
