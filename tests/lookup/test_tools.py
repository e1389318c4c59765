import json
from datetime import date
from pathlib import Path

import pytest

from rag_assets.lookup.calls import FUNCTIONS, OPERATORS
from rag_assets.lookup.tools import Toolbox
from rag_assets.model.corpus import LookupFault, LookupResult
from tests.lookup.warehouses import loaded, toolbox

TODAY = date(2026, 11, 30)
PRICES = (
    "item|colour|price|discount|valid from|valid until",
    "Rope|blue|$12.00|5%|2026-01-01|2026-12-31",
    "Buoy|Red|$30.00|10%|2026-01-01|2026-06-30",
    "Lamp|red|$18.50||2026-01-01|",
    "Lamp|green|$19.50|20%|2027-01-01|",
    "Total||$80.00|||",
)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    return toolbox(tmp_path_factory.mktemp("tools"), loaded("prices/list.csv", *PRICES))


def result(tools: Toolbox, **arguments: object) -> LookupResult:
    found = tools.call("lookup_list", {"as_of": "2026-03-01", **arguments}, TODAY)
    assert isinstance(found, LookupResult), found
    return found


def fault(tools: Toolbox, **arguments: object) -> LookupFault:
    found = tools.call("lookup_list", arguments, TODAY)
    assert isinstance(found, LookupFault), found
    return found


def items(found: LookupResult) -> list[object]:
    return [row["item"] for row in found.rows]


def where(column: str, op: str, value: object = None) -> dict[str, object]:
    return {"filters": [{"column": column, "op": op, "value": value}]}


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (where("colour", "eq", "RED"), ["Buoy", "Lamp"]),
        (where("colour", "ne", "red"), ["Rope"]),
        (where("price", "lt", 18.5), ["Rope"]),
        (where("price", "lte", 18.5), ["Rope", "Lamp"]),
        (where("price", "gt", 18.5), ["Buoy"]),
        (where("price", "gte", 18.5), ["Buoy", "Lamp"]),
        (where("item", "in", ["rope", "buoy"]), ["Rope", "Buoy"]),
        (where("item", "contains", "O"), ["Rope", "Buoy"]),
        (where("discount", "is_null"), ["Lamp"]),
        (where("valid_until", "lte", "2026-06-30"), ["Buoy"]),
    ],
)
def test_a_filter_keeps_what_it_says(tools: Toolbox, condition: dict[str, object], found: list[str]) -> None:
    assert items(result(tools, **condition)) == found


def test_totals_never_enter_an_aggregate(tools: Toolbox) -> None:
    found = result(tools, aggregate=[{"function": "sum", "column": "price", "as": "all"}])
    assert found.rows == ({"all": 60.5},)
    assert found.units == {"all": "$"}
    assert found.complete


def test_nulls_are_counted_and_left_out_of_a_mean(tools: Toolbox) -> None:
    found = result(tools, aggregate=[{"function": "avg", "column": "discount", "as": "mean"}])
    assert found.rows == ({"mean": 0.075},)
    assert found.ignored_nulls == {"mean": 1}
    assert found.units == {"mean": "percent"}


def test_rows_not_in_force_are_left_out_and_counted(tools: Toolbox) -> None:
    found = tools.call("lookup_list", {"select": ["item"]}, TODAY)
    assert isinstance(found, LookupResult)
    assert (items(found), found.not_yet_in_force, found.expired) == (["Rope", "Lamp"], 1, 1)
    assert found.as_of == "2026-11-30"


def test_groups_are_ordered_and_cut_by_the_limit(tools: Toolbox) -> None:
    count = [{"function": "count", "as": "n"}]
    found = result(tools, aggregate=count, group_by=["colour"], order_by=[{"column": "n", "descending": True}], limit=1)
    assert found.row_count == 1
    assert not found.complete


def test_over_no_rows_a_count_is_zero_and_the_rest_is_null(tools: Toolbox) -> None:
    found = result(
        tools,
        **where("item", "eq", "Anchor"),
        aggregate=[{"function": "count", "as": "n"}, {"function": "max", "column": "price", "as": "top"}],
    )
    assert found.rows == ({"n": 0, "top": None},)


def test_a_result_names_the_cells_it_stands_on(tools: Toolbox) -> None:
    found = result(tools, select=["price"], order_by=[{"column": "price", "descending": True}], limit=2)
    assert [row["price"] for row in found.rows] == [30.0, 18.5]
    assert found.addresses == ("#table-1!r3c3:r4c3",)
    assert not found.complete


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (where("weight", "eq", 1), "unknown_column"),
        (where("price", "like", 1), "unknown_operator"),
        (where("price", "eq", "dear"), "wrong_type"),
        (where("price", "contains", "1"), "wrong_type"),
        ({"select": ["item"], "aggregate": [{"function": "count"}]}, "select_with_aggregate"),
        ({"aggregate": [{"function": "sum", "column": "item"}]}, "wrong_type"),
        ({"aggregate": [{"function": "stddev", "column": "price"}]}, "unknown_operator"),
        ({"limit": 1001}, "limit_exceeded"),
        ({"limit": 0}, "bad_arguments"),
        ({"where": "1=1"}, "bad_arguments"),
        ({"filters": "price > 1"}, "bad_arguments"),
        ({"as_of": "soon"}, "bad_arguments"),
        ({"group_by": ["item"]}, "bad_arguments"),
    ],
)
def test_a_call_that_cannot_be_answered_is_refused_with_a_code(
    tools: Toolbox, arguments: dict[str, object], code: str
) -> None:
    assert fault(tools, **arguments).code == code


def test_an_unknown_tool_names_those_that_are_there(tools: Toolbox) -> None:
    found = tools.call("lookup_nothing", {}, TODAY)
    assert isinstance(found, LookupFault)
    assert (found.code, found.allowed) == ("unknown_tool", ("lookup_list", "lookup_statements"))


def test_a_short_name_that_two_tables_have_is_ambiguous(tmp_path: Path) -> None:
    both = toolbox(tmp_path, loaded("prices/a/list.csv", *PRICES), loaded("prices/b/list.csv", *PRICES))
    found = both.call("lookup_list", {}, TODAY)
    assert isinstance(found, LookupFault)
    assert found.code == "ambiguous_tool"
    names = [tool.name for tool in both.tools()]
    assert sorted(found.allowed) == names[:-1]
    assert isinstance(both.call(names[0], {}, TODAY), LookupResult)


def test_statements_are_found_by_their_parts_and_never_summed(tools: Toolbox) -> None:
    found = tools.call("lookup_statements", where("heading", "eq", "price"), TODAY)
    assert isinstance(found, LookupResult)
    assert found.matched_rows == 5
    refused = tools.call("lookup_statements", {"aggregate": [{"function": "sum", "column": "value"}]}, TODAY)
    assert isinstance(refused, LookupFault)


def test_a_tool_is_an_openai_function(tools: Toolbox) -> None:
    schema = tools.tools()[0].as_openai()
    assert schema["type"] == "function"
    assert json.loads(json.dumps(schema)) == schema


def test_the_reference_names_every_operator_function_and_code() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "lookup.md").read_text(encoding="utf-8")
    faults = "unknown_tool ambiguous_tool unknown_column wrong_type unknown_operator select_with_aggregate"
    codes = [*faults.split(), "bad_arguments", "limit_exceeded"]
    wanted = [*OPERATORS, *FUNCTIONS, *codes]
    assert [name for name in wanted if f"`{name}`" not in page] == []
