from rag_assets.model.document import GridCell
from rag_assets.tables.rules import Rules
from rag_assets.tables.understand import understand_grid
from tests.tables.drawn_grid import grid


def headings(*lines: str, rules: Rules | None = None) -> list[str]:
    return [c.heading for c in understand_grid(grid(*lines), (), rules or Rules()).tables[0].columns]


def test_a_period_in_the_corner_goes_before_the_years_that_need_it() -> None:
    found = headings("Years ended December 31,|2026|2025", "Sales|4,310|3,900", "Costs|210|190")
    assert found == ["Years ended December 31, 2026", "Years ended December 31, 2025"]


def test_a_whole_period_in_the_corner_belongs_to_every_column() -> None:
    found = headings("As of June 30, 2025|Loans|Deposits", "Retail|4,310|3,900", "Trade|210|190")
    assert found == ["Loans As of June 30, 2025", "Deposits As of June 30, 2025"]


def test_the_corner_can_be_switched_off() -> None:
    lines = ("As of June 30, 2025|Loans|Deposits", "Retail|4,310|3,900", "Trade|210|190")
    assert headings(*lines, rules=Rules(corner=False)) == ["Loans", "Deposits"]


def test_a_period_in_one_cell_over_the_whole_table_spans_its_columns() -> None:
    drawn = grid("Three months ended||", "|May 31, 2026|May 31, 2025", "Sales|4,310|3,900", "Costs|210|190")
    first: GridCell = drawn.cells[0]._replace(column_span=3)
    wide = type(drawn)(id=drawn.id, ordinal=0, n_rows=4, n_columns=3, cells=(first, *drawn.cells[1:]))
    found = understand_grid(wide, (), Rules()).tables[0]
    assert found.columns[0].heading == "Three months ended May 31, 2026"
    assert found.caption == ()


def test_a_table_of_periods_over_figures_alone_has_no_label_column() -> None:
    found = understand_grid(grid("2026|2025", "$5|$6", "$7|$8"), (), Rules()).tables[0]
    assert [[c.text for c in row.cells] for row in found.rows] == [["$5", "$6"], ["$7", "$8"]]


def test_lines_of_a_name_and_its_value_have_no_heading() -> None:
    found = understand_grid(grid("Company|Acme", "Founded|1901", "Seat|Oslo", "Staff|1,200"), (), Rules()).tables[0]
    assert [row.path for row in found.rows] == [("Company",), ("Founded",), ("Seat",), ("Staff",)]
