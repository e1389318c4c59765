"""Chunks to terms: which terms of a chunk count how often, and which terms a question asks for.

Holds: the weighted term frequencies of a chunk, the weighted terms of a question.
Add here: another kind of term both sides agree on.
Never here: arrays and files (index.py).
"""

from collections.abc import Iterator
from typing import NamedTuple

from rag_assets.model.chunk import Chunk, Zone
from rag_assets.retrieval.analyzer import folded, tokens
from rag_assets.retrieval.weights import FOLDED_MARK, FOLDED_WEIGHT, WORD_WEIGHT, ZoneWeights

FOLDED_ZONES = frozenset({Zone.CAPTION, Zone.HEADING})
CACHED_TEXTS = 50_000


class QueryTerm(NamedTuple):
    term: str
    weight: float


class ZoneAnalyzer:
    """Terms of chunks under one configuration; texts that repeat (captions, headings) are analyzed once."""

    def __init__(self, weights: ZoneWeights, language: str) -> None:
        self._weights = weights
        self._language = language
        self._cache: dict[tuple[str, bool], list[str]] = {}

    def runs(self, chunk: Chunk) -> Iterator[tuple[list[str], int]]:
        """Runs of terms with the number of times each of them counts."""
        for zone, text in chunk.zones or ((Zone.TEXT, chunk.text),):
            times = self._weights.times[zone]
            if times:
                yield self._terms(text, zone in FOLDED_ZONES), times

    def _terms(self, text: str, fold: bool) -> list[str]:
        if not fold:
            return tokens(text, self._language)
        found = self._cache.get((text, fold))
        if found is None:
            if len(self._cache) > CACHED_TEXTS:
                self._cache.clear()
            words = tokens(text, self._language)
            found = self._cache[(text, fold)] = words + [FOLDED_MARK + folded(w) for w in words if w.isalpha()]
        return found


def query_terms(query: str, language: str) -> tuple[QueryTerm, ...]:
    """Each term of a question once, and its singular as a weaker term that only captions answer."""
    words = list(dict.fromkeys(tokens(query, language)))
    singulars = dict.fromkeys(FOLDED_MARK + folded(word) for word in words if word.isalpha())
    share = FOLDED_WEIGHT / WORD_WEIGHT
    return (*(QueryTerm(word, 1.0) for word in words), *(QueryTerm(word, share) for word in singulars))
