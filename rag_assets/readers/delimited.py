"""CSV, TSV and their kin become one grid whose cells are the fields as written.

Holds: `read_delimited`.
Add here: something else a delimited file shows.
Never here: the dialect (dialect.py), types, headers (tables/).
"""

from collections import Counter
from collections.abc import Sequence

from rag_assets.errors import Quarantine
from rag_assets.model.document import Block, BlockId, BlockKind, Document, Grid, GridCell, GridId, Reason, Source
from rag_assets.readers.dialect import Dialect, find_dialect, records
from rag_assets.readers.encoding import decode
from rag_assets.readers.limits import ReadLimits

READER_VERSION = "2"

USUAL_DELIMITER = {"text/tab-separated-values": "\t"}
LISTED_ROWS = 10


def read_delimited(content: bytes, source: Source, limits: ReadLimits) -> Document:
    """Addresses are `r12c4`: record, blank ones counted, and field, both 1-based.

    Rows of another width stay as they are and are named in `warnings`. Raises Quarantine.
    """
    text = decode(content).text.rstrip("\x1a")
    dialect = find_dialect(text, USUAL_DELIMITER.get(source.media_type, ","))
    rows = list(records(text, dialect))
    dropped: dict[str, int] = {}
    if dialect.declared:
        dropped["dialect_line"] = dialect_line(rows[0])
        rows[0] = []
    cells_in = sum(bool(field.strip()) for row in rows for field in row)
    if cells_in > limits.cells:
        raise Quarantine(Reason.TOO_MANY_CELLS, f"{cells_in:,} cells, at most {limits.cells:,}")
    if cells_in == 0:
        raise Quarantine(Reason.EMPTY_FILE, "holds nothing but blanks")
    characters_in = sum(_visible(field) for row in rows for field in row) + sum(dropped.values())
    grid = _grid(rows)
    return Document(
        source=source,
        blocks=(Block(id=BlockId("b1"), kind=BlockKind.GRID, grid=grid.id),),
        grids=(grid,),
        cells_in=cells_in,
        characters_in=characters_in,
        characters_dropped=dropped,
        warnings=warnings_of([len(row) for row in rows], dialect),
    )


def _grid(rows: Sequence[Sequence[str]]) -> Grid:
    cells = tuple(
        GridCell(r, c, shown, f"r{r + 1}c{c + 1}")
        for r, row in enumerate(rows)
        for c, field in enumerate(row)
        if (shown := folded(field))
    )
    return Grid(
        id=GridId("table-1"),
        ordinal=0,
        n_rows=max(cell.row for cell in cells) + 1,
        n_columns=max(cell.column for cell in cells) + 1,
        cells=cells,
    )


def dialect_line(fields: Sequence[str]) -> int:
    """Characters of a first line `sep=;`."""
    return sum(_visible(field) for field in fields) + len(fields) - 1


def folded(field: str) -> str:
    if "\n" not in field and "\r" not in field:
        return " ".join(field.split())
    return "\n".join(folded for line in field.splitlines() if (folded := " ".join(line.split())))


def _visible(text: str) -> int:
    return len("".join(text.split()))


def warnings_of(widths: Sequence[int], dialect: Dialect) -> tuple[str, ...]:
    """What a person should look at; `widths` are the fields of each record, 0 for a blank line."""
    found = []
    if not dialect.parts_anything:
        found.append("no delimiter parts its lines evenly: read as one column")
    if not dialect.trusts_quotes:
        found.append("a quote is never closed: each line was read as one record")
    counted = Counter(width for width in widths if width > 1)
    usual = counted.most_common(1)[0][0] if counted else 0
    odd = [n for n, width in enumerate(widths, 1) if width and width != usual]
    return (*found, *odd_widths_warning(usual, odd)) if usual else tuple(found)


def odd_widths_warning(usual: int, odd: Sequence[int]) -> tuple[str, ...]:
    """`odd`: numbers of the records that have another width than the `usual` one."""
    if not odd:
        return ()
    listed = ", ".join(map(str, odd[:LISTED_ROWS])) + (", …" if len(odd) > LISTED_ROWS else "")
    return (f"{len(odd)} records have not {usual} fields: {listed}",)
