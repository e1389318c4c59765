"""sources.yaml: defaults, and messages that name file, line and key."""

from pathlib import Path

import pytest

from rag_assets.errors import InputError, SettingsError
from rag_assets.settings import find_project, load_project, parse_sources

ONE = "collections:\n  - {name: docs, documents: ./docs, scope: public}\n"


def message(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        parse_sources(text, Path("sources.yaml"))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_collection_needs_no_more_than_name_documents_and_scope() -> None:
    file = parse_sources(ONE, Path("sources.yaml"))
    assert file.default_scopes == ("public",)
    assert file.state == ".rag-assets"
    assert file.settings.max_tokens == 320
    assert file.settings.keep_releases == 3
    assert file.collections[0].include == ("**/*",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("collections: [", "sources.yaml:1: not YAML"),
        ("- a\n", "sources.yaml:1: expected a mapping with `collections:`, found list"),
        ("", "sources.yaml:1: expected a mapping with `collections:`, found NoneType"),
        (ONE + "setings: {}\n", "sources.yaml:3: setings: unknown key"),
        (ONE + "settings:\n  max_tokens: 4\n", "sources.yaml:4: settings.max_tokens"),
        (ONE + "settings:\n  retrieval:\n    k2: 1\n", "sources.yaml:5: settings.retrieval.k2: unknown key"),
        ("collections:\n  - name: docs\n    documents: ./docs\n", "sources.yaml:2: collections.0.scope"),
        ("collections:\n  - {name: A b, documents: ./d, scope: s}\n", "sources.yaml:2: collections.0.name"),
        (ONE + "  - {name: docs, documents: ./other, scope: public}\n", "two collections are named 'docs'"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_key(text: str, expected: str) -> None:
    assert expected in message(text)


def test_a_missing_file_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file: run `rag-assets init"):
        load_project(tmp_path)


def test_a_file_that_is_no_text_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        load_project(tmp_path)


def test_partitions_are_the_collection_or_its_shards(tmp_path: Path) -> None:
    text = ONE + "  - {name: wide, documents: s3://bucket/wide, scope: public, shards: 3}\n"
    (tmp_path / "sources.yaml").write_text(text)
    project = load_project(tmp_path)
    assert [p.key for p in project.partitions] == ["docs", "wide/00", "wide/01", "wide/02"]
    assert project.partition("wide/01").shard == 1
    assert project.documents_url(project.collections[0]) == str(tmp_path / "docs")
    assert project.documents_url(project.collections[1]) == "s3://bucket/wide"
    assert project.state_url == str(tmp_path / ".rag-assets")


def test_an_unknown_partition_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_text(ONE)
    with pytest.raises(SettingsError, match="no partition 'other'"):
        load_project(tmp_path).partition("other")


def test_the_project_is_found_upwards_or_by_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sources.yaml").write_text(ONE)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find_project(below) == tmp_path
    monkeypatch.setenv("RAG_ASSETS_PROJECT", str(tmp_path / "named"))
    assert find_project() == tmp_path / "named"


def test_no_project_anywhere_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="run `rag-assets init DIR`, or pass --project DIR"):
        find_project(tmp_path)
