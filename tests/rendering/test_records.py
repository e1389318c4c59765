from dataclasses import replace

from rag_assets.model.chunk import Zone, ZoneText
from rag_assets.rendering.records import render_record, row_record_lines

from .tables import balance_sheet, prices


def test_a_record_says_what_the_row_is_before_what_it_says():
    table = balance_sheet()
    assert render_record(table, table.rows[0]) == (
        "HARBOR TOOLS\nIn millions\nCurrent assets › Cash\nAs of July 26, 2026: $120\nAs of July 27, 2025: $90"
    )


def test_empty_cells_are_left_out():
    table = balance_sheet()
    assert render_record(table, table.rows[1]).split("\n")[2:] == ["Goodwill", "As of July 26, 2026: 7"]


def test_label_columns_keep_their_stubheads():
    table = prices(1)
    assert [line.text for line in row_record_lines(table, table.rows[0])] == [
        "Region: North", "Tier: 1", "Terms Discount: 2%", "Terms Min order: $1,000",
    ]  # fmt: skip


def test_a_section_over_a_headed_label_has_its_own_line():
    table = prices(1)
    row = replace(table.rows[0], sections=("Retail",), path=("Retail", "North", "1"))
    assert [line.text for line in row_record_lines(table, row)][:2] == ["Retail", "Region: North"]


def test_the_label_weighs_as_label_and_its_section_as_cell():
    table = balance_sheet()
    first = row_record_lines(table, table.rows[0])[0]
    assert first.parts == (ZoneText(Zone.CELL, "Current assets"), ZoneText(Zone.LABEL, "Cash"))


def test_the_first_cell_is_the_label_where_a_table_has_none():
    table = prices(1)
    bare = replace(table, label_columns=(), rows=(replace(table.rows[0], labels=(), path=()),))
    assert [line.parts[0].zone for line in row_record_lines(bare, bare.rows[0])] == [Zone.LABEL, Zone.CELL]
