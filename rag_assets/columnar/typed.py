"""Typed values of the unseen rows of a long table: what `tables/cells.py` says of one cell, for whole columns.

Holds: `typed_slice`.
Add here: a vectorised form of another reading; what has none is read text by text.
Never here: which type a column has, what a witness is: both are decided.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import polars as pl

from rag_assets.columnar.census import DAY, DECIMAL, GROUPED, INTEGER, STORED, number_keys, text_keys
from rag_assets.columnar.raw import RawColumn
from rag_assets.columnar.stored import DAY as STORED_DAY
from rag_assets.columnar.stored import MOMENT, SECONDS, Fashion, kind_of, moments, seconds
from rag_assets.model.table import Alike, BodyColumn, ColumnType, Convention, TableCell
from rag_assets.tables.stored_numbers import number_content
from rag_assets.tables.values import read_date, read_value

Refusal = Callable[[TableCell], str | None]

POLARS_TYPES: dict[ColumnType, pl.DataType | type[pl.DataType]] = {
    ColumnType.INTEGER: pl.Int64,
    ColumnType.NUMBER: pl.Float64,
    ColumnType.DURATION: pl.Float64,
    ColumnType.BOOLEAN: pl.Boolean,
    ColumnType.DATE: pl.Date,
    ColumnType.TIMESTAMP: pl.Datetime("us"),
    ColumnType.TEXT: pl.String,
}
NUMERIC = frozenset({ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DURATION})
ONE_BY_ONE = 2000


class OddTexts(NamedTuple):
    """Cells that are no value of the column's type: row within the slice, text, reason."""

    rows: list[int]
    texts: list[str]
    reasons: list[str]


NO_ODD = OddTexts([], [], [])


class TypedSlice(NamedTuple):
    """`units` and `scales` only where they were asked for: of each row, None and 1 where it has no cell."""

    values: pl.Series
    odd: OddTexts
    units: pl.Series | None = None
    scales: pl.Series | None = None


def typed_slice(
    raw: RawColumn, column: BodyColumn, kind: ColumnType, refusal: Refusal, *, epoch_1904: bool, mixed: bool
) -> TypedSlice:
    """`refusal` says why a cell is no value of the type; the reason of a witness holds for all it speaks for."""
    known = _Known(column, kind, refusal, epoch_1904)
    parts = [part for part in (known.numbers(raw), known.texts(raw)) if part is not None]
    empty = pl.Series([None], dtype=POLARS_TYPES[kind]).new_from_index(0, len(raw))
    values = pl.select(pl.coalesce(empty, *(part.values for part in parts))).to_series() if parts else empty
    odd = OddTexts([], [], [])
    for part in parts:
        odd.rows.extend(part.odd.rows)
        odd.texts.extend(part.odd.texts)
        odd.reasons.extend(part.odd.reasons)
    if not mixed:
        return TypedSlice(values, odd)
    keys = pl.select(pl.coalesce(pl.lit(None, pl.String), *(part.keys() for part in parts))).to_series()
    return TypedSlice(values, odd, *_units(keys, column))


def _units(keys: pl.Series, column: BodyColumn) -> tuple[pl.Series, pl.Series]:
    names = [alike.key for alike in column.alike]
    units = pl.Series([alike.cell.unit for alike in column.alike], dtype=pl.String)
    scales = pl.Series([alike.cell.scale for alike in column.alike], dtype=pl.Int64)
    return (
        keys.replace_strict(names, units, default=None, return_dtype=pl.String),
        keys.replace_strict(names, scales, default=1, return_dtype=pl.Int64).fill_null(1),
    )


class _Part(NamedTuple):
    values: pl.Series
    odd: OddTexts
    keys: Callable[[], pl.Series]


