"""How good statements are that no case names: misworded, not stated, reads alone; orphan cells.

Holds: `quality_of`: `StatementQuality` and `TableQuality`, counted over normalized documents.
Add here: another measured fault of tables or statements.
Never here: how statements are made (tables/statements.py).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rag_assets.evaluation.matching import same_text, words
from rag_assets.model.document import Counts
from rag_assets.model.score import Score
from rag_assets.model.statement import Statement
from rag_assets.model.table import Normalized, Table, TableCell
from rag_assets.tables.periods import names_change

RULES_VERSION = "1"  # of what is counted: another one, and every document is counted again
JOINT = "›"
_FRAGMENTS = frozenset({"of", "and", "or", "the", "a", "an", "in", "to", "for", "per", "at", "by", "on", "as", "with"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementQuality:
    """Counts over statements. A statement whose cell is not in its table counts as not stated."""

    statements: int = 0
    misworded: int = 0
    not_stated: int = 0
    reads_alone: int = 0
    phrase_is_value: int = 0
    phrase_is_subject: int = 0
    time_not_in_quote: int = 0

    def scores(self, left_out: int = 0) -> dict[str, Score]:
        """Shares of all statements; `left_out` documents were not looked at."""
        counted = {
            "misworded": self.misworded,
            "not_stated": self.not_stated,
            "reads_alone": self.reads_alone,
            "phrase_is_value": self.phrase_is_value,
            "phrase_is_subject": self.phrase_is_subject,
            "time_not_in_quote": self.time_not_in_quote,
        }
        return {f"statements/{name}": share(count, self.statements, left_out) for name, count in counted.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuality:
    """Counts over body cells: `orphans` have neither heading nor path, or miss one that the rest of the table has."""

    cells: int = 0
    orphans: int = 0
    with_heading: int = 0

    def scores(self, left_out: int = 0) -> dict[str, Score]:
        return {
            "tables/orphan_cells": share(self.orphans, self.cells, left_out),
            "tables/heading_coverage": share(self.with_heading, self.cells, left_out),
        }


class _Place(NamedTuple):
    cell: TableCell
    grounds: frozenset[str]
    times: frozenset[str]
    has_periods: bool


def share(count: int, total: int, left_out: int = 0) -> Score:
    return Score(count / total if total else None, total, left_out)


class Quality(NamedTuple):
    tables: TableQuality
    statements: StatementQuality


def quality_of(documents: Iterable[Normalized]) -> Quality:
    """Both counts in one pass; no document is kept."""
    return summed(map(quality_counts, documents))


def quality_counts(document: Normalized) -> Counts:
    """What is counted of one document: the fields of both qualities."""
    return {**_table_counts(document), **_statement_counts(document)}


def summed(counts: Iterable[Counts]) -> Quality:
    totals: Counter[str] = Counter()
    for found in counts:
        totals.update(found)
    return Quality(
        TableQuality(**{name: totals[name] for name in TableQuality.__dataclass_fields__}),
        StatementQuality(**{name: totals[name] for name in StatementQuality.__dataclass_fields__}),
    )


def _statement_counts(document: Normalized) -> Counts:
    """Definitions: DESIGN §4.8. Time words are grounded anywhere in the table's headings or caption."""
    totals = dict.fromkeys(StatementQuality.__dataclass_fields__, 0)
    shared = words(" ".join(line for table in document.tables for line in table.caption))
    places = {cell.address: place for table in document.tables for cell, place in _places(table, shared)}
    for statement in document.statements:
        place = places.get(statement.address)
        totals["statements"] += 1
        totals["misworded"] += place is not None and is_misworded(statement, place.grounds, place.times)
        totals["not_stated"] += place is None or not same_text(statement.text, place.cell.text)
        totals["reads_alone"] += reads_alone(statement, has_periods=place is not None and place.has_periods)
        totals["phrase_is_value"] += statement.phrase_is_value
        totals["phrase_is_subject"] += statement.phrase_is_subject
        totals["time_not_in_quote"] += _time_not_in_quote(statement)
    return totals


def _table_counts(document: Normalized) -> Counts:
    totals = dict.fromkeys(TableQuality.__dataclass_fields__, 0)
    for table in document.tables:
        headings = {column.index: column.heading for column in table.columns}
        for row in table.rows:
            named = [bool(headings.get(cell.column)) for cell in row.cells]
            totals["cells"] += len(named)
            totals["with_heading"] += sum(named)
            without_path = not row.path and bool(table.label_columns)
            totals["orphans"] += sum(not has_heading or without_path for has_heading in named)
    return totals


def is_misworded(statement: Statement, grounds: frozenset[str], times: frozenset[str]) -> bool:
    """Subject, phrase or when names something that the cell's row, heading or caption does not."""
    said = words(f"{statement.subject} {statement.phrase}".replace(JOINT, " "))
    return not said <= grounds or not words(statement.when or "") <= grounds | times


def reads_alone(statement: Statement, *, has_periods: bool) -> bool:
    """All parts are there (when too, where the table has periods), and the phrase is no bare fragment.

    A phrase that names a change between periods ("Q/Q") carries its time in itself.
    """
    return (
        bool(statement.subject and statement.phrase and statement.text)
        and (bool(statement.when) or not has_periods or names_change(statement.phrase))
        and not is_fragment(statement.phrase)
    )


def is_fragment(phrase: str) -> bool:
    """No word of its own: only signs, figures or linking words."""
    own = [word for word in words(phrase.replace(JOINT, " ")) if word not in _FRAGMENTS]
    return not any(any(letter.isalpha() for letter in word) for word in own)


def _places(table: Table, shared: frozenset[str]) -> Iterable[tuple[TableCell, _Place]]:
    """Each body cell with the words it may be described by. The words of a frame are split once a table.

    `shared` are those of all captions: a table whose own names only a period takes its subject there.
    """
    frame = words(" ".join((*table.caption, *table.heading_path))) | shared
    columns = {column.index: (words(column.heading), column.period) for column in table.columns}
    times = frame.union(*(heading for heading, _ in columns.values())) if columns else frame
    has_periods = any(period for _, period in columns.values())
    for row in table.rows:
        labels = frame | words(" ".join(row.path))
        for cell in row.cells:
            heading = columns.get(cell.column, (frozenset(), None))[0]
            yield cell, _Place(cell, labels | heading, times | labels, has_periods)


def _time_not_in_quote(statement: Statement) -> bool:
    """The time stands neither in the row nor in the column heading: it was taken from the caption or a section."""
    return bool(statement.when) and not words(statement.when or "") <= words(
        f"{statement.row_path} {statement.heading}".replace(JOINT, " ")
    )
