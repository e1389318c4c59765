"""Numbers as a workbook stores them: which of them read alike under a number format, and what they are worth.

Holds: `Fashion`, `classes_of`, and the ways from serial numbers to days, moments and seconds.
Add here: another way a format tells stored numbers apart.
Never here: one cell as objects (readers/workbook_cells.py has the same rules for one).
"""

from typing import NamedTuple

import numpy as np
import polars as pl

from rag_assets.tables.number_formats import read_format, thresholds_of

DAY_MS = 86_400_000
EPOCH_1900_MS = -2_209_161_600_000  # 1899-12-30
EPOCH_1904_MS = -2_082_844_800_000
LAST_SERIAL = 2_958_465
FALSE_LEAP_DAY = 60
EXACT = float(1 << 53)
CALENDAR = frozenset({"date", "timestamp", "time", "duration"})

WHOLE, PART, DAY, MOMENT, SECONDS, BOOLEAN = 0, 1, 2, 3, 4, 5


class Fashion(NamedTuple):
    """What cells of a workbook share: `kind` (number, boolean, text, error, formula) and number format."""

    kind: str
    format: str | None
    style: int = 0


def classes_of(values: np.ndarray, fashion: Fashion, epoch_1904: bool) -> np.ndarray:
    """A small number for each value; values of one class under one fashion read alike. `kind_of` takes it apart."""
    if fashion.kind == "boolean":
        return np.full(len(values), BOOLEAN, np.int64)
    whole = (values == np.floor(values)) & (np.abs(values) < EXACT)
    kinds = np.where(whole, WHOLE, PART)
    code = fashion.format
    if code is None:
        return kinds
    found = read_format(code)
    if found.kind in CALENDAR:
        return _calendar(values, kinds, found.kind, "h" in found.parts, epoch_1904)
    bins = np.sign(values).astype(np.int64) + 1
    for limit in thresholds_of(code):
        bins = bins * 3 + np.sign(values - limit).astype(np.int64) + 1
    return bins * 8 + kinds


def kind_of(number: int) -> int:
    return number % 8


def _calendar(values: np.ndarray, kinds: np.ndarray, kind: str, hours: bool, epoch_1904: bool) -> np.ndarray:
    clock = (values >= 0) & (values < 1)
    if kind == "duration":
        return np.full(len(values), SECONDS, np.int64)
    seconds = clock if hours or kind == "time" else np.zeros(len(values), bool)
    valid = (values >= 0) & (values <= LAST_SERIAL + 1)
    if not epoch_1904:
        valid &= (values >= 1) & (np.floor(values) != FALSE_LEAP_DAY)
    safe = np.where(valid, values, 1.0)
    midnight = moments_ms(safe, epoch_1904) % DAY_MS == 0
    dated = np.where(midnight & (kind == "date"), DAY, MOMENT)
    return np.where(seconds, SECONDS, np.where(valid, dated, kinds))


def moments_ms(serials: np.ndarray, epoch_1904: bool) -> np.ndarray:
    """Milliseconds since 1970; what is within 2 ms of a second is that second, as clock times are binary fractions."""
    days = np.floor(serials)
    early = 0 if epoch_1904 else (serials < FALSE_LEAP_DAY).astype(np.int64)
    epoch = EPOCH_1904_MS if epoch_1904 else EPOCH_1900_MS
    moment = epoch + (days.astype(np.int64) + early) * DAY_MS + np.round((serials - days) * DAY_MS).astype(np.int64)
    nearest = (moment + 500) // 1000 * 1000
    return np.where(np.abs(nearest - moment) < 2, nearest, moment)


def moments(serials: pl.Series, epoch_1904: bool) -> pl.Series:
    """Timestamps in microseconds."""
    milliseconds = moments_ms(serials.fill_null(1.0).to_numpy(), epoch_1904)
    found = pl.Series(serials.name, milliseconds).cast(pl.Datetime("ms")).cast(pl.Datetime("us"))
    return pl.select(pl.when(serials.is_not_null()).then(found)).to_series()


def seconds(serials: pl.Series) -> pl.Series:
    return (serials * (DAY_MS / 1000)).round(3)
