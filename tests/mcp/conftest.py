"""A published shop, and a server of it over HTTP with two tokens."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import write_project
from tests.cli.published import publish_now


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_project(tmp_path_factory.mktemp("mcp"))
    publish_now(root)
    return root


@pytest.fixture
def http_server(shop: Path, tmp_path: Path) -> Iterator[int]:
    (tmp_path / "tokens.yaml").write_text("clerk: [sales]\nguest: [public]\n")
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    arguments = ["-m", "rag_assets.cli.main", "serve", "mcp", "--http", str(port), "--project", str(shop)]
    environment = {**os.environ, "RAG_ASSETS_TOKENS": str(tmp_path / "tokens.yaml")}
    with subprocess.Popen([sys.executable, *arguments], env=environment, stderr=subprocess.DEVNULL) as process:
        for _ in range(200):
            with closing(socket.socket()) as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
        process.terminate()
