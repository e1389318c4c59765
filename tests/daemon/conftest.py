"""A project with a real Dagster daemon beside it, in a process group of its own."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import dagster as dg
import pytest

from rag_assets.settings import load_project
from rag_assets.store import Release, Store

REPOSITORY = Path(__file__).parents[2]
PUBLISHED_WITHIN_S = 60.0

SOURCES = """\
collections:
  - {name: fares, documents: ./fares, scope: public}
  - {name: notes, documents: ./notes, scope: public}
evals: ./evals
settings: {settle_s: 0.5}
"""

CASES = """\
suite: retrieval
cases:
  - id: fare-green
    question: What is the fare of the green line?
    sources: [fares/fares.md]
    expect: {must_contain: ["$3.00"]}
"""


class Running:
    """The project, its instance and its daemon."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(load_project(root).state_url)
        self.instance = dg.DagsterInstance.from_config(str(root))
        self.log = root / "daemon.log"
        self._daemon: subprocess.Popen[bytes] | None = None
        self._webserver: subprocess.Popen[bytes] | None = None
        self._port = 0

    def start(self) -> None:
        self._daemon = self._begin("dagster._daemon", "run", "-w", "workspace.yaml")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        daemon, self._daemon = self._daemon, None
        webserver, self._webserver = self._webserver, None
        for group in (daemon, webserver):
            if group is not None:
                end_group(group, how)

    def restart_with(self, settings: str) -> None:
        """Other settings than `settle_s: 0.5`."""
        self.stop()
        sources = self.root / "sources.yaml"
        sources.write_text(sources.read_text().replace("settle_s: 0.5", settings))
        self.start()

    def serve(self) -> None:
        """The webserver the UI talks to."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._webserver = self._begin(
            "dagster_webserver", "-w", "workspace.yaml", "-h", "127.0.0.1", "-p", str(self._port)
        )
        self.wait(self._answers, "an answer of the webserver")

    def graphql(self, query: str, **variables: object) -> dict[str, Any]:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = Request(f"http://127.0.0.1:{self._port}/graphql", body, {"Content-Type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)["data"]

    def command(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """A command-line run beside the daemon."""
        return self._begin("rag_assets.cli.main", *arguments)

    def _answers(self) -> bool:
        try:
            return bool(self.graphql("{ version }"))
        except OSError:
            return False

    def _begin(self, module: str, *arguments: str) -> "subprocess.Popen[bytes]":
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=self.root,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )

    def wait(self, holds: Callable[[], bool], what: str, within_s: float = PUBLISHED_WITHIN_S) -> float:
        began = time.monotonic()
        while not holds():
            if time.monotonic() - began > within_s:
                pytest.fail(f"{what} did not happen within {within_s:g} s; {self.log.read_text()[-3000:]}")
            time.sleep(0.2)
        return time.monotonic() - began

    def published(self, number: int) -> float:
        return self.wait(lambda: self.store.current_number() == number, f"release {number}")

    def release(self) -> Release:
        found = self.store.current()
        assert found is not None
        return found

    def skipped(self, text: str) -> bool:
        """The newest tick of the sensor was skipped with this reason."""
        for state in self.instance.all_instigator_state():
            if state.instigator_name == "source_changes":
                ticks = self.instance.get_ticks(state.instigator_origin_id, state.selector_id, limit=1)
                return any(text in (tick.skip_reason or "") for tick in ticks)
        return False

    def runs(self) -> list[dg.DagsterRun]:
        return list(self.instance.get_runs())


def end_group(process: "subprocess.Popen[bytes]", how: signal.Signals) -> None:
    """The whole group ends: a daemon that lives on would write beside its successor."""
    os.killpg(process.pid, how)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    root = tmp_path / "project"
    files = {
        "sources.yaml": SOURCES,
        "fares/fares.md": "# Fares\n\n| Line | Fare |\n|---|---|\n| Blue | $2.00 |\n| Green | $3.00 |\n",
        "notes/hours.md": "# Hours\n\nThe desk opens at nine.\n",
        "evals/cases/fares.yaml": CASES,
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    for name in ("dagster.yaml", "workspace.yaml"):
        shutil.copy(REPOSITORY / name, root / name)
    storage = root / ".rag-assets" / "dagster"
    storage.mkdir(parents=True)
    monkeypatch.setenv("DAGSTER_HOME", str(root))
    monkeypatch.setenv("RAG_ASSETS_PROJECT", str(root))
    monkeypatch.setenv("RAG_ASSETS_DAGSTER_STORAGE", str(storage))
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    found = Running(root)
    found.start()
    try:
        yield found
    finally:
        found.stop()
        found.instance.dispose()
