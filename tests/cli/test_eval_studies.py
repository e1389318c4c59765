import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.answering.scripted_server import Body, Reply, Served, scripted_server
from tests.cli.conftest import RULES, Say
from tests.cli.published import publish_now


def test_compare_prints_the_table_of_a_decision_record(say: Say, shop: Path) -> None:
    (shop / "rules/returns.md").write_text(RULES.replace("25", "99"))
    publish_now(shop, "run-2")
    said = say("eval", "compare", "1", "2", "--project", shop)
    assert said.status == 0
    assert "1/2 → 2/2" in said.out
    assert json.loads(say("eval", "compare", "1", "2", "--json", "--project", shop).out)["mended"] == ["days-002"]


def test_ablate_leaves_the_state_as_it_was(say: Say, shop: Path) -> None:
    before = sorted(p for p in (shop / ".rag-assets").rglob("*"))
    said = say("eval", "ablate", "records", "--project", shop)
    assert said.status == 0
    assert said.out.startswith("records")
    assert sorted(p for p in (shop / ".rag-assets").rglob("*")) == before
    assert say("eval", "ablate", "nonsense", "--project", shop).status == 2


def test_report_is_one_offline_page(say: Say, published_shop: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    said = say("eval", "report", "--out", page, "--project", published_shop)
    assert (said.status, said.out) == (0, f"{page}\n")
    text = page.read_text()
    assert "days-002" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    only = tmp_path / "sales.html"
    say("eval", "report", "--scope", "sales", "--out", only, "--project", published_shop)
    assert "days-002" not in only.read_text()


def test_generate_gives_the_same_cases_for_the_same_seed(say: Say, published_shop: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        said = say(
            "eval", "generate", "--limit", "20", "--seed", "3", "--out", tmp_path / name, "--project", published_shop
        )
        assert said.status == 0
    first, second = ({p.name: p.read_text() for p in (tmp_path / name).iterdir()} for name in ("a", "b"))
    assert first == second
    assert sum(len(yaml.safe_load(text)["cases"]) for text in first.values()) == 20


def test_calibrate_without_calibration_cases_says_what_is_missing(say: Say, published_shop: Path) -> None:
    said = say("eval", "calibrate", "--project", published_shop)
    assert said.status == 2
    assert "split: calibrate" in said.err


FARE_CASES = """\
suite: answers
scopes: [sales]
cases:
  - {id: fare-1, question: "What is the price of Rope?", sources: [prices/list.csv], expect: {must_contain: ["$12.00"]}}
  - {id: fare-2, question: "What is the price of Sails?", sources: [prices/list.csv], expect: {abstains: true}}
"""


def judged(messages: list[Body], _before: int) -> Reply:
    """Answers nothing of its own; rules that everything passed."""
    asked = str(messages[0]["content"]).startswith("You judge one answer")
    return Reply('{"passed": true, "why": "as expected"}' if asked else "I cannot tell.")


@pytest.fixture
def with_model(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    (shop / "evals/cases/fares.yaml").write_text(FARE_CASES)
    with scripted_server(judged) as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_MODEL", "scripted")
        yield served


def test_judge_reports_how_far_the_model_agrees_with_known_verdicts(say: Say, shop: Path, with_model: Served) -> None:
    said = say("eval", "judge", "--extractive", "--project", shop)
    assert said.status == 0, said.err
    assert "agrees with the deterministic verdicts on 100.0% of 2 cases" in said.out
    asked = len(with_model.requests)
    found = json.loads(say("eval", "judge", "--extractive", "--json", "--project", shop).out)
    assert len(with_model.requests) == asked, "rulings are kept by content"
    assert found["agreement"]["agreed"] == 2
    assert {one["model"] for one in found["rulings"]} == {"scripted"}


def test_judge_takes_labels_of_a_person(say: Say, shop: Path, with_model: Served, tmp_path: Path) -> None:
    labels = tmp_path / "labels.yaml"
    labels.write_text("fare-1: false\nfare-2: true\n")
    found = json.loads(say("eval", "judge", "--extractive", "--labels", labels, "--json", "--project", shop).out)
    assert (found["agreement"]["n"], found["agreement"]["agreed"]) == (2, 1)
    labels.write_text("fare-1: perhaps\n")
    assert say("eval", "judge", "--labels", labels, "--project", shop).status == 2


def test_judge_scores_the_models_own_answers(say: Say, shop: Path, with_model: Served) -> None:
    found = json.loads(say("eval", "judge", "--json", "--project", shop).out)
    assert {one["case"]: one["verdict"] for one in found["answers"]} == {"fare-1": "failed", "fare-2": "passed"}


def test_judge_without_a_model_says_how_to_set_one(say: Say, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    said = say("eval", "judge", "--project", shop)
    assert said.status == 2
    assert "OPENAI_BASE_URL" in said.err


def test_a_report_of_an_unknown_scope_is_refused(say: Say, published_shop: Path, tmp_path: Path) -> None:
    said = say("eval", "report", "--scope", "nosuch", "--out", tmp_path / "page.html", "--project", published_shop)
    assert said.status == 2
    assert "no collection has the scope 'nosuch'" in said.err
    assert not (tmp_path / "page.html").exists()
