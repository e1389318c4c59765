"""Running cases: scores, slices, budget, scopes."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.outcomes import Loss
from rag_assets.evaluation.suites import SuiteRequest, run_suites, scopes_of_case
from tests.evaluation.tiny import FARES, TinyCorpus, answered, case_of, document_of, request_of, table_of

SOURCE = "transit/fares.html"
FARE = {"must_contain": ["Woodland", "$3.00"]}


def test_what_does_not_fit_into_the_budget_is_unscored_and_no_pass() -> None:
    case = case_of("retrieval", FARE, question="fare to Woodland")
    run = run_suites(request_of(case, budget_s=-1.0))
    assert run.left_out == 1
    assert run.scores["retrieval/pass"] == (None, 0, 1)
    assert run.outcomes[0].verdict == "unscored"


def test_what_guards_is_tried_before_what_does_not() -> None:
    cases = [case_of("retrieval", FARE, question="fare to Woodland", id=f"c{n}") for n in range(20)]
    tried: list[str] = []

    def stale(case: Case, _retrieved: Iterable[str]) -> bool:
        tried.append(case.id)
        return False

    guards = frozenset({"c3", "c17"})
    run_suites(replace(request_of(*cases, stale=stale), guards=guards))
    assert set(tried[:2]) == guards
    assert len(tried) == 20


def test_a_stale_case_is_unscored_and_says_whether_it_would_pass() -> None:
    case = case_of("retrieval", FARE, question="fare to Woodland")
    run = run_suites(request_of(case, stale=lambda _case, _retrieved: True))
    assert (run.outcomes[0].verdict, run.outcomes[0].would_pass) == ("stale", True)
    assert run.scores["retrieval/pass"] == (None, 0, 1)


def test_scores_are_sliced_by_kind_collection_and_tag() -> None:
    case = case_of("retrieval", FARE, question="fare to Woodland", tags=["fares"])
    run = run_suites(request_of(case))
    assert run.slices["kind:record"]["retrieval/hit@1"] == (1.0, 1, 0)
    assert {"collection:transit", "tag:fares"} <= set(run.slices)


def test_the_shares_of_answer_outcomes_add_up_to_one() -> None:
    cases = (
        case_of("answers", {"must_contain": ["$3.00"]}, question="a", id="a"),
        case_of("answers", {"abstains": True}, question="b", id="b"),
    )
    corpus = TinyCorpus(documents={SOURCE: FARES}, answers={"a": answered("$3.00")})
    scores = run_suites(request_of(*cases, corpus=corpus)).scores
    assert scores["answers/right"] == (0.5, 2, 0)
    assert scores["answers/declined_rightly"] == (0.5, 2, 0)
    assert scores["answers/wrong"].value == 0


def test_a_case_without_scopes_asks_as_default_and_a_structural_one_as_its_collection() -> None:
    request: SuiteRequest = request_of(scopes_of={"transit": "staff"})
    assert scopes_of_case(case_of("answers", {"abstains": True}, question="q"), request) == {"public"}
    assert scopes_of_case(case_of("parse", {"status": "ok"}), request) == {"staff"}
    assert scopes_of_case(case_of("parse", {"status": "ok"}, scopes=["x"]), request) == {"x"}


def test_an_accepted_day_is_the_day_of_a_case_without_one() -> None:
    corpus = TinyCorpus(documents={SOURCE: FARES})
    case = case_of("answers", {"abstains": True}, question="q")
    outcome = run_suites(request_of(case, corpus=corpus, days={"c1": date(2026, 2, 1)})).outcomes[0]
    assert (outcome.day, corpus.days) == ("2026-02-01", [date(2026, 2, 1)])


def lost_at(documents: dict, **given: object) -> Loss | None:
    corpus = TinyCorpus(documents=documents, **given)
    case = case_of("answers", {"must_contain": ["Woodland", "$3.00"]}, question="fare to Woodland")
    return run_suites(request_of(case, corpus=corpus)).outcomes[0].loss


def test_blame_names_the_first_stage_that_lost_the_answer() -> None:
    torn = document_of(table_of(["Fare"], [("Woodland", ["today"]), ("Winters", ["$3.00"])]))
    record = "Adult Woodland Fare: $3.00 Valid: today"
    assert lost_at({}) is Loss.NOT_PARSED
    assert lost_at({SOURCE: document_of(table_of(["Fare"], [("Woodland", ["today"])]))}) is Loss.NOT_PARSED
    assert lost_at({SOURCE: torn}) is Loss.LOST_IN_TABLE
    assert lost_at({SOURCE: FARES}, lost=record) is Loss.RANKED_TOO_LOW
    assert lost_at({SOURCE: FARES}) is Loss.DECLINED_THOUGH_PRESENT
    assert lost_at({SOURCE: FARES}, answers={"fare to Woodland": answered("$2.00")}) is Loss.ANSWERED_WRONG
