"""`init` and `ingest`: a project, and bringing its release up to date.

Holds: the commands and what they print.
Add here: a command that changes a project as a whole.
Never here: what `init` writes (new_project.py), what a run does (defs/).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_assets.cli.options import AsJson, ProjectFolder, Quiet
from rag_assets.cli.project_here import prepare_dagster, project_here, store_of
from rag_assets.errors import UsageError

if TYPE_CHECKING:
    from rag_assets.ingest.due import Due
    from rag_assets.settings import Project


def init(
    folder: Annotated[Path, typer.Argument(help="The folder of the new project.", metavar="DIR")],
    documents: Annotated[
        Path | None, typer.Option("--documents", help="Where the documents lie; default: DIR/documents.", metavar="DIR")
    ] = None,
    scope: Annotated[str, typer.Option("--scope", help="Who may see them.", metavar="S")] = "public",
    quiet: Quiet = False,
) -> None:
    """Write sources.yaml, dagster.yaml, workspace.yaml and an evals folder."""
    from rag_assets.cli.new_project import plan_project, write_project
    from rag_assets.cli.output import note

    plan = plan_project(folder, documents)
    write_project(plan, scope)
    note(f"{folder / 'sources.yaml'}: collection {plan.name}, {plan.n_documents} files, {plan.shards} shards", quiet)
    note(f"next: rag-assets ingest --project {folder}", quiet)


def ingest(
    collection: Annotated[
        list[str] | None, typer.Option("--collection", help="Only these; may be repeated.", metavar="NAME")
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Work on every document again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what is due, do nothing.")] = False,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="Accept that most documents are gone.")] = False,
    allow: Annotated[
        list[str] | None, typer.Option("--allow", help="A case that may fail; needs --why.", metavar="CASE")
    ] = None,
    why: Annotated[str, typer.Option("--why", help="Why it may; it stands in the release.", metavar="TEXT")] = "",
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """Materialize what is due, evaluate, publish or refuse."""
    if allow and not why.strip():
        raise UsageError("--allow needs --why: the reason stands in the release")
    here = project_here(project)
    _check_collections(here, collection or [])
    if dry_run:
        _print_due(here, as_json, allow_empty)
        return
    prepare_dagster(here)
    from rag_assets.cli.ingesting import IngestRequest, ingest_project

    request = IngestRequest(
        collections=tuple(collection or ()),
        rebuild=rebuild,
        allow_empty=allow_empty,
        allow=tuple(allow or ()),
        why=why,
        quiet=quiet,
        as_json=as_json,
    )
    status = ingest_project(here, request)
    if status:
        raise typer.Exit(status)


def _check_collections(project: "Project", names: list[str]) -> None:
    known = [c.name for c in project.collections]
    for name in names:
        if name not in known:
            raise UsageError(f"--collection {name}: sources.yaml names {', '.join(known)}")


def _print_due(project: "Project", as_json: bool, allow_empty: bool) -> None:
    from rag_assets.cli.output import print_json
    from rag_assets.evaluation.cases import load_cases
    from rag_assets.ingest.due import what_is_due

    due = what_is_due(project, store_of(project), load_cases(project.evals).hash, allow_empty=allow_empty)
    if as_json:
        print_json(due)
    else:
        print_due(due)


def print_due(due: "Due") -> None:
    from rag_assets.cli.output import say

    for part in due.collections:
        counts = ((len(part.new), "new"), (len(part.changed), "changed"), (len(part.gone), "gone"))
        shown = ", ".join(f"{n} {name}" for n, name in counts if n)
        say(f"due: {part.key}: {shown or '; '.join(part.reasons)}")
    for key in due.removed:
        say(f"due: {key}: no longer in sources.yaml")
    if due.evaluation_due:
        say("due: evaluation")
    for why in due.refused.values():
        say(f"refused: {why}")
    if not due.anything and not due.removed and not due.refused:
        say("nothing is due")
