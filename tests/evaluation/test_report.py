"""The page and the tables people read."""

import re

from rag_assets.evaluation.evals_page import evals_markdown
from rag_assets.evaluation.gate import Verdict
from rag_assets.evaluation.outcomes import AnswerOutcome, CaseOutcome, Loss, SuiteRun
from rag_assets.evaluation.plots import Point, bar_plot, line_plot
from rag_assets.evaluation.report import (
    PastRelease,
    ReportRequest,
    failures_markdown,
    html_report,
    sample_of_failures,
    scores_markdown,
)
from rag_assets.evaluation.suites import scores_of, slices_of
from rag_assets.model.score import Score


def failed(case: str, **given: object) -> CaseOutcome:
    fixed = {"digest": "d", "suite": "answers", "verdict": "failed", "day": "2026-11-30", "why": "a | b\nc"}
    return CaseOutcome(case=case, **(fixed | given))  # ty: ignore[invalid-argument-type]


def run_of(*outcomes: CaseOutcome) -> SuiteRun:
    return SuiteRun(outcomes=outcomes, scores=scores_of(outcomes), slices=slices_of(outcomes))


def test_regressions_come_first_then_wrong_answers() -> None:
    run = run_of(failed("a"), failed("b", outcome=AnswerOutcome.WRONG), failed("c"))
    lines = failures_markdown(run, regressed=["c"]).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| c", "| b", "| a"]
    assert r"a \| b c" in lines[2]


def test_held_out_cases_are_never_named() -> None:
    run = run_of(failed("secret", split="held_out"))
    assert failures_markdown(run) == "no failed case\n"
    assert "secret" not in html_report(ReportRequest(name="r", run=run))


def test_what_was_not_scored_is_a_dash_and_no_zero() -> None:
    table = scores_markdown(
        {"answers/pass": Score(None, 0, 3), "chunks/pass": Score(0.5, 4)}, {"chunks/pass": Score(0.25, 4)}
    )
    assert "| answers/pass | – |  | 0 (+3) |" in table
    assert "| chunks/pass | 0.500 | +0.250 | 4 |" in table


def test_a_sample_takes_turns_between_kinds_of_loss() -> None:
    many = [failed(f"a{n}", loss=Loss.RANKED_TOO_LOW) for n in range(9)]
    sample = sample_of_failures(run_of(*many, failed("z", loss=Loss.NOT_PARSED)), 3)
    assert "z" in {one.case for one in sample}


def test_the_page_is_offline_escaped_and_tells_why_it_is_red() -> None:
    run = run_of(failed("a", why="<script>", context=("1 record x: <b>",), tags=("t",)))
    page = html_report(
        ReportRequest(
            name="release 3",
            run=run,
            verdict=Verdict(green=False, red=True),
            past=(PastRelease(1, {"answers/pass": Score(1.0, 1)}), PastRelease(2, {"answers/pass": Score(0.5, 2)})),
            before=run,
        )
    )
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    assert not re.search(r"(src|href)=|https?://|@import", page)
    assert page.count("<svg") >= 2


def test_plots_draw_a_mark_for_each_point_and_say_when_there_is_none() -> None:
    assert line_plot({"hit@1": [Point(1, 0.5, "1"), Point(2, 0.7, "2")]}, title="t").count("<circle") == 2
    assert bar_plot({"record": {"hit@1": 0.5}}, title="t").count("<rect") == 2
    assert "nothing scored yet" in bar_plot({}, title="t")


def test_the_evals_page_lists_open_failures_with_their_stage_and_no_held_out_case() -> None:
    run = run_of(
        failed("a", loss=Loss.RANKED_TOO_LOW, loss_note="rank 14", tags=("edge",)), failed("secret", split="held_out")
    )
    page = evals_markdown(run)
    assert r"| a | ranked too low rank 14 | a \| b c |" in page
    assert "| edge | 1 | 0 | 1 | 0 |" in page
    assert "secret" not in page
    assert page == evals_markdown(run)
