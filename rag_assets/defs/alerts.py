"""Alerts: one POST to the webhook in settings when a run fails, a gate turns red, documents are quarantined.

Holds: `tell` and the sensor of failed runs.
Add here: another event worth waking somebody for.
Never here: retries; a webhook that does not answer is logged and forgotten.
"""

import json
import logging
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Literal

import dagster as dg

from rag_assets.settings import Project

Event = Literal["run_failed", "gate_red", "quarantined"]
TIMEOUT_S = 5
_LOG = logging.getLogger(__name__)


def tell(
    project: Project,
    event: Event,
    dagster_run: str,
    summary: str,
    cases: Sequence[str] = (),
    collections: Sequence[str] = (),
) -> None:
    """POST the event; without a webhook in settings nothing happens."""
    url = project.settings.alerts.webhook
    if not url:
        return
    body = {
        "event": event,
        "project": project.root.name,
        "dagster_run": dagster_run,
        "summary": summary,
        "cases": list(cases),
        "collections": list(collections),
    }
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):
            pass
    except (urllib.error.URLError, OSError, ValueError) as error:
        _LOG.warning("the alert webhook %s did not take %s: %s", url, event, error)


def failure_sensor(project: Project) -> dg.SensorDefinition:
    @dg.run_failure_sensor(
        name="failed_runs",
        description="Tells the webhook in settings of every failed run.",
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def failed_runs(context: dg.RunFailureSensorContext) -> None:
        tell(project, "run_failed", context.dagster_run.run_id, context.failure_event.message or "the run failed")

    return failed_runs
