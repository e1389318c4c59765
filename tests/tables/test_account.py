"""What is lost between the reader and the result leaves the account unbalanced."""

from dataclasses import replace

from rag_assets.model.document import Block, BlockId, BlockKind, Document, Source
from rag_assets.model.table import Account, Normalized, Place, Placement
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.account import account_of
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules

FARES = """<p>Fares of the harbor line</p><table><caption>Day tickets</caption>
<tr><td></td><td>2025</td><td>2026</td></tr>
<tr><td>Adults (1)</td><td>$</td><td></td></tr>
<tr><td>Woodland</td><td>12</td><td>14</td></tr>
<tr><td>Davis</td><td>9</td><td>11</td></tr></table>"""


def read(page: str) -> Document:
    return read_html(page.encode(), Source(uri="a.html", media_type="text/html", sha256="0"), ReadLimits())


def recounted(document: Document, result: Normalized) -> Account:
    return account_of(document, document.grids, result.blocks, result.tables, result.placements, joiners=0)


def test_the_account_is_counted_from_the_result() -> None:
    document = read(FARES)
    result = normalize_document(document, Rules())
    assert result.account.balanced
    assert recounted(document, result) == result.account


def test_a_lost_row_unbalances_the_account() -> None:
    document = read(FARES)
    result = normalize_document(document, Rules())
    (table,) = result.tables
    lost = replace(result, tables=(replace(table, rows=table.rows[:-1]),))
    assert not recounted(document, lost).balanced


def test_a_lost_paragraph_unbalances_the_account() -> None:
    document = read(FARES)
    result = normalize_document(document, Rules())
    assert not recounted(document, replace(result, blocks=result.blocks[1:])).balanced


def test_a_lost_heading_or_caption_unbalances_the_account() -> None:
    document = read(FARES)
    result = normalize_document(document, Rules())
    (table,) = result.tables
    headless = tuple(replace(column, path=()) for column in table.columns)
    assert not recounted(document, replace(result, tables=(replace(table, columns=headless),))).balanced
    assert not recounted(document, replace(result, tables=(replace(table, caption=()),))).balanced


def test_a_section_without_rows_is_kept_as_a_note() -> None:
    page = "<table><tr><td></td><td>2026</td></tr><tr><td>Sales</td><td>12</td></tr><tr><td>Costs</td><td>9</td></tr>"
    result = normalize_document(read(f"{page}<tr><td>Outside the plan:</td></tr></table>"), Rules())
    assert result.tables[0].notes == ("Outside the plan:",)
    assert result.account.balanced


def test_the_caption_of_a_layout_table_is_a_paragraph() -> None:
    result = normalize_document(read("<table><caption>Opening hours</caption><tr><td>Daily</td></tr></table>"), Rules())
    assert [block.text for block in result.blocks] == ["Opening hours", "Daily"]
    assert result.account.balanced


def test_dropped_cells_are_named_drops_of_characters() -> None:
    page = FARES.replace("<tr><td>Davis", '<tr style="display:none"><td>Davis')
    account = normalize_document(read(page), Rules()).account
    assert account.dropped == {"hidden": 3}
    assert account.characters_dropped == {"hidden": len("Davis911")}
    assert account.balanced


def test_text_that_no_block_has_unbalances_the_account() -> None:
    block = Block(id=BlockId("b1"), kind=BlockKind.PROSE, text="One two")
    document = Document(source=Source(uri="a", media_type="x", sha256="0"), blocks=(block,), characters_in=6)
    assert account_of(document, (), (block,), (), (), joiners=0).balanced
    assert not account_of(document, (), (), (), (Placement("x", Place.BODY),), joiners=0).balanced
