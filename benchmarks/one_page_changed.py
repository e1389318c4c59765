"""What one changed page costs until it is published and searchable, beside what Dagster alone takes for such a run.

usage: one_page_changed.py [--pages 9000] [--documents FOLDER_OR_ZIP] [--runs 3]

Makes a project, ingests it, changes one page and runs `rag-assets ingest` again; then once more with nothing changed.
Dagster alone: a process that imports it and runs a graph of the same shape (six partitioned assets of nine keys, one
of which is worked on, and three without partitions) whose assets do nothing, on an instance of its own.
CPU is user and system time of the whole command with its workers; the cheapest of the runs counts.
"""

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

BARE = """
import sys
import dagster as dg
keys = [f"{n:02d}" for n in range(9)]
parts = dg.StaticPartitionsDefinition(keys)
stages = []
for name in ("raw", "parsed", "normalized", "chunks", "index", "lookup"):
    @dg.asset(name=name, deps=stages[-1:], partitions_def=parts, backfill_policy=dg.BackfillPolicy.single_run())
    def stage(context):
        for key in context.partition_keys:
            context.add_asset_metadata({f"count_{n}": n for n in range(12)}, partition_key=key)
        return dg.MaterializeResult()
    stages.append(stage)
whole = []
for name in ("cases", "evaluation", "release"):
    @dg.asset(name=name, deps=[*stages, *whole])
    def step():
        return dg.MaterializeResult(metadata={f"count_{n}": n for n in range(12)})
    whole.append(step)
job = dg.define_asset_job("all", selection="*", partitions_def=parts)
definitions = dg.Definitions(assets=[*stages, *whole], jobs=[job])
tags = {"dagster/asset_partition_range_start": "03", "dagster/asset_partition_range_end": "03"}
quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
with dg.DagsterInstance.get() as instance:
    done = definitions.resolve_job_def("all").execute_in_process(run_config=quiet, instance=instance, tags=tags)
sys.exit(not done.success)
"""


def page(number: int) -> str:
    chance = random.Random(number)
    cells = ((chance.randint(1, 999), chance.randint(1, 9999), chance.random()) for _ in range(chance.randint(5, 25)))
    rows = "".join(f"<tr><td>Line {a}</td><td>{b:,}</td><td>{c:.1%}</td></tr>" for a, b, c in cells)
    head = "<tr><th>Line</th><th>Passengers</th><th>Share</th></tr>"
    text = f"<p>Passengers of town {number} in {1990 + number % 35}.</p>"
    return f"<html><body><h1>Town {number}</h1>{text}<table>{head}{rows}</table></body></html>"


def fill(folder: Path, documents: Path | None, pages: int) -> None:
    folder.mkdir(parents=True)
    if documents is None:
        for number in range(pages):
            (folder / f"{number}.html").write_text(page(number), encoding="utf-8")
    elif documents.is_dir():
        folder.rmdir()
        folder.symlink_to(documents.resolve())
    else:
        with zipfile.ZipFile(documents) as archive:
            archive.extractall(folder)


def cpu_of(words: Sequence[str | Path], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cheapest(runs: int, run: Callable[[int], float]) -> float:
    return min(run(n) for n in range(runs))


def measure(root: Path, documents: Path | None, pages: int, runs: int) -> None:
    command = [sys.executable, "-m", "rag_assets.cli.main"]
    environment = dict(os.environ)
    project, folder = root / "project", root / "documents"
    fill(folder, documents, pages)
    cpu_of([*command, "init", project, "--documents", folder, "--scope", "public"], environment)
    count = sum(path.is_file() for path in folder.rglob("*"))
    first = cpu_of([*command, "ingest", "--project", project], environment)
    print(f"{count} pages, first ingest                   {first:6.2f} s CPU", flush=True)
    chosen = sorted(path for path in folder.rglob("*") if path.is_file())[count // 2]
    text = chosen.read_text(encoding="utf-8")

    def change(run: int) -> float:
        chosen.write_text(f"{text}<p>Changed in run {run}.</p>", encoding="utf-8")
        return cpu_of([*command, "ingest", "--project", project], environment)

    bare_home = root / "bare"
    bare_home.mkdir()
    (bare_home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    bare = environment | {"DAGSTER_HOME": str(bare_home)}
    try:
        change(-1)
        cpu_of([sys.executable, "-c", BARE], bare)
        changed, alone = 1e9, 1e9
        for run in range(runs):
            changed = min(changed, change(run))
            alone = min(alone, cpu_of([sys.executable, "-c", BARE], bare))
    finally:
        chosen.write_text(text, encoding="utf-8")
    cpu_of([*command, "ingest", "--project", project], environment)
    nothing = cheapest(runs, lambda _: cpu_of([*command, "ingest", "--project", project], environment))
    share = f"Dagster alone {alone:.2f} s; ours {changed - alone:.2f} s"
    print(f"one page changed, published               {changed:6.2f} s CPU   {share}")
    print(f"nothing changed                           {nothing:6.2f} s CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=9000)
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        measure(Path(root), options.documents, options.pages, options.runs)


if __name__ == "__main__":
    main()
