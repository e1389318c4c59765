"""Asset checks: where a wrong result must not go on, and where a person should look.

Holds: the specs of every check and their results.
Add here: a check (and its line in docs/reference/metadata.md).
Never here: the rule behind a check (ingest/, evaluation/gate.py).
"""

from collections.abc import Callable, Mapping, Sequence

import dagster as dg

from rag_assets.defs.resources import ProjectResource
from rag_assets.evaluation.gate import Verdict
from rag_assets.ingest.quarantine_jump import quarantine_jump
from rag_assets.ingest.stages import StageOutcome

ACCOUNT = "account_balances"
QUARANTINE = "quarantined_share"
HEADERS = "every_piece_has_its_header"
DRIFT = "schema_drift"
REGRESSION = "no_regression"

Spec = Callable[[str], dg.AssetCheckSpec]


def _spec(name: str, description: str, *, blocking: bool) -> Spec:
    return lambda asset: dg.AssetCheckSpec(name, asset=asset, description=description, blocking=blocking)


STAGE_CHECKS: Mapping[str, tuple[Spec, ...]] = {
    "parsed_blocks": (
        _spec(
            QUARANTINE,
            "No sudden rise of unreadable documents: from 20 documents on, three or more newly bad and five points "
            "more, or over a fifth, stop the release.",
            blocking=True,
        ),
    ),
    "normalized_tables": (
        _spec(ACCOUNT, "Every cell that was read is placed, or dropped under a name.", blocking=True),
    ),
    "chunks": (_spec(HEADERS, "No piece of a table stands without its caption, unit and headings.", blocking=True),),
    "lookup_tables": (
        _spec(DRIFT, "No column went, changed its type, and no table lost half of its rows.", blocking=False),
    ),
}

REGRESSION_SPEC = _spec(
    REGRESSION,
    "What passed in the published release or the accepted baseline still passes. Only what regressed is held; this "
    "fails where nothing may go live.",
    blocking=True,
)


def stage_check_results(
    stage: str, rag_project: ProjectResource, outcomes: Sequence[StageOutcome]
) -> list[dg.AssetCheckResult]:
    """The results of one stage's checks over all partitions of the run."""
    if stage == "parsed_blocks":
        keys = [outcome.partition for outcome in outcomes]
        why = quarantine_jump(rag_project.project, rag_project.store, keys)
        return [_result(QUARANTINE, not why, why or "as many readable documents as before")]
    if stage == "normalized_tables":
        found, placed = (sum(o.counts.get(name, 0) for o in outcomes) for name in ("cells_in", "cells_out"))
        return [_result(ACCOUNT, found == placed, f"{found} cells found, {placed} placed or dropped by name")]
    if stage == "chunks":
        bare = sum(outcome.counts.get("coverage.without_header", 0) for outcome in outcomes)
        return [_result(HEADERS, not bare, f"{bare} pieces without header")]
    if stage == "lookup_tables":
        drift = [warning for outcome in outcomes for warning in outcome.warnings]
        says = "; ".join(drift)[:500] or "no drift"
        return [_result(DRIFT, not drift, says, severity=dg.AssetCheckSeverity.WARN)]
    return []


def _result(
    name: str, passed: bool, says: str, severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR
) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name=name, passed=passed, severity=severity, description=says, metadata={"says": says}
    )


def regression_result(verdict: Verdict) -> dg.AssetCheckResult:
    """ERROR only where nothing may go live; a warning where collections are held."""
    held = bool(verdict.held)
    severity = dg.AssetCheckSeverity.ERROR if verdict.red else dg.AssetCheckSeverity.WARN
    return dg.AssetCheckResult(
        check_name=REGRESSION,
        passed=not verdict.red and not held,
        severity=severity,
        description=verdict.sentence,
        metadata={
            "says": verdict.sentence,
            "held": ", ".join(sorted(verdict.held)) or "nothing",
            "regressed": ", ".join(one.case for one in verdict.regressed[:20]) or "none",
            "stale": len(verdict.stale),
        },
    )
