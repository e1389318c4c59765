"""Who is at work: live runs of every job, backfills in progress, and runs whose process is gone.

Holds: the guard that keeps two runs from mixing, and ending what a killed command left behind.
Add here: another sign that somebody is at work.
Never here: what is due.
"""

import os
import socket
from pathlib import Path

import dagster as dg
from dagster._core.execution.backfill import BulkActionsFilter, BulkActionStatus
from dagster._core.storage.dagster_run import NOT_FINISHED_STATUSES

from rag_assets.defs.run_tags import PROCESS

AT_WORK = [BulkActionStatus.REQUESTED, BulkActionStatus.CANCELING, BulkActionStatus.FAILING]


def somebody_at_work(instance: dg.DagsterInstance, *, besides: str | None = None) -> str | None:
    """In one phrase; None where nobody is. A backfill is two runs with an idle gap, so it counts while it lasts."""
    live = [run for run in _live(instance) if run.run_id != besides and not _ended(instance, run)]
    backfills = instance.get_backfills(filters=BulkActionsFilter(statuses=AT_WORK), limit=1)
    if backfills:
        return f"backfill {backfills[0].backfill_id[:8]} is in progress"
    return f"run {live[0].run_id[:8]} of {live[0].job_name} is {live[0].status.value.lower()}" if live else None


def others_at_work(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Some other run is under way; one that only waits in the queue has changed nothing yet."""
    waiting = {dg.DagsterRunStatus.QUEUED, dg.DagsterRunStatus.NOT_STARTED}
    return any(r.run_id != run_id and r.status not in waiting and not _ended(instance, r) for r in _live(instance))


def name_the_process(instance: dg.DagsterInstance, run: dg.DagsterRun) -> None:
    """Every run says which process runs it, so that its death is seen whatever had started it."""
    if run.tags.get(PROCESS) != this_process():
        instance.add_run_tags(run.run_id, {PROCESS: this_process()})


def this_process() -> str:
    """Host, process id and start time: a later process may have the same id."""
    return f"{socket.gethostname()} {os.getpid()} {_started(os.getpid())}"


def _live(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    return list(instance.get_runs(dg.RunsFilter(statuses=NOT_FINISHED_STATUSES), limit=20))


def _ended(instance: dg.DagsterInstance, run: dg.DagsterRun) -> bool:
    """A run on this host whose process is gone is marked failed, and its pool slot comes back."""
    host, _, process = run.tags.get(PROCESS, "").partition(" ")
    if not process or host != socket.gethostname():
        return False
    number, _, started = process.partition(" ")
    if _started(int(number)) == started:
        return False
    instance.report_run_failed(run, "the process that ran it is gone")
    if instance.event_log_storage.supports_global_concurrency_limits:
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    return True


def _started(process: int) -> str:
    """In clock ticks since boot; "" where there is no such process, or no /proc to tell."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return ""
