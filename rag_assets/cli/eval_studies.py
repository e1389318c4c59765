"""`eval compare`, `ablate`, `report`, `generate`, `calibrate`: studies for a decision record.

Holds: the commands and what they print.
Add here: a command that measures without judging a release.
Never here: the measuring (evaluation/), the commands of the gate (evaluation.py).
"""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_assets.cli.evaluation import evals
from rag_assets.cli.options import AsJson, ProjectFolder, Quiet, Scopes
from rag_assets.cli.project_here import project_here, published_release, store_of
from rag_assets.errors import StateError, UnknownName, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rag_assets.evaluation.outcomes import SuiteRun
    from rag_assets.settings import Project

REPORT = "evaluation.html"


@evals.command("compare", epilog="Example: rag-assets eval compare 11 12")
def compare(
    before: Annotated[int, typer.Argument(help="A kept release.", metavar="A")],
    after: Annotated[int, typer.Argument(help="Another one.", metavar="B")],
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Two releases under today's cases: the table of a decision record, with paired bootstrap intervals."""
    from rag_assets.cli.output import print_json, say
    from rag_assets.evaluation.compare import compare_runs, comparison_markdown
    from rag_assets.evaluation.standing import standing

    here = project_here(project)
    then, now = (standing(here, store_of(here), release=number, remembered=False).run for number in (before, after))
    comparison = compare_runs(then, now)
    if as_json:
        print_json(comparison)
    else:
        say(comparison.headline)
        say("\n" + comparison_markdown(comparison, str(before), str(after)))


@evals.command("ablate", epilog="Example: rag-assets eval ablate transposed_pair sections")
def ablate_rules(
    rules: Annotated[
        list[str], typer.Argument(help="Rules of settings.rules or settings.retrieval.", metavar="RULE...")
    ],
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """What each rule is worth: everything built with it and without it, apart from the project's state."""
    from rag_assets.cli.output import note, print_json, say
    from rag_assets.evaluation.ablate import ablate
    from rag_assets.evaluation.compare import comparison_markdown

    here = project_here(project)
    note(f"building {1 + len(rules)} times ...", quiet)
    with tempfile.TemporaryDirectory(prefix="ablate-") as folder:
        found = ablate(here, rules, Path(folder))
    if as_json:
        print_json(found)
        return
    for one in found:
        fired = "" if one.firings is None else f", fired {one.firings} times"
        say(f"{one.rule}{fired}: {one.comparison.headline}")
        say("\n" + comparison_markdown(one.comparison, "with", "without"))


@evals.command("report", epilog="Example: rag-assets eval report --scope financial --out evaluation.html")
def report(
    scope: Scopes = None,
    out: Annotated[Path | None, typer.Option("--out", help=f"Where to; default: ./{REPORT}.", metavar="FILE")] = None,
    candidate: Annotated[bool, typer.Option("--candidate", help="The newest segments.")] = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """One offline HTML page: scores, plots, slices, a sample of failures. With --scope only cases of these scopes."""
    from rag_assets.cli.output import say
    from rag_assets.evaluation.report import PastRelease, ReportRequest, html_report
    from rag_assets.evaluation.standing import standing

    here = project_here(project)
    store = store_of(here)
    _refuse_unknown_scopes(here, scope or ())
    run = standing(here, store, candidate=candidate).run
    run = _in_scopes(run, here, frozenset(scope)) if scope else run
    past = [PastRelease(*found) for found in store.release_scores()]
    page = html_report(ReportRequest(name=here.root.name, run=run, past=() if scope else past))
    target = out or Path(REPORT)
    try:
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        raise StateError(f"{target}: cannot be written: {error.strerror}") from None
    say(str(target))


@evals.command("generate", epilog="Example: rag-assets eval generate --limit 1000 --seed 7 --out generated")
def generate(
    out: Annotated[Path, typer.Option("--out", help="A folder for the case files.", metavar="DIR")] = Path("generated"),
    limit: Annotated[int, typer.Option("--limit", help="At most N cases.", metavar="N", min=1)] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same cases.", metavar="N")] = 0,
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """Cases made of the published tables, with the tables themselves as the oracle."""
    from rag_assets.cli.output import note, say
    from rag_assets.corpus import Corpus
    from rag_assets.evaluation.generate import Material, cases_yaml, generate_cases

    here = project_here(project)
    scopes = {collection.name: collection.scope for collection in here.collections}
    everyone = Corpus.of_release(here, store_of(here), published_release(here), set(scopes.values()))
    materials = [
        Material(source=name, scope=scopes[name.split("/", 1)[0]], normalized=document)
        for name, document in everyone.all_normalized()
        if name.split("/", 1)[0] in scopes
    ]
    cases = generate_cases(materials, limit=limit, seed=seed)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for suite, text in cases_yaml(cases).items():
            (out / f"{suite}.yaml").write_text(text, encoding="utf-8")
            say(str(out / f"{suite}.yaml"))
    except OSError as error:
        raise StateError(f"{out}: cannot be written: {error.strerror}") from None
    note(f"{len(cases)} cases", quiet)


@evals.command("calibrate", epilog="Example: rag-assets eval calibrate --budget 0.02")
def calibrate_floor(
    budget: Annotated[
        float, typer.Option("--budget", help="Wrong answers allowed, as a share.", metavar="SHARE", min=0, max=1)
    ] = 0.02,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Propose settings.answer_floor from the calibration cases, with the coverage it costs."""
    from rag_assets.cli.output import print_json, say
    from rag_assets.evaluation.calibrate import ask_all, calibrate, wrong_at
    from rag_assets.evaluation.cases import load_cases

    here = project_here(project)
    store, served, cases = store_of(here), published_release(here), load_cases(here.evals).cases
    found = calibrate(ask_all(here, store, served, cases, "calibrate"), budget)
    if found is None:
        raise UsageError("no answers case has `split: calibrate`: mark some, see docs/reference/cases.md")
    held_out = ask_all(here, store, served, cases, "held_out")
    wrong, answered = wrong_at(held_out, found.floor)
    if as_json:
        print_json({"calibration": found, "held_out": {"n": len(held_out), "wrong": wrong, "answered": answered}})
        return
    say(f"answer_floor: {found.floor:.4g}   (now {here.settings.answer_floor:g})")
    say(f"calibration: {found.n} questions, {found.answered:.1%} answered, {found.wrong:.1%} of these wrong")
    say(f"it costs {found.lost:.1%} of the questions that could be answered")
    answered_questions = round(found.n * found.answered)
    if budget and answered_questions * budget < 1:
        say(f"too few to tell: one wrong of {answered_questions} answered questions is more than {budget:.1%}")
    if held_out:
        say(f"held out: {len(held_out)} questions, {answered:.1%} answered, {wrong:.1%} of these wrong")


def _refuse_unknown_scopes(project: "Project", scopes: "Iterable[str]") -> None:
    known = sorted({collection.scope for collection in project.collections})
    for scope in scopes:
        if scope not in known:
            raise UnknownName(f"no collection has the scope {scope!r}: there are {', '.join(known)}")


def _in_scopes(run: "SuiteRun", project: "Project", scopes: frozenset[str]) -> "SuiteRun":
    from dataclasses import replace

    from rag_assets.evaluation.cases import load_cases
    from rag_assets.evaluation.suites import scores_of, slices_of

    of_collection = {collection.name: collection.scope for collection in project.collections}
    wanted = set()
    for case in load_cases(project.evals).cases:
        named = case.scopes or {of_collection.get(source.split("/", 1)[0], "") for source in case.sources}
        if set(named or project.file.default_scopes) <= scopes:
            wanted.add(case.id)
    outcomes = tuple(one for one in run.outcomes if one.case in wanted)
    return replace(run, outcomes=outcomes, scores=scores_of(outcomes), slices=slices_of(outcomes))
