"""100,000 small documents in shards: what an ingest, a quiet tick, one change and a year of nightly checks cost.

Prints CPU seconds (this process and its workers), the largest resident memory, and bytes on disk.
Usage: many_documents.py [DOCUMENTS] [SHARDS]
"""

import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import dagster as dg

from rag_assets.defs.build import build_definitions
from rag_assets.defs.run import QUIET, launch_ingest
from rag_assets.ingest.due import what_is_due
from rag_assets.settings import load_project
from rag_assets.store import Store

DOCUMENTS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
SHARDS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
TICK_LIMIT_S, CHANGE_LIMIT_S, YEAR_LIMIT_BYTES = 10, 10, 10**9
NIGHTS = 365
SKIPPED_DAYS = 3  # dagster.yaml: retention.sensor.purge_after_days.skipped
TICK_S = 5

SOURCES = """\
collections:
  - {{name: pages, documents: ./pages, scope: public, shards: {shards}}}
evals: ./evals
settings: {{settle_s: 0}}
"""
CASES = """\
suite: retrieval
cases:
  - id: page-7
    question: What does item 7 cost in the north?
    sources: [pages/000/7.md]
    expect: {must_contain: ["$7.00"]}
"""


def page(n: int) -> str:
    return (
        f"# Item {n}\n\nItem {n} is sold in two regions.\n\n"
        f"| Region | Price |\n|---|---|\n| North | ${n}.00 |\n| South | ${n}.50 |\n"
    )


def make_project(root: Path) -> None:
    (root / "evals" / "cases").mkdir(parents=True)
    (root / "sources.yaml").write_text(SOURCES.format(shards=SHARDS))
    (root / "evals" / "cases" / "prices.yaml").write_text(CASES)
    for n in range(DOCUMENTS):
        folder = root / "pages" / f"{n // 1000:03d}"
        if n % 1000 == 0:
            folder.mkdir(parents=True)
        (folder / f"{n}.md").write_text(page(n))


def cpu_s() -> float:
    """Of this process and of the children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def measured(what: str, work: Callable[[], object]) -> float:
    cpu, wall = cpu_s(), time.monotonic()
    work()
    spent = cpu_s() - cpu
    print(f"{what:<42} {spent:8.1f} s CPU {time.monotonic() - wall:8.1f} s wall  {memory_mb():6,.0f} MB", flush=True)
    return spent


def memory_mb() -> float:
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def nightly(root: Path, instance: dg.DagsterInstance) -> None:
    """The check and the evaluation that follows where it found nothing."""
    definitions = build_definitions(load_project(root))
    for job in ("full_check", "evaluate_and_publish"):
        assert definitions.resolve_job_def(job).execute_in_process(instance=instance, run_config=QUIET).success


def tick_bytes(instance: dg.DagsterInstance, storage: Path) -> float:
    """What one skipped tick leaves, as the daemon writes it."""
    from dagster._core.scheduler.instigation import TickData, TickStatus

    before, count = size_of(storage), 500
    for n in range(count):
        tick = TickData("o" * 40, "source_changes", dg_sensor(), TickStatus.SKIPPED, float(n), selector_id="s" * 40,
                        skip_reason="nothing is due")  # fmt: skip
        instance.create_tick(tick)
    return (size_of(storage) - before) / count


def dg_sensor() -> object:
    from dagster._core.definitions.run_request import InstigatorType

    return InstigatorType.SENSOR


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="many-"))
    root, storage = folder / "project", folder / "dagster"
    storage.mkdir()
    try:
        print(f"{DOCUMENTS:,} documents, {SHARDS} shards", flush=True)
        make_project(root)
        with dg.DagsterInstance.local_temp(str(storage), overrides={"telemetry": {"enabled": False}}) as instance:
            return report(root, storage, instance)
    finally:
        shutil.rmtree(folder)


def report(root: Path, storage: Path, instance: dg.DagsterInstance) -> int:
    project = load_project(root)
    store = Store(project.state_url)

    def ingest() -> None:
        outcome = launch_ingest(root, instance=instance)
        assert not outcome.failed, outcome.cause

    whole = measured("ingest of everything", ingest)
    state = size_of(root / ".rag-assets") / DOCUMENTS
    print(f"  per document {1000 * whole / DOCUMENTS:.2f} ms CPU, {state:,.0f} bytes of state")
    cases_hash = store.current().cases_hash  # ty: ignore[unresolved-attribute]
    what_is_due(project, store, cases_hash)
    tick = measured("a tick when nothing changed", lambda: what_is_due(project, store, cases_hash))
    (root / "pages" / "000" / "7.md").write_text(page(7).replace("North", "Northern"))
    change = measured("one changed document, published", ingest)
    nightly(root, instance)
    before = size_of(storage)
    measured("a nightly check that finds nothing", lambda: nightly(root, instance))
    night = size_of(storage) - before
    ticks = tick_bytes(instance, storage) * SKIPPED_DAYS * 86_400 / TICK_S
    year = night * NIGHTS + ticks
    print(f"events of a nightly check                  {night:,} bytes; of {SKIPPED_DAYS} days of ticks {ticks:,.0f}")
    print(f"a year of nightly checks                   {year / 1e6:,.0f} MB of at most {YEAR_LIMIT_BYTES / 1e6:,.0f}")
    held = tick <= TICK_LIMIT_S and change <= CHANGE_LIMIT_S and year <= YEAR_LIMIT_BYTES
    print("within the limits" if held else "OVER A LIMIT")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
