"""`demo`: the example corpus, end to end.

Holds: which questions are asked, what is printed, the broken copy that the gate stops.
Add here: another thing a newcomer should see within a minute.
Never here: special paths through the pipeline; the demo runs the same commands as everybody.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rag_assets.cli.options import Quiet
from rag_assets.cli.project_here import prepare_dagster, published_release, store_of
from rag_assets.errors import InputError, StateError, UsageError

if TYPE_CHECKING:
    from rag_assets.settings import Project
    from rag_assets.store import Release

PUBLIC, FINANCIAL = frozenset({"public"}), frozenset({"financial"})
PROJECT_FILES = ("sources.yaml", "dagster.yaml", "workspace.yaml")
NOT_COPIED = shutil.ignore_patterns("dagster", "dagster_home", "*.lock")


class Question(NamedTuple):
    text: str
    scopes: frozenset[str]


ANSWERED = (
    Question("Can I ride Yolobus with my UC Davis Aggie Card?", PUBLIC),
    Question("What is the adult fare to Woodland on the 45 Woodland Express?", PUBLIC),
    Question("How many days is the refund window in the EU?", PUBLIC),
    Question("What was GAAP net income in Q2 FY26?", PUBLIC),
    Question("What discount does region North have at tier 3?", FINANCIAL),
)
REFUSED = Question("How many days is the refund window in Iceland?", PUBLIC)
OVER_ALL_ROWS = Question("What is the average volume discount across regions?", FINANCIAL)
TOOL = "lookup_discount_tiers"
AVERAGE = {"aggregate": [{"function": "avg", "column": "discount", "as": "mean"}]}

BROKEN = """
settings:
  on_regression: hold_release
  rules: {stacked_headings: false, caption_run: false, sections: false}
"""


def demo(
    folder: Annotated[
        Path | None, typer.Argument(help="Copy the example project there first.", metavar="[DIR]")
    ] = None,
    break_headers: Annotated[
        bool, typer.Option("--break-headers", help="Then break a copy and see the gate turn red.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """The example corpus, end to end: built, scored, published, asked."""
    from rag_assets.cli.output import note, say
    from rag_assets.settings import load_project

    started = time.monotonic()
    project = load_project(_example(folder))
    prepare_dagster(project)
    note("building the whole graph over the example corpus ...", quiet)
    _bring_up_to_date(project, quiet)
    release = published_release(project)
    answers = _answers(project)
    _print_answers(project, answers)
    _print_tool_answer(project)
    _print_scores(project, release)
    say(f"\nrelease {release.number}  id {release.digest[:12]}  {len(release.sources)} documents")
    say(f"see the graph, its scores and its history: {_how_to_open(project)}")
    say(f"done in {time.monotonic() - started:.0f} s")
    if break_headers:
        _show_broken(project, release, answers)


def _example(folder: Path | None) -> Path:
    """The repo root, or its example project copied into `folder`."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "evals" / "corpus").is_dir() or not (root / "sources.yaml").is_file():
        raise InputError(
            "the example corpus comes with the repository, not with the installed package: "
            "clone the repository and run `make demo` there, or use `rag-assets init DIR` on your own documents"
        )
    if folder is None:
        return root
    if (folder / "sources.yaml").exists():
        if not (folder / "evals" / "corpus").is_dir():
            raise UsageError(f"{folder}: holds another project: choose an empty folder")
        return folder
    try:
        shutil.copytree(root / "evals", folder / "evals", dirs_exist_ok=True)
        for name in PROJECT_FILES:
            shutil.copy2(root / name, folder / name)
    except OSError as error:
        raise StateError(f"{folder}: cannot be written: {error.strerror or error}") from None
    return folder


def _bring_up_to_date(project: "Project", quiet: bool) -> None:
    from rag_assets.cli.ingesting import IngestRequest, ingest_project

    status = ingest_project(project, IngestRequest(quiet=quiet))
    if status:
        raise typer.Exit(status)


def _answers(project: "Project") -> list[bytes]:
    """The JSON of each answer, the refusal last."""
    import msgspec

    from rag_assets.corpus import open_corpus

    return [
        msgspec.json.encode(open_corpus(project, scopes=question.scopes).ask(question.text))
        for question in (*ANSWERED, REFUSED, OVER_ALL_ROWS)
    ]


def _print_answers(project: "Project", answers: list[bytes]) -> None:
    import msgspec

    from rag_assets.cli.corpus import show_answer
    from rag_assets.cli.output import say
    from rag_assets.model.corpus import Answer

    say(f"questions to {project.root}")
    for question, encoded in zip((*ANSWERED, REFUSED, OVER_ALL_ROWS), answers, strict=True):
        say(f"\n? {question.text}  [{', '.join(sorted(question.scopes))}]")
        show_answer(msgspec.json.decode(encoded, type=Answer))


