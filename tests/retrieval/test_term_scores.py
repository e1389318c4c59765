import numpy as np
import pytest

from rag_assets.retrieval.term_scores import TermScores, best_of


def test_a_frequent_term_adds_what_a_rare_one_would():
    docs = np.array([0, 3, 4, 9])
    shares = np.array([0.5, 0.25, 2.0, 1.0])
    rare, frequent = TermScores.of(docs, shares, 1000), TermScores.of(docs, shares, 10)
    assert rare.docs is not None
    assert frequent.docs is None
    for found, size in ((rare, 1000), (frequent, 10)):
        total = np.zeros(size)
        found.add_to(total, 1.0)
        found.add_to(total, 0.5)
        assert total[:10].tolist() == [0.75, 0, 0, 0.375, 3.0, 0, 0, 0, 0, 1.5]
        assert [found.at(n) for n in range(10)] == [0.5, 0, 0, 0.25, 2.0, 0, 0, 0, 0, 1.0]


@pytest.mark.parametrize("wanted", [1, 7, 64, 5000])
@pytest.mark.parametrize("levels", [1, 3, 10_000])
def test_the_cut_keeps_the_best_with_all_that_equal_the_last(wanted: int, levels: int):
    scores = np.random.default_rng(wanted).integers(0, levels + 1, 4001).astype(np.float64)
    positive = np.sort(scores[scores > 0])[::-1]
    last = positive[min(wanted, len(positive)) - 1]
    assert best_of(scores, wanted).tolist() == np.flatnonzero(scores >= last).tolist()


def test_nothing_is_best_where_nothing_scores():
    assert best_of(np.zeros(1000), 10).tolist() == []
    assert best_of(np.zeros(0), 10).tolist() == []
