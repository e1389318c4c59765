"""Addresses of cells: taken apart for storage, put together again as ranges.

Holds: `Place` of an address, and ranges of one column.
Add here: an address form that a new reader writes.
Never here: which cells a result stands on (query.py).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_WORKBOOK = re.compile(r"^(?P<prefix>.*!)?(?P<column>[A-Z]{1,3})(?P<line>[1-9]\d*)$", re.DOTALL)
_GRID = re.compile(r"^(?P<prefix>(?:.*!)?)r(?P<line>\d+)c(?P<column>\d+)$", re.DOTALL)


class Place(NamedTuple):
    """`'Sheet'!C14` → ("'Sheet'!", "C", 14); `#table-1!r5c2` → ("#table-1!", "c2", 5)."""

    prefix: str
    column: str
    line: int


def place_of(address: str) -> Place | None:
    """None for an address that names no single cell of a grid."""
    if found := _WORKBOOK.match(address):
        return Place(found["prefix"] or "", found["column"], int(found["line"]))
    if found := _GRID.match(address):
        return Place(found["prefix"], f"c{found['column']}", int(found["line"]))
    return None


def address_of(place: Place) -> str:
    if place.column.startswith("c"):
        return f"{place.prefix}r{place.line}{place.column}"
    return f"{place.prefix}{place.column}{place.line}"


def range_of(prefix: str, column: str, first: int, last: int) -> str:
    """`'Sheet'!C2:C41`, `#table-1!r2c3:r41c3`; one cell where first is last."""
    start = address_of(Place(prefix, column, first))
    if first == last:
        return start
    end = address_of(Place("", column, last))
    return f"{start}:{end}"


def ranges(addresses: Iterable[str]) -> tuple[str, ...]:
    """Contiguous cells of one column become one range; the order is that of the page, column by column."""
    places: dict[tuple[str, str], set[int]] = {}
    others: dict[str, None] = {}
    for address in addresses:
        place = place_of(address)
        if place is None:
            others[address] = None
        else:
            places.setdefault((place.prefix, place.column), set()).add(place.line)
    found: list[str] = []
    for (prefix, column), lines in places.items():
        found.extend(range_of(prefix, column, first, last) for first, last in runs(sorted(lines)))
    return (*found, *others)


def runs(lines: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """First and last of each run of consecutive numbers."""
    spans: list[tuple[int, int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], line)
        else:
            spans.append((line, line))
    return tuple(spans)
