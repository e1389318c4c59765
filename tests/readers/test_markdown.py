from rag_assets.model.document import BlockKind, Document, Source
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.markdown import read_markdown


def read(text: str) -> Document:
    return read_markdown(text.encode(), Source(uri="a.md", media_type="text/markdown", sha256="0"), ReadLimits())


def balanced(document: Document) -> bool:
    shown = [b.text for b in document.blocks] + [c.text for g in document.grids for c in g.cells]
    out = sum(len("".join(text.split())) for text in shown) + sum(document.characters_dropped.values())
    return out == document.characters_in and sum(len(g.cells) for g in document.grids) == document.cells_in


def test_headings_make_the_paths_of_what_follows() -> None:
    document = read("# Refunds\n\nText.\n\n## EU\n\nMore.\n\n# Fees\n\nLast.\n")
    assert [(b.text, b.heading_path) for b in document.blocks if b.kind is BlockKind.PROSE] == [
        ("Text.", ("Refunds",)),
        ("More.", ("Refunds", "EU")),
        ("Last.", ("Fees",)),
    ]
    assert document.title == "Refunds"
    assert balanced(document)


def test_a_pipe_table_with_addresses() -> None:
    document = read("| region | days |\n|---|--:|\n| EU | 30 |\n| US `x` \\| y | **14** |\n")
    assert [(c.text, c.address) for c in document.grids[0].cells] == [
        ("region", "#table-1!r1c1"),
        ("days", "#table-1!r1c2"),
        ("EU", "#table-1!r2c1"),
        ("30", "#table-1!r2c2"),
        ("US x | y", "#table-1!r3c1"),
        ("14", "#table-1!r3c2"),
    ]
    assert document.grids[0].head_rows == 1
    assert balanced(document)


def test_cells_beyond_the_header_are_kept() -> None:
    document = read("| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| 4 |\n")
    assert [c.text for c in document.grids[0].cells] == ["a", "b", "1", "2", "3", "4"]
    assert balanced(document)


def test_front_matter_is_dropped_and_counted() -> None:
    document = read("---\ntitle: Fees\nowner: x\n---\nText.\n")
    assert (document.title, document.characters_dropped) == ("Fees", {"front_matter": 23})
    assert balanced(document)


def test_lists_code_and_html_are_blocks() -> None:
    document = read("- one\n- two\n  - three\n\n```\ncode\n```\n\n<b>bold</b> <!-- no -->\n")
    assert [(b.kind, b.text) for b in document.blocks] == [
        (BlockKind.LIST, "one\ntwo\nthree"),
        (BlockKind.CODE, "code"),
        (BlockKind.PROSE, "bold"),
    ]
    assert balanced(document)


def test_a_table_inside_a_list_or_a_quotation_is_a_grid() -> None:
    document = read("> | a | b |\n> |---|---|\n> | 1 | 2 |\n\n- item\n\n  | c | d |\n  |---|---|\n  | 3 | 4 |\n")
    assert [g.id for g in document.grids] == ["table-1", "table-2"]
    assert balanced(document)
