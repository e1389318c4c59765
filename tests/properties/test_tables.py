"""Drawn tables, rendered as hostile pages, come back with their true paths and headings."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.model.document import Source
from rag_assets.readers.html import read_html
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules
from tests.properties.drawn_tables import TrueTable, draw_table
from tests.properties.house_styles import STYLES


def found_facts(page: str) -> list[tuple[tuple[tuple[str, ...], str], int]]:
    source = Source(uri="a.html", media_type="text/html", sha256="0")
    normalized = normalize_document(read_html(page.encode(), source, ReadLimits()), Rules())
    assert normalized.account.balanced
    return [
        ((row.path, {c.index: c.heading for c in table.columns}.get(cell.column, "")), cell.value)
        for table in normalized.tables
        for row in table.rows
        for cell in row.cells
        if isinstance(cell.value, int)
    ]


def wrong_facts(table: TrueTable, page: str) -> int:
    """How many cells come back under another path or heading; none may be lost or invented."""
    true, found = table.facts(), found_facts(page)
    assert sorted(n for _, n in found) == sorted(true.values())
    return sum(true.get(place) != n for place, n in found)


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=50, deadline=None)
@given(random=st.randoms(use_true_random=False))
def test_no_cell_is_lost_and_each_keeps_its_path_and_heading(style: str, random: Random) -> None:
    table = draw_table(random)
    page = STYLES[style](table, random)
    assert wrong_facts(table, page) == 0, page


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_of_ten_thousand_tables_hardly_a_cell_is_misplaced(style: str) -> None:
    """A quarter of them in each style."""
    wrong = cells = 0
    for seed in range(10_000 // len(STYLES)):
        random = Random(seed)
        table = draw_table(random)
        wrong += wrong_facts(table, STYLES[style](table, random))
        cells += len(table.facts())
    print(f"{style}: {wrong} of {cells} cells misplaced")
    assert wrong / cells <= 0.005
