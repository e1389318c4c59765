"""Suite retrieval: is the right passage found, and at which rank.

Holds: `score_retrieval` and what makes a passage relevant to a case.
Add here: a figure of one case's ranking.
Never here: the metrics themselves (metrics.py).
"""

from functools import partial

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import Expectation, PlaceExpectation
from rag_assets.evaluation.matching import contains, same_address
from rag_assets.evaluation.metrics import first_rank, hit, ndcg, recall, reciprocal_rank, word_precision
from rag_assets.evaluation.outcomes import Finding, Subject
from rag_assets.evaluation.scorers.combine import faults_of, text_faults
from rag_assets.model.corpus import Passage

CUTOFF = 10


def score_retrieval(case: Case, subject: Subject) -> Finding:
    question = case.question or ""
    ranking = subject.corpus.search(question, k=CUTOFF)
    context = subject.corpus.search(question, k=CUTOFF, words=subject.context_words)
    relevant = [is_relevant(passage, case) for passage in ranking]
    rank = first_rank(relevant)
    return Finding(
        faults=faults_of(case.expect, partial(_check, context, rank)),
        measures=_measures(case, ranking, context, relevant),
        rank=rank,
        kind=ranking[rank - 1].kind if rank else None,
        retrieved=tuple(dict.fromkeys(passage.source for passage in (*ranking, *context))),
        context=context,
    )


def is_relevant(passage: Passage, case: Case) -> bool:
    """Fulfils a `cites` of the case; without one it comes from a source of the case and holds all of `must_contain`."""
    wanted = wanted_places(case.expect)
    if wanted:
        return any(is_at(passage, place) for place in wanted)
    if case.sources and passage.source not in case.sources:
        return False
    alternatives = wanted_texts(case.expect)
    if not alternatives:
        return bool(case.sources)
    return any(all(contains(passage.text, text) for text in texts) for texts in alternatives)


def wanted_places(expected: Expectation) -> tuple[PlaceExpectation, ...]:
    inner = tuple(place for one in (*expected.all_of, *expected.one_of) for place in wanted_places(one))
    return (*expected.cites, *inner)


def wanted_texts(expected: Expectation) -> tuple[tuple[str, ...], ...]:
    """Alternatives, each a set of texts that belong together; empty where the case expects no text."""
    alternatives: list[tuple[str, ...]] = [expected.must_contain]
    for one in expected.all_of:
        further = wanted_texts(one) or ((),)
        alternatives = [(*left, *right) for left in alternatives for right in further]
    branches = [texts for one in expected.one_of for texts in (wanted_texts(one) or ())]
    if branches:
        alternatives = [(*left, *right) for left in alternatives for right in branches]
    return tuple(texts for texts in alternatives if texts)


def is_at(passage: Passage, place: PlaceExpectation) -> bool:
    here = passage.source == place.source and (
        place.address is None or any(same_address(found, place.address) for found in passage.addresses)
    )
    return here or any(
        other.source == place.source and place.address in {None, other.address} for other in passage.also
    )


def _check(context: tuple[Passage, ...], rank: int | None, expected: Expectation) -> tuple[str, ...]:
    faults = list(text_faults(expected, "\n\n".join(passage.text for passage in context), "the passages"))
    faults += [
        f"no passage from {place.source} {place.address or ''}".rstrip()
        for place in expected.cites
        if not any(is_at(passage, place) for passage in context)
    ]
    limit = expected.rank_at_most
    if limit is not None and (rank is None or rank > limit):
        faults.append(f"rank is {rank or f'worse than {CUTOFF}'}, expected {limit} or better")
    return tuple(faults)


def _measures(
    case: Case, ranking: tuple[Passage, ...], context: tuple[Passage, ...], relevant: list[bool]
) -> dict[str, float | None]:
    """Empty for a case that expects nothing to be found: it has no right passage whose rank could be told."""
    places = wanted_places(case.expect)
    if not places and not wanted_texts(case.expect) and case.expect.rank_at_most is None:
        return {}
    total = max(len(places), 1)
    found = [any(is_at(passage, place) for passage in ranking) for place in places] or [any(relevant)]
    return {
        "hit@1": hit(relevant, 1),
        "hit@5": hit(relevant, 5),
        "mrr@10": reciprocal_rank(relevant, CUTOFF),
        "ndcg@10": min(1.0, ndcg(relevant, CUTOFF, max(total, sum(relevant))) or 0.0),
        "recall@10": recall(found, len(found), total),
        "precision": word_precision((len(passage.text.split()), is_relevant(passage, case)) for passage in context),
    }
