"""What is due: where the sources, the code or the settings differ from what is published.

Holds: the comparison of folders with the published release and with the newest raw segments, without any run.
Add here: another cause for a run.
Never here: starting one, waiting for a file to settle (defs/automation).
"""

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import InputError, SettingsError
from rag_assets.ingest.contents import rows
from rag_assets.ingest.guard import known_sources, refusal
from rag_assets.ingest.left_out import newest_left_out
from rag_assets.ingest.listing import ListedFile, Listing, by_shard, list_collection
from rag_assets.ingest.order import RAW, STAGES
from rag_assets.ingest.origins import Origin
from rag_assets.ingest.override_files import read_override
from rag_assets.ingest.raw import MAY_PASS, Stat, Stats, as_recorded, read_stats, write_stats
from rag_assets.ingest.seen import Check
from rag_assets.ingest.serving import serving_of
from rag_assets.ingest.versions import StageInputs, stage_inputs
from rag_assets.model.document import Reason
from rag_assets.settings import Collection, Partition, Project, partitions_of
from rag_assets.store import PartitionRelease, Release, SourceEntry, Store
from rag_assets.store.records import digest_of, hash_of_file

PIECE_BYTES = 1 << 20
DAMAGED = ": its segment is missing or damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class DuePartition:
    """`changed`, `new`, `gone`: sources. `young`: those of them touched less than `settle_s` ago."""

    key: str
    reasons: tuple[str, ...]
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    young: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """`fingerprint` is the same as long as the same is due for the same content; "" where nothing is due.

    `refused`: collection → why its removals are refused; it is not among `collections`. `removed`: published
    partitions that are no longer in sources.yaml.
    """

    collections: tuple[DuePartition, ...] = ()
    evaluation_due: bool = False
    reasons: tuple[str, ...] = ()
    fingerprint: str = ""
    refused: dict[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()

    @property
    def anything(self) -> bool:
        return bool(self.collections) or self.evaluation_due

    @property
    def damaged(self) -> tuple[tuple[str, str], ...]:
        """Partition and stage of published segments that are missing or damaged."""
        found = [(p.key, why.removesuffix(DAMAGED)) for p in self.collections for why in p.reasons]
        return tuple((key, stage) for key, stage in found if stage in STAGES)

    @property
    def young(self) -> tuple[str, ...]:
        return tuple(source for part in self.collections for source in part.young)


class _Look(NamedTuple):
    project: Project
    store: Store
    published: Release | None
    wanted: Mapping[str, StageInputs]
    check: Check
    settled_before_ns: int


class _Known(NamedTuple):
    """A document as a manifest or a raw segment has it."""

    sha256: str
    size: int
    modified: int
    reason: str | None
    override: str | None


class _Difference(NamedTuple):
    changed: set[str]
    new: set[str]
    gone: set[str]
    marks: dict[str, str]


def what_is_due(
    project: Project,
    store: Store,
    cases_hash: str | None = None,
    *,
    check: Check = "stat",
    allow_empty: bool = False,
) -> Due:
    """Compare the folders with the published release and the newest raw segments.

    `check` "stat" trusts size and modified time, "hash" looks at every byte. A collection that cannot be listed, or
    whose removals are refused, is kept as published and named in `refused`.
    """
    settled = time.time_ns() - int(project.settings.settle_s * 1e9)
    look = _Look(project, store, store.current(), stage_inputs(project.settings), check, settled)
    entries = _entries_by_partition(look.published)
    found: list[DuePartition] = []
    marks: list[object] = []
    refused: dict[str, str] = {}
    for collection in project.collections:
        listing = _listing(look, collection, refused, allow_empty=allow_empty)
        if listing is not None:
            _look_at(look, collection, listing, entries, found, marks)
    removed = _removed(project, look.published)
    evaluation = _evaluation_reasons(look, cases_hash, removed)
    if not found and not evaluation:
        return Due(refused=refused)
    return Due(
        collections=tuple(found),
        evaluation_due=bool(evaluation),
        reasons=tuple(evaluation),
        fingerprint=digest_of([marks, evaluation, cases_hash, project.digest])[:16],
        refused=refused,
        removed=removed,
    )


def _listing(look: _Look, collection: Collection, refused: dict[str, str], *, allow_empty: bool) -> Listing | None:
    try:
        listing = list_collection(look.project, collection)
    except InputError as fault:
        refused[collection.name] = f"collection {collection.name}: {fault}"
        return None
    if not (allow_empty or look.project.settings.allow_mass_delete):
        why = refusal(collection, listing, known_sources(look.store, collection, look.published))
        if why is not None:
            refused[collection.name] = why
            return None
    return listing


def _look_at(
    look: _Look,
    collection: Collection,
    listing: Listing,
    entries: Mapping[str, list[SourceEntry]],
    found: list[DuePartition],
    marks: list[object],
) -> None:
    shards = by_shard(listing, collection.shards)
    for partition in partitions_of(collection):
        files = shards.get(partition.shard, ())
        part, mark = _due_partition(look, partition, listing, files, entries.get(partition.key, []))
        if part is not None:
            found.append(part)
            marks.append([partition.key, part.reasons, sorted(mark.items())])


def _due_partition(
    look: _Look, partition: Partition, listing: Listing, files: tuple[ListedFile, ...], entries: Iterable[SourceEntry]
) -> tuple[DuePartition | None, dict[str, str]]:
    published = look.published.partitions.get(partition.key) if look.published else None
    stats = read_stats(look.store, partition.key)
    files_of = {f"{partition.collection.name}/{file.name}": file for file in files}
    against = [{e.source: _known(e) for e in entries}] if published else []
    head = _newer_raw(look.store, partition.key, published)
    if head is not None:
        against.append(head)
    reasons = [
        *_version_reasons(look, partition.key, published),
        *_newest_reasons(look, partition.key, published),
    ]
    differences = [_differences(look, known, files_of, listing, stats) for known in against]
    if not against:
        differences = [_Difference(set(), set(files_of), set(), {})]
    changed, new, gone = (set().union(*(d[n] for d in differences)) for n in range(3))
    marks = {source: mark for d in differences for source, mark in d.marks.items()}
    write_stats(look.store, partition.key, stats)
    reasons += [f"{len(s)} {word}" for s, word in ((changed, "changed"), (new, "new"), (gone, "gone")) if s]
    if published is None:
        reasons.append("not published yet")
    if not reasons:
        return None, {}
    marks.update({source: _stamp(files_of.get(source)) for source in changed | new | gone if source not in marks})
    moved = (changed | new) & set(files_of)
    young = tuple(sorted(s for s in moved if files_of[s].modified > look.settled_before_ns))
    part = DuePartition(
        key=partition.key,
        reasons=tuple(reasons),
        changed=tuple(sorted(changed)),
        new=tuple(sorted(new)),
        gone=tuple(sorted(gone)),
        young=young,
    )
    return part, marks


def _differences(
    look: _Look, known: Mapping[str, _Known], files: Mapping[str, ListedFile], listing: Listing, stats: Stats
) -> _Difference:
    changed: set[str] = set()
    marks: dict[str, str] = {}
    for source in files.keys() & known.keys():
        mark = _moved(look, source, known[source], files[source], listing, stats)
        if mark is not None:
            changed.add(source)
            marks[source] = mark
    return _Difference(changed, set(files) - set(known), set(known) - set(files), marks)


def _moved(look: _Look, source: str, known: _Known, file: ListedFile, listing: Listing, stats: Stats) -> str | None:
    """A mark of the content the file has now, None where it is as known."""
    override = _override_hash(listing.overrides.get(file.name), listing.origin)
    if override != known.override and not (known.override is None and known.reason == Reason.UNREADABLE):
        return f"override {override}"
    if known.reason == Reason.UNREADABLE and known.sha256 == "" and _can_be_read(file, listing.origin):
        return "readable again"
    nothing_to_hash = known.sha256 == "" and known.reason not in MAY_PASS
    if (look.check == "stat" or nothing_to_hash) and as_recorded(
        file, known.size, known.modified, known.sha256, stats.get(source)
    ):
        return None
    found = _hash_now(file, listing.origin)
    if found is None or found != known.sha256:
        return found or _stamp(file)
    stats[source] = Stat(file.size, file.modified, found)
    return None


def _can_be_read(file: ListedFile, origin: Origin | None) -> bool:
    """Of a document that could not be: one far away is only looked at in full, or where its time has moved."""
    return origin is None and os.access(file.path, os.R_OK)


def _hash_now(file: ListedFile, origin: Origin | None) -> str | None:
    """None where it is no regular file that can be read: then its size and time speak for it."""
    if origin is not None:
        return _hash_from(origin, file)
    path = Path(file.path)
    if path.is_symlink() or not path.is_file():
        return None
    try:
        return hash_of_file(path)
    except OSError:
        return None


def _hash_from(origin: Origin, file: ListedFile) -> str | None:
    import hashlib

    try:
        digest = hashlib.sha256()
        with origin.open(file.path) as opened:
            while piece := opened.read(PIECE_BYTES):
                digest.update(piece)
        return digest.hexdigest()
    except OSError:
        return None


def _override_hash(path: str | None, origin: Origin | None) -> str | None:
    if path is None:
        return None
    from hashlib import sha256

    try:
        return sha256(read_override(path, origin)).hexdigest()
    except SettingsError:
        return None


def _stamp(file: ListedFile | None) -> str:
    return f"{file.size} {file.modified}" if file else "gone"


def _known(entry: SourceEntry) -> _Known:
    return _Known(
        entry.sha256, entry.size, entry.modified, entry.reason.value if entry.reason else None, entry.override
    )


def _newer_raw(store: Store, key: str, published: PartitionRelease | None) -> dict[str, _Known] | None:
    """The newest raw segment, where it is another one than the published."""
    digest = store.heads(key).stages.get(RAW)
    if digest is None or (published is not None and published.segments.get(RAW) == digest):
        return None
    head = store.find_segment(key, RAW, digest)
    if head is None or not head.intact():
        return None
    return {r.source: _Known(r.sha256, r.size, r.modified, r.reason, r.override) for r in rows(head)}


def _version_reasons(look: _Look, key: str, published: PartitionRelease | None) -> list[str]:
    if published is None:
        return []
    reasons = []
    for stage in STAGES:
        segment = look.store.find_segment(key, stage, published.segments.get(stage))
        if segment is None or not segment.intact(deep=look.check == "hash"):
            reasons.append(f"{stage}{DAMAGED}")
            continue
        wanted = look.wanted[stage]
        if segment.inputs.get("version") != wanted.version:
            reasons.append(f"{stage}: version {segment.inputs.get('version')} → {wanted.version}")
        elif segment.inputs.get("settings") != wanted.settings:
            reasons.append(f"{stage}: its settings changed")
    return reasons


def _newest_reasons(look: _Look, key: str, published: PartitionRelease | None) -> list[str]:
    """Newest segments that are not published (they were held or refused) and would be made otherwise today: the cause
    was mended, so they are made again and judged."""
    if published is None:
        return []
    reasons = []
    for stage, digest in look.store.heads(key).stages.items():
        if published.segments.get(stage) == digest or stage not in look.wanted:
            continue
        segment, wanted = look.store.find_segment(key, stage, digest), look.wanted[stage]
        made_of = (segment.inputs.get("version"), segment.inputs.get("settings")) if segment else None
        if made_of is not None and made_of != (wanted.version, wanted.settings):
            reasons.append(f"{stage}: the newest, which was not published, is of other settings or code")
    return reasons


def _evaluation_reasons(look: _Look, cases_hash: str | None, removed: tuple[str, ...]) -> list[str]:
    if look.published is None:
        return ["nothing is published yet"]
    reasons = []
    if cases_hash != look.published.cases_hash:
        reasons.append("cases or baseline changed")
    if look.published.serving != serving_of(look.project.settings):
        reasons.append("settings of search or answers changed")
    unscored = newest_left_out(look.store).reason(look.project.settings.eval_budget_s)
    if unscored:
        reasons.append(unscored)
    if removed:
        reasons.append(f"no longer in sources.yaml: {', '.join(removed)}")
    scopes = {p.key: p.collection.scope for p in look.project.partitions}
    moved = sorted(k for k, p in look.published.partitions.items() if k in scopes and scopes[k] != p.scope)
    if moved:
        reasons.append(f"scope changed: {', '.join(moved)}")
    return reasons


def _removed(project: Project, published: Release | None) -> tuple[str, ...]:
    here = {p.key for p in project.partitions}
    return tuple(sorted(key for key in (published.partitions if published else {}) if key not in here))


def _entries_by_partition(published: Release | None) -> dict[str, list[SourceEntry]]:
    grouped: dict[str, list[SourceEntry]] = {}
    for entry in published.sources if published else ():
        grouped.setdefault(entry.partition, []).append(entry)
    return grouped
