"""Running one stage over one partition: the one place that knows how a segment comes to be.

Holds: `run_stage`: no-op, reuse of an equal segment, or a new one from the newest head of its parent.
Add here: what every stage goes through.
Never here: what a stage makes (raw.py, row_stages.py, whole_stages.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import BrokenChain, CorruptSegment
from rag_assets.ingest import raw, whole_stages
from rag_assets.ingest.order import LOOKUP, PARENT, RAW, ROWS_FILE, STAGES
from rag_assets.ingest.previews import preview
from rag_assets.ingest.row_stages import Task, summed, work_rows
from rag_assets.ingest.rows import KeptRows, write_rows
from rag_assets.ingest.seen import IngestOptions
from rag_assets.ingest.versions import StageInputs, stage_inputs
from rag_assets.model.document import Counts
from rag_assets.model.score import Score
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import Partition, Project
from rag_assets.store import Segment, SegmentFacts, Store
from rag_assets.store.records import digest_of, hash_of_file

__all__ = ["STAGES", "IngestOptions", "Judge", "StageOutcome", "StageView", "run_stage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageView:
    """What a stage just made, before it becomes a segment; the readers in contents.py take it as they take one."""

    partition: str
    collection: str
    scope: str
    stage: str
    folder: Path

    def path(self, name: str) -> Path:
        return self.folder / name


Judge = Callable[[StageView], dict[str, Score]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOutcome:
    """`reworked`: sources worked on; `reused`: how many were copied; `removed`: sources no longer there.

    `refused` says why a collection's removals were refused; its segment is then the one that was there before.
    `mended`: stages whose segment was damaged and was built again. `previews` is small markdown.
    """

    partition: str
    stage: str
    segment: Segment
    new_segment: bool
    reworked: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    reused: int = 0
    counts: Counts = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)
    previews: str = ""
    refused: str | None = None
    warnings: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()


class _Run(NamedTuple):
    project: Project
    store: Store
    partition: Partition
    stage: str
    pool: WorkerPool
    options: IngestOptions
    judge: Judge | None
    inputs: StageInputs
    head: Segment | None
    damaged: Segment | None = None
    mended: tuple[str, ...] = ()

    @property
    def collection(self) -> str:
        return self.partition.collection.name


class _Written(NamedTuple):
    """What lies in a draft's folder. `extras` enter the digest: what was not known before the work was done."""

    counts: Counts
    logical: dict[str, str]
    reworked: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    reused: int = 0
    extras: tuple[object, ...] = ()
    warnings: tuple[str, ...] = ()


def run_stage(
    project: Project,
    store: Store,
    partition: Partition,
    stage: str,
    *,
    pool: WorkerPool,
    options: IngestOptions | None = None,
    judge: Judge | None = None,
) -> StageOutcome:
    """Bring one stage of one partition up to date and make it the head.

    Its parent is the newest head of the stage before. Raises BrokenChain where there is none. An unchanged partition
    writes nothing and repeats the scores of its segment.
    """
    chosen = options or IngestOptions()
    inputs = stage_inputs(project.settings)[stage]
    run = _Run(project, store, partition, stage, pool, chosen, judge, inputs, store.head(partition.key, stage))
    run = _checked(run, deep=stage == RAW or chosen.rebuild or chosen.check == "hash")
    outcome = _run_raw(run) if stage == RAW else _run_derived(run)
    store.set_head(partition.key, stage, outcome.segment.digest)
    return outcome


def _checked(run: _Run, *, deep: bool) -> _Run:
    """The run without its head, if that is damaged: then it is built again."""
    named = run.stage in run.store.heads(run.partition.key).stages
    if not named or run.mended or (run.head is not None and run.head.intact(deep=deep)):
        return run
    return run._replace(head=None, damaged=run.head or run.damaged, mended=(*run.mended, run.stage))


