"""One `ingest`: the run, where something is due, and what is said of it.

Holds: the order of events and the sentences at the end.
Add here: another outcome a caller must be told.
Never here: flags (project.py), the run itself (defs/run.py).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_assets.cli.output import note, print_json, say, warn
from rag_assets.cli.project_here import store_of
from rag_assets.model.document import Counts

if TYPE_CHECKING:
    from rag_assets.defs.run import RunOutcome
    from rag_assets.ingest.due import Due
    from rag_assets.settings import Project

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


def ingest_project(project: "Project", request: IngestRequest) -> int:
    """Run what is due, say what came of it; the exit status."""
    due = _what_is_due(project, request)
    if due is not None and not (due.anything or due.removed or due.refused):
        if request.as_json:
            print_json({"nothing_due": True, "release": store_of(project).current_number()})
        else:
            say(f"nothing is due: release {store_of(project).current_number() or '-'} stays")
        return 0
    from rag_assets.defs.run import launch_ingest
    from rag_assets.evaluation.memory import read_baseline

    read_baseline(project.evals)  # a damaged one is named before any work, as by `eval run`
    if request.allow:
        from rag_assets.evaluation.standing import refuse_unknown_cases

        refuse_unknown_cases(project, request.allow)
    outcome = launch_ingest(
        project.root,
        request.collections,
        due=due,
        rebuild=request.rebuild,
        allow_empty=request.allow_empty,
        allow=request.allow,
        why=request.why,
        progress=lambda line: note(line, request.quiet),
    )
    if request.as_json:
        print_json(outcome)
    else:
        _tell(outcome, store_of(project).current_number())
    return outcome.exit_status


def _what_is_due(project: "Project", request: IngestRequest) -> "Due | None":
    """None where a run is wanted whatever is due. Where nothing is, Dagster is not even loaded."""
    if request.rebuild or request.allow:
        return None
    from rag_assets.evaluation.cases import load_cases
    from rag_assets.ingest.due import what_is_due

    cases = load_cases(project.evals).hash
    return what_is_due(project, store_of(project), cases, allow_empty=request.allow_empty)


def _tell(outcome: "RunOutcome", release: int | None) -> None:
    for why in outcome.refused.values():
        warn(f"refused: {why}")
    for key, why in outcome.held.items():
        warn(f"held: {key}: {why}")
    if outcome.cause and not outcome.held:
        warn(outcome.cause)
    if outcome.nothing_due:
        say(f"nothing else is due: release {release or '-'} stays")
        return
    if outcome.published is not None:
        say(f"release {outcome.published} published  id {(outcome.digest or '')[:12]}")
    elif outcome.failed or outcome.outcome:
        say(f"not published: release {release or '-'} stays")
    else:
        say(f"nothing new to publish: release {release or '-'} stays")
    say(f"  documents worked on: {_worked_on(outcome.worked_on)}")
    for warning in outcome.warnings:
        say(f"  warning: {warning}")


def _worked_on(counts: Counts) -> str:
    return ", ".join(f"{stage} {n}" for stage, n in counts.items() if n) or "none"
