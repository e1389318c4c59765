"""What a tool says of itself to a model: a fixed template with cleaned data, and the JSON Schema of its arguments.

Holds: `description_of`, `parameters_of`, `STATEMENT_PARAMETERS`.
Add here: another fact of a table that helps to ask it rightly.
Never here: text of a document that is not cleaned.
"""

from collections.abc import Sequence

from rag_assets.lookup.calls import FUNCTIONS, MAX_LIMIT, OPERATORS
from rag_assets.lookup.catalogue import CatalogueEntry
from rag_assets.lookup.columns import LookupColumn
from rag_assets.lookup.slugs import clean_name

MAX_COLUMNS = 60
Json = dict[str, object]


def description_of(entry: CatalogueEntry) -> str:
    """`Rows of the table "…" (40 rows). Columns: region (text), discount (number, percent). …`"""
    title = clean_name(entry.title or entry.sheet or entry.source.rpartition("/")[2])
    columns = ", ".join(_column(c) for c in entry.columns[:MAX_COLUMNS])
    more = f" and {len(entry.columns) - MAX_COLUMNS} more" if len(entry.columns) > MAX_COLUMNS else ""
    dated = " Rows hold from or until a day: `as_of` defaults to today." if entry.dated else ""
    return (
        f'Rows of the table "{title}" ({entry.row_count} rows). Columns: {columns}{more}. '
        f"A percent is a fraction. Totals are left out; trust only results that say complete.{dated}"
    )


def _column(column: LookupColumn) -> str:
    unit = f", {clean_name(column.unit, 20)}" if column.unit else ""
    return f"{column.slug} ({column.type}{unit})"


def parameters_of(entry: CatalogueEntry) -> Json:
    names: Json = {"type": "string", "enum": list(entry.slugs)}
    properties: Json = {
        "filters": _filters(names),
        "select": {"type": "array", "items": names},
        "aggregate": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "function": {"type": "string", "enum": list(FUNCTIONS)},
                    "column": names,
                    "as": {"type": "string"},
                },
                "required": ["function"],
            },
        },
        "group_by": {"type": "array", "items": names},
        "order_by": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"column": {"type": "string"}, "descending": {"type": "boolean"}},
                "required": ["column"],
            },
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    }
    if entry.dated:
        properties["as_of"] = {"type": "string", "format": "date"}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _filters(names: Json) -> Json:
    value: Json = {"description": "A value of the column's type; a list for `in`."}
    properties = {"column": names, "op": {"type": "string", "enum": list(OPERATORS)}, "value": value}
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": ["column", "op"]}}


def statement_parameters(columns: Sequence[str]) -> Json:
    properties: Json = {
        "filters": _filters({"type": "string", "enum": list(columns)}),
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}
