"""`release list`, `show`, `diff`, `rollback`, `resume`, `sweep`, `prove-deleted`: the history of what was published.

Holds: the commands and what they print.
Add here: a command about releases.
Never here: moving the pointer (ingest/publish.py), comparing cells (ingest/diff.py), removing files (ingest/sweep.py).
"""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_assets.cli.options import AsJson, ProjectFolder, Quiet
from rag_assets.cli.project_here import project_here, published_release, store_of
from rag_assets.errors import UsageError

if TYPE_CHECKING:
    from rag_assets.store import Release

releases = typer.Typer(
    name="release",
    help="History: list, show, diff, roll back, resume, sweep, prove-deleted.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Number = Annotated[int, typer.Argument(help="The number of a release.", metavar="N")]


@releases.command("list", epilog="Example: rag-assets release list")
def list_releases(as_json: AsJson = False, project: ProjectFolder = None, quiet: Quiet = False) -> None:  # noqa: ARG001
    """The kept releases, newest first."""
    from rag_assets.cli.output import print_json, print_table, say

    store = store_of(project_here(project))
    kept = tuple(reversed(store.releases()))
    current, pin = store.current_number(), store.pinned()
    if as_json:
        print_json([_summary(release, current) for release in kept])
        return
    if not kept:
        say("nothing is published yet")
        return
    rows = []
    for release in kept:
        mark = "current" if release.number == current else ""
        if pin is not None and pin.release == release.number:
            mark = f"current, pinned: {pin.why}"
        changed = ", ".join(release.changed) or "-"
        rows.append((release.number, release.digest[:12], release.created, len(release.sources), changed, mark))
    print_table(("release", "id", "published", "documents", "changed", ""), rows)


@releases.command("show", epilog="Example: rag-assets release show 12")
def show_release(
    number: Number,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """One release: its documents, scores, warnings, what is held."""
    from rag_assets.cli.output import print_json, print_table, say

    release = published_release(project_here(project), number)
    if as_json:
        print_json(release)
        return
    say(f"release {release.number}  {release.digest[:12]}  published {release.created}  after {release.parent or '-'}")
    say(f"changed: {', '.join(release.changed) or '-'}")
    for key, why in release.held.items():
        say(f"held: {key}: {why}")
    for case in release.allowed:
        say(f"allowed to fail: {case}")
    for warning in release.warnings:
        say(f"warning: {warning}")
    print_table(
        ("document", "status", "reason", "sha256"),
        [(e.source, e.status, e.reason or "", e.sha256[:12]) for e in release.sources],
    )
    show_scores(release)


@releases.command("diff", epilog="Example: rag-assets release diff 11 12")
def diff(
    before: Annotated[int, typer.Argument(help="The older release.", metavar="A")],
    after: Annotated[int, typer.Argument(help="The newer release.", metavar="B")],
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Documents and cells that differ between two releases."""
    from rag_assets.cli.output import print_json, print_table, say
    from rag_assets.ingest.diff import release_diff

    here = project_here(project)
    changes = release_diff(store_of(here), published_release(here, before), published_release(here, after))
    if as_json:
        print_json(changes)
        return
    for name, sources in (("added", changes.added), ("removed", changes.removed), ("changed", changes.changed)):
        for source in sources:
            say(f"{name}: {source}")
    if changes.cells:
        rows = [(c.source, c.address, c.label, c.before or "-", c.after or "-") for c in changes.cells]
        print_table(("document", "cell", "what", f"release {before}", f"release {after}"), rows)
    if not (changes.added or changes.removed or changes.changed):
        say("no document differs")


@releases.command("rollback", epilog='Example: rag-assets release rollback 12 --why "prices of October are wrong"')
def rollback(
    number: Number,
    why: Annotated[str, typer.Option("--why", help="The reason; it stands in the pin.", metavar="TEXT")],
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """Serve an older release until `release resume`."""
    from rag_assets.cli.output import note
    from rag_assets.ingest.publish import rollback as roll_back

    if not why.strip():
        raise UsageError("--why: say why the older release must stand")
    pin = roll_back(store_of(project_here(project)), number, why)
    note(f"release {pin.release} is served until `rag-assets release resume`", quiet)


@releases.command("resume", epilog="Example: rag-assets release resume")
def resume(project: ProjectFolder = None, quiet: Quiet = False) -> None:
    """Lift the pin: the next run publishes what is due."""
    from rag_assets.cli.output import note, warn
    from rag_assets.ingest.publish import resume as lift_pin

    pin = lift_pin(store_of(project_here(project)))
    if pin is None:
        warn("nothing was pinned")
    else:
        note(f"release {pin.release} was pinned ({pin.why}); the next ingest publishes what is due", quiet)


@releases.command("sweep", epilog="Example: rag-assets release sweep --keep 5")
def sweep_state(
    keep: Annotated[int | None, typer.Option("--keep", help="Releases to keep; default: keep_releases.", min=1)] = None,
    erased: Annotated[
        str | None, typer.Option("--erase", help="Take this document out of everything kept.", metavar="SOURCE")
    ] = None,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Remove what no kept release names; with --erase also one document from those that are kept."""
    from rag_assets.cli.output import print_json, say
    from rag_assets.ingest.erase import erase
    from rag_assets.ingest.sweep import sweep

    here = project_here(project)
    store = store_of(here)
    swept = erase(here, store, erased) if erased else sweep(store, keep or here.settings.keep_releases)
    if as_json:
        print_json(swept)
        return
    counts = f"{len(swept.releases)} releases, {swept.segments} segments, {swept.contents} contents"
    say(f"removed {counts}: {swept.freed_bytes / 1e6:.1f} MB")


@releases.command("prove-deleted", epilog='Example: rag-assets release prove-deleted "Norway 30 days"')
def prove_deleted(
    text: Annotated[str, typer.Argument(help="A text that must not be left anywhere.", metavar="TEXT")],
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Look for a text in all of the state. Exit status 1 where it is still there."""
    from rag_assets.cli.output import print_json, say
    from rag_assets.ingest.traces import traces_of

    if not text.strip():
        raise UsageError("prove-deleted needs a text that is not blank")
    found = traces_of(store_of(project_here(project)), text)
    if as_json:
        print_json([{"place": one.place, "within": one.within} for one in found])
    else:
        for one in found:
            say(f"{one.place}: {one.within}")
        say(f"found in {len(found)} places" if found else "nothing of it is left")
    if found:
        raise typer.Exit(1)


def show_scores(release: "Release") -> None:
    from rag_assets.cli.output import print_table

    if release.scores:
        print_table(("score", "value", "n", "unscored"), score_rows(release))


def score_rows(release: "Release") -> list[tuple[str, str, int, int]]:
    """A score that nothing stands behind is shown as not scored, never as 0."""
    return [
        (name, "not scored" if score.value is None else f"{score.value:.3f}", score.n, score.unscored)
        for name, score in sorted(release.scores.items())
    ]


def _summary(release: "Release", current: int | None) -> dict[str, object]:
    return {
        "release": release.number,
        "id": release.digest,
        "created": release.created,
        "parent": release.parent,
        "documents": len(release.sources),
        "changed": release.changed,
        "held": release.held,
        "current": release.number == current,
    }
