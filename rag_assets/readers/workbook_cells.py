"""What one cell of a workbook shows and stores.

Holds: `cell_content` (fact and style → shown text and stored value), `fact_of` (calamine's value → fact).
Add here: another kind of stored value.
Never here: where cells stand (workbook.py), the format language (tables/number_formats.py).
"""

import datetime
import re

from rag_assets.model.document import StoredValue
from rag_assets.readers.workbook_facts import CellFact, CellStyle
from rag_assets.readers.workbook_values import RawValue
from rag_assets.tables.stored_numbers import CellContent, clock, number_content, shown_moment, whole_seconds

UNCACHED = "="
DATE_FORMAT, TIMESTAMP_FORMAT, TIME_FORMAT, DURATION_FORMAT = (
    "yyyy-mm-dd",
    "yyyy-mm-dd hh:mm:ss",
    "hh:mm:ss",
    "[h]:mm:ss",
)


_CLOCK = re.compile(r"\d{1,2}:\d\d:\d\d(?:\.\d+)?")


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
    return number_content(value, code, epoch_1904)


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
        return CellFact(row, column, "date", f"PT{whole_seconds(seconds)}S")
    return CellFact(row, column, "date", f"PT{whole_seconds(value.total_seconds())}S")


def _written_date(text: str, code: str | None) -> CellContent:
    """A date stored as ISO 8601 text (strict files, ODS)."""
    if _CLOCK.fullmatch(text):
        hours, minutes, seconds = text.split(":")
        text = f"PT{hours}H{minutes}M{seconds}S"
    if text.startswith("PT"):
        seconds = _duration(text)
        if seconds is not None:
            return CellContent(clock(seconds), StoredValue("duration", seconds, code or DURATION_FORMAT))
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return CellContent(fold(text), StoredValue("text", text, code))
    if len(text) <= len("2026-01-01"):
        return CellContent(text, StoredValue("date", moment.date().isoformat(), code or DATE_FORMAT))
    shown = shown_moment(moment.replace(tzinfo=None))
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
    return whole_seconds(total)
