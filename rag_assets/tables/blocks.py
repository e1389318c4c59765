"""Blocks of cells: parted by blank rows and columns, joined again where they are one table.

Holds: `Block`, `parted`, `joined`, `attached`.
Add here: a sign by which two neighbouring blocks are told to be one table or two.
Never here: names, override files, sub-grids (regions).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rag_assets.model.document import GridCell
from rag_assets.tables.ranges import Rectangle

WIDE_GAP = 2
MANY = 0.6
FEW = 2
MIN_HEADINGS = 4
MIN_BODY = 3
MAX_HEADER_ROWS = 4
SAMPLE_ROWS = 200
NEARLY_ALL = 0.8
TITLE_LENGTH = 100

_FIGURE = re.compile(r"[(\-+]?\s*[$€£¥]?\s*[\d.,'\s]*\d\s*%?\)?|\d{4}-\d\d-\d\d.*")
_NOTE = re.compile(r"\s*(?:\*|†|‡|\(\d+\)|\[\d+\]|\d+\)|notes?\b|sources?\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Cells that belong together. `fixed`: a region because somebody said so, nothing is joined to its body."""

    cells: tuple[GridCell, ...]
    fixed: bool = False
    area: Rectangle = field(init=False)

    def __post_init__(self) -> None:
        rows = [c.row for c in self.cells]
        columns = [c.column for c in self.cells]
        object.__setattr__(self, "area", Rectangle(min(rows), min(columns), max(rows), max(columns)))

    def rows(self) -> dict[int, list[GridCell]]:
        return rows_of(self.cells)

    @property
    def lone(self) -> bool:
        """Lines of one cell each: a title or notes, not a table. A column of figures is a table; one or two are not."""
        one_each = len({c.row for c in self.cells}) == len(self.cells)
        return one_each and not self.fixed and (len(self.cells) <= FEW or not any(is_figure(c) for c in self.cells))


def rows_of(cells: Iterable[GridCell]) -> dict[int, list[GridCell]]:
    rows: dict[int, list[GridCell]] = {}
    for cell in cells:
        rows.setdefault(cell.row, []).append(cell)
    return dict(sorted(rows.items()))


def is_figure(cell: GridCell) -> bool:
    if cell.stored is not None:
        return cell.stored.kind not in {"text", "formula"}
    return _FIGURE.fullmatch(cell.text) is not None


def parted(cells: Sequence[GridCell]) -> list[Block]:
    """Bands between blank rows, each parted at the blank columns that have a table on both sides."""
    blocks: list[Block] = []
    for band in _bands(cells):
        groups = _column_groups(band)
        if len(groups) == 1:
            blocks.extend(Block(cells=tuple(part)) for part in _preamble_apart(band))
        else:
            for group in groups:
                blocks.extend(parted(group))
    return blocks


def joined(blocks: Sequence[Block]) -> list[Block]:
    """A block without a header of its own goes on with the one above whose columns agree with it."""
    done: list[Block] = []
    for block in sorted(blocks, key=lambda b: (b.area.top, b.area.left)):
        above = _nearest_above(block, done)
        if (
            above is not None
            and not (block.lone or above.lone or block.fixed or above.fixed)
            and _goes_on(above, block)
        ):
            done[done.index(above)] = Block(cells=(*above.cells, *block.cells))
        else:
            done.append(block)
    return done


def attached(blocks: Sequence[Block]) -> list[Block]:
    """Titles join the table below them, notes the one above; lines that stand by no table stay a block."""
    tables = [b for b in blocks if not b.lone]
    alone = [b for b in blocks if b.lone]
    if not tables:
        return [Block(cells=tuple(c for b in blocks for c in b.cells))] if blocks else []
    beside = []
    for lines in sorted(alone, key=lambda b: b.area.top):
        home = _home(lines, tables)
        if home is None:
            beside.append(lines)
            continue
        n = tables.index(home)
        tables[n] = Block(cells=(*home.cells, *lines.cells), fixed=home.fixed)
    return [*tables, *beside]


