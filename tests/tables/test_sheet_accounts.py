"""Whatever a sheet holds, each of its cells gets exactly one place."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.model.document import (
    Block,
    BlockId,
    BlockKind,
    Document,
    Grid,
    GridCell,
    GridId,
    NameHint,
    Source,
    StoredValue,
)
from rag_assets.model.table import Normalized
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.ranges import cell_name
from rag_assets.tables.rules import Rules

TEXTS = [
    "region",
    "Total",
    "2025",
    "Q1 2026",
    "Note: x",
    "* a",
    "$",
    "%",
    "-",
    "12",
    "(4)",
    "12%",
    "$5",
    "00501",
    "n/a",
]
KINDS = ["text", "integer", "error", "formula"]
PLACE = st.tuples(st.integers(0, 9), st.integers(0, 6))
CONTENT = st.tuples(
    st.sampled_from(TEXTS),
    st.sampled_from([None, *KINDS]),
    st.booleans(),
    st.sampled_from([(1, 1)] * 6 + [(2, 1), (1, 2), (3, 2)]),
)
Content = tuple[str, str | None, bool, tuple[int, int]]


def sheet(contents: dict[tuple[int, int], Content], hints: tuple[NameHint, ...] = ()) -> Document:
    cells: list[GridCell] = []
    taken: set[tuple[int, int]] = set()
    for (row, column), (text, kind, hidden, (down, across)) in sorted(contents.items()):
        own = {(r, c) for r in range(row, row + down) for c in range(column, column + across)}
        if (row, column) in taken:
            continue
        taken |= own
        stored = None if kind is None else StoredValue(kind, 12 if kind == "integer" else None, None)
        address = f"S!{cell_name(row, column)}"
        cells.append(GridCell(row, column, text, address, down, across, hidden=hidden and row % 3 == 0, stored=stored))
    grid = Grid(
        id=GridId("sheet-1"),
        ordinal=0,
        n_rows=12,
        n_columns=9,
        cells=tuple(cells),
        sheet="S",
        range="A1:I12",
        hints=hints,
    )
    return Document(
        source=Source(uri="c/a.xlsx", media_type="x", sha256="0"),
        blocks=(Block(id=BlockId("b1"), kind=BlockKind.GRID, grid=grid.id),),
        grids=(grid,),
        cells_in=len(cells),
        characters_in=sum(len("".join(cell.text.split())) for cell in cells),
    )


def check(document: Document, found: Normalized) -> None:
    placed = Counter(place.address for place in found.placements)
    assert placed == Counter(cell.address for cell in document.grids[0].cells)
    assert found.account.balanced


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(PLACE, CONTENT, min_size=1, max_size=50), st.booleans(), st.booleans())
def test_each_cell_has_exactly_one_place(contents, shows_hidden, named) -> None:
    hints = (NameHint(kind="list_object", name="T", range="B3:E8"),) if named else ()
    document = sheet(contents, hints)
    rules = Rules(hidden_policy="include" if shows_hidden else "exclude")
    check(document, normalize_document(document, rules))


def test_a_symbol_beside_one_row_of_a_tall_cell_keeps_its_own_place() -> None:
    plain = (1, 1)
    document = sheet(
        {
            (0, 0): ("region", None, False, plain),
            (0, 1): ("Q1 2026", None, False, plain),
            (1, 0): ("Total", None, False, plain),
            (1, 1): ("12", None, False, (2, 1)),
            (2, 0): ("$", None, False, plain),
            (3, 0): ("North", None, False, plain),
            (3, 1): ("$5", None, False, plain),
        }
    )
    check(document, normalize_document(document, Rules()))
