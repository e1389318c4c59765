"""Suite answers: is the answer right, or rightly declined.

Holds: `score_answers`.
Add here: something an answer must or must not do.
Never here: how answers are composed (answering/).
"""

import json
from functools import partial

from rag_assets.answering.answer import PASSAGES
from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import Expectation, ToolExpectation
from rag_assets.evaluation.matching import figures_in, same_address, same_unit, same_value
from rag_assets.evaluation.outcomes import AnswerOutcome, Finding, Subject
from rag_assets.evaluation.scorers.combine import faults_of, text_faults
from rag_assets.evaluation.scorers.lookup import truth_of
from rag_assets.evaluation.scorers.retrieval import is_relevant
from rag_assets.model.corpus import Answer, ToolCall

_WITHHELD = frozenset({"unsupported_figure", "unsupported_text"})


def score_answers(case: Case, subject: Subject) -> Finding:
    question = case.question or ""
    answer = subject.corpus.ask(question, today=subject.today)
    faults = faults_of(case.expect, partial(_check, answer, subject))
    context = subject.corpus.search(question, k=PASSAGES, words=subject.context_words)
    rank = next((passage.rank for passage in context if is_relevant(passage, case)), None)
    retrieved = (*(citation.source for citation in answer.citations), *(passage.source for passage in context))
    return Finding(
        faults=faults,
        measures={"answered": float(answer.status == "answered")},
        rank=rank,
        kind=context[0].kind if context else None,
        retrieved=tuple(dict.fromkeys(retrieved)),
        context=context,
        answer=answer,
        answer_outcome=outcome_of(answer, passed=not faults),
    )


def outcome_of(answer: Answer, *, passed: bool) -> AnswerOutcome:
    if answer.status == "answered":
        return AnswerOutcome.RIGHT if passed else AnswerOutcome.WRONG
    if passed:
        return AnswerOutcome.DECLINED_RIGHTLY
    return AnswerOutcome.UNSUPPORTED if answer.reason in _WITHHELD else AnswerOutcome.DECLINED_WRONGLY


def _check(answer: Answer, subject: Subject, expected: Expectation) -> tuple[str, ...]:
    declined = answer.status == "declined"
    faults = list(text_faults(expected, answer.answer, "the answer"))
    if declined and (expected.must_contain or expected.cites) and not expected.abstains:
        faults.append(f"declined: {answer.reason}")  # words of a refusal are no answer
    elif expected.abstains is not None and expected.abstains != declined:
        faults.append("answered, expected a refusal" if expected.abstains else f"declined: {answer.reason}")
    faults += [
        f"{wanted.tool} was not called"
        for wanted in expected.must_call_tool
        if not any(_is_call(call, wanted) for call in answer.tool_calls)
    ]
    faults += [
        f"{place.source} {place.address or ''} is not cited"
        for place in expected.cites
        if not any(
            cited.source == place.source and (place.address is None or same_address(cited.address or "", place.address))
            for cited in answer.citations
        )
    ]
    if expected.value is not None:
        truth = truth_of(expected.value, subject)
        if truth.problem:
            faults.append(truth.problem)
        elif declined or not _says(answer.answer, truth.value, truth.unit, expected.value.tolerance):
            faults.append(f"{truth.value} {truth.unit or ''} is not in the answer")
    return tuple(faults)


def _is_call(call: ToolCall, wanted: ToolExpectation) -> bool:
    """A full tool name counts for its short one: it is the short name and six hex digits."""
    stem, _, suffix = call.tool.rpartition("_")
    named = wanted.tool == call.tool or (wanted.tool == stem and len(suffix) == 6)
    if not named or wanted.arguments is None:
        return named
    return all(_plain(call.arguments.get(key)) == _plain(value) for key, value in wanted.arguments.items())


def _plain(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _says(text: str, value: object, unit: str | None, tolerance: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return not text_faults(Expectation(must_contain=(str(value),)), text, "")
    unit_of_sign = unit if unit in {"percent", "$", "€", "£", "¥"} else None
    return any(
        same_value(figure.value, value, tolerance) and same_unit(figure.unit, unit_of_sign)
        for figure in figures_in(text)
    )
