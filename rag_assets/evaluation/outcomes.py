"""What came of a case, and the view of a corpus that cases are run against.

Holds: `CorpusView`, `Subject`, `Finding` (a scorer's), `CaseOutcome` (a run's), `SuiteRun`, the losses.
Add here: a fact about one case's run that gate, report or blame need.
Never here: how it is found out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Literal, Protocol

from rag_assets.evaluation.expectations import Suite
from rag_assets.model.chunk import Chunk
from rag_assets.model.corpus import Answer, LookupFault, LookupResult, Passage
from rag_assets.model.document import Document, Reason, Status
from rag_assets.model.score import Score
from rag_assets.model.statement import Statement
from rag_assets.model.table import Normalized


class Loss(StrEnum):
    """The stage that lost the answer of a failed case."""

    NOT_PARSED = "not parsed"
    LOST_IN_TABLE = "lost in the table"
    NOT_IN_CHUNK = "not in a chunk"
    RANKED_TOO_LOW = "ranked too low"
    ANSWERED_WRONG = "in the context but answered wrong"
    DECLINED_THOUGH_PRESENT = "declined though present"
    NOT_IN_LOOKUP = "not in the lookup table"


class AnswerOutcome(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    DECLINED_RIGHTLY = "declined_rightly"
    DECLINED_WRONGLY = "declined_wrongly"
    UNSUPPORTED = "unsupported"


class CorpusView(Protocol):
    """What cases need of a corpus: one set of segments, one set of scopes."""

    def search(self, query: str, k: int = 10, words: int | None = None) -> tuple[Passage, ...]: ...

    def lookup(
        self, tool: str, arguments: Mapping[str, object], today: date | None = None
    ) -> LookupResult | LookupFault: ...

    def ask(self, question: str, *, today: date | None = None) -> Answer: ...

    def document(self, source: str) -> Document | None: ...

    def normalized(self, source: str) -> Normalized | None: ...

    def prose_statements(self, source: str) -> tuple[Statement, ...]: ...

    def chunks(self, source: str | None = None) -> Iterator[Chunk]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """A source of the release under judgement. `version` changes when the document (or its override) does."""

    source: str
    version: str
    status: Status = "ok"
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What one case is run against."""

    corpus: CorpusView
    sources: Mapping[str, SourceState]
    chunks_of: Mapping[str, tuple[Chunk, ...]]
    context_words: int
    today: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a scorer found. No fault: the case passed.

    `measures` are the case's own figures (`hit@1`, `cell`); None: this one was not scored. `kind` is the chunk kind of
    the first right passage. `context` is what the answerer or the reader was shown.
    """

    faults: tuple[str, ...] = ()
    measures: Mapping[str, float | None] = field(default_factory=dict)
    rank: int | None = None
    kind: str | None = None
    retrieved: tuple[str, ...] = ()
    context: tuple[Passage, ...] = ()
    answer: Answer | None = None
    answer_outcome: AnswerOutcome | None = None


Verdict = Literal["passed", "failed", "stale", "unscored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """One case in one run. `digest` is the case's own; `day` the day it was run as of; `why` the first faults.

    A stale case was run too: `would_pass` tells what it would count as once accepted.
    """

    case: str
    digest: str
    suite: Suite
    verdict: Verdict
    day: str
    why: str = ""
    measures: dict[str, float | None] = field(default_factory=dict)
    rank: int | None = None
    kind: str | None = None
    loss: Loss | None = None
    loss_note: str = ""
    outcome: AnswerOutcome | None = None
    answer: str = ""
    would_pass: bool | None = None
    sources: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    split: str = "regular"
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """Outcomes in the order of the cases; `scores` by `suite/metric`; `slices` by slice name, then the same keys."""

    outcomes: tuple[CaseOutcome, ...]
    scores: dict[str, Score]
    slices: dict[str, dict[str, Score]]
    elapsed_s: float = 0.0
    left_out: int = 0

    def of(self, case: str) -> CaseOutcome | None:
        return next((outcome for outcome in self.outcomes if outcome.case == case), None)
