"""The judge a stage calls: scores of its own suite over what it just made for one partition.

Holds: `stage_judge` and the view of a single stage as a corpus.
Add here: a score that one stage alone can be held to.
Never here: scores of the whole release (judgement.py), counts (ingest).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from rag_assets.evaluation.cases import Case, CaseSet
from rag_assets.evaluation.counted import Counter, counts_of
from rag_assets.evaluation.evaluate import state_of
from rag_assets.evaluation.expectations import Suite
from rag_assets.evaluation.metrics import mean
from rag_assets.evaluation.outcomes import SourceState, SuiteRun
from rag_assets.evaluation.statement_quality import RULES_VERSION, quality_counts, share, summed
from rag_assets.evaluation.suites import SuiteRequest, run_suites
from rag_assets.ingest import contents
from rag_assets.ingest.order import CHUNKS, INDEX, INDEX_FOLDER, LOOKUP, NORMALIZED, PARSED, RAW, WAREHOUSE_FILE
from rag_assets.model.chunk import Chunk, ChunkKind
from rag_assets.model.corpus import Answer, LookupFault, LookupResult, Passage
from rag_assets.model.document import Block, BlockId, BlockKind, Counts, Document
from rag_assets.model.score import Score
from rag_assets.model.statement import Statement
from rag_assets.model.table import Normalized
from rag_assets.settings import Project
from rag_assets.store import Store

QUALITY_SAMPLE = 500
RANKED = ("hit@1", "hit@5", "mrr@10")


class View(Protocol):
    """What ingest hands over: the files a stage wrote for one partition."""

    @property
    def partition(self) -> str: ...

    @property
    def collection(self) -> str: ...

    @property
    def scope(self) -> str: ...

    @property
    def stage(self) -> str: ...

    def path(self, name: str) -> Path: ...


StageJudge = Callable[[View], dict[str, Score]]


def stage_judge(
    project: Project, cases: CaseSet, *, store: Store | None = None, today: date | None = None
) -> StageJudge:
    """A judge for `run_stage`. A case counts for a partition when all its sources are of that collection and its
    scopes see it; a sharded collection's structural cases count for the shard that holds the source.
    With a store, what was counted of a document is not counted again.
    """
    return partial(_judge, project, cases, store, today or date.today())


def _judge(project: Project, cases: CaseSet, store: Store | None, today: date, view: View) -> dict[str, Score]:
    own = _cases_of(view, project, cases)
    scorer = _SCORES[view.stage]
    return scorer(_Bench(view=view, project=project, cases=own, store=store, today=today))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    view: View
    project: Project
    cases: tuple[Case, ...]
    store: Store | None
    today: date

    def counts(self, payloads: Mapping[str, str], count: Counter) -> list[Counts]:
        """What is counted of each document of this stage and partition."""
        return counts_of(self.store, f"{self.view.partition}/{self.view.stage}", RULES_VERSION, payloads, count)

    def run(self, suites: Iterable[Suite], corpus: "_StageCorpus") -> SuiteRun:
        """Only cases whose sources this shard holds, where the stage can tell."""
        wanted = frozenset(suites)
        chosen = tuple(case for case in self.cases if case.suite in wanted and corpus.holds(case))
        return run_suites(
            SuiteRequest(
                cases=chosen,
                corpus=lambda _scopes: corpus,
                sources=corpus.states,
                scopes_of={self.view.collection: self.view.scope},
                default_scopes=frozenset({self.view.scope}),
                context_words=self.project.settings.model.context_words,
                budget_s=self.project.settings.eval_budget_s,
                today=self.today,
                explain=False,
            )
        )


def _cases_of(view: View, project: Project, cases: CaseSet) -> tuple[Case, ...]:
    def concerns(case: Case) -> bool:
        here = bool(case.sources) and all(source.split("/", 1)[0] == view.collection for source in case.sources)
        asked_by = case.scopes
        if asked_by is None and case.suite in {"retrieval", "answers", "lookup"}:
            asked_by = project.file.default_scopes
        return here and case.split != "held_out" and (asked_by is None or view.scope in asked_by)

    return tuple(case for case in cases.cases if concerns(case))


@dataclass(frozen=True, kw_only=True)
class _StageCorpus:
    """As much of a corpus as one stage knows; the rest is empty, and its suites are not run."""

    view: View
    documents: Mapping[str, Normalized] = field(default_factory=dict)
    pieces: tuple[Chunk, ...] = ()
    states: Mapping[str, SourceState] = field(default_factory=dict)
    find: Callable[..., tuple[Passage, ...]] = lambda *_args, **_options: ()
    call: Callable[..., LookupResult | LookupFault] | None = None

    def holds(self, case: Case) -> bool:
        return not self.states or all(source in self.states for source in case.sources)

    def search(self, query: str, k: int = 10, words: int | None = None) -> tuple[Passage, ...]:
        return self.find(query, k=k, words=words)

    def lookup(
        self, tool: str, arguments: Mapping[str, object], today: date | None = None
    ) -> LookupResult | LookupFault:
        if self.call is None:
            return LookupFault(code="unknown_tool", message=tool)
        return self.call(tool, arguments, today or date.today())

    def ask(self, question: str, *, today: date | None = None) -> Answer:
        raise NotImplementedError(f"no stage answers: {question} ({today})")

    def document(self, source: str) -> Document | None:  # noqa: ARG002 a stage does not look back at what was read
        return None

    def normalized(self, source: str) -> Normalized | None:
        return self.documents.get(source)

    def prose_statements(self, source: str) -> tuple[Statement, ...]:  # noqa: ARG002 made after this stage
        return ()

    def chunks(self, source: str | None = None) -> Iterator[Chunk]:
        return (chunk for chunk in self.pieces if source in {None, chunk.source})


def _raw_scores(bench: _Bench) -> dict[str, Score]:
    """Share of the cases' sources of this collection that are here and readable; a shard tells only of its own."""
    here = {row.source for row in contents.rows(bench.view) if row.status == "ok"}
    wanted = {source for case in bench.cases for source in case.sources if case.expect.status != "quarantined"}
    if "/" in bench.view.partition:
        wanted &= {row.source for row in contents.rows(bench.view)}
    return {"source_recall": share(len(wanted & here), len(wanted))}


