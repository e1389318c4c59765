"""Before → after: two runs of the same cases, with intervals, as a decision record needs it.

Holds: `compare_runs`, `Comparison`, its table in Markdown.
Add here: another line of that table.
Never here: making the two runs (standing.py, ablate.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np

from rag_assets.evaluation.metrics import mean
from rag_assets.evaluation.outcomes import CaseOutcome, SuiteRun

SAMPLES = 2000
HEADLINE_SLICES = 4
SEED = 20261130


class Line(NamedTuple):
    """One slice: passed of scored before and after, and the paired difference of the pass rate with its interval."""

    name: str
    before: tuple[int, int]
    after: tuple[int, int]
    low: float | None
    high: float | None

    @property
    def difference(self) -> float | None:
        if not self.before[1] or not self.after[1]:
            return None
        return self.after[0] / self.after[1] - self.before[0] / self.before[1]


class Ranked(NamedTuple):
    """A retrieval metric, over the cases scored in both runs."""

    name: str
    before: float | None
    after: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`regressed`: passed before, fails now; `mended` the reverse. `moved` counts other cases whose rank changed."""

    lines: tuple[Line, ...]
    ranked: tuple[Ranked, ...]
    regressed: tuple[str, ...]
    mended: tuple[str, ...]
    moved: int
    median_ms: tuple[float, float]

    @property
    def headline(self) -> str:
        moved = [line for line in self.lines[1:] if line.before != line.after]
        shown = (*self.lines[:1], *moved[:HEADLINE_SLICES])
        parts = [f"{line.name} {_ratio(line.before)} → {_ratio(line.after)}" for line in shown]
        return ", ".join([*parts, f"regressed: {', '.join(self.regressed)}" if self.regressed else "no regression"])


def compare_runs(before: SuiteRun, after: SuiteRun) -> Comparison:
    """Paired over the cases both runs know; only what was scored in both enters a difference."""
    then = {one.case: one for one in before.outcomes if _scored(one)}
    now = {one.case: one for one in after.outcomes if _scored(one)}
    both = [(then[case], now[case]) for case in then if case in now]
    return Comparison(
        lines=tuple(_lines(both)),
        ranked=tuple(_ranked(both)),
        regressed=tuple(a.case for a, b in both if a.verdict == "passed" and b.verdict == "failed"),
        mended=tuple(a.case for a, b in both if a.verdict == "failed" and b.verdict == "passed"),
        moved=sum(a.rank != b.rank and a.verdict == b.verdict for a, b in both),
        median_ms=(_median_ms(a for a, _ in both), _median_ms(b for _, b in both)),
    )


def comparison_markdown(comparison: Comparison, before: str, after: str) -> str:
    """The table of a decision record."""
    rows = [f"| slice | {before} | {after} | difference (95 %) |", "|---|---|---|---|"]
    for line in comparison.lines:
        rows.append(f"| {line.name} | {_ratio(line.before)} | {_ratio(line.after)} | {_interval(line)} |")
    for one in comparison.ranked:
        rows.append(f"| {one.name} | {_figure(one.before)} | {_figure(one.after)} | {_bounds(one.low, one.high)} |")
    then, now = comparison.median_ms
    rows.append(f"| median ms a case | {then:.1f} | {now:.1f} | |")
    verdict = "no regression" if not comparison.regressed else f"regressed: {', '.join(comparison.regressed)}"
    mended = f"; mended: {', '.join(comparison.mended)}" if comparison.mended else ""
    return "\n".join((*rows, "", f"{verdict}{mended}; {comparison.moved} other cases moved in rank")) + "\n"


def paired_interval(before: Sequence[float], after: Sequence[float]) -> tuple[float | None, float | None]:
    """95 % bootstrap interval of the mean difference, the same draws each time; None where nothing is paired."""
    if not before:
        return None, None
    differences = np.asarray(after, dtype=float) - np.asarray(before, dtype=float)
    draws = np.random.default_rng(SEED).integers(0, len(differences), size=(SAMPLES, len(differences)))
    means = differences[draws].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


Pairs = Sequence[tuple[CaseOutcome, CaseOutcome]]


def _lines(both: Pairs) -> Iterable[Line]:
    yield _line("all", both)
    for suite in dict.fromkeys(a.suite for a, _ in both):
        yield _line(suite, [pair for pair in both if pair[0].suite == suite])
    for tag in sorted({tag for a, _ in both for tag in a.tags}):
        yield _line(f"tag {tag}", [pair for pair in both if tag in pair[0].tags])


def _line(name: str, pairs: Pairs) -> Line:
    then = [float(a.verdict == "passed") for a, _ in pairs]
    now = [float(b.verdict == "passed") for _, b in pairs]
    low, high = paired_interval(then, now)
    return Line(name, (int(sum(then)), len(then)), (int(sum(now)), len(now)), low, high)


def _ranked(both: Pairs) -> Iterable[Ranked]:
    for name in ("hit@1", "hit@5", "mrr@10", "ndcg@10"):
        then = [a.measures.get(name) for a, _ in both]
        now = [b.measures.get(name) for _, b in both]
        paired = [(x, y) for x, y in zip(then, now, strict=True) if x is not None and y is not None]
        if paired:
            low, high = paired_interval([x for x, _ in paired], [y for _, y in paired])
            yield Ranked(name, mean(x for x, _ in paired).value, mean(y for _, y in paired).value, low, high)


def _scored(outcome: CaseOutcome) -> bool:
    return outcome.verdict in {"passed", "failed"}


def _median_ms(outcomes: Iterable[CaseOutcome]) -> float:
    times = [one.elapsed_s * 1000 for one in outcomes]
    return median(times) if times else 0.0


def _ratio(pair: tuple[int, int]) -> str:
    return f"{pair[0]}/{pair[1]}"


def _interval(line: Line) -> str:
    return "" if line.difference is None else f"{line.difference:+.3f} {_bounds(line.low, line.high)}"


def _bounds(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:+.3f}, {high:+.3f}]"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
