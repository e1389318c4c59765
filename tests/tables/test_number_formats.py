import pytest

from rag_assets.tables.number_formats import plain_number, read_format, shown_number

ACCOUNTING = '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)'
SIZES = '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0'


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (1234.5, "$#,##0.00", "$1,234.50"),
        (0.12, "0%", "12%"),
        (0.0945, "0.0%", "9.5%"),
        (123, "00000", "00123"),
        (-5, "0;(0)", "(5)"),
        (-5, "#,##0", "-5"),
        (25000, '#,##0,"K"', "25K"),
        (12.5, ACCOUNTING, "$12.50"),
        (-12.5, ACCOUNTING, "$(12.50)"),
        (0, ACCOUNTING, "$-"),
        (1_500_000, SIZES, "1.5M"),
        (1500, SIZES, "1.5K"),
        (15, SIZES, "15"),
        (12.5, "[$€-407] #,##0.00", "€ 12.50"),
        (12.5, '0.0" kg"', "12.5 kg"),
        (1234567, "0.00E+00", "1.23E+06"),
        (0.5, "# ?/?", "0.5"),
        (123456789, "000-00-0000", "123-45-6789"),
        (12, "[Red]0.00", "12.00"),
        (0.1 + 0.2, None, "0.3"),
        (5, ";;;", "5"),
    ],
)
def test_a_number_is_shown_as_its_code_prints_it(value: float, code: str | None, text: str) -> None:
    assert shown_number(value, code) == text


@pytest.mark.parametrize(
    ("code", "kind", "unit"),
    [
        (None, "general", None),
        ("0.0%", "percent", "percent"),
        ("$#,##0", "number", "$"),
        ("[$USD] #,##0.00", "number", "USD"),
        ('0.0" kg"', "number", "kg"),
        ('#,##0,"K"', "number", None),
        ("yyyy-mm-dd", "date", None),
        ("m/d/yyyy h:mm", "timestamp", None),
        ("h:mm", "time", None),
        ("[h]:mm", "duration", None),
        ("mm:ss.0", "time", None),
        ("[$-409]d\\-mmm\\-yyyy;@", "date", None),
        ('"day "0', "number", None),
        ("0.00_);[Red](0.00)", "number", None),
        ("@", "text", None),
    ],
)
def test_what_a_code_says(code: str | None, kind: str, unit: str | None) -> None:
    found = read_format(code)
    assert (found.kind, found.unit) == (kind, unit)


def test_scale_and_padding() -> None:
    assert read_format('0.0,,"M"').shown_scale == 1_000_000
    assert read_format("00000").padding == 5


def test_numbers_without_a_format() -> None:
    assert [plain_number(v) for v in (12.0, 1e20, 0.1, True)] == ["12", "1E+20", "0.1", "TRUE"]
