"""Runs started from the command line: in this process, on the project's own Dagster instance, seen in its UI.

Holds: `launch_ingest` and what it tells its caller.
Add here: another choice that the command line may make.
Never here: printing (cli/), what is due (ingest/due.py).
"""

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

import dagster as dg

from rag_assets.defs.build import build_definitions
from rag_assets.defs.jobs import EVALUATE, INGEST
from rag_assets.defs.tags import OUTCOME, PROCESS, range_tags
from rag_assets.settings import Project
from rag_assets.store import Store

Progress = Callable[[str], None]


class IngestChoices(NamedTuple):
    """`partitions`: keys to work on; none: only the evaluation. `allow`: cases that may fail, and `why`."""

    partitions: Sequence[str]
    rebuild: bool = False
    allow_empty: bool = False
    allow: Sequence[str] = ()
    why: str = ""


class IngestOutcome(NamedTuple):
    """`state`: "" (all went live), "held", "gate_red" or "failed". `sentence` says why, in one line."""

    dagster_run: str
    state: str
    sentence: str
    release_before: int | None
    release_after: int | None
    reworked: dict[str, int]

    @property
    def published(self) -> bool:
        return self.release_after is not None and self.release_after != self.release_before


def launch_ingest(project: Project, choices: IngestChoices, progress: Progress = lambda _: None) -> IngestOutcome:
    """Run `ingest` (or `evaluate_and_publish`) now. Needs DAGSTER_HOME; raises nothing for a run that fails."""
    definitions = build_definitions(project)
    store = Store(project.state_url)
    before = store.current_number()
    keys = [partition.key for partition in project.partitions]
    wanted = [key for key in keys if key in set(choices.partitions)]
    job = definitions.resolve_job_def(INGEST if wanted else EVALUATE)
    tags = {PROCESS: str(os.getpid()), **(range_tags(keys, wanted) if wanted else {})}
    with dg.DagsterInstance.get() as instance:
        progress(f"{job.name}: {', '.join(wanted) or 'evaluation'}")
        result = job.execute_in_process(
            instance=instance, tags=tags, run_config=_config(choices, wanted), raise_on_error=False
        )
        run = instance.get_run_by_id(result.run_id)
        state = (run.tags.get(OUTCOME, "") if run else "") or ("" if result.success else "failed")
        return IngestOutcome(
            dagster_run=result.run_id,
            state=state,
            sentence=_sentence(result),
            release_before=before,
            release_after=store.current_number(),
            reworked=_reworked(result),
        )


def _config(choices: IngestChoices, wanted: Sequence[str]) -> dict[str, object]:
    options = {
        "rebuild": choices.rebuild,
        "allow_empty": choices.allow_empty,
        "only": list(wanted),
        "allow": list(choices.allow),
        "why": choices.why,
    }
    return {"resources": {"options": {"config": options}}}


def _sentence(result: dg.ExecuteInProcessResult) -> str:
    """What the gate said, or the first failure's message."""
    for event in result.all_events:
        if event.is_step_failure:
            error = event.step_failure_data.error
            cause = error.cause or error if error else None
            return " ".join((cause.message if cause else event.message or "").split())[:500]
    for event in result.get_asset_materialization_events():
        materialization = event.materialization
        if materialization.asset_key == dg.AssetKey("eval_run"):
            said = materialization.metadata.get("gate")
            return str(said.value) if said is not None else ""
    return ""


def _reworked(result: dg.ExecuteInProcessResult) -> dict[str, int]:
    """Documents worked on, by stage."""
    found: dict[str, int] = {}
    for event in result.get_asset_materialization_events():
        materialization = event.materialization
        count = materialization.metadata.get("reworked")
        if count is not None and isinstance(count.value, int):
            name = materialization.asset_key.to_user_string()
            found[name] = found.get(name, 0) + count.value
    return found
