"""`eval judge`: the answers suite through the configured model, and the model as a second judge.

Holds: the command and what it prints.
Add here: another evaluation that needs a model.
Never here: the gate; nothing here blocks a release.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag_assets.cli.evaluation import evals
from rag_assets.cli.options import AsJson, ProjectFolder, Quiet
from rag_assets.cli.project_here import project_here, store_of
from rag_assets.errors import InputError, UsageError

if TYPE_CHECKING:
    from rag_assets.answering.model_client import ModelClient
    from rag_assets.evaluation.llm_judge import Agreement, Ruling
    from rag_assets.evaluation.outcomes import SuiteRun
    from rag_assets.settings import Project

SHOWN = 20


@evals.command("judge", epilog="Example: rag-assets eval judge --labels labels.yaml")
def judge(
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="YAML `case: true|false` by a person; default: the deterministic verdicts."),
    ] = None,
    extractive: Annotated[
        bool, typer.Option("--extractive", help="Judge the extractive answers instead of the model's own.")
    ] = False,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,
) -> None:
    """Answers through the configured model, judged twice: by rule and by the model. Never blocks a release.

    Exit status 1 where an answer is wrong or unsupported by rule.
    """
    from rag_assets.answering.model_client import ModelUnavailable
    from rag_assets.cli.output import note, print_json
    from rag_assets.evaluation.llm_judge import agreement_of, deterministic_labels, rulings_of
    from rag_assets.evaluation.outcomes import AnswerOutcome
    from rag_assets.evaluation.standing import standing

    here = project_here(project)
    store = store_of(here)
    model = _model_of(here)
    known = _labels_of(labels) if labels else None
    try:
        found = standing(here, store, remembered=False, model=None if extractive else model, suite="answers")
        note(f"{len(found.run.outcomes)} answers, judged by {model.name} ...", quiet)
        rulings = rulings_of(found.cases.cases, found.run.outcomes, model, store)
    except ModelUnavailable as error:
        raise InputError(f"{error}: nothing was judged; what was judged before is kept") from None
    agreement = agreement_of(rulings, deterministic_labels(found.run.outcomes) if known is None else known)
    wrong = {AnswerOutcome.WRONG, AnswerOutcome.UNSUPPORTED}
    if as_json:
        answers = [
            {"case": o.case, "verdict": o.verdict, "outcome": o.outcome, "answer": o.answer} for o in found.run.outcomes
        ]
        shares = {**agreement._asdict(), "share": agreement.share}
        print_json({"answers": answers, "rulings": rulings, "agreement": shares, "scores": found.run.scores})
    else:
        _print(found.run, rulings, agreement, "labels" if known is not None else "deterministic verdicts")
    if any(one.outcome in wrong for one in found.run.outcomes):
        raise typer.Exit(1)


def _print(run: "SuiteRun", rulings: "tuple[Ruling, ...]", agreement: "Agreement", of: str) -> None:
    from rag_assets.cli.evaluation import print_scores
    from rag_assets.cli.output import print_table, say

    print_scores(run)
    verdicts = {one.case: one.verdict == "passed" for one in run.outcomes}
    apart = [one for one in rulings if one.passed is not None and one.passed != verdicts[one.case]]
    if apart:
        rows = [(one.case, "pass" if one.passed else "fail", one.why[:100]) for one in apart[:SHOWN]]
        print_table(("case", "the model says", "why"), rows)
    share = "none" if agreement.share is None else f"{agreement.share:.1%}"
    kappa = "" if agreement.kappa is None else f", kappa {agreement.kappa:.2f}"
    say(f"agrees with the {of} on {share} of {agreement.n} cases{kappa}; {agreement.unscored} without a usable ruling")


def _model_of(project: "Project") -> "ModelClient":
    from rag_assets.answering.model_client import ModelClient

    model = ModelClient.from_environment(project.settings.model)
    if model is None:
        raise UsageError("no model is configured: set OPENAI_API_KEY or OPENAI_BASE_URL, and settings.model.name")
    return model


def _labels_of(path: Path) -> dict[str, bool]:
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(content, dict) or not all(isinstance(value, bool) for value in content.values()):
        raise UsageError(f"{path}: expected `case: true` or `case: false` lines")
    return {str(case): label for case, label in content.items()}
