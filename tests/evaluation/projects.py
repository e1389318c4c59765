"""A tiny real project: two collections of Markdown, built, judged and published through the pipeline itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.judgement import Judgement, judge_candidate
from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.order import STAGES
from rag_assets.ingest.publish import publish
from rag_assets.ingest.stages import IngestOptions, run_stage
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import Project, load_project
from rag_assets.store import Release, Store

SOURCES = """
collections:
  - {name: fares, documents: ./fares, scope: public}
  - {name: stock, documents: ./stock, scope: staff}
evals: ./evals
settings:
"""

FARES = """# Bus fares

Fares of the night lines.

| Line | Adult | Child |
|---|---|---|
| Harbour | $3.00 | $1.50 |
| Airport | $7.50 | $4.00 |
"""

STOCK = """# Stock of the yard

Counted by hand.

| Item | Pieces | Shelf |
|---|---|---|
| Rope | 140 | A1 |
| Anchor | 12 | B7 |
"""

CASES = """
suite: retrieval
cases:
  - id: fare-harbour
    question: adult fare Harbour line
    sources: [fares/night.md]
    expect: {must_contain: ["Harbour", "$3.00"], rank_at_most: 1}
  - id: stock-rope
    question: how many pieces of Rope
    scopes: [staff]
    sources: [stock/yard.md]
    expect: {must_contain: ["Rope", "140"], rank_at_most: 1}
"""

TABLE_CASES = """
suite: tables
cases:
  - id: cell-harbour
    sources: [fares/night.md]
    expect: {cells: [{path: Harbour, heading: Adult, text: "$3.00"}]}
  - id: cell-rope
    sources: [stock/yard.md]
    expect: {cells: [{path: Rope, heading: Pieces, value: 140}]}
"""


@dataclass
class TinyProject:
    """`settings` are lines under `settings:` of sources.yaml."""

    root: Path
    pool: WorkerPool
    runs: int = 0

    @property
    def project(self) -> Project:
        return load_project(self.root)

    @property
    def store(self) -> Store:
        return Store(self.project.state_url)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def settings(self, *lines: str) -> None:
        chosen = lines or ("settle_s: 0",)
        self.write("sources.yaml", SOURCES + "".join(f"  {line}\n" for line in chosen))

    def judged(self, **options: object) -> Judgement:
        """All stages, then the judgement; nothing is published."""
        self.runs += 1
        project, store = self.project, self.store
        for stage in STAGES:
            seen = IngestOptions(check="hash", allow_empty=True)
            for partition in project.partitions:
                run_stage(project, store, partition, stage, pool=self.pool, options=seen)
        candidate = make_candidate(project, store, f"run-{self.runs}", cases_hash=load_cases(project.evals).hash)
        return judge_candidate(project, store, candidate, **options)  # ty: ignore[invalid-argument-type]

    def ingest(self, **options: object) -> tuple[Judgement, Release | None]:
        found = self.judged(**options)
        if found.verdict.red:
            return found, None
        held = found.verdict.held
        made = found.candidate
        return found, publish(self.project, self.store, made, found.run.scores, held=held, dagster_run=made.id)


@contextmanager
def tiny_project(root: Path) -> Iterator[TinyProject]:
    limits = ReadLimits(cpu_s=20, wall_s=60, memory_mb=2048, output_mb=64, cells=10_000, pages=100, file_mb=10)
    with WorkerPool(limits, workers=1) as pool:
        made = TinyProject(root, pool)
        made.settings()
        made.write("fares/night.md", FARES)
        made.write("stock/yard.md", STOCK)
        made.write("evals/cases/retrieval.yaml", CASES)
        made.write("evals/cases/tables.yaml", TABLE_CASES)
        yield made
