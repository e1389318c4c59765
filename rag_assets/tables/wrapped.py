"""Wrapped labels: a label that goes on in the line below.

Holds: `with_wrapped_labels`.
Add here: another sign that a label is not finished.
Never here: sections (stub); a finished lone label is one.

    Accounts receivable, net of allowance of        a lone label that ends in the middle of a phrase
      $1,200 and $1,100               45,678        → Accounts receivable, net of allowance of $1,200 and $1,100
"""

import re
from collections.abc import Sequence

from rag_assets.tables.lines import Line
from rag_assets.tables.row_roles import Role

LONG = 25  # characters; shorter labels do not wrap before a small letter
UNFINISHED = 12  # characters; shorter ones do not wrap at all
FEW = 0.2  # of the labels; where more begin in lower case that is how the table is written
_UNFINISHED = re.compile(
    r"(?:,|;|\b(?:of|and|or|the|for|to|in|on|with|from|by|at|a|an|per|net|less|including|excluding|as|that))$",
    re.IGNORECASE,
)
_LOWER = re.compile(r"[a-zà-ÿ]{2}")


def with_wrapped_labels(
    lines: Sequence[Line], roles: Sequence[Role], stub_end: int
) -> tuple[list[Line], list[Role], list[str]]:
    """The lines with wrapped labels put together, their roles, and the addresses of the cells put in front."""
    lower = sum(bool(_LOWER.match(line.slots[0].text)) for line in lines if line.slots[0].start < stub_end)
    written_small = lower > FEW * max(len(lines), 1)
    kept: list[Line] = []
    kept_roles: list[Role] = []
    moved: list[str] = []
    front = ""
    for n, (line, role) in enumerate(zip(lines, roles, strict=True)):
        if front:
            first = line.slots[0]
            line = line._replace(slots=(first._replace(text=f"{front} {first.text}"), *line.slots[1:]))
            front = ""
        after = lines[n + 1] if n + 1 < len(lines) else None
        below = roles[n + 1] if after is not None else None
        labels = role is Role.SECTION and below in (Role.SECTION, Role.DATA)
        if labels and after is not None and _goes_on(line, after, stub_end, written_small):
            front = line.slots[0].text
            moved.append(line.slots[0].address)
            continue
        kept.append(line)
        kept_roles.append(role)
    return kept, kept_roles, moved


def _goes_on(line: Line, after: Line, stub_end: int, written_small: bool) -> bool:
    text, below = line.slots[0].text.rstrip(), after.slots[0]
    if below.filled or line.slots[0].filled:  # one label that spans rows
        return False
    if below.start >= stub_end or line.slots[0].start >= stub_end or len(text) < UNFINISHED or text.endswith(":"):
        return False
    if _UNFINISHED.search(text):
        return True
    return len(text) >= LONG and not written_small and bool(_LOWER.match(below.text))
