"""Names of tools, what a tool says of itself, and a whole call from text to result."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from rag_assets.lookup.calls import FUNCTIONS, KEYS, OPERATORS
from rag_assets.lookup.statement_lookup import COLUMNS as STATEMENT_COLUMNS
from rag_assets.lookup.tools import Toolbox, open_toolbox
from rag_assets.lookup.warehouse import build_warehouse
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


def where(column: str, op: str, value: object = None) -> dict[str, object]:
    return {"filters": [{"column": column, "op": op, "value": value}]}


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
    sources = {answer.source for name in names[:-1] if isinstance(answer := both.call(name, {}, TODAY), LookupResult)}
    assert sources == {"prices/a/list.csv", "prices/b/list.csv"}


def test_a_full_name_answers_like_the_short_one(tools: Toolbox) -> None:
    listed = tools.tools()[0]
    assert listed.name == "lookup_list"
    assert listed.full_name.startswith("lookup_list_")
    by_full_name = tools.call(listed.full_name, {}, TODAY)
    assert isinstance(by_full_name, LookupResult)
    assert by_full_name == replace(result(tools, as_of=None), tool=listed.full_name)


@pytest.fixture
def partitions(tmp_path: Path) -> dict[str, Path]:
    """Two partitions whose tables share a name."""
    files = {name: tmp_path / f"{name}.duckdb" for name in ("open", "closed")}
    for name, path in files.items():
        build_warehouse(path, [loaded(f"{name}/list.csv", *PRICES), loaded(f"{name}/{name}.csv", *PRICES)])
    return files


def test_a_hidden_tool_answers_as_one_that_does_not_exist(partitions: dict[str, Path]) -> None:
    seen = open_toolbox([("open", partitions["open"])])
    every = open_toolbox(sorted(partitions.items()))
    hidden = next(tool.full_name for tool in every.tools() if tool.name == "lookup_closed")
    for name in ("lookup_closed", hidden):
        found, missing = seen.call(name, {}, TODAY), seen.call("lookup_nowhere", {}, TODAY)
        assert isinstance(found, LookupFault)
        assert isinstance(missing, LookupFault)
        assert (found.code, found.allowed) == (missing.code, missing.allowed)
        assert found.message.replace(name, "") == missing.message.replace("lookup_nowhere", "")


def test_a_hidden_table_makes_no_name_ambiguous(partitions: dict[str, Path]) -> None:
    seen = open_toolbox([("open", partitions["open"])])
    assert isinstance(seen.call("lookup_list", {}, TODAY), LookupResult)
    both = open_toolbox(sorted(partitions.items())).call("lookup_list", {}, TODAY)
    assert isinstance(both, LookupFault)


def test_without_a_visible_partition_there_is_no_tool() -> None:
    nothing = open_toolbox([])
    assert nothing.tools() == ()
    found = nothing.call("lookup_statements", {}, TODAY)
    assert isinstance(found, LookupFault)
    assert (found.code, found.allowed) == ("unknown_tool", ())


def test_a_table_named_statements_stays_within_reach(tmp_path: Path) -> None:
    made = toolbox(tmp_path, loaded("prices/statements.csv", *PRICES))
    names = [tool.name for tool in made.tools()]
    assert len(set(names)) == len(names) == 2
    found = made.call(names[0], {}, TODAY)
    assert isinstance(found, LookupResult)
    assert found.table_rows == 4


def test_the_list_of_tools_is_cut_where_asked(tools: Toolbox) -> None:
    assert [tool.name for tool in tools.tools(1)] == ["lookup_list"]


@pytest.mark.parametrize(
    ("condition", "matched"),
    [
        (where("heading", "eq", "PRICE"), 5),
        (where("row_path", "contains", "buoy"), 5),
        (where("value", "gt", 30), 1),
        (where("unit", "eq", "$"), 5),
        (where("collection", "eq", "prices"), 18),
        (where("source", "ne", "prices/list.csv"), 0),
    ],
)
def test_statements_are_found_by_their_parts(tools: Toolbox, condition: dict[str, object], matched: int) -> None:
    found = tools.call("lookup_statements", condition, TODAY)
    assert isinstance(found, LookupResult)
    assert (found.matched_rows, found.row_count, found.complete) == (matched, matched, True)
    assert len(found.addresses) == matched


def test_statements_of_all_visible_partitions_are_counted_past_the_limit(partitions: dict[str, Path]) -> None:
    found = open_toolbox(sorted(partitions.items())).call(
        "lookup_statements", {**where("heading", "eq", "price"), "limit": 7}, TODAY
    )
    assert isinstance(found, LookupResult)
    assert (found.matched_rows, found.row_count, found.complete) == (20, 7, False)


@pytest.mark.parametrize(
    ("arguments", "code", "allowed"),
    [
        ({"aggregate": [{"function": "sum", "column": "value"}]}, "bad_arguments", ("filters", "limit")),
        ({"select": ["value"]}, "bad_arguments", ("filters", "limit")),
        (where("text", "eq", "a"), "unknown_column", tuple(STATEMENT_COLUMNS)),
        (where("value", "eq", "a"), "wrong_type", ("number",)),
    ],
)
def test_statements_are_never_summed(
    tools: Toolbox, arguments: dict[str, object], code: str, allowed: tuple[str, ...]
) -> None:
    refused = tools.call("lookup_statements", arguments, TODAY)
    assert isinstance(refused, LookupFault)
    assert (refused.code, refused.allowed) == (code, allowed)


def test_a_tool_is_an_openai_function(tools: Toolbox) -> None:
    schema = tools.tools()[0]
    made = schema.as_openai()
    assert made == {
        "type": "function",
        "function": {"name": "lookup_list", "description": schema.description, "parameters": schema.parameters},
    }
    assert json.loads(json.dumps(made)) == made
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", schema.name)


def test_the_schema_of_a_tool_accepts_what_the_tool_accepts(tools: Toolbox) -> None:
    parameters = json.loads(json.dumps(tools.tools()[0].parameters))
    assert tuple(parameters["properties"]) == KEYS
    assert parameters["additionalProperties"] is False
    one = parameters["properties"]["filters"]["items"]["properties"]
    assert one["op"]["enum"] == list(OPERATORS)
    assert one["column"]["enum"] == ["item", "colour", "price", "discount", "valid_from", "valid_until"]
    assert parameters["properties"]["aggregate"]["items"]["properties"]["function"]["enum"] == list(FUNCTIONS)


def test_only_a_table_with_dates_offers_as_of(tmp_path: Path) -> None:
    made = toolbox(tmp_path, loaded("prices/list.csv", "item|price", "Rope|$1", "Buoy|$2")).tools()[0]
    assert "as_of" not in made.description
    assert "as_of" not in json.dumps(made.parameters)


def test_a_description_says_what_can_be_asked(tools: Toolbox) -> None:
    assert tools.tools()[0].description == (
        'Rows of the table "list.csv" (4 rows). Columns: item (text), colour (text), price (number, $), '
        "discount (number, percent), valid_from (date), valid_until (date). A percent is a fraction. Totals are left "
        "out; trust only results that say complete. Rows hold from or until a day: `as_of` defaults to today."
    )
