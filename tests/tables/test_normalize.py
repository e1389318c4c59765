"""Each rule of table understanding, on the smallest page that needs it."""

import pytest

from rag_assets.model.document import Source
from rag_assets.model.table import Normalized, RowKind, Table
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules


def understood(page: str, rules: Rules | None = None) -> Normalized:
    source = Source(uri="a.html", media_type="text/html", sha256="0")
    normalized = normalize_document(read_html(page.encode(), source, ReadLimits()), rules or Rules())
    assert normalized.account.balanced
    return normalized


def table(*rows: str, before: str = "", rules: Rules | None = None) -> Table:
    """Cells of a row are parted by "|"; a leading ">" indents the label by one step."""
    return understood(before + markup(*rows), rules).tables[0]


def markup(*rows: str) -> str:
    return "<table>" + "".join(f"<tr>{''.join(map(cell, row.split('|')))}</tr>" for row in rows) + "</table>"


def cell(text: str) -> str:
    label = text.strip()
    depth = len(label) - len(label.lstrip(">"))
    return f'<td style="padding-left:{12 * depth}pt">{label.lstrip(">").strip()}</td>'


def paths(found: Table) -> list[str]:
    return [" › ".join(row.path) for row in found.rows]


def headings(found: Table) -> list[str]:
    return [column.heading for column in found.columns]


def test_split_symbols_rejoin_their_figure() -> None:
    found = table("|2025|||2024||", "Sales|$|5|%|(|4|)", "Costs||3||(|2|)")
    assert found.rows[0].cells[-1].text == "(4)"
    assert found.rows[1].cells[-1].value == -2


def test_a_dash_is_nil_and_not_missing() -> None:
    found = table("|2025|2024", "Sales|5|—", "Costs|3|n/a")
    assert [(c.nil, c.value) for row in found.rows for c in row.cells] == [
        (False, 5),
        (True, None),
        (False, 3),
        (False, None),
    ]


def test_header_rows_stack_by_overlap_of_their_spans() -> None:
    page = (
        "<table><tr><td><td colspan=2>Three Months Ended<tr><td><td>July 26, 2026<td>July 27, 2025"
        "<tr><td>Net sales<td>4,310<td>3,999<tr><td>Costs<td>2,000<td>1,900</table>"
    )
    found = understood(page).tables[0]
    assert headings(found) == ["Three Months Ended July 26, 2026", "Three Months Ended July 27, 2025"]


def test_a_total_closes_the_section_it_sums() -> None:
    found = table(
        "|2025|2024",
        "Current assets:||",
        ">Cash|10|8",
        ">Receivables|5|4",
        ">Total current assets|15|12",
        "Property|7|6",
        "Total assets|22|18",
    )
    assert paths(found)[-2:] == ["Property", "Total assets"]
    assert found.rows[-1].kind is RowKind.TOTAL


def test_a_total_climbs_out_of_the_section_above_it_even_where_the_indentation_lies() -> None:
    found = table(
        "|2025|2024",
        "Current assets|  |",
        "Cash|10|8",
        "Receivables|5|4",
        "Total current assets|15|12",
        "Non-current assets||",
        "Property|7|6",
        "Goodwill|3|2",
        "Total non-current assets|10|8",
        "Total assets|25|20",
    )
    assert paths(found)[0] == "Current assets › Cash"
    assert paths(found)[3] == "Non-current assets › Property"
    assert paths(found)[-1] == "Total assets"


def test_a_period_that_stands_as_a_section_joins_the_headings_of_the_rows_below() -> None:
    found = understood(
        markup(
            "|Tools|Repairs", "June 30, 2025||", "Sales|5|4", "Costs|3|2", "June 30, 2024||", "Sales|4|3", "Costs|2|1"
        )
    ).tables
    assert [headings(t) for t in found] == [
        ["Tools June 30, 2025", "Repairs June 30, 2025"],
        ["Tools June 30, 2024", "Repairs June 30, 2024"],
    ]
    assert found[1].part_of == found[0].id


