"""`show`: one cell with its table, its neighbours and its statement.

Holds: the command and finding the cell.
Add here: another fact about a cell.
Never here: how the cell was understood (tables/).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from rag_assets.cli.options import AsJson, ProjectFolder, Quiet, ReleaseNumber, Scopes
from rag_assets.cli.project_here import corpus_here
from rag_assets.errors import UnknownName

if TYPE_CHECKING:
    from rag_assets.model.statement import Statement
    from rag_assets.model.table import Normalized, Row, Table, TableCell

NEIGHBOUR_ROWS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A cell of the same row. `heading` is empty for a label."""

    heading: str
    text: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCell:
    source: str
    sha256: str
    address: str
    text: str
    value: int | float | bool | str | None
    unit: str | None
    scale: int
    row: str
    heading: str
    caption: tuple[str, ...]
    table: str
    tool: str | None
    neighbours: tuple[Neighbour, ...]
    statement: "Statement | None"


def show(
    source: Annotated[str, typer.Argument(help="<collection>/<path>", metavar="SOURCE")],
    address: Annotated[str, typer.Argument(help="The address of the cell, as cited.", metavar="ADDRESS")],
    scope: Scopes = None,
    release: ReleaseNumber = None,
    as_json: AsJson = False,
    project: ProjectFolder = None,
    quiet: Quiet = False,  # noqa: ARG001 every command has it
) -> None:
    """One cell with its table, neighbours and statement."""
    from rag_assets.cli.output import print_json

    corpus = corpus_here(project, scope, release)
    entry = corpus.source(source)
    document = corpus.normalized(source)
    if document is None:
        raise UnknownName(f"{source} is quarantined: nothing of it is served")
    for table in document.tables:
        for number, row in enumerate(table.rows):
            cell = next((c for c in (*row.cells, *row.labels) if c.address == address), None)
            if cell is None:
                continue
            found = _shown(source, entry.served_sha256 or entry.sha256, document, table, row, cell)
            if as_json:
                print_json(found)
            else:
                _print(found, table, number)
            return
    place = next((p.place.value for p in document.placements if p.address == address), None)
    if place is None:
        raise UnknownName(f"{source}: no cell {address}")
    raise UnknownName(f"{source} {address}: a cell placed as {place}, not in the body of a table")


def _shown(
    source: str, sha256: str, document: "Normalized", table: "Table", row: "Row", cell: "TableCell"
) -> ShownCell:
    headings = {c.index: c.heading for c in (*table.columns, *table.label_columns)}
    statement = next((s for s in document.statements if s.address == cell.address), None)
    return ShownCell(
        source=source,
        sha256=sha256,
        address=cell.address,
        text=cell.text,
        value=cell.value,
        unit=cell.unit,
        scale=cell.scale,
        row=" › ".join(row.path),
        heading=headings.get(cell.column, ""),
        caption=table.caption,
        table=table.id,
        tool=table.name,
        neighbours=tuple(
            Neighbour(heading=headings.get(c.column, ""), text=c.text, address=c.address)
            for c in sorted((*row.labels, *row.cells), key=lambda c: c.column)
        ),
        statement=statement,
    )


def _print(found: ShownCell, table: "Table", number: int) -> None:
    from rag_assets.cli.output import print_table, say

    say(f"{found.source} {found.address}  sha256 {found.sha256[:12]}")
    for line in found.caption:
        say(f"  {line}")
    say(f"  {found.row} | {found.heading}: {found.text}")
    if found.statement is not None:
        when = f", {found.statement.when}" if found.statement.when else ""
        say(f"  says: {found.statement.subject}: {found.statement.phrase} = {found.statement.text}{when}")
    if found.tool:
        say(f"  tool {found.tool}")
    first = max(0, number - NEIGHBOUR_ROWS)
    rows = []
    for place in range(first, min(len(table.rows), number + NEIGHBOUR_ROWS + 1)):
        shown = {c.column: c.text for c in table.rows[place].cells}
        label = " › ".join(table.rows[place].path)
        rows.append([f"> {label}" if place == number else label, *(shown.get(c.index, "") for c in table.columns)])
    print_table(("", *(column.heading for column in table.columns)), rows)
