"""Whole workbooks with one trait each: types, units, rows and accounts come out exactly."""

import datetime
import re
import shutil
import zipfile
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.table import Table as ListObject

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.model.table import RowKind
from rag_assets.tables.overrides import parse_overrides
from rag_assets.tables.rules import Rules
from tests.readers.made_workbooks import headings, made, normalized, only_table, read, rows_at, types, units, values


def test_a_plain_sheet(tmp_path: Path) -> None:
    table = only_table(made(tmp_path, lambda _, s: rows_at(s, [["region", "price"], ["North", 12], ["South", 14.5]])))
    assert headings(table) == ["price"]
    assert types(table) == ["number"]
    assert values(table) == [["North", 12], ["South", 14.5]]
    assert table.rows[1].cells[0].address == "Prices!B3"
    assert table.account.balanced
    assert (table.lookup, table.name) == (True, "lookup_made")


def test_two_merged_header_rows_become_one_heading_a_column(tmp_path: Path) -> None:
    def fill(book, sheet):
        sheet.merge_range("B1:C1", "Domestic")
        sheet.merge_range("D1:E1", "Export")
        rows_at(
            sheet, [["region", "units", "sales", "units", "sales"], ["North", 1, 2, 3, 4], ["South", 5, 6, 7, 8]], top=1
        )

    table = only_table(made(tmp_path, fill))
    assert headings(table) == ["Domestic units", "Domestic sales", "Export units", "Export sales"]
    assert values(table) == [["North", 1, 2, 3, 4], ["South", 5, 6, 7, 8]]


def test_title_rows_are_the_caption(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(
            sheet,
            [["Price list 2026"], ["all prices without tax"], [], ["region", "price"], ["North", 12], ["South", 14]],
        )

    table = only_table(made(tmp_path, fill))
    assert table.caption[:2] == ("Price list 2026", "all prices without tax")
    assert values(table) == [["North", 12], ["South", 14]]


def test_notes_below_are_notes(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "price"], ["North", 12], ["South", 14], [], ["* prices are subject to change"]])

    table = only_table(made(tmp_path, fill))
    assert table.notes == ("* prices are subject to change",)
    assert len(table.rows) == 2


def test_a_blank_row_inside_does_not_split(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "price"], ["North", 12], ["South", 14], [], ["East", 15], ["West", 16]])

    assert values(only_table(made(tmp_path, fill))) == [["North", 12], ["South", 14], ["East", 15], ["West", 16]]


def test_two_tables_beside_each_other(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "price"], ["North", 12], ["South", 14]])
        rows_at(sheet, [["plant", "cost"], ["Mill", 7], ["Yard", 8], ["Dock", 9]], left=3)

    first, second = normalized(made(tmp_path, fill)).tables
    assert values(first) == [["North", 12], ["South", 14]]
    assert values(second) == [["Mill", 7], ["Yard", 8], ["Dock", 9]]
    assert (first.range, second.range) == ("A1:B3", "D1:E4")
    assert first.full_name != second.full_name


def test_two_tables_below_each_other(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(
            sheet, [["region", "price"], ["North", 12], ["South", 14], [], ["plant", "cost"], ["Mill", 7], ["Yard", 8]]
        )

    first, second = normalized(made(tmp_path, fill)).tables
    assert (headings(first), values(first)) == (["price"], [["North", 12], ["South", 14]])
    assert (headings(second), values(second)) == (["cost"], [["Mill", 7], ["Yard", 8]])


def test_a_list_object_away_from_the_corner_is_a_region_with_its_name(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["a remark in the corner", None, "another"]])
        sheet.add_table(
            "C4:D6",
            {
                "name": "Tiers",
                "data": [["North", 12], ["South", 14]],
                "columns": [{"header": "region"}, {"header": "price"}],
            },
        )
        rows_at(sheet, [["loose", 1], ["ends", 2]], top=9)

    tables = normalized(made(tmp_path, fill)).tables
    table = next(t for t in tables if t.name == "lookup_tiers")
    assert values(table) == [["North", 12], ["South", 14]]
    assert headings(table) == ["price"]


def test_a_defined_name_around_a_whole_table_names_it(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "price"], ["North", 12], ["South", 14]], top=2, left=1)
        book.define_name("rate_card", "=Prices!$B$3:$C$5")

    assert only_table(made(tmp_path, fill)).name == "lookup_rate_card"


def test_hidden_rows_columns_and_sheets_are_out_and_counted(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "cost", "price"], ["North", 9, 12], ["South", 8, 14], ["Test", 1, 1]])
        sheet.set_row(3, None, None, {"hidden": True})
        sheet.set_column("B:B", None, None, {"hidden": True})
        secret = book.add_worksheet("Secret")
        rows_at(secret, [["region", "price"], ["Moon", 99]])
        secret.hide()

    path = made(tmp_path, fill)
    found = normalized(path)
    assert [values(t) for t in found.tables] == [[["North", 12], ["South", 14]]]
    assert found.account.dropped == {"hidden": 4 + 2 + 4}
    assert not any("Secret" in block.text for block in found.blocks)
    shown = normalized(path, Rules(hidden_policy="include"))
    assert len(shown.tables) == 2
    assert shown.account.dropped == {}