def _parsed_scores(bench: _Bench) -> dict[str, Score]:
    wanted = {source for case in bench.cases if case.suite == "parse" for source in case.sources}
    balanced = bench.counts(
        _payloads(bench.view),
        lambda fresh: ((s, {"balanced": int(_cells_balance(d))}) for s, d in contents.documents(bench.view, fresh)),
    )
    named = contents.documents(bench.view, wanted) if wanted else ()
    corpus = _StageCorpus(
        view=bench.view,
        documents={source: _as_read(document) for source, document in named},
        states=_states(bench.view),
    )
    scores = bench.run(("parse",), corpus).scores
    return {"parse/cells_balanced": mean([float(found["balanced"]) for found in balanced]), **scores}


def _normalized_scores(bench: _Bench) -> dict[str, Score]:
    """Quality over a stable sample of the documents: decoding all of a large partition for one edit is not worth it."""
    wanted = {source for case in bench.cases if case.suite in {"tables", "statements"} for source in case.sources}
    served = _payloads(bench.view)
    sample = {*sorted(served, key=lambda source: sha256(source.encode()).digest())[:QUALITY_SAMPLE], *wanted}
    counts = bench.counts(
        {source: payload for source, payload in served.items() if source in sample},
        lambda fresh: ((s, _normalized_counts(d)) for s, d in contents.normalized(bench.view, fresh)),
    )
    named = dict(contents.normalized(bench.view, wanted)) if wanted else {}
    quality = summed(counts)
    left_out = len(served) - len(counts)
    corpus = _StageCorpus(view=bench.view, documents=named, states=_states(bench.view))
    return {
        "account/balanced": mean([float(found["balanced"]) for found in counts], unscored=left_out),
        **quality.tables.scores(left_out),
        **quality.statements.scores(left_out),
        **bench.run(("tables", "statements"), corpus).scores,
    }


def _normalized_counts(document: Normalized) -> Counts:
    return {"balanced": int(document.account.balanced), **quality_counts(document)}


def _payloads(view: View) -> dict[str, str]:
    """Served sources, with the hash of what this stage made of each."""
    return {row.source: row.payload_hash for row in contents.rows(view) if row.payload_hash is not None}


def _chunk_scores(bench: _Bench) -> dict[str, Score]:
    wanted = {source for case in bench.cases if case.suite == "chunks" for source in case.sources}
    pieces = tuple(contents.chunks(bench.view, wanted)) if wanted else ()
    corpus = _StageCorpus(view=bench.view, pieces=pieces, states=_states(bench.view))
    return dict(bench.run(("chunks",), corpus).scores)


def _lookup_scores(bench: _Bench) -> dict[str, Score]:
    if not any(case.suite == "lookup" for case in bench.cases):
        return {}
    from rag_assets.lookup.tools import open_toolbox

    toolbox = open_toolbox([(bench.view.partition, bench.view.path(WAREHOUSE_FILE))])
    return dict(bench.run(("lookup",), _StageCorpus(view=bench.view, call=toolbox.call)).scores)


def _index_scores(bench: _Bench) -> dict[str, Score]:
    """Retrieval over this partition alone, also by the kind of the first right passage."""
    if not any(case.suite == "retrieval" for case in bench.cases):
        return {}
    from rag_assets.retrieval.search import open_searcher

    folder = bench.view.path(INDEX_FOLDER)
    searcher = open_searcher([(bench.view.partition, folder)], bench.project.settings.retrieval)
    run = bench.run(("retrieval",), _StageCorpus(view=bench.view, find=searcher.search))
    scores = {
        f"retrieval/{name}": run.scores[f"retrieval/{name}"] for name in RANKED if f"retrieval/{name}" in run.scores
    }
    for kind in ChunkKind:
        sliced = run.slices.get(f"kind:{kind.value}", {})
        scores |= {
            f"retrieval/{kind.value}/{name}": sliced[f"retrieval/{name}"]
            for name in RANKED
            if f"retrieval/{name}" in sliced
        }
    return scores


_SCORES: Mapping[str, Callable[[_Bench], dict[str, Score]]] = {
    RAW: _raw_scores,
    PARSED: _parsed_scores,
    NORMALIZED: _normalized_scores,
    CHUNKS: _chunk_scores,
    LOOKUP: _lookup_scores,
    INDEX: _index_scores,
}


def _states(view: View) -> dict[str, SourceState]:
    return {row.source: state_of(row.entry(view.partition)) for row in contents.rows(view)}


def _cells_balance(document: Document) -> bool:
    found = sum(len(grid.cells) for grid in document.grids)
    return document.cells_in == found + sum(document.cells_dropped.values())


def _as_read(document: Document) -> Normalized:
    """Blocks as they are, and the cells of a grid as one block, so that their text can be sought."""
    grids = {grid.id: "\n".join(cell.text for cell in grid.cells if not cell.hidden) for grid in document.grids}
    cells = tuple(Block(id=BlockId(f"cells-{key}"), kind=BlockKind.GRID, text=text) for key, text in grids.items())
    return Normalized(blocks=(*document.blocks, *cells))
