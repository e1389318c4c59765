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

READER_VERSION = "1"

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
        dropped["dialect_line"] = sum(_visible(field) for field in rows[0]) + len(rows[0]) - 1
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
        warnings=_warnings(rows, dialect),
    )


def _grid(rows: Sequence[Sequence[str]]) -> Grid:
    cells = tuple(
        GridCell(r, c, shown, f"r{r + 1}c{c + 1}")
        for r, row in enumerate(rows)
        for c, field in enumerate(row)
        if (shown := _folded(field))
    )
    return Grid(
        id=GridId("table-1"),
        ordinal=0,
        n_rows=max(cell.row for cell in cells) + 1,
        n_columns=max(cell.column for cell in cells) + 1,
        cells=cells,
    )


def _folded(field: str) -> str:
    if "\n" not in field and "\r" not in field:
        return " ".join(field.split())
    return "\n".join(folded for line in field.splitlines() if (folded := " ".join(line.split())))


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _warnings(rows: Sequence[Sequence[str]], dialect: Dialect) -> tuple[str, ...]:
    found = []
    if not dialect.parts_anything:
        found.append("no delimiter parts its lines evenly: read as one column")
    if not dialect.trusts_quotes:
        found.append("a quote is never closed: each line was read as one record")
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if widths:
        usual = widths.most_common(1)[0][0]
        odd = [n for n, row in enumerate(rows, 1) if row and len(row) != usual]
        if odd:
            listed = ", ".join(map(str, odd[:LISTED_ROWS])) + (", …" if len(odd) > LISTED_ROWS else "")
            found.append(f"{len(odd)} records have not {usual} fields: {listed}")
    return tuple(found)
