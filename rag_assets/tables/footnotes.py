"""Footnote marks: out of the label text, kept as links to notes.

Holds: `without_marks`.
Add here: another way a mark is printed.
Never here: which line is a note (row_roles).
"""

import re

from rag_assets.tables.lines import Slot

_MARK = re.compile(r"\s*(?:\((?:\d{1,2}|[a-z]|[ivx]{1,4})\)|\[(?:\d{1,2}|[a-z])\]|[*†‡§]{1,3}|[¹²³⁴⁵⁶⁷⁸⁹]{1,2})$")
_LEADER = re.compile(r"(?:\s*[.…·]){4,}\s*$|\s*(?:\.{3}|…)$")


def without_marks(slot: Slot) -> tuple[str, tuple[str, ...]]:
    """The label without its leaders and trailing marks, and the marks: "China (1) ....." → ("China", ("(1)",))."""
    text, marks = _LEADER.sub("", slot.text) or slot.text, []
    for mark in reversed(slot.marks):
        if text.endswith(mark) and len(text) > len(mark):
            text = text[: -len(mark)].rstrip(" ,")
            marks.append(mark)
    while True:
        found = _MARK.search(text)
        if not found or not text[: found.start()].strip():
            return text, tuple(reversed(marks))
        marks.append(found[0].strip())
        text = text[: found.start()].rstrip(" ,")
