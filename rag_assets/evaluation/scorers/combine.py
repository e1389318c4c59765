"""`one_of`, `all_of` and `none_of` over any scorer's check, and the text keys every text suite shares.

Holds: `faults_of`, `text_faults`.
Add here: another way to combine expectations.
Never here: the keys of one suite.
"""

from collections.abc import Callable

from rag_assets.evaluation.expectations import Expectation
from rag_assets.evaluation.matching import contains

Check = Callable[[Expectation], tuple[str, ...]]


def faults_of(expected: Expectation, check: Check) -> tuple[str, ...]:
    """What does not hold, in words; empty where all holds. `check` judges the suite's own keys."""
    faults = list(check(expected))
    for one in expected.all_of:
        faults.extend(faults_of(one, check))
    if expected.one_of:
        branches = [faults_of(one, check) for one in expected.one_of]
        if all(branches):
            faults.append("none of the alternatives holds: " + " / ".join(branch[0] for branch in branches))
    for one in expected.none_of:
        if not faults_of(one, check):
            faults.append(f"holds and must not: {one.model_dump(exclude_unset=True, mode='json')}")
    return tuple(faults)


def text_faults(expected: Expectation, text: str, where: str) -> tuple[str, ...]:
    missing = tuple(f"{wanted!r} is not in {where}" for wanted in expected.must_contain if not contains(text, wanted))
    present = tuple(f"{taboo!r} is in {where}" for taboo in expected.must_not_contain if contains(text, taboo))
    return missing + present
