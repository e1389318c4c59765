"""One `ingest`: what is due, the run, and what it came to.

Holds: the order of events and the sentence at the end.
Add here: another outcome a caller must be told.
Never here: flags (project.py), the run itself (defs/run.py).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_assets.cli.output import note, print_json, say, warn
from rag_assets.cli.project_here import store_of

if TYPE_CHECKING:
    from rag_assets.ingest.due import Due
    from rag_assets.settings import Project
    from rag_assets.store import Release

REFUSED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """What the caller asked for; `collections` empty: all."""

    collections: tuple[str, ...] = ()
    rebuild: bool = False
    allow_empty: bool = False
    allow: tuple[str, ...] = ()
    why: str = ""
    quiet: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOutcome:
    """`published`: the number of the new release, None where nothing new went live."""

    published: int | None
    release: int | None
    changed: tuple[str, ...] = ()
    held: dict[str, str]
    refused: dict[str, str]
    quarantined: int = 0
    dagster_run: str | None = None
    problem: str | None = None

    @property
    def exit_status(self) -> int:
        return REFUSED if self.held or self.refused or self.problem else 0


def ingest_project(project: "Project", request: IngestRequest) -> int:
    """Run what is due, say what came of it; the exit status."""
    from rag_assets.evaluation.cases import load_cases
    from rag_assets.ingest.due import what_is_due

    store = store_of(project)
    cases = load_cases(project.evals)
    due = what_is_due(project, store, cases.hash, allow_empty=request.allow_empty)
    before = store.current()
    if not (due.anything or due.removed or request.rebuild or request.allow):
        outcome = _outcome(before, before, due, None, None)
    else:
        note("materializing what is due ...", request.quiet)
        run, problem = _launch(project, request)
        outcome = _outcome(before, store.current(), due, run, problem)
    if request.as_json:
        print_json(outcome)
    else:
        _tell(outcome, due)
    return outcome.exit_status


def _launch(project: "Project", request: IngestRequest) -> tuple[str | None, str | None]:
    """The id of the Dagster run and, where it did not publish, why."""
    from rag_assets.defs.run import launch_ingest

    launched = launch_ingest(
        project,
        collections=request.collections,
        rebuild=request.rebuild,
        allow_empty=request.allow_empty,
        allow=request.allow,
        why=request.why,
    )
    return launched.run_id, launched.problem


def _outcome(
    before: "Release | None", after: "Release | None", due: "Due", run: str | None, problem: str | None
) -> IngestOutcome:
    is_new = after is not None and (before is None or after.number != before.number)
    return IngestOutcome(
        published=after.number if after is not None and is_new else None,
        release=after.number if after else None,
        changed=after.changed if after is not None and is_new else (),
        held=dict(after.held) if after is not None and is_new else {},
        refused=dict(due.refused),
        quarantined=sum(e.status == "quarantined" for e in after.sources) if after else 0,
        dagster_run=run,
        problem=problem,
    )


def _tell(outcome: IngestOutcome, due: "Due") -> None:
    for why in outcome.refused.values():
        warn(f"refused: {why}")
    for key, why in outcome.held.items():
        warn(f"held: {key}: {why}")
    if outcome.problem:
        warn(outcome.problem)
        say(f"not published: release {outcome.release or '-'} stays")
    elif outcome.published is not None:
        say(f"release {outcome.published} published: changed {', '.join(outcome.changed) or 'scores only'}")
    elif outcome.dagster_run:
        say(f"nothing new to publish: release {outcome.release or '-'} stays")
    else:
        say(f"nothing is due: release {outcome.release or '-'} stays")
    if outcome.quarantined:
        say(f"{outcome.quarantined} documents are quarantined: rag-assets status --quarantine")
