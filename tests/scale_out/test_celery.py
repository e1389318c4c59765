"""Shards on several workers say what one process says, also where a worker dies midway."""

import signal
import subprocess
from pathlib import Path

import dagster as dg
import pytest

from rag_assets.defs.run_tags import PROCESS
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import load_project
from tests.daemon.conftest import Running, end_group
from tests.daemon.test_backfills import launch, materialized
from tests.ingest.conftest import Site

pytestmark = pytest.mark.slow

PUBLISHED_WITHIN_S = 420


def test_16_shards_on_two_workers_of_which_one_is_killed_equal_a_single_process(
    spread: Running, workers: list["subprocess.Popen[bytes]"], tmp_path: Path
) -> None:
    spread.start()
    spread.serve()
    keys = [partition.key for partition in load_project(spread.root).partitions]
    launch(spread, *keys)
    spread.wait(lambda: at_work(spread) == 2, "a run on each worker", 240)
    end_group(workers[0], signal.SIGKILL)
    spread.wait(lambda: everything_published(spread, keys), "a release of all shards", PUBLISHED_WITHIN_S)
    assert materialized(spread, "raw_sources", set()) >= len(keys) / 2
    assert hashes_of(spread, keys) == hashes_of_one_process(spread.root, tmp_path / "alone")


def at_work(spread: Running) -> int:
    """Runs that say which process runs them."""
    started = spread.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED]))
    return sum(PROCESS in run.tags for run in started)


def everything_published(spread: Running, keys: list[str]) -> bool:
    release = spread.store.current()
    return release is not None and set(release.partitions) == set(keys)


def hashes_of(spread: Running, keys: list[str]) -> dict[str, str]:
    parts = spread.release().partitions
    found = {}
    for key in keys:
        for stage, digest in parts[key].segments.items():
            found[f"{key} {stage}"] = spread.store.segment(key, stage, digest).logical_hash
    return found


def hashes_of_one_process(root: Path, folder: Path) -> dict[str, str]:
    folder.mkdir()
    sources = (root / "sources.yaml").read_text().splitlines()[1:]
    (folder / "sources.yaml").write_text("\n".join(sources).replace("./pages", str(root / "pages")))
    with WorkerPool(ReadLimits(), workers=1) as pool:
        return {name: outcome.segment.logical_hash for name, outcome in Site(folder, pool).run().items()}
