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
    columns = {column.index: column for column in table.columns}
    when = _when_of_caption(table.caption)
    return tuple(
        _statement(table, row, cell, columns.get(cell.column), subject, when)
        for row in table.rows
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


def _statement(
    table: Table, row: Row, cell: TableCell, column: Column | None, subject: str, caption_when: str | None
) -> Statement:
    path = column.path if column else ()
    heading = column.heading if column else ""
    label = row.path[-1] if row.path else ""
    words = [part for part in path if not names_period(part) and not _TIME_NOUN.fullmatch(part)]
    if column and column.period:
        when: str | None = column.period
        phrase = JOINT.join([*words, *row.path]) or heading
        about = subject or (row.path[0] if row.path else "")
    elif any(names_change(part) for part in path) or not row.path:
        change = path[-1] if path and names_change(path[-1]) else heading
        when, phrase, about = caption_when, change or label, label or subject
    else:
        when, phrase, about = caption_when, heading, JOINT.join(row.path)
        if not heading or (subject and not _names_something(heading)):
            about, phrase = subject, JOINT.join([*row.path, *path])
    qualifiers = {"unit": table.unit} if table.unit else {}
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
        row_path=JOINT.join(row.path),
        heading=heading,
        nil=cell.nil,
        qualifiers=qualifiers,
        phrase_is_value=read_value(phrase).kind is Kind.FIGURE and not names_period(phrase),
        phrase_is_subject=phrase == about,
    )
