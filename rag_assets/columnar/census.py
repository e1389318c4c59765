"""What the cells of a long column are: witnesses with counts, different values, least and greatest.

Holds: `census_of`, and `number_keys`, `text_keys`, which say of each cell which witness speaks for it.
Add here: another fact of a whole column that understanding or a summary needs.
Never here: the type of a column (tables/cells.py), its typed values (typed.py).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from rag_assets.columnar.alike import WORDS, all_words, keys_of
from rag_assets.columnar.raw import RawColumn
from rag_assets.columnar.stored import Fashion, classes_of
from rag_assets.model.document import LongColumn, StoredValue, Witness

FEW_VALUES = 12
SAMPLES = 5
MANY = 1000
SLICE = 1 << 18
FEW_TEXTS = 0.1
INTEGER, DECIMAL, DAY = "integer", "decimal", "day"
GROUPED = "grouped"  # 12.500, which a decimal comma elsewhere in the column makes 12,500
STORED = "number:"
FAILED = ("error", "formula")


class Shown(NamedTuple):
    """One stored cell as a reader shows it."""

    text: str
    stored: StoredValue | None


ShowStored = Callable[[Fashion, float], Shown]


class Fashions(NamedTuple):
    """The fashions of a workbook's cells; `show` lays out one number of a fashion."""

    known: Sequence[Fashion]
    epoch_1904: bool
    show: ShowStored


def census_of(raw: RawColumn, place: str, fashions: Fashions | None = None, hidden: bool = False) -> LongColumn:
    """`raw` holds the rows in question only. Without `fashions` its numbers are texts in exact form."""
    witnesses = [*_of_numbers(raw, fashions), *_of_texts(raw, fashions)]
    distinct, values = _different(raw)
    low, high = _bounds(raw, fashions)
    return LongColumn(
        column=raw.column,
        place=place,
        witnesses=tuple(sorted(witnesses, key=lambda w: (-w.count, w.key))),
        characters=_characters(raw),
        distinct=distinct,
        values=values,
        low=low,
        high=high,
        hidden=hidden,
    )


def number_keys(raw: RawColumn, formats: Mapping[int, Fashion] | None, epoch_1904: bool) -> pl.Series:
    """Key of each number, null where the row has none."""
    assert raw.numbers is not None
    if formats is None or raw.fashions is None:
        return _exact_keys(raw)
    there = raw.numbers.is_not_null()
    values = raw.numbers.filter(there).to_numpy()
    codes = raw.fashions.filter(there).to_numpy()
    keys = np.empty(len(values), dtype=np.int64)
    for code in np.flatnonzero(np.bincount(codes)):
        chosen = codes == code
        keys[chosen] = classes_of(values[chosen], formats[int(code)], epoch_1904)
    joined = STORED + pl.Series(codes).cast(pl.String) + ":" + pl.Series(keys).cast(pl.String)
    return pl.Series("key", [None], dtype=pl.String).new_from_index(0, len(there)).scatter(there.arg_true(), joined)


def text_keys(raw: RawColumn, fashions: Fashions | None) -> pl.Series:
    """Key of each text, null where the row has none; errors and formulas without a value have keys of their own."""
    assert raw.texts is not None
    broken = failed_cells(raw, fashions)
    if fashions is None or raw.fashions is None or not broken.any():
        return keys_of(raw.texts)
    failed = {code: fashion.kind for code, fashion in enumerate(fashions.known) if fashion.kind in FAILED}
    kinds = raw.fashions.cast(pl.Int64).replace_strict(
        list(failed), list(failed.values()), default=None, return_dtype=pl.String
    )
    plain = pl.select(pl.when(broken).then(None).otherwise(raw.texts)).to_series()
    own = kinds + "=" + raw.texts.cast(pl.String)
    return pl.select(pl.when(broken).then(own).otherwise(keys_of(plain))).to_series()


