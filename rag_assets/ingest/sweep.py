"""Clean-up: what no kept release, head or candidate names.

Holds: which releases are kept, and the removal of everything only the others name.
Add here: another kind of file that piles up.
Never here: taking a document out of releases that are kept (erase.py).
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rag_assets.errors import RagAssetsError
from rag_assets.ingest.contents import rows
from rag_assets.ingest.order import ROWS_FILE
from rag_assets.store import Segment, Store
from rag_assets.store.layout import (
    CANDIDATES,
    CONTENT,
    EVALUATIONS,
    HEADS,
    RELEASES,
    SEGMENTS,
    candidate_name,
    evaluation_name,
    release_name,
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

    What is younger than `grace_s` stays: a run may be about to name it.
    """
    limit = time.time() - grace_s
    gone = _remove_releases(store, keep)
    candidates = _remove_candidates(store, limit) + _remove_evaluations(store, limit)
    named = _named(store)
    segments, contents = [], []
    kept: list[Segment] = []
    for segment in all_segments(store):
        unnamed = (segment.partition, segment.stage, segment.digest) not in named
        if unnamed and Path(segment.folder).stat().st_mtime < limit:
            segments.append(segment)
        else:
            kept.append(segment)
    wanted = _wanted_contents(kept)
    for name in store.place.names(CONTENT):
        path = store.place.path(f"{CONTENT}/{name}")
        if name not in wanted and path.stat().st_mtime < limit:
            contents.append(path)
    freed = sum(f.size for s in segments for f in s.files.values()) + sum(path.stat().st_size for path in contents)
    for segment in segments:
        store.place.remove(Path(segment.folder).relative_to(store.place.root).as_posix())
    for path in contents:
        path.unlink(missing_ok=True)
    return Swept(
        releases=gone,
        segments=len(segments),
        contents=len(contents),
        candidates=candidates,
        drafts=_remove_drafts(store, limit),
        freed_bytes=freed,
    )


def all_segments(store: Store) -> Iterator[Segment]:
    """Every segment that lies in the state, named or not."""
    root = store.place.path(SEGMENTS)
    for manifest in sorted(root.glob("**/segment.json")):
        *partition, stage, digest = manifest.parent.relative_to(root).parts
        if not any(part.startswith(TEMPORARY) for part in manifest.parts):
            found = store.find_segment("/".join(partition), stage, digest)
            if found is not None:
                yield found


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
    names = [n.removesuffix(".json") for n in store.place.names(CANDIDATES) if n.endswith(".json")]
    old = [n for n in names if store.place.path(candidate_name(n)).stat().st_mtime < limit]
    for name in old:
        store.place.remove(candidate_name(name))
    return len(old)


def _remove_evaluations(store: Store, limit: float) -> int:
    """The gate reads those of the runs that made kept releases."""
    kept = {release.dagster_run for release in store.releases()}
    names = [n.removesuffix(".json") for n in store.place.names(EVALUATIONS) if n.endswith(".json")]
    old = [n for n in names if n not in kept and store.place.path(evaluation_name(n)).stat().st_mtime < limit]
    for name in old:
        store.place.remove(evaluation_name(name))
    return len(old)


def _named(store: Store) -> Names:
    named: Names = set()
    candidates = [n.removesuffix(".json") for n in store.place.names(CANDIDATES) if n.endswith(".json")]
    for manifest in (*store.releases(), *(store.read_candidate(name) for name in candidates)):
        for key, part in manifest.partitions.items():
            named.update((key, stage, digest) for stage, digest in part.segments.items())
    root = store.place.path(HEADS)
    for path in root.glob("**/*.json"):
        key = path.relative_to(root).as_posix().removesuffix(".json")
        named.update((key, stage, digest) for stage, digest in store.heads(key).stages.items())
    return named


def _wanted_contents(segments: list[Segment]) -> set[str]:
    wanted: set[str] = set()
    for segment in segments:
        for row in rows(segment) if segment.stage in ROWS_FILE else ():
            wanted.update(h for h in (row.sha256, row.override, row.served_sha256, row.columns) if h)
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
