"""Which tables become lookup tables, and what they are called.

Holds: `with_lookups`: the mark, the names, and what an override file says about columns and keys.
Add here: another condition for a lookup table.
Never here: the spelling of names (names), loading (lookup/).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from rag_assets.model.document import Document, Grid
from rag_assets.model.table import Column, Table
from rag_assets.tables.names import full_name, short_name, slug
from rag_assets.tables.overrides import TableOverride
from rag_assets.tables.rules import Rules

DELIMITED = frozenset({"text/csv", "text/tab-separated-values"})


def is_sheet(document: Document, grid: Grid) -> bool:
    """Sheets and delimited files are divided into regions; the tables of a page are not."""
    return grid.sheet is not None or document.source.media_type in DELIMITED


def with_lookups(
    document: Document, tables: Sequence[tuple[Table, Grid, TableOverride | None]], rules: Rules
) -> tuple[Table, ...]:
    """The tables with their lookup names. Each comes with its region (or grid) and what an override file says of it."""
    sheets = [region.id for table, region, _ in tables if is_sheet(document, region) and table.rows]
    several = len(set(sheets)) > 1
    return tuple(_named(document, table, region, override, several, rules) for table, region, override in tables)


def _named(
    document: Document, table: Table, region: Grid, override: TableOverride | None, several: bool, rules: Rules
) -> Table:
    if override is not None:
        table = _overridden(table, override)
    if not table.rows or not (is_sheet(document, region) or _is_large(table, rules)):
        return table
    hints = sorted(region.hints, key=lambda h: h.kind != "list_object")
    name = short_name(
        override=override.name if override else None,
        hints=[hint.name for hint in hints],
        uri=document.source.uri,
        sheet=region.sheet,
        several_regions=several,
        caption=table.caption,
        place=str(table.id),
    )
    collection, _, path = document.source.uri.partition("/")
    full = full_name(name, collection=collection, path=path or PurePosixPath(collection).name, place=str(table.id))
    return replace(table, lookup=True, name=name, full_name=full)


def _is_large(table: Table, rules: Rules) -> bool:
    """Enough rows, and every column has a heading that no other has."""
    headings = [column.heading for column in table.columns]
    return table.row_count >= rules.lookup_rows and all(headings) and len(set(headings)) == len(headings)


def _overridden(table: Table, override: TableOverride) -> Table:
    types = {slug(name): kind for name, kind in override.types}
    units = {slug(name): unit for name, unit in override.units}

    def settled(column: Column) -> Column:
        name = slug(column.heading)
        return replace(column, type=types.get(name, column.type), unit=units.get(name, column.unit))

    return replace(
        table,
        columns=tuple(map(settled, table.columns)),
        label_columns=tuple(map(settled, table.label_columns)),
        key=override.key or table.key,
        effective=override.effective or table.effective,
        confidence=1.0,
    )
