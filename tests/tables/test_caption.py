"""What stands over a table and is its caption, and what only stands on the page."""

import pytest

from rag_assets.model.document import Block, BlockId, BlockKind
from rag_assets.tables.caption import caption_run, is_page_number, running_heads, unit_of


def blocks(*texts: str) -> list[Block]:
    """Paragraphs; an empty text stands for a table."""
    return [
        Block(id=BlockId(f"b{n}"), kind=BlockKind.PROSE if text else BlockKind.GRID, text=text)
        for n, text in enumerate(texts, 1)
    ]


def run(*texts: str) -> list[str]:
    found = blocks(*texts, "")
    return [block.text for block in caption_run(found, len(found) - 1, running_heads(found))]


def test_title_and_unit_line_are_the_caption_run() -> None:
    assert run("HARBOR TOOLS", "Balance sheets", "(in millions)") == ["HARBOR TOOLS", "Balance sheets", "(in millions)"]


def test_a_sentence_ends_the_run() -> None:
    assert run("We sold more tools than we did in the year before it.", "Balance sheets") == ["Balance sheets"]


@pytest.mark.parametrize("number", ["12", "- 12 -", "F-12", "Page 12", "Page 3 of 40", "Harbor Tools | 12", "page iv"])
def test_what_stands_before_a_page_number_is_of_the_page_before(number: str) -> None:
    assert is_page_number(number)
    assert run("Signed by the board", number, "Balance sheets") == ["Balance sheets"]


@pytest.mark.parametrize("title", ["Balance sheets 2026", "Note 12", "Level 3", "2026 and 2025", "F-16 parts"])
def test_a_title_with_a_number_is_no_page_number(title: str) -> None:
    assert not is_page_number(title)
    assert run(title) == [title]


@pytest.mark.parametrize("link", ["Table of Contents", "TABLE OF CONTENTS", "Back to contents", "Contents"])
def test_the_link_to_the_contents_is_no_caption(link: str) -> None:
    assert run(link, "Balance sheets") == ["Balance sheets"]


def test_a_head_beside_the_page_number_of_several_pages_is_no_caption() -> None:
    page = ("12", "HARBOR TOOLS, notes", "Leases", "")
    assert run(*page, *page, *page, "13", "HARBOR TOOLS, notes", "Debt") == ["Debt"]
    assert run("12", "HARBOR TOOLS, notes", "Debt") == ["HARBOR TOOLS, notes", "Debt"]


def test_a_company_over_every_table_stays_its_caption() -> None:
    page = ("HARBOR TOOLS", "Leases", "")
    assert run(*page, *page, *page, "HARBOR TOOLS", "Debt") == ["HARBOR TOOLS", "Debt"]


def test_a_lone_unit_is_a_unit_line() -> None:
    unit = unit_of(["Consolidated", "$ MILLION"])
    assert unit is not None
    assert unit.scale == 10**6
