"""`eval run`, `accept`, `stale`, `compare`: how good a release is.

Holds: the commands and what they print.
Add here: a command over the project's cases.
Never here: judging a case or a run (evaluation/).
"""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rag_assets.cli.options import AsJson, ProjectFolder, Quiet
from rag_assets.cli.project_here import project_here, published_release, store_of
from rag_assets.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from rag_assets.evaluation.cases import CaseSet
    from rag_assets.evaluation.evaluate import Contents
    from rag_assets.evaluation.memory import Memory
    from rag_assets.evaluation.outcomes import CaseOutcome, SuiteRun
    from rag_assets.settings import Project
    from rag_assets.store import Store

evals = typer.Typer(
    name="eval",
    help="Suites over a release: run, accept, stale, and studies.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Candidate = Annotated[bool, typer.Option("--candidate", help="The newest segments instead of what is published.")]
FAILURES_SHOWN = 30


class Judged(NamedTuple):
    """What a run was made of, for the commands that go on from it."""

    project: "Project"
    cases: "CaseSet"
    contents: "Contents"
    baseline: "Memory | None"
    run: "SuiteRun"


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

    judged = judge(project, candidate, held_out)
    failed = failed_suites(judged)
    if as_json:
        print_json(
            {
                "scores": judged.run.scores,
                "slices": judged.run.slices,
                "failed_suites": failed,
                "elapsed_s": judged.run.elapsed_s,
                "cases": () if held_out else judged.run.outcomes,
            }
        )
    else:
        print_scores(judged.run)
        if not held_out:
            _print_failures(judged.run)
    if failed:
        raise typer.Exit(1)


@evals.command("accept", epilog="Example: rag-assets eval accept edge-025 agg-001")
def accept_cases(
    names: Annotated[
        list[str] | None, typer.Argument(help="Cases; all where none is named.", metavar="[CASE]...")
    ] = None,
    candidate: Candidate = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """Take the present outcomes as the baseline that the gate compares with."""
    from rag_assets.cli.output import note
    from rag_assets.evaluation.memory import Memory, accept, write_baseline

    judged = judge(project, candidate)
    if judged.project.evals is None:
        raise UsageError("sources.yaml names no `evals:` folder, so there is nothing to accept")
    known = {outcome.case for outcome in judged.run.outcomes}
    for name in names or ():
        if name not in known:
            raise UnknownName(f"no case {name} in {judged.project.evals}")
    chosen = [one for one in judged.run.outcomes if not names or one.case in names]
    memory = accept(chosen, judged.contents.sources, judged.baseline or Memory())
    path = write_baseline(judged.project.evals, memory)
    passing = sum(bool(one.would_pass) for one in chosen)
    note(f"{path}: {len(chosen)} cases accepted, {passing} of them passing", quiet)


@evals.command("stale", epilog="Example: rag-assets eval stale")
def stale_cases(
    candidate: Candidate = False,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Cases whose sources changed since they last passed: they wait for `eval accept`."""
    from rag_assets.cli.output import print_json, print_table, say

    waiting = [one for one in judge(project, candidate).run.outcomes if one.verdict == "stale"]
    if as_json:
        print_json([{"case": o.case, "sources": o.sources, "would_pass": o.would_pass} for o in waiting])
    elif waiting:
        print_table(
            ("case", "sources", "would"),
            [(o.case, ", ".join(o.sources), "pass" if o.would_pass else "fail") for o in waiting],
        )
    else:
        say("no case is stale")


def judge(folder: "Path | None", candidate: bool = False, held_out: bool = False) -> Judged:
    """Run the suites without a budget, over what is published or the newest segments."""
    from rag_assets.evaluation.cases import load_cases
    from rag_assets.evaluation.evaluate import evaluate
    from rag_assets.evaluation.memory import read_baseline, read_evaluation

    project = project_here(folder)
    store = store_of(project)
    cases = load_cases(project.evals)
    contents = contents_of(project, store, candidate)
    baseline = read_baseline(project.evals)
    current = store.current()
    evaluated = read_evaluation(store, current.dagster_run if current else None)
    memories = tuple(m for m in (evaluated.memory if evaluated else None, baseline) if m is not None)
    run = evaluate(project, store, contents, cases.cases, memories, baseline=baseline, held_out=held_out)
    return Judged(project, cases, contents, baseline, run)


def contents_of(project: "Project", store: "Store", candidate: bool) -> "Contents":
    from rag_assets.evaluation.evaluate import Contents
    from rag_assets.ingest.candidate import make_candidate

    if candidate:
        return Contents.of(make_candidate(project, store, "eval-run"))
    return Contents.of(published_release(project))


def failed_suites(judged: Judged) -> list[str]:
    """Under the floor; where a suite has none, any failed case."""
    floors = judged.project.settings.suite_floors
    failed: set[str] = {one.suite for one in judged.run.outcomes if one.verdict == "failed"} - floors.keys()
    for suite, floor in floors.items():
        score = judged.run.scores.get(f"{suite}/pass")
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
    lost = f"{one.loss.value if one.loss else ''} {one.loss_note}".strip()
    return one.case, lost, one.why