@pytest.mark.parametrize(
    ("code", "stored", "text", "value", "unit", "kind"),
    [
        ("0%", 0.12, "12%", 0.12, "percent", "number"),
        ("0.0%", 0.094, "9.4%", 0.094, "percent", "number"),
        ("$#,##0", 25000, "$25,000", 25000, "$", "integer"),
        ('_("$"* #,##0.00_);_("$"* (#,##0.00)', -1234.5, "$(1,234.50)", -1234.5, "$", "number"),
        ("[$€-407] #,##0.00", 12.5, "€ 12.50", 12.5, "€", "number"),
        ('#,##0,"K"', 25000, "25K", 25000, None, "integer"),
        ("#,##0", 25000, "25,000", 25000, None, "integer"),
        ("0.00", 12, "12.00", 12, None, "integer"),
    ],
)
def test_number_formats_give_the_shown_text_and_the_unit(tmp_path, code, stored, text, value, unit, kind) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "amount"], ["North"], ["South"]])
        style = book.add_format({"num_format": code})
        sheet.write(1, 1, stored, style)
        sheet.write(2, 1, stored, style)

    table = only_table(made(tmp_path, fill))
    cell = table.rows[0].cells[0]
    assert (cell.text, cell.value, cell.unit, cell.scale) == (text, value, unit, 1)
    assert (types(table), units(table)) == ([kind], [unit])


def test_codes_keep_their_leading_zeros(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["name", "code", "zip"], ["North", "00123", None], ["South", "00045", None]])
        padded = book.add_format({"num_format": "00000"})
        sheet.write(1, 2, 501, padded)
        sheet.write(2, 2, 12345, padded)

    table = only_table(made(tmp_path, fill))
    assert [[c.text for c in row.cells] for row in table.rows] == [["00123", "00501"], ["00045", "12345"]]
    assert table.rows[0].cells[1].value == 501


def test_ids_of_twenty_digits_survive(tmp_path: Path) -> None:
    table = only_table(
        made(tmp_path, lambda _, s: rows_at(s, [["name", "id"], ["North", "12345678901234567890"], ["South", "x1"]]))
    )
    assert table.rows[0].cells[0].text == "12345678901234567890"


def test_dates_by_format_and_numbers_without_one(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "from", "day number"], ["North", None, 46023], ["South", None, 46054]])
        style = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write(1, 1, datetime.date(2026, 1, 1), style)
        sheet.write(2, 1, datetime.date(2026, 2, 1), style)

    table = only_table(made(tmp_path, fill))
    assert types(table) == ["date", "integer"]
    assert values(table) == [["North", "2026-01-01", 46023], ["South", "2026-02-01", 46054]]


def test_the_1904_calendar(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "from"], ["North"], ["South"]])
        style = book.add_format({"num_format": "d mmm yyyy hh:mm"})
        sheet.write_datetime(1, 1, datetime.datetime(2026, 1, 1, 13, 45), style)
        sheet.write_datetime(2, 1, datetime.datetime(2026, 1, 2), style)

    table = only_table(made(tmp_path, fill, date_1904=True))
    assert types(table) == ["timestamp"]
    assert [c.value for row in table.rows for c in row.cells] == ["2026-01-01T13:45:00", "2026-01-02T00:00:00"]


def test_durations_over_a_day(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["job", "time"], ["Dig"], ["Fill"]])
        style = book.add_format({"num_format": "[h]:mm"})
        sheet.write(1, 1, 1.5, style)
        sheet.write(2, 1, 0.25, style)

    table = only_table(made(tmp_path, fill))
    assert types(table) == ["duration"]
    assert [(c.text, c.value) for row in table.rows for c in row.cells] == [("36:00", 129_600), ("6:00", 21_600)]


def test_errors_are_counted_and_named(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "price"], ["North", 12], ["South", None], ["East", 14]])
        sheet.write_formula(2, 1, "=1/0", None, "#DIV/0!")

    found = normalized(made(tmp_path, fill))
    assert found.account.dropped == {"error": 1}
    assert found.account.cells_in == 8


def test_formulas_without_a_cached_value_are_counted_and_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [["region", "price"], ["North", 12], ["South", "=B2*2"], ["East", 14]]:
        book.active.append(row)
    book.save(tmp_path / "uncached.xlsx")
    found = normalized(tmp_path / "uncached.xlsx")
    assert found.account.dropped == {"uncached_formula": 1}


def test_a_total_is_no_data_row(tmp_path: Path) -> None:
    table = only_table(
        made(tmp_path, lambda _, s: rows_at(s, [["region", "sales"], ["North", 12], ["South", 14], ["Total", 26]]))
    )
    assert [row.kind for row in table.rows] == [RowKind.DATA, RowKind.DATA, RowKind.TOTAL]


def test_text_after_2500_number_rows_is_an_odd_cell_of_a_number_column(tmp_path: Path) -> None:
    rows = [["key", "amount"], *([f"k{n}", n] for n in range(2500)), ["last", "n/a yet"]]
    table = only_table(made(tmp_path, lambda _, s: rows_at(s, rows)))
    assert types(table) == ["integer"]
    assert len(table.rows) == 2501
    assert table.rows[-1].cells[0].text == "n/a yet"


