"""A run for people: one offline HTML page with plots, narrow Markdown tables for the orchestrator's UI.

Holds: `html_report`, `failures_markdown`, `scores_markdown`, a stratified sample of failures.
Add here: another view of a run.
Never here: computing scores (suites.py), drawing (plots.py). Held-out cases are never named.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from rag_assets.evaluation.gate import Verdict
from rag_assets.evaluation.outcomes import AnswerOutcome, CaseOutcome, SuiteRun
from rag_assets.evaluation.plots import Point, bar_plot, line_plot, scatter_plot
from rag_assets.model.score import Score

MAX_CELL = 90
MAX_FAILURES = 30
MAIN_SCORES = ("pass", "hit@1", "mrr@10", "wrong", "right", "declined_wrongly")


class PastRelease(NamedTuple):
    """A release with its scores, for the plot over time."""

    number: int
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """`before`: the run of the published release where there is one, for latency; `calibration` (floor, coverage,
    wrong answers) points of the floor curve."""

    name: str
    run: SuiteRun
    verdict: Verdict | None = None
    past: Sequence[PastRelease] = ()
    before: SuiteRun | None = None
    calibration: Sequence[Point] = ()


def html_report(request: ReportRequest) -> str:
    """The whole page; it loads nothing from anywhere."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(files("rag_assets.evaluation").joinpath("report.html.j2").read_text("utf-8"))
    verdict = request.verdict
    published = request.past[-1].scores if request.past else {}
    return template.render(
        name=request.name,
        green=verdict.green if verdict else not any(one.verdict == "failed" for one in request.run.outcomes),
        sentence=verdict.sentence if verdict else _summary(request.run),
        warnings=verdict.warnings if verdict else (),
        scores=[_score_row(name, score, published.get(name)) for name, score in request.run.scores.items()],
        plots=_plots(request),
        slices=[
            {"slice": name, "name": key, "value": shown(score), "n": score.n}
            for name, scores in request.run.slices.items()
            for key, score in scores.items()
            if key.rsplit("/", 1)[1] in MAIN_SCORES
        ],
        failures=sample_of_failures(request.run, MAX_FAILURES),
        stale=[one.case for one in request.run.outcomes if one.verdict == "stale" and one.split != "held_out"],
    )


def failures_markdown(run: SuiteRun, regressed: Iterable[str] = (), k: int = 10) -> str:
    """The most telling failures in four narrow columns: regressions, wrong answers, the others."""
    first = frozenset(regressed)
    failed = [one for one in _failures(run) if one.split != "held_out"]
    if not failed:
        return "no failed case\n"
    ordered = sorted(failed, key=lambda one: (one.case not in first, one.outcome is not AnswerOutcome.WRONG))
    rows = [f"| {one.case} | {_lost(one)} | {_cut(one.why)} | {one.rank or ''} |" for one in ordered[:k]]
    return "\n".join(("| case | lost | why | rank |", "|---|---|---|---|", *rows)) + "\n"


def scores_markdown(scores: Mapping[str, Score], before: Mapping[str, Score] | None = None) -> str:
    """Each score with its change against what is published."""
    rows = ["| score | value | change | n |", "|---|---|---|---|"]
    for name, score in scores.items():
        then = (before or {}).get(name)
        unscored = f" (+{score.unscored})" if score.unscored else ""
        rows.append(f"| {name} | {shown(score)} | {_change(score, then)} | {score.n}{unscored} |")
    return "\n".join(rows) + "\n"


def sample_of_failures(run: SuiteRun, k: int) -> tuple[CaseOutcome, ...]:
    """A stratified sample: suites and losses take turns, so that one frequent fault does not hide the others."""
    strata: dict[tuple[str, str], list[CaseOutcome]] = {}
    for one in _failures(run):
        if one.split != "held_out":
            strata.setdefault((one.suite, _lost(one)), []).append(one)
    chosen: list[CaseOutcome] = []
    while len(chosen) < k and any(strata.values()):
        chosen += [group.pop(0) for group in strata.values() if group]
    return tuple(chosen[:k])


