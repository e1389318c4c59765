"""Postgres, Redis, an S3 API and Celery workers, all on this machine, under the instance of deploy/dagster.yaml."""

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.conftest import REPOSITORY, Running, end_group
from tests.remote.conftest import bucket, endpoint

__all__ = ["bucket", "endpoint"]
WITHIN_S = 60
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def reachable(port: int) -> None:
    began = time.monotonic()
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() - began < WITHIN_S, f"nothing listens on port {port}"
        time.sleep(0.1)


@pytest.fixture
def broker() -> Iterator[str]:
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server: apt-get install redis-server")
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        reachable(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        end_group(server, signal.SIGTERM)


@pytest.fixture
def postgres() -> Iterator[str]:
    """Its server refuses to run as root: it runs as the user the package made."""
    if not BINARIES or shutil.which("runuser") is None:
        pytest.skip("needs postgresql: apt-get install postgresql")
    folder = Path(subprocess.check_output(["mktemp", "-d", "/tmp/postgres-XXXXXX"], text=True).strip())
    shutil.chown(folder, "postgres")
    port, binaries = free_port(), BINARIES[-1]
    as_postgres = ["runuser", "-u", "postgres", "--"]
    made = [*as_postgres, str(binaries / "initdb"), "-D", str(folder / "data"), "-A", "trust", "-U", "dagster"]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd="/")
    run = [*as_postgres, str(binaries / "postgres"), "-D", str(folder / "data"), "-p", str(port), "-h", "127.0.0.1"]
    server = subprocess.Popen(
        [*run, "-k", str(folder), "-c", "fsync=off"], stderr=subprocess.DEVNULL, cwd="/", start_new_session=True
    )
    try:
        reachable(port)
        yield f"postgresql+psycopg2://dagster@127.0.0.1:{port}/postgres"
    finally:
        end_group(server, signal.SIGINT)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def workers(spread: Running, broker: str) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Two; each is a process group of its own and runs one run at a time."""
    with spread.log.open("ab") as log:
        started = [
            subprocess.Popen(
                [
                    *(sys.executable, "-m", "celery", "-A", "dagster_celery.app", "worker", "-n", f"w{n}"),
                    *("--pool=solo", "--disable-prefetch"),
                ],
                cwd=spread.root,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            for n in range(2)
        ]
    try:
        yield started
    finally:
        for worker in started:
            if worker.poll() is None:
                end_group(worker, signal.SIGTERM)


@pytest.fixture
def spread(
    tmp_path: Path, bucket: str, broker: str, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Running]:
    """A project of one collection in 16 shards, its state in the bucket."""
    root = tmp_path / "project"
    storage = root / ".rag-assets" / "dagster"
    storage.mkdir(parents=True)
    (root / "pages").mkdir()
    for n in range(64):
        table = f"| Region | Price |\n|---|---|\n| North | ${n}.00 |\n| South | ${n}.50 |\n"
        (root / "pages" / f"{n}.md").write_text(f"# Item {n}\n\nItem {n} is sold in two regions.\n\n{table}")
    (root / "sources.yaml").write_text(
        f"state: {bucket}/state\ncollections:\n"
        "  - {name: pages, documents: ./pages, scope: public, shards: 16}\n"
        "settings: {settle_s: 45, partitions_per_run: 2}\n"
    )
    shutil.copy(REPOSITORY / "deploy" / "dagster.yaml", root / "dagster.yaml")
    shutil.copy(REPOSITORY / "workspace.yaml", root / "workspace.yaml")
    for name, value in {
        "DAGSTER_HOME": str(root),
        "RAG_ASSETS_PROJECT": str(root),
        "RAG_ASSETS_DAGSTER_STORAGE": str(storage),
        "RAG_ASSETS_POSTGRES_URL": postgres,
        "RAG_ASSETS_BROKER": broker,
        "CELERY_BROKER_URL": broker,
        "CELERY_RESULT_BACKEND": broker,
        "PYTHONPATH": str(REPOSITORY),
    }.items():
        monkeypatch.setenv(name, value)
    found = Running(root)
    try:
        yield found
    finally:
        found.stop()
        found.instance.dispose()
