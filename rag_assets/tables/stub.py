"""Stub: which section a row belongs to.

Holds: the stack of open sections, from indentation and from sums.
Add here: another sign that a section opens or closes.
Never here: reading indentation out of HTML or a workbook (readers), which lines are sections (row_roles).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag_assets.tables.rules import Rules
from rag_assets.tables.sums import OpenItems

STEP = 0.4  # em; less is no deeper level
_TOTAL = re.compile(r"^(?:sub)?-?\s?totals?\b|\btotal$|^(?:grand|net|sum of)\b", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class _Section:
    label: str
    depth: float
    opened_at: int
    has_row: bool = False
    has_deeper: bool = False


class StubRow(NamedTuple):
    """One line of the body as the stub sees it; `values` are its figures by lane, None where there is none."""

    labels: tuple[str, ...]
    depth: float
    is_section: bool
    values: tuple[float | None, ...]


class StubPath(NamedTuple):
    sections: tuple[str, ...]
    is_total: bool


def says_total(label: str) -> bool:
    return bool(_TOTAL.search(label.strip(" :")))


def section_paths(rows: Sequence[StubRow], rules: Rules) -> list[StubPath]:
    """For each row the sections around it, outermost first, and whether it is a total.

    A section ends only after it has had a row; at a row of its own depth only once it has had a deeper child; and at
    the total that sums it:

        Current assets          section, depth 0
          Cash                  → Current assets
          Receivables           → Current assets
          Total current assets  → (none): it sums the section, so it stands beside it
        Property, net           → (none)
    """
    if not rules.sections:
        return [StubPath((), bool(row.labels) and says_total(row.labels[-1])) for row in rows]
    stack: list[_Section] = []
    items = OpenItems(rows=len(rows))
    paths = []
    for row in rows:
        label = row.labels[-1] if row.labels else ""
        if row.is_section:
            _close_for_section(stack, row.depth)
            stack.append(_Section(label=label, depth=row.depth, opened_at=len(items)))
            paths.append(StubPath(tuple(s.label for s in stack[:-1]), False))
            continue
        summed = _close_for_total(stack, items, row, label) if rules.section_totals else False
        if not summed:
            _close_for_row(stack, row.depth)
        for section in stack:
            section.has_row = True
            section.has_deeper = section.has_deeper or row.depth > section.depth + STEP
        if not summed:
            items.add(row.values)
        paths.append(StubPath(tuple(s.label for s in stack), says_total(label) or (summed and not label)))
    return paths


def _close_for_section(stack: list[_Section], depth: float) -> None:
    """A section closes those of its depth or deeper that have had a row; a title without rows keeps what follows."""
    while stack and stack[-1].has_row and stack[-1].depth >= depth - STEP:
        stack.pop()
    while len(stack) > 1 and not stack[-1].has_row and stack[-1].depth > depth + STEP:
        stack.pop()


def _close_for_row(stack: list[_Section], depth: float) -> None:
    while stack and stack[-1].has_row:
        top = stack[-1]
        if (depth < top.depth - STEP and (top.has_deeper or _has_shallower_home(stack, depth))) or (abs(depth - top.depth) <= STEP and top.has_deeper):
            stack.pop()
        else:
            break


def _has_shallower_home(stack: Sequence[_Section], depth: float) -> bool:
    return any(section.depth <= depth + STEP for section in stack[:-1])


def _close_for_total(stack: list[_Section], items: OpenItems, row: StubRow, label: str) -> bool:
    """Close the sections that this row sums, by name or by arithmetic. True where it sums a run of open items."""
    total = says_total(label)
    start = items.run_that_sums_to(row.values, rounding=total)
    named = _named_section(stack, label) if total else None
    if named is not None:
        start = min(start, stack[named].opened_at) if start is not None else stack[named].opened_at
        if start < len(items):
            items.replace(start, row.values)
        else:
            items.add(row.values)
        del stack[named:]
        return True
    if start is None:
        return False
    items.replace(start, row.values)
    while stack and stack[-1].opened_at >= start:
        stack.pop()
    return True


def _named_section(stack: Sequence[_Section], label: str) -> int | None:
    """Index of the open section whose name the total repeats: "Total current assets" for "Current assets:"."""
    named = _bare(re.sub(r"^\s*(?:sub)?-?totals?\s*(?:for|of|,|-|–|—)?\s*", "", label, flags=re.IGNORECASE))
    if not named:
        return None
    for n in range(len(stack) - 1, -1, -1):
        if _bare(stack[n].label) == named:
            return n
    return None


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", " ", re.sub(r"\s*\(.*?\)", "", text)).strip().lower()
