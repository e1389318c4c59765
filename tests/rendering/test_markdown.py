from dataclasses import replace

from rag_assets.rendering.markdown import render_table

from .tables import balance_sheet, cell, prices


def test_headings_stand_in_full_over_every_column_and_sections_in_the_label():
    assert render_table(balance_sheet()) == (
        "HARBOR TOOLS\n"
        "In millions\n"
        "\n"
        "|  | As of July 26, 2026 | As of July 27, 2025 |\n"
        "| --- | --- | --- |\n"
        "| Current assets › Cash | $120 | $90 |\n"
        "| Goodwill | 7 |  |"
    )


def test_a_unit_the_caption_holds_is_not_written_twice():
    assert render_table(prices(1)).count("thousands") == 1


def test_a_bar_or_line_break_in_a_cell_cannot_tear_the_row():
    table = prices(1)
    row = replace(table.rows[0], cells=(cell(2, "a|b\nc", "C5"),))
    assert render_table(replace(table, rows=(row,))).split("\n")[-1] == "| North | 1 | a\\|b c |  |"


def test_a_transposed_pair_keeps_its_rows_and_appends_its_lines():
    labels = (cell(0, "Student card", "a"), cell(1, "Zip pass", "b"))
    values = (cell(0, "with valid ID", "c"), cell(1, "with valid date", "d"))
    pairs = (("Student card", "with valid ID"), ("Zip pass", "with valid date"))
    table = replace(
        prices(0), caption=(), unit=None, columns=(), label_columns=(), pairs=pairs, pair_rows=(labels, values)
    )
    assert render_table(table) == (
        "| Student card | Zip pass |\n"
        "| with valid ID | with valid date |\n"
        "Student card: with valid ID\n"
        "Zip pass: with valid date"
    )


def test_notes_come_last():
    assert render_table(replace(balance_sheet(), notes=("(1) Unaudited.",))).endswith("\n(1) Unaudited.")
