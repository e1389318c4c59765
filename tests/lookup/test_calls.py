"""How a call is read: what is bound, and each refusal with what is allowed instead."""

from collections.abc import Mapping
from datetime import date, datetime

import pytest

from rag_assets.lookup.calls import FUNCTIONS, KEYS, MAX_FILTERS, MAX_VALUES, OPERATORS, Call, Refusal, read_call
from rag_assets.lookup.columns import LookupColumn
from rag_assets.model.corpus import LookupFault
from rag_assets.model.table import ColumnType

TODAY = date(2026, 11, 30)
MADE = (
    LookupColumn(slug="item", heading="Item", type=ColumnType.TEXT),
    LookupColumn(slug="price", heading="Price", type=ColumnType.NUMBER, unit="$"),
    LookupColumn(slug="rate", heading="Rate", type=ColumnType.NUMBER, unit="percent"),
    LookupColumn(slug="stock", heading="Stock", type=ColumnType.INTEGER),
    LookupColumn(slug="open", heading="Open", type=ColumnType.BOOLEAN),
    LookupColumn(slug="day", heading="Day", type=ColumnType.DATE),
    LookupColumn(slug="at", heading="At", type=ColumnType.TIMESTAMP),
    LookupColumn(slug="fee", heading="Fee", type=ColumnType.NUMBER, mixed=True),
)
COLUMNS = {column.slug: column for column in MADE}
NAMES = tuple(COLUMNS)
NUMBERS = ("price", "rate", "stock", "fee")
HUGE = 10**5000


def read(arguments: Mapping[str, object]) -> Call:
    return read_call(arguments, COLUMNS, TODAY)


def refused(arguments: Mapping[str, object]) -> LookupFault:
    with pytest.raises(Refusal) as caught:
        read(arguments)
    return caught.value.fault


def where(column: object, op: object, value: object) -> dict[str, object]:
    return {"filters": [{"column": column, "op": op, "value": value}]}


def aggregate(function: object, column: object = None, name: object = None) -> dict[str, object]:
    return {"aggregate": [{"function": function, "column": column, "as": name}]}


COUNT = {"function": "count"}
OTHER_OPERATORS = tuple(op for op in OPERATORS if op != "contains")


