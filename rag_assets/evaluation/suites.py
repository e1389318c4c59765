"""Running cases: each against the corpus its scopes see, within a budget, into outcomes, scores and slices.

Holds: `run_suites`, `SuiteRequest`, what many findings amount to.
Add here: another slice, another figure of a whole suite.
Never here: how one case is judged (scorers/), whether a run may go live (gate.py).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256

from rag_assets.evaluation.blame import Blame, blame
from rag_assets.evaluation.cases import ASKED, Case
from rag_assets.evaluation.expectations import SUITES
from rag_assets.evaluation.metrics import mean
from rag_assets.evaluation.outcomes import (
    AnswerOutcome,
    CaseOutcome,
    CorpusView,
    Finding,
    SourceState,
    Subject,
    SuiteRun,
    Verdict,
)
from rag_assets.evaluation.scorers import SCORERS
from rag_assets.model.chunk import Chunk
from rag_assets.model.score import Score

CorpusForScopes = Callable[[frozenset[str]], CorpusView]
MAX_CONTEXT_SHOWN = 5
MAX_FAULTS = 3
MAX_FAULT_CHARACTERS = 500
_STRUCTURAL = frozenset(SUITES) - ASKED - {"lookup"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRequest:
    """What to run. `scopes_of` names each collection's scope; `days` the day a case was accepted.

    `budget_s` None: no limit. Cases that no longer fit are unscored. `stale` decides before scoring by a case's own
    sources and again after it by what it retrieved. `guards`: cases to try first. `explain`: seek the stage that
    lost each failed case.
    """

    cases: tuple[Case, ...]
    corpus: CorpusForScopes
    sources: Mapping[str, SourceState]
    scopes_of: Mapping[str, str]
    default_scopes: frozenset[str]
    context_words: int = 1500
    budget_s: float | None = None
    today: date = field(default_factory=date.today)
    days: Mapping[str, date] = field(default_factory=dict)
    stale: Callable[[Case, Iterable[str]], bool] = lambda _case, _retrieved: False
    guards: frozenset[str] = frozenset()
    explain: bool = True


def run_suites(request: SuiteRequest) -> SuiteRun:
    """All cases. Those that guard are tried first, in an order fixed by their ids, so what a short budget leaves out is
    fixed too."""
    started = time.monotonic()
    corpora = _Corpora(request)
    found: dict[str, CaseOutcome] = {}
    left_out = 0
    for case in sorted(request.cases, key=lambda one: (one.id not in request.guards, _drawn(one.id))):
        if request.budget_s is not None and time.monotonic() - started > request.budget_s:
            left_out += 1
            found[case.id] = _outcome(case, request, Finding(), "unscored", "no time left in the budget")
            continue
        found[case.id] = _run_case(case, request, corpora)
    outcomes = tuple(found[case.id] for case in request.cases)
    return SuiteRun(
        outcomes=outcomes,
        scores=scores_of(outcomes),
        slices=slices_of(outcomes),
        elapsed_s=time.monotonic() - started,
        left_out=left_out,
    )


def _drawn(case: str) -> bytes:
    return sha256(case.encode()).digest()


def scopes_of_case(case: Case, request: SuiteRequest) -> frozenset[str]:
    """Those given; for suites about a document the scope of its collection; else the default ones."""
    if case.scopes is not None:
        return frozenset(case.scopes)
    if case.suite in _STRUCTURAL:
        named = {request.scopes_of.get(source.split("/", 1)[0]) for source in case.sources}
        return frozenset(scope for scope in named if scope is not None)
    return request.default_scopes


def scores_of(outcomes: Iterable[CaseOutcome]) -> dict[str, Score]:
    """`suite/pass`, each measure of the suite's cases as `suite/measure`, and the shares of answer outcomes."""
    by_suite: dict[str, list[CaseOutcome]] = {}
    for outcome in outcomes:
        by_suite.setdefault(outcome.suite, []).append(outcome)
    scores: dict[str, Score] = {}
    for suite in (suite for suite in SUITES if suite in by_suite):
        group = by_suite[suite]
        scores[f"{suite}/pass"] = mean(_passed(one) for one in group)
        for name in dict.fromkeys(name for one in group for name in one.measures):
            scores[f"{suite}/{name}"] = mean(_measure(one, name) for one in group if name in one.measures)
        judged = [one for one in group if _is_scored(one)]
        if suite == "answers":
            for kind in AnswerOutcome:
                scores[f"answers/{kind}"] = mean(
                    (float(one.outcome is kind) for one in judged), unscored=len(group) - len(judged)
                )
    return scores


