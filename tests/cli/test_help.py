import subprocess
import sys
import time

import pytest
import typer

from rag_assets.cli.main import app
from tests.cli.conftest import Say

HEAVY = ("dagster", "openai", "polars", "duckdb", "pyarrow", "numpy")


def commands() -> list[tuple[str, ...]]:
    root = typer.main.get_command(app)
    names = []
    for name, command in root.commands.items():
        inner = getattr(command, "commands", None)
        names += [(name, one) for one in inner] if inner else [(name,)]
    return sorted(names)


@pytest.mark.parametrize("path", commands(), ids=" ".join)
def test_every_command_has_help_with_an_example(say: Say, path: tuple[str, ...]) -> None:
    said = say(*path, "--help")
    assert said.status == 0
    assert f"Example: rag-assets {' '.join(path)}" in " ".join(said.out.split())


@pytest.mark.parametrize("path", [p for p in commands() if p not in {("init",), ("demo",), ("inspect",)}], ids=" ".join)
def test_every_command_over_a_project_takes_project_and_quiet(say: Say, path: tuple[str, ...]) -> None:
    shown = say(*path, "--help").out
    assert "--project" in shown
    assert "--quiet" in shown


def imported(*arguments: str) -> set[str]:
    code = (
        "import sys; from rag_assets.cli.main import exit_status; "
        f"exit_status({list(arguments)!r}); print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in ran.stderr.split()}


def test_help_loads_no_heavy_library() -> None:
    assert not imported("search", "--help") & set(HEAVY)


def test_search_never_loads_dagster_or_openai(published_shop) -> None:
    assert not imported("search", "days", "--project", str(published_shop)) & {"dagster", "openai"}


def test_help_is_quick() -> None:
    started = time.process_time()
    subprocess.run([sys.executable, "-m", "rag_assets.cli.main", "--help"], capture_output=True, check=True)
    assert time.process_time() - started < 2
