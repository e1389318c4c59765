"""Which strings of an xlsx file show anything at all; what they say is calamine's to read.

Holds: the pass over the shared strings, and the test for one string.
Add here: another way to write a blank.
Never here: decoding texts for display.
"""

import re

from rag_assets.readers.workbook_archive import Archive

_STRING = re.compile(rb"<(?:\w+:)?si\b[^>]*?(?:/>|>(.*?)</(?:\w+:)?si>)", re.DOTALL)
_PHONETIC = re.compile(rb"<(?:\w+:)?rPh\b.*?</(?:\w+:)?rPh>", re.DOTALL)
_TEXT = re.compile(rb"<(?:\w+:)?t\b[^>]*?(?:/>|>(.*?)</(?:\w+:)?t>)", re.DOTALL)
_BLANK_ENTITY = re.compile(rb"&#(?:x0*(?:20|9|a|d|a0)|0*(?:32|9|10|13|160));|_x000[9AaDd]_", re.IGNORECASE)


def blank_strings(archive: Archive, part: str) -> tuple[bool, ...]:
    """Whether each shared string shows anything. The texts themselves are calamine's to read."""
    blank: list[bool] = []
    rest = b""
    for piece in archive.pieces(part):
        rest += piece
        end = 0
        for match in _STRING.finditer(rest):
            end = match.end()
            blank.append(not shows_text(match[1] or b""))
        rest = rest[end:]
    return tuple(blank)


def shows_text(rich: bytes) -> bool:
    """Whether the text runs inside `<si>` or `<is>` hold more than blanks."""
    if b"rPh" in rich:
        rich = _PHONETIC.sub(b"", rich)
    return any(_visible(match[1] or b"") for match in _TEXT.finditer(rich))


def _visible(text: bytes) -> bool:
    if text[:1].isalnum():
        return True
    return bool(_BLANK_ENTITY.sub(b"", text).decode("utf-8", "replace").strip())
