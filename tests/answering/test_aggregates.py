"""Questions over many rows: exact from a complete result, or declined; never wrong, whatever the model does."""

from datetime import date
from typing import cast

import pytest

from rag_assets import Corpus
from rag_assets.answering.answer import answer_question
from rag_assets.answering.figures import figures_in
from rag_assets.answering.model_client import ModelClient
from tests.answering.drawn_aggregates import BEHAVIOURS, Asked, aggregate_questions

TODAY = date(2026, 11, 30)
HONEST = ("good", "lists and reckons")


def is_right(asked: Asked, text: str) -> bool:
    """Whether every figure of the answer is the truth in its unit, to the cent or the tenth digit."""
    figures = figures_in(text)
    kinds = {"percent": (True, None), "$": (False, "$"), "": (False, None)}
    near = 0.005 if asked.unit == "$" else 1e-9
    return bool(figures) and all(
        any(abs(value - asked.truth) <= near + 1e-12 for value in figure.values)
        and (figure.percent, figure.currency) == kinds[asked.unit]
        for figure in figures
    )


@pytest.mark.parametrize("questions", [12, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_no_answer_over_many_rows_is_wrong(example: Corpus, behaviour: str, questions: int) -> None:
    wrong, declined = [], []
    for asked in aggregate_questions(questions, TODAY):
        model = cast(ModelClient, BEHAVIOURS[behaviour](asked))
        answer = answer_question(asked.question, example, example.settings, model, TODAY)
        if answer.status == "declined":
            declined.append(f"{asked.question}: {answer.answer}")
        elif not is_right(asked, answer.answer) or not all(call.complete for call in answer.tool_calls):
            wrong.append(f"{asked.question}: {answer.answer}, not {asked.truth}")
    assert wrong == []
    if behaviour in HONEST:
        assert len(declined) <= 0.05 * questions, declined
    if behaviour == "right, from passages":
        assert len(declined) == questions, "a figure over many rows needs a complete result"
