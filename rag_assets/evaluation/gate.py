"""The gate: may what was evaluated go live.

Holds: `judge_run` (pure: outcomes against memories and floors) and `Verdict`.
Add here: another reason to block, or to warn.
Never here: running the cases (suites.py), cutting a held candidate (ingest/candidate.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rag_assets.evaluation.cases import GENERATED, Case
from rag_assets.evaluation.memory import VERSION_LENGTH, CaseMemory, Memory, newest
from rag_assets.evaluation.outcomes import CaseOutcome, Loss, SourceState, SuiteRun
from rag_assets.model.score import Score

NO_BASELINE = "no_baseline"
NAMED = 6  # cases that a sentence names
STAGES_OF_LOSS = (
    Loss.NOT_PARSED,
    Loss.LOST_IN_TABLE,
    Loss.NOT_IN_LOOKUP,
    Loss.NOT_IN_CHUNK,
    Loss.RANKED_TOO_LOW,
    Loss.ANSWERED_WRONG,
    Loss.DECLINED_THOUGH_PRESENT,
)  # as the answer passes through them


class Regression(NamedTuple):
    """A case that passed before and fails now, and the collections it is about."""

    case: str
    why: str
    loss: str
    collections: tuple[str, ...]


class UnderFloor(NamedTuple):
    suite: str
    value: float
    floor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`green`: what was judged may go live as it is. `held`: partition → why, filled in by `judge_candidate`.

    `served_unscored`: regressed cases that were not scored in the published release, so it may have the fault too.
    `red`: nothing may go live. Neither green nor red: it may, with `held` partitions at their published segments.
    """

    green: bool
    red: bool = False
    regressed: tuple[Regression, ...] = ()
    under_floor: tuple[UnderFloor, ...] = ()
    stale: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    unscored: int = 0
    served_unscored: int = 0
    warnings: tuple[str, ...] = ()
    held: dict[str, str] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """One line that says how it stands, and when not green why."""
        notes = [f"{len(self.stale)} stale" if self.stale else "", f"{self.unscored} unscored" if self.unscored else ""]
        tail = "".join(f", {note}" for note in notes if note)
        if self.held and not self.red:
            held = ", ".join(sorted(self.held))
            return f"held at the published segments: {held}: {next(iter(self.held.values()))}{tail}"
        if self.green:
            return f"no regression{tail}"
        return "; ".join(_reasons(self)) + tail


def judge_run(
    run: SuiteRun,
    memories: Sequence[Memory],
    floors: Mapping[str, float],
    allowed: Iterable[str] = (),
) -> Verdict:
    """What passed in any memory (the newest counts) and fails now blocks, and so does a suite under its floor.

    Stale and unscored cases neither block nor pass. An allowed case does not block, nor does a generated one.
    """
    waved = frozenset(allowed)
    failing = [
        one
        for one in run.outcomes
        if one.verdict == "failed" and GENERATED not in one.tags and _passed_before(one, memories)
    ]
    regressed = tuple(_regression(one) for one in failing if one.case not in waved)
    under = tuple(_under_floors(run.scores, floors))
    return Verdict(
        green=not regressed and not under,
        red=bool(regressed or under),
        regressed=regressed,
        under_floor=under,
        stale=tuple(one.case for one in run.outcomes if one.verdict == "stale"),
        allowed=tuple(one.case for one in failing if one.case in waved),
        unscored=sum(one.verdict == "unscored" for one in run.outcomes),
    )


def is_stale(
    case: Case, retrieved: Iterable[str], memories: Sequence[Memory], sources: Mapping[str, SourceState]
) -> bool:
    """Its sources changed or went since it last passed, or it retrieves a source that is new or changed since then.

    A case that never passed in its present form is not stale: it has nothing to lose.
    """
    found = newest(case, memories)
    if found is None or not found[0].passed:
        return False
    remembered, then = found
    moved = any(then.get(source) != _version(source, sources) for source in (*case.sources, *remembered.retrieved))
    return moved or any(then.get(source) != _version(source, sources) for source in retrieved)


def _version(source: str, sources: Mapping[str, SourceState]) -> str | None:
    state = sources.get(source)
    return state.version[:VERSION_LENGTH] if state else None


def _passed_before(outcome: CaseOutcome, memories: Sequence[Memory]) -> bool:
    found = [memory.cases[outcome.case] for memory in memories if outcome.case in memory.cases]
    same: list[CaseMemory] = [one for one in found if one.digest == outcome.digest]
    return bool(same) and max(same, key=lambda one: one.at).passed


def _regression(outcome: CaseOutcome) -> Regression:
    named = outcome.sources or outcome.retrieved[:1]
    collections = tuple(sorted({source.split("/", 1)[0] for source in named}))
    return Regression(outcome.case, outcome.why, outcome.loss.value if outcome.loss else "", collections)


def _under_floors(scores: Mapping[str, Score], floors: Mapping[str, float]) -> Iterable[UnderFloor]:
    for suite, floor in sorted(floors.items()):
        score = scores.get(score_of_floor(suite))
        if score is not None and score.value is not None and score.value < floor:
            yield UnderFloor(suite, score.value, floor)


def score_of_floor(name: str) -> str:
    """`retrieval` is the share of its cases that pass, `retrieval/mrr@10` that score."""
    return name if "/" in name else f"{name}/pass"


def _reasons(verdict: Verdict) -> Iterable[str]:
    for group in _by_stage(verdict.regressed):
        first = group[0]
        lost = f" ({first.loss})" if first.loss else ""
        others = len(group) - 1
        named = [one.case for one in group[1:NAMED]]
        rest = f" and {others - len(named)} more" if others > len(named) else ""
        more = f", {', '.join(named)}{rest}" if named else ""
        yield f"{first.case}{more} passed before and {'fail' if others else 'fails'} now{lost}: {first.why}"
    if verdict.regressed and verdict.served_unscored:
        yield f"{verdict.served_unscored} of them were unscored in what is served, which may have the fault too"
    for one in verdict.under_floor:
        yield f"suite {one.suite} is {one.value:.3f}, under its floor {one.floor:g}"


def _by_stage(regressed: Sequence[Regression]) -> Iterable[Sequence[Regression]]:
    """Those of one stage together, the earliest stage first: what it lost, the later ones cannot have."""
    groups: dict[str, list[Regression]] = {loss.value: [] for loss in STAGES_OF_LOSS}
    for one in regressed:
        groups.setdefault(one.loss, []).append(one)
    return [group for group in groups.values() if group]
