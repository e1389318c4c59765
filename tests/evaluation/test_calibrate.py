"""The floor from a budget of wrong answers."""

from rag_assets.evaluation.calibrate import Asked, calibrate, wrong_at

QUESTIONS = [
    Asked(0.1, answerable=False, right=False),
    Asked(0.3, answerable=False, right=False),
    Asked(0.5, answerable=True, right=True),
    Asked(0.7, answerable=True, right=False),
    Asked(0.9, answerable=True, right=True),
    Asked(1.0, answerable=True, right=True),
]


def test_the_floor_is_the_lowest_that_keeps_the_budget() -> None:
    found = calibrate(QUESTIONS, budget=0.25)
    assert found is not None
    assert (found.floor, found.wrong, round(found.answered, 3), found.lost) == (0.4, 0.25, 0.667, 0)


def test_a_stricter_budget_costs_answerable_questions() -> None:
    found = calibrate(QUESTIONS, budget=0.0)
    assert found is not None
    assert (found.floor, found.wrong, found.lost) == (0.8, 0.0, 0.5)


def test_of_nothing_there_is_no_floor() -> None:
    assert calibrate([], budget=0.1) is None


def test_other_questions_are_judged_at_the_same_floor() -> None:
    assert wrong_at(QUESTIONS, 0.8) == (0.0, 2 / 6)
