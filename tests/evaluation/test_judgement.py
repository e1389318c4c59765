"""A candidate of a real project is judged: edits never block, regressions hold their collection."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from rag_assets.corpus import open_corpus
from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.memory import read_baseline, remember
from rag_assets.evaluation.outcomes import CaseOutcome
from rag_assets.evaluation.standing import accept_cases, standing
from rag_assets.ingest.due import what_is_due
from rag_assets.ingest.order import INDEX
from rag_assets.ingest.whole_stages import index_folder
from rag_assets.retrieval.segment_files import SegmentHeader, open_segment
from tests.evaluation.projects import FARES, STOCK, TABLE_CASES, TinyProject, tiny_project

NO_HEADERS = ("retrieval: {records: false, header_repeat: false}", "record_rows: 0")

CHUNK_CASE = """
suite: chunks
cases:
  - id: record-harbour
    sources: [fares/night.md]
    expect: {chunks: [{kind: record, must_contain: ["Harbour", "$3.00"]}]}
"""


@pytest.fixture
def made(tmp_path: Path) -> Iterator[TinyProject]:
    with tiny_project(tmp_path) as project:
        yield project


def test_the_first_release_goes_out_with_a_warning_that_nothing_was_accepted(made: TinyProject) -> None:
    judgement, release = made.ingest()
    assert judgement.verdict.green
    assert judgement.verdict.warnings[0].startswith("no_baseline")
    assert {one.case: one.verdict for one in judgement.run.outcomes} == dict.fromkeys(
        ("fare-harbour", "stock-rope", "cell-harbour", "cell-rope"), "passed"
    )
    assert release is not None


def test_an_edit_makes_its_cases_stale_and_does_not_block(made: TinyProject) -> None:
    made.ingest()
    made.write("fares/night.md", FARES.replace("$3.00", "$3.25"))
    judgement, release = made.ingest()
    assert judgement.verdict.green
    assert set(judgement.verdict.stale) == {"fare-harbour", "cell-harbour"}
    assert release is not None
    waiting = standing(made.project, made.store).stale
    assert {one.case: one.would_pass for one in waiting} == {"fare-harbour": False, "cell-harbour": False}


def test_a_deletion_does_not_block(made: TinyProject) -> None:
    made.write("fares/day.md", "# Day lines\n\nThey run all day.\n")
    made.ingest()
    (made.root / "fares/night.md").unlink()
    judgement, release = made.ingest()
    assert judgement.verdict.green
    assert release is not None
    assert "fares/night.md" not in {entry.source for entry in release.sources if entry.served_sha256}


def test_after_accept_nothing_is_stale_and_the_new_figure_is_the_truth(made: TinyProject) -> None:
    made.ingest()
    made.write("fares/night.md", FARES.replace("$3.00", "$3.25"))
    made.ingest()
    made.write("evals/cases/tables.yaml", TABLE_CASES.replace("$3.00", "$3.25"))
    accept_cases(made.project, made.store)
    baseline = read_baseline(made.project.evals)
    assert baseline is not None
    assert baseline.cases["cell-harbour"].passed
    judgement, _ = made.ingest()
    assert judgement.verdict.stale == ()
    assert judgement.verdict.warnings == ()


def test_a_regression_holds_the_release_under_hold_release(made: TinyProject) -> None:
    made.write("evals/cases/chunks.yaml", CHUNK_CASE)
    made.ingest()
    made.settings("on_regression: hold_release", *NO_HEADERS)
    judgement, release = made.ingest()
    assert judgement.verdict.red
    assert release is None
    assert "passed before and fails now" in judgement.verdict.sentence


def test_a_regression_in_one_collection_holds_only_that_one(made: TinyProject) -> None:
    made.write(
        "evals/cases/retrieval.yaml",
        "suite: parse\ncases:\n  - {id: p, sources: [stock/yard.md], expect: {status: ok}}\n",
    )
    made.write("evals/cases/chunks.yaml", CHUNK_CASE)
    _, first = made.ingest()
    assert first is not None
    made.settings(*NO_HEADERS)
    judgement, release = made.ingest()
    assert not judgement.verdict.red
    assert set(judgement.verdict.held) == {"fares"}
    assert release is not None
    assert release.partitions["fares"] == first.partitions["fares"]
    assert release.partitions["stock"] != first.partitions["stock"]


def test_an_allowed_case_lets_the_release_out(made: TinyProject) -> None:
    made.write("evals/cases/chunks.yaml", CHUNK_CASE)
    made.ingest()
    made.settings("on_regression: hold_release", *NO_HEADERS)
    red = made.judged()
    judgement, release = made.ingest(allowed=tuple(one.case for one in red.verdict.regressed))
    assert judgement.verdict.green
    assert "record-harbour" in judgement.verdict.allowed
    assert release is not None


def test_removals_go_live_although_everything_else_is_held(made: TinyProject) -> None:
    made.write("evals/cases/chunks.yaml", CHUNK_CASE)
    made.write("stock/secret.md", "# Secret\n\nThe code is 4711.\n")
    made.ingest()
    (made.root / "stock/secret.md").unlink()
    made.settings("on_regression: hold_release", *NO_HEADERS)
    judgement, release = made.ingest()
    assert release is not None
    assert set(judgement.verdict.held) >= {"fares"}
    assert "stock/secret.md" not in {entry.source for entry in release.sources}


def test_fixing_the_cause_publishes_again_without_further_steps(made: TinyProject) -> None:
    made.write("evals/cases/chunks.yaml", CHUNK_CASE)
    made.ingest()
    made.settings("on_regression: hold_release", *NO_HEADERS)
    made.ingest()
    made.settings()
    made.write("stock/yard.md", STOCK.replace("12", "13"))
    judgement, release = made.ingest()
    assert judgement.verdict.green
    assert release is not None


HELD_OUT = """
suite: retrieval
cases:
  - {id: kept-apart, split: held_out, question: fare of the Airport line, sources: [fares/night.md],
     expect: {must_contain: ["nowhere"]}}
