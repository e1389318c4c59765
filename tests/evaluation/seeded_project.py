"""A copy of the example project whose pipeline got worse: damage seeded between two of its stages, as a code change
would do it, with new stage versions."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from rag_assets.corpus import Corpus
from rag_assets.errors import Quarantine
from rag_assets.evaluation.judgement import Judgement, judge_candidate
from rag_assets.evaluation.outcomes import CaseOutcome
from rag_assets.evaluation.standing import standing
from rag_assets.ingest import candidate, versions, whole_stages
from rag_assets.ingest.codec import decode_chunks, decode_normalized, encode_payload
from rag_assets.ingest.order import STAGES
from rag_assets.ingest.publish import publish
from rag_assets.ingest.stages import IngestOptions, run_stage
from rag_assets.ingest.workbench import Made, normalize_one
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import Project, load_project
from rag_assets.store import PartitionRelease, Release, Store
from tests.evaluation.damaged import ROOT, TODAY, Damage

T = TypeVar("T")
R = TypeVar("R")
Parts = Mapping[str, PartitionRelease]
Names = Iterable[str]


class SeededPool(WorkerPool):
    """Damages what the workers make of the documents of one collection (None: of all)."""

    def __init__(self, damage: Damage, collection: str | None) -> None:
        super().__init__(ReadLimits(), workers=1)
        self.damage = damage
        self.collection = collection

    def map(
        self, function: Callable[[T], R], values: Iterable[T], on_fault: Callable[[T, Quarantine], R] | None = None
    ) -> Iterator[R]:
        for made in super().map(function, values, on_fault):
            if isinstance(made, Made) and made.content and is_of(made.source, self.collection):
                yield self._damaged(function, made)  # ty: ignore[invalid-yield]
            else:
                yield made

    def _damaged(self, function: object, made: Made) -> Made:
        normalizing = isinstance(function, partial) and function.func is normalize_one
        if normalizing:
            content = encode_payload(self.damage.normalized(decode_normalized(made.content or b"")))
        else:
            content = encode_payload(self.damage.chunks(decode_chunks(made.content or b"")))
        return Made.of(made.source, content, made.counts)


@dataclass
class SeededProject:
    """`root` holds sources.yaml, evals and state of its own."""

    root: Path

    @property
    def store(self) -> Store:
        return Store(load_project(self.root).state_url)

    def settings(self, line: str) -> None:
        with (self.root / "sources.yaml").open("a") as file:
            file.write(f"settings: {{settle_s: 0, {line}}}\n")

    def ingest(self, run: str, damage: Damage, collection: str | None = None) -> tuple[Judgement, Release | None]:
        """All stages, judged, and published unless the gate is red."""
        project, store = load_project(self.root), self.store
        with SeededPool(damage, collection) as pool:
            for stage in STAGES:
                for partition in project.partitions:
                    run_stage(project, store, partition, stage, pool=pool, options=IngestOptions(check="hash"))
        judged = judge_candidate(project, store, candidate.make_candidate(project, store, run), today=TODAY)
        if judged.verdict.red:
            return judged, None
        return judged, publish(project, store, judged.candidate, judged.run.scores, held=judged.verdict.held)

    def answers(self, release: int) -> tuple[CaseOutcome, ...]:
        """The whole suite over one release; times apart."""
        run = standing(load_project(self.root), self.store, release=release, remembered=False, today=TODAY).run
        return tuple(replace(one, elapsed_s=0.0) for one in run.outcomes)


def published_example(root: Path) -> SeededProject:
    """The example project, copied and published as it is, without an accepted baseline."""
    shutil.copytree(ROOT / "evals", root / "evals", ignore=shutil.ignore_patterns("baselines"))
    shutil.copy2(ROOT / "sources.yaml", root / "sources.yaml")
    made = SeededProject(root)
    judged, release = made.ingest("published", Damage())
    assert judged.verdict.green, judged.verdict.sentence
    assert release is not None
    return made


def seed(monkeypatch: pytest.MonkeyPatch, damage: Damage, collection: str | None) -> None:
    """Code of another version; with the damages that are not of one document in their places."""
    changed = {stage: f"{version}-seeded" for stage, version in versions.stage_versions().items()}
    for module in (versions, candidate):
        monkeypatch.setattr(module, "stage_versions", lambda: changed)
    if not damage.tools:
        build = whole_stages.build_warehouse
        monkeypatch.setattr(
            whole_stages,
            "build_warehouse",
            lambda target, documents, **more: build(
                target, [d for d in documents if not is_of(d.source, collection)], **more
            ),
        )
    search, coverage, opened = Corpus.search, Corpus.coverage, Corpus.__init__

    def open_merged(
        self: Corpus, project: Project, store: Store, partitions: Parts, scopes: Names, *rest: object
    ) -> None:
        opened(self, project, store, partitions, damage.scopes(frozenset(scopes)), *rest)  # ty: ignore[invalid-argument-type]

    monkeypatch.setattr(Corpus, "__init__", open_merged)
    monkeypatch.setattr(Corpus, "search", lambda self, query, *a, **k: search(self, damage.query(query), *a, **k))
    monkeypatch.setattr(Corpus, "coverage", lambda self, query, passages: coverage(self, damage.query(query), passages))


def is_of(source: str, collection: str | None) -> bool:
    return collection is None or source.split("/")[0] == collection
