"""Which rows of a long grid understanding must see: its head, its tail, and every row that is not like the others.

Holds: `sampled_rows`.
Add here: another sign by which a row may be a heading, a section, a total or a note.
Never here: deciding that it is one (tables/).
"""

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from rag_assets.columnar.raw import RawColumn

HEAD = 250
TAIL = 60
MAX_ODD = 2000
OFTEN = 0.25
HEAD_TEXTS = 12
MOSTLY = 0.6

_TOTAL = r"(?i)^[ :]*(?:(?:sub|grand)?[-\s]?totals?\b|(?:sum|summe|somme|suma|gesamt)\b)|\b(?:sub)?total[ :]*$"


def sampled_rows(columns: Sequence[RawColumn], n_rows: int, always: Iterable[int] = ()) -> tuple[int, ...] | None:
    """Rows, ascending; blank ones among them are gaps. None where too many rows differ to be looked at one by one.

    `always` are rows that a reader knows to be special (hidden, merged). Every odd row comes with its neighbours, so
    that each run of rows left out stands between two that are seen; each column has a row that fills it.
    """
    chosen = np.zeros(n_rows, dtype=bool)
    chosen[:HEAD] = chosen[max(0, n_rows - TAIL) :] = True
    filled = [raw.filled.to_numpy() for raw in columns]
    odd = _thin_rows(columns, filled, n_rows)
    odd[list(always)] = True
    odd |= _totals(columns, n_rows) | _wordy_rows(columns, filled, n_rows)
    odd |= _repeated_heads(columns, n_rows)
    inner = odd & ~chosen
    if int(inner.sum()) > min(MAX_ODD, OFTEN * n_rows):
        return None
    places = np.flatnonzero(inner)
    chosen[places] = True
    chosen[np.maximum(places - 1, 0)] = True
    chosen[np.minimum(places + 1, n_rows - 1)] = True
    for mask in filled:
        if mask.any() and not (mask & chosen).any():
            chosen[int(mask.argmax())] = True
    return tuple(int(row) for row in np.flatnonzero(chosen))


def _thin_rows(columns: Sequence[RawColumn], filled: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Rows with one cell or none, counted in each group of adjoining columns; groups of one column do not count."""
    thin = np.zeros(n_rows, dtype=bool)
    for group in _groups(columns, filled, n_rows):
        counts = np.zeros(n_rows, dtype=np.int16)
        for n in group:
            counts += filled[n]
        thin |= counts < 2
    return thin


def _groups(columns: Sequence[RawColumn], filled: Sequence[np.ndarray], n_rows: int) -> list[list[int]]:
    """Adjoining columns that are filled in the middle of the grid."""
    middle = slice(HEAD, max(HEAD, n_rows - TAIL))
    groups: list[list[int]] = []
    before = -2
    for n, raw in enumerate(columns):
        if not filled[n][middle].any():
            continue
        if raw.column != before + 1:
            groups.append([])
        groups[-1].append(n)
        before = raw.column
    return [group for group in groups if len(group) > 1]


def _totals(columns: Sequence[RawColumn], n_rows: int) -> np.ndarray:
    """Rows one of whose first two texts says total."""
    found = np.zeros(n_rows, dtype=bool)
    for raw in columns[:2]:
        if raw.texts is not None:
            found |= _matches(raw.texts).to_numpy()
    return found


def _matches(texts: pl.Series) -> pl.Series:
    if texts.dtype == pl.Categorical:
        different = texts.unique().drop_nulls()
        said = different.filter(different.cast(pl.String).str.contains(_TOTAL))
        return texts.is_in(said).fill_null(False) if len(said) else texts.is_null() & texts.is_not_null()
    return texts.str.contains(_TOTAL).fill_null(False)


def _wordy_rows(columns: Sequence[RawColumn], filled: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Rows without any number that have words in columns of numbers: they may be headings."""
    numbered = np.zeros(n_rows, dtype=bool)
    words = np.zeros(n_rows, dtype=bool)
    for raw, mask in zip(columns, filled, strict=True):
        if raw.numbers is None:
            continue
        numbers = raw.numbers.is_not_null().to_numpy()
        numbered |= numbers
        if numbers.sum() >= MOSTLY * max(int(mask.sum()), 1):
            words |= mask & ~numbers
    return words & ~numbered


def _repeated_heads(columns: Sequence[RawColumn], n_rows: int) -> np.ndarray:
    """Rows that say what one of the rows over the first figures says, cell by cell; without figures the first row."""
    found = np.zeros(n_rows, dtype=bool)
    texts = [raw.texts for raw in columns if raw.texts is not None]
    texts.sort(key=lambda part: len(part) - part.null_count())
    numbered = any(raw.numbers is not None for raw in columns)
    tried = False
    for row in range(min(HEAD_TEXTS, n_rows)):
        here = [part for part in texts if part[row] is not None]
        if any(raw.numbers is not None and raw.numbers[row] is not None for raw in columns) or (tried and not numbered):
            break
        if len(here) > 1:
            tried = True
            same = _same_rows(here, row)
            found[same] |= len(same) > 1
    return found


def _same_rows(texts: Sequence[pl.Series], row: int) -> np.ndarray:
    """Rows with the texts of this one; the column with the fewest texts leaves the fewest rows to compare."""
    same = np.arange(len(texts[0]))
    for part in texts:
        own = part if len(same) == len(part) else part.gather(same)
        same = same[(own == str(part[row])).fill_null(False).to_numpy()]
        if len(same) <= 1:
            break
    return same
