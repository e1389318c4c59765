"""Building one index segment: chunks to postings, taking over what a previous segment already knows.

Holds: the build, from scratch or from a previous segment; both give the same files.
Add here: another array of the segment, computed from chunks.
Never here: scores: a segment holds raw frequencies, statistics are summed when segments are opened (postings.py).
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from rag_assets.model.chunk import Chunk, ChunkKind, Zone
from rag_assets.retrieval.segment_files import (
    FORMAT,
    INDEX_VERSION,
    KINDS,
    Array,
    SegmentArrays,
    SegmentBlobs,
    SegmentHeader,
    hashes_of,
    is_current,
    logical_hash,
    open_segment,
    write_segment,
)
from rag_assets.retrieval.terms import Occurrences, chunk_terms
from rag_assets.retrieval.weights import ZoneWeights
from rag_assets.settings import RetrievalSettings

_JSON = msgspec.json.Encoder()

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


def build_index(
    target: Path,
    chunks: Sequence[Chunk],
    settings: RetrievalSettings,
    previous: Path | None = None,
    *,
    as_previous: bool = False,
) -> IndexCounts:
    """Writes the files of a segment into `target`.

    With `as_previous`, terms weigh as they do in `previous`, whatever the settings say now. Chunks that `previous`
    holds under the same id are not analyzed again; what is only in `previous` leaves nothing.
    """
    ordered = sorted(chunks, key=lambda c: (c.source, c.order, c.id))
    kept = as_previous and previous is not None and is_current(previous)
    header = open_segment(previous).header if kept and previous else _header(settings)
    weights = ZoneWeights(header.multiplier, {Zone(zone): times for zone, times in header.times.items()})
    ranked = _ranked(ordered, records=header.records)
    known = _taken_over(previous, header, ordered, ranked)
    fresh_docs = [n for n, chunk in enumerate(ordered) if ranked[n] and n not in known.docs_known]
    fresh = chunk_terms([ordered[n] for n in fresh_docs], fresh_docs, weights, header.language)
    postings = _postings((known.occurrences, fresh), len(ordered))
    stored = Stored(
        texts=[chunk.text.encode("utf-8", "surrogatepass") for chunk in ordered],
        facts=[_facts(chunk) for chunk in ordered],
    )
    blobs = SegmentBlobs(b"".join(postings.vocabulary), b"".join(stored.texts), b"".join(stored.facts))
    write_segment(target, header, _arrays(ordered, ranked, postings, stored), blobs)
    return IndexCounts(
        documents=len({chunk.source for chunk in ordered}),
        chunks=len(ordered),
        ranked=int(ranked.sum()),
        terms=len(postings.vocabulary),
        postings=len(postings.docs),
        analyzed=len(fresh_docs),
        reused=len(known.docs_known),
    )


def _header(settings: RetrievalSettings) -> SegmentHeader:
    weights = ZoneWeights.of(settings)
    return SegmentHeader(
        format=FORMAT,
        version=INDEX_VERSION,
        language=settings.stop_language,
        multiplier=weights.multiplier,
        times={str(zone): times for zone, times in weights.times.items()},
        records=settings.records,
    )


def _ranked(chunks: Sequence[Chunk], *, records: bool) -> Array:
    """Records, prose and summaries rank; a table or row block only where it has no records to rank for it."""
    if not records:
        return np.array([c.kind is not ChunkKind.RECORD for c in chunks], dtype=np.bool_)
    parents = {c.parent for c in chunks if c.kind is ChunkKind.RECORD}
    return np.array([c.id not in parents for c in chunks], dtype=np.bool_)


class TakenOver(NamedTuple):
    occurrences: Occurrences
    docs_known: frozenset[int]


def _taken_over(previous: Path | None, header: SegmentHeader, chunks: Sequence[Chunk], ranked: Array) -> TakenOver:
    empty = TakenOver(Occurrences([], *(np.zeros(0, np.int64) for _ in range(3))), frozenset())
    if previous is None or not is_current(previous):
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
    found = Occurrences(old.vocabulary(), terms[kept], docs[kept], old.arrays.frequencies[kept].astype(np.int64))
    return TakenOver(found, frozenset(moved[moved >= 0].tolist()))


class Postings(NamedTuple):
    """By term in order of its hash, then by chunk: a posting once, with the sum of the times it counts.

    `starts` holds the first posting of each term, and the end.
    """

    vocabulary: list[bytes]
    hashes: Array
    starts: Array
    docs: Array
    frequencies: Array


def _postings(parts: Sequence[Occurrences], n_chunks: int) -> Postings:
    vocabulary, hashes = _in_hash_order({term for part in parts for term in _used(part)})
    numbers = {term: n for n, term in enumerate(vocabulary)}
    width = n_chunks + 1
    keys = np.zeros(0, np.int64)
    for part in parts:
        renumbered = np.array([numbers.get(term, -1) for term in part.vocabulary] or [0], dtype=np.int64)
        keys = np.concatenate((keys, renumbered[part.terms] * width + part.docs))
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    times = np.concatenate([part.times for part in parts])[order]
    return Postings(
        vocabulary=vocabulary,
        hashes=hashes,
        starts=np.searchsorted(keys[first], np.arange(len(vocabulary) + 1) * width).astype(np.int64),
        docs=keys[first] % width,
        frequencies=np.add.reduceat(times, first) if len(first) else np.zeros(0, np.int64),
    )


def _used(part: Occurrences) -> list[bytes]:
    return [part.vocabulary[n] for n in np.flatnonzero(np.bincount(part.terms)).tolist()]


def _in_hash_order(terms: Iterable[bytes]) -> tuple[list[bytes], Array]:
    found = list(terms)
    hashes = hashes_of(found)
    order = np.argsort(hashes)
    if not np.diff(hashes[order]).all():
        order = np.array(sorted(range(len(found)), key=lambda n: (int(hashes[n]), found[n])))
    return [found[n] for n in order.tolist()], hashes[order]


class Stored(NamedTuple):
    """What is kept of each chunk, as bytes."""

    texts: list[bytes]
    facts: list[bytes]


def _arrays(chunks: Sequence[Chunk], ranked: Array, postings: Postings, stored: Stored) -> SegmentArrays:
    places = {chunk.id: n for n, chunk in enumerate(chunks)}
    return SegmentArrays(
        ids=np.array([int(chunk.id, 16) for chunk in chunks], dtype=np.uint64),
        kinds=np.array([KINDS.index(chunk.kind) for chunk in chunks], dtype=np.uint8),
        parents=np.array([places.get(c.parent, -1) if c.parent else -1 for c in chunks], dtype=np.int64),
        tables=_table_names(chunks),
        ranked=ranked,
        lengths=np.bincount(postings.docs, weights=postings.frequencies, minlength=len(chunks)).astype(np.int64),
        words=np.array([len(chunk.text.split()) for chunk in chunks], dtype=np.int64),
        text_hashes=hashes_of([_likeness(chunk) for chunk in chunks]),
        term_hashes=postings.hashes,
        posting_starts=postings.starts,
        docs=postings.docs,
        frequencies=postings.frequencies,
        text_starts=_starts(stored.texts),
        fact_starts=_starts(stored.facts),
        term_starts=_starts(postings.vocabulary),
    )


def _table_names(chunks: Sequence[Chunk]) -> Array:
    names = [(chunk.source, chunk.table) if chunk.table else None for chunk in chunks]
    known = [name for name in dict.fromkeys(names) if name]
    hashes = hashes_of([f"{source}\x1e{table}".encode("utf-8", "surrogatepass") for source, table in known])
    numbers: dict[tuple[str, str] | None, int] = {None: 0, **dict(zip(known, hashes.tolist(), strict=True))}
    return np.array([numbers[name] for name in names], dtype=np.uint64)


def _likeness(chunk: Chunk) -> bytes:
    """Equal for chunks that say the same: a row repeats its words under another heading and means something else."""
    borrowed = [text for zone, text in chunk.zones if zone is Zone.NEIGHBOUR]
    return "\x1e".join([chunk.text, *chunk.heading_path, *borrowed]).encode("utf-8", "surrogatepass")


def _facts(chunk: Chunk) -> bytes:
    facts = {
        "source": chunk.source, "sha256": chunk.sha256, "order": chunk.order, "tokens": chunk.tokens,
        "heading_path": chunk.heading_path, "addresses": chunk.addresses, "blocks": chunk.blocks,
        "table": chunk.table, "parent": chunk.parent, "tool": chunk.tool,
        "oversize": chunk.oversize, "complete": chunk.complete,
    }  # fmt: skip
    try:
        return _JSON.encode(facts)
    except UnicodeEncodeError:
        return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _starts(parts: Sequence[bytes]) -> Array:
    return np.concatenate(([0], np.cumsum([len(p) for p in parts], dtype=np.int64))).astype(np.int64)