"""

PRICES = "item,price,valid until\nRope,12.00,2026-06-30\nAnchor,40.00,2027-06-30\n"
PRICE_CASES = """
suite: lookup
scopes: [staff]
cases:
  - id: prices-in-force
    sources: [stock/prices.csv]
    call: {tool: lookup_prices, arguments: {}}
    expect: {row_count: 2}
"""


def test_held_out_cases_are_neither_run_nor_remembered_nor_accepted(made: TinyProject) -> None:
    made.write("evals/cases/apart.yaml", HELD_OUT)
    judgement, release = made.ingest()
    assert release is not None
    assert judgement.run.of("kept-apart") is None
    accept_cases(made.project, made.store)
    kept = [path for path in (made.root / "evals/baselines", made.root / ".rag-assets") for path in path.rglob("*")]
    assert not [path for path in kept if path.is_file() and b"kept-apart" in path.read_bytes()]
    asked = standing(made.project, made.store, held_out=True).run
    assert [one.verdict for one in asked.outcomes] == ["failed"]


def test_an_added_document_does_not_block_what_it_now_competes_with(made: TinyProject) -> None:
    made.ingest()
    made.write("fares/harbour.md", "# Adult fare Harbour line\n\nThe adult fare of the Harbour line: ask the driver.\n")
    judgement, release = made.ingest()
    assert judgement.verdict.green
    assert "fare-harbour" in judgement.verdict.stale, "it retrieves a source that is new"
    assert release is not None


def test_a_day_on_which_rows_expire_turns_no_gate(made: TinyProject) -> None:
    made.write("stock/prices.csv", PRICES)
    made.write("evals/cases/prices.yaml", PRICE_CASES)
    judgement, release = made.ingest(today=date(2026, 6, 1))
    assert release is not None
    made.write("stock/yard.md", STOCK.replace("Counted by hand.", "Counted by two hands."))
    later, again = made.ingest(today=date(2027, 12, 1))
    assert again is not None
    assert [later.run.of("prices-in-force").verdict] == ["passed"] == [judgement.run.of("prices-in-force").verdict]  # ty: ignore[unresolved-attribute]


TWO_FARES = "# Day lines\n\n| Line | Adult |\n|---|---|\n| Hill | $2.00 |\n"


def test_mending_the_settings_lifts_a_hold_without_further_steps(made: TinyProject) -> None:
    made.write("evals/cases/chunks.yaml", CHUNK_CASE)
    made.ingest()
    good = made.store.current()
    made.settings("settle_s: 0", *NO_HEADERS)
    held, _ = made.ingest()
    assert held.verdict.held or held.verdict.red
    made.settings()
    due = what_is_due(made.project, made.store, load_cases(made.project.evals).hash)
    assert [part.key for part in due.collections] == ["fares", "stock"]
    judgement, _ = made.ingest()
    assert judgement.verdict.green
    now = made.store.current()
    assert good is not None
    assert now is not None
    assert (now.held, now.partitions) == ({}, good.partitions)
    assert not what_is_due(made.project, made.store, load_cases(made.project.evals).hash).collections


def rules_of_the_index(made: TinyProject, key: str) -> SegmentHeader:
    release = made.store.current()
    assert release is not None
    segment = made.store.segment(key, INDEX, release.partitions[key].segments[INDEX])
    return open_segment(index_folder(segment)).header


def test_a_removal_from_a_held_collection_carries_no_worse_settings_along(made: TinyProject) -> None:
    """The index is cut as it was built, and a case that fails in what had to go live still blocks afterwards."""
    made.write("evals/cases/chunks.yaml", CHUNK_CASE)
    made.write("fares/day.md", TWO_FARES)
    made.ingest()
    before = rules_of_the_index(made, "fares")
    made.settings("settle_s: 0", *NO_HEADERS)
    (made.root / "fares/day.md").unlink()
    for _ in range(2):
        judgement, release = made.ingest()
        assert "fares" in judgement.verdict.held or judgement.verdict.red
        current = release or made.store.current()
        assert current is not None
        assert "fares/day.md" not in {entry.source for entry in current.sources if entry.served_sha256}
        assert rules_of_the_index(made, "fares") == before


def test_what_fails_in_a_mixture_that_had_to_go_live_is_not_accepted_by_that() -> None:
    failing = CaseOutcome(case="a", digest="d", suite="retrieval", verdict="failed", day="2026-11-30")
    passed = replace(failing, verdict="passed")
    earlier = remember([passed], {}, at="2026-11-01")
    kept = remember([failing], {}, [earlier], at="2026-11-02", unaccepted={"a"})
    assert kept.cases["a"].passed
    assert not remember([failing], {}, [earlier], at="2026-11-02").cases["a"].passed


UNNAMED = """
suite: retrieval
cases:
  - {id: unnamed, question: Day lines Hill adult, expect: {must_contain: ["Hill", "$2.00"]}}
