"""Search over the index segments a caller may see.

Holds: `open_searcher` and `Searcher`: hits in exact order, passages, coverage of a question, ranks for evaluation.
Add here: another question that can be asked of the ranking.
Never here: scores (postings.py), which passages a hit becomes (passages.py).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from rag_assets.model.chunk import Chunk
from rag_assets.model.corpus import Explanation, Passage
from rag_assets.retrieval.analyzer import folded, tokens
from rag_assets.retrieval.explain import explain_hit
from rag_assets.retrieval.many_rows import may_ask_of_all_rows
from rag_assets.retrieval.passages import Hit, PassageList, Shown, passage_of
from rag_assets.retrieval.postings import VisiblePostings
from rag_assets.retrieval.segment_files import Array, open_segment
from rag_assets.retrieval.stored import StoredChunks, VisibleSegment
from rag_assets.retrieval.terms import QueryTerm, query_terms
from rag_assets.retrieval.weights import FOLDED_MARK, ZoneWeights
from rag_assets.settings import RetrievalSettings

FIRST_HITS = 64
FIRST_RANKS = 256
RANKS_LOOKED_AT = 1000


def open_searcher(segments: Sequence[tuple[str, Path]], settings: RetrievalSettings) -> "Searcher":
    """A searcher over index directories, each with its partition key (`collection` or `collection/03`).

    Statistics are those of exactly these segments: nothing else shows in a score.
    """
    visible = [VisibleSegment(key.split("/")[0], open_segment(path)) for key, path in sorted(segments)]
    return Searcher(visible, settings)


class Searcher:
    def __init__(self, segments: Sequence[VisibleSegment], settings: RetrievalSettings) -> None:
        self._settings = settings
        self._stored = StoredChunks(segments)
        k1 = settings.k1 * ZoneWeights.of(settings).multiplier
        self._postings = VisiblePostings([s.files for s in segments], k1, settings.b)

    def search(
        self,
        query: str,
        k: int = 10,
        words: int | None = None,
        kinds: frozenset[str] | None = None,
        collections: frozenset[str] | None = None,
        explain: bool = False,
    ) -> tuple[Passage, ...]:
        """At most `k` passages of together at most `words` words, best first.

        Kinds filter what is shown: asked for tables, the tables of the best rows come. Filters leave scores alone.
        """
        terms = query_terms(query, self._settings.stop_language)
        of_all = may_ask_of_all_rows(query)
        expansion = self._settings.expansion
        shown = PassageList(self._stored, k, words, kinds, expansion=expansion, summaries=expansion and of_all)
        for hit in self._hits(terms, max(FIRST_HITS, 4 * k), self._allowed(kinds, collections)):
            if shown.full:
                break
            shown.add(hit)
        passages = []
        for rank, place in enumerate(shown.places, 1):
            explanation = explain_hit(self._postings, terms, place) if explain else None
            passages.append(self._passage(place, rank, collections, explanation))
        return tuple(passages)

    def passage(self, chunk: str) -> Passage | None:
        """The passage of one chunk, by its id."""
        number = self._stored.number_of(chunk)
        return None if number is None else self._passage(Shown(number, Hit(number, 0.0, 1), "asked"), 1, None, None)

    def coverage(self, query: str, passages: Iterable[Passage]) -> float:
        """Share of the question's idf that stands in the passage that holds most of it, 0..1.

        Unknown words weigh as the rarest; a plural and its singular cover each other.
        """
        language = self._settings.stop_language
        sought = {word: self._weight(word) for word in tokens(query, language)}
        total = sum(sought.values())
        best = 0.0
        for passage in passages:
            present = {folded(t) for t in tokens("\n".join((*passage.heading_path, passage.text)), language)}
            best = max(best, sum(weight for word, weight in sought.items() if folded(word) in present))
        return best / total if total else 0.0

    def rank_of(self, query: str, predicate: Callable[[Chunk], bool], limit: int = RANKS_LOOKED_AT) -> int | None:
        """Rank (from 1) of the first hit that fulfils a predicate, before expansion and collapse."""
        terms = query_terms(query, self._settings.stop_language)
        for hit in self._hits(terms, FIRST_RANKS, None):
            if hit.rank > limit:
                return None
            if predicate(self._stored.chunk(hit.number)):
                return hit.rank
        return None

    def chunks(self) -> Iterator[Chunk]:
        """All visible chunks in order of partition, source and place (without zones)."""
        return (self._stored.chunk(number) for number in range(self._stored.size))

    def collection_of(self, chunk: str) -> str | None:
        number = self._stored.number_of(chunk)
        return None if number is None else self._stored.collection(number)

    @property
    def size(self) -> int:
        return self._stored.size

    def _weight(self, word: str) -> float:
        if self._postings.document_frequency(word):
            return self._postings.idf(word)
        return self._postings.idf(FOLDED_MARK + folded(word))

    def _allowed(self, kinds: frozenset[str] | None, collections: frozenset[str] | None) -> Array | None:
        mask: Array | None = None
        if kinds is not None:
            own = self._stored.in_kinds(kinds)
            parents = self._stored.parents
            mask = own | ((parents >= 0) & own[parents])
        if collections is not None:
            inside = self._stored.in_collections(collections)
            mask = inside if mask is None else mask & inside
        return mask

    def _hits(self, terms: Sequence[QueryTerm], wanted: int, allowed: Array | None) -> Iterator[Hit]:
        """Hits with a score, best first, equal scores in order of chunk id; `wanted` are looked for at first."""
        given = 0
        while True:
            numbers, scores = self._postings.best(terms, wanted, allowed)
            order = np.lexsort((self._stored.ids[numbers], -scores))[given:]
            for number, score in zip(numbers[order].tolist(), scores[order].tolist(), strict=True):
                given += 1
                yield Hit(number, score, given)
            if len(numbers) < wanted:
                return
            wanted = max(wanted, len(numbers)) * 8

    def _passage(
        self, place: Shown, rank: int, collections: frozenset[str] | None, explanation: Explanation | None
    ) -> Passage:
        return passage_of(self._stored, place, rank, collections, explanation)
