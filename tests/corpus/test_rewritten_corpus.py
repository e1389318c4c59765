from pathlib import Path

import pytest

from rag_assets.evaluation.memory import read_evaluation
from rag_assets.settings import load_project
from rag_assets.store import Store
from tests.cli.published import publish_now
from tests.corpus.rewriting import Rewriter, rewrite_project

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seed", [1, 2])
def test_structural_cases_pass_whatever_the_words_and_figures_are(tmp_path: Path, seed: int) -> None:
    root = rewrite_project(ROOT, tmp_path, seed)
    publish_now(root)
    store = Store(load_project(root).state_url)
    outcomes = read_evaluation(store, "run-1").outcomes
    assert len(outcomes) > 50
    failed = {one.case: one.why for one in outcomes if one.verdict != "passed" and one.suite != "retrieval"}
    assert failed == {}


def test_no_name_or_figure_of_the_corpus_is_left(tmp_path: Path) -> None:
    root = rewrite_project(ROOT, tmp_path, 3)
    text = "".join(
        p.read_text() for p in (root / "documents").rglob("*") if p.suffix in {".md", ".html", ".csv", ".txt"}
    )
    for word in ("Yolobus", "Aggie", "Revenue", "Region", "Meridian", "96,221", "$93.50", "Refund"):
        assert word not in text
    assert not any("refund" in path.name or "transit" in path.name for path in root.rglob("*"))


def test_figures_keep_their_shape_and_dates_stay() -> None:
    rewriter = Rewriter(1)
    assert rewriter.text("$25,000 00417 12.5% 2026-01-01 6:40 July 26, 2026 (61) Q2 FY27") == (
        "$75,000 01251 37.5% 2026-01-01 6:40 July 26, 2026 (183) Q2 FY27"
    )
