"""Statements: each body cell said as subject, phrase, value, when.

Holds: `statements_of_document`.
Add here: another shape of heading that changes what is subject and what is phrase.
Never here: judging statements (evaluation).

    HARBOR TOOLS            caption: the subject
                   2026     names one period: `when`
    GAAP                    section
      Revenue     4,310     → (HARBOR TOOLS, "GAAP › Revenue", 4310, "2026")
                    Q/Q     names a change
    Revenue         18%     → (Revenue, "Q/Q", 0.18)
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rag_assets.model.statement import Statement
from rag_assets.model.table import Column, Row, Table, TableCell
from rag_assets.tables.periods import is_lone_period, names_change, names_period
from rag_assets.tables.values import Kind, read_value

JOINT = " › "
_TIME_NOUN = re.compile(r"(?:fiscal\s+)?(?:quarter|year|half|month|week|period)s?", re.IGNORECASE)


def statements_of_document(tables: Sequence[Table], title: str | None) -> tuple[Statement, ...]:
    """The statements of all body cells, in reading order.

    Where a caption names nothing but a period ("Second Quarter Summary"), the subject is the one that the captions of
    other tables share, then the heading above the table, then the document's `title`.
    """
    named = Counter(name for table in tables if (name := subject_of(table.caption)))
    shared = next((name for name, times in named.most_common(1) if times > 1), None)
    return tuple(s for table in tables for s in _statements(table, _subject(table, shared, title)))


def _subject(table: Table, shared: str | None, title: str | None) -> str:
    above = table.heading_path[-1] if table.heading_path else None
    own = next((line for line in table.caption if line and not _is_unit(line)), None)
    return subject_of(table.caption) or shared or above or own or title or ""


def _statements(table: Table, subject: str) -> tuple[Statement, ...]:
    said = {column.index: _said(column) for column in table.columns}
    frame = _Frame(table, subject, _when_of_caption(table.caption), {"unit": table.unit} if table.unit else {})
    return tuple(
        _statement(frame, row, path, cell, said.get(cell.column, _NOTHING))
        for row in table.rows
        for path in (JOINT.join(row.path),)
        for cell in row.cells
    )


def subject_of(caption: Sequence[str]) -> str | None:
    """The first caption line that names something: no unit line, no bracket, nothing with a period in it."""
    for line in caption:
        text = line.strip()
        if text and not _is_unit(text) and not names_period(text):
            return text
    return None


def _is_unit(text: str) -> bool:
    return text.startswith("(") and text.endswith(")")


def _names_something(heading: str) -> bool:
    """A sign alone ("$", "%", "#") says no more than what the value shows itself."""
    return any(letter.isalpha() for letter in heading)


def _when_of_caption(caption: Sequence[str]) -> str | None:
    found = [line.strip("() ") for line in caption if is_lone_period(line.strip("() "))]
    return found[-1] if found else None


class _Frame(NamedTuple):
    """What all statements of a table share."""

    table: Table
    subject: str
    when: str | None
    qualifiers: dict[str, str]


class _Said(NamedTuple):
    """What a column says to all its cells; `words` are the parts of its heading that are no time."""

    path: tuple[str, ...] = ()
    heading: str = ""
    period: str | None = None
    words: tuple[str, ...] = ()
    changes: bool = False


_NOTHING = _Said()


def _said(column: Column) -> _Said:
    words = tuple(part for part in column.path if not names_period(part) and not _TIME_NOUN.fullmatch(part))
    return _Said(column.path, column.heading, column.period, words, any(names_change(part) for part in column.path))


@lru_cache(maxsize=4096)
def _is_value(phrase: str) -> bool:
    return read_value(phrase).kind is Kind.FIGURE and not names_period(phrase)


def _statement(frame: _Frame, row: Row, row_path: str, cell: TableCell, said: _Said) -> Statement:
    table, subject, caption_when, qualifiers = frame
    path, heading = said.path, said.heading
    label = row.path[-1] if row.path else ""
    if said.period:
        when: str | None = said.period
        phrase = JOINT.join([*said.words, row_path] if row_path else said.words) or heading
        about = subject or (row.path[0] if row.path else "")
    elif said.changes or not row.path:
        change = path[-1] if path and names_change(path[-1]) else heading
        when, phrase, about = caption_when, change or label, label or subject
    else:
        when, phrase, about = caption_when, heading, row_path
        if not heading or (subject and not _names_something(heading)):
            about, phrase = subject, JOINT.join([row_path, *path])
    return Statement(
        subject=about,
        phrase=phrase,
        text=cell.text,
        value=cell.value,
        when=when,
        unit=cell.unit,
        scale=cell.scale,
        table=table.id,
        address=cell.address,
        row_path=row_path,
        heading=heading,
        nil=cell.nil,
        qualifiers=qualifiers,
        phrase_is_value=_is_value(phrase),
        phrase_is_subject=phrase == about,
    )
