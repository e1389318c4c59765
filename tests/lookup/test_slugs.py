"""Slugs of headings, and names as a model may see them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.lookup.slugs import MAX_SLUG, clean_name, quoted, slug_of, unique_slugs


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Min. order ($)", "min_order"),
        ("Région – prix (€)", "region_prix"),
        ("2026 Q1", "2026_q1"),
        ("Straße", "strasse"),
        ("価格", "価格"),
        ("\uff30\uff52\uff49\uff43\uff45", "price"),
        ("a\u200bb\u202ec", "a_b_c"),
        ('"; drop table x; --', "drop_table_x"),
        ("line\nbreak", "line_break"),
    ],
)
def test_a_slug_keeps_words_of_any_script_and_nothing_else(heading: str, slug: str) -> None:
    assert slug_of(heading, "column_1") == slug


@pytest.mark.parametrize("heading", ["", "  ", "($)", "\u200b", "rowid", "ROWID"])
def test_a_heading_that_gives_no_free_name_falls_back(heading: str) -> None:
    assert slug_of(heading, "column_1") == "column_1"


def test_a_long_heading_is_cut() -> None:
    assert slug_of("word " * 20_000, "x") == ("word_" * 10)[:MAX_SLUG].strip("_")


def test_a_repeated_heading_is_numbered_around_those_that_are_there() -> None:
    headings = [(h, "c") for h in ("Price", "price", "Price 2", "PRICE")]
    assert unique_slugs(headings) == ("price", "price_3", "price_2", "price_4")


@given(st.lists(st.text(max_size=12), max_size=12))
def test_slugs_of_a_table_are_unique_and_never_look_like_a_column_of_our_own(headings: list[str]) -> None:
    slugs = unique_slugs((heading, f"column_{n}") for n, heading in enumerate(headings, start=1))
    assert len({slug.casefold() for slug in slugs}) == len(headings)
    assert not any(slug.startswith("_") or slug == "rowid" for slug in slugs)


@given(st.text(max_size=200))
def test_a_clean_name_is_one_line_of_words(text: str) -> None:
    name = clean_name(text)
    assert len(name) <= 80
    assert name.isprintable()
    assert not set(name) & set("\"'`;<>(){}[]\\|")


def test_a_quoted_identifier_cannot_be_left() -> None:
    assert quoted('a"; drop table b; --') == '"a""; drop table b; --"'
