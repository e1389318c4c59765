import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag_assets.retrieval.analyzer import folded, tokens
from rag_assets.retrieval.bulk_terms import TermNumbers
from rag_assets.retrieval.weights import FOLDED_MARK

FIGURES = st.text("0123456789.,% '_aZ\x1f\n", max_size=12)
TEXTS = st.lists(st.one_of(FIGURES, st.text(max_size=12), st.sampled_from(["the 12 %", "Zürich's 3", "東京都"])))


def spelled(numbers: TermNumbers, texts: list[str]) -> list[list[str]]:
    found = numbers.of(texts)
    vocabulary = [word.decode("utf-8", "surrogatepass") for word in numbers.vocabulary]
    terms: list[list[str]] = [[] for _ in texts]
    for term, text in zip(found.terms.tolist(), found.texts.tolist(), strict=True):
        terms[text].append(vocabulary[term])
    return terms


@given(TEXTS)
@example(["1,234.5%", "12\x1f%", "1.2.3", "2010,2011", "a_b 1_2", "00:12%", "%", "1,2345", "1,234,5", ".5 5."])
@example(["with \x00 in it", "and \x02 5.5 or \x03"])
@example(["", "the", ""])
def test_texts_together_have_the_terms_of_each_alone(texts: list[str]):
    assert spelled(TermNumbers("en"), texts) == [tokens(text) for text in texts]


def test_a_second_batch_goes_on_numbering():
    numbers = TermNumbers("de")
    first, second = numbers.of(["der Preis"]), numbers.of(["Preis the", "neu"])
    assert first.terms.tolist() == second.terms.tolist()[:1]
    assert second.texts.tolist() == [0, 0, 1]


@pytest.mark.parametrize("text", ["countries 12% prices", "Zürichs Preise 3", "o'neill's Q2"])
def test_singulars_are_those_of_words_alone(text: str):
    numbers = TermNumbers("en")
    found = numbers.of([text])
    assert numbers.singulars_of(numbers.of(["games"])).texts.tolist() == [0]
    singulars = numbers.singulars_of(found)
    vocabulary = [word.decode() for word in numbers.vocabulary]
    assert [vocabulary[n] for n in singulars.terms.tolist()] == [
        FOLDED_MARK + folded(word) for word in tokens(text) if word.isalpha()
    ]
