"""When two texts or figures are the same."""

import pytest

from rag_assets.evaluation.matching import contains, figures_in, same_address, same_value


@pytest.mark.parametrize(
    ("text", "wanted", "is_in"),
    [
        ("a mean of 9.4 % overall", "9.4%", True),
        ("a mean of 19.4%", "9.4%", False),
        ("costs $3.00.", "$3.00", True),
        ("costs $13.00", "3.00", False),
        ("1,300 days", "300", False),
        ("tier 35", "tier 3", False),
        ("\uff19.\uff14% UNDER\u00a0GRADUATE", "9.4% under graduate", True),
        ("学生可以乘坐公交车", "学生可以", True),
    ],
)
def test_texts_are_compared_folded_and_figures_whole(text: str, wanted: str, is_in: bool) -> None:
    assert contains(text, wanted) is is_in


def test_figures_are_read_with_sign_unit_and_scale() -> None:
    found = figures_in("9.4 % of $25,000 is ($1.5 million) less")
    assert [(round(f.value, 6), f.unit) for f in found] == [(0.094, "percent"), (25000, "$"), (-1_500_000, "$")]


def test_a_boolean_is_no_number() -> None:
    assert not same_value(True, 1)
    assert same_value(0.1 + 0.2, 0.3)
    assert same_value(9.44, 9.4, tolerance=0.05)


def test_a_cell_lies_in_its_range_and_in_no_other_sheet() -> None:
    assert same_address("'Tiers'!C2:D41", "'Tiers'!D7")
    assert not same_address("'Tiers'!C2:D41", "'Tiers'!E7")
    assert not same_address("'Tiers'!C2:D41", "'Prices'!D7")
