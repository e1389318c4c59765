"""The columns file of a document: the cells of its long grids that stand in no `GridCell`, as read, by column.

Holds: `RawColumn`, writing and reading the file.
Add here: another thing a reader keeps of each cell.
Never here: types, units, headings: they are decided later and applied when a table is loaded.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from rag_assets.columnar.exact import Exact, written

ROW_GROUP = 131_072
MANY_RUNS = 40
NUMBERS, DECIMALS, TEXTS, FASHIONS = "numbers", "decimals", "texts", "fashions"
PARTS = (NUMBERS, DECIMALS, TEXTS, FASHIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawColumn:
    """A cell a row, null where it is empty: a number (or day) or a text, never both.

    `numbers` with `decimals` are texts in exact form; in a workbook they are stored numbers, `decimals` is None and
    `fashions` tells kind and number format of each cell, by their place in the reader's list.
    """

    column: int
    numbers: pl.Series | None = None
    decimals: pl.Series | None = None
    texts: pl.Series | None = None
    fashions: pl.Series | None = None

    def __len__(self) -> int:
        return next(len(part) for part in (self.numbers, self.texts) if part is not None)

    @property
    def filled(self) -> pl.Series:
        """Which rows have a cell."""
        if self.numbers is None or self.texts is None:
            part = self.numbers if self.texts is None else self.texts
            return part.is_not_null() if part is not None else pl.Series([], dtype=pl.Boolean)
        return self.numbers.is_not_null() | self.texts.is_not_null()

    @property
    def exact(self) -> bool:
        """The numbers are texts that can be written again."""
        return self.fashions is None

    def only(self, chosen: pl.Series) -> "RawColumn":
        """The rows where the mask holds."""
        return self._each(lambda part: part.filter(chosen))

    def runs(self, runs: Sequence[tuple[int, int]]) -> "RawColumn":
        """The rows of these runs, both ends inside; nothing is copied where they are few."""
        if len(runs) > MANY_RUNS:
            places = pl.concat([pl.int_range(first, last + 1, eager=True) for first, last in runs])
            return self._each(lambda part: part.gather(places))
        return self._each(lambda part: pl.concat([part.slice(a, b - a + 1) for a, b in runs], rechunk=False))

    def without_empty_parts(self) -> "RawColumn":
        """Parts that no cell of these rows needs are None."""
        texts = self.texts if self.texts is not None and self.texts.null_count() < len(self.texts) else None
        if self.numbers is None or self.numbers.null_count() < len(self.numbers):
            return replace(self, texts=texts)
        return replace(self, numbers=None, decimals=None, texts=texts if texts is not None else self.texts)

    def at(self, rows: Sequence[int]) -> "RawColumn":
        return self._each(lambda part: part.gather(list(rows)))

    def without_texts(self, left_out: pl.Series) -> "RawColumn":
        """Texts are null where the mask holds."""
        if self.texts is None or not left_out.any():
            return self
        kept = pl.select(pl.when(left_out).then(None).otherwise(self.texts)).to_series()
        return replace(self, texts=kept).without_empty_parts()

    def between(self, first: int, last: int) -> "RawColumn":
        """Rows `first` to `last`, both inside."""
        return self._each(lambda part: part.slice(first, last - first + 1))

    def shown(self) -> pl.Series:
        """The texts of a column in exact form."""
        return written(Exact(len(self), self.numbers, self.decimals, self.texts))

    def _each(self, change) -> "RawColumn":
        parts = {name: part for name in PARTS if (part := getattr(self, name)) is not None}
        return replace(self, **{name: change(part) for name, part in parts.items()})


def of_exact(column: int, form: Exact) -> RawColumn | None:
    """None for a column without cells."""
    if form.numbers is None and form.texts is None:
        return None
    return RawColumn(column=column, numbers=form.numbers, decimals=form.decimals, texts=form.texts)


def write_columns(path: Path, grids: Mapping[str, Iterable[RawColumn]]) -> None:
    """All grids in one file; shorter ones are filled up with nulls."""
    parts: dict[str, pl.Series] = {}
    for grid, columns in grids.items():
        for raw in columns:
            parts.update(
                (f"{grid}|{raw.column}|{name}", part) for name in PARTS if (part := getattr(raw, name)) is not None
            )
    longest = max((len(part) for part in parts.values()), default=0)
    frame = pl.DataFrame(
        {
            name: part if len(part) == longest else part.extend_constant(None, longest - len(part))
            for name, part in parts.items()
        }
    )
    frame.write_parquet(path, compression="uncompressed", statistics=False, row_group_size=ROW_GROUP)


def texts_of_columns(content: bytes) -> Iterator[bytes]:
    """All that a columns file says, column by column, a cell a line."""
    try:
        frame = pl.read_parquet(content)
    except pl.exceptions.PolarsError:
        return
    for part in frame:
        yield "\n".join(part.cast(pl.String).drop_nulls()).encode()


class ColumnsFile:
    """An opened columns file; a column is read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names = pl.read_parquet_schema(path).keys()

    def columns(self, grid: str, wanted: Sequence[int], first: int, rows: int) -> dict[int, RawColumn]:
        """`rows` rows of some columns of a grid, from row `first` on, as they were written."""
        names = {(c, part): f"{grid}|{c}|{part}" for c in wanted for part in PARTS}
        there = {place: name for place, name in names.items() if name in self._names}
        frame = pl.scan_parquet(self._path).select(list(there.values())).slice(first, rows).collect()
        found: dict[int, dict[str, pl.Series]] = {}
        for (column, part), name in there.items():
            found.setdefault(column, {})[part] = frame[name]
        return {column: RawColumn(column=column, **parts) for column, parts in found.items()}
