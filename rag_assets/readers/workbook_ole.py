"""The OLE container of old workbooks: its streams by name.

Holds: `read_stream`, `stream_names`.
Add here: another fault of such containers.
Never here: the records inside a stream (workbook_xls.py).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

FREE = 0xFFFFFFFA
HEADER_BYTES = 512
ENTRY_BYTES = 128
MINI_STREAM_TYPE = 5


class BrokenContainer(ValueError):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    name: str
    kind: int
    start: int
    size: int


class Container:
    """Directory and allocation tables of the file. Raises BrokenContainer where they contradict themselves."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        try:
            self._sector = 1 << struct.unpack_from("<H", content, 30)[0]
            self._mini_sector = 1 << struct.unpack_from("<H", content, 32)[0]
            directory, cutoff, first_mini = struct.unpack_from("<I", content, 48)[0], *_pair(content, 56)
            if not 64 <= self._sector <= 1 << 16 or not 16 <= self._mini_sector <= self._sector:
                raise BrokenContainer("sector size")
            self._cutoff = cutoff
            self._table = self._allocation()
            self._entries = tuple(_entries(self._chain(directory)))
            self._mini_table = _numbers(self._chain(first_mini)) if first_mini < FREE else ()
            root = next((e for e in self._entries if e.kind == MINI_STREAM_TYPE), None)
            self._mini = self._chain(root.start) if root is not None and root.start < FREE else b""
        except struct.error as error:
            raise BrokenContainer(str(error)) from None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name.lower() for entry in self._entries)

    def stream(self, *names: str) -> bytes | None:
        """The first stream of one of these names, in lower case."""
        for name in names:
            for entry in self._entries:
                if entry.name.lower() == name and entry.kind == 2:
                    return self._stream(entry)
        return None

    def _stream(self, entry: _Entry) -> bytes:
        if entry.size >= self._cutoff:
            return self._chain(entry.start)[: entry.size]
        pieces, sector, left = [], entry.start, len(self._mini_table)
        while sector < FREE and left >= 0:
            pieces.append(self._mini[sector * self._mini_sector : (sector + 1) * self._mini_sector])
            sector = self._mini_table[sector] if sector < len(self._mini_table) else FREE
            left -= 1
        return b"".join(pieces)[: entry.size]

    def _allocation(self) -> tuple[int, ...]:
        first, count = _pair(self._content, 68)
        sectors = list(struct.unpack_from("<109I", self._content, 76))
        seen = 0
        while first < FREE and seen <= count:
            numbers = _numbers(self._at(first))
            sectors.extend(numbers[:-1])
            first = numbers[-1] if numbers else FREE
            seen += 1
        return tuple(number for sector in sectors if sector < FREE for number in _numbers(self._at(sector)))

    def _chain(self, sector: int) -> bytes:
        pieces = []
        left = len(self._table)
        while sector < FREE:
            if left < 0 or sector >= len(self._table):
                raise BrokenContainer("a chain of sectors has no end")
            pieces.append(self._at(sector))
            sector = self._table[sector]
            left -= 1
        return b"".join(pieces)

    def _at(self, sector: int) -> bytes:
        start = (sector + 1) * self._sector
        return self._content[start : start + self._sector]


def _pair(content: bytes, at: int) -> tuple[int, int]:
    return struct.unpack_from("<II", content, at)


def _numbers(sector: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(sector) // 4}I", sector[: len(sector) // 4 * 4])


def _entries(directory: bytes) -> Iterator[_Entry]:
    for at in range(0, len(directory) - ENTRY_BYTES + 1, ENTRY_BYTES):
        length, kind = struct.unpack_from("<HB", directory, at + 64)
        start, size = _pair(directory, at + 116)
        if kind:
            name = directory[at : at + max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace")
            yield _Entry(name=name, kind=kind, start=start, size=size)