def _run_raw(run: _Run) -> StageOutcome:
    refused = None
    if not (run.options.allow_empty or run.project.settings.allow_mass_delete):
        refused = run.options.seen.refusal(run.project, run.store, run.partition.collection)
    if refused is not None and run.head is not None:
        return _unchanged(run, run.head, refused)
    if refused is not None and run.mended:
        if run.damaged is None:
            raise CorruptSegment(f"{run.partition.key}: its raw_sources segment is damaged, and {refused}")
        return _unchanged(run._replace(mended=()), run.damaged, refused)
    before = raw.raw_segment_rows(run.head)
    found = raw.find_documents(run.project, run.store, run.partition, before, run.options)
    key = raw.raw_key(found.rows, run.inputs.version, run.inputs.settings)
    if run.head is not None and run.head.key == key:
        return _unchanged(run, run.head, refused)
    removed = {row.source for row in before} - {row.source for row in found.rows}

    def write(folder: Path) -> _Written:
        logical = write_rows(folder / ROWS_FILE[RAW], found.rows, {})
        reused = len(found.rows) - len(found.reworked)
        return _Written(summed(found.rows), {ROWS_FILE[RAW]: logical}, found.reworked, tuple(sorted(removed)), reused)

    return _build(run, key, {}, write, refused)


def _run_derived(run: _Run) -> StageOutcome:
    parent = run.store.head(run.partition.key, PARENT[run.stage])
    found = _as_it_is(run, parent) if parent is not None else None
    if found is not None:
        return found
    run = _checked(run, deep=True)
    parent, mended = _sound_parent(run, parent)
    run = run._replace(mended=(*mended, *run.mended))
    key, parents = _key(run, parent), {parent.stage: parent.digest}

    def write(folder: Path) -> _Written:
        return _write_rows(run, parent, folder) if run.stage in ROWS_FILE else _write_whole(run, parent, folder)

    return _build(run, key, parents, write)


def _key(run: _Run, parent: Segment) -> str:
    return digest_of([run.stage, parent.digest, run.inputs.version, run.inputs.settings])


def _as_it_is(run: _Run, parent: Segment) -> StageOutcome | None:
    """The segment that is there already, where nothing is to be done."""
    key = _key(run, parent)
    if run.options.rebuild:
        return None
    if run.head is not None and run.head.key == key and run.head.parents == {parent.stage: parent.digest}:
        return _unchanged(run, run.head)
    earlier = run.store.find_segment(run.partition.key, run.stage, key)
    if earlier is not None and earlier.intact(deep=True) and not earlier.counts.get("quarantined"):
        return _unchanged(run, earlier)
    return None


def _sound_parent(run: _Run, parent: Segment | None) -> tuple[Segment, tuple[str, ...]]:
    """The parent, built again where it is damaged, and what was built again for it."""
    stage, key = PARENT[run.stage], run.partition.key
    if parent is not None and parent.intact(deep=True):
        return parent, ()
    if stage not in run.store.heads(key).stages:
        raise BrokenChain(f"{key}: {run.stage} is made of {stage}, which is missing: materialize that first")
    options = replace(run.options, check="hash", rebuild=False)
    made = run_stage(run.project, run.store, run.partition, stage, pool=run.pool, options=options, judge=run.judge)
    return made.segment, made.mended


def _write_rows(run: _Run, parent: Segment, folder: Path) -> _Written:
    last_good = _earlier_rows(run)
    task = Task(
        project=run.project,
        store=run.store,
        partition=run.partition,
        stage=run.stage,
        parent=parent,
        inputs=run.inputs,
        kept=() if run.options.rebuild else last_good,
        last_good=last_good,
        pool=run.pool,
    )
    worked = work_rows(task)
    logical = write_rows(folder / ROWS_FILE[run.stage], worked.rows, worked.made, last_good)
    gone = set(last_good[0].rows) - {row.source for row in worked.rows} if run.head is not None else set()
    return _Written(
        summed(worked.rows),
        {ROWS_FILE[run.stage]: logical},
        worked.reworked,
        tuple(sorted(gone)),
        len(worked.rows) - len(worked.reworked),
        tuple(sorted(worked.fallbacks.items())),
    )