def _bands(cells: Sequence[GridCell]) -> list[list[GridCell]]:
    """Groups of rows without a blank one between; a merged cell holds its rows together."""
    bands: list[list[GridCell]] = []
    until = -1
    for row, found in rows_of(cells).items():
        if not bands or row > until + 1:
            bands.append([])
        bands[-1].extend(found)
        until = max(until, max(c.row + max(c.row_span, 1) - 1 for c in found))
    return bands


def _preamble_apart(band: Sequence[GridCell]) -> list[list[GridCell]]:
    """Lines of name and value right above a wider table are a table of their own.

    Report | 2024  |                     |
    By     | Ann   |                     |
    region | tier  | discount | order    |
    """
    rows = list(rows_of(band).values())
    lead = 0
    while lead < len(rows) and _is_pair(rows[lead]):
        lead += 1
    rest = rows[lead:]
    if not lead or len(rest) < MIN_BODY or len(rest[0]) < MIN_HEADINGS or any(map(is_figure, rest[0])):
        return [list(band)]
    if sum(len(row) >= MIN_HEADINGS for row in rest) < MANY * len(rest):
        return [list(band)]
    return [[c for row in rows[:lead] for c in row], [c for row in rest for c in row]]


def _is_pair(row: Sequence[GridCell]) -> bool:
    return sorted(c.column for c in row) == [0, 1] and not any(c.column_span > 1 or c.row_span > 1 for c in row)


def header_rows(cells: Sequence[GridCell]) -> tuple[int, ...]:
    """Rows of words over columns of figures, where there are two or more of them; rows of one cell left aside.

    One alone is told from data by the row roles; a second line of units or codes is not.
    """
    rows = [row for row in rows_of(cells).values() if len(row) > 1]
    found: list[int] = []
    for n, row in enumerate(rows[:MAX_HEADER_ROWS]):
        typed = _typed_columns(rows[n + 1 :])
        texts = {c.column for c in row if not is_figure(c)}
        if len(typed) < FEW or not typed <= texts or len(texts) < len(row):
            break
        found.append(row[0].row)
    return tuple(found) if len(found) > 1 else ()


def _typed_columns(rows: Sequence[Sequence[GridCell]]) -> set[int]:
    """Columns that are figures in nearly all rows."""
    filled: dict[int, int] = {}
    figures: dict[int, int] = {}
    for row in rows[:SAMPLE_ROWS]:
        for cell in row:
            filled[cell.column] = filled.get(cell.column, 0) + 1
            figures[cell.column] = figures.get(cell.column, 0) + is_figure(cell)
    least = MIN_BODY if len(rows) >= MIN_BODY else len(rows)
    return {c for c, n in filled.items() if n >= max(least, 1) and figures[c] >= NEARLY_ALL * n}


def _column_groups(band: Sequence[GridCell]) -> list[list[GridCell]]:
    rows = rows_of(band)
    body = [c for found in rows.values() if len(found) > 1 for c in found]
    starts = _group_starts(body)
    if len(starts) < 2:
        return [list(band)]
    groups = [[c for c in body if _index(starts, c.column) == n] for n in range(len(starts))]
    kept = [starts[0]]
    left = groups[0]
    for n in range(1, len(starts)):
        gap = min(c.column for c in groups[n]) - max(c.column + max(c.column_span, 1) for c in left)
        if _are_two_tables(left, groups[n], gap):
            kept.append(starts[n])
            left = groups[n]
        else:
            left = [*left, *groups[n]]
    if len(kept) == 1:
        return [list(band)]
    return [[c for c in band if _index(kept, c.column) == n] for n in range(len(kept))]


def _group_starts(cells: Sequence[GridCell]) -> list[int]:
    """First columns of the runs of columns that hold anything."""
    ends: dict[int, int] = {}
    for cell in cells:
        ends[cell.column] = max(ends.get(cell.column, 0), cell.column + max(cell.column_span, 1))
    starts: list[int] = []
    until = -1
    for column in sorted(ends):
        if column > until:
            starts.append(column)
        until = max(until, ends[column])
    return starts


def _index(starts: Sequence[int], column: int) -> int:
    return max(sum(start <= column for start in starts) - 1, 0)


def _are_two_tables(left: Sequence[GridCell], right: Sequence[GridCell], gap: int) -> bool:
    """Both need two columns and two rows; then a wide gap, a repeated first heading, or labels and figures each.

    A spacer column inside one table has figures, or nothing but remarks, at its right.
    """
    if not (_is_tabular(left) and _is_tabular(right)):
        return False
    if _first_heading(left) == _first_heading(right):
        return True
    if _labels_share(right) < MANY:
        return gap >= WIDE_GAP and _rows(left) != _rows(right) and _has_header(right)
    return (_has_figures(left) and _has_figures(right)) or (gap >= WIDE_GAP and _rows(left) != _rows(right))


def _is_tabular(cells: Sequence[GridCell]) -> bool:
    return len({c.column for c in cells}) > 1 and len({c.row for c in cells}) > 1


def _rows(cells: Sequence[GridCell]) -> tuple[int, int]:
    return min(c.row for c in cells), max(c.row for c in cells)


def _first_heading(cells: Sequence[GridCell]) -> str:
    first = min(cells, key=lambda c: (c.row, c.column))
    return first.text.casefold()


def _labels_share(cells: Sequence[GridCell]) -> float:
    """Share of words in the first column, its first cell left aside."""
    first = min(c.column for c in cells)
    column = sorted((c for c in cells if c.column == first), key=lambda c: c.row)[1:]
    rows = len({c.row for c in cells}) - 1
    return sum(not is_figure(c) for c in column) / rows if rows else 0


def _has_figures(cells: Sequence[GridCell]) -> bool:
    return any(is_figure(c) for c in cells)


def _nearest_above(block: Block, blocks: Sequence[Block]) -> Block | None:
    over = [
        b
        for b in blocks
        if b.area.bottom < block.area.top and b.area.left <= block.area.right and block.area.left <= b.area.right
    ]
    return max(over, key=lambda b: b.area.bottom, default=None)


def _goes_on(above: Block, block: Block) -> bool:
    """Same columns, figures under figures, and no header of its own."""
    columns = {c.column for c in above.cells}
    own = {c.column for c in block.cells}
    if len(own & columns) < MANY * len(own) or len(own & columns) < MANY * min(len(columns), len(own) + 1):
        return False
    if not _has_figures(above.cells):
        return len(above.rows()) <= WIDE_GAP + 1 or not _has_header(block.cells)
    return not _has_header(block.cells)


def _has_header(cells: Sequence[GridCell]) -> bool:
    """Words over figures: the first row with two cells has none where rows below it do, column by column."""
    rows = [found for found in rows_of(cells).values() if len(found) > 1]
    if len(rows) < 2:
        return False
    head = {c.column: c for c in rows[0]}
    if sum(is_figure(c) for c in head.values()) > len(head) / 3:
        return False
    below = {c.column for found in rows[1:] for c in found if is_figure(c)}
    return any(column in below and not is_figure(cell) for column, cell in head.items())


def _home(lines: Block, tables: Sequence[Block]) -> Block | None:
    """The table below for a title, the one above for notes; the nearer one, and for a title the one it stands over.

    None for lines that stand beside all tables.
    """
    below = [b for b in tables if b.area.top > lines.area.bottom]
    above = [b for b in tables if b.area.bottom < lines.area.top]
    next_one = min(
        below, key=lambda b: (not _over(lines, b), b.area.top, abs(b.area.left - lines.area.left)), default=None
    )
    last_one = max(
        above, key=lambda b: (_over(lines, b), b.area.bottom, -abs(b.area.left - lines.area.left)), default=None
    )
    if next_one is None or last_one is None:
        return next_one or last_one
    first = lines.cells[0].text
    if _NOTE.match(first) or len(first) > TITLE_LENGTH:
        return last_one
    gap_above = lines.area.top - last_one.area.bottom
    gap_below = next_one.area.top - lines.area.bottom
    return next_one if gap_below <= gap_above else last_one


def _over(lines: Block, table: Block) -> bool:
    return table.area.left - 1 <= lines.area.left <= table.area.right
