"""Layouts of older filings and of exhibits, small."""

from rag_assets.model.document import Source
from rag_assets.model.table import Table
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.plain_text import read_plain_text
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules

SEGMENTS = """<p>Segments:</p><TABLE>
<TR><TD></TD><TD>North<BR>America</TD><TD>Europe</TD></TR>
<TR><TD COLSPAN=3 ALIGN=CENTER><I>(in thousands)</I></TD></TR>
<TR><TD COLSPAN=3><B>2003</B></TD></TR>
<TR><TD>Sales</TD><TD>$100,000</TD><TD>$50,000</TD></TR><TR><TD>Profit</TD><TD>20,000</TD><TD>5,000</TD></TR>
<TR><TD COLSPAN=3><B>2002</B></TD></TR>
<TR><TD>Sales</TD><TD>$90,000</TD><TD>$40,000</TD></TR><TR><TD>Profit</TD><TD>18,000</TD><TD>4,000</TD></TR></TABLE>"""
QUARTERS = """<table><tr><td></td><td>First</td><td>Second</td></tr>
<tr><td><b>Northern yard</b></td></tr><tr><td>Sales</td><td>10.1</td><td>11.2</td></tr>
<tr><td>Stock price:</td></tr><tr><td>&nbsp; High</td><td>21.5</td><td>22.5</td></tr>
<tr><td>&nbsp; Low</td><td>18.5</td><td>19.0</td></tr>
<tr><td><b>Southern yard</b></td></tr><tr><td>Sales</td><td>9.1</td><td>9.2</td></tr></table>"""


def tables_of(page: str) -> tuple[Table, ...]:
    source = Source(uri="a.html", media_type="text/html", sha256="0")
    return normalize_document(read_html(page.encode(), source, ReadLimits()), Rules()).tables


def test_a_unit_line_under_the_headings_is_no_section() -> None:
    found = tables_of(SEGMENTS)
    assert [row.path for table in found for row in table.rows] == [("Sales",), ("Profit",)] * 2
    assert {cell.scale for table in found for row in table.rows for cell in row.cells} == {1000}
    assert [c.heading for table in found for c in table.columns] == [
        "North America 2003",
        "Europe 2003",
        "North America 2002",
        "Europe 2002",
    ]


def test_a_bold_title_holds_the_plain_ones_below_it() -> None:
    assert [row.path for row in tables_of(QUARTERS)[0].rows] == [
        ("Northern yard", "Sales"),
        ("Northern yard", "Stock price", "High"),
        ("Northern yard", "Stock price", "Low"),
        ("Southern yard", "Sales"),
    ]


def test_leaders_are_no_part_of_a_label() -> None:
    page = "<table><tr><td></td><td>2003</td></tr><tr><td>Net sales (1)........</td><td>5</td></tr>"
    assert tables_of(f"{page}<tr><td>Cost . . . . .</td><td>4</td></tr></table>")[0].rows[0].path == ("Net sales",)


SELECTED = """\
                                    YEAR ENDED DECEMBER 31,
                              --------------------------------
                                1999       1998       1997
                              --------   --------   --------
                               (IN THOUSANDS, EXCEPT PER SHARE AMOUNTS)
OPERATIONS DATA:
Net sales.................... $120,100   $110,050   $ 99,800
Net income (loss)............    5,100      4,050       (200)
Net income per share......... $   1.02   $    .81   $   (.04)
"""
OFFICERS = """\
NAME                             AGE     POSITION
- ----                           ---     --------
John A. Harbor                   54      Chairman of the Board and Chief
                                         Executive Officer
Mary B. Miller                   47      Vice President, Finance and
                                         Treasurer
Paul C. Stone                    61      Director
"""
EQUITY = """\
                                   COMMON STOCK       ADDITIONAL
                                -------------------    PAID-IN     RETAINED
                                 SHARES     AMOUNT     CAPITAL     EARNINGS      TOTAL
                                --------   --------   ----------   --------    --------
Balance, December 31, 1998        10,100        101      20,900      64,050      85,051
  Net income                                                          5,100       5,100
"""


