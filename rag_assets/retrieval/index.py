"""Building one index segment: chunks to postings, taking over what a previous segment already knows.

Holds: the build, from scratch or from a previous segment; both give the same files.
Add here: another array of the segment, computed from chunks.
Never here: scores: a segment holds raw frequencies, statistics are summed when segments are opened (postings.py).
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import count, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rag_assets.model.chunk import Chunk, ChunkKind, Zone
from rag_assets.retrieval.segment_files import (
    FORMAT,
    INDEX_VERSION,
    KINDS,
    Array,
    SegmentArrays,
    SegmentBlobs,
    SegmentFiles,
    SegmentHeader,
    hash_text,
    logical_hash,
    open_segment,
    write_segment,
)
from rag_assets.retrieval.terms import ZoneAnalyzer
from rag_assets.retrieval.weights import ZoneWeights
from rag_assets.settings import RetrievalSettings

__all__ = ["INDEX_VERSION", "IndexCounts", "build_index", "logical_hash"]


class IndexCounts(NamedTuple):
    """`analyzed` chunks were turned into terms; `reused` ones were taken over from the previous segment."""

    documents: int
    chunks: int
    ranked: int
    terms: int
    postings: int
    analyzed: int
    reused: int


class Triples(NamedTuple):
    """Postings in any order: number of the term in `vocabulary`, number of the chunk, weighted frequency."""

    vocabulary: list[str]
    terms: Array
    docs: Array
    frequencies: Array


def build_index(
    target: Path, chunks: Sequence[Chunk], settings: RetrievalSettings, previous: Path | None = None
) -> IndexCounts:
    """Writes the files of a segment into `target`.

    Chunks that `previous` holds under the same id are not analyzed again; what is only in `previous` leaves nothing.
    """
    ordered = sorted(chunks, key=lambda c: (c.source, c.order, c.id))
    weights = ZoneWeights.of(settings)
    header = SegmentHeader(
        format=FORMAT,
        version=INDEX_VERSION,
        language=settings.stop_language,
        multiplier=weights.multiplier,
        times={str(zone): times for zone, times in weights.times.items()},
        records=settings.records,
    )
    ranked = _ranked(ordered, settings)
    known = _taken_over(previous, header, ordered, ranked)
    fresh_docs = [n for n, chunk in enumerate(ordered) if ranked[n] and n not in known.docs_known]
    fresh = _analyzed([ordered[n] for n in fresh_docs], fresh_docs, ZoneAnalyzer(weights, settings.stop_language))
    segment = _assembled(header, ordered, ranked, known.triples, fresh)
    write_segment(target, segment)
    return IndexCounts(
        documents=len({chunk.source for chunk in ordered}),
        chunks=len(ordered),
        ranked=int(ranked.sum()),
        terms=len(segment.arrays.term_hashes),
        postings=len(segment.arrays.docs),
        analyzed=len(fresh_docs),
        reused=len(known.docs_known),
    )


def _ranked(chunks: Sequence[Chunk], settings: RetrievalSettings) -> Array:
    """Records, prose and summaries rank; a table or row block only where it has no records to rank for it."""
    if not settings.records:
        return np.array([c.kind is not ChunkKind.RECORD for c in chunks], dtype=np.bool_)
    parents = {c.parent for c in chunks if c.kind is ChunkKind.RECORD}
    return np.array([c.id not in parents for c in chunks], dtype=np.bool_)


class TakenOver(NamedTuple):
    triples: Triples
    docs_known: frozenset[int]


def _taken_over(previous: Path | None, header: SegmentHeader, chunks: Sequence[Chunk], ranked: Array) -> TakenOver:
    empty = TakenOver(Triples([], *(np.zeros(0, np.int64) for _ in range(3))), frozenset())
    if previous is None or not (previous / "index.json").exists():
        return empty
    old = open_segment(previous)
    if old.header != header:
        return empty
    places = {int(chunk.id, 16): n for n, chunk in enumerate(chunks) if ranked[n]}
    moved = np.full(len(old.arrays.ids), -1, dtype=np.int64)
    for n, (name, was_ranked) in enumerate(zip(old.arrays.ids.tolist(), old.arrays.ranked.tolist(), strict=True)):
        if was_ranked:
            moved[n] = places.get(name, -1)
    lengths = np.diff(old.arrays.posting_starts)
    terms = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    docs = moved[old.arrays.docs]
    kept = docs >= 0
    triples = Triples(_vocabulary(old), terms[kept], docs[kept], old.arrays.frequencies[kept].astype(np.int64))
    return TakenOver(triples, frozenset(moved[moved >= 0].tolist()))


def _vocabulary(segment: SegmentFiles) -> list[str]:
    starts = segment.arrays.term_starts.tolist()
    blob = bytes(segment.blobs.terms)
    return [blob[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(starts)]


def _analyzed(chunks: Sequence[Chunk], docs: Sequence[int], analyzer: ZoneAnalyzer) -> Triples:
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    terms: list[int] = []
    run_docs: list[int] = []
    run_times: list[int] = []
    run_lengths: list[int] = []
    for chunk, doc in zip(chunks, docs, strict=True):
        for words, times in analyzer.runs(chunk):
            terms.extend([numbers[word] for word in words])
            run_docs.append(doc)
            run_times.append(times)
            run_lengths.append(len(words))
    flat_docs = np.repeat(np.array(run_docs, dtype=np.int64), run_lengths)
    flat_times = np.repeat(np.array(run_times, dtype=np.int64), run_lengths)
    width = int(flat_docs.max()) + 1 if len(flat_docs) else 1
    keys = np.array(terms, dtype=np.int64) * width + flat_docs
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.int64)
    sums = np.add.reduceat(flat_times[order], first) if len(first) else np.zeros(0, np.int64)
    return Triples(list(numbers), keys[first] // width, keys[first] % width, sums)


def _assembled(
    header: SegmentHeader, chunks: Sequence[Chunk], ranked: Array, known: Triples, fresh: Triples
) -> SegmentFiles:
    vocabulary, renumbered = _merged_vocabulary(known, fresh)
    terms = np.concatenate((renumbered[0][known.terms], renumbered[1][fresh.terms]))
    docs = np.concatenate((known.docs, fresh.docs))
    frequencies = np.concatenate((known.frequencies, fresh.frequencies))
    order = np.argsort(terms * (len(chunks) + 1) + docs, kind="stable")
    terms, docs, frequencies = terms[order], docs[order], frequencies[order]
    texts = [chunk.text.encode("utf-8", "surrogatepass") for chunk in chunks]
    facts = [_facts(chunk) for chunk in chunks]
    spelled = [term.encode("utf-8", "surrogatepass") for term in vocabulary]
    places = {chunk.id: n for n, chunk in enumerate(chunks)}
    arrays = SegmentArrays(
        ids=np.array([int(chunk.id, 16) for chunk in chunks], dtype=np.uint64),
        kinds=np.array([KINDS.index(chunk.kind) for chunk in chunks], dtype=np.uint8),
        parents=np.array([places.get(c.parent, -1) if c.parent else -1 for c in chunks], dtype=np.int32),
        tables=np.array([_table_name(chunk) for chunk in chunks], dtype=np.uint64),
        ranked=ranked,
        lengths=np.bincount(docs, weights=frequencies, minlength=len(chunks)).astype(np.int64),
        words=np.array([len(chunk.text.split()) for chunk in chunks], dtype=np.int32),
        text_hashes=np.array([_likeness(chunk) for chunk in chunks], dtype=np.uint64),
        term_hashes=np.array([hash_text(term) for term in vocabulary], dtype=np.uint64),
        posting_starts=np.searchsorted(terms, np.arange(len(vocabulary) + 1)).astype(np.int64),
        docs=docs.astype(np.int32),
        frequencies=frequencies.astype(np.uint16 if not len(frequencies) or frequencies.max() < 65536 else np.uint32),
        text_starts=_starts(texts),
        fact_starts=_starts(facts),
        term_starts=_starts(spelled),
    )
    return SegmentFiles(header, arrays, SegmentBlobs(b"".join(texts), b"".join(facts), b"".join(spelled)))


def _merged_vocabulary(known: Triples, fresh: Triples) -> tuple[list[str], tuple[Array, Array]]:
    """Terms that still have a posting, in order of their hash, and the new number of each old one."""
    used = {known.vocabulary[n] for n in np.unique(known.terms).tolist()} | set(fresh.vocabulary)
    vocabulary = sorted(used, key=lambda term: (hash_text(term), term))
    numbers = {term: n for n, term in enumerate(vocabulary)}
    renumbered = tuple(
        np.array([numbers.get(term, -1) for term in part.vocabulary] or [0], dtype=np.int64) for part in (known, fresh)
    )
    return vocabulary, (renumbered[0], renumbered[1])


def _table_name(chunk: Chunk) -> int:
    return hash_text(f"{chunk.source}\x1e{chunk.table}") if chunk.table else 0


def _likeness(chunk: Chunk) -> int:
    """Equal for chunks that say the same: a row repeats its words under another heading and means something else."""
    borrowed = (text for zone, text in chunk.zones if zone is Zone.NEIGHBOUR)
    return hash_text("\x1e".join((chunk.text, *chunk.heading_path, *borrowed)))


def _facts(chunk: Chunk) -> bytes:
    facts = {
        "source": chunk.source, "sha256": chunk.sha256, "order": chunk.order, "tokens": chunk.tokens,
        "heading_path": chunk.heading_path, "addresses": chunk.addresses, "blocks": chunk.blocks,
        "table": chunk.table, "parent": chunk.parent, "tool": chunk.tool,
        "oversize": chunk.oversize, "complete": chunk.complete,
    }  # fmt: skip
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _starts(parts: Sequence[bytes]) -> Array:
    return np.concatenate(([0], np.cumsum([len(p) for p in parts], dtype=np.int64))).astype(np.int64)
