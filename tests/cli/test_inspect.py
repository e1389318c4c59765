import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Say


def test_a_document_is_one_compact_line_with_all_parts(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "fares.csv"
    file.write_text("line,fare\nA,$2.00\nB,$3.00\n")
    said = say("inspect", file)
    assert said.status == 0
    assert said.out.count("\n") == 1
    found = json.loads(said.out)
    assert list(found) == ["source", "blocks", "grids", "tables", "statements", "chunks", "account"]
    assert found["source"]["uri"] == str(file)
    cell = found["tables"][0]["rows"][1]["cells"][0]
    assert (cell["text"], cell["value"], cell["unit"], cell["address"]) == ("$3.00", 3, "$", "r3c2")


def test_a_folder_is_listed_by_path_under_the_name_it_was_given(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.txt", "a/z.txt", "a.txt"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Some words.")
    monkeypatch.chdir(tmp_path)
    said = say("inspect", "docs")
    uris = [json.loads(line)["source"]["uri"] for line in said.out.splitlines()]
    assert uris == ["docs/a.txt", "docs/a/z.txt", "docs/b.txt"]


def test_what_cannot_be_read_is_quarantined_in_its_place(say: Say, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words.")
    (tmp_path / "b.txt").write_text("")
    (tmp_path / "c.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    (tmp_path / "d.txt").symlink_to(tmp_path / "a.txt")
    os.mkfifo(tmp_path / "e.txt")
    (tmp_path / "f.txt").write_text("More words.")
    said = say("inspect", tmp_path)
    found = [json.loads(line) for line in said.out.splitlines()]
    assert said.status == 0
    assert [d["source"]["reason"] for d in found] == [None, "empty_file", "truncated", "symlink", "not_regular", None]
    assert all(not d[part] for d in found[1:5] for part in ("blocks", "grids", "tables", "statements", "chunks"))


def test_addresses_name_the_place_of_each_cell(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "fares.csv"
    file.write_text("line,fare\nA,2\nB,3\n")
    found = json.loads(say("inspect", "--addresses", file).out)
    places = {one["address"]: one["place"] for one in found["addresses"]}
    assert len(places) == found["account"]["cells_in"] == 6
    assert places["r1c2"] == "header"
    assert places["r2c2"] == "body"


def test_pretty_draws_headings_and_rows(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "fares.csv"
    file.write_text("line,fare\nA,$2.00\nB,$3.00\n")
    said = say("inspect", "--pretty", file)
    assert "fare" in said.out
    assert "$3.00" in said.out
    assert "{" not in said.out


def test_an_override_file_beside_the_source_is_obeyed(say: Say, tmp_path: Path) -> None:
    (tmp_path / "fares.csv").write_text("line,fare\nA,2\nB,3\n")
    (tmp_path / "fares.csv.tables.yaml").write_text("tables:\n  - {table: 1, name: bus_fares}\n")
    said = say("inspect", tmp_path)
    assert len(said.out.splitlines()) == 1
    assert json.loads(said.out)["tables"][0]["name"] == "lookup_bus_fares"


def test_a_missing_path_is_one_line_and_status_2(say: Say, tmp_path: Path) -> None:
    said = say("inspect", tmp_path / "nothing.txt")
    assert said.status == 2
    assert said.out == ""
    assert said.err.splitlines() == [f"rag-assets: {tmp_path}/nothing.txt: no such file or folder"]
