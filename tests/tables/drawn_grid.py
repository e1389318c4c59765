"""Grids drawn as text: cells parted by "|", leading blanks of a label are its indentation, two to a level."""

from rag_assets.model.document import Grid, GridCell, GridId


def grid(*lines: str) -> Grid:
    rows = [line.split("|") for line in lines]
    cells = tuple(
        GridCell(r, c, text.strip(), f"#table-1!r{r + 1}c{c + 1}", indent=(len(text) - len(text.lstrip())) / 2)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if text.strip()
    )
    width = max(len(row) for row in rows)
    return Grid(id=GridId("table-1"), ordinal=0, n_rows=len(rows), n_columns=width, cells=cells)
