"""Which format a file is, and the one reader it goes to.

Holds: media types by name and content, the dispatch, the reader versions.
Add here: a new format, in three lines.
Never here: parsing.
"""

from hashlib import sha256 as sha256_of
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Literal

from rag_assets.errors import Quarantine
from rag_assets.model.document import Document, Reason, Source
from rag_assets.readers.limits import ReadLimits

HTML = "text/html"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
CSV = "text/csv"
TSV = "text/tab-separated-values"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSM = "application/vnd.ms-excel.sheet.macroenabled.12"
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
XLS = "application/vnd.ms-excel"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
UNKNOWN = "application/octet-stream"

BY_EXTENSION = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".txt": PLAIN,
    ".text": PLAIN,
    ".csv": CSV,
    ".tsv": TSV,
    ".tab": TSV,
    ".xlsx": XLSX,
    ".xlsm": XLSM,
    ".xlsb": XLSB,
    ".xls": XLS,
    ".ods": ODS,
}

Family = Literal["html", "markdown", "plain_text", "delimited", "workbook"]
FAMILY: dict[str, Family] = {
    HTML: "html",
    MARKDOWN: "markdown",
    PLAIN: "plain_text",
    CSV: "delimited",
    TSV: "delimited",
    XLSX: "workbook",
    XLSM: "workbook",
    XLSB: "workbook",
    XLS: "workbook",
    ODS: "workbook",
}

HEAD_BYTES = 4096
ZIP_HEAD = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"
OLE_HEAD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BIFF_HEADS = (b"\x09\x08", b"\x09\x04", b"\x09\x02", b"\x09\x00")
BINARY_HEADS = (
    (b"%PDF-", "PDF"),
    (ZIP_HEAD, "a zip archive"),
    (EMPTY_ZIP, "a zip archive"),
    (OLE_HEAD, "an OLE container"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!", "RAR"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "SQLite"),
    (b"PAR1", "Parquet"),
    (b"{\\rtf", "RTF"),
)
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def media_type_by_name(name: str) -> str:
    """What the extension says, whatever the content is."""
    return BY_EXTENSION.get(PurePosixPath(name).suffix.lower(), UNKNOWN)


def media_type_of(name: str, head: bytes) -> str:
    """By extension and first bytes. Raises Quarantine: unsupported_type, type_mismatch, empty_file.

    Workbooks are told apart by content, as people rename them among each other; a workbook's name over anything else,
    and a text's name over binary content, is a mismatch.
    """
    if not head:
        raise Quarantine(Reason.EMPTY_FILE, "holds no bytes")
    named = media_type_by_name(name)
    if named == UNKNOWN:
        suffix = PurePosixPath(name).suffix or "no extension"
        raise Quarantine(Reason.UNSUPPORTED_TYPE, f"{suffix}: no reader; known are {' '.join(BY_EXTENSION)}")
    if FAMILY[named] == "workbook":
        return _workbook_type(named, head)
    kind = _binary_kind(head)
    if kind:
        raise Quarantine(Reason.TYPE_MISMATCH, f"is named {PurePosixPath(name).suffix}, holds {kind}")
    return named


def read_document(
    path: Path, uri: str, limits: ReadLimits, sha256: str | None = None, columns_to: Path | None = None
) -> Document:
    """Read one file, in a worker. Raises Quarantine only (and what a crashing parser raises).

    A document with long grids has its columns file written to `columns_to`, if that is named.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise Quarantine(Reason.UNREADABLE, f"cannot be read: {error.strerror or error}") from None
    media_type = media_type_of(uri, head)
    family = FAMILY[media_type]
    if family == "workbook":
        from rag_assets.readers.workbook import read_workbook

        source = Source(uri=uri, media_type=media_type, sha256=sha256 or _digest(path))
        return read_workbook(path, source, limits, columns_to)
    if family == "delimited":
        found = _read_long(path, uri, media_type, limits, sha256, columns_to)
        if found is not None:
            return found
    content = path.read_bytes()
    source = Source(uri=uri, media_type=media_type, sha256=sha256 or sha256_of(content).hexdigest())
    return _read_text(family, content, source, limits)


def _read_long(
    path: Path, uri: str, media_type: str, limits: ReadLimits, sha256: str | None, columns_to: Path | None
) -> Document | None:
    if not has_more_lines(path, limits.long_rows):
        return None
    from rag_assets.readers.long_delimited import read_long_delimited  # polars: 0.2 s that others need not pay

    source = Source(uri=uri, media_type=media_type, sha256=sha256 or _digest(path))
    return read_long_delimited(path, source, limits, columns_to)


def has_more_lines(path: Path, than: int) -> bool:
    lines = 0
    with path.open("rb") as file:
        while lines <= than and (piece := file.read(1 << 20)):
            lines += piece.count(b"\n")
    return lines > than


def _read_text(family: Family, content: bytes, source: Source, limits: ReadLimits) -> Document:
    if family == "html":
        from rag_assets.readers.html import read_html

        return read_html(content, source, limits)
    if family == "markdown":
        from rag_assets.readers.markdown import read_markdown

        return read_markdown(content, source, limits)
    if family == "plain_text":
        from rag_assets.readers.plain_text import read_plain_text

        return read_plain_text(content, source, limits)
    from rag_assets.readers.delimited import read_delimited

    return read_delimited(content, source, limits)


def _workbook_type(named: str, head: bytes) -> str:
    if head.startswith(ZIP_HEAD):
        return XLSX if named == XLS else named
    if head.startswith((OLE_HEAD, *BIFF_HEADS)):
        return XLS if named in {XLS, ODS} or head.startswith(BIFF_HEADS) else named
    kind = _binary_kind(head) or "text"
    raise Quarantine(Reason.TYPE_MISMATCH, f"is named as a workbook, holds {kind}")


def _binary_kind(head: bytes) -> str | None:
    for start, kind in BINARY_HEADS:
        if head.startswith(start):
            return kind
    if head.startswith(UTF16_MARKS) or _looks_utf16(head):
        return None
    return "binary content" if b"\x00" in head else None


def _looks_utf16(head: bytes) -> bool:
    """Every second byte of plain UTF-16 text without a mark is zero for most letters."""
    pairs = len(head) // 2
    zeros = max(head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0))
    return pairs >= 2 and zeros >= 0.6 * pairs and head.count(0) <= 1.1 * zeros


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        digest = sha256_of()
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _versions() -> dict[str, str]:
    return {media: import_module(f"rag_assets.readers.{family}").READER_VERSION for media, family in FAMILY.items()}


def __getattr__(name: str) -> dict[str, str]:
    """`READER_VERSIONS`: media type → version, for the stage key; the readers are imported when it is asked for."""
    if name == "READER_VERSIONS":
        return _versions()
    raise AttributeError(name)
