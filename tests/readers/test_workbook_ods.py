import zipfile
from pathlib import Path

import pytest

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.formats import read_document
from rag_assets.readers.limits import ReadLimits
from tests.readers.made_workbooks import normalized, only_table, values

SPACES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
)
HIDDEN = '<style:style style:name="h"><style:table-properties table:display="false"/></style:style>'


def ods(folder: Path, rows: str, more: str = "") -> Path:
    path = folder / "made.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f"<office:document-content {SPACES}>"
            f"<office:automatic-styles>{HIDDEN}</office:automatic-styles><office:body>"
            f'<office:spreadsheet><table:table table:name="Prices">{rows}</table:table>{more}</office:spreadsheet>'
            "</office:body></office:document-content>",
        )
    return path


def row(*cells: str, extra: str = "") -> str:
    return f"<table:table-row{extra}>{''.join(cells)}</table:table-row>"


def word(text: str, extra: str = "") -> str:
    return f'<table:table-cell office:value-type="string"{extra}><text:p>{text}</text:p></table:table-cell>'


def figure(value: float, shown: str, kind: str = "float", extra: str = "") -> str:
    return (
        f'<table:table-cell office:value-type="{kind}" office:value="{value}"{extra}><text:p>{shown}</text:p>'
        "</table:table-cell>"
    )


HEAD = row(word("region"), word("share"), word("price"))
NORTH = row(word("North"), figure(0.094, "9.4%", "percentage"), figure(1234.5, "£1,234.50", "currency"))
SOUTH = row(word("South"), figure(0.1, "10.0%", "percentage"), figure(20, "£20.00", "currency"))


def test_values_with_their_shown_formats(tmp_path: Path) -> None:
    table = only_table(ods(tmp_path, HEAD + NORTH + SOUTH))
    assert values(table) == [["North", 0.094, 1234.5], ["South", 0.1, 20]]
    assert [(c.text, c.unit) for c in table.rows[0].cells] == [("9.4%", "percent"), ("£1,234.50", "£")]


def test_repeated_rows_and_cells_stand_where_they_are_repeated(tmp_path: Path) -> None:
    empty = row('<table:table-cell table:number-columns-repeated="16384"/>', extra=' table:number-rows-repeated="2"')
    pair = row(word("x", ' table:number-columns-repeated="2"'), extra=' table:number-rows-repeated="2"')
    document = read_document(ods(tmp_path, empty + pair), "made.ods", ReadLimits())
    assert [c.address for c in document.grids[0].cells] == ["Prices!A3", "Prices!B3", "Prices!A4", "Prices!B4"]


def test_hidden_rows_and_sheets_are_counted(tmp_path: Path) -> None:
    hidden = row(word("Test"), figure(1, "1"), figure(2, "2"), extra=' table:visibility="collapse"')
    secret = f'<table:table table:name="Secret" table:style-name="h">{HEAD}</table:table>'
    found = normalized(ods(tmp_path, HEAD + NORTH + SOUTH + hidden, secret))
    assert found.account.dropped == {"hidden": 6}


def test_errors_are_named(tmp_path: Path) -> None:
    error = word("#DIV/0!", ' table:formula="of:=1/0"')
    found = normalized(ods(tmp_path, HEAD + NORTH + row(word("South"), error, figure(2, "2"))))
    assert found.account.dropped == {"error": 1}


def test_remarks_pinned_to_a_cell_are_not_its_text(tmp_path: Path) -> None:
    cell = (
        '<table:table-cell office:value-type="string"><office:annotation><text:p>remark</text:p></office:annotation>'
        '<text:p>shown<text:s text:c="2"/>text</text:p></table:table-cell>'
    )
    document = read_document(ods(tmp_path, row(cell)), "made.ods", ReadLimits())
    assert [c.text for c in document.grids[0].cells] == ["shown text"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (row(word("x", ' table:number-columns-repeated="999999999"')), Reason.SPARSE_EXTENT),
        (row(word("x"), extra=' table:number-rows-repeated="1048577"'), Reason.SPARSE_EXTENT),
        ("<unclosed>", Reason.CORRUPT),
    ],
)
def test_what_is_refused(tmp_path: Path, rows: str, reason: Reason) -> None:
    with pytest.raises(Quarantine) as caught:
        read_document(ods(tmp_path, rows), "made.ods", ReadLimits())
    assert caught.value.reason is reason
