"""Why a passage stands where it stands.

Holds: the share each term of the question has in a hit's score.
Add here: another reason a reader of `search --explain` wants to see.
Never here: scores of its own: the shares sum to the score that ranked.
"""

from collections.abc import Sequence

from rag_assets.model.corpus import Explanation, TermShare
from rag_assets.retrieval.passages import Shown
from rag_assets.retrieval.postings import VisiblePostings
from rag_assets.retrieval.terms import QueryTerm
from rag_assets.retrieval.weights import FOLDED_MARK


def explain_hit(postings: VisiblePostings, terms: Sequence[QueryTerm], place: Shown) -> Explanation:
    """Shares of the terms in the score, largest first.

    A singular that only captions answer is written `term (singular)`.
    """
    shares = []
    for term, weight in terms:
        share = postings.term_scores(term).at(place.hit.number)
        if share:
            name = f"{term[len(FOLDED_MARK) :]} (singular)" if term.startswith(FOLDED_MARK) else term
            shares.append(
                TermShare(
                    term=name,
                    weight=weight,
                    idf=postings.idf(term),
                    frequency=postings.frequency(term, place.hit.number),
                    share=weight * share,
                )
            )
    shares.sort(key=lambda s: (-s.share, s.term))
    return Explanation(view=place.view, rank_before=place.hit.rank, terms=tuple(shares))