@pytest.mark.parametrize(
    ("arguments", "code", "allowed"),
    [
        ({"where": "1=1"}, "bad_arguments", KEYS),
        ({"filters": "price > 1"}, "bad_arguments", ()),
        ({"filters": {"column": "price"}}, "bad_arguments", ()),
        ({"filters": ["price"]}, "bad_arguments", ("column", "op", "value")),
        ({"filters": [{"column": "price", "sql": "1"}]}, "bad_arguments", ("column", "op", "value")),
        ({"filters": [{"column": "price", "op": "eq"}]}, "bad_arguments", ("column", "op", "value")),
        ({"select": ["item"] * (MAX_FILTERS + 1)}, "bad_arguments", ()),
        (where("item", "in", []), "bad_arguments", ()),
        (where("item", "in", "rope"), "bad_arguments", ()),
        (where("stock", "in", [1] * (MAX_VALUES + 1)), "bad_arguments", ()),
        ({"group_by": ["item"]}, "bad_arguments", ("aggregate",)),
        ({"aggregate": [COUNT, COUNT]}, "bad_arguments", ("as",)),
        ({"aggregate": [{"function": "count", "as": "Item"}], "group_by": ["item"]}, "bad_arguments", ("as",)),
        (aggregate("count", None, "a b"), "bad_arguments", ()),
        (aggregate("count", None, 'n"; drop table x; --'), "bad_arguments", ()),
        (aggregate("count", None, "n" * 61), "bad_arguments", ()),
        ({"order_by": [{"column": "item", "descending": "yes"}]}, "bad_arguments", ("true", "false")),
        ({"limit": 0}, "bad_arguments", ()),
        ({"limit": True}, "bad_arguments", ()),
        ({"limit": "10"}, "bad_arguments", ()),
        ({"limit": 1001}, "limit_exceeded", ("1000",)),
        ({"as_of": "soon"}, "bad_arguments", ()),
        ({"as_of": HUGE}, "bad_arguments", ()),
        (where("weight", "eq", 1), "unknown_column", NAMES),
        (where(HUGE, "eq", 1), "unknown_column", NAMES),
        ({"select": ["Item"]}, "unknown_column", NAMES),
        ({"aggregate": [COUNT], "group_by": ["weight"]}, "unknown_column", NAMES),
        (aggregate("sum"), "unknown_column", NAMES),
        ({"order_by": [{"column": "weight"}]}, "unknown_column", NAMES),
        (
            {"aggregate": [COUNT], "group_by": ["day"], "order_by": [{"column": "item"}]},
            "unknown_column",
            ("count", "day"),
        ),
        (where("price", "like", 1), "unknown_operator", OPERATORS),
        (where("price", "EQ", 1), "unknown_operator", OPERATORS),
        (where("price", ["eq"], 1), "unknown_operator", OPERATORS),
        (aggregate("stddev", "price"), "unknown_operator", FUNCTIONS),
        (aggregate(None, "price"), "unknown_operator", FUNCTIONS),
        ({"select": ["item"], "aggregate": [COUNT]}, "select_with_aggregate", ("select", "aggregate")),
        (where("price", "contains", "1"), "wrong_type", OTHER_OPERATORS),
        (where("price", "is_null", "false"), "wrong_type", ("true", "false")),
        (where("price", "eq", "12"), "wrong_type", ("number",)),
        (where("price", "eq", True), "wrong_type", ("number",)),
        (where("price", "lt", None), "wrong_type", ("number",)),
        (where("price", "lt", float("nan")), "wrong_type", ("number",)),
        (where("price", "lt", float("inf")), "wrong_type", ("number",)),
        (where("stock", "eq", 2**127), "wrong_type", ("integer",)),
        (where("stock", "in", [1, "2"]), "wrong_type", ("integer",)),
        (where("open", "eq", 1), "wrong_type", ("boolean",)),
        (where("day", "eq", "31/01/2026"), "wrong_type", ("date",)),
        (where("at", "eq", 2026), "wrong_type", ("timestamp",)),
        (where("item", "eq", ["a"]), "wrong_type", ("text",)),
        (where("item", "eq", HUGE), "wrong_type", ("text",)),
        (where("item", "eq", "\ud800"), "wrong_type", ("text",)),
        (where("item", "eq", "x" * 64_000), "wrong_type", ("text",)),
        (aggregate("sum", "item"), "wrong_type", NUMBERS),
        (aggregate("sum", "fee"), "wrong_type", ()),
        (aggregate("max", "fee"), "wrong_type", ()),
        ({"aggregate": [COUNT], "group_by": ["fee"]}, "wrong_type", ()),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_is_allowed(
    arguments: dict[str, object], code: str, allowed: tuple[str, ...]
) -> None:
    fault = refused(arguments)
    assert (fault.code, fault.allowed) == (code, allowed)


@pytest.mark.parametrize(
    ("column", "given", "bound"),
    [
        ("price", 3, 3),
        ("stock", 2.5, 2.5),
        ("open", False, False),
        ("item", "Rope", "Rope"),
        ("item", 12, "12"),
        ("day", "2026-01-31", date(2026, 1, 31)),
        ("day", "2026-01-31T10:00:00", date(2026, 1, 31)),
        ("at", "2026-01-31", datetime(2026, 1, 31)),
        ("at", "2026-01-31T12:00:00+02:00", datetime(2026, 1, 31, 10)),
    ],
)
def test_a_value_is_bound_in_the_type_of_its_column(column: str, given: object, bound: object) -> None:
    assert read(where(column, "eq", given)).filters[0].values == (bound,)


@pytest.mark.parametrize(
    ("op", "value", "wanted"),
    [
        ("is_null", None, True),
        ("is_null", True, True),
        ("is_null", False, False),
        ("eq", None, True),
        ("ne", None, False),
    ],
)
def test_null_is_asked_for_by_is_null_or_by_a_null_value(op: str, value: object, wanted: bool) -> None:
    found = read(where("price", op, value)).filters[0]
    assert (found.operator, found.values, found.wanted) == ("is_null", (), wanted)


def test_a_wrong_percent_is_told_that_a_percent_is_a_fraction() -> None:
    assert "12 % is 0.12" in refused(where("rate", "eq", "12%")).message


def test_an_empty_call_means_all_columns_today_up_to_a_hundred_rows() -> None:
    call = read({})
    assert ([c.slug for c in call.select], call.limit, call.as_of) == (list(NAMES), 100, TODAY)
    assert read({"filters": None, "aggregate": [], "limit": None}) == call


def test_an_aggregate_without_as_is_named_after_function_and_column() -> None:
    call = read(
        {"aggregate": [COUNT, {"function": "avg", "column": "price"}, {"function": "count", "column": "*"}][:2]}
    )
    assert [a.name for a in call.aggregates] == ["count", "avg_price"]
    assert read(aggregate("count", "*")).aggregates[0].column is None


@pytest.mark.parametrize("sent", ["\u202egnp.exe", "a\u200bb", "two\nlines", "x" * 64_000, "\ud800"])
def test_a_message_shows_what_was_sent_short_and_visible(sent: str) -> None:
    for arguments in ({sent: 1}, where(sent, "eq", 1), where("price", sent, 1), {"order_by": [{"column": sent}]}):
        message = refused(arguments).message
        assert message.isprintable()
        assert len(message) < 120
