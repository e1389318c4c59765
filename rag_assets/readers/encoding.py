"""Bytes become text: which encoding a text file is in.

Holds: `decode`, and the same for files too long to hold: `encoding_of_file`, `decoded_pieces`.
Add here: another sign of an encoding.
Never here: what the text means.
"""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason

BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
SAMPLE_BYTES = 256 << 10
PIECE_BYTES = 1 << 20
HALF = 0.4
MAX_CONTROL_SHARE = 0.02
WESTERN = "cp1252"
LATIN = frozenset({"cp1250", "cp1252", "cp1254", "cp1257", "iso8859_2", "iso8859_15", "latin_1"})
FEW_SHARE = 0.3
ENOUGH_ACCENTS = 60


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x19\x1b-\x1f]")


class Decoded(NamedTuple):
    text: str
    encoding: str


def decode(content: bytes) -> Decoded:
    """By byte order mark, then UTF-8, then UTF-16 without a mark, then by the letters' frequencies.

    Raises Quarantine: bad_encoding where nothing fits, garbled_text where what fits is full of control characters.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _readable(content, encoding)
    wide = _wide(content)
    if wide:
        return _readable(content, wide)
    try:
        return _checked(Decoded(content.decode("utf-8"), "utf-8"))
    except UnicodeDecodeError:
        return _readable(content, _by_frequency(content))


def encoding_of_file(path: Path) -> str:
    """As `decode` finds it, without holding the text. Raises Quarantine."""
    with path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    wide = _wide(head)
    if wide:
        return wide
    return "utf-8" if _is_utf8(path) else decode(path.read_bytes()).encoding


def decoded_pieces(path: Path, encoding: str, piece_bytes: int) -> Iterator[str]:
    """The text piece by piece. Raises Quarantine: bad_encoding, garbled_text (of its head)."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as file:
        first = True
        while True:
            content = file.read(piece_bytes)
            try:
                text = decoder.decode(content, final=not content)
            except UnicodeDecodeError:
                raise Quarantine(Reason.BAD_ENCODING, f"is not {encoding} all through") from None
            if first:
                _checked(Decoded(text, encoding))
                first = False
            if text:
                yield text
            if not content:
                return


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                if not piece.isascii() or decoder.getstate()[0]:
                    decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _readable(content: bytes, encoding: str) -> Decoded:
    try:
        return _checked(Decoded(content.decode(encoding), encoding))
    except UnicodeDecodeError as error:
        raise Quarantine(Reason.BAD_ENCODING, f"is not {encoding} from byte {error.start} on") from None


def _checked(decoded: Decoded) -> Decoded:
    head = decoded.text[:SAMPLE_BYTES]
    control = len(_CONTROL.findall(head))
    if control > MAX_CONTROL_SHARE * len(head):
        raise Quarantine(Reason.GARBLED_TEXT, f"{control:,} control characters in the first {len(head):,}")
    return decoded


def _wide(content: bytes) -> str | None:
    """UTF-16 without a mark: most letters have a zero as their other byte."""
    head = content[: SAMPLE_BYTES // 2 * 2]
    if len(head) < 4 or b"\x00" not in head:
        return None
    pairs = len(head) / 2
    if head[1::2].count(0) > HALF * pairs > head[::2].count(0):
        return "utf-16-le"
    return "utf-16-be" if head[::2].count(0) > HALF * pairs > head[1::2].count(0) else None


def _by_frequency(content: bytes) -> str:
    """Western where accents are few: with little to count, frequencies guess Arabic for a German heading."""
    from charset_normalizer import from_bytes  # 40 ms that files in UTF-8 need not pay

    head = content[:SAMPLE_BYTES]
    accents = sum(byte > 127 for byte in head)
    letters = sum(byte > 127 or chr(byte).isalpha() for byte in head)
    few = 2 * accents < letters and accents < ENOUGH_ACCENTS
    if few and _decodes(content, WESTERN):
        return WESTERN
    best = from_bytes(head).best()
    if best is not None and (accents >= FEW_SHARE * letters or best.encoding in LATIN):
        return best.encoding
    if _decodes(content, WESTERN):
        return WESTERN
    raise Quarantine(Reason.BAD_ENCODING, "no known encoding fits: save the file as UTF-8")


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
