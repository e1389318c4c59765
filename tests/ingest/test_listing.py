"""What counts as a source, and how it is named."""

from pathlib import Path

import pytest

from rag_assets.errors import InputError
from rag_assets.ingest.listing import cited, list_collection, shard_of
from rag_assets.settings import Collection, Project, SourcesFile


def names(root: Path, **more: tuple[str, ...]) -> list[str]:
    collection = Collection(name="docs", documents=str(root), scope="public", **more)
    listing = list_collection(Project(root, SourcesFile(collections=(collection,)), ""), collection)
    return [file.name for file in listing.files]


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("text")


def test_every_file_below_the_folder_is_a_source_in_order_of_names(tmp_path: Path) -> None:
    make(tmp_path, "b.csv", "a/deep/er.md", "a.txt")
    assert names(tmp_path) == ["a.txt", "a/deep/er.md", "b.csv"]


def test_leftovers_of_editors_and_override_files_are_none(tmp_path: Path) -> None:
    make(tmp_path, "a.csv", "~$a.xlsx", "x/.DS_Store", "Thumbs.db", "b.tmp", ".git/HEAD", "a.csv.tables.yaml")
    assert names(tmp_path) == ["a.csv"]


def test_include_and_exclude_choose(tmp_path: Path) -> None:
    make(tmp_path, "a.csv", "b.md", "old/c.csv", "old/d.md")
    assert names(tmp_path, include=("**/*.csv",)) == ["a.csv", "old/c.csv"]
    assert names(tmp_path, exclude=("old/**",)) == ["a.csv", "b.md"]
    assert names(tmp_path, include=("*.csv",)) == ["a.csv"]


def test_an_override_file_belongs_to_the_source_beside_it(tmp_path: Path) -> None:
    make(tmp_path, "x/a.csv", "x/a.csv.tables.yaml")
    collection = Collection(name="docs", documents=str(tmp_path), scope="public")
    listing = list_collection(Project(tmp_path, SourcesFile(collections=(collection,)), ""), collection)
    assert listing.overrides == {"x/a.csv": str(tmp_path / "x/a.csv.tables.yaml")}


def test_a_missing_folder_is_said_to_be_missing(tmp_path: Path) -> None:
    collection = Collection(name="docs", documents=str(tmp_path / "none"), scope="public")
    listing = list_collection(Project(tmp_path, SourcesFile(collections=(collection,)), ""), collection)
    assert listing.missing


def test_documents_elsewhere_are_refused_in_one_line(tmp_path: Path) -> None:
    collection = Collection(name="docs", documents="ftp://example.com/docs", scope="public")
    with pytest.raises(InputError, match="documents cannot be read from ftp://"):
        list_collection(Project(tmp_path, SourcesFile(collections=(collection,)), ""), collection)


def test_names_are_cited_composed_and_printable() -> None:
    assert cited("cafe\u0301.txt") == "caf\u00e9.txt"
    assert cited("a\tb.txt") == "a\\tb.txt"
    assert cited("bad\udcff.txt") == "bad\\udcff.txt"
    assert cited("plain name.txt") == "plain name.txt"


def test_shards_depend_on_the_name_alone() -> None:
    assert [shard_of(f"note{n}.txt", 4) for n in range(6)] == [shard_of(f"note{n}.txt", 4) for n in range(6)]
    assert {shard_of(f"note{n}.txt", 4) for n in range(40)} == {0, 1, 2, 3}
    assert shard_of("anything", 1) == 0
