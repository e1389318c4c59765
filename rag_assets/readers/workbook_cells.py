"""What one cell of a workbook shows and stores.

Holds: `cell_content` (fact and style → shown text and stored value), `fact_of` (calamine's value → fact).
Add here: another kind of stored value.
Never here: where cells stand (workbook.py), the format language (tables/number_formats.py).
"""

import datetime
import re
from typing import NamedTuple

from rag_assets.model.document import StoredValue
from rag_assets.readers.workbook_facts import CellFact, CellStyle
from rag_assets.readers.workbook_values import RawValue
from rag_assets.tables.number_formats import NumberFormat, plain_number, read_format, shown_number

DAY_S = 86_400
EPOCH_1900 = datetime.datetime(1899, 12, 30)
EPOCH_1904 = datetime.datetime(1904, 1, 1)
LAST_SERIAL = 2_958_465
FALSE_LEAP_DAY = 60
UNCACHED = "="
DATE_FORMAT, TIMESTAMP_FORMAT, TIME_FORMAT, DURATION_FORMAT = (
    "yyyy-mm-dd",
    "yyyy-mm-dd hh:mm:ss",
    "hh:mm:ss",
    "[h]:mm:ss",
)


_CLOCK = re.compile(r"\d{1,2}:\d\d:\d\d(?:\.\d+)?")


class CellContent(NamedTuple):
    text: str
    stored: StoredValue


def cell_content(fact: CellFact, style: CellStyle, epoch_1904: bool) -> CellContent:
    """The shown text is never empty: a format that hides a number still shows it here."""
    code = style.format
    value = fact.value
    if fact.kind == "error":
        return CellContent(str(value), StoredValue("error", None, code))
    if fact.kind == "formula":
        return CellContent(UNCACHED, StoredValue("formula", None, code))
    if isinstance(value, bool):
        return CellContent("TRUE" if value else "FALSE", StoredValue("boolean", value, code))
    if fact.kind == "date":
        return _written_date(str(value), code)
    if isinstance(value, str) or value is None:
        return CellContent(fold(value or ""), StoredValue("text", value, code))
    return _number(value, code, epoch_1904)


