"""A model as a second judge: cached by content, measured against known verdicts."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rag_assets.evaluation.llm_judge import PROMPT_DIGEST, agreement_of, deterministic_labels, rulings_of
from rag_assets.evaluation.outcomes import CaseOutcome
from rag_assets.ingest.traces import traces_of
from rag_assets.store import Store
from tests.evaluation.tiny import case_of


class Said(NamedTuple):
    text: str


@dataclass
class ScriptedModel:
    texts: list[str]
    name: str = "scripted"
    asked: list[str] = field(default_factory=list)

    def reply(self, messages: list[dict[str, object]], tools: list[dict[str, object]]) -> Said:
        assert tools == []
        self.asked.append(str(messages[-1]["content"]))
        return Said(self.texts[len(self.asked) - 1])


def case(name: str, **given: object) -> object:
    return case_of("answers", {"must_contain": ["$3.00"]}, question="fare?", id=name, **given)


def outcome(name: str, verdict: str, answer: str) -> CaseOutcome:
    return CaseOutcome(
        case=name,
        digest="d",
        suite="answers",
        verdict=verdict,  # ty: ignore[invalid-argument-type]
        day="2026-11-30",
        answer=answer,
    )


CASES = [case("a"), case("b"), case("c")]
OUTCOMES = [outcome("a", "passed", "It is $3.00"), outcome("b", "failed", "It is $2.00"), outcome("c", "failed", "?")]
TEXTS = ['{"passed": true, "why": "agrees"}', 'Well: {"passed": false, "why": "no"}', "I cannot say"]


def test_a_ruling_names_model_and_prompt_and_is_asked_for_once(tmp_path: Path) -> None:
    model = ScriptedModel([*TEXTS, "still no verdict"])
    first = rulings_of(CASES, OUTCOMES, model, Store(tmp_path.as_uri()))  # ty: ignore[invalid-argument-type]
    assert [one.passed for one in first] == [True, False, None]
    assert {(one.model, one.prompt) for one in first} == {("scripted", PROMPT_DIGEST)}
    assert rulings_of(CASES, OUTCOMES, model, Store(tmp_path.as_uri())) == first  # ty: ignore[invalid-argument-type]
    assert len(model.asked) == 4, "only what had no usable verdict is asked again"


def test_rulings_are_a_memo_of_the_state_which_erasing_takes_along(tmp_path: Path) -> None:
    """What the model says may quote the document: `prove-deleted` has to find it, `--erase` to remove it."""
    store = Store(tmp_path.as_uri())
    texts = ['{"passed": true, "why": "it says umbrella depot"}', TEXTS[1], TEXTS[2]]
    rulings_of(CASES, OUTCOMES, ScriptedModel(texts), store)  # ty: ignore[invalid-argument-type]
    assert [trace.place for trace in traces_of(store, "umbrella depot")] == ["memos/rulings.json"]
    store.place.write("memos/rulings.json", b"damaged")
    assert len(rulings_of(CASES, OUTCOMES, ScriptedModel(list(TEXTS)), store)) == 3  # ty: ignore[invalid-argument-type]


def test_agreement_counts_what_was_not_scored_apart(tmp_path: Path) -> None:
    rulings = rulings_of(CASES, OUTCOMES, ScriptedModel(list(TEXTS)), Store(tmp_path.as_uri()))  # ty: ignore[invalid-argument-type]
    found = agreement_of(rulings, deterministic_labels(OUTCOMES))
    assert (found.n, found.agreed, found.kappa, found.unscored, found.share) == (2, 2, 1.0, 1, 1.0)
    assert agreement_of([], {}) == (0, 0, None, 0)


def test_held_out_cases_are_not_shown_to_the_model(tmp_path: Path) -> None:
    model = ScriptedModel([])
    held_out = [case("a", split="held_out")]
    assert rulings_of(held_out, OUTCOMES, model, Store(tmp_path.as_uri())) == ()  # ty: ignore[invalid-argument-type]
    assert model.asked == []
