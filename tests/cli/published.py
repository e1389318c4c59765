"""A published project without an orchestrator: the same stages, candidate, gate and pointer in one call."""

from dataclasses import replace
from pathlib import Path

from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.judgement import judge_candidate
from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.order import STAGES
from rag_assets.ingest.publish import publish
from rag_assets.ingest.stages import IngestOptions, run_stage
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import load_project
from rag_assets.store import Release, Store


def publish_now(root: Path, run: str = "run-1") -> Release | None:
    """Everything that is due, judged and published; None where the gate said no or nothing changed."""
    project = load_project(root)
    store = Store(project.state_url)
    with WorkerPool(ReadLimits.of(project.settings.limits)) as pool:
        for stage in STAGES:
            options = IngestOptions()
            for partition in project.partitions:
                run_stage(project, store, partition, stage, pool=pool, options=options)
    cases = load_cases(project.evals)
    candidate = make_candidate(project, store, run, cases_hash=cases.hash)
    judgement = judge_candidate(project, store, candidate)
    if judgement.verdict.red:
        return None
    judged = replace(judgement.candidate, warnings=judgement.verdict.warnings)
    return publish(project, store, judged, judgement.run.scores, dagster_run=run)
