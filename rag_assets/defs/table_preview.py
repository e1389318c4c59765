"""Tables as they are understood, small enough for an asset's page.

Holds: the first tables of what a run worked on, as narrow markdown.
Add here: another fact of a table a person checks at a glance.
Never here: laying a table out for retrieval (rendering/).
"""

from collections.abc import Iterable, Iterator

from rag_assets.ingest.contents import Files, normalized
from rag_assets.model.table import Row, Table

DOCUMENTS = 3
TABLES = 2
ROWS = 5
COLUMNS = 3  # value columns: the UI's overview cuts a table of more than four
CELL = 40
JOINT = " › "


def tables_preview(segment: Files, sources: Iterable[str]) -> str:
    """Of a normalized_tables segment; "" where the first documents have no table."""
    shown: list[str] = []
    for source, found in normalized(segment, sorted(sources)[:DOCUMENTS]):
        with_rows = (table for table in found.tables if table.columns and table.rows)
        for table in with_rows:
            shown.append("\n".join(_lines(source, table)))
            if len(shown) == TABLES:
                return "\n\n".join(shown)
    return "\n\n".join(shown)


def _lines(source: str, table: Table) -> Iterator[str]:
    columns = table.columns[:COLUMNS]
    caption = " · ".join(_cell(line) for line in table.caption[:2])
    unit = f" ({_cell(table.unit)})" if table.unit else ""
    yield f"**{_cell(source)}** {caption}{unit}\n"
    yield _line("", *(column.heading for column in columns))
    yield "|" + "---|" * (len(columns) + 1)
    for row in table.rows[:ROWS]:
        yield _line(JOINT.join(row.path), *(_text(row, column.index) for column in columns))
    left = len(table.rows) - ROWS, len(table.columns) - COLUMNS
    if max(left) > 0:
        yield f"\n{max(left[0], 0)} more rows, {max(left[1], 0)} more columns"


def _text(row: Row, column: int) -> str:
    return next((cell.text for cell in row.cells if cell.column == column), "")


def _line(*parts: str) -> str:
    return "| " + " | ".join(_cell(part) for part in parts) + " |"


def _cell(text: str) -> str:
    """One line; the end of a long label tells more than its beginning."""
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= CELL else f"…{line[1 - CELL :]}"
