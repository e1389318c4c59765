"""raw_sources: each document of a partition as it lies in its folder now, its bytes safe in the content store.

Holds: snapshots of what changed, hashes reused where size and time are as before, quarantine by name and content type.
Add here: another fact about a file that is known before it is parsed.
Never here: parsing, walking the folder (listing.py), the mass-delete rule (guard.py).
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import Quarantine, SettingsError
from rag_assets.ingest.listing import ListedFile, Listing
from rag_assets.ingest.order import RAW
from rag_assets.ingest.origins import Origin
from rag_assets.ingest.override_files import overrides_of, read_override
from rag_assets.ingest.rows import DocumentRow
from rag_assets.ingest.seen import IngestOptions
from rag_assets.model.document import Reason
from rag_assets.readers.formats import HEAD_BYTES, media_type_by_name, media_type_of
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.snapshot import Snapshot, take_snapshot, take_stream
from rag_assets.settings import Partition, Project
from rag_assets.store import Segment, Store
from rag_assets.store.content import Incoming
from rag_assets.store.records import digest_of

MAY_PASS = frozenset({Reason.UNREADABLE.value, Reason.STILL_CHANGING.value})


class Stat(NamedTuple):
    """A file whose time moved but whose bytes did not: its hash need not be taken again."""

    size: int
    modified: int
    sha256: str


Stats = dict[str, Stat]


class Found(NamedTuple):
    rows: tuple[DocumentRow, ...]
    reworked: tuple[str, ...]


def find_documents(
    project: Project,
    store: Store,
    partition: Partition,
    before: Iterable[DocumentRow],
    options: IngestOptions,
) -> Found:
    """A row for each file of the partition; bytes of new and changed files go into the content store."""
    listing = options.seen.listing(project, partition.collection)
    known = {row.source: row for row in before}
    touched = read_stats(store, partition.key)
    limits = ReadLimits.of(project.settings.limits)
    rows: list[DocumentRow] = []
    reworked: list[str] = []
    with Incoming(store.place) as incoming:
        for file in options.seen.files(project, partition):
            source = f"{partition.collection.name}/{file.name}"
            row = None if options.rebuild or options.check == "hash" else _as_before(file, known.get(source), touched)
            if row is None:
                row = _snapshot(file, source, listing, limits, incoming)
                if _differs(row, known.get(source)):
                    reworked.append(source)
                elif row.sha256:
                    touched[source] = Stat(row.size, row.modified, row.sha256)
            rows.append(_with_override(row, listing.overrides.get(file.name), listing.origin, store))
    write_stats(store, partition.key, {s: stat for s, stat in touched.items() if s in {row.source for row in rows}})
    return Found(tuple(rows), tuple(reworked))


def raw_key(rows: Iterable[DocumentRow], version: str, settings: str) -> str:
    """Of the sources' content; a file that was only touched keeps the key."""
    seen = sorted((r.source, r.sha256, r.status, r.reason or "", r.override or "") for r in rows)
    return digest_of([RAW, version, settings, seen])


def read_stats(store: Store, partition: str) -> Stats:
    return dict(store.read_memo(f"stat/{partition}", Stats, {}))


def write_stats(store: Store, partition: str, stats: Stats) -> None:
    if stats != read_stats(store, partition):
        store.write_memo(f"stat/{partition}", stats)


def as_recorded(file: ListedFile, row_size: int, row_modified: int, sha256: str, touched: Stat | None) -> bool:
    """The file has the size and time it had when it was hashed."""
    if (file.size, file.modified) == (row_size, row_modified):
        return True
    return touched is not None and touched == (file.size, file.modified, sha256)


def _as_before(file: ListedFile, row: DocumentRow | None, touched: Stats) -> DocumentRow | None:
    if row is None or row.reason in MAY_PASS or (file.fault is not None) != (row.reason == Reason.BAD_NAME):
        return None
    same = as_recorded(file, row.size, row.modified, row.sha256, touched.get(row.source))
    return replace(row, size=file.size, modified=file.modified) if same else None


def _differs(row: DocumentRow, before: DocumentRow | None) -> bool:
    return before is None or (row.sha256, row.status, row.reason) != (before.sha256, before.status, before.reason)


def _snapshot(file: ListedFile, source: str, listing: Listing, limits: ReadLimits, incoming: Incoming) -> DocumentRow:
    row = DocumentRow(source=source, size=file.size, modified=file.modified, media_type=media_type_by_name(file.name))
    if file.fault is not None:
        return replace(row, status="quarantined", reason=Reason.BAD_NAME.value, detail=file.fault)
    try:
        copy = _copied(file, listing, limits, incoming.folder)
    except Quarantine as fault:
        return replace(row, status="quarantined", reason=fault.reason.value, detail=fault.detail)
    incoming.add(copy.bytes_path, copy.sha256)
    row = replace(row, sha256=copy.sha256, size=copy.size if listing.origin is None else file.size)
    try:
        with incoming.open(copy.sha256) as content:
            return replace(row, media_type=media_type_of(file.name, content.read(HEAD_BYTES)))
    except Quarantine as fault:
        return replace(row, status="quarantined", reason=fault.reason.value, detail=fault.detail)


def _copied(file: ListedFile, listing: Listing, limits: ReadLimits, folder: Path) -> Snapshot:
    origin = listing.origin
    if origin is None:
        return take_snapshot(Path(file.path), Path(listing.root), limits, folder)
    if file.size > limits.file_bytes:
        raise Quarantine(Reason.TOO_LARGE, f"{file.name}: {file.size:,} bytes, the limit is {limits.file_mb} MB")
    return take_stream(lambda: origin.open(file.path), file.name, limits, folder)


def _with_override(row: DocumentRow, override: str | None, origin: Origin | None, store: Store) -> DocumentRow:
    """The row with the hash of its override file; a document whose override file is wrong is quarantined."""
    if override is None:
        return row if row.override is None else replace(row, override=None)
    try:
        content = read_override(override, origin)
        overrides_of(content, override)
    except SettingsError as fault:
        return replace(row, override=None, status="quarantined", reason=Reason.UNREADABLE.value, detail=str(fault))
    return replace(row, override=store.put_bytes(content))


def raw_segment_rows(segment: Segment | None) -> tuple[DocumentRow, ...]:
    from rag_assets.ingest.contents import rows

    return rows(segment) if segment is not None and segment.intact() else ()