def _print_tool_answer(project: "Project") -> None:
    from rag_assets.cli.corpus import show_lookup
    from rag_assets.cli.output import say
    from rag_assets.corpus import open_corpus
    from rag_assets.model.corpus import LookupResult

    result = open_corpus(project, scopes=FINANCIAL).lookup(TOOL, AVERAGE)
    if isinstance(result, LookupResult):
        say(f"\n{TOOL}: the average of all rows, not of those that were retrieved")
        show_lookup(result)


def _print_scores(project: "Project", release: "Release") -> None:
    from rag_assets.cli.evaluation import shown
    from rag_assets.cli.output import print_table
    from rag_assets.evaluation.memory import read_evaluation
    from rag_assets.evaluation.suites import scores_of, slices_of

    evaluation = read_evaluation(store_of(project), release.dagster_run)
    if evaluation is None:
        print_table(("score", "value", "n"), [(n, shown(s.value), s.n) for n, s in sorted(release.scores.items())])
        return
    scores = scores_of(evaluation.outcomes)
    suites = [(n.removesuffix("/pass"), shown(s.value), s.n, s.unscored) for n, s in scores.items() if "/pass" in n]
    print_table(("suite", "passed", "cases", "unscored"), suites)
    rows = []
    for name, measures in slices_of(evaluation.outcomes).items():
        if name.startswith("kind:"):
            found = [measures.get(f"retrieval/{key}") for key in ("hit@1", "hit@5", "mrr@10")]
            values = [shown(score.value) if score else "not scored" for score in found]
            rows.append((name.removeprefix("kind:"), *values, measures["retrieval/pass"].n))
    print_table(("chunk kind", "hit@1", "hit@5", "MRR@10", "cases"), rows)


def _how_to_open(project: "Project") -> str:
    if (project.root / "Makefile").is_file():
        return "make ui, then http://localhost:3000"
    storage = project.root / ".rag-assets" / "dagster"
    return (
        f"cd {project.root} && DAGSTER_HOME=$PWD RAG_ASSETS_PROJECT=$PWD RAG_ASSETS_DAGSTER_STORAGE={storage} "
        "dagster dev -w workspace.yaml, then http://localhost:3000"
    )


def _show_broken(project: "Project", release: "Release", answers: list[bytes]) -> None:
    """The same sources with the rules for headings turned off, in a scratch copy."""
    from rag_assets.cli.output import say
    from rag_assets.settings import load_project

    with tempfile.TemporaryDirectory(prefix="rag-assets-demo-") as scratch:
        copy = Path(scratch) / "project"
        _copy_project(project, copy)
        say("\nbreaking the headings in a scratch copy: stacked headings, sections and captions off, hold_release")
        refused = _ingest_apart(copy)
        broken = load_project(copy)
        after = store_of(broken).current()
        same = _answers(broken) == answers
    say(f"the gate: {'red' if refused.returncode else 'GREEN (it should not be)'}")
    for line in (refused.stdout + refused.stderr).strip().splitlines()[-6:]:
        say(f"  {line}")
    unchanged = after is not None and after.number == release.number and after.digest == release.digest
    say(f"release: {release.number} before, {after.number if after else '-'} after, {'un' * unchanged}changed")
    say(f"answers: {'the same' if same else 'DIFFERENT'}")
    if not (refused.returncode and unchanged and same):
        raise typer.Exit(1)


def _copy_project(project: "Project", copy: Path) -> None:
    shutil.copytree(project.root / "evals", copy / "evals")
    shutil.copytree(Path(project.state_url), copy / ".rag-assets", ignore=NOT_COPIED)
    for name in PROJECT_FILES[1:]:
        shutil.copy2(project.root / name, copy / name)
    written = (project.root / PROJECT_FILES[0]).read_text(encoding="utf-8")
    (copy / PROJECT_FILES[0]).write_text(written + BROKEN, encoding="utf-8")


def _ingest_apart(copy: Path) -> "subprocess.CompletedProcess[str]":
    """In a process of its own: a code location serves one project."""
    import os

    environment = {
        **os.environ,
        "RAG_ASSETS_PROJECT": str(copy),
        "DAGSTER_HOME": str(copy),
        "RAG_ASSETS_DAGSTER_STORAGE": str(copy / ".rag-assets" / "dagster"),
    }
    command = [sys.executable, "-m", "rag_assets.cli.main", "ingest", "--project", str(copy)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
