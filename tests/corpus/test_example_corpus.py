import json
import runpy
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest

from rag_assets.evaluation.cases import load_cases
from rag_assets.settings import load_project

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "evals/corpus"
FILES = sorted(p for p in CORPUS.glob("*/*") if p.is_file())


@pytest.fixture(scope="module")
def inspected() -> dict[str, dict]:
    command = [sys.executable, "-m", "rag_assets.cli.main", "inspect", str(CORPUS)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    return {Path(d["source"]["uri"]).relative_to(CORPUS).as_posix(): d for d in found}


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_every_file_is_read_and_its_account_balances(file: Path, inspected: dict[str, dict]) -> None:
    found = inspected[file.relative_to(CORPUS).as_posix()]
    account = found["account"]
    assert found["source"]["status"] == "ok"
    assert (
        account["cells_in"]
        == account["cells_out"]
        == sum(account["placed"].values()) + sum(account["dropped"].values())
    )
    assert account["characters_in"] == account["characters_out"] + sum(account["characters_dropped"].values())


def test_the_collections_are_those_of_the_root_project() -> None:
    project = load_project(ROOT)
    assert {c.name: c.scope for c in project.collections} == {
        "transit": "public",
        "pricing": "financial",
        "policies": "public",
        "filings": "public",
    }
    assert "CC0" in (CORPUS / "README.md").read_text()


def test_the_workbook_is_as_its_script_makes_it(tmp_path: Path) -> None:
    target = tmp_path / "made.xlsx"
    runpy.run_path(str(ROOT / "scripts/make_discount_tiers.py"))["main"](target)
    sheets = [openpyxl.load_workbook(p).active for p in (target, CORPUS / "pricing/discount_tiers.xlsx")]
    made, kept = ([[(c.value, c.number_format) for c in row] for row in sheet.iter_rows()] for sheet in sheets)
    assert made == kept
    rows = [[value for value, _ in row] for row in kept[1:]]
    assert len(rows) == 40
    assert len({row[0] for row in rows}) == 6
    assert sum(round(row[2] * 100) for row in rows) == 376  # a mean of 9.4 %


def test_the_release_is_as_its_script_makes_it(tmp_path: Path) -> None:
    target = tmp_path / "made.html"
    runpy.run_path(str(ROOT / "scripts/make_earnings_release.py"))["main"](target)
    assert target.read_text() == (CORPUS / "filings/earnings_release.html").read_text()
    assert "<th" not in target.read_text()


def test_there_are_enough_cases_of_each_sort() -> None:
    cases = load_cases(ROOT / "evals").cases
    tags = {tag for case in cases for tag in case.tags}
    assert len(cases) >= 150
    assert {"edge", "ground", "aggregate", "refuse", "fresh", "ml", "scope", "injection"} <= tags
    assert {"edge-025", "agg-001"} <= {case.id for case in cases}
    sources = {p.relative_to(CORPUS).as_posix() for p in FILES}
    assert {source for case in cases for source in case.sources} <= sources
