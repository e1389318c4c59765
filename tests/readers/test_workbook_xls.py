"""Old workbooks from hand-made records: [MS-XLS] and [MS-CFB] are the source of every number here."""

import struct

import pytest

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.workbook_facts import CellFact, CellStyle
from rag_assets.readers.workbook_ole import BrokenContainer, Container
from rag_assets.readers.workbook_xls import read_xls_facts, rk_number
from rag_assets.tables.ranges import Rectangle

END, FREE, TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


BOF_GLOBALS = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0))
BOF_SHEET = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0))
EOF = record(0x000A, b"")


def container(streams: dict[str, bytes]) -> bytes:
    """Sectors of 512 bytes: one for the allocation table, one for the directory, then the streams."""
    table, sectors = [TABLE, END], []
    entries = [_entry("Root Entry", 5, END, 0)]
    for name, content in streams.items():
        padded = content.ljust(max(4096, -(-len(content) // 512) * 512), b"\x00")
        first, count = len(table), len(padded) // 512
        entries.append(_entry(name, 2, first, len(padded)))
        table.extend([*range(first + 1, first + count), END])
        sectors.append(padded)
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        62,
        3,
        0xFFFE,
        9,
        6,
        0,
        1,
        1,
        0,
        4096,
        END,
        0,
        END,
        0,
        0,
    )
    header += struct.pack("<108I", *[FREE] * 108)
    allocation = struct.pack("<128I", *(table + [FREE] * (128 - len(table))))
    return header.ljust(512, b"\x00") + allocation + b"".join(entries).ljust(512, b"\x00") + b"".join(sectors)


def _entry(name: str, kind: int, start: int, size: int) -> bytes:
    text = name.encode("utf-16-le") + b"\x00\x00"
    return text.ljust(64, b"\x00") + struct.pack("<HB49xIQ", len(text), kind, start, size)


def workbook(records: bytes, *globals_: bytes) -> bytes:
    before = BOF_GLOBALS + b"".join(globals_)
    place = len(before) + 4 + 8 + 5 + len(EOF)
    sheet = record(0x0085, struct.pack("<IBBBB", place, 0, 0, 5, 0) + b"First")
    assert len(sheet) == 4 + 8 + 5
    return container({"Workbook": before + sheet + EOF + BOF_SHEET + records + EOF})


FORMATS = (
    record(0x0031, struct.pack("<HHHH", 200, 0, 0, 400).ljust(16, b"\x00")),
    record(0x0031, struct.pack("<HHHH", 200, 0, 0, 700).ljust(16, b"\x00")),
    record(0x041E, struct.pack("<HHB", 164, 4, 0) + b"0.0%"),
    record(0x00E0, struct.pack("<HH", 0, 0).ljust(20, b"\x00")),
    record(0x00E0, struct.pack("<HH", 1, 164).ljust(20, b"\x00")),
)


def test_numbers_flags_and_errors_with_their_formats() -> None:
    records = (
        record(0x0203, struct.pack("<HHHd", 0, 0, 1, 0.094))
        + record(0x027E, struct.pack("<HHHI", 0, 1, 0, 300 << 2 | 3))
        + record(0x00BD, struct.pack("<HHHIHIH", 1, 0, 0, 7 << 2 | 2, 1, 8 << 2 | 2, 1))
        + record(0x0205, struct.pack("<HHHBB", 2, 0, 0, 1, 0))
        + record(0x0205, struct.pack("<HHHBB", 2, 1, 0, 42, 1))
        + record(0x0006, struct.pack("<HHHBxBxxxH", 3, 0, 0, 2, 7, 0xFFFF).ljust(22, b"\x00"))
    )
    facts = read_xls_facts(workbook(records, *FORMATS))
    assert facts is not None
    assert facts.sheets[0].cells == (
        CellFact(0, 0, "number", 0.094, 1),
        CellFact(0, 1, "number", 3),
        CellFact(1, 0, "number", 7),
        CellFact(1, 1, "number", 8, 1),
        CellFact(2, 0, "boolean", True),
        CellFact(2, 1, "error", "#N/A"),
        CellFact(3, 0, "error", "#DIV/0!"),
    )
    assert facts.styles == (CellStyle(), CellStyle(format="0.0%", bold=True))


def test_hidden_rows_and_columns_and_merged_cells() -> None:
    records = (
        record(0x0208, struct.pack("<HHHHHHI", 4, 0, 1, 255, 0, 0, 0x20))
        + record(0x007D, struct.pack("<HHHHHH", 2, 3, 2048, 0, 1, 0))
        + record(0x00E5, struct.pack("<HHHHH", 1, 0, 1, 0, 2))
    )
    facts = read_xls_facts(workbook(records))
    assert facts is not None
    sheet = facts.sheets[0]
    assert (sheet.hidden_rows, sheet.hidden_columns) == (frozenset({4}), ((2, 3),))
    assert sheet.merged == (Rectangle(0, 0, 1, 2),)


@pytest.mark.parametrize(
    "content",
    [workbook(b"", record(0x002F, b"\x00" * 6)), container({"EncryptedPackage": b"x", "EncryptionInfo": b"y"})],
)
def test_encrypted_files_are_named_as_such(content: bytes) -> None:
    with pytest.raises(Quarantine) as caught:
        read_xls_facts(content)
    assert caught.value.reason is Reason.ENCRYPTED


def test_the_1904_calendar() -> None:
    facts = read_xls_facts(workbook(b"", record(0x0022, b"\x01\x00")))
    assert facts is not None
    assert facts.epoch_1904


def test_packed_numbers() -> None:
    assert [rk_number(n) for n in (12 << 2 | 2, 1234 << 2 | 3, 0x3FF00000)] == [12, 12.34, 1.0]
    assert rk_number((-5 << 2 | 2) & 0xFFFFFFFF) == -5


def test_a_chain_without_an_end_is_broken_not_endless() -> None:
    content = bytearray(workbook(b""))
    struct.pack_into("<I", content, 512 + 4 * 3, 2)  # the third sector points back to the second
    with pytest.raises(BrokenContainer):
        Container(bytes(content)).stream("workbook")
    assert read_xls_facts(bytes(content)) is None
    assert read_xls_facts(b"\xd0\xcf\x11\xe0") is None
