"""The code location, put together.

Holds: `build_definitions`.
Add here: a new kind of definition.
Never here: its content.
"""

import dagster as dg

from rag_assets.defs.alerts import failure_sensor
from rag_assets.defs.automation import schedules, source_sensor
from rag_assets.defs.jobs import asset_jobs, sweep_job
from rag_assets.defs.location import BadProject, project_of_location
from rag_assets.defs.problem import definitions_of_a_bad_project
from rag_assets.defs.release_assets import release_assets
from rag_assets.defs.resources import OptionsResource, ProjectResource
from rag_assets.defs.stage_assets import stage_assets
from rag_assets.settings import Project


def build_definitions(project: Project | BadProject | None = None) -> dg.Definitions:
    """All definitions over one project; a bad sources.yaml gives a location that says what is wrong."""
    found = project_of_location() if project is None else project
    if isinstance(found, BadProject):
        return definitions_of_a_bad_project(found)
    return dg.Definitions(
        assets=[*stage_assets(found), *release_assets()],
        jobs=[*asset_jobs(), sweep_job],
        sensors=[source_sensor(found), failure_sensor(found)],
        schedules=schedules(found),
        resources={"rag_project": ProjectResource(root=str(found.root)), "options": OptionsResource()},
        executor=dg.in_process_executor,
    )
