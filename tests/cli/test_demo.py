import shutil
from pathlib import Path

import pytest

import rag_assets.cli.demo as demo_module
from tests.cli.conftest import Say


@pytest.mark.slow
def test_the_demo_answers_refuses_and_survives_broken_headers(say: Say, tmp_path: Path) -> None:
    said = say("demo", tmp_path / "demo", "--break-headers")
    assert said.status == 0
    for part in (
        "UC Davis Aggie Card: Undergraduate or UCDE Global Study Only",
        "45 Woodland Express, Adult: $3.00",
        "#table-1!r",
        "declined (not_found)",
        "40 matched of 40; complete",
        "hit@1",
        "id ",
        "dagster dev",
        "the gate: red",
        "unchanged",
        "answers: the same",
    ):
        assert part in said.out


def test_an_installed_package_says_that_the_corpus_is_in_the_repository(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_module, "__file__", str(tmp_path / "site-packages/rag_assets/cli/demo.py"))
    said = say("demo")
    assert said.status == 2
    assert "comes with the repository" in said.err
    assert len(said.err.splitlines()) == 1


def test_the_demo_does_not_touch_another_project(say: Say, published_shop: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(published_shop, tmp_path / "other"))
    shutil.rmtree(other / "evals")
    said = say("demo", other)
    assert said.status == 2
    assert "holds another project" in said.err
