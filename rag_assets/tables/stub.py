"""Stub: which section a row belongs to.

Holds: the stack of open sections, from indentation and from sums.
Add here: another sign that a section opens or closes.
Never here: reading indentation out of HTML or a workbook (readers), which lines are sections (row_roles).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag_assets.tables.rules import Rules
from rag_assets.tables.sums import MAX_ROWS, OpenItems

UNSUMMABLE = MAX_ROWS + 1
STEP = 0.4  # em; less is no deeper level
_TOTAL = re.compile(r"^(?:sub|grand)?[-\s]?totals?\b|\b(?:sub)?total$|^sum\b|^(?:summe|somme|suma|gesamt)\b", re.I)


@dataclass(slots=True, kw_only=True)
class _Section:
    """`total_at` is the row that names its total, if one lies ahead: until there it stays open.

    `has_level`, `has_deeper`: it had rows of its own depth, and deeper ones.
    """

    label: str
    depth: float
    opened_at: int
    total_at: int | None = None
    has_row: bool = False
    has_deeper: bool = False
    is_group: bool = False
    bold: bool = False
    has_level: bool = False


class StubRow(NamedTuple):
    """One line of the body as the stub sees it; `values` are its figures by lane, None where there is none."""

    labels: tuple[str, ...]
    depth: float
    is_section: bool
    values: tuple[float | None, ...]
    bold: bool = False

    @property
    def label(self) -> str:
        return self.labels[-1] if self.labels else ""


class StubPath(NamedTuple):
    sections: tuple[str, ...]
    is_total: bool


def says_total(label: str) -> bool:
    return bool(_TOTAL.search(label.strip(" :")))


def section_paths(rows: Sequence[StubRow], rules: Rules, unseen: int = 0) -> list[StubPath]:
    """For each row the sections around it, outermost first, and whether it is a total.

    A section ends only after it has had a row; at a row of its own depth only once it has had a deeper child; and at
    the total that sums it, by arithmetic or by name. One whose total lies ahead stays open until there:

        Current assets          section, depth 0
          Cash                  → Current assets
        Receivables             → Current assets (the total below names it)
          Total current assets  → (none): it sums the section, so it stands beside it
        Property, net           → (none)

    `unseen` rows stand between these: sums are then found by name only.
    """
    if not rules.sections:
        return [StubPath((), says_total(row.label)) for row in rows]
    return _Walk(rows, rules, len(rows) + unseen).paths()


class _Walk:
    """One pass down the rows with the stack of open sections."""

    def __init__(self, rows: Sequence[StubRow], rules: Rules, in_all: int) -> None:
        self.rows, self.rules = rows, rules
        self.stack: list[_Section] = []
        summable = in_all if in_all == len(rows) else max(in_all, UNSUMMABLE)
        self.items = OpenItems(rows=summable)
        self.total_at = {**_summed_totals(rows, summable), **_named_totals(rows)} if rules.section_totals else {}
        names = Counter(_bare(row.label) for row in rows if row.is_section)
        self.repeated = {name for name, times in names.items() if times > 1}

    def paths(self) -> list[StubPath]:
        return [self._section(n) if row.is_section else self._row(n) for n, row in enumerate(self.rows)]

    def _labels(self) -> tuple[str, ...]:
        return tuple(section.label for section in self.stack)

    def _section(self, n: int) -> StubPath:
        row = self.rows[n]
        self._close_for_section(n, row)
        around = self._labels()
        followed = n + 1 < len(self.rows) and self.rows[n + 1].is_section
        self.stack.append(
            _Section(
                label=row.label.rstrip(" :–—-"),
                depth=row.depth,
                opened_at=len(self.items),
                total_at=self.total_at.get(n),
                is_group=followed,
                bold=row.bold,
            )
        )
        return StubPath(around, False)

    def _row(self, n: int) -> StubPath:
        row = self.rows[n]
        before = self._labels()
        summed = self._close_for_total(n, row) if self.rules.section_totals else False
        total = says_total(row.label)
        if not summed:
            if not total:
                self._close_for_row(n, row.depth)
            self.items.add(row.values)
        for section in self.stack:
            section.has_row = True
            section.has_deeper = section.has_deeper or (not total and row.depth > section.depth + STEP)
        if self.stack and not total and row.depth <= self.stack[-1].depth + STEP:
            self.stack[-1].has_level = True
        if summed and not row.label:
            return StubPath(before[: len(self.stack) + 1], True)
        return StubPath(self._labels(), total)

    def _stays(self, section: _Section, n: int) -> bool:
        return section.total_at is not None and section.total_at > n

    def _close_for_section(self, n: int, row: StubRow) -> None:
        """Close those of its depth or deeper that have had a row; a title without rows keeps what follows.

        A bold title that had rows of its own depth outranks a plain one. A group, whose first line below is itself a
        section, keeps sub-sections that come again under other groups.
        """
        stack = self.stack
        while stack and not self._stays(stack[-1], n):
            top = stack[-1]
            shallower = top.depth > row.depth + STEP
            same = abs(top.depth - row.depth) <= STEP
            kept_by_group = same and top.is_group and _bare(row.label) in self.repeated
            outranks = same and top.bold and not row.bold and top.has_level
            ends = (
                shallower or (same and not kept_by_group and not outranks)
                if top.has_row
                else shallower and len(stack) > 1
            )
            if not ends:
                break
            stack.pop()

    def _close_for_row(self, n: int, depth: float) -> None:
        stack = self.stack
        while stack and stack[-1].has_row and not self._stays(stack[-1], n):
            top = stack[-1]
            shallower = depth < top.depth - STEP and (top.has_deeper or self._has_shallower_home(depth))
            same = abs(depth - top.depth) <= STEP and top.has_deeper and not (top.bold and top.has_level)
            if not (shallower or same):
                break
            stack.pop()

    def _has_shallower_home(self, depth: float) -> bool:
        return any(section.depth <= depth + STEP for section in self.stack[:-1])

    def _close_for_total(self, n: int, row: StubRow) -> bool:
        """Close the sections that this row sums, by name or by arithmetic. True where it sums a run of open items."""
        stack, items = self.stack, self.items
        start = items.run_that_sums_to(row.values, rounding=says_total(row.label))
        named = next((k for k, section in enumerate(stack) if section.total_at == n), None)
        if named is not None:
            opened = stack[named].opened_at
            start = opened if start is None else min(start, opened)
            del stack[named:]
            if start < len(items):
                items.replace(start, row.values)
            else:
                items.add(row.values)
            return True
        if start is None:
            return False
        items.replace(start, row.values)
        while stack and stack[-1].opened_at >= start and not self._stays(stack[-1], n):
            stack.pop()
        return True


def _named_totals(rows: Sequence[StubRow]) -> dict[int, int]:
    """For each section line the row that repeats its name: "Total current assets", or "Basic EPS" for "Basic EPS:".

    The search ends at the next section of the same name.
    """
    found: dict[int, int] = {}
    open_by_name: dict[str, int] = {}
    for n, row in enumerate(rows):
        name = _bare(row.label)
        if row.is_section:
            if name:
                open_by_name[name] = n
            continue
        total = _summed_name(row.label)
        opened = open_by_name.pop(total, None) if total else None
        if opened is not None and n - opened > 1:
            found[opened] = n
    return found


def _summed_totals(rows: Sequence[StubRow], in_all: int) -> dict[int, int]:
    """For each section line the row that sums what follows it, whatever the indentation says.

    Of sections that open together the inner one ends at the first such row, the outer one at the next:

        ASSETS                    → the row without label
        Current assets            → Total current assets
          Cash              5
          Receivables       7
          Total current assets   12
        Property            8
                           20
    """
    found: dict[int, int] = {}
    items = OpenItems(rows=in_all)
    item_rows: list[int] = []
    for n, row in enumerate(rows):
        if row.is_section:
            continue
        start = items.run_that_sums_to(row.values, rounding=says_total(row.label) or not row.label)
        if start is None:
            items.add(row.values)
            item_rows.append(n)
            continue
        first = item_rows[start]
        opened = next((k for k in _sections_right_before(rows, first) if k not in found), None)
        if opened is not None:
            found[opened] = n
        items.replace(start, row.values)
        item_rows[start:] = [first]
    return found


def _sections_right_before(rows: Sequence[StubRow], n: int) -> Iterator[int]:
    """The section lines directly above row `n`, the inner one first."""
    k = n - 1
    while k >= 0 and rows[k].is_section:
        yield k
        k -= 1


def _summed_name(label: str) -> str:
    return _bare(re.sub(r"^\s*(?:sub)?-?totals?\s*(?:for|of|,|-|–|—)?\s*", "", label, flags=re.IGNORECASE))


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", " ", re.sub(r"\s*\(.*?\)", "", text)).strip().lower()