def _write_whole(run: _Run, parent: Segment, folder: Path) -> _Written:
    if run.stage == LOOKUP:
        built = whole_stages.build_lookup_tables(folder, parent, run.collection, run.store.content_path, _before(run))
    else:
        previous = None if run.options.rebuild else run.head
        built = whole_stages.build_bm25_index(folder, parent, run.project.settings.retrieval, previous)
    return _Written(built.counts, built.logical, warnings=built.warnings)


def _before(run: _Run) -> whole_stages.Before | None:
    """The warehouse to start from: of the same code, its own parent still there."""
    if run.head is None or run.options.rebuild or run.head.inputs.get("version") != run.inputs.version:
        return None
    parent = PARENT[run.stage]
    made_of = run.store.find_segment(run.partition.key, parent, run.head.parents.get(parent))
    return whole_stages.Before(run.head, made_of) if made_of is not None and made_of.intact(deep=True) else None


def _earlier_rows(run: _Run) -> Sequence[KeptRows]:
    """Segments of this stage to copy rows from: the head, what is published, and, for a partition that is new, the
    partitions its collection was published in before."""
    found: dict[str, Segment] = {}
    if run.head is not None:
        found[run.head.digest] = run.head
    published = run.options.seen.published(run.store)
    for key, part in (published.partitions if published else {}).items():
        if key == run.partition.key or (run.head is None and part.collection == run.collection):
            segment = run.store.find_segment(key, run.stage, part.segments.get(run.stage))
            if segment is not None and segment.intact(deep=True):
                found.setdefault(segment.digest, segment)
    return [KeptRows(segment.path(ROWS_FILE[run.stage])) for segment in found.values()]


def _build(
    run: _Run,
    key: str,
    parents: dict[str, str],
    write: Callable[[Path], _Written],
    refused: str | None = None,
) -> StageOutcome:
    with run.store.new_segment(run.partition.key, run.stage, key) as draft:
        written = write(draft.path)
        facts = SegmentFacts(
            key=key,
            parents=parents,
            inputs={"version": run.inputs.version, "settings": run.inputs.settings},
            counts=written.counts,
            scores=_judged(run, draft.path),
            logical=written.logical,
            warnings=written.warnings,
        )
        extras = list(written.extras)
        if run.options.rebuild and run.head is not None and run.head.key == key:
            if _says_the_same(run.head, draft.path, written):
                return _outcome(run, run.head, False, written, refused)
            extras.append(run.head.digest)
        segment = draft.publish(facts, digest_of([key, extras]) if extras else key)
    return _outcome(run, segment, True, written, refused)


def _judged(run: _Run, folder: Path) -> dict[str, Score]:
    if run.judge is None:
        return {}
    view = StageView(
        partition=run.partition.key,
        collection=run.collection,
        scope=run.partition.collection.scope,
        stage=run.stage,
        folder=folder,
    )
    return run.judge(view)


def _says_the_same(head: Segment, folder: Path, written: _Written) -> bool:
    """A rebuilt folder has the content of the segment that is there: then that one stays."""
    names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    return names == set(head.files) and all(
        facts.logical == (written.logical.get(name) or hash_of_file(folder / name))
        for name, facts in head.files.items()
    )


def _unchanged(run: _Run, segment: Segment, refused: str | None = None) -> StageOutcome:
    reused = segment.counts.get("documents", 0)
    return _outcome(
        run, segment, False, _Written(segment.counts, {}, reused=reused, warnings=segment.warnings), refused
    )


def _outcome(run: _Run, segment: Segment, new: bool, written: _Written, refused: str | None) -> StageOutcome:
    return StageOutcome(
        partition=run.partition.key,
        stage=run.stage,
        segment=segment,
        new_segment=new,
        reworked=written.reworked,
        removed=written.removed,
        reused=written.reused,
        counts=dict(segment.counts),
        scores=dict(segment.scores),
        previews=preview(written.reworked, written.removed, written.reused, refused),
        refused=refused,
        warnings=written.warnings,
        mended=run.mended,
    )
