"""The candidate: which segments would go live together.

Holds: the chain check, what changed against the published release, and holding partitions back.
Add here: another reason why segments may not be mixed.
Never here: judging (evaluation/), moving the pointer (publish.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rag_assets.errors import BrokenChain
from rag_assets.ingest.contents import rows
from rag_assets.ingest.order import NORMALIZED, PARENT, STAGES
from rag_assets.ingest.recut import cut_partition
from rag_assets.ingest.row_stages import now
from rag_assets.ingest.serving import serving_of
from rag_assets.ingest.versions import stage_inputs, stage_versions
from rag_assets.settings import Partition, Project
from rag_assets.store import Candidate, PartitionRelease, Release, SourceEntry, Store
from rag_assets.store.records import digest_of


def make_candidate(
    project: Project,
    store: Store,
    run_id: str,
    *,
    cases_hash: str | None = None,
    partitions: Iterable[str] | None = None,
) -> Candidate:
    """The newest segments of every partition of the project.

    Each segment must have been made of the parent that is used: else BrokenChain. Where `partitions` are given only
    those must be whole; another one that is not (a run stopped midway) stays as it is published. A partition that was
    never ingested (its folder is missing, say) is left out with a warning.
    """
    published = store.current()
    strict = {p.key for p in project.partitions} if partitions is None else set(partitions)
    chosen: dict[str, PartitionRelease] = {}
    warnings: list[str] = []
    for partition in project.partitions:
        if not store.heads(partition.key).stages:
            warnings.append(f"{partition.key}: not ingested yet")
            continue
        try:
            chosen[partition.key] = _newest(store, partition)
        except BrokenChain as fault:
            if partition.key in strict:
                raise
            warnings.append(f"{fault}: it stays as published")
            before = published.partitions.get(partition.key) if published else None
            if before is not None:
                chosen[partition.key] = replace(before, scope=partition.collection.scope)
    return Candidate(
        id=run_id,
        created=now(),
        base=published.number if published else None,
        partitions=chosen,
        sources=sources_of(store, chosen, published),
        changed=changed_partitions(chosen, published),
        stage_versions=dict(stage_versions()),
        settings_digest=settings_digest(project),
        serving=serving_of(project.settings),
        cases_hash=cases_hash,
        warnings=tuple(warnings),
    )


def hold(
    project: Project,
    store: Store,
    candidate: Candidate,
    published: Release | None,
    partitions: Mapping[str, str] | Iterable[str],
) -> Candidate:
    """The candidate with these partitions at their published segments, re-cut without documents that are gone.

    `partitions` may map each to the reason. A partition that was never published is left out. Where the shards of its
    collection were re-numbered, the whole collection is held. Scopes are the candidate's: tightening never waits.
    """
    reasons = dict(partitions) if isinstance(partitions, Mapping) else dict.fromkeys(partitions, "held")
    reasons = _whole_collections(candidate, published, reasons)
    chosen = {key: part for key, part in candidate.partitions.items() if key not in reasons}
    here = _sources_here(candidate)
    for key, part in (published.partitions if published else {}).items():
        if key in reasons:
            scope = _scope_now(candidate, key, part)
            gone = {e.source for e in published.sources if e.partition == key} - here if published else set()
            chosen[key] = replace(cut_partition(store, key, part, gone, project.settings.retrieval), scope=scope)
    return replace(
        candidate,
        partitions=chosen,
        sources=sources_of(store, chosen, published),
        changed=changed_partitions(chosen, published),
        serving=published.serving if published and chosen.keys() <= reasons.keys() else candidate.serving,
        held={**candidate.held, **reasons},
    )


def sources_of(
    store: Store, partitions: Mapping[str, PartitionRelease], published: Release | None
) -> tuple[SourceEntry, ...]:
    """Every document of these partitions; a partition that is as published is not read again."""
    same = {k for k, p in partitions.items() if published and _digest_in(published, k) == p.digest}
    entries = [entry for entry in (published.sources if published else ()) if entry.partition in same]
    for key, part in partitions.items():
        if key not in same:
            segment = store.segment(key, NORMALIZED, part.segments[NORMALIZED])
            entries += [row.entry(key) for row in rows(segment)]
    return tuple(sorted(entries, key=lambda e: (e.source, e.partition)))


def changed_partitions(partitions: Mapping[str, PartitionRelease], published: Release | None) -> tuple[str, ...]:
    before = published.partitions if published else {}
    return tuple(sorted(key for key in {*before, *partitions} if before.get(key) != partitions.get(key)))


def check_chain(store: Store, key: str, segments: Mapping[str, str]) -> None:
    """Raises BrokenChain unless every stage is there and was made of the segment of its parent stage."""
    missing = [stage for stage in STAGES if stage not in segments]
    if missing:
        raise BrokenChain(f"{key}: no segment of {missing[0]} yet: run `rag-assets ingest`")
    for stage, parent in PARENT.items():
        made_of = store.segment(key, stage, segments[stage]).parents.get(parent)
        if made_of != segments[parent]:
            raise BrokenChain(
                f"{key}: {stage} was made of {parent} {(made_of or 'nothing')[:12]}, the newest is "
                f"{segments[parent][:12]}: run `rag-assets ingest`"
            )


def settings_digest(project: Project) -> str:
    return digest_of({stage: inputs.settings for stage, inputs in stage_inputs(project.settings).items()})


def _newest(store: Store, partition: Partition) -> PartitionRelease:
    heads = store.heads(partition.key).stages
    segments = {stage: heads[stage] for stage in STAGES if stage in heads}
    check_chain(store, partition.key, segments)
    return PartitionRelease.of(partition.collection.scope, partition.collection.name, segments)


def _whole_collections(candidate: Candidate, published: Release | None, reasons: dict[str, str]) -> dict[str, str]:
    """Shards that were re-numbered hold or go live together: else documents would be there twice or not at all."""
    before = published.partitions if published else {}
    grown = dict(reasons)
    for key, why in reasons.items():
        part = candidate.partitions.get(key) or before.get(key)
        if part is None:
            continue
        now_there = {k for k, p in candidate.partitions.items() if p.collection == part.collection}
        then_there = {k for k, p in before.items() if p.collection == part.collection}
        if then_there and now_there != then_there:
            grown.update(dict.fromkeys(now_there | then_there, why))
    return grown


def _sources_here(candidate: Candidate) -> set[str]:
    return {entry.source for entry in candidate.sources}


def _scope_now(candidate: Candidate, key: str, part: PartitionRelease) -> str:
    if key in candidate.partitions:
        return candidate.partitions[key].scope
    scopes = {p.scope for p in candidate.partitions.values() if p.collection == part.collection}
    return scopes.pop() if len(scopes) == 1 else part.scope


def _digest_in(release: Release, key: str) -> str | None:
    part = release.partitions.get(key)
    return part.digest if part else None
