"""What a column is for: key, measure, category, or a date that says from or until when its row holds.

Holds: roles, the key of a table, effective dates.
Add here: another way a heading says from or until.
Never here: types and units (columns.py), the effect of a date on a call (query.py).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Protocol

from rag_assets.lookup.columns import LookupColumn, Stored
from rag_assets.lookup.slugs import slug_of
from rag_assets.model.table import ColumnType, Table

MAX_KEY_COLUMNS = 3
MAX_KEY_CANDIDATES = 6
MAX_CATEGORIES = 50
DATES = frozenset({ColumnType.DATE, ColumnType.TIMESTAMP})

_FROM = re.compile(
    r"^(from|effective|in_force|valid|applies)$|(effective|valid|in_force|applies|applicable)_(from|since|date|as_of|on)|"
    r"(from|since)_date|^effective_|gultig_(ab|von)|in_kraft_(ab|seit)|vigente_desde|valido_desde|fecha_de_vigencia|"
    r"valable_(du|depuis|a_partir)|en_vigueur|生效"
)
_UNTIL = re.compile(
    r"^(until|till|thru|expires|expiry|expired|expiration)$|(effective|valid|in_force|applies)_(until|till|to|through|thru)|"
    r"(expiry|expiration|expires)_(date|on)|until_date|gultig_bis|in_kraft_bis|vigente_hasta|valido_hasta|vencimiento|"
    r"valable_jusqu|失效|到期"
)


def effective_columns(columns: Sequence[LookupColumn], table: Table) -> tuple[str | None, str | None]:
    """Slugs of the date columns that say from and until when a row holds; the file's own word wins."""
    dated = [c for c in columns if c.type in DATES]
    declared = dict(table.effective)
    begin = _named(dated, declared.get("from")) or _first(dated, _FROM, _UNTIL)
    end = _named(dated, declared.get("until") or declared.get("to")) or _first(dated, _UNTIL, None)
    return begin, end


def _named(columns: Sequence[LookupColumn], name: str | None) -> str | None:
    if not name:
        return None
    return next((c.slug for c in columns if name in (c.heading, c.slug) or slug_of(name, "") == c.slug), None)


def _first(columns: Sequence[LookupColumn], words: re.Pattern[str], but_not: re.Pattern[str] | None) -> str | None:
    for column in columns:
        if words.search(column.slug) and not (but_not and but_not.search(column.slug)):
            return column.slug
    return None


class Contents(Protocol):
    """What roles must know of the data rows; columns go by their place among the columns."""

    def few(self, column: int, most: int) -> bool:
        """Whether it has no more different values than `most`, null one of them."""
        ...

    def unique(self, columns: Sequence[int]) -> bool:
        """Whether these columns together name each row, and no row has null in one; false where there are no rows."""
        ...


class RowContents:
    """Of rows that are at hand."""

    def __init__(self, rows: Sequence[tuple[Stored, ...]]) -> None:
        self._rows = rows

    def few(self, column: int, most: int) -> bool:
        return len(set(islice({row[column] for row in self._rows}, most + 1))) <= most

    def unique(self, columns: Sequence[int]) -> bool:
        seen = set()
        for row in self._rows:
            values = tuple(row[n] for n in columns)
            if values in seen or None in values:
                return False
            seen.add(values)
        return bool(self._rows)


def with_roles(
    columns: Sequence[LookupColumn], contents: Contents, key: Sequence[str], dates: Sequence[str | None]
) -> tuple[LookupColumn, ...]:
    """The columns with their roles; `dates` are the slugs of from and until."""
    begin, end = dates
    roles = {begin: "effective_from", end: "effective_until"}
    found = []
    for n, column in enumerate(columns):
        role = roles.get(column.slug) or ("key" if column.slug in key else "measure" if column.is_number else "")
        if not role:
            role = "category" if contents.few(n, MAX_CATEGORIES) else "text"
        found.append(replace(column, role=role))
    return tuple(found)


def key_columns(columns: Sequence[LookupColumn], table: Table, contents: Contents) -> tuple[str, ...]:
    """The columns whose values together name one row: declared, or the fewest leading ones that do; () if none."""
    if table.key:
        named = tuple(slug for name in table.key if (slug := _named(columns, name)))
        return named if len(named) == len(table.key) else ()
    candidates = [n for n, c in enumerate(columns) if c.type is not ColumnType.NUMBER and not c.unit][
        :MAX_KEY_CANDIDATES
    ]
    for size in range(1, MAX_KEY_COLUMNS + 1):
        for chosen in combinations(candidates, size):
            if contents.unique(chosen):
                return tuple(columns[n].slug for n in chosen)
    return ()
