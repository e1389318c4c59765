"""Segments made step by step equal those made from scratch, whatever happened to the documents on the way.

All stages run without an orchestrator over a few tiny documents, so that a thousand histories take minutes. What is
made from scratch depends on the documents alone and is made once for each set of them.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from rag_assets.ingest.contents import chunks, rows
from rag_assets.ingest.order import CHUNKS, INDEX, LOOKUP, ROWS_FILE, STAGES
from rag_assets.ingest.stages import IngestOptions, run_stage
from rag_assets.ingest.whole_stages import index_folder, warehouse_file
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.retrieval.search import open_searcher
from rag_assets.settings import Project, load_project
from rag_assets.store import Segment, Store

SHARED = "<p>Parcels are weighed at the counter.</p>"
VERSIONS = {
    "fares.csv": (
        "zone,fare\nmoss,3\nfern,5\n",
        "zone,fare\nmoss,4\nfern,5\n",
        "zone,fare,note\nmoss,4,12%\nreed,7,half price\n",
    ),
    "rules.md": (
        "# Parcels\n\nParcels are weighed at the counter.\n\n| kind | days |\n|---|---|\n| letter | 2 |\n| box | 9 |\n",
        "# Parcels\n\nParcels wait ten days.\n",
        "| kind | days |\n|---|---|\n| letter | 3 |\n",
    ),
    "page.html": (
        f"<h1>Parcels</h1>{SHARED}<table><tr><th>Zone<th>Hut</tr><tr><td>moss<td>bothy</tr></table>",
        f"<h1>Huts</h1>{SHARED}",
        "<table><caption>Huts</caption><tr><th>Zone<th>Hut</tr><tr><td>reed<td>shed<tr><td>fern<td>bothy</table>",
    ),
}
MARKS = {("fares.csv", 2): b"half", ("rules.md", 1): b"wait", ("page.html", 2): b"shed", ("fares.csv", 0): b"fare"}
QUESTIONS = ("moss fare", "parcels weighed counter", "letter days 2", "12% reed hut", "bothy")
Documents = frozenset[tuple[str, int]]


class Content(NamedTuple):
    """Logical hash of each stage, and what the questions find, with scores."""

    hashes: dict[str, str]
    found: tuple[object, ...]


class Place(NamedTuple):
    project: Project
    store: Store

    @classmethod
    def new(cls, root: Path) -> "Place":
        (root / "docs").mkdir(parents=True)
        (root / "sources.yaml").write_text("collections:\n  - {name: docs, documents: ./docs, scope: public}\n")
        project = load_project(root)
        return cls(project, Store(project.state_url))

    def put(self, name: str, version: int) -> None:
        (self.project.root / "docs" / name).write_text(VERSIONS[name][version])

    def delete(self, name: str) -> None:
        (self.project.root / "docs" / name).unlink(missing_ok=True)

    def ingest(self, pool: WorkerPool) -> dict[str, Segment]:
        partition, options = self.project.partitions[0], IngestOptions(check="hash", allow_empty=True)
        return {
            stage: run_stage(self.project, self.store, partition, stage, pool=pool, options=options).segment
            for stage in STAGES
        }


def content_of(made: dict[str, Segment], project: Project) -> Content:
    searcher = open_searcher([("docs", index_folder(made[INDEX]))], project.settings.retrieval)
    found = tuple(searcher.search(question, k=50) for question in QUESTIONS)
    return Content({stage: segment.logical_hash for stage, segment in made.items()}, found)


class Histories(RuleBasedStateMachine):
    pool: WorkerPool
    from_scratch: dict[Documents, Content]

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.place = Place.new(self.root / "site")
        self.documents: dict[str, int] = {}

    @rule(name=st.sampled_from(sorted(VERSIONS)), version=st.integers(0, 2))
    def put(self, name: str, version: int) -> None:
        self.documents[name] = version
        self.place.put(name, version)

    @rule(name=st.sampled_from(sorted(VERSIONS)))
    def delete(self, name: str) -> None:
        self.documents.pop(name, None)
        self.place.delete(name)

    @rule()
    def ingest(self) -> None:
        self.check(self.place.ingest(self.pool))

    def check(self, made: dict[str, Segment]) -> None:
        now = frozenset(self.documents.items())
        assert content_of(made, self.place.project) == self._scratch(now)
        here = {f"docs/{name}" for name in self.documents}
        assert all({row.source for row in rows(made[stage])} == here for stage in ROWS_FILE)
        assert {chunk.source for chunk in chunks(made[CHUNKS])} <= here
        index = b"".join(path.read_bytes() for path in index_folder(made[INDEX]).iterdir())
        assert not any(mark in index for document, mark in MARKS.items() if _alone(document, now))
        with duckdb.connect(str(warehouse_file(made[LOOKUP])), read_only=True) as tables:
            for name in ("catalogue", "statements"):
                assert {source for (source,) in tables.sql(f"select source from {name}").fetchall()} <= here

    def _scratch(self, documents: Documents) -> Content:
        if documents not in self.from_scratch:
            fresh = Place.new(self.root / "fresh")
            for name, version in sorted(documents):
                fresh.put(name, version)
            self.from_scratch[documents] = content_of(fresh.ingest(self.pool), fresh.project)
            shutil.rmtree(self.root / "fresh")
        return self.from_scratch[documents]

    def teardown(self) -> None:
        try:
            self.check(self.place.ingest(self.pool))
        finally:
            shutil.rmtree(self.root)


def _alone(document: tuple[str, int], now: Documents) -> bool:
    """Not there now, and its word in no document that is."""
    return not any(MARKS[document].decode() in VERSIONS[name][version] for name, version in now)


@pytest.fixture(scope="class")
def workers(request: pytest.FixtureRequest) -> Iterator[None]:
    with WorkerPool(ReadLimits(), workers=1) as pool:
        Histories.pool, Histories.from_scratch = pool, {}
        yield


def _runs(machine: type[RuleBasedStateMachine], examples: int) -> type:
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    machine.TestCase.settings = settings(
        max_examples=examples, stateful_step_count=6, deadline=None, suppress_health_check=quiet, database=None
    )
    return machine.TestCase


@pytest.mark.usefixtures("workers")
class TestHistories(_runs(type("FewHistories", (Histories,), {}), 6)):
    pass


@pytest.mark.slow
@pytest.mark.usefixtures("workers")
class TestHistoriesAtLength(_runs(type("ManyHistories", (Histories,), {}), 1000)):
    pass
