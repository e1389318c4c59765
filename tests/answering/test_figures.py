import pytest

from rag_assets.answering.figures import figures_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12%", 0.12),
        ("12 %", 0.12),
        ("twelve percent", 0.12),
        ("$25,000", 25000),
        ("25 thousand", 25000),
        ("1.5 million", 1_500_000),
        ("9,4 %", 0.094),
        ("1.234,56", 1234.56),
        ("1 234 567", 1_234_567),
        ("1'234", 1234),
        ("-3.5", -3.5),
        ("twenty-one thousand", 21000),
    ],
)
def test_a_figure_is_read_as_what_it_is_worth(text: str, value: float) -> None:
    assert any(value in figure.values for figure in figures_in(f"It is {text} today"))


@pytest.mark.parametrize("text", ["2026-01-01", "January 1, 2026", "1 January 2026", "Jan 1st, 2026"])
def test_dates_are_one_figure(text: str) -> None:
    assert [figure.date for figure in figures_in(f"From {text} on")] == ["2026-01-01"]


def test_citation_marks_and_list_numbers_are_no_figures() -> None:
    assert figures_in("1. first [3]\n2. second [t12]") == ()
