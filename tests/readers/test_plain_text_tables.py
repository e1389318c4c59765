from rag_assets.model.document import Source
from rag_assets.model.table import Normalized
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.plain_text import read_plain_text
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules

ALIGNED = """\
The company did well.

                              1999        1998
                            --------    --------
Net sales ................  $ 35,001    $ 32,002
Cost of sales ............    21,005      19,006

Gross profit .............    13,996      12,996

More words follow here.
"""
PIPED = "Student card | Staff card | Visitor pass\nUndergraduates | With a photograph | With a date\n"


def read(text: str) -> Normalized:
    source = Source(uri="notes.txt", media_type="text/plain", sha256="x")
    return normalize_document(read_plain_text(text.encode(), source, ReadLimits()), Rules())


def test_columns_aligned_by_blanks_are_a_table_whatever_blank_lines_are_in_it() -> None:
    found = read(ALIGNED)
    assert [c.heading for c in found.tables[0].columns] == ["1999", "1998"]
    assert [row.path for row in found.tables[0].rows] == [("Net sales",), ("Cost of sales",), ("Gross profit",)]
    assert [b.text for b in found.blocks if b.text] == ["The company did well.", "More words follow here."]
    assert found.account.balanced


def test_two_pipe_delimited_lines_are_a_transposed_pair() -> None:
    found = read(PIPED)
    assert found.tables[0].pairs[0] == ("Student card", "Undergraduates")
    assert found.account.balanced


def test_prose_with_wide_blanks_stays_prose() -> None:
    found = read("A sentence.  Another sentence.  A third one that ends here.\n")
    assert found.tables == ()
    assert found.account.balanced
