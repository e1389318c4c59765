"""Judging a candidate: evaluate, judge, hold what regressed, evaluate the mixture again.

Holds: `judge_candidate`, `Judgement`, `last_verdict`.
Add here: another way to make a red candidate servable.
Never here: when a run counts as a regression (gate.py), cutting the mixture (ingest/candidate.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from rag_assets.evaluation.cases import Case, CaseSet, load_cases
from rag_assets.evaluation.evaluate import Contents, evaluate
from rag_assets.evaluation.gate import NAMED, NO_BASELINE, Verdict, judge_run, score_of_floor
from rag_assets.evaluation.memory import (
    Evaluation,
    Memory,
    now,
    read_baseline,
    read_evaluation,
    remember,
    write_evaluation,
)
from rag_assets.evaluation.outcomes import SuiteRun
from rag_assets.ingest.candidate import hold
from rag_assets.ingest.left_out import LeftOut, remember_left_out
from rag_assets.ingest.serving import as_served
from rag_assets.settings import Project
from rag_assets.store import Candidate, Release, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """`candidate` is what may go live (held partitions put back), `run` its evaluation, `first` that of the original.

    `verdict.red`: nothing may go live.
    """

    candidate: Candidate
    verdict: Verdict
    run: SuiteRun
    first: SuiteRun
    cases: CaseSet


@dataclass(frozen=True, slots=True, kw_only=True)
class LastVerdict:
    """What the newest run said, for people who ask afterwards."""

    red: bool = False
    at: str = ""
    sentence: str = ""
    cases: tuple[str, ...] = ()


LAST_VERDICT = "last_verdict"


def last_verdict(store: Store) -> LastVerdict:
    return store.read_memo(LAST_VERDICT, LastVerdict, LastVerdict())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    project: Project
    store: Store
    cases: CaseSet
    published: Release | None
    memories: tuple[Memory, ...]
    baseline: Memory | None
    remembered: bool
    served_unscored: frozenset[str]
    allowed: tuple[str, ...]
    today: date | None

    def run(self, candidate: Candidate) -> SuiteRun:
        return evaluate(
            as_served(self.project, candidate.serving),
            self.store,
            Contents.of(candidate),
            self.cases.cases,
            self.memories,
            baseline=self.baseline,
            budget_s=self.project.settings.eval_budget_s,
            today=self.today,
        )

    def verdict(self, run: SuiteRun) -> Verdict:
        found = judge_run(run, self.memories, self.project.settings.suite_floors, self.allowed)
        return replace(found, served_unscored=sum(one.case in self.served_unscored for one in found.regressed))


def judge_candidate(
    project: Project,
    store: Store,
    candidate: Candidate,
    *,
    allowed: Iterable[str] = (),
    today: date | None = None,
    cases: CaseSet | None = None,
) -> Judgement:
    """Decide what of the candidate may go live, and keep how each case stood in it.

    A regression holds the collections of its cases at their published segments (`on_regression: hold_collection`) and
    the mixture is evaluated again; what regresses then is held too. With `hold_release`, or where nothing else helps,
    every change is held. Removals are in every mixture, so they go live even when all else is held.
    """
    published = store.current()
    baseline = read_baseline(project.evals)
    evaluated = read_evaluation(store, published.dagster_run if published else None)
    unscored = frozenset(one.case for one in (evaluated.outcomes if evaluated else ()) if one.verdict == "unscored")
    memories = tuple(memory for memory in (evaluated.memory if evaluated else None, baseline) if memory is not None)
    case_set = cases or load_cases(project.evals)
    bench = _Bench(
        project=project,
        store=store,
        cases=case_set,
        published=published,
        memories=memories,
        baseline=baseline,
        remembered=evaluated is not None,
        served_unscored=unscored,
        allowed=tuple(allowed),
        today=today,
    )
    first = bench.run(candidate)
    verdict = bench.verdict(first)
    chosen, run, verdict = (candidate, first, verdict) if verdict.green else _held(bench, candidate, first, verdict)
    verdict = replace(verdict, warnings=_warnings(bench, run, Contents.of(chosen)))
    remember_left_out(store, LeftOut(cases=run.left_out, budget_s=project.settings.eval_budget_s))
    unaccepted = {one.case for one in bench.verdict(run).regressed}
    memory = remember(run.outcomes, Contents.of(chosen).sources, memories, unaccepted=unaccepted)
    write_evaluation(store, candidate.id, Evaluation(memory=memory, outcomes=run.outcomes))
    blocked = tuple(one.case for one in verdict.regressed)
    store.write_memo(LAST_VERDICT, LastVerdict(red=verdict.red, at=now(), sentence=verdict.sentence, cases=blocked))
    return Judgement(candidate=chosen, verdict=verdict, run=run, first=first, cases=case_set)


def _held(bench: _Bench, candidate: Candidate, run: SuiteRun, verdict: Verdict) -> tuple[Candidate, SuiteRun, Verdict]:
    if bench.published is None:
        return candidate, run, verdict
    why = verdict.sentence
    everything = dict.fromkeys(candidate.changed, why)
    held: dict[str, str] = {}
    current = verdict
    by_collection = bench.project.settings.on_regression == "hold_collection"
    while by_collection and len(held) < len(everything):
        further = {key: current.sentence for key in _guilty(candidate, bench.published, current, held)}
        held |= further
        if not further or len(held) == len(everything):
            break
        mixture = hold(bench.project, bench.store, candidate, bench.published, held)
        mixed_run = bench.run(mixture)
        current = bench.verdict(mixed_run)
        if current.green:
            return mixture, mixed_run, replace(verdict, green=False, red=False, held=held, stale=current.stale)
    return _only_removals(bench, candidate, everything, run, verdict)


def _guilty(candidate: Candidate, published: Release, verdict: Verdict, held: dict[str, str]) -> Sequence[str]:
    """Changed partitions of the collections that regressed; all changed ones where none of those is to blame."""
    names = {name for one in verdict.regressed for name in one.collections}
    parts = {**published.partitions, **candidate.partitions}
    changed = [key for key in candidate.changed if key not in held]
    guilty = [key for key in changed if key in parts and parts[key].collection in names]
    return guilty if guilty and not verdict.under_floor else changed


def _only_removals(
    bench: _Bench, candidate: Candidate, everything: dict[str, str], run: SuiteRun, verdict: Verdict
) -> tuple[Candidate, SuiteRun, Verdict]:
    """Everything held. Where documents went or a scope was tightened that still goes live, whatever the suites say."""
    mixture = hold(bench.project, bench.store, candidate, bench.published, everything)
    if not mixture.changed:
        return candidate, run, replace(verdict, red=True)
    mixed_run = bench.run(mixture)
    return mixture, mixed_run, replace(verdict, green=False, red=False, held=everything)


def _warnings(bench: _Bench, run: SuiteRun, contents: Contents) -> tuple[str, ...]:
    warnings = []
    if bench.baseline is None:
        warnings.append(
            f"{NO_BASELINE}: nothing was accepted yet: look at `eval report`, then `rag-assets eval accept`"
        )
    if bench.published and bench.published.dagster_run and not bench.remembered:
        warnings.append("the evaluation of the published release is damaged or gone: only the accepted baseline counts")
    lost = _lost_of_baseline(bench)
    if lost:
        some = ", ".join(lost[:NAMED])
        warnings.append(f"{len(lost)} accepted cases are gone or edited and guard nothing until accepted again: {some}")
    adrift = [case.id for case in bench.cases.cases if not _belongs(case, bench.project)]
    if adrift:
        some = ", ".join(adrift[:NAMED])
        warnings.append(f"{len(adrift)} cases name a collection that sources.yaml does not: {some}")
    missing = [case.id for case in bench.cases.cases if _misses(case, bench.project, contents)]
    if missing:
        some = ", ".join(missing[:NAMED])
        warnings.append(f"{len(missing)} cases name a document that is not there: {some}")
    warnings += [f"suite_floors: nothing is scored as {name!r}" for name in _idle_floors(bench, run)]
    if run.left_out:
        budget = bench.project.settings.eval_budget_s
        warnings.append(f"{run.left_out} cases did not fit into eval_budget_s ({budget:g} s) and are unscored")
    return tuple(warnings)


def _belongs(case: Case, project: Project) -> bool:
    """Whether the project has the collections of its sources."""
    collections = {collection.name for collection in project.collections}
    return all(source.split("/", 1)[0] in collections for source in case.sources)


def _misses(case: Case, project: Project, contents: Contents) -> bool:
    """Whether one of its sources is not there. Only the case is named: a release says nothing of what was erased."""
    return _belongs(case, project) and any(source not in contents.sources for source in case.sources)


def _lost_of_baseline(bench: _Bench) -> list[str]:
    now = {case.id: case.digest for case in bench.cases.cases}
    accepted = bench.baseline.cases.values() if bench.baseline else ()
    return sorted(one.case for one in accepted if one.passed and now.get(one.case) != one.digest)


def _idle_floors(bench: _Bench, run: SuiteRun) -> list[str]:
    return [name for name in sorted(bench.project.settings.suite_floors) if score_of_floor(name) not in run.scores]
