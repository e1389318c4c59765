"""One whole ingest of the project named on the command line; started by the kill tests as a process of its own."""

import sys
from pathlib import Path

from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.publish import publish
from rag_assets.ingest.stages import STAGES, IngestOptions, run_stage
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import load_project
from rag_assets.store import Store


def ingest(root: Path) -> None:
    project = load_project(root)
    store = Store(project.state_url)
    with WorkerPool(ReadLimits(), workers=1) as pool:
        for stage in STAGES:
            options = IngestOptions()
            for partition in project.partitions:
                run_stage(project, store, partition, stage, pool=pool, options=options)
    publish(project, store, make_candidate(project, store, "run"))


if __name__ == "__main__":
    print("started", flush=True)
    ingest(Path(sys.argv[1]))
