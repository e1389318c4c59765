"""What a warehouse file says of its tables, read back.

Holds: `CatalogueEntry` and how it is read.
Add here: a fact of the catalogue that tools need.
Never here: building the file (warehouse.py), calls (query.py).
"""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import duckdb

from rag_assets.lookup.columns import LookupColumn
from rag_assets.model.table import ColumnType


@dataclass(frozen=True, kw_only=True)
class CatalogueEntry:
    """One table of one file. `tool` is its short name, or None."""

    path: Path
    table_name: str
    tool: str | None
    full_name: str
    title: str
    source: str
    collection: str
    sheet: str | None
    range: str | None
    columns: tuple[LookupColumn, ...]
    row_count: int
    key: tuple[str, ...]
    effective_from: str | None
    effective_until: str | None
    notes: tuple[str, ...]
    loaded_at: str

    @cached_property
    def by_slug(self) -> dict[str, LookupColumn]:
        return {c.slug: c for c in self.columns}

    @property
    def slugs(self) -> tuple[str, ...]:
        return tuple(c.slug for c in self.columns)

    @property
    def dated(self) -> bool:
        return self.effective_from is not None or self.effective_until is not None


_FIELDS = (
    "table_name, tool, full_name, title, source, collection, sheet, range, columns, row_count, key, effective_from, "
    "effective_until, notes, loaded_at"
)


def read_catalogue(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[CatalogueEntry, ...]:
    rows = connection.execute(f"select {_FIELDS} from catalogue order by source, table_name").fetchall()
    return tuple(_entry(path, dict(zip(_FIELDS.split(", "), row, strict=True))) for row in rows)


def _entry(path: Path, fields: dict[str, object]) -> CatalogueEntry:
    columns = tuple(_column(c) for c in json.loads(str(fields.pop("columns"))))
    key = tuple(json.loads(str(fields.pop("key"))))
    notes = tuple(json.loads(str(fields.pop("notes"))))
    return CatalogueEntry(path=path, columns=columns, key=key, notes=notes, **fields)  # ty: ignore[invalid-argument-type]


def _column(fields: dict[str, object]) -> LookupColumn:
    column = LookupColumn(**fields)  # ty: ignore[invalid-argument-type]
    return replace(column, type=ColumnType(column.type), path=tuple(column.path))
