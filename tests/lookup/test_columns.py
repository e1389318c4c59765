"""Types, values, units and odd cells of the columns of a lookup table."""

from datetime import date, datetime

import pytest

from rag_assets.lookup.columns import TypedColumn, parsed_moment, stored_value, typed_columns
from rag_assets.model.table import ColumnType, Row, RowKind, TableCell, Value
from tests.lookup.warehouses import cell, column, row, table


def typed(kind: ColumnType, *cells: TableCell, unit: str | None = None) -> TypedColumn:
    rows = [row(n, c) for n, c in enumerate(cells, start=2)]
    return typed_columns(table([column(0, "price", kind, unit)], *rows), rows, len(rows))[0]


@pytest.mark.parametrize(
    ("declared", "values", "found"),
    [
        (ColumnType.TEXT, (1, 2), ColumnType.INTEGER),
        (ColumnType.TEXT, (1, 2.5), ColumnType.NUMBER),
        (ColumnType.TEXT, (1, None), ColumnType.TEXT),
        (ColumnType.TEXT, (True, False), ColumnType.BOOLEAN),
        (ColumnType.TEXT, (True, 1), ColumnType.TEXT),
        (ColumnType.TEXT, ("2026-01-01", "2026-01-01T10:00:00"), ColumnType.TIMESTAMP),
        (ColumnType.INTEGER, (1, 2.5), ColumnType.NUMBER),
        (ColumnType.INTEGER, (1, 2**63), ColumnType.TEXT),
        (ColumnType.DATE, ("2026-01-01", "2026-01-01T10:00:00"), ColumnType.TIMESTAMP),
        (ColumnType.NUMBER, (1.5, None), ColumnType.NUMBER),
    ],
)
def test_a_type_follows_from_all_rows(declared: ColumnType, values: tuple[Value, ...], found: ColumnType) -> None:
    assert typed(declared, *(cell(0, str(v), v) for v in values)).column.type is found


@pytest.mark.parametrize(
    ("kind", "value", "stored", "reason"),
    [
        (ColumnType.NUMBER, 3, 3.0, None),
        (ColumnType.NUMBER, None, None, "not_a_number"),
        (ColumnType.NUMBER, True, None, "not_a_number"),
        (ColumnType.NUMBER, float("inf"), None, "not_a_number"),
        (ColumnType.NUMBER, 10**400, None, "too_large"),
        (ColumnType.INTEGER, 3.5, None, "not_an_integer"),
        (ColumnType.BOOLEAN, False, False, None),
        (ColumnType.BOOLEAN, 0, None, "not_a_boolean"),
        (ColumnType.DATE, "2026-01-31", date(2026, 1, 31), None),
        (ColumnType.DATE, "2026-01-31T10:00:00", None, "not_a_date"),
        (ColumnType.DATE, "31/01/2026", None, "not_a_date"),
        (ColumnType.TIMESTAMP, "2026-01-31T10:00:00", datetime(2026, 1, 31, 10), None),
        (ColumnType.DURATION, 90, 90.0, None),
        (ColumnType.TEXT, 3, "shown", None),
    ],
)
def test_a_cell_that_is_no_value_of_its_type_is_null_with_a_reason(
    kind: ColumnType, value: Value, stored: object, reason: str | None
) -> None:
    assert stored_value(cell(0, "shown", value), kind) == (stored, reason)


def test_a_nil_or_empty_cell_is_null_and_not_odd() -> None:
    found = typed(ColumnType.NUMBER, cell(0, "1", 1), cell(0, "-"), cell(0, ""), cell(0, "n/a"))
    assert found.values == (1.0, None, None, None)
    assert [(odd.row, odd.cell.text) for odd in found.odd] == [(3, "n/a")]
    assert (found.column.nulls, found.column.odd) == (3, 1)


@pytest.mark.parametrize(
    ("cells", "unit", "scale", "mixed"),
    [
        ((cell(0, "$1", 1, "$"), cell(0, "2", 2)), "$", 1, False),
        ((cell(0, "$1", 1, "$"), cell(0, "€2", 2, "€")), None, 1, True),
        ((cell(0, "5%", 0.05, "percent"), cell(0, "2", 2)), None, 1, True),
        ((cell(0, "1", 1, "$", 1000), cell(0, "2", 2, "$", 1000)), "$", 1000, False),
        ((cell(0, "1", 1, "$", 1000), cell(0, "2", 2, "$", 10**6)), None, 1, True),
        ((cell(0, "$1", 1, "$"), cell(0, "-", None, "€")), "$", 1, False),
    ],
)
def test_a_column_has_one_unit_and_scale_or_is_mixed(
    cells: tuple[TableCell, ...], unit: str | None, scale: int, mixed: bool
) -> None:
    found = typed(ColumnType.NUMBER, *cells).column
    assert (found.unit, found.scale, found.mixed) == (unit, scale, mixed)


def test_totals_decide_neither_type_nor_unit() -> None:
    rows = [row(2, cell(0, "1", 1)), row(3, cell(0, "€2.50", 2.5, "€"), kind=RowKind.TOTAL)]
    found = typed_columns(table([column(0, "price", ColumnType.INTEGER)], *rows), rows, 1)[0]
    assert (found.column.type, found.column.unit, found.column.mixed) == (ColumnType.INTEGER, None, False)


def test_sections_become_a_column_of_their_own() -> None:
    value = cell(0, "3", 3)
    rows = [Row(path=("North", "rope"), kind=RowKind.DATA, cells=(value,), labels=(), sections=("North",))]
    found = typed_columns(table([column(0, "price", ColumnType.INTEGER)], *rows), rows, 1)
    assert [(t.column.slug, t.values) for t in found] == [
        ("section", ("North",)),
        ("label", ("rope",)),
        ("price", (3,)),
    ]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 1, 31)),
        ("2026-01-31T12:00:00+02:00", datetime(2026, 1, 31, 10)),
        ("0001-01-01T00:00:00+14:00", None),
        ("soon", None),
    ],
)
def test_a_moment_is_told_in_utc(text: str, moment: datetime | None) -> None:
    assert parsed_moment(text) == moment
