"""A warehouse made of the one before it: only the tables of changed documents are loaded again.

Holds: copying what is kept, leaving documents out, putting the changed ones in, and the facts of the result.
Add here: another table of the file that rows must leave.
Never here: how a document is loaded (warehouse.py).
"""

import json
from collections.abc import Collection, Iterable
from pathlib import Path

import duckdb

from rag_assets.lookup.slugs import quoted
from rag_assets.lookup.warehouse import SHARED_TABLES, LoadedDocument, LoadReport, TableFacts, WarehouseWriter, building
from rag_assets.model.table import ColumnType

_TEXT = ColumnType.TEXT.value
_TABLES_BEFORE = "select table_name from duckdb_tables() where database_name = 'before'"


def update_warehouse(
    target: Path,
    previous: Path,
    gone: Collection[str],
    documents: Iterable[LoadedDocument],
    total: int,
    *,
    long_tables: bool = False,
) -> LoadReport:
    """Write `target`: the file `previous` without the sources `gone` (those that changed too), with `documents`.

    Its content equals that of a file built from scratch; `total` documents are then in it. Kept tables are copied over
    one by one: deleting from a copy of the file would leave the deleted text in its free blocks.
    """
    with duckdb.connect(str(target), config=building(long_tables=long_tables)) as connection:
        connection.execute(SHARED_TABLES)
        path = str(previous).replace("'", "''")
        connection.execute(f"attach '{path}' as before (read_only)")
        connection.execute("begin")
        kept = _copy_kept(connection, sorted(gone))
        connection.execute("commit")
        connection.execute("detach before")
        connection.execute("begin")
        writer = WarehouseWriter(kept)
        for document in documents:
            writer.add(connection, document)
        writer.finish(connection)
        connection.execute("commit")
        connection.execute("checkpoint")
        return _report(connection, total, writer.report().warnings)


def _copy_kept(connection: duckdb.DuckDBPyConnection, gone: list[str]) -> list[str]:
    """Names of the tables copied."""
    catalogue = "from before.catalogue where not list_contains(?, source)"
    tables = [name for (name,) in connection.execute(f"select table_name {catalogue}", [gone]).fetchall()]
    there = {name for (name,) in connection.execute(_TABLES_BEFORE).fetchall()}
    names = [name for table in tables for name in (table, f"{table}_totals") if name in there]
    for name in names:
        connection.execute(f"create table {quoted(name)} as select * from before.{quoted(name)}")
    connection.execute(f"insert into catalogue select * {catalogue}", [gone])
    for shared in ("odd_cells", "cell_addresses"):
        kept = f"select * from before.{shared} where list_contains(?, table_name)"
        connection.execute(f"insert into {shared} {kept}", [tables])
    connection.execute(
        "insert into statements select * from before.statements where not list_contains(?, source)", [gone]
    )
    return names


def _report(connection: duckdb.DuckDBPyConnection, documents: int, warnings: tuple[str, ...]) -> LoadReport:
    facts, typed, text, totals = [], 0, 0, 0
    for full_name, source, rows, totals_count, columns in connection.execute(
        "select full_name, source, row_count, totals_count, columns from catalogue order by source, full_name"
    ).fetchall():
        kinds = tuple((column["slug"], column["type"]) for column in json.loads(columns))
        facts.append(TableFacts(full_name, source, rows, kinds))
        typed += sum(kind != _TEXT for _, kind in kinds)
        text += sum(kind == _TEXT for _, kind in kinds)
        totals += totals_count
    return LoadReport(
        documents=documents,
        tables=tuple(facts),
        rows=sum(fact.rows for fact in facts),
        columns_typed=typed,
        columns_text=text,
        odd_cells=_count(connection, "odd_cells"),
        totals=totals,
        statements=_count(connection, "statements"),
        warnings=warnings,
    )


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    found = connection.execute(f"select count(*) from {table}").fetchone()
    return found[0] if found else 0
