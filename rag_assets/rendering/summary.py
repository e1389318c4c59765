"""What a table covers, in a few lines: its kind of rows, its keys, its ranges, and the tool that has the values.

Holds: the summary of one table, made afresh from the table at each load (so it holds no load time).
Add here: another fact about a whole table that answers "what is there?".
Never here: a total, a mean or any figure that only a complete lookup may give.
"""

from collections.abc import Sequence

from rag_assets.model.table import BodyColumn, Column, ColumnType, Row, RowKind, Table, TableCell
from rag_assets.rendering.markdown import PATH_JOINT, caption_lines, note_lines, one_line

FEW_VALUES = 12
SAMPLES = 5
VALUE_CHARACTERS = 60
NOTE_CHARACTERS = 300
COLUMN_LINES = 24
ORDERED = {ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE, ColumnType.TIMESTAMP, ColumnType.DURATION}


def render_summary(table: Table, source: str = "") -> str:
    """Caption, number of rows, the values of its keys, ranges with units, notes, and last the lookup tool:

    Source: pricing/discount_tiers.xlsx
    Regional discount tiers
    Table with 40 rows and columns: Region, Tier, Discount
    Region: 6 values: Central, East, North, …
    Discount: 3% to 16%
    For values, totals, averages or counts use the tool lookup_discount_tiers.
    """
    rows = [row for row in table.rows if row.kind is RowKind.DATA]
    lines = [*source_lines(source), *_title_lines(table), _shape_line(table, rows)]
    lines += _column_lines(table, rows)
    lines += [f"Note: {note[:NOTE_CHARACTERS]}" for note in note_lines(table)[:3]]
    if table.name:
        lines.append(f"For values, totals, averages or counts use the tool {table.name}.")
    return "\n".join(lines)


def source_lines(source: str) -> list[str]:
    """What the file is called, which is often the only place that says what it is about."""
    name = "/".join(source.split("/")[-2:])
    return [f"Source: {name}"] if name else []


def _title_lines(table: Table) -> list[str]:
    lines = caption_lines(table)
    if table.sheet and not any(table.sheet.casefold() in line.casefold() for line in lines):
        lines.append(f"Sheet: {table.sheet}")
    return lines


def _shape_line(table: Table, rows: Sequence[Row]) -> str:
    names = [one_line(c.heading) for c in (*table.label_columns, *table.columns) if c.heading.strip()]
    shown = ", ".join(dict.fromkeys(names[:COLUMN_LINES]))
    more = f", and {len(names) - COLUMN_LINES} more" if len(names) > COLUMN_LINES else ""
    n_rows = len(rows) + (table.body.rows if table.body is not None else 0)
    count = f"{n_rows} row" if n_rows == 1 else f"{n_rows} rows"
    return f"Table with {count} and columns: {shown}{more}" if shown else f"Table with {count}"


def _column_lines(table: Table, rows: Sequence[Row]) -> list[str]:
    sections = _distinct([PATH_JOINT.join(row.sections) for row in rows if row.sections])
    lines = [f"Sections: {_list_values(sections)}"] if sections else []
    if not table.label_columns:
        labels = _distinct([row.path[-1] for row in rows if row.path])
        lines += [f"Rows: {_list_values(labels)}"] if labels else []
    for column in (*table.label_columns, *table.columns)[:COLUMN_LINES]:
        cells = [cell for row in rows for cell in (*row.labels, *row.cells) if cell.column == column.index]
        unseen = _unseen(table, column)
        cells += [cell for cell in (unseen.low, unseen.high) if cell is not None] if unseen is not None else []
        if text := _column_text(column, [cell for cell in cells if cell.text.strip()], unseen):
            lines.append(f"{one_line(column.heading)}: {text}" if column.heading.strip() else f"Rows: {text}")
    return lines


def _unseen(table: Table, column: Column) -> BodyColumn | None:
    columns = table.body.columns if table.body is not None else ()
    return next((unseen for unseen in columns if unseen.index == column.index), None)


def _column_text(column: Column, cells: Sequence[TableCell], unseen: BodyColumn | None) -> str:
    if not cells:
        return ""
    values = _distinct([cell.text for cell in cells])
    if column.type in ORDERED and len(values) > 2:
        return _range_text(column, cells) or _list_values(values)
    if unseen is not None and unseen.distinct > len(unseen.values):
        shown = ", ".join(map(_cut, unseen.values[:SAMPLES]))
        return f"{unseen.distinct} or more values, among them {shown}"
    return _list_values(_distinct([*values, *(unseen.values if unseen is not None else ())]))


def _range_text(column: Column, cells: Sequence[TableCell]) -> str:
    numbers = [cell for cell in cells if isinstance(cell.value, int | float) and not isinstance(cell.value, bool)]
    dates = [cell for cell in cells if isinstance(cell.value, str)]
    if numbers and not dates:
        low = min(numbers, key=lambda c: _number(c) * c.scale)
        high = max(numbers, key=lambda c: _number(c) * c.scale)
    elif dates and column.type in {ColumnType.DATE, ColumnType.TIMESTAMP}:
        low, high = min(dates, key=lambda c: str(c.value)), max(dates, key=lambda c: str(c.value))
    else:
        return ""
    unit = column.unit if column.unit and column.unit not in {"percent", "%"} else ""
    shown = f"{one_line(low.text)} to {one_line(high.text)}"
    return f"{shown} ({unit})" if unit and unit not in shown else shown


def _number(cell: TableCell) -> float:
    return float(cell.value) if isinstance(cell.value, int | float) else 0.0


def _list_values(values: Sequence[str]) -> str:
    """All where they are few, else a few of them and how many there are."""
    if len(values) == 1:
        return _cut(values[0])
    if len(values) <= FEW_VALUES:
        return f"{len(values)} values: {', '.join(map(_cut, values))}"
    step = len(values) / SAMPLES
    samples = [values[int(n * step)] for n in range(SAMPLES)]
    return f"{len(values)} values, among them {', '.join(map(_cut, samples))}"


def _cut(text: str) -> str:
    return text if len(text) <= VALUE_CHARACTERS else text[: VALUE_CHARACTERS - 1].rstrip() + "…"


def _distinct(texts: Sequence[str]) -> list[str]:
    return sorted({one_line(text) for text in texts if text.strip()})
