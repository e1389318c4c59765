"""Keys, roles, and the dates that say when a row holds."""

from dataclasses import replace

import pytest

from rag_assets.lookup.schema import LookupTable, Origin, lookup_table
from rag_assets.model.table import ColumnType, Table
from tests.lookup.warehouses import cell, column, row, table


def schema(made: Table) -> LookupTable:
    return lookup_table(made, Origin("prices/list.csv", "x", "prices", "2026-11-30"))


def dated(*headings: str) -> Table:
    columns = [column(n, heading, ColumnType.DATE) for n, heading in enumerate(headings)]
    return table(columns, row(2, *(cell(n, "2026-01-01", "2026-01-01") for n in range(len(headings)))))


@pytest.mark.parametrize(
    ("headings", "begin", "end"),
    [
        (("Valid from", "Valid until"), "valid_from", "valid_until"),
        (("Effective", "Expires"), "effective", "expires"),
        (("Effective date", "Effective to"), "effective_date", "effective_to"),
        (("Gültig ab", "Gültig bis"), "gultig_ab", "gultig_bis"),
        (("Vigente desde", "Vigente hasta"), "vigente_desde", "vigente_hasta"),
        (("Order date", "Ship date"), None, None),
        (("Expiry date",), None, "expiry_date"),
    ],
)
def test_a_heading_says_from_or_until(headings: tuple[str, ...], begin: str | None, end: str | None) -> None:
    found = schema(dated(*headings))
    assert (found.effective_from, found.effective_until) == (begin, end)


def test_the_word_of_the_file_wins_over_headings() -> None:
    found = schema(replace(dated("Valid from", "Ship date"), effective=(("from", "Ship date"),)))
    assert found.effective_from == "ship_date"


def test_only_a_date_column_says_when_a_row_holds() -> None:
    made = table([column(0, "Valid from")], row(2, cell(0, "spring")))
    assert schema(made).effective_from is None


def pairs(*values: tuple[str, str]) -> Table:
    rows = [row(n, cell(0, a), cell(1, b)) for n, (a, b) in enumerate(values, start=2)]
    return table([column(0, "region"), column(1, "tier")], *rows)


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ((("North", "a"), ("South", "a")), ("region",)),
        ((("North", "a"), ("North", "b")), ("tier",)),
        ((("North", "a"), ("North", "b"), ("South", "a")), ("region", "tier")),
        ((("North", "a"), ("North", "a")), ()),
        ((("North", "a"), ("-", "a")), ()),
    ],
)
def test_the_key_is_the_fewest_leading_columns_that_name_one_row(
    values: tuple[tuple[str, str], ...], key: tuple[str, ...]
) -> None:
    assert schema(pairs(*values)).key == key


def test_a_declared_key_is_taken_or_none_at_all() -> None:
    made = pairs(("North", "a"), ("South", "b"))
    assert schema(replace(made, key=("tier",))).key == ("tier",)
    assert schema(replace(made, key=("tier", "colour"))).key == ()


def test_each_column_has_a_role() -> None:
    columns = [column(0, "item"), column(1, "kind"), column(2, "price", ColumnType.NUMBER, "$")]
    columns.append(column(3, "valid from", ColumnType.DATE))
    shown = [cell(1, "net"), cell(2, "$1", 1, "$"), cell(3, "2026-01-01", "2026-01-01")]
    found = schema(table(columns, row(2, cell(0, "Rope"), *shown), row(3, cell(0, "Buoy"), *shown)))
    assert [c.role for c in found.columns] == ["key", "category", "measure", "effective_from"]
