import json
from pathlib import Path

from rag_assets.evaluation.judgement import judge_candidate
from rag_assets.ingest.candidate import make_candidate
from rag_assets.settings import load_project
from rag_assets.store import Store
from tests.cli.conftest import CASES, RULES, Say
from tests.cli.published import publish_now


def test_a_failed_case_is_status_1_and_named(say: Say, published_shop: Path) -> None:
    said = say("eval", "run", "--project", published_shop)
    assert said.status == 1
    assert "days-002" in said.out
    assert "1 passed, 1 failed" in said.out


def test_json_has_scores_with_n_and_each_case(say: Say, published_shop: Path) -> None:
    found = json.loads(say("eval", "run", "--json", "--project", published_shop).out)
    assert found["scores"]["retrieval/pass"][:2] == [0.5, 2]
    assert {c["case"]: c["verdict"] for c in found["cases"]} == {"days-001": "passed", "days-002": "failed"}
    assert found["failed_suites"] == ["retrieval"]


def test_a_floor_decides_whether_a_suite_failed(say: Say, shop: Path) -> None:
    written = (shop / "sources.yaml").read_text()
    (shop / "sources.yaml").write_text(written + "settings: {suite_floors: {retrieval: 0.4}}\n")
    assert say("eval", "run", "--project", shop).status == 0
    (shop / "sources.yaml").write_text(written + "settings: {suite_floors: {retrieval: 0.6}}\n")
    assert say("eval", "run", "--project", shop).status == 1


def test_held_out_cases_are_scored_on_request_and_never_printed(say: Say, shop: Path) -> None:
    hidden = CASES.replace("{id: days-002,", "{id: days-002, split: held_out,")
    (shop / "evals/cases/days.yaml").write_text(hidden)
    assert "days-002" not in say("eval", "run", "--project", shop).out
    said = say("eval", "run", "--held-out", "--json", "--project", shop)
    assert "days-002" not in said.out
    assert json.loads(said.out)["scores"]["retrieval/pass"][:2] == [0.0, 1]


def test_an_edit_makes_its_cases_stale_until_they_are_accepted(say: Say, shop: Path) -> None:
    assert "no case is stale" in say("eval", "stale", "--project", shop).out
    (shop / "rules/returns.md").write_text(RULES.replace("| 30", "| 31"))
    publish_now(shop, "run-2")
    stale = json.loads(say("eval", "stale", "--json", "--project", shop).out)
    assert {one["case"] for one in stale} >= {"days-001"}
    assert say("eval", "accept", "days-001", "--project", shop).status == 0
    assert "days-001" not in say("eval", "stale", "--project", shop).out


def test_an_unknown_case_cannot_be_accepted(say: Say, shop: Path) -> None:
    said = say("eval", "accept", "nothing-001", "--project", shop)
    assert said.status == 2
    assert "no case 'nothing-001'" in said.err


def test_accept_says_what_it_took_and_names_the_failures(say: Say, shop: Path) -> None:
    said = say("eval", "accept", "--project", shop)
    assert "1 accepted as passed, 1 as failed" in said.out
    assert "these may fail from now on: days-002" in said.out


def test_allow_of_an_unknown_case_is_refused(say: Say, shop: Path) -> None:
    said = say("ingest", "--allow", "nosuch", "--why", "x", "--project", shop)
    assert said.status == 2
    assert "nosuch" in said.err


def test_status_says_that_a_run_was_refused_and_names_every_case(say: Say, shop: Path) -> None:
    (shop / "evals/cases/days.yaml").write_text(CASES.replace("99", "25"))
    publish_now(shop, "run-2")
    written = (shop / "sources.yaml").read_text()
    (shop / "sources.yaml").write_text(f"{written}settings: {{on_regression: hold_release, max_tokens: 32}}\n")
    (shop / "evals/cases/floor.yaml").write_text(CASES.replace("days-0", "more-0").replace("99", "25"))
    broken = "settings: {on_regression: hold_release, retrieval: {records: false}, rules: {stacked_headings: false}"
    (shop / "sources.yaml").write_text(f"{written}{broken}, suite_floors: {{retrieval: 1.0, nosuch: 0.5}}}}\n")
    (shop / "evals/cases/days.yaml").write_text(CASES)
    assert publish_now(shop, "run-3") is None
    said = say("status", "--project", shop)
    assert "refused 20" in said.out
    assert "under its floor 1" in said.out
    assert json.loads(say("status", "--json", "--project", shop).out)["last_verdict"]["red"]


