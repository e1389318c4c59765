"""Generated aggregate questions over generated tables equal an oracle in plain Python."""

import math
import operator
import random
import statistics
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rag_assets.lookup.calls import FUNCTIONS
from rag_assets.lookup.tools import Toolbox
from rag_assets.lookup.warehouse import build_warehouse, logical_hash
from rag_assets.model.corpus import LookupResult
from tests.lookup.warehouses import loaded, toolbox

TODAY = date(2026, 11, 30)
COLUMNS = ("name", "kind", "price", "stock")
KINDS = ("alpha", "beta", "gamma", "delta")
Row = tuple[str, str, float, int | None]


def drawn_rows(draw: random.Random) -> list[Row]:
    return [
        (
            f"item {n}",
            draw.choice(KINDS),
            round(draw.uniform(1, 900), 2),
            draw.choice([None, draw.randrange(1, 50), draw.randrange(1, 50)]),
        )
        for n in range(draw.randrange(20, 60))
    ]


def lines(rows: list[Row]) -> list[str]:
    return ["name|kind|price|stock", *(f"{n}|{k}|{p}|{'' if s is None else s}" for n, k, p, s in rows)]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Toolbox, list[Row]]]:
    made = []
    for seed in range(8):
        rows = drawn_rows(random.Random(seed))
        made.append((toolbox(tmp_path_factory.mktemp("oracle"), loaded("prices/list.csv", *lines(rows))), rows))
    return made


def reduced(function: str, values: list[object]) -> object:
    """Over the cells that hold a value; over none of them a count is 0 and all else None."""
    if function.startswith("count"):
        return len(values if function == "count" else set(values))
    numbers = [float(v) for v in values if isinstance(v, int | float)]
    if not numbers:
        return None
    made = {"sum": math.fsum, "avg": statistics.fmean, "min": min, "max": max, "median": statistics.median}[function]
    return made(numbers)


HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
    "in": lambda cell, values: cell in values,
    "contains": lambda cell, part: part in cell,
    "is_null": lambda _cell, _value: False,
}


def holds(row: Row, condition: dict[str, Any]) -> bool:
    cell = row[COLUMNS.index(condition["column"])]
    if cell is None:
        return condition["op"] == "is_null"
    value = condition["value"]
    return HOLDS[condition["op"]](cell, value.lower() if isinstance(value, str) else value)


def drawn_condition(draw: random.Random, rows: list[Row]) -> dict[str, Any]:
    name = draw.choice(COLUMNS[1:])
    there = [cell for row in rows if (cell := row[COLUMNS.index(name)]) is not None]
    op = draw.choice([o for o in HOLDS if o != "contains" or name == "kind"])
    value: object = draw.choice(there)
    if op == "in":
        value = draw.sample(there, 3)
    elif isinstance(value, str):
        value = (value[1:3] if op == "contains" else value).upper()
    return {"column": name, "op": op, "value": None if op == "is_null" else value}


def equal(got: object, wanted: object) -> bool:
    if isinstance(got, float) and isinstance(wanted, int | float):
        return math.isclose(got, wanted, rel_tol=1e-12)
    return got == wanted


@pytest.mark.parametrize("seed", range(200))
def test_an_aggregate_equals_the_oracle(tables: list[tuple[Toolbox, list[Row]]], seed: int) -> None:
    draw = random.Random(1000 + seed)
    tools, rows = draw.choice(tables)
    filters = [drawn_condition(draw, rows) for _ in range(draw.randrange(3))]
    function, name = draw.choice(FUNCTIONS), draw.choice(["price", "stock"])
    grouped = draw.random() < 0.5
    call: dict[str, object] = {"filters": filters, "aggregate": [{"function": function, "column": name, "as": "x"}]}
    found = tools.call("lookup_list", call | ({"group_by": ["kind"]} if grouped else {}), TODAY)
    assert isinstance(found, LookupResult), found
    matching = [row for row in rows if all(holds(row, condition) for condition in filters)]
    assert (found.matched_rows, found.table_rows, found.complete) == (len(matching), len(rows), True)
    groups: dict[str, list[Row]] = {kind: [] for kind in sorted({row[1] for row in matching})} if grouped else {"": []}
    for row in matching:
        groups[row[1] if grouped else ""].append(row)
    values = [[v for row in group if (v := row[COLUMNS.index(name)]) is not None] for group in groups.values()]
    assert [row.get("kind", "") for row in found.rows] == list(groups)
    wanted = [reduced(function, list(held)) for held in values]
    assert all(equal(row["x"], value) for row, value in zip(found.rows, wanted, strict=True)), (found.rows, wanted)
    assert found.ignored_nulls == {"x": len(matching) - sum(len(held) for held in values)}


def test_the_warehouse_is_the_same_whatever_the_order_of_documents(tmp_path: Path) -> None:
    documents = [loaded(f"prices/{n}.csv", *lines(drawn_rows(random.Random(n)))) for n in range(3)]
    for name, order in (("a", documents), ("b", documents[::-1])):
        build_warehouse(tmp_path / name, order)
    assert logical_hash(tmp_path / "a") == logical_hash(tmp_path / "b")
