"""A call as it comes in: checked against the columns of its table, or refused with a code.

Holds: `Call`, `Filter`, `Aggregate`, `Order`, `read_call`, `Refusal`.
Add here: another operator or aggregate function (and its line in the reference).
Never here: SQL (query.py), which table a name means (tools.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from rag_assets.lookup.columns import NUMERIC, LookupColumn
from rag_assets.model.corpus import LookupFault
from rag_assets.model.table import ColumnType

OPERATORS = ("eq", "ne", "lt", "lte", "gt", "gte", "in", "contains", "is_null")
FUNCTIONS = ("count", "count_distinct", "sum", "avg", "min", "max", "median")
NEEDS_NUMBERS = frozenset({"sum", "avg", "median"})
DEFAULT_LIMIT = 100
MAX_LIMIT = 1000
MAX_FILTERS = 32
MAX_VALUES = 1000
MAX_TEXT = 4000
KEYS = ("filters", "select", "aggregate", "group_by", "order_by", "limit", "as_of")

Bound = int | float | bool | str | date | datetime


class Refusal(ValueError):
    """A call that cannot be answered; becomes the error object of the result."""

    def __init__(self, code: str, message: str, allowed: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.fault = LookupFault(code=code, message=message, allowed=tuple(allowed))


class Filter(NamedTuple):
    """`values` are bound parameters, of the column's type; none for is_null, whose truth is `wanted`."""

    column: LookupColumn
    operator: str
    values: tuple[Bound, ...] = ()
    wanted: bool = True


class Aggregate(NamedTuple):
    function: str
    column: LookupColumn | None
    name: str


class Order(NamedTuple):
    name: str
    descending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    filters: tuple[Filter, ...]
    select: tuple[LookupColumn, ...]
    aggregates: tuple[Aggregate, ...]
    group_by: tuple[LookupColumn, ...]
    order_by: tuple[Order, ...]
    limit: int
    as_of: date


def read_call(arguments: Mapping[str, object], columns: Mapping[str, LookupColumn], today: date) -> Call:
    """Check the arguments of one call. Raises Refusal: the code and what is allowed instead."""
    unknown = [str(key)[:60] for key in arguments if key not in KEYS]
    if unknown:
        raise Refusal("bad_arguments", f"unknown argument {unknown[0]}", KEYS)
    aggregates = tuple(_aggregate(entry, columns) for entry in _list(arguments, "aggregate"))
    if aggregates and arguments.get("select"):
        raise Refusal("select_with_aggregate", "give `select` or `aggregate`, not both", ("select", "aggregate"))
    group_by = tuple(_column(name, columns) for name in _list(arguments, "group_by"))
    if group_by and not aggregates:
        raise Refusal("bad_arguments", "`group_by` needs `aggregate`", ("aggregate",))
    select = tuple(_column(name, columns) for name in _list(arguments, "select"))
    chosen = select or (() if aggregates else tuple(columns.values()))
    sortable = [a.name for a in aggregates] + [c.slug for c in group_by] if aggregates else list(columns)
    return Call(
        filters=tuple(_filter(entry, columns) for entry in _list(arguments, "filters")),
        select=chosen,
        aggregates=aggregates,
        group_by=group_by,
        order_by=tuple(_order(entry, sortable) for entry in _list(arguments, "order_by")),
        limit=_limit(arguments.get("limit")),
        as_of=_as_of(arguments.get("as_of"), today),
    )


def _list(arguments: Mapping[str, object], key: str) -> Sequence[object]:
    found = arguments.get(key)
    if found is None:
        return ()
    if not isinstance(found, list | tuple) or len(found) > MAX_FILTERS:
        raise Refusal("bad_arguments", f"`{key}` must be a list of at most {MAX_FILTERS}")
    return found


def _mapping(entry: object, what: str, allowed: Sequence[str]) -> Mapping[str, object]:
    if not isinstance(entry, Mapping) or any(key not in allowed for key in entry):
        raise Refusal("bad_arguments", f"{what} must be an object with {', '.join(allowed)}", allowed)
    return entry


