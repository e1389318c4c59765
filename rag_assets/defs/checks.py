"""Asset checks: where a wrong result must not go on.

Holds: the checks of each asset and how their result follows from what a run made.
Add here: another thing that must hold before the next asset runs.
Never here: judging cases (evaluation/gate).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import dagster as dg

from rag_assets.defs import metadata
from rag_assets.defs.redaction import Redaction
from rag_assets.evaluation.gate import Verdict
from rag_assets.ingest.order import CHUNKS, LOOKUP, NORMALIZED, PARSED, RAW
from rag_assets.ingest.stages import StageOutcome
from rag_assets.model.score import Score

REGRESSION = "no_regression"
QUARANTINE = "quarantine_share"
NOT_SCORED = Score(None, 0)


class _Spec(NamedTuple):
    name: str
    blocking: bool
    description: str


STAGE_CHECKS: dict[str, _Spec] = {
    RAW: _Spec("mass_delete", False, "No collection lost over half of its documents, or its folder, at once."),
    PARSED: _Spec("cells_accounted", True, "Every cell the reader counted is in a grid or dropped under a name."),
    NORMALIZED: _Spec("account_balances", True, "Every cell that was found has a place or a named drop."),
    CHUNKS: _Spec("header_on_every_piece", True, "No piece of a table stands without its headings."),
    LOOKUP: _Spec("schema_drift", False, "No column of a lookup table went or changed its type."),
}


def specs_of(stage: str) -> list[dg.AssetCheckSpec]:
    spec = STAGE_CHECKS.get(stage)
    return [_spec(stage, spec)] if spec else []


def release_specs() -> list[dg.AssetCheckSpec]:
    return [
        _spec(
            "eval_run",
            _Spec(REGRESSION, True, "Nothing that passed before fails now. Fails only where nothing may go live."),
        ),
        _spec(
            "eval_run",
            _Spec(QUARANTINE, True, "The share of quarantined documents of no collection jumped."),
        ),
    ]


def results_of(stage: str, outcomes: Sequence[StageOutcome]) -> list[dg.AssetCheckResult]:
    spec = STAGE_CHECKS.get(stage)
    if spec is None:
        return []
    faults = [(outcome.partition, fault) for outcome in outcomes for fault in _faults(outcome)]
    return [
        dg.AssetCheckResult(
            check_name=spec.name,
            passed=not faults,
            severity=dg.AssetCheckSeverity.ERROR if spec.blocking else dg.AssetCheckSeverity.WARN,
            description="; ".join(f"{key}: {fault}" for key, fault in faults[:3]) or None,
            metadata={"found": metadata.table_of(("partition", "found"), faults)} if faults else {},
        )
    ]


def regression_result(verdict: Verdict, redaction: Redaction, *, nothing_may: bool) -> dg.AssetCheckResult:
    """ERROR only where nothing may go live; held collections are a warning."""
    held = redaction.texts(verdict.held)
    return dg.AssetCheckResult(
        check_name=REGRESSION,
        passed=verdict.green and not verdict.held,
        severity=dg.AssetCheckSeverity.ERROR if nothing_may else dg.AssetCheckSeverity.WARN,
        description=redaction.text(verdict.sentence),
        metadata={"held": metadata.table_of(("held", "why"), sorted(held.items()))} if held else {},
    )


def quarantine_result(jumps: Mapping[str, str], *, nothing_may: bool) -> dg.AssetCheckResult:
    """`jumps`: collection → what jumped; such a collection is held, so this fails only where nothing is left."""
    return dg.AssetCheckResult(
        check_name=QUARANTINE,
        passed=not jumps,
        severity=dg.AssetCheckSeverity.ERROR if nothing_may else dg.AssetCheckSeverity.WARN,
        description="; ".join(f"{name}: {why}" for name, why in jumps.items()) or None,
    )


def _spec(asset: str, spec: _Spec) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(spec.name, asset=asset, blocking=spec.blocking, description=spec.description)


def _faults(outcome: StageOutcome) -> list[str]:
    counts = outcome.counts
    if outcome.stage == RAW:
        return [outcome.refused] if outcome.refused else []
    if outcome.stage == PARSED:
        share = outcome.scores.get("parse/cells_balanced", NOT_SCORED).value
        return [f"cells balance in {share:.1%} of the documents"] if share is not None and share < 1 else []
    if outcome.stage == NORMALIZED:
        lost = counts.get("cells_in", 0) - counts.get("cells_out", 0)
        return [f"{lost} cells have no place"] if lost else []
    if outcome.stage == CHUNKS:
        bare = counts.get("coverage.without_header", 0)
        return [f"{bare} pieces of tables without header"] if bare else []
    return list(outcome.warnings)
