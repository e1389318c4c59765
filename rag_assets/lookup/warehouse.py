"""One DuckDB file a partition: typed tables, totals apart, catalogue, odd cells, stray addresses, statements.

Holds: how the file is built and what equality of two files means.
Add here: another table of the file.
Never here: what a lookup table looks like (schema.py), reading it for a caller (catalogue.py, tools.py).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import duckdb
import polars as pl

from rag_assets.columnar.raw import ColumnsFile
from rag_assets.columnar.typed import POLARS_TYPES
from rag_assets.errors import StateError
from rag_assets.lookup.columns import LookupColumn, Stored
from rag_assets.lookup.long_tables import load_long_table
from rag_assets.lookup.schema import LookupTable, Origin, lookup_table
from rag_assets.lookup.slugs import quoted, scale_column, unit_column
from rag_assets.lookup.version import LOOKUP_VERSION
from rag_assets.model.statement import Statement
from rag_assets.model.table import ColumnType, Normalized, Table

__all__ = ["LOOKUP_VERSION", "LoadReport", "LoadedDocument", "build_warehouse", "logical_hash"]

STATEMENTS_PER_BATCH = 50_000

# A table takes a block at least: 388 small tables make 105 MB in the usual 256 KB blocks, 9 MB in these.
# With long tables such blocks take 1.7 times the time: 0.81 s for 520,000 rows, 0.49 s in usual ones.
SMALL_BLOCKS, USUAL_BLOCKS = "16384", "262144"

ROW, LINE, LABEL = "_row", "_line", "_label"

SHARED_TABLES = """
create table catalogue (
    table_name varchar, tool varchar, full_name varchar, title varchar, source varchar, sha256 varchar,
    collection varchar, table_id varchar, sheet varchar, range varchar, columns varchar, row_count bigint,
    totals_count bigint, key varchar, effective_from varchar, effective_until varchar, notes varchar,
    loaded_at varchar);
create table odd_cells (
    table_name varchar, row bigint, column_name varchar, address varchar, raw_text varchar, reason varchar);
create table cell_addresses (table_name varchar, row bigint, column_name varchar, address varchar);
create table statements (
    collection varchar, source varchar, subject varchar, phrase varchar, text varchar, value double, value_json varchar,
    "when" varchar, unit varchar, scale bigint, row_path varchar, heading varchar, address varchar, table_id varchar,
    nil boolean, qualifiers varchar, phrase_is_value boolean, phrase_is_subject boolean);
