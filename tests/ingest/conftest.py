"""A small project on disk and the whole pipeline over it, without an orchestrator."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from rag_assets.corpus import Corpus, open_corpus
from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.due import Due, what_is_due
from rag_assets.ingest.publish import publish
from rag_assets.ingest.stages import STAGES, IngestOptions, StageOutcome, run_stage
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import Project, load_project
from rag_assets.store import Release, Store

PRICES = "region,tier,price\nNorth,1,10\nSouth,2,20\n"
POLICY = "# Refunds\n\nRefunds take fourteen days.\n\n| region | days |\n|---|---|\n| EU | 30 |\n| US | 14 |\n"


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(ReadLimits(), workers=1) as workers:
        yield workers


@dataclass(frozen=True)
class Site:
    """A project folder; `sources` are the lines of its collections."""

    root: Path
    pool: WorkerPool

    def configure(self, *collections: str, settings: str = "") -> None:
        lines = "".join(f"  - {{{one}}}\n" for one in collections)
        more = f"settings: {{{settings}}}\n" if settings else ""
        (self.root / "sources.yaml").write_text(f"collections:\n{lines}{more}")

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    @property
    def project(self) -> Project:
        return load_project(self.root)

    @property
    def store(self) -> Store:
        return Store(self.project.state_url)

    def run(self, *, only: str | None = None, options: IngestOptions | None = None) -> dict[str, StageOutcome]:
        """All stages of all partitions; outcomes by `partition stage`."""
        outcomes = {}
        for stage in STAGES:
            chosen = options or IngestOptions()
            for partition in self.project.partitions:
                if only in {None, partition.key}:
                    outcome = run_stage(self.project, self.store, partition, stage, pool=self.pool, options=chosen)
                    outcomes[f"{partition.key} {stage}"] = outcome
        return outcomes

    def ingest(self, *, options: IngestOptions | None = None) -> Release | None:
        self.run(options=options)
        return self.publish()

    def publish(self) -> Release | None:
        return publish(self.project, self.store, make_candidate(self.project, self.store, "run"))

    def due(self, **how: object) -> Due:
        return what_is_due(self.project, self.store, **how)  # ty: ignore[invalid-argument-type]

    def corpus(self, *scopes: str) -> Corpus:
        return open_corpus(self.project, scopes or None)


@pytest.fixture
def site(tmp_path: Path, pool: WorkerPool) -> Site:
    made = Site(tmp_path, pool)
    made.configure("name: docs, documents: ./docs, scope: public")
    made.write("docs/prices.csv", PRICES)
    made.write("docs/refunds.md", POLICY)
    return made