def failed_cells(raw: RawColumn, fashions: Fashions | None) -> pl.Series:
    """Where errors and formulas without a value stand."""
    failed = [code for code, f in enumerate(fashions.known) if f.kind in FAILED] if fashions is not None else []
    if not failed or raw.fashions is None or raw.texts is None:
        return pl.Series([False], dtype=pl.Boolean)
    return (raw.fashions.is_in(failed) & raw.texts.is_not_null()).fill_null(False)


def _exact_keys(raw: RawColumn) -> pl.Series:
    numbers = raw.numbers
    assert numbers is not None
    name = DAY if numbers.dtype == pl.Date else INTEGER
    if raw.decimals is None:
        return pl.select(pl.when(numbers.is_not_null()).then(pl.lit(name)).otherwise(None)).to_series()
    kinds = pl.when(raw.decimals == 0).then(pl.lit(INTEGER)).when(_grouped(raw)).then(pl.lit(GROUPED))
    return pl.select(pl.when(numbers.is_null()).then(None).otherwise(kinds.otherwise(pl.lit(DECIMAL)))).to_series()


def _grouped(raw: RawColumn) -> pl.Series:
    assert raw.numbers is not None
    return ((raw.decimals == 3) & (raw.numbers.abs() < 1000)).fill_null(False)


def _of_numbers(raw: RawColumn, fashions: Fashions | None) -> list[Witness]:
    if raw.numbers is None:
        return []
    if fashions is None:
        return _of_exact(raw)
    there = raw.numbers.is_not_null()
    if not there.any() or raw.fashions is None:
        return []
    values = raw.numbers.filter(there).to_numpy()
    codes = raw.fashions.filter(there).to_numpy()
    found = []
    for code in np.flatnonzero(np.bincount(codes)):
        fashion = fashions.known[int(code)]
        chosen = codes == code
        own = values if chosen.all() else values[chosen]
        classes = classes_of(own, fashion, fashions.epoch_1904)
        for number in np.flatnonzero(np.bincount(classes)):
            alike = classes == number
            first, count = int(alike.argmax()), np.count_nonzero(alike)
            shown = fashions.show(fashion, float(own[first]))
            found.append(Witness(f"{STORED}{code}:{number}", shown.text, shown.stored, int(count)))
    return found


def _of_exact(raw: RawColumn) -> list[Witness]:
    numbers = raw.numbers
    assert numbers is not None
    if raw.decimals is None:
        count = len(numbers) - numbers.null_count()
        name = DAY if numbers.dtype == pl.Date else INTEGER
        return [_first_of(name, raw, numbers.is_not_null(), count)] if count else []
    whole = (raw.decimals == 0) & numbers.is_not_null()
    grouped = _grouped(raw)
    part = (raw.decimals > 0) & numbers.is_not_null() & ~grouped
    kinds = ((INTEGER, whole), (DECIMAL, part), (GROUPED, grouped))
    return [_first_of(name, raw, chosen, int(chosen.sum())) for name, chosen in kinds if chosen.any()]


def _first_of(key: str, raw: RawColumn, chosen: pl.Series, count: int) -> Witness:
    place = chosen.arg_max()
    return Witness(key, raw.at([place or 0]).shown()[0], None, count)


def _of_texts(raw: RawColumn, fashions: Fashions | None) -> list[Witness]:
    if raw.texts is None or raw.texts.null_count() == len(raw.texts):
        return []
    found: dict[str, Witness] = {}
    for start in range(0, len(raw), SLICE):
        part = raw.between(start, start + SLICE - 1)
        texts = part.texts
        if texts is not None and texts.null_count() == 0 and fashions is None and all_words(texts):
            known = found.get(WORDS) or Witness(WORDS, texts[0], None, 0)
            found[WORDS] = known._replace(count=known.count + len(texts))
            continue
        frame = pl.DataFrame({"key": text_keys(part, fashions), "text": texts})
        groups = frame.filter(pl.col("key").is_not_null()).group_by("key", maintain_order=True)
        for key, text, count in groups.agg(pl.col("text").first().cast(pl.String), pl.len()).iter_rows():
            stored = _stored_text(key, text) if fashions is not None else None
            known = found.get(key) or Witness(key, text, stored, 0)
            found[key] = known._replace(count=known.count + count)
    return list(found.values())