"""
_NOT_CONTENT = {"catalogue": ("loaded_at",)}


class LoadedDocument(NamedTuple):
    """`columns`: where its columns file lies, if it has long tables."""

    source: str
    sha256: str
    collection: str
    normalized: Normalized
    loaded_at: str
    columns: Path | None = None


class TableFacts(NamedTuple):
    """What drift is judged by: a column gone, a type changed, rows lost."""

    full_name: str
    source: str
    rows: int
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    documents: int
    tables: tuple[TableFacts, ...]
    rows: int
    columns_typed: int
    columns_text: int
    odd_cells: int
    totals: int
    statements: int
    warnings: tuple[str, ...]


def building(*, long_tables: bool) -> dict[str, str | bool | int | float | list[str]]:
    """How a file is opened that is being built."""
    return {"default_block_size": USUAL_BLOCKS if long_tables else SMALL_BLOCKS, "threads": "1"}


def build_warehouse(target: Path, documents: Iterable[LoadedDocument], *, long_tables: bool = False) -> LoadReport:
    """Write the DuckDB file `target`, which must not exist yet; nothing else may have it open.

    `long_tables`: some of the documents have a columns file.
    """
    writer = WarehouseWriter()
    connection = duckdb.connect(str(target), config=building(long_tables=long_tables))
    try:
        connection.execute(SHARED_TABLES)
        connection.execute("begin")
        for document in documents:
            writer.add(connection, document)
        writer.finish(connection)
        connection.execute("commit")
        connection.execute("checkpoint")
    finally:
        connection.close()
    return writer.report()


class WarehouseWriter:
    """Adds documents to an open file and counts what it adds."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """`names` of tables the file holds already."""
        self._documents = 0
        self._names: set[str] = set(names)
        self._facts: list[TableFacts] = []
        self._text_columns = 0
        self._typed_columns = 0
        self._totals = 0
        self._statements = 0
        self._catalogue: list[tuple[object, ...]] = []
        self._odd: list[tuple[object, ...]] = []
        self._strays: list[tuple[object, ...]] = []
        self._waiting: list[tuple[object, ...]] = []
        self._warnings: list[str] = []

    def add(self, connection: duckdb.DuckDBPyConnection, document: LoadedDocument) -> None:
        self._documents += 1
        origin = Origin(document.source, document.sha256, document.collection, document.loaded_at)
        for table in document.normalized.tables:
            if table.lookup and table.rows:
                self._add_table(connection, lookup_table(table, origin), table, document.columns)
        self._waiting.extend(_statement_row(document, s) for s in document.normalized.statements)
        if len(self._waiting) >= STATEMENTS_PER_BATCH:
            self._flush(connection)

    def _add_table(
        self, connection: duckdb.DuckDBPyConnection, table: LookupTable, understood: Table, columns: Path | None
    ) -> None:
        name = self._free_name(table.full_name)
        rows = len(table.rows)
        if understood.body is None:
            _insert(connection, name, _data(table), create=True)
        elif columns is None:
            raise StateError(f"{table.origin.source}: its columns file is gone: run `rag-assets ingest --rebuild`")
        else:
            loaded = load_long_table(connection, name, table, understood, ColumnsFile(columns))
            table, rows = loaded.table, loaded.rows
        if table.totals:
            _insert(connection, f"{name}_totals", _totals(table), create=True)
        self._catalogue.append(_catalogue_row(name, table, rows))
        self._odd.extend((name, *odd) for odd in table.odd_cells)
        self._strays.extend((name, *stray) for stray in table.strays)
        self._totals += len(table.totals)
        typed = sum(c.type is not ColumnType.TEXT for c in table.columns)
        self._typed_columns += typed
        self._text_columns += len(table.columns) - typed
        kinds = tuple((c.slug, c.type.value) for c in table.columns)
        self._facts.append(TableFacts(table.full_name, table.origin.source, rows, kinds))

    def _free_name(self, full_name: str) -> str:
        name, count = full_name, 1
        while name in self._names or f"{name}_totals" in self._names:
            count += 1
            name = f"{full_name}_{count}"
        if count > 1:
            self._warnings.append(f"two tables are named {full_name}: the short name of neither is unique")
        self._names.update((name, f"{name}_totals"))
        return name

    def finish(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._flush(connection)
        for table, rows in (("catalogue", self._catalogue), ("odd_cells", self._odd), ("cell_addresses", self._strays)):
            _insert_rows(connection, table, rows)

    def _flush(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._statements += len(self._waiting)
        _insert_rows(connection, "statements", self._waiting)
        self._waiting.clear()

    def report(self) -> LoadReport:
        return LoadReport(
            documents=self._documents,
            tables=tuple(self._facts),
            rows=sum(f.rows for f in self._facts),
            columns_typed=self._typed_columns,
            columns_text=self._text_columns,
            odd_cells=len(self._odd),
            totals=self._totals,
            statements=self._statements,
            warnings=tuple(self._warnings),
        )


def _data(table: LookupTable) -> pl.DataFrame:
    columns = [pl.Series(ROW, range(len(table.rows)), pl.Int64), pl.Series(LINE, table.lines, pl.Int64)]
    columns += _typed_columns(table.columns, table.rows)
    for slug, (units, scales) in table.row_units.items():
        columns.append(pl.Series(unit_column(slug), units, pl.String))
        columns.append(pl.Series(scale_column(slug), scales, pl.Int64))
    return pl.DataFrame(columns)


def _totals(table: LookupTable) -> pl.DataFrame:
    labels = pl.Series(LABEL, table.total_labels, pl.String)
    return pl.DataFrame([labels, *_typed_columns(table.columns, table.totals)])


def _typed_columns(columns: Sequence[LookupColumn], rows: Sequence[tuple[Stored, ...]]) -> list[pl.Series]:
    by_column = zip(*rows, strict=True) if rows else ((),) * len(columns)
    return [_typed(column, values) for column, values in zip(columns, by_column, strict=True)]


def _typed(column: LookupColumn, values: Sequence[Stored]) -> pl.Series:
    """By polars: pyarrow's own `array` imports pandas wherever that is installed, a sixth of the cost of one edit."""
    kind = POLARS_TYPES[column.type]
    if kind is pl.Float64:
        values = [None if value is None else float(value) for value in values]  # ty: ignore[invalid-argument-type]
    return pl.Series(column.slug, values, kind)