"""


def test_a_refused_change_of_how_search_weighs_does_not_serve(made: TinyProject) -> None:
    made.ingest()
    made.settings("settle_s: 0", "answer_floor: 1.0", "retrieval: {k1: 5}")
    with open_corpus(made.project) as corpus:
        assert (corpus.settings.answer_floor, corpus.settings.retrieval.k1) == (0.35, 0.9)
    _, release = made.ingest()
    assert release is not None
    with open_corpus(made.project) as corpus:
        assert (corpus.settings.answer_floor, corpus.settings.retrieval.k1) == (1.0, 5)
    with open_corpus(made.project, release=1) as corpus:
        assert corpus.settings.answer_floor == 0.35


def test_a_document_that_an_unnamed_case_relied_on_may_go(made: TinyProject) -> None:
    made.write("fares/day.md", TWO_FARES)
    made.write("evals/cases/unnamed.yaml", UNNAMED)
    first, _ = made.ingest()
    assert [one.verdict for one in first.run.outcomes if one.case == "unnamed"] == ["passed"]
    (made.root / "fares/day.md").unlink()
    made.write("stock/yard.md", STOCK.replace("by hand", "by two hands"))
    judgement, release = made.ingest()
    assert judgement.verdict.green
    assert "unnamed" in judgement.verdict.stale
    assert release is not None
    assert not release.held


def test_a_tighter_scope_makes_its_cases_stale_and_holds_nothing(made: TinyProject) -> None:
    made.ingest()
    made.write("sources.yaml", (made.root / "sources.yaml").read_text().replace("scope: public", "scope: staff"))
    made.write("stock/yard.md", STOCK.replace("by hand", "by two hands"))
    judgement, release = made.ingest()
    assert judgement.verdict.green
    assert "fare-harbour" in judgement.verdict.stale
    assert release is not None
    assert not release.held


NO_TIME = ("on_regression: hold_release", "eval_budget_s: 0.000000001", *NO_HEADERS)


def test_cases_a_short_budget_left_out_are_due_under_a_longer_one(made: TinyProject) -> None:
    made.write("evals/cases/chunks.yaml", CHUNK_CASE)
    made.ingest()
    made.settings(*NO_TIME)
    blind, release = made.ingest()
    assert release is not None
    assert blind.verdict.unscored == 5
    cases = load_cases(made.project.evals).hash
    assert not what_is_due(made.project, made.store, cases).anything
    made.settings("on_regression: hold_release", *NO_HEADERS)
    due = what_is_due(made.project, made.store, cases)
    assert due.reasons == ("5 cases were unscored within 1e-09 s, eval_budget_s is 30 now",)
    seeing, release = made.ingest()
    assert release is None
    assert "unscored in what is served, which may have the fault too" in seeing.verdict.sentence
    assert not what_is_due(made.project, made.store, cases).anything


def test_a_case_about_a_document_that_is_not_there_is_named(made: TinyProject) -> None:
    made.write("evals/cases/chunks.yaml", CHUNK_CASE.replace("night.md", "nihgt.md"))
    judgement, _ = made.ingest()
    assert "1 cases name a document that is not there: record-harbour" in judgement.verdict.warnings
