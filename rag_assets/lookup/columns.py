"""Columns of a lookup table: type from all rows, values, odd cells, unit and scale, places on the page.

Holds: `LookupColumn` and how one is made from cells.
Add here: a column type, another reason for an odd cell.
Never here: roles and keys (roles.py), DuckDB (warehouse.py).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import NamedTuple

from rag_assets.lookup.places import Place, place_of
from rag_assets.lookup.slugs import unique_slugs
from rag_assets.model.table import Alike, BodyColumn, ColumnType, Row, Table, TableCell, Value

NUMERIC = frozenset({ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DURATION})
MAX_INTEGER = 2**63 - 1
MIXED = "mixed"

Stored = int | float | bool | str | date | datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupColumn:
    """`prefix` and `place` make the address of its cell on a line. `mixed`: its rows differ in unit or scale.

    `role`: key, measure, category, text, effective_from, effective_until.
    """

    slug: str
    heading: str
    path: tuple[str, ...] = ()
    type: ColumnType
    unit: str | None = None
    scale: int = 1
    mixed: bool = False
    role: str = "text"
    prefix: str = ""
    place: str = ""
    nulls: int = 0
    odd: int = 0

    @property
    def is_number(self) -> bool:
        return self.type in NUMERIC


class RawColumn(NamedTuple):
    """Cells of one column, one a row, None where the row has none. `unseen` are those of a long body."""

    path: tuple[str, ...]
    fallback: str
    type: ColumnType
    unit: str | None
    cells: tuple[TableCell | None, ...]
    unseen: BodyColumn | None = None

    @property
    def alike(self) -> tuple[Alike, ...]:
        return self.unseen.alike if self.unseen is not None else ()


class OddValue(NamedTuple):
    row: int
    cell: TableCell
    reason: str


class TypedColumn(NamedTuple):
    """One value, unit, scale and place a row; `odd` speaks of the data rows only. `unseen` as in `RawColumn`."""

    column: LookupColumn
    values: tuple[Stored, ...]
    units: tuple[str | None, ...]
    scales: tuple[int, ...]
    places: tuple[Place | None, ...]
    cells: tuple[TableCell | None, ...]
    odd: tuple[OddValue, ...]
    unseen: BodyColumn | None = None


def typed_columns(table: Table, rows: Sequence[Row], data_rows: int) -> tuple[TypedColumn, ...]:
    """The columns of a table in page order, a section column first where any row has sections.

    `rows` are the data rows and then the totals; the first `data_rows` of them decide the types.
    """
    gathered = _gather(table, rows)
    slugs = unique_slugs((" ".join(c.path), c.fallback) for c in gathered)
    return tuple(_typed(c, slug, data_rows) for c, slug in zip(gathered, slugs, strict=True))


def _gather(table: Table, rows: Sequence[Row]) -> tuple[RawColumn, ...]:
    by_row = [{cell.column: cell for cell in (*row.labels, *row.cells)} for row in rows]
    found: list[RawColumn] = []
    body = table.body
    unseen = {column.index: column for column in body.columns} if body is not None else {}
    if any(row.sections for row in rows):
        sections = tuple(_made_up(" › ".join(row.sections)) for row in rows)
        found.append(RawColumn(("section",), "section", ColumnType.TEXT, None, sections))
    if not any(row.labels for row in rows) and any(row.path for row in rows):
        labels = tuple(_made_up(" › ".join(row.path[len(row.sections) :])) for row in rows)
        stubhead = table.label_columns[0].path if table.label_columns else ()
        found.append(RawColumn(stubhead, "label", ColumnType.TEXT, None, labels))
    label_indices = {column.index for column in table.label_columns}
    for number, column in enumerate(sorted((*table.label_columns, *table.columns), key=lambda c: c.index), start=1):
        cells = tuple(row.get(column.index) for row in by_row)
        if column.index in label_indices and not any(cells) and column.index not in unseen:
            continue
        fallback = "label" if column.index in label_indices else f"column_{number}"
        own = unseen.get(column.index)
        found.append(RawColumn(column.path, fallback, column.type, column.unit, cells, own))
    return tuple(found)


def _made_up(text: str) -> TableCell | None:
    return TableCell(-1, text, None, None, 1, False, "") if text else None


def _typed(raw: RawColumn, slug: str, data_rows: int) -> TypedColumn:
    column_type = _type_of(raw, data_rows)
    values: list[Stored] = []
    odd: list[OddValue] = []
    for n, cell in enumerate(raw.cells):
        value, reason = stored_value(cell, column_type)
        values.append(value)
        if reason is not None and cell is not None and n < data_rows:
            odd.append(OddValue(n, cell, reason))
    units, scales = _units(raw, values, column_type)
    kinds = {(u, s) for u, s, v in zip(units[:data_rows], scales, values, strict=False) if v is not None}
    if column_type in NUMERIC:
        there = (alike.cell for alike in raw.alike if stored_value(alike.cell, column_type)[0] is not None)
        kinds |= {(cell.unit or raw.unit, cell.scale) for cell in there}
    unit, scale, mixed = _one_unit(kinds, raw.unit if column_type in NUMERIC else None)
    places = tuple(place_of(c.address) if c is not None and c.address else None for c in raw.cells)
    prefix, place = _usual_place(places[:data_rows] or places)
    column = LookupColumn(
        slug=slug,
        heading=" ".join(raw.path),
        path=raw.path,
        type=column_type,
        unit=unit,
        scale=scale,
        mixed=mixed,
        prefix=prefix,
        place=place,
        nulls=sum(v is None for v in values[:data_rows]),
        odd=len(odd),
    )
    return TypedColumn(column, tuple(values), units, scales, places, raw.cells, tuple(odd), raw.unseen)


def _type_of(raw: RawColumn, data_rows: int) -> ColumnType:
    """The declared type, widened where a cell needs it; text narrows only where every cell has a value."""
    here = (*raw.cells[:data_rows], *(alike.cell for alike in raw.alike))
    cells = [c for c in here if c is not None and c.text and not c.nil]
    kinds = {_kind(c.value) for c in cells}
    declared = raw.type
    if declared is ColumnType.TEXT and cells:
        declared = _common_type(kinds)
    if declared is ColumnType.INTEGER and ColumnType.NUMBER in kinds:
        declared = ColumnType.NUMBER
    if declared is ColumnType.DATE and ColumnType.TIMESTAMP in kinds:
        declared = ColumnType.TIMESTAMP
    too_large = any(isinstance(c.value, int) and abs(c.value) > MAX_INTEGER for c in cells)
    return ColumnType.TEXT if declared is ColumnType.INTEGER and too_large else declared


def _kind(value: Value) -> ColumnType:
    if isinstance(value, bool):
        return ColumnType.BOOLEAN
    if isinstance(value, int):
        return ColumnType.INTEGER
    if isinstance(value, float):
        return ColumnType.NUMBER
    if isinstance(value, str):
        return ColumnType.DATE if len(value) == len("2026-01-01") else ColumnType.TIMESTAMP
    return ColumnType.TEXT


def _common_type(kinds: set[ColumnType]) -> ColumnType:
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds == {ColumnType.INTEGER, ColumnType.NUMBER}:
        return ColumnType.NUMBER
    if kinds == {ColumnType.DATE, ColumnType.TIMESTAMP}:
        return ColumnType.TIMESTAMP
    return ColumnType.TEXT


def stored_value(cell: TableCell | None, column_type: ColumnType) -> tuple[Stored, str | None]:
    """What the typed table holds for a cell, and why it holds null where the cell shows something else."""
    if cell is None or cell.nil or not cell.text:
        return None, None
    if column_type is ColumnType.TEXT:
        return cell.text, None
    if column_type in NUMERIC:
        return _number(cell.value, column_type)
    if column_type is ColumnType.BOOLEAN:
        return (cell.value, None) if isinstance(cell.value, bool) else (None, "not_a_boolean")
    moment = parsed_moment(cell.value) if isinstance(cell.value, str) else None
    if moment is None:
        return None, "not_a_date"
    if column_type is ColumnType.TIMESTAMP:
        return moment, None
    return (moment.date(), None) if moment.time() == datetime.min.time() else (None, "not_a_date")


def _number(value: Value, column_type: ColumnType) -> tuple[Stored, str | None]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None, "not_a_number"
    if column_type is ColumnType.INTEGER:
        return (value, None) if isinstance(value, int) else (None, "not_an_integer")
    try:
        number = float(value)
    except OverflowError:
        return None, "too_large"
    return (number, None) if math.isfinite(number) else (None, "not_a_number")


def parsed_moment(text: str) -> datetime | None:
    """ISO 8601 date or timestamp, in UTC where it names a zone."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        return None


def _units(
    raw: RawColumn, values: Sequence[Stored], column_type: ColumnType
) -> tuple[tuple[str | None, ...], tuple[int, ...]]:
    if column_type not in NUMERIC:
        return (None,) * len(values), (1,) * len(values)
    units = tuple(None if c is None else (c.unit or raw.unit) for c in raw.cells)
    scales = tuple(1 if c is None else c.scale for c in raw.cells)
    return units, scales


def _one_unit(kinds: set[tuple[str | None, int]], declared: str | None) -> tuple[str | None, int, bool]:
    """Unit and scale of a column, and whether its cells differ; a sign not repeated on each row is no difference."""
    named = {unit for unit, _ in kinds if unit is not None}
    scales = {scale for _, scale in kinds}
    unnamed = any(unit is None for unit, _ in kinds)
    if len(scales) > 1 or len(named) > 1 or (unnamed and "percent" in named):
        return None, 1, True
    return (next(iter(named)) if named else declared), (next(iter(scales)) if scales else 1), False


def _usual_place(places: Sequence[Place | None]) -> tuple[str, str]:
    counted = Counter((p.prefix, p.column) for p in places if p is not None)
    return counted.most_common(1)[0][0] if counted else ("", "")
