"""One file read cell by cell and by column: what must be equal, side by side."""

import json
from pathlib import Path

import duckdb

from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse
from rag_assets.model.document import Document
from rag_assets.model.table import Normalized
from rag_assets.readers.formats import read_document
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.overrides import Overrides
from rag_assets.tables.rules import Rules

LONG, SHORT = ReadLimits(long_rows=320), ReadLimits(long_rows=1_000_000)
Rows = list[tuple[object, ...]]


class Way:
    """A file on its way to its DuckDB tables."""

    def __init__(
        self,
        path: Path,
        folder: Path,
        limits: ReadLimits,
        rules: Rules | None = None,
        overrides: Overrides | None = None,
    ) -> None:
        columns = folder / "columns"
        self.document: Document = read_document(path, f"prices/{path.name}", limits, "x", columns_to=columns)
        self.normalized: Normalized = normalize_document(self.document, rules or Rules(), overrides)
        loaded = LoadedDocument(
            f"prices/{path.name}", "x", "prices", self.normalized, "2026", columns if columns.exists() else None
        )
        self.database = folder / "tables.duckdb"
        self.report = build_warehouse(self.database, [loaded])

    @property
    def is_long(self) -> bool:
        return any(grid.long is not None for grid in self.document.grids)

    def rows(self, sql: str) -> Rows:
        with duckdb.connect(str(self.database), read_only=True) as connection:
            return connection.execute(sql).fetchall()

    def tables(self) -> dict[str, Rows]:
        names = [name for (name,) in self.rows("select table_name from duckdb_tables() order by 1")]
        return {name: self.rows(f'select * from "{name}"') for name in names if name.startswith("lookup_")}

    def catalogue(self) -> list[dict[str, object]]:
        found = self.rows(
            "select table_name, title, range, row_count, totals_count, key, notes, columns from catalogue"
        )
        names = ("table_name", "title", "range", "row_count", "totals_count", "key", "notes")
        return [
            dict(zip(names, row[:-1], strict=True)) | {"columns": json.loads(str(row[-1]))}
            for row in sorted(found, key=str)
        ]

    def odd_cells(self) -> Rows:
        return sorted(self.rows("select * from odd_cells"), key=str)

    def strays(self) -> Rows:
        return sorted(self.rows("select * from cell_addresses"), key=str)


def both_ways(
    path: Path, folder: Path, rules: Rules | None = None, overrides: Overrides | None = None
) -> tuple[Way, Way]:
    """By column, and cell by cell."""
    ways = []
    for name, limits in (("long", LONG), ("short", SHORT)):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "tables.duckdb").unlink(missing_ok=True)
        (folder / name / "columns").unlink(missing_ok=True)
        ways.append(Way(path, folder / name, limits, rules, overrides))
    return ways[0], ways[1]


def assert_equal(path: Path, folder: Path, rules: Rules | None = None, overrides: Overrides | None = None) -> Way:
    """The file is read by column, and gives the same; returns the way by column."""
    long, short = both_ways(path, folder, rules, overrides)
    assert long.is_long
    assert not short.is_long
    assert_same(long, short)
    return long


def assert_same(long: Way, short: Way) -> None:
    """Types, units, values, odd cells, addresses, totals, counts, warnings."""
    assert long.normalized.account.balanced, long.normalized.account
    assert long.catalogue() == short.catalogue()
    assert long.tables() == short.tables()
    assert long.odd_cells() == short.odd_cells()
    assert long.strays() == short.strays()
    mine, theirs = long.normalized.account, short.normalized.account
    assert (mine.cells_in, mine.placed, mine.dropped) == (theirs.cells_in, theirs.placed, theirs.dropped)
    assert long.document.warnings == short.document.warnings
