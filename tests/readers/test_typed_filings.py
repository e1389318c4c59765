"""Filings that were typed: tables drawn with characters between tags that are no HTML."""

import pytest

from rag_assets.model.document import Source
from rag_assets.model.table import Normalized
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.plain_text import read_plain_text
from rag_assets.readers.typed_filings import blanked, is_all_typed, is_typed
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules

PAGE = """\
<PAGE>   3
                         HARBOR MILLS, INC.
                           BALANCE SHEETS
                       (DOLLARS IN THOUSANDS)

<TABLE>
<CAPTION>
                                              SEPTEMBER 30,   DECEMBER 31,
                                                   1999           1998
                                              -------------   ------------
<S>                                           <C>             <C>
Current assets:
  Cash <F1> ...............................   $   12,345      $    9,876
  Receivables, less allowance of $1,200
    and $1,100, respectively ..............       45,210          40,118
                                              ----------      ----------
      Total current assets ................       57,555          49,994
<FN>
<F1> Held at two banks.
</FN>
</TABLE>

   See the notes to these statements.

                                       3
<PAGE>   4
                         HARBOR MILLS, INC.
                     STATEMENTS OF OPERATIONS

<TABLE>
<CAPTION>
                                     THREE MONTHS ENDED
                                        SEPTEMBER 30,
                                   -----------------------
                                     1999           1998
                                   --------       --------
<S>                                <C>            <C>
Net sales                          $ 52,100       $ 48,900
Cost of sales                       (31,000)       (30,100)
                                   --------       --------
  Gross profit                     $ 21,100       $ 18,800
</TABLE>
"""
WRAPPED = {
    "a text file": ("text/plain", PAGE),
    "a whole submission": ("text/plain", f"<SEC-DOCUMENT>\n<TYPE>10-Q\n<TEXT>\n{PAGE}</TEXT>\n</SEC-DOCUMENT>\n"),
    "preformatted": ("text/html", f"<html><body><p>Form 10-Q</p><pre>\n{PAGE}</pre></body></html>"),
    "a text file with the name of a page": ("text/html", PAGE),
    "tables straight in a page": (
        "text/html",
        "<html><body><p>Form</p>" + PAGE.replace("<PAGE>   3\n", "").replace("\n\n", "<p>") + "</body></html>",
    ),
}


def understood(media_type: str, content: str) -> Normalized:
    read = read_html if media_type == "text/html" else read_plain_text
    source = Source(uri="a", media_type=media_type, sha256="0")
    return normalize_document(read(content.encode(), source, ReadLimits()), Rules())


@pytest.mark.parametrize("name", WRAPPED)
def test_every_figure_keeps_its_label_period_and_unit(name: str) -> None:
    found = understood(*WRAPPED[name])
    assert found.account.balanced
    balance, income = found.tables
    values = {(s.phrase.split(" › ")[-1], s.when): s.value for s in found.statements}
    assert values["Receivables, less allowance of $1,200 and $1,100, respectively", "SEPTEMBER 30, 1999"] == 45210
    assert values["Total current assets", "DECEMBER 31, 1998"] == 49994
    assert values["Cost of sales", "THREE MONTHS ENDED SEPTEMBER 30, 1998"] == -30100
    assert balance.unit is not None
    assert "<" not in "".join((*balance.caption, *income.caption, *(c.heading for c in balance.columns)))


def test_what_belongs_to_the_page_before_is_no_caption() -> None:
    income = understood("text/plain", PAGE).tables[1]
    assert income.caption == ("HARBOR MILLS, INC. STATEMENTS OF OPERATIONS",)


def test_the_tags_of_a_text_file_are_a_named_drop() -> None:
    found = understood("text/plain", PAGE)
    assert found.account.characters_dropped["markup"] > 0
    assert understood("text/html", WRAPPED["preformatted"][1]).account.characters_dropped.get("markup") is None


def test_all_else_keeps_its_place_in_the_line() -> None:
    lines, before = blanked(PAGE).splitlines(), PAGE.splitlines()
    row = next(n for n, line in enumerate(before) if "45,210" in line)
    assert [line.index("45,210") for line in lines if "45,210" in line] == [before[row].index("45,210")]


def test_a_page_of_html_tables_is_not_typed() -> None:
    assert not is_typed("<TABLE><TR><TD><S>gone</S></TD></TR></TABLE>")
    assert not is_all_typed("<p>x</p>\n<S>   <C>\n")
