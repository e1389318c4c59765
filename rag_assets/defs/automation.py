"""When things run: on source change, at night, every week.

Holds: the sensor `source_changes` and the schedules.
Add here: another moment at which a run is asked for.
Never here: what is due (ingest/due.py), what a run does (jobs.py).
"""

from typing import NamedTuple

import dagster as dg
from dagster._core.execution.backfill import BulkActionsFilter, BulkActionStatus

from rag_assets.defs.jobs import EVALUATE, INGEST, SWEEP
from rag_assets.defs.tags import FINGERPRINT, GATE_RED, OUTCOME, range_tags
from rag_assets.errors import RagAssetsError
from rag_assets.evaluation.cases import load_cases
from rag_assets.ingest.due import Due, what_is_due
from rag_assets.settings import Project, load_project
from rag_assets.store import Store

MAX_TRIES = 3
TICK_S = 5
RELOAD = "sources.yaml changed: reload the code location"
_LIVE = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


class Tries(NamedTuple):
    """Runs that were asked for the same fingerprint."""

    failed: int
    gate_red: bool
    last_run: str | None

    @property
    def spent(self) -> bool:
        return self.failed >= MAX_TRIES or self.gate_red


def source_sensor(project: Project) -> dg.SensorDefinition:
    @dg.sensor(
        name="source_changes",
        job_name=INGEST,
        description="Compares every collection with the published release and asks for one run over all that is due.",
        minimum_interval_seconds=TICK_S,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def source_changes(context: dg.SensorEvaluationContext) -> dg.SkipReason | dg.RunRequest:
        return next_step(project, context.instance)

    return source_changes


def next_step(project: Project, instance: dg.DagsterInstance) -> dg.SkipReason | dg.RunRequest:
    """One run request for everything that is due, or the reason why there is none."""
    try:
        now = load_project(project.root)
        if now.digest != project.digest:
            return dg.SkipReason(RELOAD)
        store = Store(project.state_url)
        due = what_is_due(project, store, load_cases(project.evals).hash)
    except RagAssetsError as error:
        return dg.SkipReason(str(error))
    refused = "; ".join(due.refused.values())
    if not due.anything:
        return dg.SkipReason(refused or "nothing is due")
    if due.young:
        return dg.SkipReason(f"still being written, waiting: {', '.join(due.young[:3])}")
    pin = store.pinned()
    if pin is not None and not _takes_away(due):
        return dg.SkipReason(f"pinned to release {pin.release} ({pin.why}): due is {_named(due)}")
    busy = _busy(instance)
    if busy:
        return dg.SkipReason(busy)
    return _request(project, instance, due)


def _request(project: Project, instance: dg.DagsterInstance, due: Due) -> dg.SkipReason | dg.RunRequest:
    tries = _tries(instance, due.fingerprint)
    if tries.spent:
        cause = "the gate refused it" if tries.gate_red else f"it failed {tries.failed} times"
        return dg.SkipReason(f"gave up on {_named(due)}: {cause} (run {(tries.last_run or '')[:8]})")
    keys = [partition.key for partition in project.partitions]
    wanted = [part.key for part in due.collections]
    tags = {FINGERPRINT: due.fingerprint}
    run_key = f"{due.fingerprint}:{tries.failed + 1}"
    if not wanted:
        return dg.RunRequest(run_key=run_key, job_name=EVALUATE, tags=tags)
    return dg.RunRequest(run_key=run_key, job_name=INGEST, tags={**tags, **range_tags(keys, wanted)})


def _named(due: Due) -> str:
    parts = [part.key for part in due.collections] + [f"{key} (removed)" for key in due.removed]
    return ", ".join(parts[:5]) or "; ".join(due.reasons) or "the evaluation"


def _takes_away(due: Due) -> bool:
    """Removals and tightened scopes do not wait for a pin."""
    return bool(due.removed) or any(part.gone for part in due.collections)


def _busy(instance: dg.DagsterInstance) -> str | None:
    """Why now is no time for a run: one is live, or a backfill is between its runs."""
    live = instance.get_runs(filters=dg.RunsFilter(statuses=_LIVE), limit=1)
    if live:
        return f"run {live[0].run_id[:8]} ({live[0].job_name}) is under way"
    backfills = instance.get_backfills(filters=BulkActionsFilter(statuses=[BulkActionStatus.REQUESTED]), limit=1)
    if backfills:
        return f"backfill {backfills[0].backfill_id} is under way"
    return None


def _tries(instance: dg.DagsterInstance, fingerprint: str) -> Tries:
    runs = instance.get_runs(filters=dg.RunsFilter(tags={FINGERPRINT: fingerprint}), limit=20)
    failed = [run for run in runs if run.status in (dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED)]
    red = any(run.tags.get(OUTCOME) == GATE_RED for run in failed)
    return Tries(len(failed), red, failed[0].run_id if failed else None)


def schedules(project: Project) -> list[dg.ScheduleDefinition]:
    keys = [partition.key for partition in project.partitions]

    @dg.schedule(
        name="nightly_full_check",
        job_name=INGEST,
        cron_schedule="15 2 * * *",
        description="Every collection once a night: segments are verified, everything is evaluated.",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
    def nightly_full_check(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        pin = Store(project.state_url).pinned()
        if pin is not None:
            return dg.SkipReason(f"pinned to release {pin.release} ({pin.why})")
        busy = _busy(context.instance)
        if busy:
            return dg.SkipReason(busy)
        return dg.RunRequest(tags=range_tags(keys, keys))

    weekly = dg.ScheduleDefinition(
        name="weekly_sweep",
        job_name=SWEEP,
        cron_schedule="45 3 * * 0",
        description="Remove what no kept release names.",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
    return [nightly_full_check, weekly]
