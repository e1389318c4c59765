"""parsed_blocks, normalized_tables and chunks: one row a document, only changed documents worked on.

Holds: what is copied, what is worked on, and what a quarantined document falls back to.
Add here: another stage that makes one payload of one document.
Never here: stages over a whole partition (whole_stages.py), what the work is (workbench.py).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from rag_assets.errors import Quarantine
from rag_assets.ingest.codec import encode_payload
from rag_assets.ingest.columns import incoming_columns
from rag_assets.ingest.contents import rows as rows_of
from rag_assets.ingest.listing import OVERRIDE_SUFFIX
from rag_assets.ingest.order import CHUNKS, NORMALIZED, PARSED, ROWS_FILE
from rag_assets.ingest.override_files import overrides_of
from rag_assets.ingest.rows import DocumentRow, KeptRows, read_payloads
from rag_assets.ingest.versions import StageInputs, chunk_settings_of, reader_versions, rules_of
from rag_assets.ingest.workbench import Made, Work, chunk_one, document_counts, normalize_one
from rag_assets.model.document import Counts, Reason
from rag_assets.readers.workers import ReadRequest, WorkerPool
from rag_assets.settings import Partition, Project
from rag_assets.store import Segment, Store
from rag_assets.store.records import digest_of
from rag_assets.tables.overrides import Overrides


class Task(NamedTuple):
    """One row stage over one partition. `kept`: earlier segments to copy from, the best first."""

    project: Project
    store: Store
    partition: Partition
    stage: str
    parent: Segment
    inputs: StageInputs
    kept: Sequence[KeptRows]
    last_good: Sequence[KeptRows]
    pool: WorkerPool


class Worked(NamedTuple):
    """`made`: source → new payload. `fallbacks`: sources that keep an earlier version, with its hash."""

    rows: tuple[DocumentRow, ...]
    made: dict[str, bytes]
    reworked: tuple[str, ...]
    fallbacks: dict[str, str]


def work_rows(task: Task) -> Worked:
    """The stage's rows for every row of its parent."""
    rows: dict[str, DocumentRow] = {}
    due: dict[str, DocumentRow] = {}
    for parent in rows_of(task.parent):
        wanted = _wanted(task, parent)
        settled = wanted if not _has_input(task, parent) else _copied(task, wanted)
        if settled is None:
            due[parent.source] = wanted
        else:
            rows[parent.source] = settled
    made: dict[str, bytes] = {}
    for outcome in _WORK[task.stage](task, due):
        row = due[outcome.source]
        if outcome.content is not None:
            made[outcome.source] = outcome.content
        rows[outcome.source] = _settled(task, row, outcome)
    for source, row in rows.items():
        if row.payload_hash is None and row.reason is not None:
            rows[source] = _fallen_back(task, row)
    fallbacks = {s: r.served_sha256 or "" for s, r in rows.items() if r.stale_since is not None}
    return Worked(tuple(rows.values()), made, tuple(sorted(due)), fallbacks)


def _wanted(task: Task, parent: DocumentRow) -> DocumentRow:
    """The row as it will be if all goes well; without payload facts yet."""
    key = _KEY[task.stage](task, parent)
    return replace(parent, key=key, attempt=key, payload_hash=None, counts={}, made="")


def _has_input(task: Task, parent: DocumentRow) -> bool:
    return parent.status == "ok" if task.stage == PARSED else parent.payload_hash is not None


def _copied(task: Task, wanted: DocumentRow) -> DocumentRow | None:
    """An earlier outcome for exactly this input, good or bad; None where there is none."""
    failed = _failed_attempt(task, wanted.key)
    for earlier in task.kept:
        found = earlier.rows.get(wanted.source)
        if found is None:
            continue
        if found.attempt == failed and found.reason != Reason.WALL_LIMIT:  # a busy machine may be to blame
            return replace(wanted, attempt=failed, status="quarantined", reason=found.reason, detail=found.detail)
        if found.attempt == wanted.key and found.payload_hash is not None:
            served = wanted.sha256 if task.stage == PARSED else wanted.served_sha256
            return replace(
                wanted,
                served_sha256=served,
                payload_hash=found.payload_hash,
                counts=found.counts,
                made=found.made,
                columns=found.columns if task.stage == PARSED else wanted.columns,
                media_type=found.media_type if task.stage == PARSED else wanted.media_type,
            )
    return None