class _Known:
    """The witnesses of one column, and what follows for its cells."""

    def __init__(self, column: BodyColumn, kind: ColumnType, refusal: Refusal, epoch_1904: bool) -> None:
        self._column, self._kind, self._epoch_1904 = column, kind, epoch_1904
        self._alike = {alike.key: alike for alike in column.alike}
        self._refused = {key: refusal(alike.cell) for key, alike in self._alike.items()}
        self._fashions = _fashions(column)

    def numbers(self, raw: RawColumn) -> _Part | None:
        if raw.numbers is None or raw.numbers.null_count() == len(raw.numbers):
            return None
        own = {key: alike for key, alike in self._alike.items() if key.startswith(STORED) or key in _EXACT}
        keys = cache(lambda: number_keys(raw, self._fashions, self._epoch_1904))
        if self._kind is ColumnType.TEXT:
            return _Part(self._shown_numbers(raw), OddTexts([], [], []), keys)
        if own and all(self._refused[key] is None and not alike.cell.nil for key, alike in own.items()):
            ways = {self._way(alike): alike for alike in own.values()}
            if len(ways) == 1:  # no key is asked for
                return _Part(self._number_values(raw, next(iter(ways.values()))), NO_ODD, keys)
        return self._by_key(raw, own, keys, self._number_values)

    def _way(self, alike: Alike) -> tuple[object, ...]:
        """What decides how a number becomes a value; see `_number_values`."""
        if alike.key.startswith(STORED):
            return (kind_of(int(alike.key.rpartition(":")[2])) if _is_calendar(alike) else -1,)
        grouped = alike.key == GROUPED and self._column.convention.decimal_comma
        return (grouped, alike.cell.unit == "percent")

    def texts(self, raw: RawColumn) -> _Part | None:
        if raw.texts is None or raw.texts.null_count() == len(raw.texts):
            return None
        keys = cache(lambda: text_keys(raw, None))
        if self._kind is ColumnType.TEXT:
            return _Part(self._readable_texts(raw), OddTexts([], [], []), keys)
        own = {key: a for key, a in self._alike.items() if not (key.startswith(STORED) or key in _EXACT)}
        return self._by_key(raw, own, keys, self._text_values)

    def _readable_texts(self, raw: RawColumn) -> pl.Series:
        """A dash that means none is null."""
        assert raw.texts is not None
        texts = raw.texts.cast(pl.String)
        nil = [key for key, alike in self._alike.items() if alike.cell.nil]
        if not nil:
            return texts
        keys = text_keys(raw, None)
        return pl.select(pl.when(keys.is_in(nil)).then(None).otherwise(texts)).to_series()

    def _by_key(
        self,
        raw: RawColumn,
        own: Mapping[str, Alike],
        keys: Callable[[], pl.Series],
        values_of: Callable[[RawColumn, Alike], pl.Series],
    ) -> _Part:
        found = pl.Series([None], dtype=POLARS_TYPES[self._kind]).new_from_index(0, len(raw))
        odd = OddTexts([], [], [])
        of_row = keys()
        for key in of_row.unique().drop_nulls().sort():
            alike = own.get(key)
            if alike is None or alike.cell.nil:
                continue
            chosen = of_row == key
            rows = chosen.arg_true()
            reason = self._refused[key]
            if reason is None:
                found = found.scatter(rows, values_of(raw.only(chosen.fill_null(False)), alike))
                continue
            odd.rows.extend(rows)
            odd.texts.extend(self._shown(raw.only(chosen.fill_null(False)), alike))
            odd.reasons.extend([reason] * len(rows))
        return _Part(found, odd, keys)

    def _shown(self, raw: RawColumn, alike: Alike) -> pl.Series:
        if alike.key.startswith(STORED):
            return self._shown_numbers(raw)
        return raw.shown() if raw.exact else (raw.texts if raw.texts is not None else raw.shown()).cast(pl.String)

    def _shown_numbers(self, raw: RawColumn) -> pl.Series:
        """Texts of numbers; of stored ones as their format shows them, each different one laid out once."""
        assert raw.numbers is not None
        if raw.fashions is None or self._fashions is None:
            return RawColumn(column=raw.column, numbers=raw.numbers, decimals=raw.decimals).shown()
        frame = pl.DataFrame({"number": raw.numbers, "fashion": raw.fashions})
        different = frame.unique().filter(pl.col("number").is_not_null())
        texts = [_shown_number(n, self._fashions[code], self._epoch_1904) for n, code in different.iter_rows()]
        named = different.with_columns(pl.Series("shown", texts, dtype=pl.String))
        return frame.join(named, on=["number", "fashion"], how="left", maintain_order="left")["shown"]

    def _number_values(self, raw: RawColumn, alike: Alike) -> pl.Series:
        """Of numbers that all read like the witness, as the column's type."""
        numbers = raw.numbers
        assert numbers is not None
        dtype = POLARS_TYPES[self._kind]
        if not alike.key.startswith(STORED):
            if alike.key == GROUPED and self._column.convention.decimal_comma:
                numbers = (numbers * 1000).round(0).cast(pl.Int64)
            if alike.cell.unit == "percent" and numbers.dtype != pl.Date:
                return _hundredths(numbers).cast(dtype)
            return numbers.cast(dtype)
        kind = kind_of(int(alike.key.rpartition(":")[2])) if _is_calendar(alike) else -1
        if kind in (STORED_DAY, MOMENT):
            return moments(numbers, self._epoch_1904).cast(dtype)
        if kind == SECONDS:
            return seconds(numbers).cast(dtype)
        return numbers.cast(dtype)

    def _text_values(self, raw: RawColumn, alike: Alike) -> pl.Series:
        texts = raw.texts
        assert texts is not None
        texts = texts.cast(pl.String)
        dtype = POLARS_TYPES[self._kind]
        if self._kind in NUMERIC and len(texts) > ONE_BY_ONE:
            sign = _simple_sign(alike.key, self._column.convention)
            if sign is not None:
                return _figures(texts, sign, percent=alike.cell.unit == "percent").cast(dtype)
        different = texts.unique().drop_nulls()
        values = [_value(text, alike, self._column.convention) for text in different]
        if self._kind in (ColumnType.DATE, ColumnType.TIMESTAMP):
            found = pl.Series(values, dtype=pl.String).str.to_date("%Y-%m-%d").cast(dtype)
        else:
            found = pl.Series(values, dtype=dtype)
        return texts.replace_strict(different, found, default=None, return_dtype=dtype)


