from rag_assets.model.document import BlockKind, Document, Source
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.plain_text import read_plain_text


def read(text: str) -> Document:
    return read_plain_text(text.encode(), Source(uri="a.txt", media_type="text/plain", sha256="0"), ReadLimits())


def test_underlines_and_capitals_are_headings() -> None:
    document = read("Data retention\n==============\n\nWe keep it\nfor a year.\n\nLOG FILES\n\nTen days.\n")
    assert [(b.kind, b.level, b.text, b.heading_path) for b in document.blocks] == [
        (BlockKind.HEADING, 1, "Data retention", ()),
        (BlockKind.PROSE, None, "We keep it for a year.", ("Data retention",)),
        (BlockKind.HEADING, 2, "LOG FILES", ("Data retention",)),
        (BlockKind.PROSE, None, "Ten days.", ("Data retention", "LOG FILES")),
    ]


def test_an_acronym_alone_or_a_shouted_paragraph_is_no_heading() -> None:
    document = read("USA\n\nTHIS IS\nSHOUTED\n\nA1B2 100\n")
    assert {b.kind for b in document.blocks} == {BlockKind.PROSE}


def test_lines_with_bullets_are_a_list() -> None:
    assert read("- one\n- two\n").blocks[0].kind is BlockKind.LIST


def test_underlines_are_dropped_and_counted() -> None:
    document = read("Title\n-----\ntext\n")
    assert (document.characters_in, document.characters_dropped) == (14, {"rule": 5})
