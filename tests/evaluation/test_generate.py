"""Cases made from tables, with SQL as the oracle."""

import time
from datetime import date

import pytest
import yaml

from rag_assets.evaluation.cases import CaseFile
from rag_assets.evaluation.generate import Material, cases_yaml, generate_cases
from rag_assets.evaluation.oracle import TableOracle
from rag_assets.lookup.schema import Origin, lookup_table
from rag_assets.model.document import GridId
from rag_assets.model.table import Column, ColumnType, Normalized, Row, RowKind, Table, TableCell, TableId

TODAY = date(2026, 11, 30)


def price_table(rows: int) -> Table:
    """name | price | from: every third row comes into force next year."""

    def row(n: int) -> Row:
        day = "2027-01-01" if n % 3 == 0 else "2026-01-01"
        name = TableCell(0, f"Item {n}", None, None, 1, False, f"r{n + 2}c1")
        price = TableCell(1, str(n + 1), n + 1, None, 1, False, f"r{n + 2}c2")
        begin = TableCell(2, day, day, None, 1, False, f"r{n + 2}c3")
        return Row(path=(f"Item {n}",), kind=RowKind.DATA, cells=(price, begin), labels=(name,))

    return Table(
        id=TableId("t"),
        grid=GridId("g"),
        ordinal=0,
        label_columns=(Column(index=0, path=("name",)),),
        columns=(
            Column(index=1, path=("price",), type=ColumnType.INTEGER),
            Column(index=2, path=("valid from",), type=ColumnType.DATE),
        ),
        rows=tuple(row(n) for n in range(rows)),
        lookup=True,
        name="lookup_prices",
        full_name="lookup_prices_a1b2c3",
        effective=(("from", "valid from"),),
    )


@pytest.fixture(scope="module")
def material() -> Material:
    return Material(source="pricing/list.csv", scope="staff", normalized=Normalized(tables=(price_table(60),)))


def test_the_same_seed_gives_the_same_cases_and_another_seed_others(material: Material) -> None:
    one, again = (generate_cases([material], limit=300, seed=1, today=TODAY) for _ in range(2))
    assert one == again
    assert one != generate_cases([material], limit=300, seed=2, today=TODAY)


def test_every_kind_that_a_dated_table_allows_is_there(material: Material) -> None:
    kinds = {case.tags[1] for case in generate_cases([material], limit=2000, today=TODAY)}
    expected = {"lookup", "comparison", "aggregate", "count", "existence", "absent", "not_yet", "forbidden"}
    assert kinds == expected


def test_rows_not_in_force_enter_no_aggregate(material: Material) -> None:
    cases = generate_cases([material], limit=2000, today=TODAY)
    (mean,) = [c for c in cases if c.call and c.call.arguments.get("aggregate") and "'avg'" in str(c.call.arguments)]
    in_force = [n + 1 for n in range(60) if n % 3]
    assert mean.expect.value is not None
    assert mean.expect.value.equals == pytest.approx(sum(in_force) / len(in_force))
    assert mean.as_of == TODAY


def test_an_absent_label_is_not_in_the_table(material: Material) -> None:
    absent = [c for c in generate_cases([material], limit=2000, today=TODAY) if "absent" in c.tags and c.call]
    assert absent
    for case in absent:
        assert case.call is not None
        assert not any(f"'Item {n}'" in str(case.call.arguments["filters"]) for n in range(60))


def test_generated_cases_are_valid_case_files(material: Material) -> None:
    files = cases_yaml(generate_cases([material], limit=200, today=TODAY))
    assert set(files) == {"retrieval", "lookup", "answers"}
    for text in files.values():
        assert CaseFile.model_validate(yaml.safe_load(text)).cases


def test_a_thousand_cases_take_seconds(material: Material) -> None:
    big = Material(source="pricing/big.csv", scope="staff", normalized=Normalized(tables=(price_table(400),)))
    started = time.process_time()
    assert len(generate_cases([material, big], limit=1000, today=TODAY)) == 1000
    assert time.process_time() - started < 20


def test_the_oracle_counts_without_regard_to_case() -> None:
    table = lookup_table(price_table(6), Origin("pricing/list.csv", "", "pricing", ""))
    with TableOracle(table) as oracle:
        assert oracle.aggregate("sum", "price").value == 21
        assert oracle.aggregate_where("count", "name", "name", "ITEM 3").value == 1
        assert len(oracle.only("name")) == 6
