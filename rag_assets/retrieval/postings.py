"""BM25 over the postings of the visible segments, exactly as `rank_bm25` scores it.

Holds: `LuceneBM25` (the reference class) and `VisiblePostings` (the same scores from compiled postings).
Add here: a faster way to the same scores.
Never here: a score that differs from the class; files (segment_files.py).
"""

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from rank_bm25 import BM25Okapi

from rag_assets.retrieval.segment_files import SegmentFiles, hash_text
from rag_assets.retrieval.term_scores import Floats, Ints, Mask, TermScores, best_of
from rag_assets.retrieval.terms import QueryTerm

CACHED_BYTES = 6_000_000


class LuceneBM25(BM25Okapi):
    """`rank_bm25.BM25Okapi` with Lucene's idf, which is positive on corpora of any size."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {word: lucene_idf(self.corpus_size, frequency) for word, frequency in nd.items()}


def lucene_idf(n_documents: int, document_frequency: int) -> float:
    return math.log(1 + (n_documents - document_frequency + 0.5) / (document_frequency + 0.5))


class Scored(NamedTuple):
    """Numbers of chunks, and the score of each."""

    numbers: Ints
    scores: Floats


class VisiblePostings:
    """Document frequency and average length are summed over exactly these segments, in this order of chunks."""

    def __init__(self, segments: Sequence[SegmentFiles], k1: float, b: float) -> None:
        self._segments = segments
        self._k1 = k1
        sizes = [len(s.arrays.ids) for s in segments]
        self.starts: Ints = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self.size = int(self.starts[-1])
        ranked = [s.arrays.ranked for s in segments]
        self.n_ranked = int(sum(int(r.sum()) for r in ranked))
        lengths = np.concatenate([np.zeros(0), *(s.arrays.lengths for s in segments)]).astype(np.float64)
        average = float(lengths.sum()) / self.n_ranked if self.n_ranked else 1.0
        self._norms: Floats = k1 * (1 - b + b * lengths / (average or 1.0))
        self._cache: OrderedDict[str, TermScores] = OrderedDict()
        self._cached = 0

    def scores(self, terms: Iterable[QueryTerm]) -> Floats:
        """The score of every chunk."""
        total = np.zeros(self.size)
        for term, weight in terms:
            self.term_scores(term).add_to(total, weight)
        return total

    def best(self, terms: Iterable[QueryTerm], wanted: int, allowed: Mask | None = None) -> Scored:
        """At least the `wanted` best chunks with a score above 0 (of the allowed ones), with all of equal score."""
        scores = self.scores(terms)
        if allowed is not None:
            scores *= allowed
        numbers = best_of(scores, wanted)
        return Scored(numbers, scores[numbers])

    def term_scores(self, term: str) -> TermScores:
        found = self._cache.get(term)
        if found is not None:
            self._cache.move_to_end(term)
            return found
        found = self._cache[term] = self._computed(term)
        self._cached += found.nbytes
        while self._cached > CACHED_BYTES and len(self._cache) > 1:
            self._cached -= self._cache.popitem(last=False)[1].nbytes
        return found

    def document_frequency(self, term: str) -> int:
        return sum(stop - start for _, start, stop in self._ranges(term))

    def idf(self, term: str) -> float:
        """An unknown term has the idf of one that stands nowhere: the highest."""
        return lucene_idf(self.n_ranked, self.document_frequency(term))

    def frequency(self, term: str, doc: int) -> int:
        """Weighted frequency of a term in one chunk."""
        for n, start, stop in self._ranges(term):
            local = doc - int(self.starts[n])
            docs = self._segments[n].arrays.docs[start:stop]
            place = int(docs.searchsorted(local))
            if place < len(docs) and docs[place] == local:
                return int(self._segments[n].arrays.frequencies[start + place])
        return 0

    def _computed(self, term: str) -> TermScores:
        docs: list[Ints] = []
        frequencies: list[Floats] = []
        for n, start, stop in self._ranges(term):
            arrays = self._segments[n].arrays
            local = arrays.docs[start:stop]
            docs.append(local.astype(np.int32) + np.int32(self.starts[n]) if n else local)
            frequencies.append(arrays.frequencies[start:stop].astype(np.float64))
        if not docs:
            return TermScores(docs=np.zeros(0, np.int32), shares=np.zeros(0))
        where = np.concatenate(docs) if len(docs) > 1 else docs[0]
        times = np.concatenate(frequencies) if len(docs) > 1 else frequencies[0]
        shares = self._norms[where]
        shares += times
        times *= self._k1 + 1
        np.divide(times, shares, out=shares)
        shares *= lucene_idf(self.n_ranked, len(where))
        return TermScores.of(where, shares, self.size)

    def _ranges(self, term: str) -> Iterable[tuple[int, int, int]]:
        """(segment, first posting, end) where the term stands."""
        sought = np.uint64(hash_text(term))
        spelled = term.encode("utf-8", "surrogatepass")
        for n, segment in enumerate(self._segments):
            hashes = segment.arrays.term_hashes
            place = int(hashes.searchsorted(sought))
            while place < len(hashes) and hashes[place] == sought:
                if segment.term(place) == spelled:
                    start, stop = segment.arrays.posting_starts[place : place + 2].tolist()
                    yield n, start, stop
                    break
                place += 1
