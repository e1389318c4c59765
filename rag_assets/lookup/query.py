"""One checked call as SQL over one table: bound values, identifiers from the catalogue, nothing else.

Holds: `run_call`, `conditions`, `rows_of`.
Add here: another part of a result.
Never here: checking arguments (calls.py), names of tools (tools.py).
"""

import math
from collections.abc import Container, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

import duckdb

from rag_assets.lookup.calls import Aggregate, Bound, Call, Filter
from rag_assets.lookup.catalogue import CatalogueEntry
from rag_assets.lookup.columns import LookupColumn
from rag_assets.lookup.places import Place, address_of, ranges
from rag_assets.lookup.slugs import quoted, scale_column, unit_column
from rag_assets.lookup.warehouse import LINE, ROW
from rag_assets.model.corpus import LookupResult, Scalar
from rag_assets.model.table import ColumnType

MAX_ADDRESSED_ROWS = 20_000
MAX_ADDRESSES = 200
SIGNIFICANT_DIGITS = 15

_COMPARED = {"eq": "=", "ne": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_FUNCTIONS = {
    "count_distinct": "count(distinct {})",
    "sum": "sum({})",
    "avg": "avg({})",
    "min": "min({})",
    "max": "max({})",
    "median": "median({})",
}


class _Where(NamedTuple):
    sql: str
    values: tuple[Bound, ...]

    def also(self, other: "_Where") -> "_Where":
        return _Where(f"({self.sql}) and ({other.sql})", self.values + other.values)


_ALL = _Where("true", ())


class _Counts(NamedTuple):
    matched: int
    not_yet: int
    expired: int


def run_call(connection: duckdb.DuckDBPyConnection, entry: CatalogueEntry, call: Call, tool: str) -> LookupResult:
    """The rows or aggregates of one call, with everything that says how much they are worth."""
    filtered = conditions(call.filters)
    where = filtered.also(_in_force(entry, call.as_of))
    counts = _counts(connection, entry, filtered, where, call.as_of)
    found = (
        _aggregated(connection, entry, call, where) if call.aggregates else _selected(connection, entry, call, where)
    )
    rows, available = found
    return LookupResult(
        tool=tool,
        rows=rows,
        row_count=len(rows),
        matched_rows=counts.matched,
        table_rows=entry.row_count,
        complete=len(rows) == available,
        units=_units(call),
        scales=_scales(call),
        as_of=call.as_of.isoformat() if entry.dated else None,
        not_yet_in_force=counts.not_yet,
        expired=counts.expired,
        ignored_nulls=_ignored_nulls(connection, entry, call, where),
        loaded_at=entry.loaded_at,
        source=entry.source,
        addresses=_addresses(connection, entry, call, where),
    )


def conditions(filters: Sequence[Filter]) -> _Where:
    where = _ALL
    for one in filters:
        where = where.also(_condition(one))
    return where


def _condition(one: Filter) -> _Where:
    """Text is compared without regard to case."""
    name = quoted(one.column.slug)
    if one.operator == "is_null":
        return _Where(f"{name} is null" if one.wanted else f"{name} is not null", ())
    text = one.column.type is ColumnType.TEXT
    left, right = (f"lower({name})", "lower(?)") if text else (name, "?")
    if one.operator == "contains":
        return _Where(f"contains({left}, {right})", one.values)
    if one.operator == "in":
        return _Where(f"{left} in ({', '.join([right] * len(one.values))})", one.values)
    return _Where(f"{left} {_COMPARED[one.operator]} {right}", one.values)


def _in_force(entry: CatalogueEntry, day: date) -> _Where:
    where = _ALL
    if entry.effective_from:
        name = quoted(entry.effective_from)
        where = where.also(_Where(f"{name} is null or {name}::date <= ?", (day,)))
    if entry.effective_until:
        name = quoted(entry.effective_until)
        where = where.also(_Where(f"{name} is null or {name}::date >= ?", (day,)))
    return where


def _counts(
    connection: duckdb.DuckDBPyConnection, entry: CatalogueEntry, filtered: _Where, where: _Where, day: date
) -> _Counts:
    """Rows that passed, and rows left out because they do not hold yet or no longer."""
    matched = _count(connection, entry, where)
    not_yet = expired = 0
    if entry.effective_from:
        later = _Where(f"{quoted(entry.effective_from)}::date > ?", (day,))
        not_yet = _count(connection, entry, filtered.also(later))
    if entry.effective_until:
        over = _Where(f"{quoted(entry.effective_until)}::date < ?", (day,))
        expired = _count(connection, entry, filtered.also(over))
    return _Counts(matched, not_yet, expired)


def _count(connection: duckdb.DuckDBPyConnection, entry: CatalogueEntry, where: _Where) -> int:
    sql = f"select count(*) from {quoted(entry.table_name)} where {where.sql}"
    found = connection.execute(sql, list(where.values)).fetchone()
    return int(found[0]) if found else 0


Rows = tuple[tuple[dict[str, Scalar], ...], int]


def _selected(connection: duckdb.DuckDBPyConnection, entry: CatalogueEntry, call: Call, where: _Where) -> Rows:
    """The first rows, and how many there are; a column whose rows differ in unit brings unit and scale along."""
    names = [c.slug for c in call.select]
    shown = [quoted(name) for name in names]
    for column in call.select:
        if column.mixed:
            shown += [quoted(unit_column(column.slug)), quoted(scale_column(column.slug))]
            names += [_free(f"{column.slug}_{part}", entry.by_slug) for part in ("unit", "scale")]
    order = [f"{quoted(o.name)} {'desc' if o.descending else 'asc'} nulls last" for o in call.order_by]
    sql = (
        f"select {', '.join(shown)} from {quoted(entry.table_name)} where {where.sql} "
        f"order by {', '.join([*order, quoted(ROW)])} limit {call.limit}"
    )
    found = connection.execute(sql, list(where.values)).fetchall()
    return rows_of(names, found), _count(connection, entry, where)


def _free(name: str, taken: Container[str]) -> str:
    """The name, with "_" after it where a column of the table has it already."""
    return _free(f"{name}_", taken) if name in taken else name


def _aggregated(connection: duckdb.DuckDBPyConnection, entry: CatalogueEntry, call: Call, where: _Where) -> Rows:
    """One row for each group; without groups one row, where count is 0 and the rest null over no rows."""
    groups = [quoted(c.slug) for c in call.group_by]
    names = [c.slug for c in call.group_by] + [a.name for a in call.aggregates]
    shown = groups + [f"{_function(a)} as {quoted(a.name)}" for a in call.aggregates]
    table = f"from {quoted(entry.table_name)} where {where.sql}"
    order = [f"{quoted(o.name)} {'desc' if o.descending else 'asc'} nulls last" for o in call.order_by] + groups
    sql = f"select {', '.join(shown)} {table}"
    if groups:
        sql += f" group by {', '.join(groups)} order by {', '.join(order)} limit {call.limit}"
    found = connection.execute(sql, list(where.values)).fetchall()
    if not groups:
        return rows_of(names, found), len(found)
    counted = connection.execute(
        f"select count(*) from (select distinct {', '.join(groups)} {table})", list(where.values)
    )
    total = counted.fetchone()
    return rows_of(names, found), int(total[0]) if total else 0


def _function(aggregate: Aggregate) -> str:
    if aggregate.column is None:
        return "count(*)"
    column = aggregate.column
    name = quoted(column.slug)
    if aggregate.function == "count":
        return f"count({name})"
    if column.mixed:  # 5 thousand and 5 million are two values; of a mixed column nothing else is asked
        whole = f"{name}, {quoted(unit_column(column.slug))}, {quoted(scale_column(column.slug))}"
        name = f"case when {name} is not null then row({whole}) end"
    return _FUNCTIONS[aggregate.function].format(name)


def rows_of(names: Sequence[str], found: Sequence[tuple[object, ...]]) -> tuple[dict[str, Scalar], ...]:
    return tuple({name: _scalar(value) for name, value in zip(names, row, strict=True)} for row in found)


def _scalar(value: object) -> Scalar:
    """As JSON holds it: dates as ISO text, no binary dust at the end of a mean."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | Decimal):
        number = float(value)
        return float(f"{number:.{SIGNIFICANT_DIGITS}g}") if math.isfinite(number) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return str(value)


def _named_columns(call: Call) -> list[tuple[str, LookupColumn]]:
    """(name in the result, column whose unit it has)."""
    if not call.aggregates:
        return [(c.slug, c) for c in call.select]
    values = [(a.name, a.column) for a in call.aggregates if a.column and not a.function.startswith("count")]
    return [(c.slug, c) for c in call.group_by] + [(name, column) for name, column in values if column is not None]


def _units(call: Call) -> dict[str, str]:
    return {name: column.unit for name, column in _named_columns(call) if column.unit and not column.mixed}


def _scales(call: Call) -> dict[str, int]:
    return {name: column.scale for name, column in _named_columns(call) if column.is_number and not column.mixed}


def _ignored_nulls(
    connection: duckdb.DuckDBPyConnection, entry: CatalogueEntry, call: Call, where: _Where
) -> dict[str, int]:
    found = {}
    for aggregate in call.aggregates:
        if aggregate.column is not None:
            empty = _Where(f"{quoted(aggregate.column.slug)} is null", ())
            found[aggregate.name] = _count(connection, entry, where.also(empty))
    return found


def _addresses(
    connection: duckdb.DuckDBPyConnection, entry: CatalogueEntry, call: Call, where: _Where
) -> tuple[str, ...]:
    """The cells the result stands on, runs of one column as one range."""
    counted = [(a.name, a.column) for a in call.aggregates if a.column is not None]
    columns = {c.slug: c for _, c in (*_named_columns(call), *counted)} or {c.slug: c for c in entry.columns[:1]}
    order = [f"{quoted(o.name)} {'desc' if o.descending else 'asc'} nulls last" for o in call.order_by]
    bound = MAX_ADDRESSED_ROWS if call.aggregates else call.limit
    tail = ", ".join([*(() if call.aggregates else order), quoted(ROW)])
    table = quoted(entry.table_name)
    sql = f"select {quoted(ROW)}, {quoted(LINE)} from {table} where {where.sql} order by {tail} limit {bound}"
    lines = connection.execute(sql, list(where.values)).fetchall()
    strays = connection.execute(
        "select row, column_name, address from cell_addresses where table_name = ?", [entry.table_name]
    ).fetchall()
    elsewhere = {(row, name): address for row, name, address in strays}
    found = []
    for column in columns.values():
        for row, line in sorted(lines):
            stray = elsewhere.get((row, column.slug))
            if stray is not None:
                found.append(stray)
            elif line is not None and column.place:
                found.append(address_of(Place(column.prefix, column.place, line)))
    return ranges(found)[:MAX_ADDRESSES]
