"""The answer floor from a budget of wrong answers.

Holds: `calibrate`, pure, and `ask_all`, which asks the calibration (or held-out) cases without a floor.
Add here: another quantity the floor is chosen by.
Never here: what the floor does (answering/floor.py), writing settings.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rag_assets.corpus import Corpus
from rag_assets.evaluation.cases import Case, Split
from rag_assets.evaluation.evaluate import Contents, evaluate
from rag_assets.evaluation.outcomes import AnswerOutcome
from rag_assets.settings import Project
from rag_assets.store import Release, Store


class Asked(NamedTuple):
    """One question: how well retrieval covers it, whether it can be answered, and what came without any floor.

    `answered` False: other checks declined it, at any floor.
    """

    coverage: float
    answerable: bool
    right: bool
    answered: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """`answered` is the share of all questions at or over the floor; `lost` the answerable ones among those under it.

    `curve` holds (floor, wrong share of the answered, answered share) for each floor that makes a difference.
    """

    floor: float
    wrong: float
    answered: float
    lost: float
    n: int
    curve: tuple[tuple[float, float, float], ...]


def calibrate(asked: Iterable[Asked], budget: float) -> Calibration | None:
    """The lowest floor at which at most `budget` of the answered questions are wrong; None where nothing was asked.

    A question that cannot be answered and is, is wrong. The floor lies midway between two coverages, so that a small
    change in one of them does not move it over a case.
    """
    questions = sorted(asked, key=lambda one: one.coverage)
    if not questions:
        return None
    curve = tuple((floor, *_at(questions, floor)) for floor in _floors(questions))
    floor, wrong, answered = next((point for point in curve if point[1] <= budget), curve[-1])
    answerable = [one for one in questions if one.answerable and one.answered]
    lost = sum(one.coverage < floor for one in answerable) / len(answerable) if answerable else 0.0
    return Calibration(floor=floor, wrong=wrong, answered=answered, lost=lost, n=len(questions), curve=curve)


def ask_all(project: Project, store: Store, served: Release, cases: Iterable[Case], split: Split) -> tuple[Asked, ...]:
    """Each answers case of the split, asked with the floor at 0, and the coverage the floor would see."""
    chosen = tuple(case for case in cases if case.suite == "answers" and case.split == split)
    settings = project.settings.model_copy(update={"answer_floor": 0.0})
    unfloored = project._replace(file=project.file.model_copy(update={"settings": settings}))
    run = evaluate(unfloored, store, Contents.of(served), chosen, held_out=split == "held_out")
    corpora: dict[frozenset[str], Corpus] = {}
    found = []
    for case, outcome in zip(chosen, run.outcomes, strict=True):
        scopes = frozenset(project.file.default_scopes if case.scopes is None else case.scopes)
        corpus = corpora.setdefault(scopes, Corpus.of_release(unfloored, store, served, scopes))
        question = case.question or ""
        passages = corpus.search(question, words=project.settings.model.context_words)
        answered = outcome.outcome in {AnswerOutcome.RIGHT, AnswerOutcome.WRONG}
        answerable = case.expect.abstains is not True
        right = outcome.outcome is AnswerOutcome.RIGHT
        found.append(Asked(corpus.coverage(question, passages), answerable, right, answered))
    return tuple(found)


def wrong_at(asked: Sequence[Asked], floor: float) -> tuple[float, float]:
    """(wrong share of the answered, answered share) of other questions at a floor: the held-out ones."""
    return _at(asked, floor)


def _floors(questions: Sequence[Asked]) -> list[float]:
    coverages = sorted({one.coverage for one in questions})
    between = [(low + high) / 2 for low, high in pairwise(coverages)]
    return [0.0, *(round(floor, 4) for floor in between), min(1.0, round(coverages[-1] + 0.0001, 4))]


def _at(questions: Sequence[Asked], floor: float) -> tuple[float, float]:
    answered = [one for one in questions if one.answered and one.coverage >= floor]
    if not answered:
        return 0.0, 0.0
    return sum(not one.right for one in answered) / len(answered), len(answered) / len(questions)
