"""Chunks to terms: which terms of a chunk count how often, and which terms a question asks for.

Holds: the weighted term frequencies of chunks, the weighted terms of a question.
Add here: another kind of term both sides agree on.
Never here: arrays and files (index.py), what a term is (analyzer.py).
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from rag_assets.model.chunk import Chunk, Zone
from rag_assets.retrieval.analyzer import folded, tokens
from rag_assets.retrieval.bulk_terms import Numbered, TermNumbers
from rag_assets.retrieval.segment_files import Array
from rag_assets.retrieval.weights import FOLDED_MARK, FOLDED_WEIGHT, WORD_WEIGHT, ZoneWeights

FOLDED_ZONES = frozenset({Zone.CAPTION, Zone.HEADING})
BATCH = 2000


class QueryTerm(NamedTuple):
    term: str
    weight: float


class Occurrences(NamedTuple):
    """Terms of chunks in any order, repeated ones too: number of the term, number of the chunk, times it counts."""

    vocabulary: list[bytes]
    terms: Array
    docs: Array
    times: Array


def chunk_terms(chunks: Sequence[Chunk], docs: Sequence[int], weights: ZoneWeights, language: str) -> Occurrences:
    """Terms of chunks, which have these numbers, each counting as its zone weighs; headings also give singulars."""
    numbers = TermNumbers(language)
    parts = [_batch_terms(numbers, batch, weights) for batch in _batches(chunks, docs)]
    none = np.zeros(0, np.int32)
    terms, places, times = (np.concatenate([none, *(part[n] for part in parts)]) for n in range(3))
    return Occurrences(numbers.vocabulary, terms, places, times)


def query_terms(query: str, language: str) -> tuple[QueryTerm, ...]:
    """Each term of a question once, and its singular as a weaker term that only captions answer."""
    words = list(dict.fromkeys(tokens(query, language)))
    singulars = dict.fromkeys(FOLDED_MARK + folded(word) for word in words if word.isalpha())
    share = FOLDED_WEIGHT / WORD_WEIGHT
    return (*(QueryTerm(word, 1.0) for word in words), *(QueryTerm(word, share) for word in singulars))


def _batches(chunks: Sequence[Chunk], docs: Sequence[int]) -> Iterator[list[tuple[int, Chunk]]]:
    pairs = zip(docs, chunks, strict=True)
    while batch := list(islice(pairs, BATCH)):
        yield batch


class _Runs(NamedTuple):
    """Where texts stand: index of the text, number of the chunk, times it counts."""

    texts: list[int]
    docs: list[int]
    times: list[int]


def _batch_terms(
    numbers: TermNumbers, batch: Sequence[tuple[int, Chunk]], weights: ZoneWeights
) -> tuple[Array, Array, Array]:
    """Headings stand over many rows and are looked at once; other texts hardly repeat."""
    plain, heads = _Runs([], [], []), _Runs([], [], [])
    plain_texts: list[str] = []
    head_texts: dict[str, int] = {}
    for doc, chunk in batch:
        for zone, text in chunk.zones or ((Zone.TEXT, chunk.text),):
            times = weights.times[zone]
            if zone in FOLDED_ZONES:
                runs, at = heads, head_texts.setdefault(text, len(head_texts))
            else:
                runs, at = plain, len(plain_texts)
                plain_texts.append(text)
            runs.texts.append(at)
            runs.docs.append(doc)
            runs.times.append(times)
    in_heads = numbers.of(list(head_texts))
    parts = (
        _spread(numbers.of(plain_texts), len(plain_texts), plain),
        _spread(in_heads, len(head_texts), heads),
        _spread(numbers.singulars_of(in_heads), len(head_texts), heads),
    )
    terms, docs, times = (np.concatenate(column) for column in zip(*parts, strict=True))
    return terms[times > 0], docs[times > 0], times[times > 0]


def _spread(numbered: Numbered, n_texts: int, runs: _Runs) -> tuple[Array, Array, Array]:
    """The terms of each text at every place where it stands (a heading stands over all its rows)."""
    terms = numbered.terms[np.argsort(numbered.texts, kind="stable")]
    lengths = np.bincount(numbered.texts, minlength=n_texts).astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    indices = np.array(runs.texts, dtype=np.int64)
    counts = lengths[indices]
    offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return (
        terms[np.repeat(starts[indices], counts) + offsets],
        np.repeat(np.array(runs.docs, dtype=np.int32), counts),
        np.repeat(np.array(runs.times, dtype=np.int32), counts),
    )
