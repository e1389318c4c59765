"""What stands in the DuckDB file of a partition."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from rag_assets.lookup.connection import locked_connection
from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse, logical_hash
from rag_assets.model.table import ColumnType, RowKind
from tests.lookup.warehouses import cell, column, holding, loaded, row, table

PRICES = ("item|price", "Rope|$12.00", "Buoy|$18.50", "Oar|$7.00", "Total|$37.50")
WITH_AN_ODD_CELL = table(
    [column(0, "item"), column(1, "price", ColumnType.NUMBER)],
    row(2, cell(0, "Rope"), cell(1, "12.0", 12.0)),
    row(3, cell(0, "Buoy"), cell(1, "ask us")),
    row(4, cell(0, "All"), cell(1, "12.0", 12.0), kind=RowKind.TOTAL),
)


def asked(path: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture
def built(tmp_path: Path) -> Path:
    build_warehouse(tmp_path / "t.duckdb", [holding("prices/list.csv", WITH_AN_ODD_CELL)])
    return tmp_path / "t.duckdb"


def table_name(path: Path) -> str:
    return str(asked(path, "select table_name from catalogue")[0][0])


def test_rows_are_typed_and_totals_stand_apart(built: Path) -> None:
    name = table_name(built)
    assert asked(built, f"select item, price from {name} order by _row") == [("Rope", 12.0), ("Buoy", None)]
    assert asked(built, f"select item, price from {name}_totals") == [("All", 12.0)]


def test_a_cell_that_is_no_value_is_kept_as_an_odd_cell(built: Path) -> None:
    found = asked(built, "select row, column_name, address, raw_text, reason from odd_cells")
    assert found == [(1, "price", "S!B3", "ask us", "not_a_number")]


def test_the_report_counts_what_was_loaded(tmp_path: Path) -> None:
    report = build_warehouse(tmp_path / "t", [holding("prices/list.csv", WITH_AN_ODD_CELL)])
    assert (report.documents, report.rows, report.totals, report.odd_cells) == (1, 2, 1, 1)
    assert (report.columns_typed, report.columns_text) == (1, 1)
    assert report.tables[0].columns == (("item", "text"), ("price", "number"))
    assert report.warnings == ()


def test_a_table_that_is_no_lookup_table_is_left_out(tmp_path: Path) -> None:
    small = replace(table([column(0, "n", ColumnType.INTEGER)], row(2, cell(0, "1", 1))), lookup=False)
    assert build_warehouse(tmp_path / "t", [holding("prices/a.md", small)]).tables == ()
    assert asked(tmp_path / "t", "select count(*) from catalogue") == [(0,)]


def test_two_tables_of_one_full_name_are_both_kept_with_a_warning(tmp_path: Path) -> None:
    made = table([column(0, "n", ColumnType.INTEGER)], row(2, cell(0, "1", 1)))
    report = build_warehouse(tmp_path / "t", [holding("prices/a.csv", made, made)])
    assert len(report.tables) == 2
    assert report.warnings == ("two tables are named lookup_made_abc123: the short name of neither is unique",)


def test_a_cell_off_its_line_keeps_its_own_address(tmp_path: Path) -> None:
    here = row(2, cell(0, "Rope"), cell(1, "1", 1))
    merged = row(3, cell(0, "Rope"), cell(1, "2", 2), cell(2, "3", 3))
    merged = replace(merged, cells=(merged.cells[0]._replace(address="S!A2"), *merged.cells[1:]))
    columns = [column(0, "item"), column(1, "a", ColumnType.INTEGER), column(2, "b", ColumnType.INTEGER)]
    build_warehouse(tmp_path / "t", [holding("prices/a.csv", table(columns, here, merged))])
    assert asked(tmp_path / "t", "select row, column_name, address from cell_addresses") == [(1, "item", "S!A2")]


def documents(loaded_at: str) -> list[LoadedDocument]:
    names = ("prices/a.csv", "prices/b.csv")
    return [loaded(name, *PRICES)._replace(loaded_at=loaded_at) for name in names]


def test_the_logical_hash_knows_content_and_nothing_else(tmp_path: Path) -> None:
    build_warehouse(tmp_path / "a", documents("2026-11-30"))
    build_warehouse(tmp_path / "b", documents("2026-12-01")[::-1])
    build_warehouse(tmp_path / "c", [loaded("prices/a.csv", *PRICES[:-1], "Total|$37.51")])
    assert logical_hash(tmp_path / "a") == logical_hash(tmp_path / "b")
    assert logical_hash(tmp_path / "a") != logical_hash(tmp_path / "c")


def test_a_call_that_takes_too_long_is_stopped(built: Path) -> None:
    slow = "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range = 1"
    with locked_connection(built, time_limit_s=0.2) as connection, pytest.raises(duckdb.Error, match=r"(?i)interrupt"):
        connection.execute(slow).fetchall()
