from rag_assets.model.document import Source
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules
from rag_assets.tables.understand import understand_grid
from tests.tables.drawn_grid import grid


def paths(*lines: str) -> list[tuple[str, ...]]:
    found = understand_grid(grid("|2026|2025", *lines), (), Rules())
    return [row.path for table in found.tables for row in table.rows]


def test_a_label_that_ends_in_the_middle_of_a_phrase_goes_on_below() -> None:
    found = paths("Accounts receivable, net of allowance of||", "$1,200 and $1,100|45,678|43,210", "Inventories|9|8")
    assert found[0] == ("Accounts receivable, net of allowance of $1,200 and $1,100",)
    assert found[1] == ("Inventories",)


def test_a_finished_lone_label_is_a_section() -> None:
    found = paths("Cash flows from operating activities||", "Net income|45,678|43,210", "Inventories|9|8")
    assert found[0] == ("Cash flows from operating activities", "Net income")


def test_a_table_written_in_lower_case_has_sections_all_the_same() -> None:
    found = paths("revenue from continuing operations||", "product|1|2", "service|3|4", "licences|5|6")
    assert found[0] == ("revenue from continuing operations", "product")


def test_every_cell_of_a_wrapped_label_has_its_place() -> None:
    drawn = grid("|2026|2025", "Accounts receivable, net of allowance of||", "$1,200|45,678|43,210", "Other|9|8")
    placed = understand_grid(drawn, (), Rules()).placements
    assert sorted(p.address for p in placed) == sorted(c.address for c in drawn.cells)


def test_a_label_that_spans_rows_does_not_go_on_in_itself() -> None:
    """However it ends: its own text would be said twice."""
    page = """<table><tr><td></td><td>2025</td><td>2024</td></tr><tr><td rowspan="2">Addressed to</td></tr>
    <tr><td>1,200</td><td>1,300</td></tr><tr><td>Rope</td><td>900</td><td>950</td></tr></table>"""
    source = Source(uri="a.html", media_type="text/html", sha256="0")
    assert normalize_document(read_html(page.encode(), source, ReadLimits()), Rules()).account.balanced
