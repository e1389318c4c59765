import pytest

from rag_assets.retrieval.analyzer import folded, tokens


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("North region, tier 3 discount", ["north", "region", "tier", "3", "discount"]),
        ("$25,000", ["25000"]),
        ("1,234,567.89", ["1234567.89"]),
        ("12%", ["12", "12%"]),
        ("12 %", ["12", "12%"]),
        ("9.4%", ["9.4", "9.4%"]),
        ("2,500%", ["2500", "2500%"]),
        ("1, 2 and 3", ["1", "2", "3"]),
        ("2010,2011,2012", ["2010", "2011", "2012"]),
        ("1.2.3", ["1", "2", "3"]),
        ("the company's goods", ["company", "goods"]),
        ("What is the fare to Woodland?", ["fare", "woodland"]),
        ("Zürich Å ﬁve", ["zurich", "five"]),
        ("東京都", ["東京", "京都"]),
        ("2019年度", ["2019", "年度"]),
        ("Q2 FY27", ["q2", "fy27"]),
        ("2026-01-01", ["2026", "01", "01"]),
        ("", []),
        ("…—›", []),
    ],
)
def test_terms_of_a_text(text: str, terms: list[str]):
    assert tokens(text) == terms


def test_stop_words_go_by_language():
    assert tokens("der Preis the price", "de") == ["preis", "the", "price"]
    assert tokens("the price", "xx") == ["the", "price"]


@pytest.mark.parametrize(
    ("plural", "singular"),
    [("countries", "country"), ("games", "game"), ("matches", "match"), ("boxes", "box"), ("glass", "glass"),
     ("status", "status"), ("basis", "basis"), ("bus", "bus"), ("ties", "tie")],
)  # fmt: skip
def test_plurals_fold_by_their_ending(plural: str, singular: str):
    assert folded(plural) == singular


def test_composed_and_decomposed_letters_are_one_term():
    assert tokens("caf\u00e9") == tokens("cafe\u0301")
