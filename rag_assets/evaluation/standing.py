"""How a project stands: its cases run over the published release or the newest segments, and what a person accepts.

Holds: `standing`, `accept_cases`.
Add here: another question a person asks about the cases at any time.
Never here: judging a candidate within a run (judgement.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.errors import InputError, UnknownName, UsageError
from rag_assets.evaluation.cases import Case, CaseSet, load_cases
from rag_assets.evaluation.evaluate import Contents, evaluate
from rag_assets.evaluation.expectations import Suite
from rag_assets.evaluation.memory import (
    Memory,
    accept,
    read_baseline,
    read_evaluation,
    set_aside_damaged,
    write_baseline,
)
from rag_assets.evaluation.outcomes import CaseOutcome, SuiteRun
from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.serving import as_served
from rag_assets.settings import Project
from rag_assets.store import Candidate, Release, Store

if TYPE_CHECKING:
    from rag_assets.answering.model_client import ModelClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """`served` is what was evaluated; `memories` what the gate would compare it with."""

    served: Release | Candidate
    cases: CaseSet
    run: SuiteRun
    memories: tuple[Memory, ...]
    baseline: Memory | None

    @property
    def stale(self) -> tuple[CaseOutcome, ...]:
        return tuple(one for one in self.run.outcomes if one.verdict == "stale")

    @property
    def failed(self) -> tuple[CaseOutcome, ...]:
        return tuple(one for one in self.run.outcomes if one.verdict == "failed")


def standing(
    project: Project,
    store: Store,
    *,
    candidate: bool = False,
    release: int | None = None,
    held_out: bool = False,
    cases: Sequence[Case] | None = None,
    remembered: bool = True,
    today: date | None = None,
    model: "ModelClient | None" = None,
    suite: Suite | None = None,
) -> Standing:
    """Run the cases without a time limit over a release (default: the published one) or the newest segments.

    `suite`: its cases alone. `remembered` False: no case is stale, and cases without a day of their own run as of
    today. Raises InputError where nothing is published yet.
    """
    served = _served(project, store, candidate, release)
    case_set = load_cases(project.evals)
    baseline = read_baseline(project.evals)
    published = store.current()
    evaluated = read_evaluation(store, published.dagster_run) if published else None
    memories = tuple(memory for memory in (evaluated.memory if evaluated else None, baseline) if memory is not None)
    run = evaluate(
        as_served(project, served.serving),
        store,
        Contents.of(served),
        [case for case in (case_set.cases if cases is None else cases) if suite in {None, case.suite}],
        memories if remembered else (),
        baseline=baseline if remembered else None,
        held_out=held_out,
        today=today,
        model=model,
    )
    return Standing(served=served, cases=case_set, run=run, memories=memories, baseline=baseline)


class Accepted(NamedTuple):
    path: Path
    passed: int
    failed: tuple[str, ...]


def accept_cases(project: Project, store: Store, ids: Iterable[str] = (), *, today: date | None = None) -> Accepted:
    """Write the accepted baseline: all cases (or the named ones) as they come out of the published release now.

    Raises UsageError where the project has no evals, UnknownName for an id that is no case.
    """
    if project.evals is None:
        raise UsageError(f"{project.root}: no `evals:` in sources.yaml: there is nothing to accept")
    named = frozenset(ids)
    if not named:
        set_aside_damaged(project.evals)
    now = standing(project, store, remembered=False, today=today)
    _refuse_unknown(named, now.cases.cases)
    _refuse_held_out(named, now.cases.cases)
    chosen = [one for one in now.run.outcomes if not named or one.case in named]
    before = now.baseline or Memory()
    if not named:
        before = Memory(
            cases={key: one for key, one in before.cases.items() if key in {case.id for case in now.cases.cases}},
            snapshots=before.snapshots,
        )
    path = write_baseline(project.evals, accept(chosen, Contents.of(now.served).sources, before))
    failed = tuple(one.case for one in chosen if one.would_pass is False)
    return Accepted(path, sum(one.would_pass is True for one in chosen), failed)


def refuse_unknown_cases(project: Project, ids: Iterable[str]) -> None:
    """Raises UnknownName for an id that is no case of the project."""
    _refuse_unknown(ids, load_cases(project.evals).cases)


def _refuse_unknown(ids: Iterable[str], cases: Iterable[Case]) -> None:
    unknown = sorted(set(ids) - {case.id for case in cases})
    if unknown:
        raise UnknownName(f"no case {unknown[0]!r}: see `rag-assets eval run --json` for their ids")


def _refuse_held_out(ids: Iterable[str], cases: Iterable[Case]) -> None:
    held_out = sorted({case.id for case in cases if case.split == "held_out"} & set(ids))
    if held_out:
        raise UsageError(f"{held_out[0]} is held out: such cases are never accepted, see `eval run --held-out`")


def _served(project: Project, store: Store, candidate: bool, release: int | None) -> Release | Candidate:
    if candidate:
        return make_candidate(project, store, "newest")
    served = store.current() if release is None else store.release(release)
    if served is None:
        raise InputError(f"{project.root}: nothing is published yet: run `rag-assets ingest`")
    return served
