"""The truth about a lookup table, computed by plain SQL in DuckDB, apart from the lookup tools that are judged by it.

Holds: `TableOracle`.
Add here: another question whose answer SQL can tell.
Never here: wording questions (generate.py), the product's own lookups (lookup/).
"""

from types import TracebackType
from typing import NamedTuple, Self

import duckdb

from rag_assets.lookup.schema import LookupTable
from rag_assets.lookup.slugs import quoted
from rag_assets.model.corpus import Scalar
from rag_assets.model.table import ColumnType

_SQL_TYPES = {
    ColumnType.INTEGER: "BIGINT",
    ColumnType.NUMBER: "DOUBLE",
    ColumnType.BOOLEAN: "BOOLEAN",
    ColumnType.DATE: "DATE",
    ColumnType.TIMESTAMP: "TIMESTAMP",
    ColumnType.DURATION: "DOUBLE",
    ColumnType.TEXT: "VARCHAR",
}


class Aggregate(NamedTuple):
    value: float | int | None
    rows: int


class TableOracle:
    """One table in a database of its own; close it after use."""

    def __init__(self, table: LookupTable) -> None:
        self.table = table
        self._connection = duckdb.connect(":memory:")
        columns = ", ".join(f"{quoted(column.slug)} {_SQL_TYPES[column.type]}" for column in table.columns)
        self._connection.execute(f"CREATE TABLE facts ({columns})")
        if table.rows:
            marks = ", ".join("?" for _ in table.columns)
            self._connection.executemany(f"INSERT INTO facts VALUES ({marks})", [list(row) for row in table.rows])

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def aggregate(self, function: str, column: str) -> Aggregate:
        """`function` is one of avg, sum, min, max, median, count over all rows that have a value."""
        return self._one(f"SELECT {function}({quoted(column)}), count(*) FROM facts", [])

    def aggregate_where(self, function: str, column: str, key: str, value: Scalar) -> Aggregate:
        sql = f"SELECT {function}({quoted(column)}), count(*) FROM facts WHERE lower({quoted(key)}) = lower(?)"
        return self._one(sql, [value])

    def only(self, key: str) -> frozenset[str]:
        """Values of a text column that one row alone has."""
        found = self._connection.execute(
            f"SELECT {quoted(key)} FROM facts WHERE {quoted(key)} IS NOT NULL GROUP BY 1 HAVING count(*) = 1"
        ).fetchall()
        return frozenset(str(row[0]) for row in found)

    def distinct(self, key: str) -> tuple[str, ...]:
        found = self._connection.execute(
            f"SELECT DISTINCT {quoted(key)} FROM facts WHERE {quoted(key)} IS NOT NULL ORDER BY 1"
        ).fetchall()
        return tuple(str(row[0]) for row in found)

    def _one(self, sql: str, values: list[Scalar]) -> Aggregate:
        found = self._connection.execute(sql, values).fetchone()
        return Aggregate(*found) if found else Aggregate(None, 0)