def _stored_text(key: str, text: str) -> StoredValue:
    kind = key.partition("=")[0]
    return StoredValue(kind, None) if kind in FAILED else StoredValue("text", text)


def _characters(raw: RawColumn) -> int:
    total = visible_characters(raw.texts) if raw.texts is not None else 0
    if raw.numbers is None or not raw.exact:
        return total
    return total + sum(_written_lengths(raw.between(n, n + SLICE - 1)) for n in range(0, len(raw), SLICE))


def visible_characters(texts: pl.Series) -> int:
    """Characters of texts without runs of blanks that are no white space."""
    if texts.null_count() == len(texts):
        return 0
    if texts.dtype == pl.Categorical:
        counts = texts.drop_nulls().value_counts()
        different = counts.to_series(0).cast(pl.String)
        return int(((different.str.len_chars() - different.str.count_matches(r"\s")) * counts.to_series(1)).sum())
    total = 0
    for start in range(0, len(texts), SLICE):  # so that no text of a whole column is ever together
        together = texts.slice(start, SLICE).str.join("").item()
        total += len(together) - together.count(" ") - together.count("\n")
    return total


def _written_lengths(raw: RawColumn) -> int:
    """Characters that the exact numbers take when they are written, from the numbers themselves."""
    numbers = raw.numbers.drop_nulls() if raw.numbers is not None else pl.Series([], dtype=pl.Int64)
    if numbers.dtype == pl.Date:
        return 10 * len(numbers)
    values = numbers.to_numpy()
    whole = np.abs(values).astype(np.int64)
    greatest = int(whole.max(initial=0))
    digits = len(whole) + sum(int(np.count_nonzero(whole >= 10**n)) for n in range(1, len(str(greatest))))
    total = int(digits) + int(np.count_nonzero(values < 0))
    if raw.decimals is not None:
        decimals = raw.decimals.drop_nulls()
        total += int(decimals.cast(pl.Int64).sum()) + int((decimals > 0).sum())
    return total


def _different(raw: RawColumn) -> tuple[int, tuple[str, ...]]:
    """Number of different texts, and all or some of them; of a column of numbers with few texts only the texts."""
    texts = raw.texts
    if texts is None:
        return 0, ()
    if raw.exact and raw.numbers is not None and len(texts) - texts.null_count() > FEW_TEXTS * len(texts):
        texts = raw.shown()
    filled = texts.drop_nulls()
    different = filled.head(SLICE).n_unique()
    if different <= FEW_VALUES and len(filled) > SLICE:
        different = filled.n_unique()
    if different <= FEW_VALUES:
        return different, tuple(filled.unique().cast(pl.String).sort())
    some = filled.gather([int(n * len(filled) / MANY) for n in range(MANY)]).cast(pl.String).unique().sort()
    return different, tuple(some[int(n * len(some) / SAMPLES)] for n in range(SAMPLES))


def _bounds(raw: RawColumn, fashions: Fashions | None) -> tuple[Witness | None, Witness | None]:
    numbers = raw.numbers
    if numbers is None or numbers.null_count() == len(numbers):
        return None, None
    places = [numbers.arg_min(), numbers.arg_max()]
    found = [_witness_at(raw, place or 0, fashions) for place in places]
    return found[0], found[1]


def _witness_at(raw: RawColumn, place: int, fashions: Fashions | None) -> Witness:
    one = raw.at([place])
    if fashions is None:
        return Witness(_exact_keys(one)[0], one.shown()[0], None, 1)
    assert one.fashions is not None
    assert one.numbers is not None
    shown = fashions.show(fashions.known[one.fashions[0]], float(one.numbers[0]))
    return Witness(
        number_keys(one, dict(enumerate(fashions.known)), fashions.epoch_1904)[0], shown.text, shown.stored, 1
    )
