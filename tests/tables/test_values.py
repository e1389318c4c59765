import pytest

from rag_assets.tables.values import Kind, proven_convention, read_value


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("4,310", 4310, None),
        ("$ 4,310", 4310, "$"),
        ("$(1,234)", -1234, "$"),
        ("(3)%", -0.03, "percent"),
        ("9.4%", 0.094, "percent"),
        ("1,234-", -1234, None),
        ("(25) bps", -25, "bps"),
        ("5 €", 5, "€"),
        ("1.5x", 1.5, "x"),
        ("1,234(1)", 1234, None),
    ],
)
def test_a_printed_figure_has_its_value_and_unit(text: str, value: float, unit: str | None) -> None:
    reading = read_value(text)
    assert (reading.kind, reading.value, reading.unit) == (Kind.FIGURE, value, unit)


@pytest.mark.parametrize("text", ["29,2025", "12 months", "100m", "5K", "1.234,56", "03/04/2025x", ""])
def test_no_value_is_ever_guessed(text: str) -> None:
    assert read_value(text).value is None


def test_a_sum_says_its_own_scale() -> None:
    assert read_value("$5.2 million").scale == 1_000_000


def test_the_column_proves_the_decimal_comma() -> None:
    convention = proven_convention(["1.234,56", "2.000"])
    assert read_value("2.000", convention).value == 2000
    assert read_value("1.234,56", convention).value == 1234.56


def test_a_date_that_could_be_two_is_none() -> None:
    assert read_value("03/04/2025").value is None
    assert read_value("March 4, 2025").value == "2025-03-04"
