"""Ten ways to make the pipeline worse, each seeded into the example corpus: the gate is red for every one."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from rag_assets.evaluation.gate import Verdict, judge_run
from rag_assets.evaluation.memory import Memory, remember
from rag_assets.evaluation.outcomes import SourceState
from rag_assets.model.chunk import Chunk, ChunkKind
from rag_assets.model.table import Normalized, Row, Table
from rag_assets.retrieval.analyzer import STOP_WORDS
from tests.evaluation.damaged import Damage, Example, of_tables

_ROW = re.compile(r"(?<=r)\d+(?=c\d)|(?<=[A-Z])\d+\b")


def headers_dropped(document: Normalized) -> Normalized:
    return of_tables(document, lambda t: replace(t, columns=tuple(replace(c, path=()) for c in t.columns)))


def captions_dropped(document: Normalized) -> Normalized:
    return of_tables(document, lambda t: replace(t, caption=(), unit=None, heading_path=()))


def sheet_lost(document: Normalized) -> Normalized:
    """The first sheet of every workbook."""
    first = next((table.sheet for table in document.tables if table.sheet is not None), None)
    lost = {table.id for table in document.tables if first is not None and table.sheet == first}
    return replace(
        document,
        tables=tuple(table for table in document.tables if table.id not in lost),
        statements=tuple(one for one in document.statements if one.table not in lost),
    )


def rows_torn(document: Normalized) -> Normalized:
    def torn(table: Table) -> Table:
        moved = [replace(row, cells=table.rows[n - 1].cells) for n, row in enumerate(table.rows)]
        return replace(table, rows=tuple(moved))

    return of_tables(document, torn)


def sections_unfolded(document: Normalized) -> Normalized:
    def last_only(row: Row) -> Row:
        return replace(row, path=row.path[-1:], sections=())

    return of_tables(document, lambda t: replace(t, rows=tuple(map(last_only, t.rows))))


def addresses_off_by_one(document: Normalized) -> Normalized:
    def moved(row: Row) -> Row:
        cells = tuple(cell._replace(address=_next_row(cell.address)) for cell in row.cells)
        return replace(row, cells=cells)

    return of_tables(document, lambda t: replace(t, rows=tuple(map(moved, t.rows))))


def summary_stale(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """The summaries of an earlier load: other tool names and values."""
    return tuple(_aged(chunk) if chunk.kind is ChunkKind.SUMMARY else chunk for chunk in chunks)


def stop_words_kept(query: str) -> str:
    """The index has no stop words, so a query's are words that no document has."""
    return " ".join(f"{word} {word}qx" if word.casefold() in STOP_WORDS["en"] else word for word in query.split())


def everything(_scopes: frozenset[str]) -> frozenset[str]:
    return frozenset({"public", "financial"})


REGRESSIONS: dict[str, Callable[[], Damage]] = {
    "headers dropped": lambda: Damage(normalized=headers_dropped),
    "captions dropped": lambda: Damage(normalized=captions_dropped),
    "one sheet lost": lambda: Damage(normalized=sheet_lost),
    "rows torn": lambda: Damage(normalized=rows_torn),
    "sections unfolded": lambda: Damage(normalized=sections_unfolded),
    "tool removed": lambda: Damage(tools=False),
    "scope merged": lambda: Damage(scopes=everything),
    "stop words kept in queries only": lambda: Damage(query=stop_words_kept),
    "stale summary": lambda: Damage(chunks=summary_stale),
    "addresses off by one": lambda: Damage(normalized=addresses_off_by_one),
}
QUICK = {"headers dropped", "scope merged"}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    return Example(folder=tmp_path_factory.mktemp("example"))


@pytest.fixture(scope="module")
def published(example: Example) -> Memory:
    run = example.run("published", Damage())
    states = {source: SourceState(source=source, version="v1") for source in example.documents}
    return remember(run.outcomes, states, at="2026-11-01")


def verdict_of(example: Example, published: Memory, name: str) -> Verdict:
    return judge_run(example.run(name.replace(" ", "-"), REGRESSIONS[name]()), [published], {})


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in REGRESSIONS]
)
def test_a_seeded_regression_turns_the_gate_red(example: Example, published: Memory, name: str) -> None:
    verdict = verdict_of(example, published, name)
    print(f"{name}: {len(verdict.regressed)} cases: {', '.join(one.case for one in verdict.regressed[:8])}")
    assert verdict.red, f"{name} went through"


def test_without_damage_nothing_regresses(example: Example, published: Memory) -> None:
    verdict = judge_run(example.run("again", Damage()), [published], {})
    assert verdict.green, verdict.sentence


def _aged(chunk: Chunk) -> Chunk:
    def earlier(text: str) -> str:
        return re.sub(r"lookup_\w+", "lookup_of_last_year", re.sub(r"\d+", "1", text))

    zones = tuple(zone._replace(text=earlier(zone.text)) for zone in chunk.zones)
    return replace(chunk, text=earlier(chunk.text), zones=zones, tool=None)


def _next_row(address: str) -> str:
    return _ROW.sub(lambda found: str(int(found[0]) + 1), address, count=1)
