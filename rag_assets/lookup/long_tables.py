"""Long tables on their way into DuckDB: seen rows and stretches in page order, typed slice by slice.

Holds: `load_long_table`, and `typed_batches`, the same without a database.
Add here: what a lookup table needs to know of rows that are nowhere as objects.
Never here: typing a column (columnar/typed.py), the other tables of the file (warehouse.py).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import duckdb
import polars as pl
import pyarrow as pa

from rag_assets.columnar.raw import ROW_GROUP, ColumnsFile, RawColumn
from rag_assets.columnar.typed import NO_ODD, POLARS_TYPES, TypedSlice, typed_slice
from rag_assets.lookup.columns import LookupColumn, stored_value
from rag_assets.lookup.places import Place, address_of
from rag_assets.lookup.roles import key_columns, with_roles
from rag_assets.lookup.schema import LookupTable, OddCell, Origin, StrayCell, lookup_table
from rag_assets.lookup.slugs import quoted, scale_column, unit_column
from rag_assets.model.table import BodyColumn, LongBody, Stretch, Table

PROBE_ROWS = 20_000
SECTION_JOINT = " › "


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedLong:
    """The table with key and roles settled, the odd and stray cells of all its rows, and how many rows it has."""

    table: LookupTable
    rows: int


def load_long_table(
    connection: duckdb.DuckDBPyConnection, name: str, table: LookupTable, understood: Table, columns: ColumnsFile
) -> LoadedLong:
    """Create and fill the table `name`."""
    body = understood.body
    assert body is not None
    loading = _Loading(table, body, columns)
    batches = loading.batches()
    first = next(batches)
    reader = pa.RecordBatchReader.from_batches(first.schema, _all_batches(first, batches))
    connection.register("incoming", reader)
    connection.execute(f"create table {quoted(name)} as select * from incoming")
    connection.unregister("incoming")
    odd = Counter(cell.column for cell in loading.odd)
    counted = [replace(c, nulls=nulls, odd=odd[c.slug]) for c, nulls in zip(table.columns, loading.nulls, strict=True)]
    contents = _TableContents(connection, name, [column.slug for column in counted], [r.holds for r in loading.rising])
    key = key_columns(counted, understood, contents)
    dates = (table.effective_from, table.effective_until)
    settled = replace(
        table,
        key=key,
        columns=with_roles(counted, contents, key, dates),
        odd_cells=tuple(loading.odd),
        strays=tuple(loading.strays),
    )
    return LoadedLong(table=settled, rows=loading.rows)


def typed_batches(understood: Table, columns: ColumnsFile) -> Iterator[pa.Table]:
    """The rows of a long table as typed Arrow, some at a time, without a database."""
    assert understood.body is not None
    table = lookup_table(understood, Origin("", "", "", ""))
    return _Loading(table, understood.body, columns).batches()


def _all_batches(first: pa.Table, rest: Iterator[pa.Table]) -> Iterator[pa.RecordBatch]:
    yield from first.to_batches()
    for table in rest:
        yield from table.cast(first.schema).to_batches()


class _Piece(NamedTuple):
    """Either seen rows, by their places among them, or a stretch."""

    seen: range | None
    stretch: Stretch | None


class _Loading:
    """Rows are numbered in page order; odd and stray cells of seen rows get the numbers their rows come to have."""

    def __init__(self, table: LookupTable, body: LongBody, columns: ColumnsFile) -> None:
        self._table, self._body, self._file = table, body, columns
        self.odd: list[OddCell] = []
        self.strays: list[StrayCell] = []
        self.rows = 0
        self.nulls = [0] * len(table.columns)
        self.rising = [_Rising() for _ in table.columns]

    def batches(self) -> Iterator[pa.Table]:
        numbers: dict[int, int] = {}
        for piece in _pieces(self._table.lines, self._body):
            if piece.seen is not None:
                numbers.update((place, self.rows + n) for n, place in enumerate(piece.seen))
                yield self._seen(piece.seen)
            elif piece.stretch is not None:
                yield from self._stretch(piece.stretch)
        self.odd.extend(odd._replace(row=numbers[odd.row]) for odd in self._table.odd_cells)
        self.strays.extend(stray._replace(row=numbers[stray.row]) for stray in self._table.strays)
        self.odd.sort()

    def _seen(self, places: range) -> pa.Table:
        table = self._table
        rows = table.rows[places.start : places.stop]
        parts = self._numbered([table.lines[place] for place in places])
        for n, column in enumerate(table.columns):
            parts[column.slug] = pl.Series(column.slug, [row[n] for row in rows], dtype=POLARS_TYPES[column.type])
            self.nulls[n] += parts[column.slug].null_count()
            self.rising[n].take(parts[column.slug])
        for slug, (units, scales) in table.row_units.items():
            parts[unit_column(slug)] = pl.Series(units[places.start : places.stop], dtype=pl.String)
            parts[scale_column(slug)] = pl.Series(scales[places.start : places.stop], dtype=pl.Int64)
        return pl.DataFrame(parts).to_arrow()

    def _stretch(self, stretch: Stretch) -> Iterator[pa.Table]:
        wanted = [unseen.column for unseen in self._table.unseen if unseen is not None]
        for start in range(0, stretch.last - stretch.first + 1, ROW_GROUP):
            rows = min(ROW_GROUP, stretch.last - stretch.first + 1 - start)
            raws = self._file.columns(self._body.grid, wanted, stretch.start + start, rows)
            line = stretch.first + start + self._body.first_line
            first_row = self.rows
            parts = self._numbered(range(line, line + rows))
            by_row: dict[str, pl.Series] = {}
            for n, (column, unseen) in enumerate(zip(self._table.columns, self._table.unseen, strict=True)):
                if unseen is None or unseen.column not in raws:
                    found = self._constant(n, column, rows, stretch)
                else:
                    found = self._typed(raws[unseen.column], column, unseen)
                    self._take_odd(found, column, unseen, first_row, line)
                parts[column.slug] = found.values
                self.nulls[n] += found.values.null_count()
                self.rising[n].take(found.values)
                if found.units is not None and found.scales is not None:
                    by_row |= {unit_column(column.slug): found.units, scale_column(column.slug): found.scales}
            yield pl.DataFrame(parts | by_row).to_arrow()

    def _numbered(self, lines: Sequence[int | None]) -> dict[str, pl.Series]:
        first = self.rows
        self.rows += len(lines)
        numbers = pl.Series(range(first, self.rows), dtype=pl.Int64)
        return {"_row": numbers, "_line": pl.Series(lines, dtype=pl.Int64)}

    def _constant(self, place: int, column: LookupColumn, rows: int, stretch: Stretch) -> TypedSlice:
        """A column that no cell of the stretch stands in: its sections, or nothing."""
        made_up = place == 0 and self._table.has_sections
        value = (SECTION_JOINT.join(stretch.sections) or None) if made_up else None
        values = pl.Series([value], dtype=POLARS_TYPES[column.type]).new_from_index(0, rows)
        if not column.mixed:
            return TypedSlice(values, NO_ODD)
        units = pl.Series([None], dtype=pl.String).new_from_index(0, rows)
        return TypedSlice(values, NO_ODD, units, pl.Series([1], dtype=pl.Int64).new_from_index(0, rows))

    def _typed(self, raw: RawColumn, column: LookupColumn, unseen: BodyColumn) -> TypedSlice:
        return typed_slice(
            raw,
            unseen,
            column.type,
            lambda cell: stored_value(cell, column.type)[1],
            epoch_1904=self._body.epoch_1904,
            mixed=column.mixed,
        )

    def _take_odd(self, found: TypedSlice, column: LookupColumn, unseen: BodyColumn, first_row: int, line: int) -> None:
        for row, text, reason in zip(*found.odd, strict=True):
            address = address_of(Place(self._body.prefix, unseen.place, line + row))
            self.odd.append(OddCell(first_row + row, column.slug, address, text, reason))


def _pieces(lines: Sequence[int | None], body: LongBody) -> Iterator[_Piece]:
    """Seen rows and stretches as they follow each other on the page."""
    start = 0
    for stretch in body.stretches:
        line = stretch.first + body.first_line
        end = next((n for n in range(start, len(lines)) if (at := lines[n]) is not None and at > line), len(lines))
        if end > start:
            yield _Piece(range(start, end), None)
        yield _Piece(None, stretch)
        start = end
    if start < len(lines):
        yield _Piece(range(start, len(lines)), None)


class _Rising:
    """Whether each number of a column is greater than the one before, as running numbers are: then no two are equal."""

    def __init__(self) -> None:
        self.holds = True
        self._last: float | int | None = None

    def take(self, values: pl.Series) -> None:
        if not self.holds or len(values) == 0:
            return
        if values.dtype != pl.Int64 or values.null_count():
            self.holds = False
            return
        first, last = values[0], values[-1]
        before = self._last
        self.holds = bool((values.diff().drop_nulls() > 0).all()) and (before is None or first > before)
        self._last = last


class _TableContents:
    """What roles ask, asked of the table in DuckDB. A probe of the first rows answers most questions."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, name: str, slugs: Sequence[str], rising: Sequence[bool]
    ) -> None:
        self._connection, self._name, self._slugs, self._rising = connection, quoted(name), slugs, rising

    def few(self, column: int, most: int) -> bool:
        values = f"select distinct {quoted(self._slugs[column])} from {self._name}"
        return self._number(f"select count(*) from ({values} limit {most + 1})") <= most

    def unique(self, columns: Sequence[int]) -> bool:
        if any(self._rising[n] for n in columns) and len(columns) == 1:
            return True
        chosen = ", ".join(quoted(self._slugs[n]) for n in columns)
        return self._unique_in(chosen, columns, f"(select {chosen} from {self._name} limit {PROBE_ROWS})") and (
            self._unique_in(chosen, columns, self._name)
        )

    def _unique_in(self, chosen: str, columns: Sequence[int], source: str) -> bool:
        filled = " and ".join(f"{quoted(self._slugs[n])} is not null" for n in columns)
        rows = self._number(f"select count(*) from {source}")
        different = self._number(f"select count(*) from (select distinct {chosen} from {source} where {filled})")
        return rows > 0 and rows == different

    def _number(self, sql: str) -> int:
        ((number,),) = self._connection.execute(sql).fetchall()
        return int(number)
