"""Thirty constructed losses: six stages in five formats, each named rightly."""

from dataclasses import replace
from pathlib import Path

import pytest
import xlsxwriter

from rag_assets.chunking.document import chunk_document
from rag_assets.chunking.settings import ChunkSettings
from rag_assets.evaluation.outcomes import CaseOutcome, Loss, SourceState
from rag_assets.evaluation.suites import run_suites
from rag_assets.model.corpus import LookupFault, LookupResult
from rag_assets.model.table import Normalized, Row, Table
from rag_assets.readers.formats import read_document
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules
from tests.evaluation.tiny import TinyCorpus, answered, case_of, document_of, request_of, table_of

FORMATS = ("html", "md", "csv", "xlsx", "txt")
LIMITS = ReadLimits(cpu_s=20, wall_s=60, memory_mb=2048, output_mb=64, cells=10_000, pages=100, file_mb=10)
ROWS = [("Item", "Pieces", "Shelf"), ("Rope", "140", "A1"), ("Anchor", "12", "B7"), ("Buoy", "33", "C2")]
QUESTION = "how many pieces of Rope"
WANTED = {"must_contain": ["Rope", "140"]}


def written(folder: Path, name: str, rows: list[tuple[str, ...]]) -> Path:
    path = folder / f"yard.{name}"
    if name == "xlsx":
        with xlsxwriter.Workbook(path) as book:
            sheet = book.add_worksheet("Yard")
            for n, row in enumerate(rows):
                sheet.write_row(n, 0, [int(text) if text.isdigit() else text for text in row])
        return path
    makers = {
        "html": lambda: "<table>" + "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows) + "</table>",
        "md": lambda: "\n".join(
            [f"| {' | '.join(rows[0])} |", "|---|---|---|", *(f"| {' | '.join(r)} |" for r in rows[1:])]
        ),
        "csv": lambda: "\n".join(",".join(row) for row in rows) + "\n",
        "txt": lambda: "\n\n".join(f"{row[0]} has {row[1]} pieces on shelf {row[2]}." for row in rows[1:]),
    }
    path.write_text(makers[name](), encoding="utf-8")
    return path


def understood(path: Path) -> Normalized:
    return normalize_document(read_document(path, f"stock/{path.name}", LIMITS), Rules())


def torn(document: Normalized) -> Normalized:
    """The figures of the rows, or the halves of the sentences, exchanged."""

    def of_table(table: Table) -> Table:
        def with_cells(row: Row, other: Row) -> Row:
            return replace(row, cells=other.cells)

        rows = tuple(with_cells(row, table.rows[n - 1]) for n, row in enumerate(table.rows))
        return replace(table, rows=rows)

    blocks = []
    for block in document.blocks:
        head, joint, tail = block.text.partition(" has ")
        blocks += [replace(block, text=head), replace(block, text=tail)] if joint else [block]
    return replace(document, tables=tuple(map(of_table, document.tables)), blocks=tuple(blocks))


def corpus_of(folder: Path, name: str, loss: Loss) -> TinyCorpus:
    rows = [row for row in ROWS if loss is not Loss.NOT_PARSED or row[0] != "Rope"]
    source = f"stock/yard.{name}"
    document = understood(written(folder, name, rows))
    if loss is Loss.LOST_IN_TABLE:
        document = torn(document)
    chunks = chunk_document(source, "", document, ChunkSettings(max_tokens=320, collection="stock"))
    if loss is Loss.NOT_IN_CHUNK:
        chunks = tuple(chunk for chunk in chunks if "140" not in chunk.text)
    answers = {QUESTION: answered("12 pieces")} if loss is Loss.ANSWERED_WRONG else {}
    lost = "140" if loss is Loss.RANKED_TOO_LOW else None
    return TinyCorpus(documents={source: document}, pieces=chunks, answers=answers, lost=lost)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("loss", [loss for loss in Loss if loss is not Loss.NOT_IN_LOOKUP])
def test_the_stage_that_lost_the_answer_is_named(tmp_path: Path, name: str, loss: Loss) -> None:
    corpus = corpus_of(tmp_path, name, loss)
    case = case_of("answers", WANTED, question=QUESTION, sources=[f"stock/yard.{name}"])
    here = {source: SourceState(source=source, version="v1") for source in case.sources}
    request = request_of(case, corpus=corpus, scopes_of={"stock": "public"}, sources=here)
    outcome = run_suites(request).outcomes[0]
    assert (outcome.verdict, outcome.loss) == ("failed", loss)


@pytest.mark.parametrize("name", ["html", "md", "csv", "xlsx"])
def test_what_was_read_but_is_in_no_table_was_lost_in_the_table(tmp_path: Path, name: str) -> None:
    """A heading that understanding dropped is no fault of the reader."""
    source = f"stock/yard.{name}"
    read = read_document(written(tmp_path, name, ROWS), source, LIMITS)
    understood = normalize_document(read, Rules())
    bare = tuple(
        replace(t, columns=tuple(replace(c, path=()) for c in t.columns), name=None) for t in understood.tables
    )
    corpus = TinyCorpus(documents={source: replace(understood, tables=bare)}, read={source: read})
    for wanted, loss in (("Pieces", Loss.LOST_IN_TABLE), ("Fathoms", Loss.NOT_PARSED)):
        case = case_of("answers", {"must_contain": [wanted]}, question=QUESTION, sources=[source])
        here = {source: SourceState(source=source, version="v1")}
        request = request_of(case, corpus=corpus, scopes_of={"stock": "public"}, sources=here)
        assert run_suites(request).outcomes[0].loss is loss


def lookup_outcome(code: str, expect: dict[str, object]) -> CaseOutcome:
    """One lookup case over a source that is there, its tool refused with `code`."""
    results: dict[str, LookupResult | LookupFault] = {
        "lookup_yard": LookupFault(code=code, message="no column 'nosuch'")
    }
    source = "stock/yard.csv"
    document = document_of(table_of(["Pieces"], [("Rope", ["140"])]))
    corpus = TinyCorpus(documents={source: document}, results=results)
    case = case_of("lookup", expect, call={"tool": "lookup_yard", "arguments": {}}, sources=[source])
    here = {source: SourceState(source=source, version="v1")}
    request = request_of(case, corpus=corpus, scopes_of={"stock": "public"}, sources=here)
    return run_suites(request).outcomes[0]


def test_a_refused_call_is_blamed_on_the_lookup_and_not_on_the_reader() -> None:
    outcome = lookup_outcome("unknown_column", {"must_contain": ["nowhere in the text"]})
    assert outcome.loss is Loss.NOT_IN_LOOKUP
    assert "unknown_column" in outcome.loss_note


def test_an_oracle_that_tells_no_figure_is_the_fault_of_no_stage(tmp_path: Path) -> None:
    wanted = {"value": {"lookup": {"tool": "lookup_nothing", "arguments": {}}}}
    corpus = corpus_of(tmp_path, "csv", Loss.ANSWERED_WRONG)
    case = case_of("answers", wanted, question=QUESTION, sources=["stock/yard.csv"])
    here = {source: SourceState(source=source, version="v1") for source in case.sources}
    request = request_of(case, corpus=corpus, scopes_of={"stock": "public"}, sources=here)
    outcome = run_suites(request).outcomes[0]
    assert (outcome.verdict, outcome.loss) == ("failed", None)
    assert outcome.loss_note == "the case's own oracle does not tell one figure"
