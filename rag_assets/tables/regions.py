"""Regions: which rectangles of a sheet are tables of their own.

Holds: `split_regions`, with the order of what decides: the override file, names the file itself gives, then blank rows
and columns.
Add here: another sign that two blocks of cells are one table, or are not.
Never here: which rows of a region are headers, captions or notes (row_roles, caption).

    Prices 2026                       |          A title and the notes go with the region they stand by.
    region | price |  | region | cost |          A blank column parts tables that both have labels and figures.
    North  | 12    |  | North  | 7    |
                                      |          A blank row parts them only where a new header follows, or where
    South  | 14    |  | South  | 8    |          the columns do not agree.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rag_assets.model.document import Grid, GridCell, GridId
from rag_assets.tables.blocks import Block, attached, header_rows, joined, parted
from rag_assets.tables.overrides import SheetOverride
from rag_assets.tables.ranges import Rectangle, parse_range
from rag_assets.tables.rules import Rules

MIN_NAMED_ROWS = 2
MIN_NAMED_CELLS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fixed:
    """A rectangle that is a region because somebody said so. `header_rows` 0: nothing is said about them."""

    area: Rectangle
    header_rows: int = 0


def split_regions(grid: Grid, rules: Rules, override: SheetOverride | None = None) -> tuple[Grid, ...]:
    """Sub-grids in reading order; every cell is in exactly one of them and keeps its address.

    A grid that is one region comes back with its own id; otherwise the ids are `<id>.1`, `<id>.2`, … Header rows that
    the override file or a ListObject settles have `header` set on their cells.
    """
    seen = [c for c in grid.cells if rules.hidden_policy == "include" or not (c.hidden or grid.hidden)]
    if not seen:
        return (grid,)
    origin = parse_range(grid.range or "A1") or Rectangle(0, 0, 0, 0)
    fixed = _fixed_areas(grid, seen, origin, override)
    blocks = [Block(cells=tuple(c for c in seen if _inside(f.area, c)), fixed=True) for f in fixed]
    rest = [c for c in seen if not any(_inside(f.area, c) for f in fixed)]
    found = attached(joined([*blocks, *parted(rest)]))
    groups = _with_unseen(found, grid, seen)
    marked = [*_header_cells(fixed), *(area for cells in groups for area in _words_over_figures(cells, fixed))]
    return tuple(
        _sub_grid(grid, cells, origin, n if len(groups) > 1 else None, marked) for n, cells in enumerate(groups, 1)
    )


def _fixed_areas(
    grid: Grid, seen: Sequence[GridCell], origin: Rectangle, override: SheetOverride | None
) -> tuple[_Fixed, ...]:
    """What wins over looking: override ranges, then ListObjects, then defined names that cut through nothing."""
    chosen: list[_Fixed] = []
    for table in override.tables if override else ():
        if table.range is not None:
            _add(chosen, _Fixed(area=_moved(table.range, origin), header_rows=table.header_rows or 0), seen)
        elif table.header_rows:
            _add(chosen, _Fixed(area=Block(cells=tuple(seen)).area, header_rows=table.header_rows), seen)
    hints = sorted(grid.hints, key=lambda h: h.kind != "list_object")
    for hint in hints:
        area = parse_range(hint.range)
        if area is None:
            continue
        area = _moved(area, origin)
        if hint.kind == "list_object":
            _add(chosen, _Fixed(area=area, header_rows=1), seen)
        elif _stands_alone(area, seen):
            _add(chosen, _Fixed(area=area), seen)
    return tuple(sorted(chosen, key=lambda f: (f.area.top, f.area.left)))


def _add(chosen: list[_Fixed], new: _Fixed, seen: Sequence[GridCell]) -> None:
    if not any(new.area.overlaps(f.area) for f in chosen) and any(_inside(new.area, c) for c in seen):
        chosen.append(new)


def _stands_alone(area: Rectangle, seen: Sequence[GridCell]) -> bool:
    """A name for part of a table (one column, a body without its header) makes no region."""
    inside = [c for c in seen if _inside(area, c)]
    if len(inside) < MIN_NAMED_CELLS or len({c.row for c in inside}) < MIN_NAMED_ROWS:
        return False
    ring = Rectangle(area.top - 1, area.left - 1, area.bottom + 1, area.right + 1)
    around = [c for c in seen if _inside(ring, c) and not _inside(area, c)]
    above = [c for c in around if c.row < area.top]
    return len(around) == len(above) and len(above) <= 1


def _moved(area: Rectangle, origin: Rectangle) -> Rectangle:
    return Rectangle(area.top - origin.top, area.left - origin.left, area.bottom - origin.top, area.right - origin.left)


def _inside(area: Rectangle, cell: GridCell) -> bool:
    return area.holds(cell.row, cell.column)


def _header_cells(fixed: Iterable[_Fixed]) -> tuple[Rectangle, ...]:
    return tuple(
        Rectangle(f.area.top, f.area.left, f.area.top + f.header_rows - 1, f.area.right) for f in fixed if f.header_rows
    )


def _words_over_figures(cells: Sequence[GridCell], fixed: Sequence[_Fixed]) -> list[Rectangle]:
    if any(_inside(f.area, cell) for f in fixed for cell in cells[:1]):
        return []
    seen = [c for c in cells if not c.hidden]
    return [Rectangle(row, 0, row, max(c.column for c in seen)) for row in header_rows(seen)]


def _with_unseen(blocks: Sequence[Block], grid: Grid, seen: Sequence[GridCell]) -> list[list[GridCell]]:
    """Hidden cells join the region they stand in, or else the last one that begins above them."""
    groups = [list(block.cells) for block in sorted(blocks, key=lambda b: (b.area.top, b.area.left))]
    if len(seen) == len(grid.cells):
        return groups
    areas = [Block(cells=tuple(cells)).area for cells in groups]
    visible = {c.address for c in seen}
    for cell in grid.cells:
        if cell.address not in visible:
            groups[_home(cell, areas)].append(cell)
    return groups


def _home(cell: GridCell, areas: Sequence[Rectangle]) -> int:
    for n, area in enumerate(areas):
        if area.holds(cell.row, cell.column):
            return n
    above = [n for n, area in enumerate(areas) if area.top <= cell.row]
    beside = [n for n in above if areas[n].left <= cell.column]
    return (beside or above or [0])[-1]


def _sub_grid(
    grid: Grid, cells: Sequence[GridCell], origin: Rectangle, number: int | None, marked: Sequence[Rectangle]
) -> Grid:
    if number is None and not marked:
        return grid
    area = Block(cells=tuple(cells)).area
    moved = tuple(
        cell._replace(
            row=cell.row - area.top,
            column=cell.column - area.left,
            header=cell.header or any(_inside(m, cell) for m in marked),
        )
        for cell in sorted(cells, key=lambda c: (c.row, c.column))
    )
    on_sheet = Rectangle(
        area.top + origin.top, area.left + origin.left, area.bottom + origin.top, area.right + origin.left
    )
    return replace(
        grid,
        id=grid.id if number is None else GridId(f"{grid.id}.{number}"),
        n_rows=area.bottom - area.top + 1,
        n_columns=area.right - area.left + 1,
        cells=moved,
        range=on_sheet.a1 if grid.range else None,
        hints=tuple(h for h in grid.hints if (r := parse_range(h.range)) is not None and r.overlaps(on_sheet)),
    )
