"""Tiny corpora written out in the test: documents of one table, one record chunk a row, search by shared words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.matching import words
from rag_assets.evaluation.outcomes import SourceState
from rag_assets.evaluation.suites import SuiteRequest
from rag_assets.model.chunk import Chunk, ChunkId, ChunkKind
from rag_assets.model.corpus import Answer, Citation, LookupFault, LookupResult, Passage, ToolCall
from rag_assets.model.document import Block, BlockId, BlockKind, Document, GridId
from rag_assets.model.statement import Statement
from rag_assets.model.table import Column, Normalized, Row, RowKind, Table, TableCell, TableId


def cell(column: int, text: str, address: str, value: float | None = None, unit: str | None = None) -> TableCell:
    return TableCell(column, text, value, unit, 1, False, address)


def table_of(headings: list[str], rows: list[tuple[str, list[str]]], caption: tuple[str, ...] = ()) -> Table:
    """Rows as (`A › B`, cell texts)."""
    return Table(
        id=TableId("t1"),
        grid=GridId("table-1"),
        ordinal=0,
        caption=caption,
        columns=tuple(Column(index=n + 1, path=(name,) if name else ()) for n, name in enumerate(headings)),
        rows=tuple(
            Row(
                path=tuple(path.split(" › ")),
                kind=RowKind.DATA,
                cells=tuple(cell(c + 1, text, f"#table-1!r{r + 2}c{c + 2}") for c, text in enumerate(texts)),
            )
            for r, (path, texts) in enumerate(rows)
        ),
    )


def document_of(*tables: Table, prose: tuple[str, ...] = ()) -> Normalized:
    blocks = tuple(Block(id=BlockId(f"b{n}"), kind=BlockKind.PROSE, text=text) for n, text in enumerate(prose))
    return Normalized(tables=tables, blocks=blocks)


def chunks_of(source: str, document: Normalized) -> tuple[Chunk, ...]:
    texts = [(ChunkKind.PROSE, block.text, ()) for block in document.blocks]
    for table in document.tables:
        names = {column.index: column.heading for column in table.columns}
        texts += [
            (
                ChunkKind.RECORD,
                " ".join((*table.caption, *row.path, *(f"{names[c.column]}: {c.text}" for c in row.cells))),
                tuple(c.address for c in row.cells),
            )
            for row in table.rows
        ]
    return tuple(
        Chunk(
            id=ChunkId(f"{source}#{n}"), kind=kind, source=source, sha256="", text=text, tokens=1, order=n, addresses=at
        )
        for n, (kind, text, at) in enumerate(texts)
    )


@dataclass(kw_only=True)
class TinyCorpus:
    """`answers` by question; every other question is declined. `lost`: a chunk text that search does not find.
    `pieces`: chunks made elsewhere. `read`: documents as their readers found them."""

    documents: dict[str, Normalized]
    read: dict[str, Document] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    results: dict[str, LookupResult | LookupFault] = field(default_factory=dict)
    lost: str | None = None
    pieces: tuple[Chunk, ...] | None = None
    days: list[date | None] = field(default_factory=list)

    def chunks(self, source: str | None = None) -> Iterator[Chunk]:
        if self.pieces is not None:
            yield from (chunk for chunk in self.pieces if source in {None, chunk.source})
            return
        for name, document in self.documents.items():
            if source in {None, name}:
                yield from chunks_of(name, document)

    def document(self, source: str) -> Document | None:
        return self.read.get(source)

    def prose_statements(self, source: str) -> tuple[Statement, ...]:
        return ()

    def normalized(self, source: str) -> Normalized | None:
        return self.documents.get(source)

    def search(self, query: str, k: int = 10, words: int | None = None) -> tuple[Passage, ...]:
        scored = [
            (shared(query, chunk.text), chunk)
            for chunk in self.chunks()
            if not self.lost or self.lost not in chunk.text
        ]
        best = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].id))[:k]
        return tuple(passage(rank, chunk) for rank, (_, chunk) in enumerate(best, start=1))

    def lookup(
        self,
        tool: str,
        arguments: Mapping[str, object],
        today: date | None = None,
    ) -> LookupResult | LookupFault:
        self.days.append(today)
        return self.results.get(tool, LookupFault(code="unknown_tool", message=tool))

    def ask(self, question: str, *, today: date | None = None) -> Answer:
        self.days.append(today)
        return self.answers.get(question, Answer(status="declined", answer="", release="", reason="not_found"))


def shared(query: str, text: str) -> int:
    return len(words(query) & words(text))


def passage(rank: int, chunk: Chunk) -> Passage:
    return Passage(
        rank=rank,
        score=1 / rank,
        chunk=chunk.id,
        kind=chunk.kind.value,
        collection=chunk.source.split("/")[0],
        source=chunk.source,
        sha256="",
        heading_path=(),
        addresses=chunk.addresses,
        text=chunk.text,
    )


def answered(text: str, *citations: tuple[str, str], tools: tuple[str, ...] = ()) -> Answer:
    return Answer(
        status="answered",
        answer=text,
        release="",
        citations=tuple(Citation(source=source, address=address, text=text) for source, address in citations),
        tool_calls=tuple(ToolCall(tool=tool, arguments={}, complete=True) for tool in tools),
    )


def result(rows: list[dict[str, object]], units: dict[str, str] | None = None) -> LookupResult:
    return LookupResult(
        tool="lookup_fares",
        rows=tuple(rows),  # ty: ignore[invalid-argument-type]
        row_count=len(rows),
        matched_rows=40,
        table_rows=40,
        complete=True,
        units=units or {},
        scales={},
        as_of=None,
        not_yet_in_force=0,
        expired=0,
        ignored_nulls={},
        loaded_at=None,
        source="transit/fares.html",
        addresses=("'Fares'!C2:C41",),
    )


def case_of(suite: str, expect: dict[str, object], **given: object) -> Case:
    content = {"id": "c1", "suite": suite, "sources": ["transit/fares.html"], "expect": expect, **given}
    return Case.model_validate(content)


def states(**versions: str) -> dict[str, SourceState]:
    return {name.replace("__", "/"): SourceState(source=name, version=version) for name, version in versions.items()}


FARES = document_of(
    table_of(["Fare", "Valid"], [("Adult › Woodland", ["$3.00", "today"]), ("Adult › Winters", ["$2.00", "today"])]),
    prose=("Refunds are paid within 30 days.",),
)


def request_of(*cases: Case, corpus: TinyCorpus | None = None, **given: object) -> SuiteRequest:
    subject = corpus or TinyCorpus(documents={"transit/fares.html": FARES})
    fixed = {
        "cases": cases,
        "corpus": lambda _scopes: subject,
        "sources": {"transit/fares.html": SourceState(source="transit/fares.html", version="v1")},
        "scopes_of": {"transit": "public"},
        "default_scopes": frozenset({"public"}),
        "today": date(2026, 11, 30),
    }
    return SuiteRequest(**(fixed | given))  # ty: ignore[invalid-argument-type]
