"""What a call finds: filters of each type, aggregates, units, dates in force, addresses."""

from datetime import date
from pathlib import Path

import pytest

from rag_assets.lookup.tools import Toolbox
from rag_assets.model.corpus import LookupResult
from rag_assets.model.table import ColumnType, Row, RowKind
from tests.lookup.warehouses import cell, column, holding, row, table, toolbox

TODAY = date(2026, 11, 30)
COLUMNS = (
    column(0, "item"),
    column(1, "price", ColumnType.NUMBER, "$"),
    column(2, "stock", ColumnType.INTEGER),
    column(3, "open", ColumnType.BOOLEAN),
    column(4, "day", ColumnType.DATE),
    column(5, "at", ColumnType.TIMESTAMP),
    column(6, "wait", ColumnType.DURATION),
)


def stall(line: int, item: str, *shown: object, kind: RowKind = RowKind.DATA) -> Row:
    price, stock, opened, day, at, wait = shown
    numbers = [cell(1, f"${price}", price, "$", 1000), cell(2, str(stock), stock), cell(3, str(opened), opened)]
    return row(line, cell(0, item), *numbers, cell(4, day, day), cell(5, at, at), cell(6, str(wait), wait), kind=kind)


STALLS = table(
    COLUMNS,
    stall(2, "Rope", 12.5, 3, True, "2026-01-05", "2026-01-05T08:00:00", 60),
    stall(3, "rope 50%_", 9.0, 7, False, "2026-02-05", "2026-01-05T09:00:00", 90),
    stall(4, "Café", 30.25, 3, True, "2026-03-05", "2026-01-05T10:30:00", 60),
    stall(6, "-", 7.0, 1, False, "2026-04-05", "2026-01-05T11:00:00", 5),
    stall(7, "All", 58.75, 14, True, "2026-12-31", "2026-12-31T00:00:00", 215, kind=RowKind.TOTAL),
)


