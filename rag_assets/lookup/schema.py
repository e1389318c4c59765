"""What a lookup table looks like: columns with slug, type, unit and role, and rows of typed values.

Holds: `LookupTable` and how it follows from an understood table.
Add here: a fact about a whole lookup table.
Never here: one column (columns.py), DuckDB (warehouse.py), deciding that a table is a lookup table (tables/).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag_assets.lookup.columns import LookupColumn, Stored, TypedColumn, typed_columns
from rag_assets.lookup.places import Place
from rag_assets.lookup.roles import RowContents, effective_columns, key_columns, with_roles
from rag_assets.lookup.slugs import slug_of
from rag_assets.model.table import BodyColumn, RowKind, Table


class OddCell(NamedTuple):
    """A cell whose text is no value of its column's type; the typed table holds null there."""

    row: int
    column: str
    address: str
    text: str
    reason: str


class StrayCell(NamedTuple):
    """A cell of a row that does not stand on the row's line in the column's usual place, as merged cells do."""

    row: int
    column: str
    address: str


class Origin(NamedTuple):
    """Where a table comes from."""

    source: str
    sha256: str
    collection: str
    loaded_at: str


class RowUnits(NamedTuple):
    """Unit and scale of each data row, for a column whose rows differ in them."""

    units: tuple[str | None, ...]
    scales: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupTable:
    """`rows` and `totals` hold one tuple of values a row, in column order; `lines` the page line of each row.

    Of a long table only the seen rows are in `rows`, with key and roles still to be settled; `unseen` names the column
    of the columns file behind each column. `has_sections`: the first column holds the sections.
    """

    name: str | None
    full_name: str
    title: str
    origin: Origin
    table_id: str
    sheet: str | None
    range: str | None
    notes: tuple[str, ...]
    columns: tuple[LookupColumn, ...]
    key: tuple[str, ...]
    effective_from: str | None
    effective_until: str | None
    rows: tuple[tuple[Stored, ...], ...]
    totals: tuple[tuple[Stored, ...], ...]
    total_labels: tuple[str, ...]
    lines: tuple[int | None, ...]
    row_units: dict[str, RowUnits]
    odd_cells: tuple[OddCell, ...]
    strays: tuple[StrayCell, ...]
    unseen: tuple[BodyColumn | None, ...] = ()
    has_sections: bool = False


def lookup_table(table: Table, origin: Origin) -> LookupTable:
    """The typed form of one understood table: data rows and totals apart, types from all data rows."""
    data = [row for row in table.rows if row.kind is RowKind.DATA]
    totals = [row for row in table.rows if row.kind is RowKind.TOTAL]
    typed = typed_columns(table, [*data, *totals], len(data))
    plain = tuple(t.column for t in typed)
    values = tuple(zip(*(t.values for t in typed), strict=True))
    rows = values[: len(data)]
    dates = effective_columns(plain, table)
    contents = RowContents(rows)
    key = key_columns(plain, table, contents) if table.body is None else ()
    lines = _lines(typed, len(data))
    return LookupTable(
        name=table.name,
        full_name=table.full_name or table.name or f"lookup_{slug_of(table.id, 'table')}",
        title=" ".join(table.caption) or (table.heading_path[-1] if table.heading_path else ""),
        origin=origin,
        table_id=table.id,
        sheet=table.sheet,
        range=table.range,
        notes=table.notes,
        columns=with_roles(plain, contents, key, dates) if table.body is None else plain,
        key=key,
        effective_from=dates[0],
        effective_until=dates[1],
        rows=rows,
        totals=values[len(data) :],
        total_labels=tuple(" › ".join(row.path) for row in totals),
        lines=lines,
        row_units={
            t.column.slug: RowUnits(t.units[: len(data)], t.scales[: len(data)]) for t in typed if t.column.mixed
        },
        odd_cells=tuple(
            OddCell(o.row, t.column.slug, o.cell.address, o.cell.text, o.reason) for t in typed for o in t.odd
        ),
        strays=_strays(typed, lines),
        unseen=tuple(t.unseen for t in typed),
        has_sections=any(row.sections for row in table.rows),
    )


def _lines(typed: Sequence[TypedColumn], rows: int) -> tuple[int | None, ...]:
    """The page line on which most cells of a row stand."""
    lines: list[int | None] = []
    for n in range(rows):
        found = [place.line for t in typed if (place := t.places[n]) is not None]
        lines.append(max(found, key=found.count) if found else None)
    return tuple(lines)


def _strays(typed: Sequence[TypedColumn], lines: Sequence[int | None]) -> tuple[StrayCell, ...]:
    found = []
    for t in typed:
        for n, line in enumerate(lines):
            cell = t.cells[n]
            if cell is None or not cell.address:
                continue
            if line is None or t.places[n] != Place(t.column.prefix, t.column.place, line):
                found.append(StrayCell(n, t.column.slug, cell.address))
    return tuple(found)
