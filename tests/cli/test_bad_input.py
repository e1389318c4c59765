from pathlib import Path

import pytest

from tests.cli.conftest import Say


def one_line(err: str) -> str:
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert "Traceback" not in err
    return lines[0]


def test_a_missing_sources_file(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = say("status")
    assert said.status == 2
    assert "no sources.yaml" in one_line(said.err)
    assert say("ingest", "--project", tmp_path).status == 2


def test_malformed_yaml_names_file_and_line(say: Say, unpublished: Path) -> None:
    (unpublished / "sources.yaml").write_text("collections:\n  - name: [a\n")
    said = say("ingest", "--project", unpublished)
    assert said.status == 2
    assert f"{unpublished}/sources.yaml:3" in one_line(said.err) or "sources.yaml:2" in said.err


def test_an_unknown_key_names_file_line_and_key(say: Say, unpublished: Path) -> None:
    path = unpublished / "sources.yaml"
    path.write_text(path.read_text() + "settings:\n  max_token: 3\n")
    line = one_line(say("status", "--project", unpublished).err)
    assert f"{path}:7: settings.max_token: unknown key" in line


def test_a_bad_case_file_names_file_line_and_field(say: Say, unpublished: Path) -> None:
    path = unpublished / "evals/cases/days.yaml"
    path.write_text("suite: answers\ncases:\n  - {id: a, question: b, expects: {abstains: true}}\n")
    said = say("status", "--project", unpublished)
    assert said.status == 2
    assert f"{path}:3: expects: unknown key" in one_line(said.err)


def test_an_unknown_command_and_flag(say: Say) -> None:
    for arguments in (("serch", "x"), ("search", "x", "--scop", "y")):
        said = say(*arguments)
        assert said.status == 2
        one_line(said.err)


def test_an_unknown_collection(say: Say, unpublished: Path) -> None:
    said = say("ingest", "--collection", "price", "--project", unpublished)
    assert said.status == 2
    assert "sources.yaml names rules, prices" in one_line(said.err)


def test_allow_needs_a_reason(say: Say, unpublished: Path) -> None:
    said = say("ingest", "--allow", "days-001", "--project", unpublished)
    assert said.status == 2
    assert "--why" in one_line(said.err)


def test_a_state_that_cannot_be_written(say: Say, unpublished: Path) -> None:
    (unpublished / ".rag-assets").write_text("a file where the state should be")
    said = say("ingest", "--project", unpublished)
    assert said.status == 2
    assert "cannot be written" in one_line(said.err)


def test_lookup_arguments_that_are_no_object(say: Say, published_shop: Path) -> None:
    for text in ("{", "[1]"):
        said = say("lookup", "lookup_list", "--args", text, "--project", published_shop)
        assert said.status == 2
        assert "--args" in one_line(said.err)
