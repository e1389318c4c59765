from dataclasses import replace

from rag_assets.model.table import RowKind
from rag_assets.rendering.summary import render_summary

from .tables import prices


def test_a_summary_names_keys_ranges_units_and_last_the_tool():
    lines = render_summary(prices()).split("\n")
    assert lines[:3] == [
        "Regional discount tiers",
        "(In thousands)",
        "Table with 40 rows and columns: Region, Tier, Terms Discount, Terms Min order",
    ]
    assert "Region: 6 values: Central, Coast, East, North, South, West" in lines
    assert "Terms Discount: 2% to 15%" in lines
    assert "Terms Min order: $1,000 to $40,000 ($)" not in lines
    assert lines[-1] == "For values, totals, averages or counts use the tool lookup_discount_tiers."


def test_many_values_give_samples_and_their_number():
    table = prices(40)
    rows = tuple(
        replace(row, labels=(row.labels[0]._replace(text=f"Zone {n:02d}"), row.labels[1]))
        for n, row in enumerate(table.rows)
    )
    text = render_summary(replace(table, rows=rows))
    assert "Region: 40 values, among them Zone 00, Zone 08, Zone 16, Zone 24, Zone 32" in text


def test_totals_are_not_rows():
    table = prices(3)
    total = replace(table.rows[-1], kind=RowKind.TOTAL)
    assert "Table with 2 rows" in render_summary(replace(table, rows=(*table.rows[:2], total)))


def test_a_summary_is_the_same_whenever_it_is_made():
    assert render_summary(prices()) == render_summary(prices())
