"""Generated aggregate questions over generated tables equal an oracle in plain Python."""

import math
import random
import statistics
from datetime import date
from pathlib import Path

import pytest

from rag_assets.lookup.tools import Toolbox
from rag_assets.model.corpus import LookupResult
from tests.lookup.warehouses import loaded, toolbox

TODAY = date(2026, 11, 30)
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


def oracle(function: str, values: list[float]) -> float | int | None:
    if function == "count":
        return len(values)
    if function == "count_distinct":
        return len(set(values))
    if not values:
        return None
    made = {"sum": sum, "avg": statistics.fmean, "min": min, "max": max, "median": statistics.median}[function]
    return made(values)


@pytest.mark.parametrize("seed", range(200))
def test_an_aggregate_equals_the_oracle(tables: list[tuple[Toolbox, list[Row]]], seed: int) -> None:
    draw = random.Random(1000 + seed)
    tools, rows = draw.choice(tables)
    function = draw.choice(["count", "count_distinct", "sum", "avg", "min", "max", "median"])
    column = draw.choice(["price", "stock"])
    kind, bound = draw.choice(KINDS), draw.uniform(1, 900)
    filters = [{"column": "kind", "op": "eq", "value": kind.upper()}, {"column": "price", "op": "gt", "value": bound}]
    matching = [row for row in rows if row[1] == kind and row[2] > bound]
    values = [float(v) for row in matching if (v := row[2 if column == "price" else 3]) is not None]
    call = {"filters": filters, "aggregate": [{"function": function, "column": column, "as": "x"}]}
    found = tools.call("lookup_list", call, TODAY)
    assert isinstance(found, LookupResult)
    assert found.complete
    assert found.matched_rows == len(matching)
    wanted, got = oracle(function, values), found.rows[0]["x"]
    assert got == wanted or (isinstance(got, int | float) and wanted is not None and math.isclose(got, wanted))


def test_the_warehouse_is_the_same_whatever_the_order_of_documents(tmp_path: Path) -> None:
    from rag_assets.lookup.warehouse import build_warehouse, logical_hash

    documents = [loaded(f"prices/{n}.csv", *lines(drawn_rows(random.Random(n)))) for n in range(3)]
    for name, order in (("a", documents), ("b", documents[::-1])):
        build_warehouse(tmp_path / name, order)
    assert logical_hash(tmp_path / "a") == logical_hash(tmp_path / "b")
