"""Jobs, named for what people do.

Holds: `ingest`, `evaluate_and_publish`, and the jobs of the schedules.
Add here: another thing that is started by hand or on a schedule.
Never here: when (automation.py), how (ingest/).
"""

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from rag_assets.defs.graph import RELEASE_NAMES, STAGE_NAMES
from rag_assets.defs.resources import ProjectResource
from rag_assets.defs.tags import MAX_RUNTIME, MAX_RUNTIME_S
from rag_assets.ingest.sweep import sweep

INGEST = "ingest"
EVALUATE = "evaluate_and_publish"
SWEEP = "sweep"
_TAGS = {MAX_RUNTIME: str(MAX_RUNTIME_S)}


def asset_jobs() -> list[UnresolvedAssetJobDefinition]:
    return [
        dg.define_asset_job(
            INGEST,
            dg.AssetSelection.assets(*STAGE_NAMES, *RELEASE_NAMES),
            description="Bring the chosen collections up to date, evaluate what would go live, publish or refuse.",
            tags=_TAGS,
        ),
        dg.define_asset_job(
            EVALUATE,
            dg.AssetSelection.assets(*RELEASE_NAMES),
            description="Evaluate the newest segments of all collections, publish or refuse.",
            tags=_TAGS,
        ),
    ]


@dg.op(description="Remove releases over keep_releases, and segments and content that none of the kept ones names.")
def sweep_state(context: dg.OpExecutionContext, rag_project: ProjectResource) -> None:
    swept = sweep(rag_project.store, rag_project.project.settings.keep_releases)
    context.log.info(f"swept: {swept}")


@dg.job(name=SWEEP, description="Clean up the state.", tags=_TAGS, executor_def=dg.in_process_executor)
def sweep_job() -> None:
    sweep_state()
