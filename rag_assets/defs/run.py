"""Runs started from the command line: in this process, on the project's instance, seen in its UI.

Holds: `launch_ingest`, `evaluate_and_publish`, and what came of such a run.
Add here: another fact the command line tells of a run.
Never here: parsing options, printing (cli/).
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import dagster as dg

from rag_assets.defs.automation import evaluate_and_publish_job, ingest_job
from rag_assets.defs.build import build_definitions
from rag_assets.defs.live_runs import somebody_at_work, this_process
from rag_assets.defs.progress import Listener, watched
from rag_assets.defs.run_tags import CAUSE, OUTCOME, PROCESS, range_tags
from rag_assets.defs.tries import cause_of
from rag_assets.errors import Refused, StateError
from rag_assets.evaluation.cases import load_cases
from rag_assets.ingest.due import Due, what_is_due
from rag_assets.settings import Project, load_project
from rag_assets.store import Release, Store

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What came of a run. `published` is the release it made, None where it made none.

    `outcome`: "" (all that was due is live), "held" (a part is), "gate_red" (nothing is); `cause` says why.
    `refused`: collection → why its removals were refused. `failed`: the run did not end well.
    """

    dagster_run: str | None = None
    failed: bool = False
    outcome: str = ""
    cause: str = ""
    published: int | None = None
    digest: str | None = None
    held: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    worked_on: dict[str, int] = field(default_factory=dict)

    @property
    def nothing_due(self) -> bool:
        return self.dagster_run is None

    @property
    def exit_status(self) -> int:
        return 1 if self.failed or self.outcome or self.refused else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Options of a run, as the launchpad has them."""

    rebuild: bool = False
    allow_empty: bool = False
    allow: tuple[str, ...] = ()
    why: str = ""


def launch_ingest(
    project_root: Path,
    collections: Sequence[str] = (),
    *,
    rebuild: bool = False,
    allow_empty: bool = False,
    allow: Sequence[str] = (),
    why: str = "",
    due: Due | None = None,
    instance: dg.DagsterInstance | None = None,
    progress: Listener | None = None,
) -> RunOutcome:
    """Bring up to date what is due (or the named collections), evaluate, publish or refuse.

    `rebuild` works on every document of all (or the named) collections. `due` is what a caller has just found.
    Without `instance` that of DAGSTER_HOME is used. Raises Refused while another run is at work.
    """
    project = load_project(project_root)
    choices = Choices(rebuild=rebuild, allow_empty=allow_empty, allow=tuple(allow), why=why)
    if due is None:
        cases = load_cases(project.evals).hash
        due = what_is_due(project, Store(project.state_url), cases, allow_empty=allow_empty)
    named = [p.key for p in project.partitions if p.collection.name in collections]
    if rebuild:
        keys = named or [p.key for p in project.partitions]
    else:
        keys = [part.key for part in due.collections if not named or part.key in named]
    refused = {name: text for name, text in due.refused.items() if not collections or name in collections}
    keys = [key for key in keys if project.partition(key).collection.name not in refused]
    if not keys and not due.evaluation_due and not allow:
        return RunOutcome(refused=refused)
    return _launched(project, keys, choices, refused, instance, progress)


def evaluate_and_publish(
    project_root: Path,
    *,
    allow: Sequence[str] = (),
    why: str = "",
    instance: dg.DagsterInstance | None = None,
    progress: Listener | None = None,
) -> RunOutcome:
    """Judge the newest segments as they are, publish or refuse."""
    project = load_project(project_root)
    return _launched(project, [], Choices(allow=tuple(allow), why=why), {}, instance, progress)


def _launched(
    project: Project,
    keys: Sequence[str],
    choices: Choices,
    refused: dict[str, str],
    instance: dg.DagsterInstance | None,
    progress: Listener | None,
) -> RunOutcome:
    store = Store(project.state_url)
    with nullcontext(instance) if instance is not None else _instance() as chosen:
        busy = somebody_at_work(chosen)
        if busy:
            raise Refused(f"{busy}: wait for it, or look at it in the Dagster UI")
        before = store.current()
        job = build_definitions(project).resolve_job_def((ingest_job if keys else evaluate_and_publish_job).name)
        tags = {PROCESS: this_process()}
        if keys:
            tags |= range_tags([p.key for p in project.partitions], keys)
        with watched(progress):
            result = job.execute_in_process(
                run_config=_run_config(keys, choices), instance=chosen, tags=tags, raise_on_error=False
            )
        return _outcome(chosen, store, result, before, refused)


def _run_config(keys: Sequence[str], choices: Choices) -> Mapping[str, object]:
    options = {
        "rebuild": choices.rebuild,
        "allow_empty": choices.allow_empty,
        "only": list(keys),
        "allow": list(choices.allow),
        "why": choices.why,
    }
    return {**QUIET, "resources": {"options": {"config": options}}}


def _instance() -> dg.DagsterInstance:
    try:
        return dg.DagsterInstance.get()
    except (dg.DagsterInvariantViolationError, dg.DagsterInvalidConfigError, OSError) as error:
        home = os.environ.get("DAGSTER_HOME", "")
        raise StateError(f"the Dagster instance of DAGSTER_HOME={home!r} cannot be opened: {error}") from None


def _outcome(
    instance: dg.DagsterInstance,
    store: Store,
    result: dg.ExecuteInProcessResult,
    before: Release | None,
    refused: dict[str, str],
) -> RunOutcome:
    run = instance.get_run_by_id(result.run_id)
    tags = run.tags if run else {}
    release = store.current()
    new = release is not None and (before is None or before.number != release.number)
    failed = not result.success
    cause = tags.get(CAUSE, "") or (cause_of(instance, run) if failed and run else "")
    return RunOutcome(
        dagster_run=result.run_id,
        failed=failed,
        outcome=tags.get(OUTCOME, ""),
        cause=cause,
        published=release.number if new and release else None,
        digest=release.digest if release else None,
        held=dict(release.held) if new and release else {},
        refused=refused,
        warnings=release.warnings if new and release else (),
        worked_on=_worked_on(result),
    )


def _worked_on(result: dg.ExecuteInProcessResult) -> dict[str, int]:
    """Asset → documents worked on, over all partitions."""
    totals: dict[str, int] = {}
    for event in result.all_events:
        if event.is_step_materialization:
            found = event.materialization.metadata.get("worked_on")
            if found is not None:
                name = event.materialization.asset_key.to_user_string()
                totals[name] = totals.get(name, 0) + int(str(found.value))
    return totals