def slices_of(outcomes: tuple[CaseOutcome, ...]) -> dict[str, dict[str, Score]]:
    """By `kind:record` (of the first right passage), `collection:name` and `tag:name`."""
    groups: dict[str, list[CaseOutcome]] = {}
    for one in outcomes:
        names = [f"tag:{tag}" for tag in one.tags]
        names += [f"collection:{name}" for name in sorted({source.split("/", 1)[0] for source in one.sources})]
        names += [f"kind:{one.kind}"] if one.suite == "retrieval" and one.kind else []
        for name in names:
            groups.setdefault(name, []).append(one)
    return {name: scores_of(group) for name, group in sorted(groups.items())}


def _run_case(case: Case, request: SuiteRequest, corpora: "_Corpora") -> CaseOutcome:
    started = time.monotonic()
    subject = corpora.subject(case)
    finding = SCORERS[case.suite](case, subject)
    stale = request.stale(case, finding.retrieved)
    verdict: Verdict = "stale" if stale else "failed" if finding.faults else "passed"
    outcome = _outcome(case, request, finding, verdict, "; ".join(map(_shortened, finding.faults[:MAX_FAULTS])))
    if not finding.faults or not request.explain:
        return _timed(outcome, started)
    return _timed(outcome, started, blame(case, subject, finding))


def _outcome(case: Case, request: SuiteRequest, finding: Finding, verdict: Verdict, why: str) -> CaseOutcome:
    return CaseOutcome(
        case=case.id,
        digest=case.digest,
        suite=case.suite,
        verdict=verdict,
        day=day_of(case, request).isoformat(),
        why=why,
        measures=dict(finding.measures),
        rank=finding.rank,
        kind=finding.kind,
        outcome=finding.answer_outcome,
        answer=finding.answer.answer if finding.answer else "",
        would_pass=None if verdict == "unscored" else not finding.faults,
        sources=case.sources,
        retrieved=finding.retrieved,
        context=tuple(
            f"{passage.rank} {passage.kind} {passage.source} {' '.join(passage.addresses[:1])}: {passage.text[:240]}"
            for passage in finding.context[:MAX_CONTEXT_SHOWN]
        ),
        tags=case.tags,
        split=case.split,
    )


def _shortened(fault: str) -> str:
    return fault if len(fault) <= MAX_FAULT_CHARACTERS else f"{fault[:MAX_FAULT_CHARACTERS]}… ({len(fault)} characters)"


def _timed(outcome: CaseOutcome, started: float, lost: Blame | None = None) -> CaseOutcome:
    elapsed_s = time.monotonic() - started
    if lost is None:
        return replace(outcome, elapsed_s=elapsed_s)
    return replace(outcome, elapsed_s=elapsed_s, loss=lost.loss, loss_note=lost.note)


def day_of(case: Case, request: SuiteRequest) -> date:
    return case.as_of or request.days.get(case.id) or request.today


class _Corpora:
    """One corpus a set of scopes, opened when the first case needs it."""

    def __init__(self, request: SuiteRequest) -> None:
        self._request = request
        self._open: dict[frozenset[str], tuple[CorpusView, _ChunksOf]] = {}

    def subject(self, case: Case) -> Subject:
        scopes = scopes_of_case(case, self._request)
        if scopes not in self._open:
            corpus = self._request.corpus(scopes)
            self._open[scopes] = (corpus, _ChunksOf(corpus))
        corpus, chunks = self._open[scopes]
        return Subject(
            corpus=corpus,
            sources=self._request.sources,
            chunks_of=chunks,
            context_words=self._request.context_words,
            today=day_of(case, self._request),
        )


class _ChunksOf(Mapping[str, tuple[Chunk, ...]]):
    """Chunks by source, read when somebody asks for that source."""

    def __init__(self, corpus: CorpusView) -> None:
        self._corpus = corpus
        self._chunks: dict[str, tuple[Chunk, ...]] = {}

    def __getitem__(self, source: str) -> tuple[Chunk, ...]:
        if source not in self._chunks:
            self._chunks[source] = tuple(self._corpus.chunks(source))
        return self._chunks[source]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)


def _is_scored(outcome: CaseOutcome) -> bool:
    return outcome.verdict in {"passed", "failed"}


def _passed(outcome: CaseOutcome) -> float | None:
    return float(outcome.verdict == "passed") if _is_scored(outcome) else None


def _measure(outcome: CaseOutcome, name: str) -> float | None:
    return outcome.measures.get(name) if _is_scored(outcome) else None
