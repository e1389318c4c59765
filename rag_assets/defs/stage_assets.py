"""The six partitioned assets: each loads its project, runs one stage for each partition, reports.

Holds: `stage_assets`.
Add here: nothing that a stage itself does (ingest/stages.py).
Never here: the release (release_assets.py), when anything runs (automation.py).
"""

from collections.abc import Sequence

import dagster as dg

from rag_assets.defs import metadata
from rag_assets.defs.checks import STAGE_CHECKS, stage_check_results
from rag_assets.defs.graph import OWNERS, STAGES, Node
from rag_assets.defs.resources import OptionsResource, ProjectResource
from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.stage_scores import stage_judge
from rag_assets.ingest.stages import StageOutcome, run_stage
from rag_assets.ingest.versions import stage_versions
from rag_assets.settings import Project


def stage_assets(project: Project) -> list[dg.AssetsDefinition]:
    """One asset a stage, partitioned by the collections of sources.yaml."""
    partitions = dg.StaticPartitionsDefinition([partition.key for partition in project.partitions])
    versions = stage_versions()
    return [_stage_asset(node, partitions, versions[node.name]) for node in STAGES]


def _stage_asset(node: Node, partitions: dg.PartitionsDefinition, version: str) -> dg.AssetsDefinition:
    @dg.asset(
        name=node.name,
        deps=list(node.deps),
        partitions_def=partitions,
        backfill_policy=dg.BackfillPolicy.single_run(),
        group_name=node.group,
        kinds=set(node.kinds),
        owners=OWNERS,
        description=node.description,
        code_version=version,
        check_specs=[spec(node.name) for spec in STAGE_CHECKS.get(node.name, ())],
    )
    def stage(
        context: dg.AssetExecutionContext, rag_project: ProjectResource, options: OptionsResource
    ) -> dg.MaterializeResult:
        outcomes = _outcomes(context, node.name, rag_project, options)
        for outcome in outcomes:
            redact = rag_project.project.partition(outcome.partition).collection.redact_metadata
            context.add_asset_metadata(metadata.of_outcome(outcome, redact=redact), partition_key=outcome.partition)
        return dg.MaterializeResult(
            metadata=metadata.summary(outcomes),
            check_results=stage_check_results(node.name, rag_project, outcomes),
        )

    return stage


def _outcomes(
    context: dg.AssetExecutionContext, stage: str, rag_project: ProjectResource, options: OptionsResource
) -> Sequence[StageOutcome]:
    project, store = rag_project.project, rag_project.store
    judge = stage_judge(project, load_cases(project.evals))
    chosen = options.ingest  # one for all partitions: a sharded folder is listed once
    found = []
    for key in context.partition_keys:
        outcome = run_stage(
            project,
            store,
            project.partition(key),
            stage,
            pool=rag_project.pool,
            options=chosen,
            judge=judge,
        )
        context.log.info(f"{stage} {key}: {len(outcome.reworked)} reworked, {outcome.reused} reused")
        found.append(outcome)
    return found
