"""Where a Dagster run spent its time.

Holds: `step_times`.
Add here: another measure of a run that Dagster keeps.
Never here: printing.
"""

from typing import TYPE_CHECKING, NamedTuple

from rag_assets.cli.project_here import prepare_dagster

if TYPE_CHECKING:
    from rag_assets.settings import Project


class StepTime(NamedTuple):
    step: str
    elapsed_s: float


def step_times(project: "Project", run: str | None) -> tuple[StepTime, ...]:
    """Steps of the run, slowest first; empty where the instance does not know it."""
    if run is None:
        return ()
    prepare_dagster(project)
    from dagster import DagsterInstance

    with DagsterInstance.get() as instance:
        if not instance.has_run(run):
            return ()
        found = [
            StepTime(one.step_key, one.end_time - one.start_time)
            for one in instance.get_run_step_stats(run)
            if one.start_time is not None and one.end_time is not None
        ]
    return tuple(sorted(found, key=lambda one: -one.elapsed_s))
