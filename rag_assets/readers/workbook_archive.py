"""The container of a workbook, checked before any parser sees it.

Holds: bounds on zip directories, the kind of workbook inside, encryption and DOCTYPE, parts by name.
Add here: another trick a container can play.
Never here: what the parts say (workbook_xlsx.py and its siblings).
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Literal, Self

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.limits import ReadLimits

MAX_ENTRIES = 20_000
MAX_RATIO = 150
RATIO_FROM_BYTES = 32 << 20
MAX_TOTAL_BYTES = 4 << 30
MAX_DESCRIBING_PART_BYTES = 256 << 20
PROLOG_BYTES = 16 << 10
PIECE_BYTES = 1 << 20
ENCRYPTED_FLAG = 0x1

ArchiveKind = Literal["xlsx", "xlsb", "ods"]

_FIRST_ELEMENT = re.compile(rb"<[A-Za-z_]")
_MAIN_TYPES: tuple[tuple[str, ArchiveKind], ...] = (
    ("sheet.binary", "xlsb"),
    ("spreadsheetml", "xlsx"),
    ("ms-excel", "xlsx"),
)

_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError, ValueError, OSError)


class Archive:
    """An opened zip container whose directory is plausible. Part names are looked up without regard to case."""

    def __init__(self, path: Path, limits: ReadLimits) -> None:
        self._zip = _opened(path)
        try:
            self._parts = {
                entry.filename.lstrip("/").replace("\\", "/").lower(): entry for entry in self._zip.infolist()
            }
            _check_directory(self._zip, path.stat().st_size, limits)
        except Quarantine:
            self._zip.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def __contains__(self, part: str) -> bool:
        return part.lstrip("/").lower() in self._parts

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._parts)

    def size(self, part: str) -> int:
        return self._parts[part.lstrip("/").lower()].file_size

    def read(self, part: str) -> bytes:
        """A describing part, whole. Raises Quarantine: zip_bomb where it is larger than one may be, corrupt."""
        if self.size(part) > MAX_DESCRIBING_PART_BYTES:
            raise Quarantine(Reason.ZIP_BOMB, f"{part}: {self.size(part):,} bytes")
        return b"".join(self.pieces(part))

    def pieces(self, part: str) -> Iterator[bytes]:
        """The part in pieces of a megabyte; never more than its directory entry promises."""
        entry = self._parts[part.lstrip("/").lower()]
        try:
            with self._zip.open(entry) as stream:
                yield from _bounded(stream, entry.file_size)
        except RuntimeError as error:
            raise Quarantine(Reason.ENCRYPTED, f"{part}: {error}") from None
        except _BROKEN_ZIP as error:
            raise Quarantine(Reason.CORRUPT, f"{part}: {error}") from None

    def kind(self) -> ArchiveKind:
        """Raises Quarantine: type_mismatch for a zip that is no workbook, encrypted for a locked one."""
        if "xl/workbook.bin" in self:
            return "xlsb"
        if "xl/workbook.xml" in self:
            return "xlsx"
        if "content.xml" in self:
            self._check_open_document()
            return "ods"
        if "encryptedpackage" in self or "encryptioninfo" in self:
            raise Quarantine(Reason.ENCRYPTED, "is protected by a password: save it without one")
        if "[content_types].xml" in self:
            types = self.read("[content_types].xml").decode("utf-8", "replace").lower()
            for word, kind in _MAIN_TYPES:
                if word in types:
                    return kind
        raise Quarantine(Reason.TYPE_MISMATCH, "is named as a workbook, holds another zip archive")

    def refuse_doctype(self) -> None:
        """No office program writes one; parsers lose text behind it, or expand it without bound."""
        for part in self._parts:
            if part.endswith((".xml", ".rels", ".vml")) and has_doctype(next(self.pieces(part), b"")):
                raise Quarantine(Reason.DOCTYPE, f"{part}: holds a DOCTYPE")

    def _check_open_document(self) -> None:
        kind = self.read("mimetype").decode("ascii", "replace").strip() if "mimetype" in self else ""
        if kind and "spreadsheet" not in kind:
            raise Quarantine(Reason.TYPE_MISMATCH, f"is named as a workbook, holds {kind[:80]}")
        if "meta-inf/manifest.xml" in self and b"encryption-data" in self.read("meta-inf/manifest.xml"):
            raise Quarantine(Reason.ENCRYPTED, "is protected by a password: save it without one")


def has_doctype(head: bytes) -> bool:
    prolog = head[:PROLOG_BYTES].replace(b"\x00", b"")
    first = _FIRST_ELEMENT.search(prolog)
    return b"<!doctype" in prolog[: first.start() if first else None].lower()


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        reason = Reason.TRUNCATED if _lacks_end(path) else Reason.CORRUPT
        raise Quarantine(reason, f"zip directory: {error}") from None
    except _BROKEN_ZIP as error:
        raise Quarantine(Reason.CORRUPT, f"zip directory: {error}") from None


def _lacks_end(path: Path) -> bool:
    """Whether the record that closes every zip file is missing."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 66_000))
        return b"PK\x05\x06" not in file.read()


def _check_directory(opened: zipfile.ZipFile, file_bytes: int, limits: ReadLimits) -> None:
    entries = opened.infolist()
    if len(entries) > MAX_ENTRIES:
        raise Quarantine(Reason.ZIP_BOMB, f"{len(entries):,} entries, at most {MAX_ENTRIES:,}")
    total = sum(entry.file_size for entry in entries)
    if total > min(MAX_TOTAL_BYTES, 4 * limits.memory_bytes):
        raise Quarantine(Reason.ZIP_BOMB, f"unpacks to {total:,} bytes")
    if sum(entry.compress_size for entry in entries) > file_bytes:
        raise Quarantine(Reason.ZIP_BOMB, "entries overlap each other")
    for entry in entries:
        if entry.flag_bits & ENCRYPTED_FLAG:
            raise Quarantine(Reason.ENCRYPTED, "is protected by a password: save it without one")
        if entry.file_size > RATIO_FROM_BYTES and entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
            raise Quarantine(Reason.ZIP_BOMB, f"{entry.filename}: unpacks to {entry.file_size:,} bytes")


def _bounded(stream: IO[bytes], promised: int) -> Iterator[bytes]:
    left = promised
    while piece := stream.read(PIECE_BYTES):
        left -= len(piece)
        if left < 0:
            raise Quarantine(Reason.ZIP_BOMB, "a part is larger than its directory entry says")
        yield piece