def fold(text: str) -> str:
    """Runs of blanks become one, line breaks stay, blank lines go; zero bytes, left by old programs, show nothing."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    if "\n" not in text and "\r" not in text:
        return " ".join(text.split())
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def fact_of(row: int, column: int, value: RawValue) -> CellFact | None:
    """The fact behind a value of calamine; None for an empty one. Dates come back as ISO text."""
    if isinstance(value, str):
        return CellFact(row, column, "text", value) if value.strip() else None
    if isinstance(value, bool):
        return CellFact(row, column, "boolean", value)
    if isinstance(value, int | float):
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53
        return CellFact(row, column, "number", int(value) if whole else value)
    if isinstance(value, datetime.datetime | datetime.date):
        return CellFact(row, column, "date", value.isoformat())
    if isinstance(value, datetime.time):
        seconds = value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
        return CellFact(row, column, "date", f"PT{_whole(seconds)}S")
    return CellFact(row, column, "date", f"PT{_whole(value.total_seconds())}S")


def _number(value: int | float, code: str | None, epoch_1904: bool) -> CellContent:
    if code is None:
        return CellContent(plain_number(value), StoredValue("integer" if type(value) is int else "number", value, None))
    found = read_format(code)
    if found.kind in {"date", "timestamp", "time", "duration"}:
        dated = _dated(value, found, code, epoch_1904)
        if dated is not None:
            return dated
    text = shown_number(value, code) if found.kind in {"number", "percent", "general"} else plain_number(value)
    kind = "integer" if isinstance(value, int) else "number"
    return CellContent(text.strip() or plain_number(value), StoredValue(kind, value, code))


def _dated(value: float, found: NumberFormat, code: str | None, epoch_1904: bool) -> CellContent | None:
    """None for a number that is no day of the calendar: it stays a number."""
    if found.kind == "duration" or (0 <= value < 1 and "h" in found.parts) or (found.kind == "time" and 0 <= value < 1):
        seconds = _whole(round(value * DAY_S, 3))
        return CellContent(_clock(seconds), StoredValue("duration", seconds, code))
    moment = _moment(value, epoch_1904)
    if moment is None:
        return None
    if found.kind == "date" and moment.time() == datetime.time():
        return CellContent(_shown_day(moment, found.parts), StoredValue("date", moment.date().isoformat(), code))
    shown = _shown_day(moment, found.parts) if found.kind == "date" else _shown_moment(moment)
    return CellContent(shown, StoredValue("timestamp", moment.isoformat(), code))


def _moment(serial: float, epoch_1904: bool) -> datetime.datetime | None:
    """The 1900 calendar counts a 29 February 1900 that never was: days before it are one further."""
    if not 0 <= serial <= LAST_SERIAL + 1 or (not epoch_1904 and (serial < 1 or int(serial) == FALSE_LEAP_DAY)):
        return None
    epoch = EPOCH_1904 if epoch_1904 else EPOCH_1900
    early = 1 if not epoch_1904 and serial < FALSE_LEAP_DAY else 0
    try:
        moment = epoch + datetime.timedelta(days=int(serial) + early, milliseconds=round((serial % 1) * DAY_S * 1000))
    except OverflowError:
        return None
    return _to_second(moment)


def _to_second(moment: datetime.datetime) -> datetime.datetime:
    """Clock times are stored as binary fractions: 13:45:00 comes back a fraction of a millisecond off."""
    nearest = (moment + datetime.timedelta(milliseconds=500)).replace(microsecond=0)
    return nearest if abs(nearest - moment) < datetime.timedelta(milliseconds=2) else moment


def _shown_day(moment: datetime.datetime, parts: str) -> str:
    if parts == "y":
        return f"{moment.year}"
    if parts == "ym":
        return f"{moment:%b} {moment.year}"
    if parts == "m":
        return f"{moment:%B}"
    return moment.date().isoformat()


def _shown_moment(moment: datetime.datetime) -> str:
    text = moment.isoformat(" ", "seconds")
    return text.removesuffix(":00") if moment.second == 0 else text


def _clock(seconds: float) -> str:
    sign = "-" if seconds < 0 else ""
    whole, part = divmod(abs(seconds), 1)
    minutes, rest = divmod(int(whole), 60)
    hours, minutes = divmod(minutes, 60)
    tail = f":{rest:02d}" if rest or part else ""
    fraction = f"{part:.3f}"[1:].rstrip("0") if part else ""
    return f"{sign}{hours}:{minutes:02d}{tail}{fraction}"


def _written_date(text: str, code: str | None) -> CellContent:
    """A date stored as ISO 8601 text (strict files, ODS)."""
    if _CLOCK.fullmatch(text):
        hours, minutes, seconds = text.split(":")
        text = f"PT{hours}H{minutes}M{seconds}S"
    if text.startswith("PT"):
        seconds = _duration(text)
        if seconds is not None:
            return CellContent(_clock(seconds), StoredValue("duration", seconds, code or DURATION_FORMAT))
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return CellContent(fold(text), StoredValue("text", text, code))
    if len(text) <= len("2026-01-01"):
        return CellContent(text, StoredValue("date", moment.date().isoformat(), code or DATE_FORMAT))
    shown = _shown_moment(moment.replace(tzinfo=None))
    return CellContent(shown, StoredValue("timestamp", moment.isoformat(), code or TIMESTAMP_FORMAT))


def _duration(text: str) -> float | None:
    """Seconds of `PT12S`, `PT01H30M00S`."""
    total, number = 0.0, ""
    for letter in text[2:]:
        if letter in "HMS":
            total += float(number or 0) * {"H": 3600, "M": 60, "S": 1}[letter]
            number = ""
        elif letter.isdigit() or letter in ".-":
            number += letter
        else:
            return None
    return _whole(total)


def _whole(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds
