"""A1 arithmetic: columns as letters, cells and rectangles of a sheet, addresses as a spreadsheet writes them.

Holds: `Rectangle` and the ways between its 0-based numbers and A1 text.
Add here: another notation of a place on a sheet.
Never here: what stands there.
"""

import re
from functools import cache
from typing import NamedTuple

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})")
_RANGE = re.compile(r"(?:(?P<sheet>'(?:[^']|'')+'|[^'!]+)!)?(?P<first>[^:!]+)(?::(?P<last>[^:!]+))?")
_PLAIN_SHEET = re.compile(r"[^\W\d][\w.]*")
_LIKE_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]{1,7}|[Rr][0-9]*[Cc][0-9]*|[Rr]|[Cc]")


class Rectangle(NamedTuple):
    """0-based, both ends inside."""

    top: int
    left: int
    bottom: int
    right: int

    def holds(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def overlaps(self, other: "Rectangle") -> bool:
        return (
            self.top <= other.bottom
            and other.top <= self.bottom
            and self.left <= other.right
            and other.left <= self.right
        )

    def around(self, other: "Rectangle") -> "Rectangle":
        return Rectangle(
            min(self.top, other.top),
            min(self.left, other.left),
            max(self.bottom, other.bottom),
            max(self.right, other.right),
        )

    @property
    def a1(self) -> str:
        first = cell_name(self.top, self.left)
        last = cell_name(self.bottom, self.right)
        return first if first == last else f"{first}:{last}"


@cache
def column_letters(column: int) -> str:
    """0 → A, 25 → Z, 26 → AA."""
    letters = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


@cache
def column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def cell_name(row: int, column: int) -> str:
    return f"{column_letters(column)}{row + 1}"


def parse_cell(text: str) -> tuple[int, int] | None:
    """0-based (row, column) of `B3` or `$B$3`; None for anything else."""
    match = _CELL.fullmatch(text.strip())
    if match is None:
        return None
    row, column = int(match[2]) - 1, column_number(match[1])
    return (row, column) if row < MAX_ROWS and column < MAX_COLUMNS else None


def parse_range(text: str) -> Rectangle | None:
    """The rectangle of `A4:F60`, `$A$4`, `'Any sheet'!A4:F60`; None for anything else (whole columns too)."""
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        return None
    first = parse_cell(match["first"])
    last = parse_cell(match["last"]) if match["last"] else first
    if first is None or last is None:
        return None
    return Rectangle(min(first[0], last[0]), min(first[1], last[1]), max(first[0], last[0]), max(first[1], last[1]))


def sheet_of(text: str) -> str | None:
    """The sheet that a reference names, unquoted."""
    match = _RANGE.fullmatch(text.strip())
    if match is None or not match["sheet"]:
        return None
    sheet = match["sheet"]
    return sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet


def quoted_sheet(name: str) -> str:
    """As a spreadsheet writes it before the `!`: quotes unless it is a plain word that reads as no cell."""
    if _PLAIN_SHEET.fullmatch(name) and not _LIKE_CELL.fullmatch(name) and name.upper() not in {"TRUE", "FALSE"}:
        return name
    return "'" + name.replace("'", "''") + "'"
