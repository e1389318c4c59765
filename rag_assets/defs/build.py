"""All definitions of one project.

Holds: `build_definitions`, also for tests with a project and resources of their own.
Add here: a room that holds definitions.
Never here: a definition.
"""

import warnings
from collections.abc import Mapping

import dagster as dg

from rag_assets.defs import automation, upkeep
from rag_assets.defs.location import BadProject, project_of_location
from rag_assets.defs.problem import definitions_of_a_bad_project
from rag_assets.defs.prose_asset import prose_assets
from rag_assets.defs.release_assets import release_assets
from rag_assets.defs.resources import OptionsResource, ProjectResource
from rag_assets.defs.stage_assets import partitions_of, stage_assets
from rag_assets.settings import Project


def build_definitions(
    project: Project | BadProject | None = None, overrides: Mapping[str, object] | None = None
) -> dg.Definitions:
    """Definitions of `project`, or of the one the environment names; `overrides` replaces resources by name."""
    chosen = project_of_location() if project is None else project
    if isinstance(chosen, BadProject):
        return definitions_of_a_bad_project(chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)  # backfill policies and freshness still count as beta
        warnings.simplefilter("ignore", dg.PreviewWarning)
        prose = prose_assets(chosen, partitions_of(chosen))
        return dg.Definitions(
            assets=[*stage_assets(chosen), *prose, *release_assets(before_judging=[asset.key for asset in prose])],
            jobs=[automation.ingest_job, automation.evaluate_and_publish_job, upkeep.full_check, upkeep.sweep_job],
            sensors=[
                automation.source_changes(chosen),
                automation.failure_alert(chosen),
                upkeep.after_full_check,
            ],
            schedules=[upkeep.nightly_full_check, upkeep.weekly_sweep],
            resources={
                "project": ProjectResource(root=str(chosen.root)),
                "options": OptionsResource(),
                **(overrides or {}),
            },
            executor=dg.in_process_executor,
        )
