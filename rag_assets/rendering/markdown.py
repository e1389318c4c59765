"""A table as markdown: caption lines, unit, one line of full headings, one line a row, pairs, notes.

Holds: the lines of a whole table and the parts a piece of it repeats.
Add here: another part of a table that a reader of the page sees.
Never here: choosing which rows go together (chunking/tables.py).
"""

from collections.abc import Iterable

from rag_assets.model.table import Column, Row, Table, TableCell

PATH_JOINT = " › "


def render_table(table: Table) -> str:
    """The whole table. Multi-level headings stand in full over every column, sections in the row's label:

    HARBOR TOOLS
    (In millions)

    |  | Three Months Ended July 26, 2026 |
    | --- | --- |
    | Current assets › Cash | $120 |
    """
    return "\n".join([*head_lines(table), *body_lines(table), *pair_lines(table), *note_lines(table)])


def head_lines(table: Table) -> list[str]:
    """Caption, unit and headings: what every piece of the table repeats."""
    above = caption_lines(table)
    grid = heading_lines(table)
    return [*above, "", *grid] if above and grid else [*above, *grid]


def caption_lines(table: Table) -> list[str]:
    """The caption run as printed, and the unit line where the caption does not already hold it."""
    lines = [line for part in table.caption if (line := one_line(part))]
    unit = one_line(table.unit or "")
    if unit and not any(unit.casefold() in line.casefold() for line in lines):
        lines.append(unit)
    return lines


def heading_lines(table: Table) -> list[str]:
    shown = shown_columns(table)
    if not shown:
        return []
    return [_line(one_line(c.heading) for c in shown), _line("---" for _ in shown)]


def body_lines(table: Table) -> list[str]:
    rows = [row_line(table, row) for row in table.rows]
    loose = [_line(one_line(cell.text) for cell in row) for row in table.pair_rows]
    return rows + loose


def pair_lines(table: Table) -> list[str]:
    """`label: value` for each column of a transposed pair, in the order of the page."""
    return [f"{one_line(label)}: {one_line(value)}" for label, value in table.pairs]


def note_lines(table: Table) -> list[str]:
    return [line for note in table.notes if (line := one_line(note))]


def row_line(table: Table, row: Row) -> str:
    cells = cells_by_column(row)
    texts = [one_line(cells[c.index].text) if c.index in cells else "" for c in shown_columns(table)]
    return _line(_with_path(table, row, texts))


def shown_columns(table: Table) -> tuple[Column, ...]:
    """Label columns and value columns in page order; a nameless label column where labels stand in the path only."""
    if not table.label_columns and any(row.path for row in table.rows):
        return (Column(index=-1, path=()), *table.columns)
    return tuple(sorted((*table.label_columns, *table.columns), key=lambda c: c.index))


def cells_by_column(row: Row) -> dict[int, TableCell]:
    return {cell.column: cell for cell in (*row.labels, *row.cells)}


def section_path(row: Row) -> tuple[str, ...]:
    """The sections over a row; from the path where the row does not list them apart."""
    if row.sections or not row.labels:
        return row.sections
    return row.path[: max(0, len(row.path) - len(row.labels))]


def one_line(text: str) -> str:
    return " ".join(text.split())


def _with_path(table: Table, row: Row, texts: list[str]) -> list[str]:
    if not row.labels:
        if row.path and texts:
            texts[0] = PATH_JOINT.join(map(one_line, row.path))
        return texts
    sections = section_path(row)
    if not sections:
        return texts
    first = row.labels[0].column
    place = next((n for n, c in enumerate(shown_columns(table)) if c.index == first), 0)
    texts[place] = PATH_JOINT.join(part for part in (*map(one_line, sections), texts[place]) if part)
    return texts


def _line(texts: Iterable[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"
