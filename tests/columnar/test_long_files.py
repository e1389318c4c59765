"""Long files: read by column, they give what they give cell by cell."""

import csv
import datetime
import random
from pathlib import Path

import pytest

from rag_assets.tables.overrides import parse_overrides
from rag_assets.tables.rules import Rules
from tests.columnar.both_ways import assert_equal, both_ways
from tests.readers.made_workbooks import made, rows_at

ROWS = 700
NAMES = ("North", "South", "East", "West & co", "Île")


def _csv(folder: Path, lines: list[str], name: str = "long.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _lines(rows: int = ROWS) -> list[str]:
    draw = random.Random(5)
    return ["id,region,amount,when"] + [
        f"{n},{NAMES[n % 5]},{draw.uniform(-900, 900):.2f},2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}"
        for n in range(1, rows)
    ]


def test_a_plain_file(tmp_path: Path) -> None:
    long = assert_equal(_csv(tmp_path, _lines()), tmp_path)
    assert long.report.tables[0].columns == (
        ("id", "integer"), ("region", "text"), ("amount", "number"), ("when", "date"),
    )  # fmt: skip
    assert len(long.document.grids[0].cells) < 4 * ROWS / 2


FIELDS = (
    "007", "12345678901234567890", "1,5", "1,234.50", "$12.50", "18%", "n/a", "—", "-", "(12)", "word", "1e5", " 7 ",
    "+7", "-0", "2024-02-30", "5 000", "\u00a05", "two\nlines", 'say "hi"', "",
)  # fmt: skip


@pytest.mark.parametrize("cells", [1, 60, 300])
@pytest.mark.parametrize("numbers", ["{n}", "{n}.{n}5", "2024-03-{day:02d}", "{n},5", "${n}.5", "{day}%"])
def test_odd_fields_among_others(tmp_path: Path, numbers: str, cells: int) -> None:
    """A column for each odd field, so that one file tries them all."""
    draw = random.Random(cells)
    rows = [["id", *(f"column {n}" for n in range(len(FIELDS)))]]
    rows += [[str(n), *([numbers.format(n=n, day=n % 28 + 1)] * len(FIELDS))] for n in range(1, ROWS)]
    for column, field in enumerate(FIELDS, 1):
        for row in draw.sample(range(300, 640), cells):
            rows[row][column] = field
    path = tmp_path / "long.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    assert_equal(path, tmp_path)


def test_text_after_2500_rows_of_numbers(tmp_path: Path) -> None:
    lines = _lines(3000)
    lines[2600] = "2600,North,unknown,2024-01-01"
    long = assert_equal(_csv(tmp_path, lines), tmp_path)
    assert [odd[3:] for odd in long.odd_cells()] == [("r2601c3", "unknown", "not_a_number")]


def test_records_of_another_width_are_named(tmp_path: Path) -> None:
    lines = _lines()
    lines[400] += ",more,fields"
    lines[450] = "450,North"
    lines[500] = ""
    long = assert_equal(_csv(tmp_path, lines), tmp_path)
    assert long.document.warnings == ("2 records have not 4 fields: 401, 451",)


def test_totals_and_notes_at_the_end(tmp_path: Path) -> None:
    lines = [*_lines(), "Total,,12345.67,", "", "Source: the ledger"]
    long = assert_equal(_csv(tmp_path, lines), tmp_path)
    assert long.catalogue()[0]["totals_count"] == 1
    assert "the ledger" in str(long.catalogue()[0]["notes"])


def test_a_total_and_a_repeated_header_in_the_middle(tmp_path: Path) -> None:
    lines = _lines()
    lines[420:420] = ["Total,,99.50,", lines[0]]
    assert_equal(_csv(tmp_path, lines), tmp_path)


def test_sections_hold_over_the_stretches_below_them(tmp_path: Path) -> None:
    lines = ["item,price,cost"] + [f"Item {n},{n}.50,{n % 7}" for n in range(1, ROWS)]
    lines[450:450] = ["Beta goods"]
    lines[350:350] = ["Alpha goods"]
    long = assert_equal(_csv(tmp_path, lines), tmp_path)
    sections = long.rows(f'select section, count(*) from "{long.report.tables[0].full_name}" group by 1 order by 2')
    assert sections == [("Alpha goods", 100), ("Beta goods", 250), (None, 349)]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_delimiters_and_encodings(tmp_path: Path, delimiter: str, encoding: str) -> None:
    path = tmp_path / "long.csv"
    text = "\r\n".join(line.replace(",", delimiter) for line in _lines())
    path.write_text(text, encoding=encoding, newline="")
    assert_equal(path, tmp_path)


def test_a_declared_delimiter_and_a_dos_end(tmp_path: Path) -> None:
    lines = ["sep=;", *(line.replace(",", ";") for line in _lines())]
    path = _csv(tmp_path, lines)
    path.write_bytes(path.read_bytes() + b"\x1a")
    assert_equal(path, tmp_path)


def test_a_stray_quote_is_a_letter(tmp_path: Path) -> None:
    lines = _lines()
    lines[500] = '500,5" pipe,12.50,2024-01-01'
    assert_equal(_csv(tmp_path, lines), tmp_path)


def test_a_quote_that_never_closes_is_read_line_by_line(tmp_path: Path) -> None:
    lines = _lines()
    lines[500] = '500,"open,12.50,2024-01-01'
    long, short = both_ways(_csv(tmp_path, lines), tmp_path)
    assert not long.is_long
    assert long.tables() == short.tables()


def test_percent_and_currency_columns(tmp_path: Path) -> None:
    lines = ["item,price,share (%),discount"]
    lines += [f'Item {n},"${n:,}.50",{n % 90}.5,{n % 30}%' for n in range(1, 3000)]
    long = assert_equal(_csv(tmp_path, lines), tmp_path)
    units = {column["slug"]: column["unit"] for column in long.catalogue()[0]["columns"]}
    assert (units["price"], units["discount"]) == ("$", "percent")


def test_a_decimal_comma_that_one_cell_proves(tmp_path: Path) -> None:
    lines = ["item;price"] + [f"Item {n};{n}.{n % 900 + 100}" for n in range(1, ROWS)]
    lines[600] = "Item 600;1.234,50"
    assert_equal(_csv(tmp_path, lines), tmp_path)


def test_an_override_of_types_holds_for_all_rows(tmp_path: Path) -> None:
    override = parse_overrides({"tables": [{"table": 1, "types": {"amount": "text"}, "key": ["id"]}]}, "x.yaml")
    assert_equal(_csv(tmp_path, _lines()), tmp_path, overrides=override)


def _book(folder: Path, rows: list[list[object]], **options: object) -> Path:
    return made(folder, lambda _, sheet: rows_at(sheet, rows), name="long.xlsx", **options)


def _sheet_rows(rows: int = ROWS) -> list[list[object]]:
    draw = random.Random(3)
    return [["id", "region", "amount", "quantity"]] + [
        [n, NAMES[n % 5], round(draw.uniform(-900, 900), 2), n % 40] for n in range(1, rows)
    ]


def test_a_plain_sheet(tmp_path: Path) -> None:
    long = assert_equal(_book(tmp_path, _sheet_rows()), tmp_path)
    assert long.catalogue()[0]["range"] == f"A1:D{ROWS}"


def test_formats_give_units_types_and_dates(tmp_path: Path) -> None:
    codes = ["$#,##0.00", "0%", "yyyy-mm-dd", "yyyy-mm-dd hh:mm", "[h]:mm", "hh:mm", '#,##0,"K"', "00000", '0" kg"',
             "$#,##0;($#,##0);\"-\"", "[<100]0;[$€]0", "@"]  # fmt: skip
    draw = random.Random(4)

    def fill(book, sheet) -> None:
        formats = [book.add_format({"num_format": code}) for code in codes]
        rows_at(sheet, [["label", *[f"column {n}" for n in range(len(codes))]]])
        for r in range(1, ROWS):
            sheet.write(r, 0, f"row {r}")
            for c, form in enumerate(formats, 1):
                value = draw.choice([0, -3, 0.25, 45000.5, 45123, draw.uniform(-5, 50000), draw.randrange(1000)])
                if codes[c - 1].startswith(("yyyy", "[h]", "hh")):
                    value = draw.choice([45123, 45000.75, 44000.501, 0.5, 61, 59])
                sheet.write_number(r, c, value, form)

    assert_equal(made(tmp_path, fill, name="long.xlsx"), tmp_path)


@pytest.mark.parametrize("epoch", [False, True])
def test_dates_of_both_calendars(tmp_path: Path, epoch: bool) -> None:
    def fill(book, sheet) -> None:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        rows_at(sheet, [["n", "day", "moment"]])
        start = datetime.datetime(2020, 1, 1, 13, 45)
        for r in range(1, ROWS):
            sheet.write(r, 0, r)
            sheet.write_datetime(r, 1, start.replace(hour=0, minute=0) + datetime.timedelta(days=r), day)
            sheet.write_datetime(r, 2, start + datetime.timedelta(minutes=37 * r), moment)

    assert_equal(made(tmp_path, fill, name="long.xlsx", date_1904=epoch), tmp_path)


VALUES = ("word", "007", "12", "n/a", "-", "#N/A", True, "two\nlines", "  ", "x" * 80, "$5", "5%", None)


@pytest.mark.parametrize("cells", [1, 60, 300])
def test_odd_cells_among_stored_numbers(tmp_path: Path, cells: int) -> None:
    draw = random.Random(cells)
    rows: list[list[object]] = [["id", *(f"column {n}" for n in range(len(VALUES)))]]
    rows += [[n, *([n / 4] * len(VALUES))] for n in range(1, ROWS)]
    for column, value in enumerate(VALUES, 1):
        for row in draw.sample(range(300, 640), cells):
            rows[row][column] = value
    assert_equal(_book(tmp_path, rows), tmp_path)


def test_errors_and_formulas_without_a_value_are_counted(tmp_path: Path) -> None:
    rows = _sheet_rows()

    def fill(_, sheet) -> None:
        rows_at(sheet, rows)
        sheet.write_formula(400, 2, "=1/0", None, "#DIV/0!")
        sheet.write_formula(401, 2, "=A1", None, "")
        sheet.write_formula(402, 2, "=A403*2", None, 804)
        sheet.write_formula(403, 1, '="a"&"b"', None, "ab")

    long = assert_equal(made(tmp_path, fill, name="long.xlsx"), tmp_path)
    assert long.normalized.account.dropped["error"] == 1


def test_titles_notes_totals_and_a_second_table(tmp_path: Path) -> None:
    rows = [["Ledger 2026"], ["(in thousands)"], [], *_sheet_rows(), ["Total", None, 5, 6], [], ["Source: the ledger"]]

    def fill(_, sheet) -> None:
        rows_at(sheet, rows)
        rows_at(sheet, [["tier", "rate"], ["a", 1], ["b", 2], ["c", 3]], top=3, left=7)

    assert_equal(made(tmp_path, fill, name="long.xlsx"), tmp_path)


def test_hidden_and_merged_rows_and_columns(tmp_path: Path) -> None:
    def fill(_, sheet) -> None:
        rows_at(sheet, _sheet_rows())
        for row in (5, 400, 401, 500):
            sheet.set_row(row, None, None, {"hidden": True})
        sheet.set_column(3, 3, None, None, {"hidden": True})
        sheet.merge_range(449, 1, 452, 1, "Centre")

    path = made(tmp_path, fill, name="long.xlsx")
    assert_equal(path, tmp_path)
    assert_equal(path, tmp_path, rules=Rules(hidden_policy="include"))


def test_a_list_object_names_the_long_table(tmp_path: Path) -> None:
    def fill(_, sheet) -> None:
        rows_at(sheet, [["Report"], []])
        header, *body = _sheet_rows()
        columns = [{"header": name} for name in header]
        sheet.add_table(2, 0, 1 + len(body) + 1, 3, {"name": "Ledger", "columns": columns, "data": body})

    long = assert_equal(made(tmp_path, fill, name="long.xlsx"), tmp_path)
    assert long.normalized.tables[0].name == "lookup_ledger"


def test_an_override_range_on_a_long_sheet(tmp_path: Path) -> None:
    rows = [["Report"], [], *_sheet_rows()]
    override = parse_overrides(
        {"tables": [{"sheet": "Prices", "range": f"A3:D{ROWS + 2}", "header_rows": 1, "name": "ledger"}]}, "x.yaml"
    )
    assert_equal(_book(tmp_path, rows), tmp_path, overrides=override)
    skipped = parse_overrides({"skip": ["Prices"]}, "x.yaml")
    long, _ = both_ways(_book(tmp_path, rows), tmp_path, overrides=skipped)
    assert long.normalized.account.dropped == {"skipped": long.document.cells_in}
    assert long.normalized.account.balanced


def test_inline_and_rich_strings_read_as_calamine_reads_them(tmp_path: Path) -> None:
    def fill(book, sheet) -> None:
        bold = book.add_format({"bold": True})
        rows_at(sheet, _sheet_rows())
        sheet.write_rich_string(400, 1, "a ", bold, "b", " c & d")
        sheet.write(401, 1, "a_x000D_b")
        sheet.write(402, 1, " lead  and  trail ")

    assert_equal(made(tmp_path, fill, name="long.xlsx"), tmp_path)
    (tmp_path / "inline").mkdir()
    assert_equal(made(tmp_path / "inline", fill, name="long.xlsx", in_memory=True, constant_memory=True), tmp_path)


def test_a_summary_chunk_stands_for_a_long_table(tmp_path: Path) -> None:
    from rag_assets.chunking.document import chunk_document
    from rag_assets.chunking.settings import ChunkSettings

    long = assert_equal(_csv(tmp_path, _lines()), tmp_path)
    chunks = chunk_document("prices/long.csv", "x", long.normalized, ChunkSettings(record_rows=100_000))
    assert [chunk.kind.value for chunk in chunks] == ["summary"]
    assert f"{ROWS - 1} rows" in chunks[0].text
    assert long.normalized.statements == ()
