"""The lookup tools of the visible partitions: their names, their schemas, a call.

Holds: `open_toolbox`, `Toolbox`, `ToolSchema`.
Add here: another rule of names.
Never here: SQL (query.py), checking arguments (calls.py), scopes (corpus.py).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path

import duckdb

from rag_assets.lookup.calls import Refusal, read_call
from rag_assets.lookup.catalogue import CatalogueEntry, read_catalogue
from rag_assets.lookup.connection import locked_connection
from rag_assets.lookup.descriptions import Json, description_of, parameters_of, statement_parameters
from rag_assets.lookup.query import run_call
from rag_assets.lookup.statement_lookup import COLUMNS, NAME, lookup_statements
from rag_assets.model.corpus import LookupFault, LookupResult

MAX_NAMED = 20
KEPT_CATALOGUES = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """`name` is the short name where only one visible table has it, else the full one."""

    name: str
    full_name: str
    description: str
    parameters: Json
    source: str | None = None
    title: str | None = None

    def as_openai(self) -> Json:
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


def open_toolbox(warehouses: Sequence[tuple[str, Path]]) -> "Toolbox":
    """The tools of these DuckDB files, given with their partition keys."""
    return Toolbox(tuple(path for _, path in sorted(warehouses)))


@lru_cache(maxsize=KEPT_CATALOGUES)
def _catalogue(path: Path) -> tuple[CatalogueEntry, ...]:
    """A segment's file never changes, so its catalogue is read once."""
    with locked_connection(path) as connection:
        return read_catalogue(connection, path)


class Toolbox:
    def __init__(self, files: tuple[Path, ...]) -> None:
        self._files = files

    @cached_property
    def _entries(self) -> tuple[CatalogueEntry, ...]:
        return tuple(entry for path in self._files for entry in _catalogue(path))

    @cached_property
    def _times(self) -> Counter[str]:
        return Counter(entry.tool for entry in self._entries if entry.tool)

    def tools(self, k: int | None = None) -> tuple[ToolSchema, ...]:
        """All visible tools by name, `lookup_statements` last; at most `k` where given."""
        made = sorted((self._schema(entry) for entry in self._entries), key=lambda tool: tool.name)
        statements = ToolSchema(
            name=NAME,
            full_name=NAME,
            description="What single cells say: subject, phrase, value, when. Filters only; no sums over mixed units.",
            parameters=statement_parameters(list(COLUMNS)),
        )
        every = (*made, statements) if self._files else ()
        return every if k is None else every[:k]

    def call(self, name: str, arguments: Mapping[str, object], today: date) -> LookupResult | LookupFault:
        """Call one tool. A refusal is a value; nothing a caller sends raises."""
        try:
            if name == NAME and self._files:
                return lookup_statements(self._files, arguments, today)
            entry = self._entry(name)
            call = read_call(arguments, entry.by_slug, today)
            with locked_connection(entry.path) as connection:
                return run_call(connection, entry, call, name)
        except Refusal as refusal:
            return refusal.fault
        except duckdb.Error as error:
            return LookupFault(code="bad_arguments", message=f"the call cannot be run: {type(error).__name__}")

    def _entry(self, name: str) -> CatalogueEntry:
        full = [entry for entry in self._entries if name in (entry.full_name, entry.table_name)]
        if full:
            return full[0]
        short = [entry for entry in self._entries if entry.tool == name]
        if not short:
            raise Refusal("unknown_tool", f"no tool {name[:60]!r}", [tool.name for tool in self.tools(MAX_NAMED)])
        if len(short) > 1:
            raise Refusal("ambiguous_tool", f"{len(short)} tables are named {name}", [e.full_name for e in short])
        return short[0]

    def _schema(self, entry: CatalogueEntry) -> ToolSchema:
        unique = entry.tool is not None and self._times[entry.tool] == 1 and entry.tool != NAME
        return ToolSchema(
            name=entry.tool if unique and entry.tool else entry.full_name,
            full_name=entry.full_name,
            description=description_of(entry),
            parameters=parameters_of(entry),
            source=entry.source,
            title=entry.title or None,
        )
