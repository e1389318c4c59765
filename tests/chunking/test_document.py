from dataclasses import replace

from rag_assets.chunking.document import ChunkSettings, chunk_document, coverage
from rag_assets.model.chunk import Chunk, ChunkKind, Zone
from rag_assets.model.document import Block, BlockId, BlockKind, GridId
from rag_assets.model.table import Normalized, Table
from tests.rendering.tables import balance_sheet, prices

SETTINGS = ChunkSettings()


def prose(name: str, text: str, path: tuple[str, ...] = ()) -> Block:
    return Block(id=BlockId(name), kind=BlockKind.PROSE, text=text, heading_path=path)


def grid(name: str = "g") -> Block:
    return Block(id=BlockId(name), kind=BlockKind.GRID, grid=GridId("table-1"))


def chunked(blocks: tuple[Block, ...], *tables: Table, settings: ChunkSettings = SETTINGS) -> tuple[Chunk, ...]:
    return chunk_document("docs/a.html", "0" * 64, Normalized(tables=tables, blocks=blocks), settings)


def kinds(chunks: tuple[Chunk, ...]) -> list[str]:
    return [chunk.kind.value for chunk in chunks]


def neighbour(chunks: tuple[Chunk, ...]) -> str:
    return next((text for zone, text in chunks[-1].zones if zone is Zone.NEIGHBOUR), "")


def test_a_small_table_is_one_piece_with_a_record_for_each_row():
    chunks = chunked((prose("b1", "Before."), grid(), prose("b2", "After.")), balance_sheet())
    assert kinds(chunks) == ["prose", "table", "record", "record", "prose"]
    assert {c.parent for c in chunks if c.kind is ChunkKind.RECORD} == {chunks[1].id}
    assert [c.order for c in chunks] == [0, 1, 2, 3, 4]


def test_only_lookup_tables_have_a_summary():
    assert "summary" not in kinds(chunked((grid(),), balance_sheet()))
    assert kinds(chunked((grid(),), prices()))[-1] == "summary"


def test_a_database_is_left_to_its_summary_and_counted_behind_the_tool():
    table = prices(40)
    normalized = Normalized(tables=(table,), blocks=(grid(),))
    chunks = chunked((grid(),), table, settings=replace(SETTINGS, record_rows=39))
    assert kinds(chunks) == ["summary"]
    account = coverage(normalized, chunks)
    assert (account.body_cells, account.in_chunk, account.behind_tool, account.missing) == (160, 0, 160, 0)


def test_every_body_cell_and_prose_block_is_in_a_chunk():
    normalized = Normalized(tables=(prices(200),), blocks=(prose("b1", "One."), grid(), prose("b2", "word " * 2000)))
    account = coverage(normalized, chunk_document("a", "0", normalized, SETTINGS))
    assert (account.body_cells, account.in_chunk, account.missing) == (800, 800, 0)
    assert (account.prose_blocks, account.prose_missing, account.without_header) == (2, 0, 0)


def test_caption_blocks_stand_in_the_table_chunk_only():
    table = replace(balance_sheet(), caption_blocks=(BlockId("b1"),))
    chunks = chunked((prose("b1", "HARBOR TOOLS"), grid()), table)
    assert kinds(chunks)[0] == "table"
    assert chunks[0].blocks == ("b1",)


def test_a_heading_ends_a_prose_chunk():
    chunks = chunked((prose("b1", "One.", ("A",)), prose("b2", "Two.", ("A",)), prose("b3", "Three.", ("B",))))
    assert [(c.heading_path, c.text) for c in chunks] == [(("A",), "One.\n\nTwo."), (("B",), "Three.")]


def test_a_long_block_is_cut_at_sentences_and_repeats_nothing():
    text = " ".join(f"Sentence number {n} says little." for n in range(200))
    chunks = chunked((prose("b1", text),))
    assert len(chunks) > 1
    assert " ".join(c.text for c in chunks) == text
    assert all(c.tokens <= SETTINGS.max_tokens and c.text.endswith(".") for c in chunks)


def test_text_without_blanks_is_cut_within_the_budget():
    chunks = chunked((prose("b1", "東" * 1000),))
    assert "".join(c.text.replace(" ", "") for c in chunks) == "東" * 1000
    assert max(c.tokens for c in chunks) <= SETTINGS.max_tokens


def test_a_table_that_no_paragraph_names_borrows_the_prose_before_it():
    lead = "Credit risk. " + "x" * 400 + " by region was as follows"
    borrowed = neighbour(chunked((prose("b1", lead), grid()), replace(balance_sheet(), caption=())))
    assert borrowed.startswith("Credit risk.")
    assert borrowed.endswith("by region was as follows")
    assert len(borrowed) <= 304


def test_borrowed_prose_does_not_cross_a_heading():
    heading = Block(id=BlockId("h"), kind=BlockKind.HEADING, text="Next", level=1)
    chunks = chunked((prose("b1", "Elsewhere."), heading, grid(), prose("b2", "Explained.")), balance_sheet())
    assert neighbour(tuple(c for c in chunks if c.kind is ChunkKind.RECORD)) == "Explained."


def test_ids_stand_when_text_before_changes_and_differ_between_equal_rows():
    table = balance_sheet()
    twice = replace(table, rows=(table.rows[0], table.rows[0]), caption_blocks=(BlockId("b1"),))
    before = chunked((prose("b1", "HARBOR TOOLS"), grid()), twice)
    after = chunked((prose("b0", "New."), prose("b1", "HARBOR TOOLS"), grid(), prose("b2", "Newer.")), twice)
    assert len({c.id for c in before}) == len(before) == 3
    assert [c.id for c in after[1:-1]] == [c.id for c in before]


def test_without_header_repeat_the_account_shows_the_loss():
    table = prices(200)
    chunks = chunked((grid(),), table, settings=replace(SETTINGS, header_repeat=False))
    assert coverage(Normalized(tables=(table,), blocks=()), chunks).without_header > 0
