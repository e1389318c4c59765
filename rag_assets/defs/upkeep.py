"""Upkeep: the nightly check of every byte and the weekly sweep.

Holds: both jobs and schedules, and the sensor that follows a nightly check with what it found to do.
Add here: another regular chore.
Never here: what is swept (ingest/sweep.py), what is due (ingest/due.py).
"""

import time
from datetime import UTC, datetime, timedelta

import dagster as dg

from rag_assets.defs import metadata, run_tags
from rag_assets.defs.automation import evaluate_and_publish_job, ingest_job, summary_of
from rag_assets.defs.live_runs import somebody_at_work
from rag_assets.defs.resources import ProjectResource
from rag_assets.ingest.due import what_is_due
from rag_assets.ingest.sweep import sweep

KEEP_RUNS = timedelta(days=60)
FOUND = "rag_assets/found_due"


@dg.op(description="Hash every source, verify every segment that is served, say what differs.")
def look_at_every_byte(context: dg.OpExecutionContext, project: ProjectResource) -> None:
    due = what_is_due(project.project, project.store, project.cases.hash, check="hash")
    say = context.log.warning if due.damaged else context.log.info
    say("due: %s", summary_of(due) if due.anything else "nothing")
    context.add_output_metadata(
        {
            "due": metadata.table_of(("partition", "why"), [(p.key, "; ".join(p.reasons)) for p in due.collections]),
            "damaged": metadata.table_of(("partition", "stage"), due.damaged),
        }
    )
    keys = [part.key for part in due.collections]
    tags = run_tags.range_tags([p.key for p in project.project.partitions], keys) if keys else {}
    found = " ".join((tags[run_tags.RANGE_START], tags[run_tags.RANGE_END])) if tags else ""
    context.instance.add_run_tags(context.run.run_id, {FOUND: found})


@dg.op(description="Remove what no kept release names, and old runs that no asset's history needs.")
def sweep_old(context: dg.OpExecutionContext, project: ProjectResource) -> None:
    context.log.info("swept: %s", sweep(project.store, project.project.settings.keep_releases))
    context.log.info("%d old runs removed", forget_old_runs(context.instance))


@dg.job(description="Check every byte of the sources and of what is served.", tags=run_tags.MAX_RUNTIME)
def full_check() -> None:
    look_at_every_byte()


@dg.job(name="sweep", description="Clean up old releases, segments and runs.", tags=run_tags.MAX_RUNTIME)
def sweep_job() -> None:
    sweep_old()


nightly_full_check = dg.ScheduleDefinition(
    name="nightly_full_check",
    job=full_check,
    cron_schedule="30 2 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Hashes every source, verifies what is served, then evaluates and publishes.",
)

weekly_sweep = dg.ScheduleDefinition(
    name="weekly_sweep",
    job=sweep_job,
    cron_schedule="0 4 * * 0",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Removes old releases, segments and runs that nothing names.",
)


@dg.sensor(
    name="after_full_check",
    jobs=[ingest_job, evaluate_and_publish_job],
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=30,
    description="Follows a nightly check: one run over what it found, or the evaluation alone.",
)
def after_full_check(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
    """The cursor is the check that was followed; a run status sensor would forget it when it must wait."""
    done = dg.RunsFilter(job_name=full_check.name, statuses=[dg.DagsterRunStatus.SUCCESS])
    newest = next(iter(context.instance.get_runs(done, limit=1)), None)
    if newest is None or newest.run_id == context.cursor:
        return dg.SkipReason("no check since the last one that was followed")
    busy = somebody_at_work(context.instance)
    if busy:
        return dg.SkipReason(f"waiting: {busy}")
    context.update_cursor(newest.run_id)
    start, _, end = newest.tags.get(FOUND, "").partition(" ")
    if not start:
        return dg.RunRequest(run_key=newest.run_id, job_name=evaluate_and_publish_job.name)
    return dg.RunRequest(
        run_key=newest.run_id,
        job_name=ingest_job.name,
        tags={run_tags.RANGE_START: start, run_tags.RANGE_END: end},
        run_config={"resources": {"options": {"config": {"check": "hash"}}}},
    )


def forget_old_runs(instance: dg.DagsterInstance) -> int:
    """Chores and failures of two months ago; runs with materializations stay, or partitions would look missing."""
    before = datetime.fromtimestamp(time.time(), UTC) - KEEP_RUNS
    chores = dg.RunsFilter(job_name=full_check.name, created_before=before)
    sweeps = dg.RunsFilter(job_name=sweep_job.name, created_before=before)
    failed = dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED], created_before=before)
    old = {run.run_id for wanted in (chores, sweeps, failed) for run in instance.get_runs(wanted)}
    for run_id in old:
        instance.delete_run(run_id)
    return len(old)
