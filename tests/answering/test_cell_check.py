"""One digit, row, column or unit changed: nothing false passes; what is true does."""

import random
from datetime import date

import pytest

from rag_assets import Corpus
from rag_assets.answering.cell_check import check_answer
from rag_assets.answering.evidence import evidence_of_passages
from rag_assets.answering.figures import figures_in
from tests.answering.conftest import REGIONS

TODAY = date(2026, 11, 30)


def truth(region: str, tier: int) -> int:
    return 3 * tier + REGIONS.index(region)


def perturbed(draw: random.Random, value: int) -> str:
    other = draw.choice([value + draw.choice([-1, 1, 2, 10]), value * 10 + draw.randrange(10), value + 0.5])
    return draw.choice([f"{other}%", f"${value}.5", f"{value / 10:g}%"])


@pytest.mark.parametrize("seed", range(60))
def test_true_answers_pass_and_changed_ones_do_not(desk: Corpus, seed: int) -> None:
    draw = random.Random(seed)
    region, tier = draw.choice(REGIONS), draw.choice((1, 2, 3))
    question = f"What discount does region {region} have at tier {tier}?"
    passages = desk.search(question, k=8)
    evidence = evidence_of_passages(passages, desk)
    marks = ", ".join(str(n) for n in range(1, len(passages) + 1))
    value = truth(region, tier)
    assert check_answer(f"{region} has {value}% at tier {tier} [{marks}].", question, evidence).reason is None
    wrong = perturbed(draw, value)
    same = {v for f in figures_in(wrong) for v in f.values} == {value / 100}
    if not same:
        found = check_answer(f"{region} has {wrong} at tier {tier} [{marks}].", question, evidence)
        assert found.reason == "unsupported_figure", wrong


def test_an_uncited_figure_is_unsupported(desk: Corpus) -> None:
    question = "What discount does region North have at tier 3?"
    evidence = evidence_of_passages(desk.search(question, k=5), desk)
    assert check_answer("North has 9% at tier 3.", question, evidence).reason == "unsupported_figure"
