"""Strings of an xlsx file: which of them show anything at all, and, for long sheets, what they say.

Holds: the pass over the shared strings, the test for one string, the text of one.
Add here: another way to write a blank.
Never here: folding texts for display; short sheets, whose texts are calamine's to read.
"""

import html
import re
from collections.abc import Iterator

from rag_assets.readers.workbook_archive import Archive

_STRING = re.compile(rb"<(?:\w+:)?si\b[^>]*?(?:/>|>(.*?)</(?:\w+:)?si>)", re.DOTALL)
_PHONETIC = re.compile(rb"<(?:\w+:)?rPh\b.*?</(?:\w+:)?rPh>", re.DOTALL)
_TEXT = re.compile(rb"<(?:\w+:)?t\b[^>]*?(?:/>|>(.*?)</(?:\w+:)?t>)", re.DOTALL)
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_BLANK_ENTITY = re.compile(rb"&#(?:x0*(?:20|9|a|d|a0)|0*(?:32|9|10|13|160));|_x000[9AaDd]_", re.IGNORECASE)


def blank_strings(archive: Archive, part: str) -> tuple[bool, ...]:
    """Whether each shared string shows anything. The texts themselves are calamine's to read."""
    return tuple(not shows_text(rich) for rich in _strings(archive, part))


def shared_texts(archive: Archive, part: str) -> Iterator[str]:
    """The shared strings in order, as calamine has them."""
    return map(rich_text, _strings(archive, part))


def _strings(archive: Archive, part: str) -> Iterator[bytes]:
    """What stands inside each `<si>`."""
    rest = b""
    for piece in archive.pieces(part):
        rest += piece
        end = 0
        for match in _STRING.finditer(rest):
            end = match.end()
            yield match[1] or b""
        rest = rest[end:]


def rich_text(rich: bytes) -> str:
    """The text runs inside `<si>` or `<is>`, one after the other."""
    if rich.startswith(b"<t>") and rich.endswith(b"</t>") and rich.count(b"<") == 2:
        return plain_text(rich[3:-4])
    if b"rPh" in rich:
        rich = _PHONETIC.sub(b"", rich)
    return "".join(plain_text(match[1] or b"") for match in _TEXT.finditer(rich))


def plain_text(content: bytes) -> str:
    """The content of an element: references and the escapes of office programs (`_x000D_`) resolved."""
    text = content.decode("utf-8", "replace")
    if "&" in text:
        text = html.unescape(text)
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def shows_text(rich: bytes) -> bool:
    """Whether the text runs inside `<si>` or `<is>` hold more than blanks."""
    if b"rPh" in rich:
        rich = _PHONETIC.sub(b"", rich)
    return any(_visible(match[1] or b"") for match in _TEXT.finditer(rich))


def _visible(text: bytes) -> bool:
    if text[:1].isalnum():
        return True
    return bool(_BLANK_ENTITY.sub(b"", text).decode("utf-8", "replace").strip())