@pytest.fixture(scope="module")
def stalls(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    return toolbox(tmp_path_factory.mktemp("stalls"), holding("prices/list.xlsx", STALLS))


def result(tools: Toolbox, day: date = TODAY, **arguments: object) -> LookupResult:
    found = tools.call("lookup_made", arguments, day)
    assert isinstance(found, LookupResult), found
    return found


def aggregate(function: str, column: str | None = None) -> list[dict[str, object]]:
    return [{"function": function, "column": column, "as": "x"}]


def by(name: str, *, descending: bool = False) -> list[dict[str, object]]:
    return [{"column": name, "descending": descending}]


@pytest.mark.parametrize(
    ("name", "op", "value", "stocked"),
    [
        ("item", "eq", "ROPE", ["12.5"]),
        ("item", "eq", "CAFÉ", ["30.25"]),
        ("item", "ne", "rope", ["9.0", "30.25"]),
        ("item", "gt", "ROPE", ["9.0"]),
        ("item", "in", ["café", "ROPE", "none"], ["12.5", "30.25"]),
        ("item", "contains", "OPE", ["12.5", "9.0"]),
        ("item", "contains", "%_", ["9.0"]),
        ("item", "is_null", True, ["7.0"]),
        ("item", "is_null", False, ["12.5", "9.0", "30.25"]),
        ("price", "lte", 9, ["9.0", "7.0"]),
        ("price", "eq", 30.25, ["30.25"]),
        ("stock", "gt", 2.5, ["12.5", "9.0", "30.25"]),
        ("stock", "in", [1, 7], ["9.0", "7.0"]),
        ("stock", "ne", 3, ["9.0", "7.0"]),
        ("stock", "lt", 2**70, ["12.5", "9.0", "30.25", "7.0"]),
        ("open", "eq", True, ["12.5", "30.25"]),
        ("open", "ne", True, ["9.0", "7.0"]),
        ("day", "lt", "2026-02-05", ["12.5"]),
        ("day", "in", ["2026-02-05", "2026-04-05"], ["9.0", "7.0"]),
        ("at", "gte", "2026-01-05T12:30:00+02:00", ["30.25", "7.0"]),
        ("wait", "eq", 60, ["12.5", "30.25"]),
    ],
)
def test_a_filter_keeps_the_rows_it_says(
    stalls: Toolbox, name: str, op: str, value: object, stocked: list[str]
) -> None:
    found = result(stalls, filters=[{"column": name, "op": op, "value": value}], select=["price"])
    assert [str(r["price"]) for r in found.rows] == stocked
    assert (found.matched_rows, found.table_rows) == (len(stocked), 4)


def test_all_filters_must_hold(stalls: Toolbox) -> None:
    both = [{"column": "open", "op": "eq", "value": True}, {"column": "price", "op": "gt", "value": 20}]
    assert result(stalls, filters=both, select=["item"]).rows == ({"item": "Café"},)


def test_values_come_as_json_holds_them(stalls: Toolbox) -> None:
    assert result(stalls, limit=1).rows[0] == {
        "item": "Rope",
        "price": 12.5,
        "stock": 3,
        "open": True,
        "day": "2026-01-05",
        "at": "2026-01-05T08:00:00",
        "wait": 60.0,
    }


@pytest.mark.parametrize(
    ("function", "name", "value"),
    [
        ("count", None, 4),
        ("count", "item", 3),
        ("count_distinct", "stock", 3),
        ("sum", "price", 58.75),
        ("avg", "stock", 3.5),
        ("median", "price", 10.75),
        ("min", "day", "2026-01-05"),
        ("max", "at", "2026-01-05T11:00:00"),
        ("max", "item", "rope 50%_"),
        ("sum", "wait", 215.0),
    ],
)
def test_an_aggregate_takes_data_rows_and_never_a_total(
    stalls: Toolbox, function: str, name: str | None, value: object
) -> None:
    found = result(stalls, aggregate=aggregate(function, name))
    assert found.rows == ({"x": value},)
    assert (found.row_count, found.matched_rows, found.complete) == (1, 4, True)


def test_empty_cells_are_told_beside_an_aggregate(stalls: Toolbox) -> None:
    assert result(stalls, aggregate=aggregate("count", "item")).ignored_nulls == {"x": 1}
    assert result(stalls, aggregate=aggregate("count")).ignored_nulls == {}


@pytest.mark.parametrize("function", ["sum", "avg", "min", "max", "median", "count", "count_distinct"])
def test_over_no_rows_counts_are_zero_and_all_else_is_null(stalls: Toolbox, function: str) -> None:
    nothing = [{"column": "price", "op": "gt", "value": 1000}]
    found = result(stalls, filters=nothing, aggregate=aggregate(function, "price"))
    assert found.rows == ({"x": 0 if function.startswith("count") else None},)
    assert (found.matched_rows, found.addresses, found.complete) == (0, (), True)


def test_over_no_rows_there_are_no_groups(stalls: Toolbox) -> None:
    nothing = [{"column": "price", "op": "gt", "value": 1000}]
    found = result(stalls, filters=nothing, aggregate=aggregate("count"), group_by=["stock"])
    assert (found.rows, found.complete) == ((), True)


def test_groups_come_in_the_order_asked_for(stalls: Toolbox) -> None:
    found = result(stalls, aggregate=aggregate("sum", "price"), group_by=["stock"], order_by=by("x", descending=True))
    assert found.rows == ({"stock": 3, "x": 42.75}, {"stock": 7, "x": 9.0}, {"stock": 1, "x": 7.0})
    assert found.units == {"x": "$"}
    assert found.scales == {"stock": 1, "x": 1000}


def test_a_value_named_like_a_column_leaves_filters_and_functions_alone(stalls: Toolbox) -> None:
    both = [
        {"function": "max", "column": "stock", "as": "price"},
        {"function": "max", "column": "price", "as": "stock"},
    ]
    cheap = [{"column": "price", "op": "gt", "value": 8}]
    found = result(stalls, filters=cheap, aggregate=both, group_by=["open"], order_by=by("price", descending=True))
    assert [(r["price"], r["stock"]) for r in found.rows] == [(7, 9.0), (3, 30.25)]


def test_null_comes_last_in_either_direction(stalls: Toolbox) -> None:
    for descending in (False, True):
        found = result(stalls, select=["item"], order_by=by("item", descending=descending))
        assert found.rows[-1] == {"item": None}


def test_rows_without_an_order_come_as_on_the_page(stalls: Toolbox) -> None:
    assert [r["price"] for r in result(stalls, select=["price"]).rows] == [12.5, 9.0, 30.25, 7.0]


@pytest.mark.parametrize(("limit", "complete"), [(3, False), (4, True), (5, True)])
def test_a_result_is_complete_only_when_the_limit_cut_nothing(stalls: Toolbox, limit: int, complete: bool) -> None:
    found = result(stalls, limit=limit)
    assert (found.complete, found.matched_rows) == (complete, 4)
    groups = result(stalls, aggregate=aggregate("count"), group_by=["price"], limit=limit)
    assert (groups.complete, groups.row_count) == (complete, min(limit, 4))


def test_a_result_names_its_cells_as_ranges(stalls: Toolbox) -> None:
    assert result(stalls, select=["price", "item"]).addresses == ("S!B2:B4", "S!B6", "S!A2:A4", "S!A6")
    assert result(stalls, aggregate=aggregate("avg", "stock")).addresses == ("S!C2:C4", "S!C6")
    assert result(stalls, aggregate=aggregate("count", "price")).addresses == ("S!B2:B4", "S!B6")
    assert result(stalls, aggregate=aggregate("count")).addresses == ("S!A2:A4", "S!A6")


def test_a_cut_result_names_only_the_cells_it_shows(stalls: Toolbox) -> None:
    found = result(stalls, select=["price"], order_by=by("price", descending=True), limit=1)
    assert found.addresses == ("S!B4",)


def rule(line: int, item: str, begin: str, end: str) -> Row:
    dates = [cell(n, text, text or None) for n, text in ((1, begin), (2, end))]
    return row(line, cell(0, item), *dates)


RULES = table(
    (column(0, "item"), column(1, "valid from", ColumnType.DATE), column(2, "valid until", ColumnType.DATE)),
    rule(2, "old", "2025-01-01", "2025-12-31"),
    rule(3, "new", "2026-01-01", ""),
    rule(4, "always", "", ""),
    rule(5, "next", "2027-01-01", "2027-12-31"),
)


@pytest.mark.parametrize(
    ("as_of", "items", "not_yet", "expired"),
    [
        ("2024-12-31", ["always"], 3, 0),
        ("2025-12-31", ["old", "always"], 2, 0),
        ("2026-01-01", ["new", "always"], 1, 1),
        ("2027-06-01", ["new", "always", "next"], 0, 1),
        (None, ["new", "always"], 1, 1),
    ],
)
def test_rows_not_in_force_on_the_day_are_left_out_and_counted(
    tmp_path: Path, as_of: str | None, items: list[str], not_yet: int, expired: int
) -> None:
    tools = toolbox(tmp_path, holding("prices/rules.xlsx", RULES))
    found = result(tools, select=["item"], as_of=as_of)
    assert [r["item"] for r in found.rows] == items
    assert (found.not_yet_in_force, found.expired, found.table_rows) == (not_yet, expired, 4)
    assert found.as_of == (as_of or TODAY.isoformat())


def test_a_table_without_dates_has_no_day(stalls: Toolbox) -> None:
    found = result(stalls, as_of="1999-01-01")
    assert (found.as_of, found.matched_rows) == (None, 4)


MIXED = table(
    (column(0, "item"), column(1, "fee", ColumnType.NUMBER), column(2, "fee unit")),
    row(2, cell(0, "a"), cell(1, "$5k", 5, "$", 1000), cell(2, "a head")),
    row(3, cell(0, "b"), cell(1, "€5", 5, "€"), cell(2, "a day")),
    row(4, cell(0, "c"), cell(1, "€5", 5, "€"), cell(2, "a day")),
    row(5, cell(0, "d"), cell(1, "-"), cell(2, "none")),
)


def test_a_column_whose_rows_differ_brings_unit_and_scale_of_each_row(tmp_path: Path) -> None:
    tools = toolbox(tmp_path, holding("prices/fees.xlsx", MIXED))
    found = result(tools, limit=2)
    assert found.rows == (
        {"item": "a", "fee": 5.0, "fee_unit_": "$", "fee_scale": 1000, "fee_unit": "a head"},
        {"item": "b", "fee": 5.0, "fee_unit_": "€", "fee_scale": 1, "fee_unit": "a day"},
    )
    assert (found.units, found.scales) == ({}, {})


def test_equal_figures_of_different_units_are_distinct(tmp_path: Path) -> None:
    tools = toolbox(tmp_path, holding("prices/fees.xlsx", MIXED))
    assert result(tools, aggregate=aggregate("count_distinct", "fee")).rows == ({"x": 2},)
    assert result(tools, aggregate=aggregate("count", "fee")).rows == ({"x": 3},)
