"""Addresses taken apart and put together again."""

import pytest

from rag_assets.lookup.places import Place, address_of, place_of, ranges, runs


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("'Price list'!C14", Place("'Price list'!", "C", 14)),
        ("'What!'!AA1", Place("'What!'!", "AA", 1)),
        ("#table-1!r5c2", Place("#table-1!", "c2", 5)),
        ("r5c12", Place("", "c12", 5)),
        ("B3", Place("", "B", 3)),
    ],
)
def test_an_address_of_one_cell_can_be_taken_apart_and_put_together(address: str, place: Place) -> None:
    assert place_of(address) == place
    assert address_of(place) == address


@pytest.mark.parametrize("address", ["", "#b12", "page 3", "S!A1:B2", "S!A0", "Summary"])
def test_what_names_no_single_cell_has_no_place(address: str) -> None:
    assert place_of(address) is None


@pytest.mark.parametrize(
    ("addresses", "found"),
    [
        (["S!C2", "S!C3", "S!C4"], ("S!C2:C4",)),
        (["S!C4", "S!C2", "S!C2"], ("S!C2", "S!C4")),
        (["S!C2", "S!D2", "S!C3"], ("S!C2:C3", "S!D2")),
        (["#t!r2c3", "#t!r3c3", "#t!r5c3"], ("#t!r2c3:r3c3", "#t!r5c3")),
        (["#b7", "S!A1", "#b7"], ("S!A1", "#b7")),
        ([], ()),
    ],
)
def test_cells_that_follow_one_another_in_a_column_are_one_range(addresses: list[str], found: tuple[str, ...]) -> None:
    assert ranges(addresses) == found


def test_a_run_ends_where_a_line_is_missing() -> None:
    assert runs([1, 2, 3, 7, 9, 10]) == ((1, 3), (7, 7), (9, 10))
