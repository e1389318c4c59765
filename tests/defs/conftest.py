"""A tiny project and a real Dagster instance of its own."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from rag_assets.settings import Project, load_project

SOURCES = """\
collections:
  - {name: fares, documents: ./fares, scope: public}
  - {name: notes, documents: ./notes, scope: staff}
evals: ./evals
settings: {settle_s: 0}
"""

FARES = """\
# Fares

| Line | Fare |
|---|---|
| Blue | $2.00 |
| Green | $3.00 |
"""

CASES = """\
suite: retrieval
cases:
  - id: fare-green
    question: What is the fare of the green line?
    scopes: [public]
    sources: [fares/fares.md]
    expect: {must_contain: ["$3.00"]}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "sources.yaml": SOURCES,
        "fares/fares.md": FARES,
        "notes/hours.md": "# Hours\n\nThe desk opens at nine.\n",
        "evals/cases/fares.yaml": CASES,
    }
    for name, content in files.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "project"


@pytest.fixture
def project(root: Path) -> Project:
    return load_project(root)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    home = tmp_path / "dagster"
    home.mkdir()
    with dg.DagsterInstance.local_temp(str(home), overrides={"telemetry": {"enabled": False}}) as found:
        yield found
