"""One whole ingest of the project named on the command line; started by the kill tests as a process of its own.

Each step is named on standard output before it begins.
"""

import sys
from pathlib import Path

from rag_assets.evaluation.judgement import judge_candidate
from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.publish import publish
from rag_assets.ingest.stages import STAGES, IngestOptions, run_stage
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import load_project
from rag_assets.store import Store

STEPS = (*STAGES, "eval_run", "published_release", "end")


def ingest(root: Path) -> None:
    project = load_project(root)
    store = Store(project.state_url)
    with WorkerPool(ReadLimits.of(project.settings.limits), workers=1) as pool:
        for stage in STAGES:
            begins(stage)
            options = IngestOptions()
            for partition in project.partitions:
                run_stage(project, store, partition, stage, pool=pool, options=options)
        begins("eval_run")
        judged = judge_candidate(project, store, make_candidate(project, store, "run"))
        begins("published_release")
        publish(project, store, judged.candidate)
        begins("end")


def begins(step: str) -> None:
    print(step, flush=True)


if __name__ == "__main__":
    ingest(Path(sys.argv[1]))
