"""Re-cutting published segments without documents that are gone, so that a removal never waits.

Holds: new segments made of old rows by leaving some out; nothing is read, understood or chunked again.
Add here: nothing but what removal needs.
Never here: heads: a re-cut partition is published, it is not the newest.
"""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from rag_assets.ingest.order import CHUNKS, INDEX, LOOKUP, NORMALIZED, PARENT, ROWS_FILE, STAGES
from rag_assets.ingest.row_stages import summed
from rag_assets.ingest.rows import KeptRows, write_rows
from rag_assets.ingest.whole_stages import Before, build_bm25_index, build_lookup_tables
from rag_assets.model.document import Counts
from rag_assets.settings import RetrievalSettings
from rag_assets.store import PartitionRelease, Segment, SegmentFacts, Store
from rag_assets.store.records import digest_of


def cut_partition(
    store: Store, key: str, part: PartitionRelease, gone: Collection[str], retrieval: RetrievalSettings
) -> PartitionRelease:
    """The partition without the sources that are gone; the same one where there are none.

    Everything else stays as it was published: the index weighs terms as before. `retrieval` counts only for an index
    of an older format.
    """
    if not gone:
        return part
    segments: dict[str, Segment] = {}
    cut = _Cut(part.collection, frozenset(gone), retrieval, store.segment(key, NORMALIZED, part.segments[NORMALIZED]))
    for stage in STAGES:
        old = store.segment(key, stage, part.segments[stage])
        segments[stage] = _cut(store, old, segments, cut)
    return PartitionRelease.of(part.scope, part.collection, {stage: s.digest for stage, s in segments.items()})


class _Cut(NamedTuple):
    collection: str
    gone: frozenset[str]
    retrieval: RetrievalSettings
    normalized: Segment


def _cut(store: Store, old: Segment, made: dict[str, Segment], cut: _Cut) -> Segment:
    digest = digest_of(["without", old.digest, sorted(cut.gone)])
    parent = PARENT.get(old.stage)
    with store.new_segment(old.partition, old.stage, digest) as draft:
        counts, logical = _written(store, draft.path, old, made, cut)
        facts = SegmentFacts(
            key=digest,
            parents={parent: made[parent].digest} if parent else {},
            inputs=old.inputs,
            counts=counts,
            scores=old.scores,
            logical=logical,
        )
        return draft.publish(facts)


def _written(
    store: Store, folder: Path, old: Segment, made: dict[str, Segment], cut: _Cut
) -> tuple[Counts, dict[str, str]]:
    if old.stage == LOOKUP:
        before = Before(old, cut.normalized)
        built = build_lookup_tables(folder, made[NORMALIZED], cut.collection, store.content_path, before)
        return built.counts, built.logical
    if old.stage == INDEX:
        built = build_bm25_index(folder, made[CHUNKS], cut.retrieval, old, as_previous=True)
        return built.counts, built.logical
    name = ROWS_FILE[old.stage]
    kept = KeptRows(old.path(name))
    rows = [row for source, row in kept.rows.items() if source not in cut.gone]
    return summed(rows), {name: write_rows(folder / name, rows, {}, (kept,))}
