import json
from pathlib import Path

import pytest

from tests.cli.conftest import Say
from tests.cli.published import publish_now


def test_search_prints_passages_best_first(say: Say, published_shop: Path) -> None:
    said = say("search", "days in Chile", "--project", published_shop, "--json")
    passages = json.loads(said.out)
    assert said.status == 0
    assert [p["rank"] for p in passages] == list(range(1, len(passages) + 1))
    first = passages[0]
    assert first["source"] == "rules/returns.md"
    assert "25" in first["text"]
    wanted = {
        "rank",
        "score",
        "chunk",
        "kind",
        "collection",
        "source",
        "sha256",
        "heading_path",
        "addresses",
        "text",
        "also",
    }
    assert wanted <= set(first)


def test_nothing_of_another_scope_is_found(say: Say, published_shop: Path) -> None:
    hidden = say("search", "rope price", "--project", published_shop, "--json")
    seen = say("search", "rope price", "--project", published_shop, "--scope", "sales", "--json")
    unknown = say("search", "rope price", "--project", published_shop, "--scope", "nobody", "--json")
    assert "Rope" not in hidden.out
    assert "Rope" in seen.out
    assert (unknown.status, unknown.out) == (0, "[]\n")


def test_k_words_and_kind_bound_the_list(say: Say, published_shop: Path) -> None:
    project = ("--project", published_shop, "--json")
    assert len(json.loads(say("search", "days", "-k", "1", *project).out)) == 1
    records = json.loads(say("search", "days", "--kind", "record", *project).out)
    assert {p["kind"] for p in records} == {"record"}
    few = json.loads(say("search", "days", "--words", "6", *project).out)
    assert sum(len(p["text"].split()) for p in few[1:]) <= 6


def test_a_batch_answers_each_line_under_its_id(say: Say, published_shop: Path, tmp_path: Path) -> None:
    batch = tmp_path / "questions.jsonl"
    batch.write_text('{"id": "a", "query": "days in Norway"}\n\n{"id": 7, "query": "zzzz"}\n')
    said = say("search", "--batch", batch, "--project", published_shop)
    first, second = (json.loads(line) for line in said.out.splitlines())
    assert first["id"] == "a"
    assert "30" in first["passages"][0]["text"]
    assert second == {"id": 7, "passages": []}


def test_a_bad_batch_line_names_file_and_line(say: Say, published_shop: Path, tmp_path: Path) -> None:
    batch = tmp_path / "questions.jsonl"
    batch.write_text('{"id": "a", "query": "days"}\nnot json\n')
    said = say("search", "--batch", batch, "--project", published_shop)
    assert said.status == 2
    assert f"{batch}:2:" in said.err


def test_wrong_use_is_refused(say: Say, published_shop: Path) -> None:
    assert say("search", "--project", published_shop).status == 2
    said = say("search", "days", "--kind", "poem", "--project", published_shop)
    assert said.status == 2
    assert "expected one of prose" in said.err
    assert say("search", "days", "-k", "0", "--project", published_shop).status == 2
    assert say("search", "days", "--release", "9", "--project", published_shop).status == 2


def test_before_the_first_release_search_says_what_to_do(say: Say, unpublished: Path) -> None:
    said = say("search", "days", "--project", unpublished)
    assert said.status == 2
    assert "run `rag-assets ingest`" in said.err
    assert len(said.err.splitlines()) == 1


def test_explain_says_what_each_term_adds_and_where_the_passage_came_from(say: Say, published_shop: Path) -> None:
    said = say("search", "days in Chile", "--explain", "--json", "--project", published_shop)
    for passage in json.loads(said.out):
        why = passage["explanation"]
        assert sum(term["share"] for term in why["terms"]) == pytest.approx(passage["score"])
        assert why["view"] in {"itself", "expanded", "instead"}
        assert why["rank_before"] >= 1
    shown = say("search", "days in Chile", "--explain", "--project", published_shop).out
    assert "why: found itself, hit 1 before expansion and collapse" in shown
    assert "chile  (idf " in shown
    assert "why:" not in say("search", "days in Chile", "--project", published_shop).out


def test_a_text_that_stands_twice_is_shown_once_with_all_its_sources(say: Say, shop: Path) -> None:
    for name in ("one", "two"):
        (shop / "rules" / f"{name}.md").write_text("# Kayaks\n\nKayaks are rinsed with fresh water.\n")
    publish_now(shop, "run-2")
    said = say("search", "kayaks rinsed", "--json", "--project", shop)
    found = [p for p in json.loads(said.out) if "rinsed" in p["text"]]
    assert len(found) == 1
    assert {found[0]["source"], *(o["source"] for o in found[0]["also"])} == {"rules/one.md", "rules/two.md"}
    assert "also in rules/two.md" in say("search", "kayaks rinsed", "--project", shop).out
