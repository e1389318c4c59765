"""A row as a record: `label: value` lines under the caption of its table.

Holds: the lines of one row, each with the zone its words stand in.
Add here: another line that a row needs to be read alone.
Never here: which rows become records (chunking/tables.py), how a zone weighs (retrieval/).
"""

from typing import NamedTuple

from rag_assets.model.chunk import Zone, ZoneText
from rag_assets.model.table import Column, Row, Table, TableCell
from rag_assets.rendering.markdown import PATH_JOINT, caption_lines, one_line, section_path


class RecordLine(NamedTuple):
    """A line as it is shown, and its words by the zone they stand in."""

    text: str
    parts: tuple[ZoneText, ...]

    @classmethod
    def of(cls, zone: Zone, text: str) -> "RecordLine":
        return cls(text, (ZoneText(zone, text),))


def render_record(table: Table, row: Row) -> str:
    """What the row is first, then its cells; empty cells are left out:

    HARBOR TOOLS
    (In millions)
    Current assets › Cash
    July 26, 2026: $120
    """
    return "\n".join(line.text for line in (*caption_record_lines(table), *row_record_lines(table, row)))


def caption_record_lines(table: Table) -> tuple[RecordLine, ...]:
    return tuple(RecordLine.of(Zone.CAPTION, line) for line in caption_lines(table))


def row_record_lines(table: Table, row: Row, *, with_headings: bool = True) -> tuple[RecordLine, ...]:
    """Sections, labels, cells of one row. A table without label columns gives its first cell as the label."""
    labels = _label_lines(table, row, with_headings)
    columns = {c.index: c for c in table.columns}
    cells = [_cell_line(columns.get(cell.column), cell, with_headings) for cell in row.cells if cell.text.strip()]
    if not labels and cells:
        return (RecordLine.of(Zone.LABEL, cells[0]), *(RecordLine.of(Zone.CELL, text) for text in cells[1:]))
    return (*labels, *(RecordLine.of(Zone.CELL, text) for text in cells))


def record_cells(row: Row) -> tuple[TableCell, ...]:
    """The cells a record shows, in page order: labels first."""
    return (*row.labels, *(cell for cell in row.cells if cell.text.strip()))


def _label_lines(table: Table, row: Row, with_headings: bool) -> tuple[RecordLine, ...]:
    """Sections stand before the first label and weigh as cells: many rows share them, the label is the row's own."""
    columns = {c.index: c for c in table.label_columns}
    shown = [cell for cell in row.labels if cell.text.strip()]
    lines = [RecordLine.of(Zone.LABEL, _cell_line(columns.get(c.column), c, with_headings)) for c in shown]
    sections = [part for p in section_path(row) if (part := one_line(p))]
    if not row.labels:
        own = row.path[len(row.sections) :]
        lines = [RecordLine.of(Zone.LABEL, part) for p in own if (part := one_line(p))]
    if not sections:
        return tuple(lines)
    path = PATH_JOINT.join(sections)
    if not lines or (shown and _has_heading(columns.get(shown[0].column), with_headings)):
        return (RecordLine.of(Zone.CELL, path), *lines)
    joined = RecordLine(f"{path}{PATH_JOINT}{lines[0].text}", (ZoneText(Zone.CELL, path), *lines[0].parts))
    return (joined, *lines[1:])


def _has_heading(column: Column | None, with_headings: bool) -> bool:
    return bool(with_headings and column and column.heading.strip())


def _cell_line(column: Column | None, cell: TableCell, with_headings: bool) -> str:
    text = one_line(cell.text)
    return f"{one_line(column.heading)}: {text}" if column and _has_heading(column, with_headings) else text