def _insert(connection: duckdb.DuckDBPyConnection, name: str, content: pl.DataFrame, *, create: bool) -> None:
    connection.register("incoming", content.to_arrow())
    start = f"create table {quoted(name)} as" if create else f"insert into {quoted(name)}"
    connection.execute(f"{start} select * from incoming")
    connection.unregister("incoming")


def _insert_rows(connection: duckdb.DuckDBPyConnection, name: str, rows: Sequence[tuple[object, ...]]) -> None:
    if not rows:
        return
    schema = pl.DataFrame(connection.sql(f"select * from {quoted(name)} limit 0").to_arrow_table()).schema
    columns = zip(zip(*rows, strict=True), schema.items(), strict=True)
    content = pl.DataFrame([pl.Series(column, values, kind) for values, (column, kind) in columns])
    _insert(connection, name, content, create=False)


def _catalogue_row(name: str, table: LookupTable, rows: int) -> tuple[object, ...]:
    return (
        name,
        table.name,
        table.full_name,
        table.title,
        table.origin.source,
        table.origin.sha256,
        table.origin.collection,
        table.table_id,
        table.sheet,
        table.range,
        json.dumps([asdict(c) for c in table.columns], ensure_ascii=False),
        rows,
        len(table.totals),
        json.dumps(table.key, ensure_ascii=False),
        table.effective_from,
        table.effective_until,
        json.dumps(table.notes, ensure_ascii=False),
        table.origin.loaded_at,
    )


def _statement_row(document: LoadedDocument, s: Statement) -> tuple[object, ...]:
    number = float(s.value) if isinstance(s.value, int | float) and not isinstance(s.value, bool) else None
    return (
        document.collection,
        document.source,
        s.subject,
        s.phrase,
        s.text,
        number,
        None if s.value is None else json.dumps(s.value),
        s.when,
        s.unit,
        s.scale,
        s.row_path,
        s.heading,
        s.address,
        s.table,
        s.nil,
        json.dumps(s.qualifiers, ensure_ascii=False),
        s.phrase_is_value,
        s.phrase_is_subject,
    )


def logical_hash(path: Path) -> str:
    """A hash of the content: equal for two builds of the same tables in any order, whenever they were loaded."""
    with duckdb.connect(str(path), read_only=True) as connection:
        names = [n for (n,) in connection.execute("select table_name from duckdb_tables() order by 1").fetchall()]
        total = sha256()
        for name in names:
            total.update(_table_hash(connection, name).encode())
    return total.hexdigest()


def _table_hash(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    left_out = ", ".join(quoted(c) for c in _NOT_CONTENT.get(name, ()))
    columns = f"* exclude ({left_out})" if left_out else "*"
    described = connection.execute(f"describe select {columns} from {quoted(name)}").fetchall()
    schema = json.dumps([row[:2] for row in described], ensure_ascii=False)
    rows = connection.execute(
        f"select count(*), md5(string_agg(h, '' order by h)) "
        f"from (select md5(cast(t as varchar)) as h from (select {columns} from {quoted(name)}) t)"
    ).fetchone()
    return json.dumps([name, schema, rows])