def _settled(task: Task, row: DocumentRow, outcome: Made) -> DocumentRow:
    if outcome.content is None:
        failed = _failed_attempt(task, row.key)
        return replace(row, attempt=failed, status="quarantined", reason=outcome.reason, detail=outcome.detail)
    return replace(
        row,
        served_sha256=row.sha256 if task.stage == PARSED else row.served_sha256,
        payload_hash=outcome.payload_hash,
        counts=outcome.counts,
        made=now(),
        columns=outcome.columns if task.stage == PARSED else row.columns,
    )


def _fallen_back(task: Task, row: DocumentRow) -> DocumentRow:
    """A quarantined document keeps its last good version, if the settings say so and there is one."""
    bare = replace(row, served_sha256=None, stale_since=None, columns=None)
    if task.project.settings.on_quarantine == "drop":
        return bare
    for earlier in task.last_good:
        found = earlier.rows.get(row.source)
        if found is not None and found.payload_hash is not None:
            return replace(
                row,
                key=found.key,
                payload_hash=found.payload_hash,
                served_sha256=found.served_sha256,
                counts=found.counts,
                made=found.made,
                columns=found.columns,
                stale_since=row.stale_since or found.stale_since or now(),
            )
    return bare


def _failed_attempt(task: Task, key: str) -> str:
    return f"failed:{key[:32]}:{task.inputs.settings}"


def _parsed_key(_: Task, row: DocumentRow) -> str:
    return digest_of([PARSED, row.source, row.sha256, reader_versions().get(row.media_type, "")])


def _next_key(task: Task, row: DocumentRow) -> str:
    override = row.override if task.stage == NORMALIZED else None
    return digest_of([task.stage, row.key, task.inputs.version, task.inputs.settings, override])


def _parse(task: Task, due: Mapping[str, DocumentRow]) -> Iterator[Made]:
    with incoming_columns(task.store) as columns:
        requests = (
            ReadRequest(task.store.content_path(r.sha256), r.source, r.sha256, columns_to=columns.path_for(r.source))
            for r in due.values()
        )
        for row, document in zip(due.values(), task.pool.read(requests), strict=True):
            kept = columns.take(row.source)
            if document.source.status == "ok":
                made = Made.of(row.source, encode_payload(document), document_counts(document))
                yield made._replace(columns=kept)
            else:
                reason = document.source.reason
                yield Made(row.source, None, None, {}, reason.value if reason else "unreadable", document.source.detail)


def _normalize(task: Task, due: Mapping[str, DocumentRow]) -> Iterator[Made]:
    normalize = partial(normalize_one, rules=rules_of(task.project.settings))
    return task.pool.map(normalize, _works(task, due), _quarantined)


def _chunk(task: Task, due: Mapping[str, DocumentRow]) -> Iterator[Made]:
    settings = chunk_settings_of(task.project.settings, task.partition.collection.name)
    return task.pool.map(partial(chunk_one, settings=settings), _works(task, due), _quarantined)


def _quarantined(work: Work, fault: Quarantine) -> Made:
    return Made(work.source, None, None, {}, fault.reason.value, fault.detail)


def _works(task: Task, due: Mapping[str, DocumentRow]) -> Iterable[Work]:
    path = task.parent.path(ROWS_FILE[task.parent.stage])
    for source, content in read_payloads(path, due) if due else ():
        row = due[source]
        yield Work(source, row.served_sha256 or row.sha256, content, _overrides(task, row))


def _overrides(task: Task, row: DocumentRow) -> Overrides | None:
    """Only normalizing reads them."""
    if row.override is None or task.stage != NORMALIZED:
        return None
    return overrides_of(task.store.content_path(row.override).read_bytes(), f"{row.source}{OVERRIDE_SUFFIX}")


_KEY: dict[str, Callable[[Task, DocumentRow], str]] = {
    PARSED: _parsed_key,
    NORMALIZED: _next_key,
    CHUNKS: _next_key,
}
_WORK: dict[str, Callable[[Task, Mapping[str, DocumentRow]], Iterator[Made]]] = {
    PARSED: _parse,
    NORMALIZED: _normalize,
    CHUNKS: _chunk,
}


def summed(rows: Iterable[DocumentRow]) -> Counts:
    """The counts of the documents, and of their outcomes."""
    totals: Counts = {"documents": 0, "ok": 0, "quarantined": 0, "stale": 0}
    for row in rows:
        totals["documents"] += 1
        totals[row.status] += 1
        totals["stale"] += row.stale_since is not None
        for name, count in row.counts.items():
            totals[name] = totals.get(name, 0) + count
    return totals


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
