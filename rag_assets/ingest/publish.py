"""Publishing: a judged candidate becomes the release everybody reads.

Holds: re-basing on a release that came meanwhile, the pin, what a release says.
Add here: another condition under which nothing may go live.
Never here: judging (evaluation/), the atomic claim itself (store/releases.py).
"""

from collections.abc import Mapping
from dataclasses import replace

from rag_assets.errors import Pinned
from rag_assets.ingest.candidate import changed_partitions, hold, sources_of
from rag_assets.ingest.order import RAW
from rag_assets.ingest.row_stages import now
from rag_assets.model.score import Score
from rag_assets.settings import Project
from rag_assets.store import Candidate, PartitionRelease, Pin, Release, Store


def publish(
    project: Project,
    store: Store,
    candidate: Candidate,
    scores: Mapping[str, Score] | None = None,
    *,
    held: Mapping[str, str] | None = None,
    allowed: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    dagster_run: str | None = None,
) -> Release | None:
    """Make the candidate the current release; None where it says what is published already.

    Partitions named in `held` are put back to their published segments first. Raises Pinned while a rollback stands,
    unless documents were removed or scopes changed: then only that goes live.
    """

    def build(newest: Release | None) -> Release | None:
        chosen = rebased(store, candidate, newest)
        if held:
            chosen = hold(project, store, chosen, newest, held)
        pin = store.pinned()
        if pin is not None:
            chosen = _only_removals(project, store, chosen, newest, pin)
        if not _says_more(chosen, newest):
            return None
        return Release(
            number=0,
            created=now(),
            parent=None,
            dagster_run=dagster_run or candidate.id,
            partitions=chosen.partitions,
            sources=chosen.sources,
            scores=dict(scores or {}),
            stage_versions=chosen.stage_versions,
            settings_digest=chosen.settings_digest,
            serving=chosen.serving,
            cases_hash=chosen.cases_hash,
            held=chosen.held,
            allowed=(*chosen.allowed, *allowed),
            changed=changed_partitions(chosen.partitions, newest),
            warnings=(*chosen.warnings, *warnings),
        )

    return store.claim_release(build)


def rebased(store: Store, candidate: Candidate, newest: Release | None) -> Candidate:
    """The candidate on top of a release that came after the one it was compared with.

    A partition it did not change is taken from the newest release. One that both changed is taken from whichever found
    its sources later.
    """
    if newest is None or newest.number == candidate.base:
        return candidate
    chosen: dict[str, PartitionRelease] = {}
    for key in {*candidate.partitions, *newest.partitions}:
        ours, theirs = candidate.partitions.get(key), newest.partitions.get(key)
        taken = ours if key in candidate.changed else theirs
        if key in candidate.changed and ours and theirs and ours.digest != theirs.digest:
            taken = replace(_found_later(store, key, ours, theirs), scope=ours.scope)
        if taken is not None:
            chosen[key] = taken
    return replace(
        candidate,
        base=newest.number,
        partitions=chosen,
        sources=sources_of(store, chosen, newest),
        changed=changed_partitions(chosen, newest),
    )


def _found_later(store: Store, key: str, ours: PartitionRelease, theirs: PartitionRelease) -> PartitionRelease:
    def found(part: PartitionRelease) -> str:
        segment = store.find_segment(key, RAW, part.segments.get(RAW))
        return segment.created if segment else ""

    return theirs if found(theirs) > found(ours) else ours


def _only_removals(project: Project, store: Store, candidate: Candidate, newest: Release | None, pin: Pin) -> Candidate:
    why = f"pinned to release {pin.release}: {pin.why}"
    everything = {*candidate.partitions, *(newest.partitions if newest else ())}
    reduced = hold(project, store, candidate, newest, dict.fromkeys(sorted(everything), why))
    kept = {entry.source for entry in candidate.sources}
    collections = {c.name for c in project.collections}
    partitions = {
        key: part
        for key, part in reduced.partitions.items()
        if part.collection in collections or any(e.source in kept for e in reduced.sources if e.partition == key)
    }
    if newest is None or not changed_partitions(partitions, newest):
        raise Pinned(f"{why}: nothing is published until `rag-assets release resume`")
    return replace(
        reduced,
        partitions=partitions,
        sources=tuple(e for e in reduced.sources if e.partition in partitions),
        changed=changed_partitions(partitions, newest),
        cases_hash=newest.cases_hash,
        stage_versions=newest.stage_versions,
        settings_digest=newest.settings_digest,
        serving=newest.serving,
    )


def _says_more(candidate: Candidate, newest: Release | None) -> bool:
    if newest is None or changed_partitions(candidate.partitions, newest):
        return True
    return (
        candidate.cases_hash != newest.cases_hash
        or candidate.stage_versions != newest.stage_versions
        or candidate.settings_digest != newest.settings_digest
        or candidate.serving != newest.serving
        or candidate.held != newest.held
    )


def rollback(store: Store, number: int, why: str) -> Pin:
    """Serve an older release until `resume`. Raises UnknownName where it is not kept."""
    return store.pin(number, why)


def resume(store: Store) -> Pin | None:
    """Lift the pin; what is due is published by the next run. None where nothing was pinned."""
    return store.resume()
