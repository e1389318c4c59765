"""Clean-up: what no kept release, head or candidate names.

Holds: which releases are kept, and the removal of everything only the others name.
Add here: another kind of file that piles up.
Never here: taking a document out of releases that are kept (erase.py).
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from rag_assets.errors import CorruptSegment, RagAssetsError
from rag_assets.ingest.contents import rows
from rag_assets.ingest.order import ROWS_FILE
from rag_assets.store import Segment, Store
from rag_assets.store.layout import (
    CANDIDATES,
    CONTENT,
    EVALUATIONS,
    HEADS,
    RELEASES,
    SEGMENT_FILE,
    SEGMENTS,
    evaluation_name,
    release_name,
    segment_name,
)
from rag_assets.store.place import TEMPORARY

GRACE_S = 3600.0
Names = set[tuple[str, str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """`candidates` counts evaluations too; `freed_bytes` of segments and source bytes."""

    releases: tuple[int, ...] = ()
    segments: int = 0
    contents: int = 0
    candidates: int = 0
    drafts: int = 0
    freed_bytes: int = 0


def sweep(store: Store, keep: int, grace_s: float = GRACE_S) -> Swept:
    """Keep the newest `keep` releases, the current one and the pinned one; remove what only others name.

    What is younger than `grace_s` stays: a run may be about to name it. No source bytes go while a segment that stays
    is damaged.
    """
    limit = time.time() - grace_s
    gone = _remove_releases(store, keep)
    candidates = _remove_candidates(store, limit) + _remove_evaluations(store, limit)
    named = _named(store)
    segments: list[Segment] = []
    kept: list[Segment] = []
    for segment, modified in _dated_segments(store):
        unnamed = (segment.partition, segment.stage, segment.digest) not in named
        (segments if unnamed and modified < limit else kept).append(segment)
    wanted = _wanted_contents(kept)
    contents = [f for f in store.place.walk(CONTENT) if wanted is not None and f.modified < limit]
    contents = [f for f in contents if f.name.removeprefix(f"{CONTENT}/") not in (wanted or ())]
    for segment in segments:
        store.place.remove(segment_name(segment.partition, segment.stage, segment.digest))
    for content in contents:
        store.place.remove(content.name)
    return Swept(
        releases=gone,
        segments=len(segments),
        contents=len(contents),
        candidates=candidates,
        drafts=_remove_drafts(store, limit),
        freed_bytes=sum(f.size for s in segments for f in s.files.values()) + sum(f.size for f in contents),
    )


def all_segments(store: Store) -> Iterator[Segment]:
    """Every segment that lies in the state, named or not."""
    for segment, _ in _dated_segments(store):
        yield segment


def _dated_segments(store: Store) -> Iterator[tuple[Segment, float]]:
    for placed in store.place.walk(SEGMENTS):
        if placed.name.endswith(f"/{SEGMENT_FILE}"):
            *partition, stage, digest, _ = placed.name.split("/")[1:]
            found = store.find_segment("/".join(partition), stage, digest)
            if found is not None:
                yield found, placed.modified


def _remove_releases(store: Store, keep: int) -> tuple[int, ...]:
    with store.place.locked(RELEASES):
        numbers = store.release_numbers()
        pin = store.pinned()
        kept = {*numbers[-keep:], store.current_number(), pin.release if pin else None}
        gone = tuple(number for number in numbers if number not in kept)
        for number in gone:
            store.place.remove(release_name(number))
    return gone


def _remove_candidates(store: Store, limit: float) -> int:
    old = [placed.name for placed in store.place.walk(CANDIDATES) if placed.modified < limit]
    for name in old:
        store.place.remove(name)
    return len(old)


def _remove_evaluations(store: Store, limit: float) -> int:
    """The gate reads those of the runs that made kept releases."""
    kept = {evaluation_name(release.dagster_run) for release in store.releases() if release.dagster_run}
    old = [f.name for f in store.place.walk(EVALUATIONS) if f.name not in kept and f.modified < limit]
    for name in old:
        store.place.remove(name)
    return len(old)


def _named(store: Store) -> Names:
    named: Names = set()
    candidates = [n.removesuffix(".json") for n in store.place.names(CANDIDATES) if n.endswith(".json")]
    for manifest in (*store.releases(), *(store.read_candidate(name) for name in candidates)):
        for key, part in manifest.partitions.items():
            named.update((key, stage, digest) for stage, digest in part.segments.items())
    heads = [f.name for f in store.place.walk(HEADS) if f.name.endswith(".json")]
    for key in (name.removeprefix(f"{HEADS}/").removesuffix(".json") for name in heads):
        named.update((key, stage, digest) for stage, digest in store.heads(key).stages.items())
    return named


def _wanted_contents(segments: list[Segment]) -> set[str] | None:
    """None where a segment that stays cannot be read: nobody knows then what it wants."""
    wanted: set[str] = set()
    for segment in segments:
        if segment.stage in ROWS_FILE:
            try:
                for row in rows(segment):
                    wanted.update(h for h in (row.sha256, row.override, row.served_sha256, row.columns) if h)
            except CorruptSegment:
                return None
    return wanted


def _remove_drafts(store: Store, limit: float) -> int:
    """Folders and files a killed process left."""
    left = [path for path in store.place.root.glob(f"**/{TEMPORARY}*") if path.stat().st_mtime < limit]
    for path in left:
        try:
            store.place.remove(path.relative_to(store.place.root).as_posix())
        except RagAssetsError:
            continue
    return len(left)
