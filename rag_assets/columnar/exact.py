"""Texts kept as numbers or days where every text can be made again from them, to the letter.

Holds: `exact_form` of a run of texts, `written` (the way back), `joined` for the runs of one column.
Add here: another way of writing that comes back exactly.
Never here: what a text means: 2024 stays a whole number here whether it is a year or an amount.

    7, -12           → 64-bit integers           007, +7, -0, 1e5 stay texts
    1.50, 12.25      → floats, two decimals each  1,000.50 stays a text
    2024-02-29       → days                       2024-02-30 stays a text
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

MAX_LENGTH = 15
FEW = 0.02
HEAD = 2000
FIRST = 200
MOSTLY = 0.5
MAX_DECIMALS = 9
DAY_LENGTH = 10
NEWLINE, MINUS, POINT, ZERO, NINE = b"\n-.09"

_DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]{1,9})?$"
_NEGATIVE_ZERO = r"^-0(\.0*)?$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


_Narrow = Callable[[pl.Series], tuple[pl.Series, pl.Series | None]]


class Exact(NamedTuple):
    """A run of cells. `numbers`: Int64, Float64 or Date; `decimals` beside floats: how many each text shows.

    `texts`: String or Categorical, the cells that are no numbers. A part that no cell needs is None.
    """

    rows: int
    numbers: pl.Series | None = None
    decimals: pl.Series | None = None
    texts: pl.Series | None = None


class Former:
    """Forms of the runs of one column: what the run before was is tried first."""

    def __init__(self) -> None:
        self._narrow: _Narrow | None = None

    def form(self, texts: pl.Series) -> Exact:
        """The form from which `written` makes exactly these texts; null stays null."""
        filled = len(texts) - texts.null_count()
        if not filled:
            return Exact(len(texts))
        if self._narrow is not None:
            numbers, decimals = self._narrow(texts)
            if len(numbers) - numbers.null_count() == filled:
                return Exact(len(texts), numbers, decimals)
        narrow = _likely_form(texts)
        if narrow is not None:
            numbers, decimals = narrow(texts)
            kept = len(numbers) - numbers.null_count()
            self._narrow = narrow if kept == filled else None
            if kept == filled:
                return Exact(len(texts), numbers, decimals)
            if kept >= MOSTLY * filled:
                rest = pl.select(pl.when(numbers.is_null()).then(texts).otherwise(None).alias(texts.name)).to_series()
                return Exact(len(texts), numbers, decimals, rest)
        self._narrow = None
        return Exact(len(texts), texts=texts)


def exact_form(texts: pl.Series) -> Exact:
    """Of one run by itself."""
    return Former().form(texts)


def _likely_form(texts: pl.Series) -> _Narrow | None:
    """What the first texts look like: days, whole numbers, or, where points are about, decimals; None for words."""
    head = texts.head(FIRST).drop_nulls()
    if head.is_empty():
        head = texts.drop_nulls().head(FIRST)
    if head.str.contains(_DAY).sum() >= MOSTLY * len(head):
        return _day
    if head.str.contains(r"^-?[0-9]").sum() < MOSTLY * len(head):
        return None
    return _decimal if head.str.contains(".", literal=True).any() else _whole_or_decimal


def _bytes(texts: pl.Series) -> bytes:
    return texts.str.join("\n").item().encode()


def _whole_or_decimal(texts: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    numbers, _ = _whole(texts)
    left = numbers.is_null() & texts.is_not_null()
    if left.any() and texts.filter(left).str.contains(".", literal=True).any():
        return _decimal(texts)
    return numbers, None


def _whole(texts: pl.Series) -> tuple[pl.Series, None]:
    """A sign or leading zero that would get lost keeps its text."""
    numbers = texts.cast(pl.Int64, strict=False)
    if numbers.null_count() == 0 and _plainly_whole(texts):
        return numbers, None
    lengths = texts.str.len_bytes()
    lossy = (lengths > MAX_LENGTH) | texts.str.starts_with("+") | texts.str.starts_with("-0")
    lossy |= texts.str.starts_with("0") & (lengths > 1)
    return (_without(numbers, lossy) if lossy.any() else numbers), None


def _plainly_whole(texts: pl.Series) -> bool:
    """Whether all are filled with digits only, no leading zero, and not too long; told from all bytes at once."""
    content = b"\n" + _bytes(texts) + b"\n"
    if content.translate(None, b"0123456789\n"):
        return False
    letters = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(letters == NEWLINE)
    starts, lengths = ends[:-1] + 1, np.diff(ends) - 1
    return not ((letters[starts] == ZERO) & (lengths > 1)).any() and int(lengths.max(initial=0)) <= MAX_LENGTH


def _decimal(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    numbers = texts.cast(pl.Float64, strict=False)
    decimals = _plain_decimals(texts) if numbers.null_count() == texts.null_count() else None
    if decimals is not None:
        return numbers, decimals
    lengths = texts.str.len_bytes()
    good = texts.str.contains(_DECIMAL) & (lengths <= MAX_LENGTH + 1) & ~texts.str.contains(_NEGATIVE_ZERO)
    numbers = _without(numbers, ~good)
    point = texts.str.find(".", literal=True).cast(pl.Int64)
    counts = (lengths.cast(pl.Int64) - point - 1).fill_null(0)
    return numbers, _without(counts, numbers.is_null()).cast(pl.UInt8)


def _plain_decimals(texts: pl.Series) -> pl.Series | None:
    """Decimals of each text, where all are filled and match the pattern; told from all bytes at once."""
    if texts.null_count():
        return None
    content = b"\n" + _bytes(texts) + b"\n"
    if content.translate(None, b"0123456789.\n"):
        return None
    letters = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(letters == NEWLINE)
    starts, ends = ends[:-1] + 1, ends[1:]
    points = np.flatnonzero(letters == POINT)
    if len(points) != len(starts) or not ((points > starts) & (points < ends - 1)).all():
        return None
    if ((letters[starts] == ZERO) & (points > starts + 1)).any() or (ends - starts > MAX_LENGTH + 1).any():
        return None
    counts = ends - points - 1
    return pl.Series(texts.name, counts.astype(np.uint8)) if (counts <= MAX_DECIMALS).all() else None


def _day(texts: pl.Series) -> tuple[pl.Series, None]:
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    if _plain_days(texts):
        return days, None
    return _without(days, ~texts.str.contains(_DAY)), None


def _plain_days(texts: pl.Series) -> bool:
    """Whether all are filled and match the pattern."""
    if texts.null_count() or (texts.str.len_bytes() != DAY_LENGTH).any():
        return False
    letters = np.frombuffer(_bytes(texts) + b"\n", dtype=np.uint8)
    if len(letters) != len(texts) * (DAY_LENGTH + 1):
        return False
    by_text = letters.reshape(-1, DAY_LENGTH + 1)
    digits = by_text[:, [0, 1, 2, 3, 5, 6, 8, 9]]
    return bool((by_text[:, [4, 7]] == MINUS).all() and (digits >= ZERO).all() and (digits <= NINE).all())


def _without(numbers: pl.Series, lossy: pl.Series) -> pl.Series:
    return pl.select(pl.when(lossy).then(None).otherwise(numbers).alias(numbers.name)).to_series()


def compact(form: Exact) -> Exact:
    """The same with texts as categories, where few different ones come again and again."""
    texts = form.texts
    if texts is None or texts.dtype != pl.String:
        return form
    head = texts.head(HEAD).drop_nulls()
    if (len(head) == HEAD and head.n_unique() > FEW * HEAD) or texts.n_unique() > FEW * len(texts):
        return form
    return form._replace(texts=texts.cast(pl.Categorical))


def written(form: Exact) -> pl.Series:
    """The texts again."""
    texts = form.texts.cast(pl.String) if form.texts is not None else None
    if form.numbers is None:
        return texts if texts is not None else nulls(form.rows, pl.String)
    numbers = _written_numbers(form.numbers, form.decimals)
    return numbers if texts is None else pl.select(pl.coalesce(numbers, texts)).to_series()


def _written_numbers(numbers: pl.Series, decimals: pl.Series | None) -> pl.Series:
    if decimals is None:
        return numbers.cast(pl.String)
    texts = nulls(len(numbers), pl.String)
    for places in decimals.unique().drop_nulls():
        chosen = (decimals == places) & numbers.is_not_null()
        own = numbers.filter(chosen)
        part = _with_point((own.abs() * 10.0**places).round(0).cast(pl.Int64), places)
        sign = pl.select(pl.when(own < 0).then(pl.lit("-")).otherwise(pl.lit(""))).to_series()
        texts = texts.scatter(chosen.arg_true(), sign + part)
    return texts


def _with_point(digits: pl.Series, places: int) -> pl.Series:
    text = digits.cast(pl.String)
    if places == 0:
        return text
    text = text.str.zfill(places + 1)
    return text.str.head(-places) + "." + text.str.tail(places)


def nulls(rows: int, dtype: type[pl.DataType]) -> pl.Series:
    return pl.Series([None], dtype=dtype).new_from_index(0, rows)


def joined(forms: Sequence[Exact]) -> Exact:
    """One form for all runs of a column. Runs of whole and of broken numbers become broken ones; beside days, numbers
    become texts where the days are more, and the reverse."""
    kind = _usual_kind(forms)
    agreed = [form if _fits(form, kind) else Exact(form.rows, texts=written(form)) for form in forms]
    rows = sum(form.rows for form in agreed)
    numbers = decimals = texts = None
    if kind is not None:
        numbers = pl.concat([_cast(form.numbers, form.rows, kind) for form in agreed])
    if kind is pl.Float64:
        decimals = pl.concat([_decimals(form) for form in agreed])
    if any(form.texts is not None for form in agreed):
        dtype = pl.String if any(f.texts is not None and f.texts.dtype == pl.String for f in agreed) else pl.Categorical
        texts = pl.concat([_cast(form.texts, form.rows, dtype) for form in agreed])
    return Exact(rows, numbers, decimals, texts)


def _usual_kind(forms: Sequence[Exact]) -> type[pl.DataType] | None:
    counts: dict[type[pl.DataType], int] = {pl.Date: 0, pl.Int64: 0, pl.Float64: 0}
    for form in forms:
        if form.numbers is not None:
            counts[form.numbers.dtype.base_type()] += len(form.numbers) - form.numbers.null_count()
    if not any(counts.values()):
        return None
    if counts[pl.Date] > counts[pl.Int64] + counts[pl.Float64]:
        return pl.Date
    return pl.Float64 if counts[pl.Float64] else pl.Int64


def _fits(form: Exact, kind: type[pl.DataType] | None) -> bool:
    return form.numbers is None or (form.numbers.dtype == pl.Date) == (kind is pl.Date)


def _cast(part: pl.Series | None, rows: int, dtype: type[pl.DataType]) -> pl.Series:
    if part is None:
        return nulls(rows, dtype).alias("")
    return (part if part.dtype == dtype else part.cast(dtype)).alias("")


def _decimals(form: Exact) -> pl.Series:
    if form.decimals is not None:
        return form.decimals.alias("")
    if form.numbers is None:
        return nulls(form.rows, pl.UInt8)
    return (
        pl.select(pl.when(form.numbers.is_null()).then(None).otherwise(pl.lit(0, dtype=pl.UInt8))).to_series().alias("")
    )
