"""The six partitioned assets: one stage over each collection of the range.

Holds: how a stage becomes an asset: run it for each partition key, report each partition.
Add here: what every stage asset goes through.
Never here: what a stage does (ingest/stages.py), what an asset is called (graph.py).
"""

from collections.abc import Iterator

import dagster as dg

from rag_assets.defs import checks, metadata
from rag_assets.defs.alerts import tell_of_quarantine
from rag_assets.defs.graph import OWNERS, STAGES, Node
from rag_assets.defs.live_runs import name_the_process
from rag_assets.defs.progress import tell
from rag_assets.defs.redaction import Redaction
from rag_assets.defs.resources import OptionsResource, ProjectResource
from rag_assets.errors import InputError
from rag_assets.evaluation.stage_scores import stage_judge
from rag_assets.ingest.order import PARENT, RAW
from rag_assets.ingest.stages import StageOutcome, run_stage
from rag_assets.ingest.versions import stage_versions
from rag_assets.settings import Project


def stage_assets(project: Project) -> list[dg.AssetsDefinition]:
    partitions = partitions_of(project)
    at_once = project.settings.partitions_per_run
    policy = dg.BackfillPolicy.multi_run(at_once) if at_once else dg.BackfillPolicy.single_run()
    return [_stage_asset(node, partitions, policy) for node in STAGES]


def partitions_of(project: Project) -> dg.StaticPartitionsDefinition:
    return dg.StaticPartitionsDefinition([partition.key for partition in project.partitions])


def _stage_asset(
    node: Node, partitions: dg.PartitionsDefinition[str], policy: dg.BackfillPolicy
) -> dg.AssetsDefinition:
    @dg.asset(
        name=node.name,
        deps=list(node.deps),
        partitions_def=partitions,
        backfill_policy=policy,
        group_name=node.group,
        kinds=set(node.kinds),
        owners=OWNERS,
        description=node.description,
        code_version=stage_versions()[node.name],
        check_specs=checks.specs_of(node.name),
    )
    def stage_asset(
        context: dg.AssetExecutionContext, project: ProjectResource, options: OptionsResource
    ) -> dg.MaterializeResult:
        name_the_process(context.instance, context.run)
        outcomes, redaction = [], Redaction(project.project)
        for made in _outcomes(node.name, context.partition_keys, project, options):
            outcome, redact = redaction.outcome(made), redaction.hides(made.partition)
            found = metadata.of_stage(outcome, redact=redact)
            if node.name == RAW and not redact:
                found["folder"] = _folder(project.project, outcome.partition)
            context.add_asset_metadata(found, partition_key=outcome.partition)
            outcomes.append(outcome)
            if outcome.mended:
                context.log.warning("%s: damaged, built again: %s", outcome.partition, ", ".join(outcome.mended))
        tell_of_quarantine(context, project.project, node.name, outcomes)
        return dg.MaterializeResult(check_results=checks.results_of(node.name, outcomes))

    return stage_asset


def _folder(project: Project, partition: str) -> dg.MetadataValue:
    where = project.documents_url(project.partition(partition).collection)
    return dg.MetadataValue.url(where) if "://" in where else dg.MetadataValue.path(where)


def _outcomes(
    stage: str, keys: list[str] | tuple[str, ...], project: ProjectResource, options: OptionsResource
) -> Iterator[StageOutcome]:
    """Of each partition of the range that is wanted; one that has no parent yet (its removal was refused, its folder
    cannot be listed) is left."""
    store, chosen = project.store, options.for_one_stage()
    judge = stage_judge(project.project, project.cases, store=None if options.rebuild else store)
    for key in keys:
        if options.only and key not in options.only:
            continue
        if stage != RAW and PARENT[stage] not in store.heads(key).stages:
            continue
        tell(f"{stage}: {key}")
        partition = project.project.partition(key)
        try:
            yield run_stage(project.project, store, partition, stage, pool=project.pool, options=chosen, judge=judge)
        except InputError as fault:
            if stage != RAW or RAW in store.heads(key).stages:
                raise
            tell(f"{key}: left out: {fault}")
