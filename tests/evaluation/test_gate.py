"""The gate judges the pipeline, not the world."""

from rag_assets.evaluation.gate import STAGES_OF_LOSS, Verdict, is_stale, judge_run
from rag_assets.evaluation.memory import Memory, accept, newest, remember
from rag_assets.evaluation.outcomes import CaseOutcome, Loss, SourceState, SuiteRun
from rag_assets.evaluation.suites import scores_of
from tests.evaluation.tiny import case_of

CASE = case_of("retrieval", {"must_contain": ["$3.00"]}, question="fare")


def outcome(verdict: str, case: str = "c1", **given: object) -> CaseOutcome:
    fixed = {"digest": CASE.digest, "suite": "retrieval", "day": "2026-11-30", "sources": ("transit/fares.html",)}
    return CaseOutcome(case=case, verdict=verdict, **(fixed | given))  # ty: ignore[invalid-argument-type]


def sources(**versions: str) -> dict[str, SourceState]:
    names = {"fares": "transit/fares.html", "other": "transit/other.html", "new": "transit/new.html"}
    return {names[key]: SourceState(source=names[key], version=version) for key, version in versions.items()}


def run_of(*outcomes: CaseOutcome) -> SuiteRun:
    return SuiteRun(outcomes=outcomes, scores=scores_of(outcomes), slices={})


PASSED = remember([outcome("passed")], sources(fares="v1", other="v1"), at="2026-11-01")


def judged(one: CaseOutcome, *memories: Memory, **given: object) -> Verdict:
    return judge_run(run_of(one), memories, given.pop("floors", {}), **given)  # ty: ignore[invalid-argument-type]


def test_what_passed_and_fails_now_blocks_and_says_why_in_one_line() -> None:
    verdict = judged(outcome("failed", why="'$3.00' is not in the passages"), PASSED)
    assert verdict.red
    assert verdict.sentence == "c1 passed before and fails now: '$3.00' is not in the passages"
    assert verdict.regressed[0].collections == ("transit",)


def test_failures_of_several_stages_are_said_apart_the_earliest_first() -> None:
    losses = {"a": Loss.RANKED_TOO_LOW, "b": Loss.LOST_IN_TABLE, "c": Loss.RANKED_TOO_LOW}
    cases = [outcome("failed", case, loss=loss, why=f"why {case}") for case, loss in losses.items()]
    before = remember([outcome("passed", case) for case in losses], sources(fares="v1"), at="2026-11-01")
    assert judge_run(run_of(*cases), [before], {}).sentence == (
        "b passed before and fails now (lost in the table): why b; "
        "a, c passed before and fail now (ranked too low): why a"
    )


def test_every_stage_has_its_place_in_the_sentence() -> None:
    assert set(STAGES_OF_LOSS) == set(Loss)


def test_a_case_that_never_passed_does_not_block() -> None:
    assert judged(outcome("failed")).green
    failed = remember([outcome("failed")], sources(fares="v1"), at="2026-11-02")
    assert judged(outcome("failed"), PASSED, failed).green


def test_an_edited_case_has_never_passed_in_its_present_form() -> None:
    assert judged(outcome("failed", digest="another"), PASSED).green


def test_stale_and_unscored_cases_neither_block_nor_pass() -> None:
    for verdict in (judged(outcome("stale"), PASSED), judged(outcome("unscored"), PASSED)):
        assert verdict.green
    assert judged(outcome("stale"), PASSED).sentence == "no regression, 1 stale"


def test_an_allowed_case_does_not_block_and_is_named() -> None:
    verdict = judged(outcome("failed"), PASSED, allowed=("c1",))
    assert verdict.green
    assert verdict.allowed == ("c1",)


def test_a_suite_under_its_floor_blocks_and_an_unscored_suite_does_not() -> None:
    assert judged(outcome("failed"), floors={"retrieval": 0.5}).sentence == (
        "suite retrieval is 0.000, under its floor 0.5"
    )
    assert judged(outcome("unscored"), floors={"retrieval": 0.5}).green


def test_a_case_is_stale_when_its_source_changed_or_went() -> None:
    assert not is_stale(CASE, [], [PASSED], sources(fares="v1"))
    assert is_stale(CASE, [], [PASSED], sources(fares="v2"))
    assert is_stale(CASE, [], [PASSED], sources(other="v1"))


def test_a_case_is_stale_when_it_retrieves_a_new_or_changed_source() -> None:
    retrieved = ["transit/other.html"]
    assert not is_stale(CASE, retrieved, [PASSED], sources(fares="v1", other="v1"))
    assert is_stale(CASE, retrieved, [PASSED], sources(fares="v1", other="v2"))
    assert is_stale(CASE, ["transit/new.html"], [PASSED], sources(fares="v1", new="v1"))
    assert not is_stale(CASE, [], [PASSED], sources(fares="v1", other="v2"))


def test_a_failed_case_is_never_stale() -> None:
    failed = remember([outcome("failed")], sources(fares="v1"), at="2026-11-02")
    assert not is_stale(CASE, [], [failed], sources(fares="v2"))


def test_a_stale_case_stays_stale_over_releases_until_it_is_accepted() -> None:
    edited = sources(fares="v2", other="v1")
    carried = remember([outcome("stale")], edited, [PASSED], at="2026-11-03")
    assert is_stale(CASE, [], [carried], edited)
    baseline = accept([outcome("stale", would_pass=True)], edited, Memory(), at="2026-11-04")
    assert not is_stale(CASE, [], [carried, baseline], edited)
    assert judged(outcome("failed"), carried, baseline).red


def test_an_accepted_failure_no_longer_blocks() -> None:
    baseline = accept([outcome("failed", would_pass=False)], sources(fares="v1"), Memory(), at="2026-11-04")
    assert judged(outcome("failed"), PASSED, baseline).green


def test_accepting_one_case_keeps_the_others_and_their_snapshot() -> None:
    before = accept([outcome("passed", "a", would_pass=True)], sources(fares="v1"), Memory(), at="2026-11-04")
    after = accept([outcome("passed", "b", would_pass=True)], sources(fares="v2"), before, at="2026-11-05")
    assert set(after.cases) == {"a", "b"}
    assert {version for one in after.snapshots.values() for version in one.values()} == {"v1", "v2"}


def test_the_newest_memory_counts() -> None:
    later = remember([outcome("passed")], sources(fares="v2"), at="2026-11-09")
    found = newest(CASE, [later, PASSED])
    assert found is not None
    assert found[0].at == "2026-11-09"


def test_a_generated_case_measures_and_never_blocks() -> None:
    assert judged(outcome("failed", tags=("row",)), PASSED).red
    assert judged(outcome("failed", tags=("generated", "row")), PASSED).green
