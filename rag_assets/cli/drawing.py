"""Tables drawn for a person.

Holds: `inspect --pretty`.
Add here: another fact about a document that a person wants to see.
Never here: the JSON of `inspect` (inspection.py).
"""

from rag_assets.cli.inspection import Inspected
from rag_assets.cli.output import print_table, say
from rag_assets.model.table import RowKind, Table

DRAWN_ROWS = 60


def draw(found: Inspected) -> None:
    source = found.document.source
    if source.status == "quarantined":
        say(f"{source.uri}  quarantined: {source.reason}  {source.detail or ''}\n")
        return
    normalized = found.normalized
    kinds: dict[str, int] = {}
    for chunk in found.chunks:
        kinds[chunk.kind.value] = kinds.get(chunk.kind.value, 0) + 1
    say(f"{source.uri}  {source.media_type}  sha256 {source.sha256[:12]}")
    say(f"  {len(normalized.blocks)} blocks, {len(normalized.tables)} tables, {len(normalized.statements)} statements")
    say("  chunks: " + (", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "none"))
    account = normalized.account
    dropped = "".join(f", {n} {name} dropped" for name, n in sorted(account.dropped.items()))
    say(f"  cells: {account.cells_in} in, {account.cells_out} out{dropped}")
    for table in normalized.tables:
        _draw_table(table)
    say("")


def _draw_table(table: Table) -> None:
    where = ", ".join(part for part in (table.sheet, table.range) if part)
    tool = f"  tool {table.name}" if table.name else ""
    say(f"\n{table.id}  {where}{tool}")
    for line in table.caption:
        say(f"  {line}")
    if table.pairs:
        print_table(("label", "value"), table.pairs)
    if table.rows:
        rows = [_drawn_row(table, n) for n in range(min(len(table.rows), DRAWN_ROWS))]
        print_table(("", *(column.heading for column in table.columns)), rows)
        if len(table.rows) > DRAWN_ROWS:
            say(f"  … {len(table.rows) - DRAWN_ROWS} more rows")
    for line in table.notes:
        say(f"  note: {line}")


def _drawn_row(table: Table, number: int) -> list[str]:
    row = table.rows[number]
    label = " › ".join(row.path)
    shown = {cell.column: cell.text for cell in row.cells}
    marked = f"= {label}" if row.kind is RowKind.TOTAL else label
    return [marked, *(shown.get(column.index, "") for column in table.columns)]