def typed(text: str) -> Table:
    source = Source(uri="a.txt", media_type="text/plain", sha256="0")
    found = normalize_document(read_plain_text(text.encode(), source, ReadLimits()), Rules())
    assert found.account.balanced
    return found.tables[0]


def test_a_heading_reaches_as_far_as_the_rule_under_it() -> None:
    table = typed(SELECTED)
    assert [c.heading for c in table.columns] == [f"YEAR ENDED DECEMBER 31, {year}" for year in (1999, 1998, 1997)]
    assert [[cell.scale for cell in row.cells] for row in table.rows] == [[1000] * 3, [1000] * 3, [1] * 3]
    assert [c.heading for c in typed(EQUITY).columns] == [
        "COMMON STOCK SHARES",
        "COMMON STOCK AMOUNT",
        "ADDITIONAL PAID-IN CAPITAL",
        "RETAINED EARNINGS",
        "TOTAL",
    ]


def test_words_go_on_in_their_own_column() -> None:
    assert [[cell.text for cell in row.cells] for row in typed(OFFICERS).rows] == [
        ["54", "Chairman of the Board and Chief Executive Officer"],
        ["47", "Vice President, Finance and Treasurer"],
        ["61", "Director"],
    ]


def test_labels_right_of_their_figures() -> None:
    rows = "<tr><td>1,200</td><td>1,300</td><td>Rope</td></tr><tr><td>900</td><td>950</td><td>Anchor</td></tr>"
    table = tables_of(f"<table><tr><td>2024</td><td>2025</td><td>Item</td></tr>{rows}</table>")[0]
    assert [(row.path, [cell.value for cell in row.cells]) for row in table.rows] == [
        (("Rope",), [1200, 1300]),
        (("Anchor",), [900, 950]),
    ]
    assert [column.heading for column in table.columns] == ["2024", "2025"]


def test_years_and_their_winners_are_no_labels_at_the_right() -> None:
    rows = "<tr><td>1999</td><td>Ada</td></tr><tr><td>2000</td><td>Bo</td></tr><tr><td>2001</td><td>Cy</td></tr>"
    table = tables_of(f"<table><tr><td>Year</td><td>Winner</td></tr>{rows}</table>")[0]
    assert [row.path for row in table.rows] == [("1999",), ("2000",), ("2001",)]


def test_the_first_row_in_another_convention_is_data() -> None:
    for first, second in (("1.234,5", "900,1-"), ("1'234'567.50", "1'000.00"), ("1 234 567,5", "1 000 000,5")):
        rows = f"<tr><td>Umsatz</td><td>{first}</td></tr><tr><td>Kosten</td><td>{second}</td></tr>"
        table = tables_of(f"<table><tr><td></td><td>2024</td></tr>{rows}</table>")[0]
        assert [row.path for row in table.rows] == [("Umsatz",), ("Kosten",)]
        assert all(cell.value is not None for row in table.rows for cell in row.cells)


def test_words_over_figures_in_the_middle_open_a_second_block() -> None:
    rows = "<tr><td>Sales</td><td>10</td><td>9</td></tr><tr><td>Costs</td><td>8</td><td>7</td></tr>"
    more = "<tr><td>Tools</td><td>5</td><td>2</td></tr><tr><td>Rope</td><td>6</td><td>3</td></tr>"
    heads = "<tr><td></td><td>2025</td><td>2024</td></tr>", "<tr><td></td><td>Units</td><td>Price</td></tr>"
    found = tables_of(f"<table>{heads[0]}{rows}{heads[1]}{more}</table>")
    assert [[column.heading for column in table.columns] for table in found] == [["2025", "2024"], ["Units", "Price"]]