def test_what_guards_nothing_is_a_warning_of_the_release(say: Say, shop: Path) -> None:
    say("eval", "accept", "--project", shop)
    (shop / "evals/cases/days.yaml").write_text(CASES.replace("days-001", "days-003"))
    written = (shop / "sources.yaml").read_text()
    (shop / "sources.yaml").write_text(f"{written}settings: {{suite_floors: {{retrieval/hitt: 0.5}}}}\n")
    project = load_project(shop)
    store = Store(project.state_url)
    found = judge_candidate(project, store, make_candidate(project, store, "later")).verdict.warnings
    assert any("guard nothing until accepted again: days-001" in warning for warning in found)
    assert any("nothing is scored as 'retrieval/hitt'" in warning for warning in found)


def test_a_held_out_case_is_never_accepted_by_name(say: Say, shop: Path) -> None:
    (shop / "evals/cases/days.yaml").write_text(CASES.replace("{id: days-002,", "{id: days-002, split: held_out,"))
    said = say("eval", "accept", "days-002", "--project", shop)
    assert said.status == 2
    assert "is held out" in said.err


def test_cases_of_a_collection_that_is_not_there_are_a_warning(say: Say, shop: Path) -> None:
    (shop / "evals/cases/more.yaml").write_text(CASES.replace("days-0", "more-0").replace("rules/", "rulse/"))
    project = load_project(shop)
    store = Store(project.state_url)
    warnings = judge_candidate(project, store, make_candidate(project, store, "run-2")).verdict.warnings
    assert "2 cases name a collection that sources.yaml does not: more-001, more-002" in warnings


def test_an_endless_fault_is_cut_where_people_read(say: Say, shop: Path) -> None:
    (shop / "evals/cases/days.yaml").write_text(CASES.replace("99", "x" * 5000))
    said = say("eval", "run", "--json", "--project", shop)
    whys = [case["why"] for case in json.loads(said.out)["cases"] if case["verdict"] == "failed"]
    assert whys
    assert all(len(why) < 1600 for why in whys)


def test_accepting_all_mends_a_damaged_baseline_and_keeps_the_damaged_one(say: Say, shop: Path) -> None:
    say("eval", "accept", "--project", shop)
    baseline = shop / "evals/baselines/accepted.json"
    baseline.write_text("{")
    assert say("eval", "run", "--project", shop).status == 2
    assert say("eval", "accept", "days-001", "--project", shop).status == 2
    assert say("eval", "accept", "--project", shop).status == 0
    assert json.loads(baseline.read_text())["cases"]
    assert baseline.with_name("accepted.json.damaged").read_text() == "{"


def test_ingest_over_a_damaged_baseline_names_the_file_before_any_work(say: Say, shop: Path) -> None:
    baseline = shop / "evals/baselines/accepted.json"
    baseline.parent.mkdir(parents=True, exist_ok=True)
    baseline.write_text("{")
    said = say("ingest", "--project", shop)
    assert said.status == 2
    assert "accepted.json:1: baseline: damaged" in said.err
    assert "write it again with `rag-assets eval accept`" in said.err


def test_status_no_longer_warns_of_a_missing_baseline_once_there_is_one(say: Say, shop: Path) -> None:
    assert "no_baseline" in say("status", "--project", shop).out
    assert say("eval", "accept", "--project", shop).status == 0
    assert "no_baseline" not in say("status", "--project", shop).out