_EXACT = frozenset({INTEGER, DECIMAL, GROUPED, DAY})


def _fashions(column: BodyColumn) -> dict[int, Fashion] | None:
    """Kind and format of each fashion of the column's stored numbers; None where its numbers are texts."""
    found = {}
    for alike in column.alike:
        if alike.key.startswith(STORED) and alike.stored is not None:
            code = int(alike.key.split(":")[1])
            found[code] = Fashion("boolean" if alike.stored.kind == "boolean" else "number", alike.stored.format)
    stored = any(alike.stored is not None for alike in column.alike)
    return found if stored else None


def _is_calendar(alike: Alike) -> bool:
    return alike.stored is not None and alike.stored.kind in {"date", "timestamp", "duration"}


def _shown_number(number: float, fashion: Fashion, epoch_1904: bool) -> str:
    if fashion.kind == "boolean":
        return "TRUE" if number else "FALSE"
    whole = float(number).is_integer() and abs(number) < 1 << 53
    return number_content(int(number) if whole else number, fashion.format, epoch_1904).text


def _value(text: str, alike: Alike, convention: Convention) -> int | float | str | None:
    reading = read_value(text, convention)
    if reading.value is None or isinstance(reading.value, str):
        return reading.value if reading.value is not None else read_date(text)
    if alike.cell.unit == "percent" and reading.unit is None:
        return float(f"{reading.value!r}e-2")
    return reading.value


def _simple_sign(shape: str, convention: Convention) -> int | None:
    """The sign of all texts of a shape whose digits, and point, are all those of the number; else None.

    Tried on one text of the shape: 1,234.56 → 1, (1,234) → -1; 12 (3) has digits that are a footnote's.
    """
    digits = iter("123456789" * len(shape))
    text = "".join(next(digits) if c == "0" else c for c in shape)
    reading = read_value(text, convention)
    value = reading.value
    if convention != Convention() or not isinstance(value, int | float) or value == 0:
        return None
    found = _figures(pl.Series([text]), 1 if value > 0 else -1, percent=reading.unit == "percent")[0]
    return (1 if value > 0 else -1) if found == value else None


def _figures(texts: pl.Series, sign: int, *, percent: bool) -> pl.Series:
    digits = texts.str.replace_all(r"[^0-9.]", "").str.strip_chars_end(".")
    numbers = _hundredth_texts(digits).cast(pl.Float64) if percent else digits.cast(pl.Float64)
    return numbers * sign


def _hundredth_texts(digits: pl.Series) -> pl.Series:
    return digits + "e-2"


def _hundredths(numbers: pl.Series) -> pl.Series:
    """As `value e-2` is read: the nearest double to the decimal."""
    shifted = (numbers.cast(pl.String) + "e-2").cast(pl.Float64, strict=False)
    if shifted.null_count() == numbers.null_count():
        return shifted
    left = (shifted.is_null() & numbers.is_not_null()).arg_true()
    return shifted.scatter(left, [float(f"{n!r}") / 100 for n in numbers.gather(left)])
