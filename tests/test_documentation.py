"""The documentation names what exists: settings, commands, packages, quarantine reasons."""

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from rag_assets.model.document import Reason
from rag_assets.settings import Collection, Settings, SourcesFile

ROOT = Path(__file__).parent.parent


def keys_of(model: type[BaseModel]) -> list[str]:
    return list(model.model_fields)


@pytest.mark.parametrize("model", [SourcesFile, Collection, Settings], ids=lambda m: m.__name__)
def test_every_setting_is_in_the_reference(model: type[BaseModel]) -> None:
    page = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    missing = [key for key in keys_of(model) if not re.search(rf"(`|### |`.*){key}\b", page)]
    assert missing == []


def test_every_key_of_a_group_of_settings_is_in_the_reference() -> None:
    page = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    groups = [type(value) for _, value in Settings() if isinstance(value, BaseModel)]
    assert [key for group in groups for key in keys_of(group) if key not in page] == []


def test_every_dependency_says_why_it_is_there() -> None:
    page = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[\w-]+", line)[0] for line in project["dependencies"]]  # ty: ignore[not-subscriptable]
    assert [name for name in names if name not in page] == []


def test_the_locks_name_no_download_address() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        assert "://" not in (ROOT / lock).read_text(encoding="utf-8")


def test_every_quarantine_reason_says_how_to_mend_it() -> None:
    page = (ROOT / "docs/reference/quarantine.md").read_text(encoding="utf-8")
    assert [reason for reason in Reason if f"`{reason}`" not in page] == []


@pytest.mark.parametrize("page", ["commands", "metadata"])
def test_the_reference_is_what_the_code_says(page: str) -> None:
    from scripts import reference_pages

    made = getattr(reference_pages, f"{page}_page")()
    written = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
    assert written == made, "run scripts/reference_pages.py"


def test_the_evals_page_counts_the_cases_that_are_there() -> None:
    from rag_assets.evaluation.cases import load_cases

    page = (ROOT / "EVALS.md").read_text(encoding="utf-8")
    suites = [case.suite for case in load_cases(ROOT / "evals").cases if case.split != "held_out"]
    rows = [re.search(rf"^\| {suite} \| (\d+) \|", page, re.MULTILINE) for suite in sorted(set(suites))]
    counted = [int(row[1]) if row else 0 for row in rows]
    assert counted == [suites.count(suite) for suite in sorted(set(suites))], "run scripts/evals_page.py"


def test_every_link_of_the_readme_leads_somewhere() -> None:
    for page in ("README.md", "ARCHITECTURE.md"):
        links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8"))
        assert [link for link in links if not (ROOT / link).exists()] == []
