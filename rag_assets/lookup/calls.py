"""A call as it comes in: checked against the columns of its table, or refused with a code.

Holds: `Call`, `Filter`, `Aggregate`, `Order`, `read_call`, `Refusal`.
Add here: another operator or aggregate function (and its line in the reference).
Never here: SQL (query.py), which table a name means (tools.py).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple, TypeGuard

from rag_assets.lookup.columns import NUMERIC, LookupColumn, parsed_moment
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
MAX_NUMBER = 2**127  # DuckDB holds no larger whole number
MAX_SHOWN = 60
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
    unknown = [key for key in arguments if key not in KEYS]
    if unknown:
        raise Refusal("bad_arguments", f"unknown argument {_shown(unknown[0])}", KEYS)
    aggregates = tuple(_aggregate(entry, columns) for entry in _list(arguments, "aggregate"))
    if aggregates and arguments.get("select"):
        raise Refusal("select_with_aggregate", "give `select` or `aggregate`, not both", ("select", "aggregate"))
    group_by = tuple(_column(name, columns) for name in _list(arguments, "group_by"))
    _refuse_groups(group_by, aggregates)
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


def _refuse_groups(group_by: Sequence[LookupColumn], aggregates: Sequence[Aggregate]) -> None:
    """Refuse groups that mean nothing, and names of which only one could stand in a row of the result."""
    if group_by and not aggregates:
        raise Refusal("bad_arguments", "`group_by` needs `aggregate`", ("aggregate",))
    for column in group_by:
        if column.mixed:
            raise Refusal("wrong_type", f"the rows of {column.slug} differ in unit or scale: they make no groups")
    taken = {column.slug for column in group_by}
    for aggregate in aggregates:
        if aggregate.name.casefold() in taken:
            raise Refusal("bad_arguments", f"two values are named {aggregate.name}: give each its own `as`", ("as",))
        taken.add(aggregate.name.casefold())


def _shown(value: object) -> str:
    """What a caller sent, as it may stand in a message: short, on one line, without invisible characters."""
    return repr(value[:MAX_SHOWN]) if isinstance(value, str) else type(value).__name__


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
        raise Refusal("unknown_column", f"no column {_shown(name)}", tuple(columns))
    return found


def _filter(entry: object, columns: Mapping[str, LookupColumn]) -> Filter:
    given = _mapping(entry, "a filter", ("column", "op", "value"))
    column = _column(given.get("column"), columns)
    operator = given.get("op", "eq")
    if not isinstance(operator, str) or operator not in OPERATORS:
        raise Refusal("unknown_operator", f"no operator {_shown(operator)}", OPERATORS)
    value = given.get("value")
    if operator == "is_null":
        if not isinstance(value, bool | None):
            raise Refusal("wrong_type", "`is_null` takes true or false", ("true", "false"))
        return Filter(column, "is_null", (), value is not False)
    if "value" not in given:
        raise Refusal("bad_arguments", f"`{operator}` needs a value", ("column", "op", "value"))
    if value is None and operator in ("eq", "ne"):
        return Filter(column, "is_null", (), operator == "eq")
    if operator == "contains" and column.type is not ColumnType.TEXT:
        others = [name for name in OPERATORS if name != "contains"]
        raise Refusal("wrong_type", f"`contains` needs a text column; {column.slug} is {column.type}", others)
    values = value if operator == "in" else [value]
    if not isinstance(values, list | tuple) or not values or len(values) > MAX_VALUES:
        raise Refusal("bad_arguments", f"`in` needs a list of 1 to {MAX_VALUES} values")
    return Filter(column, operator, tuple(_bound(one, column) for one in values))


def _bound(value: object, column: LookupColumn) -> Bound:
    """The value in the column's own type."""
    if column.type in NUMERIC and _is_number(value):
        return value
    if column.type is ColumnType.BOOLEAN and isinstance(value, bool):
        return value
    if column.type is ColumnType.TEXT and (isinstance(value, bool) or _is_number(value) or _is_text(value)):
        return str(value)
    if column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) and isinstance(value, str):
        moment = parsed_moment(value)
        if moment is not None:
            return moment.date() if column.type is ColumnType.DATE else moment
    unit = " (a percent is a fraction: 12 % is 0.12)" if column.unit == "percent" else ""
    raise Refusal("wrong_type", f"{column.slug} is {column.type}{unit}", (str(column.type),))


def _is_number(value: object) -> TypeGuard[int | float]:
    """Finite, and not too large to be bound."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -MAX_NUMBER < value < MAX_NUMBER if isinstance(value, int) else math.isfinite(value)


def _is_text(value: object) -> TypeGuard[str]:
    """Short enough, and valid Unicode (JSON may escape half of a surrogate pair)."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _aggregate(entry: object, columns: Mapping[str, LookupColumn]) -> Aggregate:
    given = _mapping(entry, "an aggregate", ("function", "column", "as"))
    function = given.get("function")
    if not isinstance(function, str) or function not in FUNCTIONS:
        raise Refusal("unknown_operator", f"no function {_shown(function)}", FUNCTIONS)
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
        raise Refusal("unknown_column", f"cannot order by {_shown(name)}", sortable)
    descending = given.get("descending")
    if not isinstance(descending, bool | None):
        raise Refusal("bad_arguments", "`descending` takes true or false", ("true", "false"))
    return Order(name, descending is True)


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
    moment = parsed_moment(value) if isinstance(value, str) else None
    if moment is None:
        raise Refusal("bad_arguments", "`as_of` must be an ISO date, such as 2026-11-30")
    return moment.date()
