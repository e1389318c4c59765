from pathlib import Path

import pytest

from rag_assets.cli.new_project import DAGSTER_YAML, WORKSPACE_YAML, collection_name, shards_for
from rag_assets.settings import load_project
from tests.cli.conftest import Say

ROOT = Path(__file__).parents[2]


def test_init_writes_a_project_that_loads(say: Say, tmp_path: Path) -> None:
    documents = tmp_path / "Price Books"
    documents.mkdir()
    (documents / "a.txt").write_text("Some words.")
    said = say("init", tmp_path / "shop", "--documents", documents, "--scope", "sales")
    assert said.status == 0
    project = load_project(tmp_path / "shop")
    only = project.collections[0]
    assert (only.name, only.scope, only.shards) == ("price-books", "sales", 1)
    assert project.file.default_scopes == ("sales",)
    assert Path(project.documents_url(only)) == documents
    for name in ("dagster.yaml", "workspace.yaml", "evals/cases"):
        assert (tmp_path / "shop" / name).exists()
    assert say("status", "--project", tmp_path / "shop").status == 0


def test_init_leaves_other_files_alone_and_refuses_a_project(say: Say, tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_text("telemetry: {enabled: true}\n")
    assert say("init", tmp_path).status == 0
    assert (tmp_path / "dagster.yaml").read_text() == "telemetry: {enabled: true}\n"
    again = say("init", tmp_path)
    assert again.status == 2
    assert "there is a project already" in again.err


def test_init_refuses_missing_documents_and_odd_scopes(say: Say, tmp_path: Path) -> None:
    assert say("init", tmp_path / "a", "--documents", tmp_path / "none").status == 2
    assert say("init", tmp_path / "b", "--scope", "x]: y").status == 2
    assert not (tmp_path / "b" / "sources.yaml").exists()


@pytest.mark.parametrize(("documents", "shards"), [(0, 1), (1000, 1), (1001, 2), (9999, 10), (10**6, 100)])
def test_a_shard_holds_about_a_thousand_documents(documents: int, shards: int) -> None:
    assert shards_for(documents) == shards


def test_a_collection_name_is_made_of_any_folder_name() -> None:
    assert collection_name("Handbook (2026)") == "handbook-2026"
    assert collection_name("価格") == "documents"


def test_a_new_project_gets_the_same_dagster_files_as_the_repo() -> None:
    assert (ROOT / "dagster.yaml").read_text() == DAGSTER_YAML
    assert (ROOT / "workspace.yaml").read_text() == WORKSPACE_YAML
