"""The cell check against answers drawn from the example corpus: nothing false passes, what is true does."""

import random
from collections import Counter
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest

from rag_assets import Corpus
from rag_assets.answering.answer import answer_question
from rag_assets.answering.cell_check import check_answer
from rag_assets.answering.evidence import Evidence, evidence_of_passages
from rag_assets.evaluation.cases import load_cases
from rag_assets.model.corpus import Passage
from tests.answering.drawn_answers import AskedCell, asked_cells, changes, neighbours, sentence, true_value

ROOT = Path(__file__).parents[2]
TODAY = date(2026, 11, 30)
ALLOWED_ALARMS = 0.03


class Asked(NamedTuple):
    cell: AskedCell
    question: str
    passages: tuple[Passage, ...]
    evidence: Evidence
    holding: tuple[str, ...]


def asked(example: Corpus, cell: AskedCell, draw: random.Random) -> Asked | None:
    """The cell asked for, with what is retrieved; None where the cell is in no passage."""
    question = cell.question(draw)
    passages = example.search(question, k=8)
    holding = tuple(
        str(n) for n, p in enumerate(passages, 1) if p.source == cell.source and cell.said.address in p.addresses
    )
    return Asked(cell, question, passages, evidence_of_passages(passages, example), holding) if holding else None


def marks(found: Asked, draw: random.Random) -> str:
    every = ", ".join(str(n) for n in range(1, len(found.passages) + 1))
    return f"[{draw.choice((found.holding[0], every))}]"


def run(example: Corpus, wanted_true: int, wanted_false: int, seed: int) -> tuple[list[str], list[str], Counter[str]]:
    """False alarms, false passes, and how many answers of each kind were checked."""
    draw, cells = random.Random(seed), list(asked_cells(example))
    alarms, passes, drawn = [], [], Counter[str]()
    while drawn["true"] < wanted_true or sum(drawn.values()) - drawn["true"] < wanted_false:
        found = asked(example, draw.choice(cells), draw)
        if found is None:
            drawn["not retrieved"] += 0
            continue
        if drawn["true"] < wanted_true:
            drawn["true"] += 1
            text = sentence(found.cell, true_value(found.cell.said, draw), marks(found, draw), draw)
            verdict = check_answer(text, found.question, found.evidence)
            if verdict.reason is not None:
                alarms.append(f"{found.question} → {text}: {verdict.says}")
        for change in changes(found.cell, frozenset(fact.text for fact in found.evidence.facts), draw):
            drawn[change.kind] += 1
            text = sentence(found.cell, change.shown, marks(found, draw), draw)
            if check_answer(text, found.question, found.evidence).reason is None:
                passes.append(f"{change.kind}: {found.question} → {text} (true: {found.cell.said.text})")
    return alarms, passes, drawn


@pytest.mark.parametrize(
    ("true", "false"), [(60, 300), pytest.param(1000, 5000, marks=pytest.mark.slow)], ids=["few", "all"]
)
def test_no_changed_answer_passes_and_true_ones_do(example: Corpus, true: int, false: int) -> None:
    alarms, passes, drawn = run(example, true, false, seed=true)
    assert passes == []
    assert len(alarms) <= ALLOWED_ALARMS * drawn["true"], alarms
    assert min(drawn[kind] for kind in ("digit", "unit", "row", "column", "period", "condition")) > 0


def test_what_is_quoted_for_questions_as_people_ask_passes_and_its_neighbours_do_not(example: Corpus) -> None:
    answered, alarms, passes, wrong = 0, [], [], 0
    for case in load_cases(ROOT / "evals").cases:
        answer = answer_question(case.question or "", example, example.settings, None, TODAY)
        if case.suite != "answers" or case.question is None or answer.status != "answered":
            continue
        answered += 1
        passages = example.search(case.question, k=20, words=example.settings.model.context_words)
        evidence = evidence_of_passages(passages, example)
        mark = f"[{', '.join(str(n) for n in range(1, len(passages) + 1))}]"
        said = "\n".join(f"{line} {mark}" for line in answer.answer.split("\n"))
        verdict = check_answer(said, case.question, evidence, TODAY)
        if verdict.reason is not None:
            alarms.append(f"{case.id}: {said}: {verdict.says}")
        shown = frozenset(fact.text for fact in evidence.facts)
        for value in neighbours(example, answer.citations, case.question, shown):
            wrong += 1
            if check_answer(f"It is {value} {mark}.", case.question, evidence, TODAY).reason is None:
                passes.append(f"{case.id}: {value} for {answer.answer}")
    assert answered > 60
    assert wrong > 500
    assert passes == []
    assert len(alarms) <= ALLOWED_ALARMS * answered, alarms
