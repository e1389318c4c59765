from rag_assets.model.document import Block, BlockId, BlockKind
from rag_assets.tables.text_tables import TextTables, with_text_tables

STATEMENT = """
                 HARBOR TOOLS
                                 Three Months Ended
                                   2001      2000
                                 --------  --------
Sales:
  Tools ......................   $ 12,345  $ 11,000
  Repairs ....................      1,005       900
                                 ========  ========

These lines are prose that goes on and on, wider than any label would be.
And they go on in a second line, so that this cannot be a wrapped label.
"""


def drawn(text: str, kind: BlockKind = BlockKind.CODE) -> TextTables:
    return with_text_tables([Block(id=BlockId("b1"), kind=kind, text=text)], 0)


def test_columns_aligned_by_blanks_and_leaders_are_a_grid() -> None:
    result = drawn(STATEMENT)
    assert [c.text for c in result.grids[0].cells if c.row > 2] == [
        "Tools",
        "$ 12,345",
        "$ 11,000",
        "Repairs",
        "1,005",
        "900",
    ]
    assert result.grids[0].cells[0].text == "Three Months Ended"
    assert [b.kind for b in result.blocks].count(BlockKind.GRID) == 1
    assert result.blocks[-1].text.startswith("These lines are prose")


def test_every_character_is_in_a_block_a_cell_or_the_ruling() -> None:
    result = drawn(STATEMENT)
    kept = [b.text for b in result.blocks] + [c.text for g in result.grids for c in g.cells]
    assert sum(len("".join(t.split())) for t in kept) + result.ruling == len("".join(STATEMENT.split()))


def test_prose_without_pipes_or_columns_is_left_alone() -> None:
    block = Block(id=BlockId("b1"), kind=BlockKind.CODE, text="def f(x):\n    return x  # twice\n")
    assert with_text_tables([block], 0).blocks == (block,)


def test_neighbouring_paragraphs_of_pipes_are_one_table() -> None:
    lines = ["A | B | C", "x | y | z"]
    blocks = [Block(id=BlockId(f"b{n}"), kind=BlockKind.PROSE, text=t) for n, t in enumerate(lines, 1)]
    result = with_text_tables(blocks, 4)
    assert result.grids[0].id == "table-5"
    assert result.cells == 6


def test_two_lines_of_two_cells_could_be_anything() -> None:
    assert drawn("a | b\nc | d", BlockKind.PROSE).grids == ()
