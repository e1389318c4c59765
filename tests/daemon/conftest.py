"""A project with a real Dagster daemon beside it, in a process group of its own."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

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

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._daemon = subprocess.Popen(
                [sys.executable, "-m", "dagster._daemon", "run", "-w", "workspace.yaml"],
                cwd=self.root,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """The whole group ends: a daemon that lives on would write beside its successor."""
        if self._daemon is None:
            return
        group, self._daemon_was, self._daemon = self._daemon.pid, self._daemon, None
        os.killpg(group, how)
        try:
            self._daemon_was.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(group, signal.SIGKILL)
            self._daemon_was.wait(10)
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            return

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
