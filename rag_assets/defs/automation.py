"""When it runs: on source change, every night, every week; and who hears of a failure.

Holds: the jobs, the sensor `source_changes`, the schedules, the failure alert.
Add here: another moment at which something runs.
Never here: what is due (ingest/due.py), how a run works.
"""

import time
from pathlib import Path

import dagster as dg

from rag_assets.defs import run_tags
from rag_assets.defs.alerts import Alert, send
from rag_assets.defs.cases_hash import cases_hash
from rag_assets.defs.graph import RELEASE_NAMES
from rag_assets.defs.live_runs import somebody_at_work
from rag_assets.defs.resources import ProjectResource
from rag_assets.defs.tries import cause_of, tries_of
from rag_assets.errors import RagAssetsError
from rag_assets.ingest.due import Due, what_is_due
from rag_assets.settings import Project, load_project
from rag_assets.store import Store

INTERVAL_S = 4  # the daemon looks every 5 s; with 5 here a look that comes a moment early would be left out
SETTLES_WITHIN_S = 3.0  # so long a tick waits by itself
LONGEST_SETTLING = 5
RELOAD = "sources.yaml changed: reload the code location"

ingest_job = dg.define_asset_job(
    "ingest",
    selection=dg.AssetSelection.all(),
    description="Bring collections up to date, evaluate them all, publish or refuse.",
    tags=run_tags.MAX_RUNTIME,
    executor_def=dg.in_process_executor,
)

evaluate_and_publish_job = dg.define_asset_job(
    "evaluate_and_publish",
    selection=dg.AssetSelection.assets(*RELEASE_NAMES),
    description="Evaluate the newest segments of every collection as they are, and publish or refuse.",
    tags=run_tags.MAX_RUNTIME,
    executor_def=dg.in_process_executor,
)


def source_changes(loaded: Project) -> dg.SensorDefinition:
    """`loaded`: the project as it was when the location loaded; partitions are fixed until it loads again."""

    @dg.sensor(
        name="source_changes",
        jobs=[ingest_job, evaluate_and_publish_job],
        minimum_interval_seconds=INTERVAL_S,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Compares every collection with the published release and asks for one run over all that is due.",
    )
    def sensor(context: dg.SensorEvaluationContext, project: ProjectResource) -> dg.SkipReason | dg.RunRequest:
        try:
            now = load_project(Path(project.root))  # not the resource's: it reads the file once in its life
            if now.digest != loaded.digest:
                return dg.SkipReason(RELOAD)
            return next_run(context, now, Store(now.state_url))
        except RagAssetsError as error:
            return dg.SkipReason(str(error))

    return sensor


def next_run(context: dg.SensorEvaluationContext, project: Project, store: Store) -> dg.SkipReason | dg.RunRequest:
    """One run for a whole change set, or why none is asked for."""
    busy = somebody_at_work(context.instance)
    if busy:
        return dg.SkipReason(f"waiting: {busy}")
    due = what_is_due(project, store, cases_hash(project.evals))
    if due.young and 0 < project.settings.settle_s <= SETTLES_WITHIN_S:
        time.sleep(project.settings.settle_s)
        due = what_is_due(project, store, cases_hash(project.evals))
    if not due.anything:
        return dg.SkipReason("; ".join(due.refused.values()) or "nothing is due")
    pin = store.pinned()
    if pin is not None and not removes_or_tightens(project, store, due):
        return dg.SkipReason(f"pinned to release {pin.release} ({pin.why}); due: {summary_of(due)}")
    if still_settling(context, project, due):
        return dg.SkipReason(f"waiting for {len(due.young)} files to settle")
    tries = tries_of(context.instance, due.fingerprint)
    if tries.given_up:
        return dg.SkipReason(f"{tries.given_up}; due: {summary_of(due)}")
    context.log.info("due: %s", summary_of(due))
    return run_request(project, due, tries.number)


def run_request(project: Project, due: Due, number: int) -> dg.RunRequest:
    tags = {run_tags.FINGERPRINT: due.fingerprint}
    key = f"{due.fingerprint}:{number}"
    if not due.collections:
        return dg.RunRequest(run_key=key, job_name=evaluate_and_publish_job.name, tags=tags)
    wanted = run_tags.range_tags([p.key for p in project.partitions], [part.key for part in due.collections])
    return dg.RunRequest(run_key=key, job_name=ingest_job.name, tags={**tags, **wanted})


def removes_or_tightens(project: Project, store: Store, due: Due) -> bool:
    """What never waits for a pin: documents that are gone, and another scope."""
    if due.removed or any(part.gone for part in due.collections):
        return True
    published = store.current()
    served = published.partitions if published else {}
    return any(p.key in served and served[p.key].scope != p.collection.scope for p in project.partitions)


def still_settling(context: dg.SensorEvaluationContext, project: Project, due: Due) -> bool:
    """Files that were touched a moment ago wait for a later tick, but not for ever: a copy of each is what is read."""
    if not due.young:
        context.update_cursor("")
        return False
    since = float(context.cursor) if context.cursor else time.time()
    context.update_cursor(str(since))
    return time.time() - since < LONGEST_SETTLING * project.settings.settle_s


def summary_of(due: Due) -> str:
    parts = [f"{part.key} ({', '.join(part.reasons)})" for part in due.collections]
    return "; ".join([*parts, *due.reasons])[:600]


def failure_alert(loaded: Project) -> dg.SensorDefinition:
    @dg.run_failure_sensor(
        name="failure_alert",
        description="Tells the webhook of sources.yaml (settings.alerts) of a failed run; a red gate tells by itself.",
        default_status=dg.DefaultSensorStatus.RUNNING,
        minimum_interval_seconds=30,
    )
    def alert(context: dg.RunFailureSensorContext) -> None:
        run = context.dagster_run
        if run.tags.get(run_tags.OUTCOME) != run_tags.GATE_RED:
            cause = cause_of(context.instance, run)
            send(loaded, Alert("run_failed", run.run_id, f"{run.job_name}: {cause}"), context.log)

    return alert
