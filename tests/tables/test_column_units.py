import pytest

from rag_assets.tables.column_units import ColumnUnit, column_unit
from rag_assets.tables.rules import Rules
from rag_assets.tables.understand import understand_grid
from tests.tables.drawn_grid import grid


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("£'000", ColumnUnit("£", 1000)),
        ("$m", ColumnUnit("$", 10**6)),
        ("US$ million", ColumnUnit("US$", 10**6)),
        ("€bn", ColumnUnit("€", 10**9)),
        ("in thousands", ColumnUnit(None, 1000)),
        ("%", ColumnUnit("percent", None, True)),
        ("Revenue (£m)", ColumnUnit("£", 10**6)),
        ("Margin (%)", ColumnUnit("percent", None, True)),
        ("Distance (m)", ColumnUnit()),
        ("2020", ColumnUnit()),
    ],
)
def test_a_heading_states_the_unit_of_its_column(heading: str, unit: ColumnUnit) -> None:
    assert column_unit(("2020", heading)) == unit


def test_figures_take_the_unit_of_their_heading() -> None:
    drawn = grid("|Revenue|Share", "|£'000|%", "Energy|1,234|12.5", "Rail|987|8.1")
    cells = understand_grid(drawn, (), Rules()).tables[0].rows[0].cells
    assert [(c.value, c.unit, c.scale) for c in cells] == [(1234, "£", 1000), (0.125, "percent", 1)]
