"""Row roles: what each line of a grid is, by what it holds.

Holds: `Role`, `roles_of`.
Add here: a sign that tells one role from another.
Never here: which headings govern which column (boxhead), which section a row is in (stub).

                         Three Months Ended        header: words, no label
    (In millions)          2026      2025          header: bare years over figures; the corner holds the unit
    Net sales:                                     section: a lone label after the header
      U.S.                4,310     3,900          data
    Total                 8,100     7,600          data (the stub finds that it is a total)
    (1) Restated.                                  note: long or marked, with no data below it
"""

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from rag_assets.tables.caption import unit_of
from rag_assets.tables.lines import Line, Slot
from rag_assets.tables.periods import is_heading_figure, is_lone_period, names_period


class Role(StrEnum):
    CAPTION = "caption"
    HEADER = "header"
    SECTION = "section"
    PERIOD = "period"
    DATA = "data"
    NOTE = "note"
    REPEATED = "repeated"


CORNER = re.compile(
    r"\b(?:in|of)\s+(?:\w+\s+)?(?:thousands|millions|billions)\b|\(?(?:unaudited|audited)\)?$|^\(.*\)$"
    r"|^(?:U\.?S\.?\s?)?[$€£¥]",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^(?:\(\w{1,3}\)|\[\w{1,2}\]|\*+|[†‡§¹²³⁴⁵]|\d{1,2}\s|note\b|source\b)", re.I)
_HEADING_LENGTH = 200
_NOTE_LENGTH = 80
_BRACKETED = re.compile(r"\s*[(\[][^()]*[)\]]\s*")


def label_slot(line: Line, stub_end: int) -> Slot | None:
    """The first cell of the line, if it starts in the label zone."""
    first = line.slots[0] if line.slots else None
    return first if first is not None and first.start < stub_end else None


def is_corner(text: str) -> bool:
    """A unit line, "(unaudited)" or a period in the corner: not the name of the label column."""
    return bool(CORNER.search(text)) or is_lone_period(text)


def has_data(line: Line, stub_end: int) -> bool:
    """Whether the line shows facts. Without a label, footnote marks among headings are none."""
    values = [slot for slot in line.slots if slot.start >= stub_end]
    data = sum(slot.is_data for slot in values)
    if not data:
        return False
    marks = sum(len(slot.text) <= 2 and slot.text.isdigit() for slot in values)
    return label_slot(line, stub_end) is not None or data > marks or data == len(values)


def roles_of(lines: Sequence[Line], stub_end: int, head_rows: int) -> list[Role]:
    """One role for each line. `head_rows` is what the markup itself calls header; 0 where it says nothing."""
    top = _boxhead_lines(lines, stub_end, head_rows)
    numeric = _figure_columns(lines, stub_end)
    roles: list[Role] = []
    last_data = max((n for n, line in enumerate(lines) if n not in top and _is_body(line, stub_end)), default=-1)
    head_texts = {lines[n].texts for n in top}
    first_head = min(top, default=None)
    for n, line in enumerate(lines):
        if n in top:
            roles.append(Role.CAPTION if _is_unit_line(line) and len(top) > 1 else Role.HEADER)
        elif first_head is not None and n < max(top) and _is_lone(line):
            roles.append(Role.HEADER if _is_spanner_of_all(line, stub_end) else Role.CAPTION)
        elif _is_unit_under_heads(line, roles):
            roles.append(Role.CAPTION)
        elif line.texts in head_texts and len(line.slots) > 1:
            roles.append(Role.REPEATED)
        else:
            roles.append(_body_role(lines, n, stub_end, last_data, numeric))
    return roles


def _boxhead_lines(lines: Sequence[Line], stub_end: int, head_rows: int) -> set[int]:
    """Indices of the header lines at the top of the grid."""
    marked = [n for n, line in enumerate(lines) if line.row < head_rows or _all_marked(line)]
    leading = {n for n in marked if n == 0 or all(m in marked or _is_lone(lines[m]) for m in range(n))}
    if leading and any(len(lines[n].slots) > 1 for n in leading):
        return {n for n in leading if not _is_title(lines, n, stub_end)}
    found: set[int] = set()
    named_stub = False
    for n, line in enumerate(lines):
        if has_data(line, stub_end) or (not found and _is_unlabelled_data(line)):
            break
        label = label_slot(line, stub_end)
        if label is None:
            found.add(n)
        elif len(line.slots) == 1:
            if found and not _heading_follows(lines, n, stub_end):
                break
        elif label.filled:
            found.add(n)
        elif named_stub or not _could_be_header(lines, n, stub_end):
            break
        else:
            found.add(n)
            named_stub = not is_corner(label.text)
    return found


def _all_marked(line: Line) -> bool:
    return all(slot.header for slot in line.slots)


def _is_title(lines: Sequence[Line], n: int, stub_end: int) -> bool:
    line = lines[n]
    return _is_lone(line) and line.slots[0].start < stub_end and n + 1 < len(lines)


def _is_lone(line: Line) -> bool:
    return len(line.slots) == 1


def _is_spanner_of_all(line: Line, stub_end: int) -> bool:
    """ "Three months ended" in one cell over all columns, the label's too."""
    slot = line.slots[0]
    return slot.start < stub_end < slot.end and names_period(slot.text) and len(slot.text) < _NOTE_LENGTH


def _is_unit_under_heads(line: Line, roles: Sequence[Role]) -> bool:
    """ "(in thousands)" alone between the headings and the first row."""
    above = bool(roles) and all(role in (Role.HEADER, Role.CAPTION) for role in roles) and Role.HEADER in roles
    return above and _is_unit_line(line)


def _is_unit_line(line: Line) -> bool:
    return _is_lone(line) and bool(_BRACKETED.fullmatch(line.slots[0].text)) and unit_of(line.texts) is not None


def _is_unlabelled_data(line: Line) -> bool:
    return any(slot.is_data for slot in line.slots) and not any(names_period(slot.text) for slot in line.slots)


def _heading_follows(lines: Sequence[Line], n: int, stub_end: int) -> bool:
    """Whether a line of headings without label comes before the next data."""
    for line in lines[n + 1 : n + 4]:
        if has_data(line, stub_end):
            return False
        if label_slot(line, stub_end) is None and line.slots:
            return True
    return False


def _could_be_header(lines: Sequence[Line], n: int, stub_end: int) -> bool:
    line = lines[n]
    values = [slot for slot in line.slots if slot.start >= stub_end]
    if all(is_heading_figure(slot.text) or names_period(slot.text) for slot in values):
        return True
    if any(len(slot.text) > _HEADING_LENGTH for slot in line.slots):
        return False
    if any(len(lines[m].slots) > 1 for m in range(n)) and not _follows_only_heads(lines, n, stub_end):
        return False
    if len(values) == 1 and _is_mixed(lines[n + 1 :], stub_end):
        return False
    return len(set(line.texts)) == len(line.texts) or len(values) > 2


def _is_mixed(lines: Sequence[Line], stub_end: int) -> bool:
    """Words and figures in the one column of values: lines of a name and its value, which no heading is over."""
    slots = [slot for line in lines for slot in line.slots if slot.start >= stub_end]
    figures = sum(any(c.isdigit() for c in slot.text) for slot in slots)
    return len(slots) > 1 and 0.2 * len(slots) <= figures <= 0.8 * len(slots)


def _follows_only_heads(lines: Sequence[Line], n: int, stub_end: int) -> bool:
    return all(
        label_slot(line, stub_end) is None or is_corner(line.slots[0].text) or _is_lone(line) for line in lines[:n]
    )


def _is_body(line: Line, stub_end: int) -> bool:
    return has_data(line, stub_end) or (label_slot(line, stub_end) is not None and len(line.slots) > 1)


def _body_role(lines: Sequence[Line], n: int, stub_end: int, last_data: int, numeric: set[int]) -> Role:
    line = lines[n]
    label = label_slot(line, stub_end)
    if _is_lone(line):
        slot = line.slots[0]
        if n > last_data:
            return Role.NOTE
        if slot.is_data and label is None:
            return Role.DATA
        if label is None:
            spanner = names_period(slot.text) or (not slot.is_data and slot.end - slot.start > 1)
            return Role.HEADER if spanner else Role.DATA if slot.is_data else Role.SECTION
        if is_lone_period(slot.text):
            return Role.PERIOD
        if _NOTE.match(slot.text) and len(slot.text) > _NOTE_LENGTH:
            return Role.NOTE
        return Role.SECTION
    if has_data(line, stub_end):
        return Role.DATA
    if label is None and n < last_data:
        headings = all(slot.start in numeric or slot.header or names_period(slot.text) for slot in line.slots)
        return Role.HEADER if headings else Role.DATA
    if label is not None and n < last_data and _is_second_header(line, stub_end, numeric):
        return Role.HEADER
    return Role.DATA


def could_open_section(line: Line, stub_end: int) -> bool:
    """Whether lone words at the end of a grid may be a label whose rows stand behind a page break."""
    label = label_slot(line, stub_end)
    if label is None or not _is_lone(line):
        return False
    text = label.text
    return len(text) <= _NOTE_LENGTH and not text.endswith(".") and not _NOTE.match(text) and not is_lone_period(text)


def _figure_columns(lines: Sequence[Line], stub_end: int) -> set[int]:
    """Grid columns in which figures stand in several lines, and words hardly ever."""
    figures: Counter[int] = Counter()
    words: Counter[int] = Counter()
    for line in lines:
        for slot in line.slots:
            if slot.start >= stub_end and not (is_heading_figure(slot.text) or is_lone_period(slot.text)):
                (figures if slot.is_data else words).update(range(slot.start, min(slot.end, slot.start + 50)))
    return {column for column, times in figures.items() if times > 2 and times > 2 * words[column]}


def _is_second_header(line: Line, stub_end: int, numeric: set[int]) -> bool:
    """A labelled line of nothing but periods, of header cells, or of different words over columns of figures."""
    values = [slot for slot in line.slots if slot.start >= stub_end]
    if _all_marked(line) and len(line.slots) > 2:
        return True
    texts = {slot.text for slot in values}
    if len(texts) > 1 and len(texts) == len(values) and all(slot.start in numeric for slot in values):
        return True
    return (
        bool(values)
        and is_corner(line.slots[0].text)
        and all(is_heading_figure(slot.text) or names_period(slot.text) for slot in values)
    )