def test_the_unit_line_is_read_and_its_exception_taken_out_of_the_scale() -> None:
    found = table(
        "|2025|2024",
        "Net income|1,200|1,100",
        "Net income per share|1.08|0.99",
        before="<p>HARBOR TOOLS</p><p>(In millions, except per share data)</p>",
    )
    assert found.unit == "In millions, except per share data"
    assert [row.cells[0].scale for row in found.rows] == [1_000_000, 1]
    assert found.caption[0] == "HARBOR TOOLS"


def test_a_headerless_table_after_a_page_break_goes_on_with_the_headings() -> None:
    tables = understood(
        markup("|2025|2024", "Cash|10|8", "Receivables|5|4") + "<p>12</p>" + markup("Loans|3|2", "Bonds|4|1")
    ).tables
    assert headings(tables[1]) == ["2025", "2024"]


def test_two_rows_of_words_are_labels_over_their_values() -> None:
    found = understood(markup("Student card|Staff card|Visitor pass", "Under age|With valid ID|With a date"))
    assert found.tables[0].pairs[1] == ("Staff card", "With valid ID")
    assert found.firings == {"transposed_pair": 1}


@pytest.mark.parametrize(
    "rows",
    [
        ("Fare|Adult|Child", "Woodland|$3.00|$1.50"),
        ("Student card|Staff card|Visitor pass", "Under age|With valid ID"),
        ("Card|Rule|Place", "Student|With ID|Here", "Staff|Always|There"),
        ("Card|Rule", "Student|With ID"),
    ],
)
def test_the_transposed_pair_leaves_everything_else_alone(rows: tuple[str, ...]) -> None:
    assert "transposed_pair" not in understood(markup(*rows)).firings


@pytest.mark.parametrize("name", ["rejoin_symbols", "stacked_headings", "sections", "section_totals", "corner"])
def test_a_page_balances_with_any_rule_off(name: str) -> None:
    rows = ("Millions|2025||2024|", "Assets:||||", ">Cash|$|10|$|8", ">Total|$|10|$|8")
    understood(markup(*rows), Rules(**{name: False}))


def test_a_table_of_one_column_becomes_paragraphs() -> None:
    found = understood(markup("Notice", "All sales are final"))
    assert found.tables == ()
    assert [b.text for b in found.blocks] == ["Notice", "All sales are final"]


def test_headers_over_nothing_are_not_lost() -> None:
    found = understood("<table><tr><td colspan=100000 rowspan=0>a<td>b<tr><td>c</table>")
    assert " ".join(b.text for b in found.blocks) == "a | b c"


HIGHLIGHTS = (
    "<p>HARBOR TOOLS</p><p>($ in millions, except earnings per share)</p>"
    "<table><tr><td><td colspan=3>GAAP<td colspan=2>Change<tr><td><td>Q2 FY27<td>Q1 FY27<td>Q2 FY26<td>Q/Q<td>Y/Y"
    "<tr><td>Revenue<td>$96,221<td>$81,615<td>$46,743<td>18%<td>106%"
    "<tr><td>Net income<td>$53,124<td>$45,001<td>$26,422<td>18%<td>101%</table>"
)


def test_each_figure_is_a_statement_of_subject_phrase_and_time() -> None:
    said = {(s.subject, s.phrase, s.text, s.when) for s in understood(HIGHLIGHTS).statements}
    assert ("HARBOR TOOLS", "GAAP › Revenue", "$96,221", "Q2 FY27") in said
    assert ("HARBOR TOOLS", "GAAP › Net income", "$26,422", "Q2 FY26") in said
    assert {(s[0], s[1], s[2]) for s in said} >= {("Revenue", "Q/Q", "18%"), ("Revenue", "Y/Y", "106%")}


def test_statements_keep_the_unit_line() -> None:
    first = understood(HIGHLIGHTS).statements[0]
    assert first.qualifiers["unit"] == "$ in millions, except earnings per share"
    assert first.scale == 1_000_000


def test_a_section_that_opens_right_before_a_page_break_holds_the_rows_behind_it() -> None:
    tables = understood(
        markup("|2025|2024", "Assets:||", ">Cash|10|8", ">Total assets|10|8", "Debts:||")
        + "<p>12</p>"
        + markup("|2025|2024", ">Loans|3|2", ">Bonds|4|1")
    ).tables
    assert paths(tables[1]) == ["Debts › Loans", "Debts › Bonds"]
