"""`status` and `doctor`: how a project and an installation stand.

Holds: the commands and what they print.
Add here: another fact a person asks for first.
Never here: finding out what is due (ingest/due.py), how a quarantine is mended (quarantine_advice.py).
"""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_assets.cli.options import AsJson, ProjectFolder, Quiet
from rag_assets.cli.project_here import project_here, store_of

if TYPE_CHECKING:
    from rag_assets.ingest.due import Due
    from rag_assets.settings import Project
    from rag_assets.store import Pin, Release, Store

SHARD_DOCUMENTS = 1500


def status(
    quarantine: Annotated[bool, typer.Option("--quarantine", help="Each quarantined document and its remedy.")] = False,
    answers: Annotated[
        bool, typer.Option("--answers", help="How answers came out: the cases', and those people asked for.")
    ] = False,
    timing: Annotated[bool, typer.Option("--timing", help="Where the run that published spent its time.")] = False,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """The published release, what is due, pinned, held, stale, quarantined."""
    from rag_assets.cli.output import print_json
    from rag_assets.evaluation.cases import load_cases
    from rag_assets.evaluation.judgement import last_verdict
    from rag_assets.ingest.due import what_is_due

    here = project_here(project)
    store = store_of(here)
    due = what_is_due(here, store, load_cases(here.evals).hash)
    release, pin = store.current(), store.pinned()
    if as_json:
        print_json({**_fields(here, release, pin, due, answers), "last_verdict": last_verdict(store)})
        return
    _print_release(release, pin, accepted=_has_baseline(here))
    _print_verdict(store, release)
    _print_due(due)
    if release is None:
        return
    _print_documents(here, release, quarantine)
    if answers:
        _print_answers(release)
        _print_asked(here)
    if timing:
        _print_timing(here, release)


def _has_baseline(project: "Project") -> bool:
    """A damaged one is there too: `ingest` and `eval` name it."""
    from rag_assets.errors import SettingsError
    from rag_assets.evaluation.memory import read_baseline

    try:
        return read_baseline(project.evals) is not None
    except SettingsError:
        return True


def _fields(
    project: "Project", release: "Release | None", pin: "Pin | None", due: "Due", answers: bool
) -> dict[str, object]:
    from rag_assets.answering.answer_log import read_log
    from rag_assets.corpus import answer_log_folder

    sources = release.sources if release else ()
    folder = answer_log_folder(project) if answers else None
    return {
        **({"answers": [tally._asdict() for tally in read_log(folder)]} if folder else {}),
        "release": release.number if release else None,
        "id": release.digest if release else None,
        "created": release.created if release else None,
        "documents": len(sources),
        "pinned": pin,
        "held": release.held if release else {},
        "due": due,
        "quarantined": [e for e in sources if e.status == "quarantined"],
        "stale": [e.source for e in sources if e.stale_since],
        "warnings": release.warnings if release else (),
        "scores": release.scores if release else {},
    }


def _print_release(release: "Release | None", pin: "Pin | None", *, accepted: bool) -> None:
    """`accepted`: there is a baseline by now, so that the release was published without one is no news."""
    from rag_assets.cli.output import say
    from rag_assets.evaluation.gate import NO_BASELINE

    if release is None:
        say("nothing is published yet: run `rag-assets ingest`")
        return
    say(f"release {release.number}  {release.digest[:12]}  published {release.created}")
    if pin is not None:
        say(f"pinned to release {pin.release} since {pin.created}: {pin.why} (`rag-assets release resume` lifts it)")
    for key, why in release.held.items():
        say(f"held: {key}: {why}")
    for warning in release.warnings:
        if not (accepted and warning.startswith(NO_BASELINE)):
            say(f"warning: {warning}")


def _print_verdict(store: "Store", release: "Release | None") -> None:
    """A refusal that nothing followed, and what waits for a person."""
    from rag_assets.cli.output import say
    from rag_assets.evaluation.judgement import last_verdict
    from rag_assets.evaluation.memory import read_evaluation

    last = last_verdict(store)
    if last.red:
        say(f"refused {last.at[:19]}: {last.sentence}")
        say(f"  cases: {', '.join(last.cases)}" if last.cases else "  no case: a suite is under its floor")
    evaluated = read_evaluation(store, release.dagster_run if release else None)
    stale = sum(one.verdict == "stale" for one in evaluated.outcomes) if evaluated else 0
    if stale:
        say(f"{stale} cases are stale and guard nothing: `rag-assets eval stale`, then `rag-assets eval accept`")


def _print_due(due: "Due") -> None:
    from rag_assets.cli.project import print_due

    print_due(due)


def _print_documents(project: "Project", release: "Release", quarantine: bool) -> None:
    from rag_assets.cli.output import say
    from rag_assets.cli.quarantine_advice import advice

    bad = [e for e in release.sources if e.status == "quarantined"]
    stale = [e for e in bad if e.stale_since]
    say(f"{len(release.sources)} documents, {len(bad)} quarantined ({len(stale)} still served in their last version)")
    for entry in bad if quarantine else ():
        say(f"  {entry.source}: {entry.reason}: {entry.detail or ''}")
        say(f"    {advice(entry.reason)}" + (f" (served as of {entry.stale_since})" if entry.stale_since else ""))
    if bad and not quarantine:
        say("  which, and how to mend them: rag-assets status --quarantine")
    for partition in project.partitions:
        n = sum(e.partition == partition.key for e in release.sources)
        if n > SHARD_DOCUMENTS:
            say(f"{partition.key} holds {n} documents: raise `shards` of {partition.collection.name} in sources.yaml")


def _print_answers(release: "Release") -> None:
    from rag_assets.cli.output import print_table, say

    found = [(n.removeprefix("answers/"), s) for n, s in release.scores.items() if n.startswith("answers/")]
    if not found:
        say("no answers were scored in this release")
        return
    rows = [(n, "not scored" if s.value is None else f"{s.value:.3f}", s.n, s.unscored) for n, s in found]
    print_table(("answers", "share", "of", "unscored"), rows)


def _print_asked(project: "Project") -> None:
    """What people asked, from the answer log: how it came out, and what could not be answered."""
    from rag_assets.answering.answer_log import read_log
    from rag_assets.cli.output import print_table, say
    from rag_assets.corpus import answer_log_folder

    folder = answer_log_folder(project)
    found = read_log(folder) if folder else ()
    if not found:
        say("nobody has asked anything yet")
        return
    rows = [
        (tally.scopes, outcome, n, f"{n / tally.answers:.2f}", f"{tally.median_ms:.0f}")
        for tally in found
        for outcome, n in tally.outcomes
    ]
    print_table(("scopes", "outcome", "answers", "share", "median ms"), rows)
    asked = [(tally.scopes, n, text) for tally in found for text, n in tally.declined]
    if asked:
        print_table(("scopes", "times", "declined question"), asked)
    elif not project.settings.log_questions:
        say("which questions were declined: set `log_questions: true` to keep their texts")


def _print_timing(project: "Project", release: "Release") -> None:
    from rag_assets.cli.output import print_table, say
    from rag_assets.cli.run_times import step_times

    times = step_times(project, release.dagster_run)
    if times:
        print_table(("asset", "seconds"), [(name, f"{seconds:.2f}") for name, seconds in times])
    else:
        say("the run that published this release is not in this Dagster instance")


def doctor(
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """Check the installation and say how to mend it."""
    from rag_assets.cli.checkup import checks
    from rag_assets.cli.output import print_json, say

    found = checks(project)
    if as_json:
        print_json(found)
    else:
        for check in found:
            say(
                f"{'ok ' if check.ok else 'BAD'} {check.name}: {check.found}"
                + (f": {check.remedy}" if check.remedy else "")
            )
    if not all(check.ok for check in found):
        raise typer.Exit(1)
