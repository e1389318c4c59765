"""Metrics: equal to what pytrec_eval computes through ir-measures, and honest about nothing."""

import random

import ir_measures
import pytest
from ir_measures import RR, R, Success, nDCG

from rag_assets.evaluation.metrics import hit, mean, ndcg, recall, reciprocal_rank, word_precision


@pytest.mark.parametrize("seed", range(40))
def test_metrics_equal_pytrec_eval_on_a_random_ranking(seed: int) -> None:
    chance = random.Random(seed)
    ranking = [f"d{n}" for n in chance.sample(range(40), 25)]
    gold = {f"d{n}" for n in chance.sample(range(40), chance.randint(1, 8))}
    relevant = [document in gold for document in ranking]
    qrels = {"q": {document: int(document in gold) for document in {*ranking, *gold}}}
    run = {"q": {document: 1 / rank for rank, document in enumerate(ranking, start=1)}}
    measures = [Success @ 1, Success @ 5, R @ 10, RR, nDCG @ 10]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    assert hit(relevant, 1) == pytest.approx(theirs[Success @ 1])
    assert hit(relevant, 5) == pytest.approx(theirs[Success @ 5])
    assert recall(relevant, 10, len(gold)) == pytest.approx(theirs[R @ 10])
    assert reciprocal_rank(relevant, len(ranking)) == pytest.approx(theirs[RR])
    assert ndcg(relevant, 10, len(gold)) == pytest.approx(theirs[nDCG @ 10])


def test_the_mean_of_nothing_is_none_and_never_zero() -> None:
    assert mean([]) == (None, 0, 0)
    assert mean([None, None]) == (None, 0, 2)


def test_an_unscored_case_is_counted_and_not_averaged() -> None:
    assert mean([1.0, None, 0.0], unscored=2) == (0.5, 2, 3)


def test_nothing_to_find_has_no_recall() -> None:
    assert recall([False], 10, 0) is None
    assert ndcg([False], 10, 0) is None
    assert word_precision([]) is None


def test_precision_counts_words() -> None:
    assert word_precision([(30, True), (10, False)]) == 0.75