def _column(name: object, columns: Mapping[str, LookupColumn]) -> LookupColumn:
    found = columns.get(name) if isinstance(name, str) else None
    if found is None:
        raise Refusal("unknown_column", f"no column {str(name)[:60]!r}", tuple(columns))
    return found


def _filter(entry: object, columns: Mapping[str, LookupColumn]) -> Filter:
    given = _mapping(entry, "a filter", ("column", "op", "value"))
    column = _column(given.get("column"), columns)
    operator = given.get("op", "eq")
    if not isinstance(operator, str) or operator not in OPERATORS:
        raise Refusal("unknown_operator", f"no operator {str(operator)[:60]!r}", OPERATORS)
    value = given.get("value")
    if operator == "is_null" or (value is None and operator in ("eq", "ne")):
        wanted = value is not False if operator == "is_null" else operator == "eq"
        return Filter(column, "is_null", (), wanted)
    if operator == "contains" and column.type is not ColumnType.TEXT:
        raise Refusal("wrong_type", f"`contains` needs a text column; {column.slug} is {column.type}", OPERATORS)
    values = value if operator == "in" else [value]
    if not isinstance(values, list | tuple) or not values or len(values) > MAX_VALUES:
        raise Refusal("bad_arguments", f"`in` needs a list of 1 to {MAX_VALUES} values")
    return Filter(column, operator, tuple(_bound(one, column) for one in values))


def _bound(value: object, column: LookupColumn) -> Bound:
    """The value in the column's own type."""
    if column.type in NUMERIC and isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if column.type is ColumnType.BOOLEAN and isinstance(value, bool):
        return value
    if column.type is ColumnType.TEXT and isinstance(value, str | int | float) and len(str(value)) <= MAX_TEXT:
        return str(value)
    if column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) and isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            pass
        else:
            return moment.date() if column.type is ColumnType.DATE else moment.replace(tzinfo=None)
    unit = " (a percent is a fraction: 12 % is 0.12)" if column.unit == "percent" else ""
    raise Refusal("wrong_type", f"{column.slug} is {column.type}{unit}", (str(column.type),))


def _aggregate(entry: object, columns: Mapping[str, LookupColumn]) -> Aggregate:
    given = _mapping(entry, "an aggregate", ("function", "column", "as"))
    function = given.get("function")
    if not isinstance(function, str) or function not in FUNCTIONS:
        raise Refusal("unknown_operator", f"no function {str(function)[:60]!r}", FUNCTIONS)
    named = given.get("column")
    column = None if named in (None, "*") and function == "count" else _column(named, columns)
    if column is not None and function in NEEDS_NUMBERS and column.type not in NUMERIC:
        numbers = [c.slug for c in columns.values() if c.type in NUMERIC]
        raise Refusal("wrong_type", f"`{function}` needs numbers; {column.slug} is {column.type}", numbers)
    if column is not None and column.mixed and function not in ("count", "count_distinct"):
        raise Refusal(
            "wrong_type", f"the rows of {column.slug} differ in unit or scale: filter and select them instead"
        )
    name = given.get("as") or (f"{function}_{column.slug}" if column else function)
    if not isinstance(name, str) or not name.isidentifier() or len(name) > 60:
        raise Refusal("bad_arguments", "`as` must be a short name of letters, digits and _")
    return Aggregate(function, column, name)


def _order(entry: object, sortable: Sequence[str]) -> Order:
    given = _mapping(entry, "an order", ("column", "descending"))
    name = given.get("column")
    if not isinstance(name, str) or name not in sortable:
        raise Refusal("unknown_column", f"cannot order by {str(name)[:60]!r}", sortable)
    return Order(name, given.get("descending") is True)


def _limit(value: object) -> int:
    if value is None:
        return DEFAULT_LIMIT
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Refusal("bad_arguments", f"`limit` must be a whole number from 1 to {MAX_LIMIT}")
    if value > MAX_LIMIT:
        raise Refusal(
            "limit_exceeded", f"at most {MAX_LIMIT} rows a call; filter or aggregate instead", (str(MAX_LIMIT),)
        )
    return value


def _as_of(value: object, today: date) -> date:
    if value is None:
        return today
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError:
        raise Refusal("bad_arguments", "`as_of` must be an ISO date, such as 2026-11-30") from None
