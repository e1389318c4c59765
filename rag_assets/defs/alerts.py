"""Alerts: one POST to the owner's webhook.

Holds: the payload and sending it; a webhook that is down never fails a run.
Add here: another event an owner wants to hear of.
Never here: deciding that something is wrong.
"""

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal
from urllib.error import URLError
from urllib.request import Request, urlopen

import dagster as dg

from rag_assets.defs.redaction import Redaction
from rag_assets.ingest.order import NORMALIZED, PARSED, RAW
from rag_assets.ingest.stages import StageOutcome
from rag_assets.settings import Project

TIMEOUT_S = 5
NAMED = 20


@dataclass(frozen=True, slots=True)
class Alert:
    event: Literal["run_failed", "gate_red", "quarantined"]
    dagster_run: str
    summary: str
    cases: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


def send(project: Project, alert: Alert, log: logging.Logger) -> None:
    webhook = project.settings.alerts.webhook
    if webhook is None:
        return
    body = json.dumps({"project": project.root.name, **asdict(alert)}).encode()
    request = Request(webhook, body, {"Content-Type": "application/json"}, method="POST")
    try:
        with urlopen(request, timeout=TIMEOUT_S):
            pass
    except (URLError, OSError, ValueError) as error:
        log.warning("alert %s was not delivered to %s: %s", alert.event, webhook, error)


def tell_of_quarantine(
    context: dg.AssetExecutionContext, project: Project, stage: str, outcomes: Sequence[StageOutcome]
) -> None:
    """Once for each stage at which documents of this run were found to be unreadable."""
    if stage not in {RAW, PARSED, NORMALIZED} or project.settings.alerts.webhook is None:
        return
    from rag_assets.ingest.contents import rows

    bad = []
    for outcome in outcomes:
        if outcome.new_segment and outcome.counts.get("quarantined"):
            touched = set(outcome.reworked)
            bad += [(row.source, row.reason) for row in rows(outcome.segment) if row.reason and row.source in touched]
    if bad:
        collections = tuple(sorted({source.split("/", 1)[0] for source, _ in bad}))
        hides = Redaction(project).hides
        named = [f"{s} ({why})" for s, why in bad if not hides(s)][:NAMED]
        summary = f"{len(bad)} quarantined: {', '.join(named) or 'names are not shown'}"
        send(project, Alert("quarantined", context.run.run_id, summary, collections=collections), context.log)
