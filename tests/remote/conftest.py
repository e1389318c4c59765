"""Object storage as a server of its own on this machine, and a project whose state lies in it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.store.object_place import object_place
from tests.ingest.conftest import POLICY, PRICES, Site

STARTS_WITHIN_S = 60


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    pytest.importorskip("moto")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        began = time.monotonic()
        while not _answers(url):
            assert time.monotonic() - began < STARTS_WITHIN_S, "the S3 API did not come up"
            time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(10)


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5):
            return True
    except (URLError, OSError):
        return False


@pytest.fixture
def bucket(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """URL of an empty bucket; credentials and endpoint come from the environment alone."""
    for name, value in {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "RAG_ASSETS_CACHE": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    object_place.cache_clear()
    name = f"b{abs(hash(str(tmp_path))):x}"
    with urlopen(Request(f"{endpoint}/{name}", method="PUT"), timeout=10):
        return f"s3://{name}"


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(ReadLimits(), workers=1) as workers:
        yield workers


@pytest.fixture
def site(bucket: str, tmp_path: Path, pool: WorkerPool) -> Site:
    made = Site(tmp_path / "project", pool)
    made.root.mkdir()
    made.configure("name: docs, documents: ./docs, scope: public")
    path = made.root / "sources.yaml"
    path.write_text(f"state: {bucket}/state\n{path.read_text()}")
    made.write("docs/prices.csv", PRICES)
    made.write("docs/refunds.md", POLICY)
    return made
