"""What a rule is worth: the same documents and cases with the rule and without it.

Holds: `ablate`, `build_contents` over a state of its own.
Add here: another switch that can be ablated.
Never here: the comparison (compare.py).
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import UsageError
from rag_assets.evaluation.cases import load_cases
from rag_assets.evaluation.compare import Comparison, compare_runs
from rag_assets.evaluation.evaluate import Contents, evaluate
from rag_assets.evaluation.outcomes import SuiteRun
from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.order import NORMALIZED, STAGES
from rag_assets.ingest.stages import IngestOptions, run_stage
from rag_assets.model.document import Counts
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from rag_assets.settings import Project, RetrievalSettings, RuleSettings
from rag_assets.store import Store

RETRIEVAL_SWITCHES = frozenset(name for name, value in RetrievalSettings().model_dump().items() if value is True)
SWITCHES = frozenset(RuleSettings.model_fields) | RETRIEVAL_SWITCHES


class Built(NamedTuple):
    contents: Contents
    counts: Counts


class Ablation(NamedTuple):
    """`comparison` is with the rule → without it. `firings`: how often the rule fired over all documents."""

    rule: str
    comparison: Comparison
    firings: int | None


def ablate(project: Project, rules: Iterable[str], folder: Path) -> tuple[Ablation, ...]:
    """Build everything anew under `folder`, once as it is and once without each rule. Raises UsageError for an unknown
    rule."""
    chosen = tuple(rules)
    unknown = [rule for rule in chosen if rule not in SWITCHES]
    if unknown:
        raise UsageError(f"no rule {unknown[0]!r}: known are {', '.join(sorted(SWITCHES))}")
    whole, counts = _evaluated(project, folder / "with")
    found = []
    for rule in chosen:
        run, _ = _evaluated(without(project, rule), folder / f"without-{rule}")
        found.append(Ablation(rule, compare_runs(whole, run), counts.get(f"rule.{rule}")))
    return tuple(found)


def without(project: Project, rule: str) -> Project:
    """The project with one switch off."""
    settings = project.settings
    part = "retrieval" if rule in RETRIEVAL_SWITCHES else "rules"
    changed = getattr(settings, part).model_copy(update={rule: False})
    return _with(project, {"settings": settings.model_copy(update={part: changed})})


def build_contents(project: Project, store: Store) -> Built:
    """All stages over all partitions of the project into this store; nothing is published."""
    counts: Counts = {}
    with WorkerPool(ReadLimits.of(project.settings.limits)) as pool:
        for stage in STAGES:
            options = IngestOptions()
            for partition in project.partitions:
                outcome = run_stage(project, store, partition, stage, pool=pool, options=options)
                if stage == NORMALIZED:
                    for name, count in outcome.counts.items():
                        counts[name] = counts.get(name, 0) + count
    return Built(Contents.of(make_candidate(project, store, "ablation")), counts)


def _evaluated(project: Project, state: Path) -> tuple[SuiteRun, Counts]:
    apart = _with(project, {"state": str(state)})
    store = Store(apart.state_url)
    built = build_contents(apart, store)
    return evaluate(apart, store, built.contents, load_cases(apart.evals).cases), built.counts


def _with(project: Project, changes: dict[str, object]) -> Project:
    return project._replace(file=project.file.model_copy(update=changes))
