"""Regions of small sheets, drawn as rows; None is an empty cell."""

from rag_assets.model.document import Grid, GridCell, GridId, NameHint
from rag_assets.tables.overrides import SheetOverride, TableOverride
from rag_assets.tables.ranges import cell_name, parse_range
from rag_assets.tables.regions import split_regions
from rag_assets.tables.rules import Rules


def sheet(rows: list[list[object]], hints: tuple[NameHint, ...] = (), hidden_rows: tuple[int, ...] = ()) -> Grid:
    cells = tuple(
        GridCell(r, c, str(value), f"S!{cell_name(r, c)}", hidden=r in hidden_rows)
        for r, row in enumerate(rows)
        for c, value in enumerate(row)
        if value is not None
    )
    width = max(map(len, rows))
    last = cell_name(len(rows) - 1, width - 1)
    return Grid(
        id=GridId("sheet-1"),
        ordinal=0,
        n_rows=len(rows),
        n_columns=width,
        cells=cells,
        sheet="S",
        range=f"A1:{last}",
        hints=hints,
    )


def ranges(grid: Grid, override: SheetOverride | None = None) -> list[str | None]:
    found = split_regions(grid, Rules(), override)
    assert sorted(c.address for g in found for c in g.cells) == sorted(c.address for c in grid.cells)
    return [g.range for g in found]


TABLE = [["region", "price"], ["North", 1], ["South", 2]]


def test_one_table_is_the_sheet_itself() -> None:
    grid = sheet(TABLE)
    assert split_regions(grid, Rules()) == (grid,)


def test_a_title_above_and_notes_below_belong_to_the_table() -> None:
    assert ranges(sheet([["Prices"], [], *TABLE, [], ["* without tax"]])) == ["A1:B7"]


def test_a_blank_row_inside_does_not_part() -> None:
    assert ranges(sheet([*TABLE, [], ["East", 3], ["West", 4]])) == ["A1:B6"]


def test_a_new_header_after_a_blank_row_parts() -> None:
    assert ranges(sheet([*TABLE, [], ["plant", "cost"], ["Mill", 3], ["Yard", 4]])) == ["A1:B3", "A5:B7"]


def test_a_title_goes_to_the_table_below_it_and_a_note_to_the_one_above() -> None:
    rows = [*TABLE, ["Note: no tax"], [], ["Costs"], ["plant", "cost"], ["Mill", 3], ["Yard", 4]]
    assert ranges(sheet(rows)) == ["A1:B4", "A6:B9"]


def test_labels_and_figures_on_both_sides_of_a_blank_column_part() -> None:
    rows = [["region", "price", None, "plant", "cost"], ["North", 1, None, "Mill", 3], ["South", 2, None, "Yard", 4]]
    assert ranges(sheet(rows)) == ["A1:B3", "D1:E3"]


def test_a_repeated_first_heading_parts() -> None:
    rows = [["year", "price", None, "year", "cost"], [2024, 1, None, 2024, 3], [2025, 2, None, 2025, 4]]
    assert ranges(sheet(rows)) == ["A1:B3", "D1:E3"]


def test_a_spacer_column_inside_a_table_does_not_part() -> None:
    rows = [["region", "2024", None, "2025", "2026"], ["North", 1, None, 3, 5], ["South", 2, None, 4, 6]]
    assert ranges(sheet(rows)) == ["A1:E3"]
    remarks = [
        ["region", "price", None, "remark", "owner"],
        ["North", 1, None, "ok", "Ann"],
        ["South", 2, None, "no", "Bob"],
    ]
    assert ranges(sheet(remarks)) == ["A1:E3"]


def test_two_beside_and_one_below() -> None:
    beside = [["region", "price", None, "plant", "cost"], ["North", 1, None, "Mill", 3], ["South", 2, None, "Yard", 4]]
    rows = [*beside, [], ["fee", "rate"], ["late", 9], ["lost", 8]]
    assert ranges(sheet(rows)) == ["A1:B3", "D1:E3", "A5:B7"]


def test_a_list_object_wins_and_marks_its_header() -> None:
    rows = [["a", "b", "x"], ["North", "one", "y"], ["South", "two", "z"]]
    hint = NameHint(kind="list_object", name="T", range="A1:B3")
    found = split_regions(sheet(rows, hints=(hint,)), Rules())
    assert [g.range for g in found] == ["A1:B3", "C1:C3"]
    assert [c.text for c in found[0].cells if c.header] == ["a", "b"]


def test_a_name_for_a_part_of_a_table_does_not_cut_it() -> None:
    hint = NameHint(kind="defined_name", name="body", range="B2:C3")
    rows = [["k", "a", "b"], ["North", 1, 2], ["South", 3, 4]]
    assert ranges(sheet(rows, hints=(hint,))) == ["A1:C3"]


def test_an_override_range_beats_everything() -> None:
    override = SheetOverride(tables=(TableOverride(sheet="S", range=parse_range("A3:B5"), header_rows=1),))
    rows = [["draft", "of", "March"], ["do", "not", "use"], *TABLE, ["East", 5], ["West", 6]]
    found = split_regions(sheet(rows), Rules(), override)
    assert "A3:B5" in [g.range for g in found]
    assert [c.text for g in found for c in g.cells if c.header] == ["region", "price"]


def test_hidden_rows_join_the_region_they_stand_in() -> None:
    rows = [*TABLE, ["secret", 9], [], ["plant", "cost"], ["Mill", 3], ["Yard", 4]]
    found = split_regions(sheet(rows, hidden_rows=(3,)), Rules())
    assert [len(g.cells) for g in found] == [8, 6]
