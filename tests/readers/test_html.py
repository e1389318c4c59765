import time

import pytest

from rag_assets.model.document import BlockKind, Document, Source
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules


def read(page: str | bytes) -> Document:
    content = page.encode() if isinstance(page, str) else page
    return read_html(content, Source(uri="a.html", media_type="text/html", sha256="0"), ReadLimits())


def texts(document: Document, kind: BlockKind = BlockKind.PROSE) -> list[str]:
    return [b.text for b in document.blocks if b.kind is kind]


def shown_cells(document: Document) -> list[str]:
    return [c.text for g in document.grids for c in g.cells if not c.hidden]


def test_blocks_stand_in_reading_order_under_their_headings() -> None:
    document = read("<h1>Fares</h1><p>All day.</p><h2>Bus</h2><ul><li>One<li>Two</ul><table><tr><td>a<td>1</table>")
    assert [(b.kind, b.text, b.heading_path) for b in document.blocks] == [
        (BlockKind.HEADING, "Fares", ()),
        (BlockKind.PROSE, "All day.", ("Fares",)),
        (BlockKind.HEADING, "Bus", ("Fares",)),
        (BlockKind.LIST, "One\nTwo", ("Fares", "Bus")),
        (BlockKind.GRID, "", ("Fares", "Bus")),
    ]


def test_cells_have_the_places_that_spans_give_them() -> None:
    document = read("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d</table>")
    assert [(c.text, c.row, c.column, c.row_span, c.column_span) for c in document.grids[0].cells] == [
        ("a", 0, 0, 2, 1),
        ("b", 0, 1, 1, 2),
        ("c", 1, 1, 1, 1),
        ("d", 1, 2, 1, 1),
    ]
    assert document.grids[0].cells[3].address == "#table-1!r2c3"


@pytest.mark.parametrize(
    "row",
    [
        "<tr hidden><td>x</td></tr>",
        '<tr style="display: none"><td>x</td></tr>',
        '<tr style="visibility:hidden"><td>x</td></tr>',
        '<tr><td aria-hidden="true">x</td></tr>',
        '<tr class="gone"><td>x</td></tr>',
        '<tr><td style="font-size:0">x</td></tr>',
        '<tr><td><span style="display:none">x</span></td></tr>',
        "<tbody hidden><tr><td>x</td></tr></tbody>",
    ],
)
def test_a_hidden_cell_is_counted_and_marked(row: str) -> None:
    document = read(f"<style>.gone {{ display: none }}</style><table><tr><td>a</td><td>b</td></tr>{row}</table>")
    assert shown_cells(document) == ["a", "b"]
    assert document.cells_in == 3


def test_nested_tables_follow_their_parent_and_keep_their_own_text() -> None:
    document = read("<table><tr><td>out<table><tr><td>in<td>1</table></table>")
    assert [(g.id, g.parent, [c.text for c in g.cells]) for g in document.grids] == [
        ("table-1", None, ["out"]),
        ("table-2", "table-1", ["in", "1"]),
    ]
    assert document.cells_in == 3


def test_raised_numbers_at_the_end_of_a_label_are_marks() -> None:
    document = read("<table><tr><td>China<sup>(1)</sup><td>4</table>")
    assert document.grids[0].cells[0].marks == ("(1)",)


def test_line_breaks_in_a_cell_are_kept_and_blanks_folded() -> None:
    document = read("<table><tr><td>June&nbsp;27,<br>  2025<td>4</table>")
    assert document.grids[0].cells[0].text == "June 27,\n2025"


def test_pipe_delimited_lines_in_prose_are_a_grid() -> None:
    document = read("<p>Before</p><p>A | B | C<br>x | y | z</p><p>After</p>")
    assert [c.text for c in document.grids[0].cells] == ["A", "B", "C", "x", "y", "z"]
    assert texts(document) == ["Before", "After"]
    assert document.characters_dropped == {"ruling": 4}
    assert document.cells_in == 6


def test_a_lone_line_with_pipes_stays_prose() -> None:
    assert texts(read("<p>Home | News | Contact</p>")) == ["Home | News | Contact"]


@pytest.mark.parametrize(
    ("page", "seen"),
    [
        ("<p>äöü 表</p>".encode("utf-16"), "äöü 表"),
        ("<meta charset=shift_jis><p>表示</p>".encode("shift_jis"), "表示"),
        ("<meta charset=iso-8859-1><p>“ok”</p>".encode("cp1252"), "“ok”"),
        ("\ufeff<p>é</p>".encode(), "é"),
        (b"<p>a\x00b</p>", "ab"),
    ],
)
def test_charsets_are_told(page: bytes, seen: str) -> None:
    assert texts(read(page)) == [seen]


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 100_000 + "x",
        "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">x",
        "<b>" * 100_000 + "x",
        "<span>" * 50_000 + "<div>" * 50_000 + "x",
        "<ul><li>" * 5000 + "x",
        "<p>" * 50_000 + "x",
    ],
)
def test_hostile_markup_gives_its_text_in_no_time(page: str) -> None:
    started = time.process_time()
    document = read(page)
    assert [b.text for b in document.blocks] == ["x"]
    assert time.process_time() - started < 5


def test_cells_of_unclosed_rows_are_no_nesting() -> None:
    page = "<table>" + "<tr><td><font>a<td><font>1" * 2000 + "</table>"
    assert len(read(page).grids[0].cells) == 4000


def test_a_table_inside_something_hidden_in_a_cell_is_counted_once() -> None:
    page = (
        "<table><tr><td>a</td><td>1</td></tr><tr><td>b<span style='display:none'>no</span></td>"
        "<td><div hidden>x<table><tr><td>in</td></tr></table></div></td></tr></table>"
    )
    document = read(page)
    assert normalize_document(document, Rules()).account.balanced
    assert document.grids[1].hidden


def test_a_collapsed_column_is_hidden_with_its_cells() -> None:
    columns = '<colgroup><col><col style="visibility: collapse"></colgroup><colgroup span="2"></colgroup>'
    page = f"<table>{columns}<tr><td>a</td><td>b</td><td>c</td></tr><tr><td colspan=2>wide</td><td>d</td></tr></table>"
    assert shown_cells(read(page)) == ["a", "c", "wide", "d"]
