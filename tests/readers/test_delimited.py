"""Delimited files with the faults that real ones have: the right table, or a warning that names the rows."""

import pytest

from rag_assets.errors import Quarantine
from rag_assets.model.document import Document, Reason, Source
from rag_assets.readers.delimited import read_delimited
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules


def read(content: str | bytes, media_type: str = "text/csv") -> Document:
    source = Source(uri="prices/a.csv", media_type=media_type, sha256="0")
    return read_delimited(content.encode() if isinstance(content, str) else content, source, ReadLimits())


def rows(document: Document) -> list[list[str]]:
    grid = document.grids[0]
    found = [[""] * grid.n_columns for _ in range(grid.n_rows)]
    for cell in grid.cells:
        found[cell.row][cell.column] = cell.text
    return found


PLAIN = [["region", "price"], ["North", "12"], ["South", "14"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_delimiter_and_line_end(delimiter: str, end: str) -> None:
    assert rows(read(end.join(delimiter.join(row) for row in PLAIN))) == PLAIN


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_any_encoding(encoding: str) -> None:
    assert rows(read("Größe;Höhe\n1;2\n3;4\n".encode(encoding))) == [["Größe", "Höhe"], ["1", "2"], ["3", "4"]]


def test_other_alphabets_are_told_by_their_letters() -> None:
    text = "регион;цена за единицу товара\nсевер;12\nюжный округ;14\n" * 5  # noqa: RUF001
    assert rows(read(text.encode("cp1251")))[0] == ["регион", "цена за единицу товара"]


def test_codes_and_long_ids_are_kept_as_written() -> None:
    assert rows(read("zip,id\n00501,12345678901234567890\n"))[1] == ["00501", "12345678901234567890"]


def test_decimal_commas_do_not_hide_the_semicolons() -> None:
    assert rows(read("a;b\n1,5;2,5\n3,25;4,75\n")) == [["a", "b"], ["1,5", "2,5"], ["3,25", "4,75"]]


def test_commas_in_prose_do_not_hide_the_tabs() -> None:
    text = "name\tremark\nAnn\tfast, cheap\nBob\tslow, dear\n"
    assert rows(read(text))[1] == ["Ann", "fast, cheap"]


def test_quoted_line_breaks_and_quotes() -> None:
    assert rows(read('a,b\n"one\ntwo","say ""hi"""\n')) == [["a", "b"], ["one\ntwo", 'say "hi"']]


def test_an_unclosed_quote_swallows_no_rows() -> None:
    document = read('name,city\n"Ann,Paris\nBob,Rome\n' + "Cy,Oslo\n" * 60)
    assert rows(document)[:3] == [["name", "city"], ['"Ann', "Paris"], ["Bob", "Rome"]]
    assert "quote" in document.warnings[0]


def test_ragged_rows_stay_and_are_named() -> None:
    document = read("a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n")
    assert rows(document)[3] == ["6", "7", "8", "9"]
    assert document.warnings == ("2 records have not 3 fields: 3, 4",)


def test_a_preamble_and_a_footer_stay_as_rows_of_one_cell() -> None:
    document = read("Report of 2026\n\nregion;price\nNorth;12\nSouth;14\n\nsource: us\n")
    assert rows(document)[2] == ["region", "price"]
    assert document.grids[0].cells[-1].address == "r7c1"


def test_a_declared_delimiter_is_believed_and_dropped() -> None:
    document = read("sep=|\na|b\n1|2\n")
    assert [c.address for c in document.grids[0].cells] == ["r2c1", "r2c2", "r3c1", "r3c2"]
    assert document.characters_dropped == {"dialect_line": 5}
    assert document.characters_in == 5 + 4


def test_one_column_only_where_nothing_parts_the_lines() -> None:
    assert read("one\ntwo\nthree\n").warnings == ()
    uneven = read("a; b and c\nd\ne; f; g; h\ni\nj\nk\nl\nm\n")
    assert len(uneven.grids[0].cells) > 0
    assert uneven.warnings


def test_both_sides_of_the_account() -> None:
    document = read("a, ,b\n,x y,\n")
    assert (document.cells_in, document.characters_in) == (3, 4)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b" \n,,\n", Reason.EMPTY_FILE), (b"\x01\x02\x03\x04,\x05" * 9, Reason.GARBLED_TEXT)],
)
def test_what_is_refused(content: bytes, reason: Reason) -> None:
    with pytest.raises(Quarantine) as caught:
        read(content)
    assert caught.value.reason is reason


def test_fields_between_apostrophes() -> None:
    text = "name,remark\n'Ann','fast, cheap'\n'Bob','it''s slow'\n'Cy','dear, good'\n"
    assert rows(read(text))[1:3] == [["Ann", "fast, cheap"], ["Bob", "it's slow"]]
    assert rows(read("name,remark\nAnn,it's\nBob,that's\n"))[1] == ["Ann", "it's"]


def test_a_preamble_of_names_and_values_is_a_table_of_its_own() -> None:
    text = "Report,2024\nBy,Ann\nregion,tier,discount,order\nNorth,1,5,100\nSouth,2,6,200\nEast,3,7,300\n"
    tables = normalize_document(read(text), Rules()).tables
    assert [column.heading for column in tables[-1].columns] == ["tier", "discount", "order"]
    assert len(tables[-1].rows) == 3


def test_a_second_header_line_joins_the_first() -> None:
    text = "region,length,weight\n(code),(m),(kg)\nN,1,5\nS,2,6\nE,3,7\nW,4,8\n"
    table = normalize_document(read(text), Rules()).tables[0]
    assert [column.heading for column in table.columns] == ["length (m)", "weight (kg)"]
    assert len(table.rows) == 4


def test_codes_make_a_column_of_text_and_stay_as_written() -> None:
    text = "name,zip,id,n\nA,00501,12345678901234567890,1\nB,10001,2,2\nC,10002,3,3\nD,10003,4,4\nE,10004,5,5\n"
    table = normalize_document(read(text), Rules()).tables[0]
    assert [str(column.type) for column in table.columns] == ["text", "text", "integer"]
    assert [(c.text, c.value) for c in table.rows[0].cells] == [
        ("00501", None),
        ("12345678901234567890", None),
        ("1", 1),
    ]
