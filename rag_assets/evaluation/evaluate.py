"""Evaluating what lies in a store: a candidate or a release, over all scopes its cases name.

Holds: `evaluate`, `Contents`, sources as the gate sees them.
Add here: another thing that can be evaluated.
Never here: judging the outcome (gate.py).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING

from rag_assets.corpus import Corpus
from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.gate import is_stale
from rag_assets.evaluation.memory import Memory, accepted_days, newest
from rag_assets.evaluation.outcomes import SourceState, SuiteRun
from rag_assets.evaluation.suites import CorpusForScopes, SuiteRequest, run_suites
from rag_assets.model.chunk import Chunk
from rag_assets.model.corpus import Answer, LookupFault, LookupResult, Passage
from rag_assets.model.document import Document
from rag_assets.model.statement import Statement
from rag_assets.model.table import Normalized
from rag_assets.settings import Project
from rag_assets.store import Candidate, PartitionRelease, Release, SourceEntry, Store

if TYPE_CHECKING:
    from rag_assets.answering.model_client import ModelClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Segments that are served together, and the documents in them."""

    partitions: Mapping[str, PartitionRelease]
    entries: tuple[SourceEntry, ...]
    sources: Mapping[str, SourceState]

    @classmethod
    def of(cls, served: Candidate | Release) -> "Contents":
        states = {entry.source: state_of(entry, served.partitions[entry.partition].scope) for entry in served.sources}
        return cls(partitions=served.partitions, entries=served.sources, sources=states)


def state_of(entry: SourceEntry, scope: str = "") -> SourceState:
    """`version` is of what is served and to whom: a document that keeps its last good version has not changed, one of
    another scope has."""
    version = sha256("\0".join((entry.served_sha256 or entry.sha256, entry.override or "", scope)).encode()).hexdigest()
    return SourceState(source=entry.source, version=version, status=entry.status, reason=entry.reason)


def evaluate(
    project: Project,
    store: Store,
    contents: Contents,
    cases: Iterable[Case],
    memories: Sequence[Memory] = (),
    *,
    baseline: Memory | None = None,
    held_out: bool = False,
    budget_s: float | None = None,
    today: date | None = None,
    model: "ModelClient | None" = None,
) -> SuiteRun:
    """Outcomes and scores of all regular and calibration cases, or of the held-out ones alone."""
    chosen = tuple(case for case in cases if (case.split == "held_out") == held_out)
    day = today or date.today()
    days = _days(memories, baseline)

    def stale(case: Case, retrieved: Iterable[str]) -> bool:
        return is_stale(case, retrieved, memories, contents.sources)

    return run_suites(
        SuiteRequest(
            cases=chosen,
            corpus=corpora_of(project, store, contents, model),
            sources=contents.sources,
            scopes_of={part.collection: part.scope for part in contents.partitions.values()}
            | {collection.name: collection.scope for collection in project.collections},
            default_scopes=frozenset(project.file.default_scopes),
            context_words=project.settings.model.context_words,
            budget_s=budget_s,
            today=day,
            days=days,
            stale=stale,
            guards=frozenset(case.id for case in chosen if _guards(case, memories)),
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A corpus whose answers come from `model`, or from the extractive answerer: never from what the environment says,
    so that a gate says the same everywhere."""

    corpus: Corpus
    model: "ModelClient | None" = None

    def search(self, query: str, k: int = 10, words: int | None = None) -> tuple[Passage, ...]:
        return self.corpus.search(query, k=k, words=words)

    def lookup(
        self, tool: str, arguments: Mapping[str, object], today: date | None = None
    ) -> LookupResult | LookupFault:
        return self.corpus.lookup(tool, arguments, today)

    def ask(self, question: str, *, today: date | None = None) -> Answer:
        from rag_assets.answering.answer import answer_question

        day = today or date.today()
        return answer_question(question, self.corpus, self.corpus.settings, self.model, day)

    def document(self, source: str) -> Document | None:
        return self.corpus.document(source)

    def normalized(self, source: str) -> Normalized | None:
        return self.corpus.normalized(source)

    def prose_statements(self, source: str) -> tuple[Statement, ...]:
        return self.corpus.prose_statements(source)

    def chunks(self, source: str | None = None) -> Iterator[Chunk]:
        return self.corpus.chunks(source)


def corpora_of(
    project: Project, store: Store, contents: Contents, model: "ModelClient | None" = None
) -> CorpusForScopes:
    """Opens what a set of scopes sees of these segments."""

    def opened(scopes: frozenset[str]) -> Seen:
        corpus = Corpus.of_partitions(project, store, contents.partitions, scopes, contents.entries)
        return Seen(corpus=corpus, model=model)

    return opened


def _guards(case: Case, memories: Sequence[Memory]) -> bool:
    found = newest(case, memories)
    return found is not None and found[0].passed


def _days(memories: Sequence[Memory], baseline: Memory | None) -> dict[str, date]:
    """The accepted day where there is one; else the day of the last run that is remembered."""
    days: dict[str, date] = {}
    for memory in memories:
        days |= accepted_days(memory)
    return days | (accepted_days(baseline) if baseline else {})
