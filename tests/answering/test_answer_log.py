"""The answer log: what an owner learns of the answers, and what stays unsaid."""

import json
import shutil
from pathlib import Path

import pytest

from rag_assets import open_corpus
from rag_assets.answering.answer_log import append_line, log_name, read_log
from rag_assets.corpus import answer_log_folder
from rag_assets.settings import load_project
from tests.cli.conftest import Say, say, write_project
from tests.cli.published import publish_now

__all__ = ["say"]
UNKNOWN = "How many days in Atlantis?"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_project(tmp_path_factory.mktemp("asked"))
    publish_now(root)
    return root


@pytest.fixture
def shop(published: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(published, tmp_path / "shop"))


def keep_questions(shop: Path) -> None:
    file = shop / "sources.yaml"
    file.write_text(f"{file.read_text()}settings: {{log_questions: true}}\n")


def lines(shop: Path, name: str) -> list[dict[str, object]]:
    folder = answer_log_folder(load_project(shop))
    assert folder is not None
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_each_answer_is_one_line_without_its_words(shop: Path) -> None:
    with open_corpus(shop) as corpus:
        corpus.ask("How many days in Norway?")
        corpus.ask(UNKNOWN)
    first, second = lines(shop, "public.jsonl")
    assert (first["outcome"], second["outcome"]) == ("answered", "below_floor")
    assert first["question"] != second["question"]
    assert set(first) == {"at", "question", "release", "floor", "outcome", "tools", "suggested_tool", "latency_ms"}
    assert "Norway" not in json.dumps(first)


def test_texts_are_kept_where_the_owner_says_so(shop: Path) -> None:
    keep_questions(shop)
    with open_corpus(shop) as corpus:
        corpus.ask(UNKNOWN)
    assert lines(shop, "public.jsonl")[0]["text"] == UNKNOWN


def test_each_set_of_scopes_has_a_file_of_its_own(shop: Path) -> None:
    with open_corpus(shop, scopes={"sales", "public"}) as corpus:
        corpus.ask("What is the price of Rope?")
    assert len(lines(shop, "public+sales.jsonl")) == 1
    assert log_name({"../../etc", "x"}) == log_name({"x", "../../etc"})
    assert "/" not in log_name({"../../etc"})


def test_what_was_declined_most_comes_first(shop: Path, say: Say) -> None:
    keep_questions(shop)
    with open_corpus(shop) as corpus:
        for question in (UNKNOWN, "Who wrote Faust?", UNKNOWN.upper(), "How many days in Norway?"):
            corpus.ask(question)
    said = say("status", "--answers", "--project", shop)
    assert said.status == 0
    assert "answered" in said.out
    assert said.out.index(UNKNOWN) < said.out.index("Who wrote Faust?")
    tally = json.loads(say("status", "--answers", "--json", "--project", shop).out)["answers"][0]
    assert tally["declined"][0] == [UNKNOWN, 2]


def test_a_log_that_cannot_be_written_loses_no_answer(shop: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = answer_log_folder(load_project(shop))
    assert folder is not None
    folder.write_text("a file where the folder should be")
    with open_corpus(shop) as corpus:
        assert corpus.ask("How many days in Norway?").status == "answered"
    assert "answer log" in caplog.text


def test_a_line_cut_off_by_a_crash_is_left_out(tmp_path: Path) -> None:
    line = json.dumps({"question": "q", "outcome": "answered", "tools": [], "latency_ms": 3})
    append_line(tmp_path, "public.jsonl", line)
    append_line(tmp_path, "public.jsonl", line[:20])
    (tally,) = read_log(tmp_path)
    assert (tally.answers, tally.outcomes) == (1, (("answered", 1),))


def test_a_full_file_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_assets.answering.answer_log.MAX_BYTES", 100)
    line = json.dumps({"question": "q", "outcome": "answered", "tools": [], "latency_ms": 3})
    for _ in range(7):
        append_line(tmp_path, "public.jsonl", line)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public.jsonl", "public.jsonl.1"]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 400