def shown(score: Score | None) -> str:
    """A score that was not scored is a dash, never 0."""
    return "–" if score is None or score.value is None else f"{score.value:.3f}"


def _plots(request: ReportRequest) -> list[dict[str, str | Markup]]:
    drawn = (
        (_over_releases(request), "Scores over releases"),
        (_by_kind(request.run), "Retrieval by kind of the first right passage"),
        (_latency(request), "Milliseconds a case: half and nine tenths are faster"),
        (_abstention(request), "Declined share (x) against right share of the answered (y)"),
    )
    return [{"svg": Markup(svg), "caption": caption} for svg, caption in drawn]


def _over_releases(request: ReportRequest) -> str:
    names = [name for name in request.run.scores if name.endswith(("/pass", "/hit@1"))][:8]
    series = {}
    for name in names:
        points = [
            Point(past.number, score.value, str(past.number))
            for past in request.past
            if (score := past.scores.get(name)) is not None and score.value is not None
        ]
        now = request.run.scores[name].value
        if now is not None:
            points.append(Point((request.past[-1].number if request.past else 0) + 1, now, "now"))
        if points:
            series[name] = points
    return line_plot(series, title="Scores over releases")


def _by_kind(run: SuiteRun) -> str:
    groups = {}
    for name, scores in run.slices.items():
        if name.startswith("kind:"):
            values = {
                key: scores[f"retrieval/{key}"].value
                for key in ("hit@1", "hit@5", "mrr@10")
                if f"retrieval/{key}" in scores
            }
            groups[name.removeprefix("kind:")] = {key: value for key, value in values.items() if value is not None}
    return bar_plot(groups, title="Retrieval by chunk kind")


def _latency(request: ReportRequest) -> str:
    runs = {"before": request.before, "after": request.run} if request.before else {"now": request.run}
    groups: dict[str, dict[str, float]] = {}
    for name, run in runs.items():
        times = sorted(one.elapsed_s * 1000 for one in (run.outcomes if run else ()))
        if times:
            groups[name] = {"median": times[len(times) // 2], "p90": times[min(len(times) - 1, len(times) * 9 // 10)]}
    high = max((value for values in groups.values() for value in values.values()), default=1.0)
    return bar_plot(groups, high=high, title="Latency", unit=" ms")


def _abstention(request: ReportRequest) -> str:
    """The calibration curve where there is one; else a point a tag of the answers suite."""
    if request.calibration:
        return scatter_plot(request.calibration, title="Abstention against coverage")
    points = []
    for name, scores in request.run.slices.items():
        right, wrong = scores.get("answers/right"), scores.get("answers/wrong")
        if right is None or wrong is None or right.value is None or wrong.value is None:
            continue
        answered = right.value + wrong.value
        if answered:
            points.append(Point(1 - answered, right.value / answered, f"{name} ({right.n})"))
    return scatter_plot(points, title="Abstention against coverage")


def _score_row(name: str, score: Score, before: Score | None) -> dict[str, object]:
    return {
        "name": name,
        "value": shown(score),
        "before": shown(before),
        "change": _change(score, before),
        "n": score.n,
        "unscored": score.unscored,
    }


def _change(score: Score, before: Score | None) -> str:
    if before is None or before.value is None or score.value is None:
        return ""
    difference = score.value - before.value
    return f"{difference:+.3f}" if abs(difference) >= 0.0005 else "0"


def _summary(run: SuiteRun) -> str:
    count = {
        verdict: sum(one.verdict == verdict for one in run.outcomes)
        for verdict in ("passed", "failed", "stale", "unscored")
    }
    return ", ".join(f"{number} {verdict}" for verdict, number in count.items() if number)


def _failures(run: SuiteRun) -> Iterable[CaseOutcome]:
    return (one for one in run.outcomes if one.verdict == "failed")


def _lost(outcome: CaseOutcome) -> str:
    return outcome.loss.value if outcome.loss else ""


def _cut(text: str) -> str:
    plain = " ".join(text.replace("|", "\\|").split())
    return plain if len(plain) <= MAX_CELL else plain[: MAX_CELL - 1] + "…"
