import pytest

from rag_assets.tables.ranges import (
    Rectangle,
    cell_name,
    column_letters,
    column_number,
    parse_range,
    quoted_sheet,
    sheet_of,
)


def test_columns_as_letters_and_back() -> None:
    assert [column_letters(n) for n in (0, 25, 26, 701, 702, 16_383)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]
    assert all(column_number(column_letters(n)) == n for n in range(16_384))


def test_ranges_as_text_and_back() -> None:
    assert parse_range("'It''s 2026'!$A$4:F60") == Rectangle(3, 0, 59, 5)
    assert parse_range("B2") == Rectangle(1, 1, 1, 1)
    assert Rectangle(3, 0, 59, 5).a1 == "A4:F60"
    assert parse_range("A:F") is None
    assert parse_range("#REF!") is None
    assert sheet_of("'It''s 2026'!A1") == "It's 2026"
    assert cell_name(13, 2) == "C14"


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("Prices", "Prices"),
        ("Regional tiers", "'Regional tiers'"),
        ("2026", "'2026'"),
        ("Q1", "'Q1'"),
        ("R1C1", "'R1C1'"),
        ("It's", "'It''s'"),
        ("Übersicht", "Übersicht"),
        ("a-b", "'a-b'"),
    ],
)
def test_sheets_are_quoted_as_a_spreadsheet_does(name: str, quoted: str) -> None:
    assert quoted_sheet(name) == quoted
