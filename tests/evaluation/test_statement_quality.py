"""Misworded, not stated, reads alone; orphan cells."""

from dataclasses import replace

from rag_assets.evaluation.statement_quality import is_fragment, quality_of
from rag_assets.model.statement import Statement
from rag_assets.model.table import Column, Normalized
from tests.evaluation.tiny import document_of, table_of

TABLE = replace(
    table_of(["Revenue 2026"], [("Tools", ["$4,310"])], caption=("HARBOR", "(in millions)")),
    columns=(Column(index=1, path=("Revenue", "2026"), period="2026"),),
)
RIGHT = Statement(
    subject="HARBOR",
    phrase="Tools › Revenue",
    text="$4,310",
    value=4310,
    when="2026",
    unit="$",
    scale=1,
    table="t1",
    address="#table-1!r2c2",
    row_path="Tools",
    heading="Revenue 2026",
)


def document(statement: Statement) -> Normalized:
    return replace(document_of(TABLE), statements=(statement,))


def test_a_right_statement_has_no_fault() -> None:
    found = quality_of([document(RIGHT)]).statements
    assert (found.statements, found.misworded, found.not_stated, found.reads_alone) == (1, 0, 0, 1)
    assert found.scores()["statements/misworded"] == (0.0, 1, 0)


def test_a_word_from_elsewhere_is_misworded() -> None:
    assert quality_of([document(replace(RIGHT, subject="HARBOR PUMPS"))]).statements.misworded == 1
    assert quality_of([document(replace(RIGHT, when="2025"))]).statements.misworded == 1


def test_a_value_that_is_not_in_its_cell_is_not_stated() -> None:
    assert quality_of([document(replace(RIGHT, text="$4,311"))]).statements.not_stated == 1
    assert quality_of([document(replace(RIGHT, address="#table-1!r9c9"))]).statements.not_stated == 1


def test_without_its_time_a_statement_does_not_read_alone() -> None:
    assert quality_of([document(replace(RIGHT, when=None))]).statements.reads_alone == 0


def test_a_phrase_of_signs_or_linking_words_is_a_fragment() -> None:
    assert is_fragment("of the")
    assert is_fragment("2026 ›")
    assert not is_fragment("Net sales")


def test_a_cell_without_heading_is_an_orphan() -> None:
    found = quality_of([document_of(table_of(["Fare", ""], [("Woodland", ["$3.00", "x"])]))]).tables
    assert (found.cells, found.orphans, found.with_heading) == (2, 1, 1)


def test_of_no_cells_there_is_no_score() -> None:
    assert quality_of([]).tables.scores()["tables/orphan_cells"] == (None, 0, 0)
