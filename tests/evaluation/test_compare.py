"""Before → after tables."""

from dataclasses import replace

from rag_assets.evaluation.compare import compare_runs, comparison_markdown, paired_interval
from rag_assets.evaluation.outcomes import CaseOutcome, SuiteRun


def outcome(case: str, verdict: str, rank: int | None = 1) -> CaseOutcome:
    return CaseOutcome(
        case=case,
        digest="d",
        suite="retrieval",
        verdict=verdict,  # ty: ignore[invalid-argument-type]
        day="2026-11-30",
        rank=rank,
        tags=("edge",),
        measures={"hit@1": float(rank == 1)},
    )


def run_of(*outcomes: CaseOutcome) -> SuiteRun:
    return SuiteRun(outcomes=outcomes, scores={}, slices={})


BEFORE = run_of(outcome("a", "passed"), outcome("b", "failed", None), outcome("c", "passed", 2), outcome("d", "stale"))
AFTER = run_of(outcome("a", "passed"), outcome("b", "passed"), outcome("c", "passed", 1), outcome("d", "failed"))


def test_a_comparison_counts_only_what_was_scored_in_both() -> None:
    found = compare_runs(BEFORE, AFTER)
    assert found.headline == "all 2/3 → 3/3, retrieval 2/3 → 3/3, tag edge 2/3 → 3/3, no regression"
    assert (found.mended, found.regressed, found.moved) == (("b",), (), 1)


def test_a_regression_is_named() -> None:
    worse = run_of(replace(AFTER.outcomes[0], verdict="failed"), *AFTER.outcomes[1:])
    table = comparison_markdown(compare_runs(BEFORE, worse), "with", "without")
    assert "regressed: a; mended: b" in table
    assert "| all | 2/3 | 2/3 |" in table


def test_the_interval_is_the_same_each_time_and_holds_the_difference() -> None:
    before, after = [0.0] * 20 + [1.0] * 20, [0.0] * 15 + [1.0] * 25
    low, high = paired_interval(before, after)
    assert (low, high) == paired_interval(before, after)
    assert low is not None
    assert high is not None
    assert 0 < low < 0.125 < high
    assert paired_interval([], []) == (None, None)
