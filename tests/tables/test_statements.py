"""What a heading makes of a cell: its period, a change, a sign."""

from rag_assets.model.document import GridId
from rag_assets.model.statement import Statement
from rag_assets.model.table import Column, Row, RowKind, Table, TableCell, TableId
from rag_assets.tables.statements import statements_of_document


def statement(*path: str, caption: tuple[str, ...] = ("Harbor line",)) -> Statement:
    row = Row(path=("Fares", "Adults"), kind=RowKind.DATA, cells=(TableCell(0, "12", 12, None, 1, False, "#t!r2c2"),))
    table = Table(
        id=TableId("t"),
        grid=GridId("t"),
        ordinal=0,
        caption=caption,
        columns=(Column(index=0, path=path),),
        rows=(row,),
    )
    (only,) = statements_of_document((table,), None)
    return only


def test_a_heading_of_words_is_the_phrase() -> None:
    found = statement("Price")
    assert (found.subject, found.phrase) == ("Fares › Adults", "Price")


def test_a_heading_that_is_only_a_sign_goes_behind_the_row() -> None:
    found = statement("$")
    assert (found.subject, found.phrase) == ("Harbor line", "Fares › Adults › $")


def test_without_a_heading_the_row_is_the_phrase() -> None:
    found = statement()
    assert (found.subject, found.phrase) == ("Harbor line", "Fares › Adults")
    assert statement(caption=()).phrase == "Fares › Adults"


def test_without_any_subject_a_sign_stays_the_phrase() -> None:
    found = statement("%", caption=())
    assert (found.subject, found.phrase) == ("Fares › Adults", "%")
