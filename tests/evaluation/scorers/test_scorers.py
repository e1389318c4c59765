"""Each suite's scorer on tiny corpora; a test for each trap."""

from datetime import date

import pytest

from rag_assets.evaluation.outcomes import AnswerOutcome, CaseOutcome
from rag_assets.evaluation.suites import run_suites
from rag_assets.model.corpus import Answer, LookupFault
from tests.evaluation.tiny import FARES, TinyCorpus, answered, case_of, request_of, result

QUESTION = "What is the fare to Woodland?"
SOURCE = "transit/fares.html"


def run(suite: str, expect: dict[str, object], corpus: TinyCorpus | None = None, **given: object) -> CaseOutcome:
    return run_suites(request_of(case_of(suite, expect, **given), corpus=corpus)).outcomes[0]


def ask(expect: dict[str, object], answer: Answer | None) -> CaseOutcome:
    answers = {QUESTION: answer} if answer else {}
    results = {"lookup_fares": result([{"mean": 2.5}], {"mean": "$"})}
    corpus = TinyCorpus(documents={SOURCE: FARES}, answers=answers, results=results)
    return run("answers", expect, corpus, question=QUESTION)


def test_a_neighbouring_cell_is_not_the_cell() -> None:
    right = {"cells": [{"path": "Woodland", "heading": "Fare", "text": "$3.00"}]}
    wrong = {"cells": [{"path": "Woodland", "heading": "Fare", "text": "$2.00"}]}
    assert run("tables", right).verdict == "passed"
    assert run("tables", wrong).why == "Woodland | Fare is '$3.00', expected text '$2.00'"


def test_a_path_is_compared_by_its_last_parts() -> None:
    assert run("tables", {"cells": [{"path": "Adult > Woodland", "heading": "Fare"}]}).verdict == "passed"
    assert run("tables", {"cells": [{"path": "Child > Woodland", "heading": "Fare"}]}).verdict == "failed"
    absent = {"cells": [{"path": "Child > Woodland", "heading": "Fare", "absent": True}]}
    assert run("tables", absent).verdict == "passed"


def test_parse_finds_a_block_and_the_text_of_a_cell() -> None:
    assert run("parse", {"blocks": [{"kind": "prose", "text": "within 30 days"}]}).verdict == "passed"
    assert run("parse", {"blocks": [{"kind": "heading", "text": "within 30 days"}]}).verdict == "failed"
    assert run("parse", {"must_contain": ["$3.00"], "status": "ok"}).verdict == "passed"


def test_a_source_that_is_not_there_fails_parse() -> None:
    gone = run("parse", {"status": "ok"}, sources=["transit/gone.html"])
    assert (gone.verdict, gone.why) == ("failed", "transit/gone.html is no source of this release")


def test_two_chunks_that_hold_half_each_are_not_one_chunk() -> None:
    assert run("chunks", {"chunks": [{"kind": "record", "must_contain": ["Woodland", "$3.00"]}]}).verdict == "passed"
    assert run("chunks", {"chunks": [{"must_contain": ["Woodland", "$2.00"]}]}).verdict == "failed"


def test_retrieval_tells_rank_and_kind_of_the_first_right_passage() -> None:
    found = run("retrieval", {"must_contain": ["Woodland", "$3.00"], "rank_at_most": 1}, question=QUESTION)
    assert (found.verdict, found.rank, found.kind) == ("passed", 1, "record")
    assert found.measures["hit@1"] == 1


def test_a_cited_address_makes_a_passage_relevant() -> None:
    place = {"source": SOURCE, "address": "#table-1!r3c2"}
    found = run("retrieval", {"cites": place, "rank_at_most": 1}, question="adult fare Winters")
    assert (found.verdict, found.rank) == ("passed", 1)


def test_a_case_that_expects_nothing_found_has_no_rank_to_average() -> None:
    outcome = run("retrieval", {"must_not_contain": ["Helsinki"]}, question=QUESTION)
    assert (outcome.verdict, outcome.measures) == ("passed", {})


def test_a_lookup_value_needs_its_unit() -> None:
    corpus = TinyCorpus(documents={}, results={"lookup_fares": result([{"mean": 0.094}], {"mean": "percent"})})
    call = {"tool": "lookup_fares"}
    right = {"value": {"column": "mean", "equals": 0.094, "unit": "percent"}, "complete": True, "row_count": 1}
    assert run("lookup", right, corpus, call=call).verdict == "passed"
    assert run("lookup", {"value": {"equals": 0.094, "unit": "$"}}, corpus, call=call).verdict == "failed"
    assert run("lookup", {"cites": {"source": SOURCE, "address": "'Fares'!C7"}}, corpus, call=call).verdict == "passed"


def test_a_refused_lookup_passes_only_where_its_code_is_expected() -> None:
    corpus = TinyCorpus(documents={}, results={"lookup_fares": LookupFault(code="unknown_column", message="no x")})
    call = {"tool": "lookup_fares"}
    assert run("lookup", {"error": "unknown_column"}, corpus, call=call).verdict == "passed"
    assert run("lookup", {"error": "wrong_type"}, corpus, call=call).verdict == "failed"
    assert run("lookup", {"row_count": 0}, corpus, call=call).verdict == "failed"


ONE_OF = {"one_of": [{"must_contain": ["$3.00"], "must_call_tool": ["lookup_fares"]}, {"abstains": True}]}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (answered("$3.00", tools=("lookup_fares_a1b2c3",)), AnswerOutcome.RIGHT),
        (answered("$3.00"), AnswerOutcome.WRONG),
        (answered("$3.00", tools=("lookup_fares_of_old",)), AnswerOutcome.WRONG),
        (None, AnswerOutcome.DECLINED_RIGHTLY),
    ],
)
def test_one_of_takes_the_tool_with_the_figure_or_a_refusal(answer: Answer | None, outcome: AnswerOutcome) -> None:
    assert ask(ONE_OF, answer).outcome == outcome


def test_a_withheld_answer_is_unsupported_and_another_refusal_declined_wrongly() -> None:
    withheld = Answer(status="declined", answer="", release="", reason="unsupported_figure")
    assert ask({"must_contain": ["$3.00"]}, withheld).outcome == AnswerOutcome.UNSUPPORTED
    assert ask({"must_contain": ["$3.00"]}, None).outcome == AnswerOutcome.DECLINED_WRONGLY


def test_none_of_fails_where_one_holds() -> None:
    assert ask({"none_of": [{"must_contain": ["$2.00"]}]}, answered("It is $2.00")).verdict == "failed"
    assert ask({"none_of": [{"must_contain": ["$2.00"]}]}, answered("It is $3.00")).verdict == "passed"


def test_the_oracle_tells_the_expected_value() -> None:
    oracle = {"value": {"lookup": {"tool": "lookup_fares"}, "tolerance": 0.001}}
    assert ask(oracle, answered("On average $2.50.")).verdict == "passed"
    assert ask(oracle, answered("On average $2.60.")).verdict == "failed"
    assert "unknown_tool" in ask({"value": {"lookup": {"tool": "lookup_none"}}}, answered("$2.50")).why


def test_a_case_runs_as_of_its_own_day() -> None:
    corpus = TinyCorpus(documents={SOURCE: FARES})
    run("answers", {"abstains": True}, corpus, question=QUESTION, as_of="2026-01-01")
    assert corpus.days == [date(2026, 1, 1)]
