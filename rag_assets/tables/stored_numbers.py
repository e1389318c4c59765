"""Stored numbers of a spreadsheet: what one shows under its number format, and what it is.

Holds: `number_content` (number and format → shown text and stored value), serial numbers as days and clock times.
Add here: another kind of stored number.
Never here: the format language (number_formats.py), other cells (readers/workbook_cells.py).
"""

import datetime
from typing import NamedTuple

from rag_assets.model.document import StoredValue
from rag_assets.tables.number_formats import NumberFormat, plain_number, read_format, shown_number

DAY_S = 86_400
EPOCH_1900 = datetime.datetime(1899, 12, 30)
EPOCH_1904 = datetime.datetime(1904, 1, 1)
LAST_SERIAL = 2_958_465
FALSE_LEAP_DAY = 60


class CellContent(NamedTuple):
    text: str
    stored: StoredValue


def number_content(value: int | float, code: str | None, epoch_1904: bool) -> CellContent:
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
        seconds = whole_seconds(round(value * DAY_S, 3))
        return CellContent(clock(seconds), StoredValue("duration", seconds, code))
    moment = _moment(value, epoch_1904)
    if moment is None:
        return None
    if found.kind == "date" and moment.time() == datetime.time():
        return CellContent(_shown_day(moment, found.parts), StoredValue("date", moment.date().isoformat(), code))
    shown = _shown_day(moment, found.parts) if found.kind == "date" else shown_moment(moment)
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


def shown_moment(moment: datetime.datetime) -> str:
    text = moment.isoformat(" ", "seconds")
    return text.removesuffix(":00") if moment.second == 0 else text


def clock(seconds: float) -> str:
    sign = "-" if seconds < 0 else ""
    whole, part = divmod(abs(seconds), 1)
    minutes, rest = divmod(int(whole), 60)
    hours, minutes = divmod(minutes, 60)
    tail = f":{rest:02d}" if rest or part else ""
    fraction = f"{part:.3f}"[1:].rstrip("0") if part else ""
    return f"{sign}{hours}:{minutes:02d}{tail}{fraction}"


def whole_seconds(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds
