"""`eval run`, `accept`, `stale`, `compare`: how good a release is.

Holds: the commands and what they print.
Add here: a command over the project's cases.
Never here: judging a case or a run (evaluation/).
"""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_assets.cli.options import AsJson, ProjectFolder, Quiet
from rag_assets.cli.project_here import project_here, store_of

if TYPE_CHECKING:
    from rag_assets.evaluation.outcomes import CaseOutcome, SuiteRun
    from rag_assets.settings import Project

evals = typer.Typer(
    name="eval",
    help="Suites over a release: run, accept, stale, and studies.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Candidate = Annotated[bool, typer.Option("--candidate", help="The newest segments instead of what is published.")]
FAILURES_SHOWN = 30


@evals.command("run", epilog="Example: rag-assets eval run --candidate")
def run_evaluation(
    candidate: Candidate = False,
    held_out: Annotated[bool, typer.Option("--held-out", help="The held-out cases; scores only.")] = False,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """All suites. Exit status 1 where a suite is under its floor or, without a floor, a case failed."""
    from rag_assets.cli.output import print_json
    from rag_assets.evaluation.standing import standing

    here = project_here(project)
    run = standing(here, store_of(here), candidate=candidate, held_out=held_out).run
    failed = failed_suites(here, run)
    if as_json:
        shown_cases = () if held_out else run.outcomes
        head = {"scores": run.scores, "slices": run.slices, "failed_suites": failed, "elapsed_s": run.elapsed_s}
        print_json({**head, "cases": shown_cases})
    else:
        print_scores(run)
        if not held_out:
            _print_failures(run)
    if failed:
        raise typer.Exit(1)


@evals.command("accept", epilog="Example: rag-assets eval accept edge-025 agg-001")
def accept(
    names: Annotated[
        list[str] | None, typer.Argument(help="Cases; all where none is named.", metavar="[CASE]...")
    ] = None,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Take the outcomes over the published release as the baseline that the gate compares with."""
    from rag_assets.cli.output import say
    from rag_assets.evaluation.standing import accept_cases

    here = project_here(project)
    accepted = accept_cases(here, store_of(here), names or ())
    say(f"{accepted.path}: {accepted.passed} accepted as passed, {len(accepted.failed)} as failed")
    if accepted.failed:
        say(f"  these may fail from now on: {', '.join(accepted.failed)}")


@evals.command("stale", epilog="Example: rag-assets eval stale")
def stale_cases(
    candidate: Candidate = False,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Cases whose sources changed since they last passed: they wait for `eval accept`."""
    from rag_assets.cli.output import print_json, print_table, say
    from rag_assets.evaluation.standing import standing

    here = project_here(project)
    waiting = standing(here, store_of(here), candidate=candidate).stale
    if as_json:
        print_json([{"case": o.case, "sources": o.sources, "would_pass": o.would_pass} for o in waiting])
    elif waiting:
        print_table(
            ("case", "sources", "would"),
            [(o.case, ", ".join(o.sources), "pass" if o.would_pass else "fail") for o in waiting],
        )
    else:
        say("no case is stale")


def failed_suites(project: "Project", run: "SuiteRun") -> list[str]:
    """Under the floor; where a suite has none, any failed case."""
    floors = project.settings.suite_floors
    failed: set[str] = {one.suite for one in run.outcomes if one.verdict == "failed"} - floors.keys()
    for suite, floor in floors.items():
        score = run.scores.get(f"{suite}/pass")
        if score is not None and score.value is not None and score.value < floor:
            failed.add(suite)
    return sorted(failed)


def print_scores(run: "SuiteRun") -> None:
    """One row a score, then the slices by chunk kind."""
    from rag_assets.cli.output import print_table

    print_table(
        ("score", "value", "n", "unscored"),
        [(n, shown(s.value), s.n, s.unscored) for n, s in sorted(run.scores.items())],
    )
    kinds = [(name.removeprefix("kind:"), scores) for name, scores in sorted(run.slices.items()) if "kind" in name]
    rows = [(kind, name, shown(s.value), s.n) for kind, scores in kinds for name, s in sorted(scores.items())]
    if rows:
        print_table(("chunk kind", "score", "value", "n"), rows)


def shown(value: float | None) -> str:
    return "not scored" if value is None else f"{value:.3f}"


def _print_failures(run: "SuiteRun") -> None:
    from rag_assets.cli.output import print_table, say

    failed = [one for one in run.outcomes if one.verdict == "failed" and one.split != "held_out"]
    if failed:
        print_table(("failed case", "lost", "why"), [_failure(one) for one in failed[:FAILURES_SHOWN]])
    if len(failed) > FAILURES_SHOWN:
        say(f"… {len(failed) - FAILURES_SHOWN} more")
    counts = {v: sum(o.verdict == v for o in run.outcomes) for v in ("passed", "failed", "stale", "unscored")}
    say(", ".join(f"{n} {verdict}" for verdict, n in counts.items()) + f" in {run.elapsed_s:.1f} s")


def _failure(one: "CaseOutcome") -> tuple[str, str, str]:
    lost = ": ".join(part for part in (one.loss.value if one.loss else "", one.loss_note) if part)
    return one.case, lost, one.why
