"""How often a change was tried, and why it was given up.

Holds: counting the runs of one fingerprint, the cause of the last failure.
Add here: another outcome after which trying again is pointless.
Never here: requesting a run (automation.py).
"""

import time
from typing import NamedTuple

import dagster as dg
from dagster._core.events import DagsterEventType

from rag_assets.defs.run_tags import CAUSE, FINGERPRINT, GATE_RED, HELD, OUTCOME

MAX_TRIES = 3
LOOK_BACK = 50
AGAIN_AFTER_S = 3600  # a disk may be free again, a service back; a refusal of the gate stays one


class Tries(NamedTuple):
    """`number`: the next run of this fingerprint, over all times: Dagster never runs a run_key twice.

    `given_up`: why no further run is asked for.
    """

    number: int
    given_up: str | None


def tries_of(instance: dg.DagsterInstance, fingerprint: str) -> Tries:
    """Only the newest unbroken streak counts: a change that comes back after others were run is tried afresh, and so
    is one whose last failure is an hour old, once."""
    number = len(instance.get_runs(dg.RunsFilter(tags={FINGERPRINT: fingerprint}), limit=1000)) + 1
    streak: list[dg.DagsterRun] = []
    ended = 0.0
    for record in instance.get_run_records(limit=LOOK_BACK):
        if record.dagster_run.tags.get(FINGERPRINT) != fingerprint:
            break
        streak.append(record.dagster_run)
        ended = max(ended, record.update_timestamp.timestamp())
    refused = any(run.tags.get(OUTCOME) in {GATE_RED, HELD} for run in streak)
    if len(streak) < (1 if refused else MAX_TRIES):
        return Tries(number, None)
    cause = cause_of(instance, streak[0])
    if refused:
        return Tries(number, f"gave up after a gate refusal: {cause}")
    if time.time() - ended > AGAIN_AFTER_S:
        return Tries(number, None)
    return Tries(number, f"gave up after {len(streak)} tries: {cause}; tried again {AGAIN_AFTER_S // 60} min after")


def cause_of(instance: dg.DagsterInstance, run: dg.DagsterRun) -> str:
    """The innermost error of the step that failed first, in one line."""
    if run.tags.get(CAUSE):
        return run.tags[CAUSE]
    for entry in instance.all_logs(run.run_id, of_type={DagsterEventType.STEP_FAILURE, DagsterEventType.RUN_FAILURE}):
        event = entry.dagster_event
        if event is None:
            continue
        if event.is_step_failure and event.step_failure_data.error:
            error = event.step_failure_data.error
            while error.cause is not None:
                error = error.cause
            return f"{event.step_key}: {' '.join(error.message.split())}"[:400]
        if event.message:
            return " ".join(event.message.split())[:400]
    return f"run {run.run_id[:8]} ended as {run.status.value.lower()}"
