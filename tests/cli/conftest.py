"""A tiny project, published once for the whole run and copied for the tests that change it; and the command line."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from rag_assets.cli.main import exit_status
from tests.cli.published import publish_now

SOURCES = """\
default_scopes: [public]
collections:
  - {name: rules, documents: ./rules, scope: public}
  - {name: prices, documents: ./prices, scope: sales}
evals: ./evals
"""
RULES = "# Returns\n\nLast changed in May.\n\n| Country | Days |\n|---|---|\n| Norway | 30 |\n| Chile | 25 |\n"
PRICES = "item,price,colour\nRope,$12.00,blue\nBuoy,$30.00,red\nLamp,$18.00,red\n"
CASES = """\
suite: retrieval
cases:
  - {id: days-001, question: days in Norway, sources: [rules/returns.md], expect: {must_contain: ["30"]}}
  - {id: days-002, question: days in Chile, sources: [rules/returns.md], expect: {must_contain: ["99"]}}
"""


class Said(NamedTuple):
    status: int
    out: str
    err: str


Say = Callable[..., Said]


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run one command line in this process."""
    for name in ("RAG_ASSETS_PROJECT", "DAGSTER_HOME", "RAG_ASSETS_DAGSTER_STORAGE"):
        monkeypatch.setenv(name, "set so that it is restored")
        monkeypatch.delenv(name)

    def run(*arguments: object) -> Said:
        capfd.readouterr()
        status = exit_status([str(a) for a in arguments])
        out, err = capfd.readouterr()
        return Said(status, out, err)

    return run


def write_project(root: Path) -> Path:
    for name, content in {
        "sources.yaml": SOURCES,
        "rules/returns.md": RULES,
        "prices/list.csv": PRICES,
        "evals/cases/days.yaml": CASES,
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


@pytest.fixture(scope="session")
def published_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read it only."""
    root = write_project(tmp_path_factory.mktemp("shop"))
    publish_now(root)
    return root


@pytest.fixture
def shop(published_shop: Path, tmp_path: Path) -> Path:
    """A copy that the test may change."""
    return Path(shutil.copytree(published_shop, tmp_path / "shop"))


@pytest.fixture
def unpublished(tmp_path: Path) -> Path:
    return write_project(tmp_path / "new")
