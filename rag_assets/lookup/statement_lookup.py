"""`lookup_statements`: filters over what every cell of the visible collections says.

Holds: the columns that can be asked and the call over all files.
Add here: another column of statements.
Never here: sums; statements differ in unit.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from rag_assets.lookup.calls import Refusal, read_call
from rag_assets.lookup.columns import LookupColumn
from rag_assets.lookup.connection import locked_connection
from rag_assets.lookup.query import conditions, rows_of
from rag_assets.lookup.slugs import quoted
from rag_assets.model.corpus import LookupResult, Scalar
from rag_assets.model.table import ColumnType

NAME = "lookup_statements"
SHOWN = ("source", "subject", "phrase", "when", "text", "value", "unit", "scale", "row_path", "heading", "address")
_TEXT = ("collection", "source", "subject", "phrase", "when", "unit", "row_path", "heading")
COLUMNS = {name: LookupColumn(slug=name, heading=name, type=ColumnType.TEXT) for name in _TEXT}
COLUMNS["value"] = LookupColumn(slug="value", heading="value", type=ColumnType.NUMBER)


def lookup_statements(files: Sequence[Path], arguments: Mapping[str, object], today: date) -> LookupResult:
    """Statements that pass the filters, in order of source and place, with their number. Raises Refusal."""
    refused = [key for key in arguments if key not in ("filters", "limit")]
    if refused:
        raise Refusal("bad_arguments", f"{NAME} takes `filters` and `limit`", ("filters", "limit"))
    call = read_call(arguments, COLUMNS, today)
    where = conditions(call.filters)
    rows: list[dict[str, Scalar]] = []
    matched = total = 0
    names = ", ".join(quoted(name) for name in SHOWN)
    for path in files:
        with locked_connection(path) as connection:
            counts = connection.execute(
                f"select count(*) filter (where {where.sql}), count(*) from statements", list(where.values)
            ).fetchone()
            matched, total = matched + int(counts[0] if counts else 0), total + int(counts[1] if counts else 0)
            left = call.limit - len(rows)
            if left > 0:
                sql = f"select {names} from statements where {where.sql} order by source, rowid limit {left}"
                rows.extend(rows_of(SHOWN, connection.execute(sql, list(where.values)).fetchall()))
    return LookupResult(
        tool=NAME,
        rows=tuple(rows),
        row_count=len(rows),
        matched_rows=matched,
        table_rows=total,
        complete=len(rows) == matched,
        units={},
        scales={},
        as_of=None,
        not_yet_in_force=0,
        expired=0,
        ignored_nulls={},
        loaded_at=None,
        source=None,
        addresses=tuple(str(row["address"]) for row in rows if row["address"]),
    )