def test_an_empty_first_data_row(tmp_path: Path) -> None:
    table = only_table(made(tmp_path, lambda _, s: rows_at(s, [["region", "price"], [], ["North", 12], ["South", 14]])))
    assert headings(table) == ["price"]
    assert values(table) == [["North", 12], ["South", 14]]


def test_every_column_of_a_sheet(tmp_path: Path) -> None:
    rows = [["name", *(f"h{n}" for n in range(1, 16_384))], ["North", *range(1, 16_384)], ["South", *range(1, 16_384)]]
    document = read(made(tmp_path, lambda _, s: rows_at(s, rows)))
    assert document.cells_in == 3 * 16_384
    assert document.grids[0].cells[-1].address == "Prices!XFD3"


def test_two_far_corners_are_refused_before_they_take_the_process_down(tmp_path: Path) -> None:
    path = made(tmp_path, lambda _, s: (s.write("A1", 1), s.write("XFD1048576", 2)))
    with pytest.raises(Quarantine) as caught:
        read(path)
    assert caught.value.reason is Reason.SPARSE_EXTENT


def test_a_dimension_that_lies_loses_nothing(tmp_path: Path) -> None:
    path = made(tmp_path, lambda _, s: rows_at(s, [["region", "price"], ["North", 12], ["South", 14]]))
    _rewrite(
        path, "xl/worksheets/sheet1.xml", lambda xml: re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1"', xml)
    )
    assert values(only_table(path)) == [["North", 12], ["South", 14]]


def test_a_merged_label_is_filled_down(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(
            sheet,
            [["region", "tier", "price"], [None, "one", 12], [None, "two", 13], [None, "one", 14], [None, "two", 15]],
        )
        sheet.merge_range("A2:A3", "North")
        sheet.merge_range("A4:A5", "South")

    found = normalized(made(tmp_path, fill))
    assert [row.path[0] for row in found.tables[0].rows] == ["North", "North", "South", "South"]
    assert found.account.cells_in == 3 + 8 + 2


def test_an_override_file_settles_range_header_name_and_units(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(
            sheet,
            [
                ["noise", "more", "noise"],
                ["2026", "a", "b"],
                ["region", "one", "two"],
                ["North", 1, 2],
                ["South", 3, 4],
            ],
        )

    content = {
        "tables": [
            {"sheet": "Prices", "range": "A2:C5", "header_rows": 2, "name": "rate card", "units": {"2026 a": "percent"}}
        ]
    }
    tables = normalized(made(tmp_path, fill), overrides=parse_overrides(content, "made.xlsx.tables.yaml")).tables
    assert [t.name for t in tables if t.rows] == ["lookup_rate_card"]
    assert [row.path for row in tables[-1].rows] == [("North",), ("South",)]


def test_a_skipped_sheet_is_counted_as_skipped(tmp_path: Path) -> None:
    path = made(tmp_path, lambda _, s: rows_at(s, [["region", "price"], ["North", 12]]), sheet="Notes")
    found = normalized(path, overrides=parse_overrides({"skip": ["Notes"]}, "x"))
    assert (found.tables, found.account.dropped) == ((), {"skipped": 4})


def test_a_list_object_written_by_another_program(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [["2024", "2025"], [1, 2], [3, 4]]:
        book.active.append(row)
    book.active.add_table(ListObject(displayName="Years", ref="A1:B3"))
    book.save(tmp_path / "years.xlsx")
    found = normalized(tmp_path / "years.xlsx")
    assert found.tables[0].name == "lookup_years"


def test_several_sheets_carry_their_names(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "price"], ["North", 12], ["South", 13]])
        rows_at(book.add_worksheet("Old prices"), [["region", "price"], ["North", 10], ["South", 11]])

    tables = normalized(made(tmp_path, fill)).tables
    assert [t.name for t in tables] == ["lookup_made_prices", "lookup_made_old_prices"]
    assert tables[1].rows[0].cells[0].address == "'Old prices'!B2"


def test_equal_and_case_colliding_headings_both_stay(tmp_path: Path) -> None:
    table = only_table(
        made(tmp_path, lambda _, s: rows_at(s, [["key", "Price", "price", "Price"], ["a", 1, 2, 3], ["b", 4, 5, 6]]))
    )
    assert headings(table) == ["Price", "price", "Price"]
    assert values(table) == [["a", 1, 2, 3], ["b", 4, 5, 6]]


def test_a_chart_sheet_has_no_cells(tmp_path: Path) -> None:
    def fill(book, sheet):
        rows_at(sheet, [["region", "price"], ["North", 12], ["South", 13]])
        chart = book.add_chart({"type": "column"})
        chart.add_series({"values": "=Prices!$B$2:$B$3"})
        book.add_chartsheet("Chart").set_chart(chart)

    assert len(normalized(made(tmp_path, fill)).tables) == 1


def _rewrite(path: Path, part: str, change) -> None:
    copy = path.with_suffix(".copy")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == part else content)
    shutil.move(copy, path)
