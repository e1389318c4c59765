"""Long grids: understood from the rows that have cells, then applied to the stretches of rows between them.

Holds: `compacted` and its way back, `with_stretches`, and the places of the cells that are no `GridCell`s.
Add here: what follows for rows that nobody looked at one by one.
Never here: a rule of understanding; whole columns of values (columnar/).

    1  Orders 2026                    seen
    2  id | region | amount           seen
    3   1 | North  |  12              seen                       rows 4 to 998 are data rows of the table that
    …                                 a stretch: rows 4 to 998   row 3 is in, in the sections row 3 is in
    999 …                             seen
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from rag_assets.model.document import Grid, LongColumn, LongRows, Witness
from rag_assets.model.table import LongBody, Place, Placement, RowKind, Stretch, Table
from rag_assets.tables.overrides import SheetOverride
from rag_assets.tables.ranges import Rectangle, parse_range

_LINE = re.compile(r"(?:r(?P<record>\d+)(?P<field>c\d+)|(?P<letters>[A-Z]{1,3})(?P<line>\d+))")
FAILED = {"error": Place.ERROR, "formula": Place.FORMULA}


class Spot(NamedTuple):
    """An address taken apart: place as in `LongColumn`, line on the page."""

    place: str
    line: int


def spot_of(address: str, prefix: str) -> Spot | None:
    found = _LINE.fullmatch(address.removeprefix(prefix))
    if found is None:
        return None
    if found["record"]:
        return Spot(found["field"], int(found["record"]))
    return Spot(found["letters"], int(found["line"]))


def compacted(grid: Grid) -> Grid:
    """The grid as if the rows that have no cells were not there."""
    if grid.long is None:
        return grid
    at = {row: n for n, row in enumerate(grid.long.sampled)}
    return replace(
        grid,
        n_rows=len(at),
        cells=tuple(cell._replace(row=at[cell.row]) for cell in grid.cells),
        range=_compact_range(grid.range, grid),
        hints=tuple(replace(hint, range=_compact_range(hint.range, grid) or hint.range) for hint in grid.hints),
    )


def compacted_override(override: SheetOverride | None, grid: Grid) -> SheetOverride | None:
    """Ranges of the override file in rows of the compacted grid."""
    if override is None or grid.long is None:
        return override
    tables = tuple(
        replace(table, range=_compact(table.range, grid)) if table.range is not None else table
        for table in override.tables
    )
    return replace(override, tables=tables)


def full_range(text: str | None, grid: Grid) -> str | None:
    """A range of the compacted grid in lines of the page."""
    area = parse_range(text) if text else None
    if grid.long is None or area is None:
        return text
    rows, top = grid.long.sampled, _top(grid)
    return Rectangle(rows[area.top - top] + top, area.left, rows[area.bottom - top] + top, area.right).a1


def _compact_range(text: str | None, grid: Grid) -> str | None:
    area = parse_range(text) if text else None
    found = _compact(area, grid) if area is not None else None
    return found.a1 if found is not None else text


def _compact(area: Rectangle, grid: Grid) -> Rectangle:
    """From the first seen row in the area to the last one."""
    rows = grid.long.sampled if grid.long is not None else ()
    top = _top(grid)
    first = min(bisect_left(rows, area.top - top), len(rows) - 1)
    last = max(bisect_right(rows, area.bottom - top) - 1, first)
    return Rectangle(first + top, area.left, last + top, area.right)


def _top(grid: Grid) -> int:
    area = parse_range(grid.range) if grid.range else None
    return area.top if area is not None else 0


def unseen_runs(long: LongRows) -> list[tuple[int, int]]:
    """First and last row of each run of rows without cells."""
    pairs = zip(long.sampled, long.sampled[1:], strict=False)
    return [(before + 1, after - 1) for before, after in pairs if after > before + 1]


def with_stretches(tables: Sequence[Table], region: Grid) -> tuple[Table, ...]:
    """Each run of unseen rows that the region reaches over goes to the table of the last data row before it."""
    long = region.long
    if long is None:
        return tuple(tables)
    lines = [spot.line for cell in region.cells if (spot := spot_of(cell.address, long.prefix)) is not None]
    anchors = sorted(_anchors(tables, long))
    if not anchors:
        return tuple(replace(table, body=None) for table in tables)
    starts = [line for line, _, _ in anchors]
    stretches: dict[int, list[Stretch]] = {}
    start = 0
    for first, last in unseen_runs(long):
        line = first + long.first_line
        if min(lines) < line <= max(lines):
            _, table, sections = anchors[max(bisect_left(starts, line) - 1, 0)]
            stretches.setdefault(table, []).append(Stretch(first, last, start, sections))
        start += last - first + 1
    holder = min(stretches, default=-1)
    return tuple(_with_body(table, stretches.get(n, []), all_cells=n == holder) for n, table in enumerate(tables))


def body_of(table: Table, grid: Grid) -> LongBody | None:
    """The table's body under the name that its grid has in the columns file."""
    return replace(table.body, grid=grid.id) if table.body is not None else None


def _with_body(table: Table, stretches: Sequence[Stretch], *, all_cells: bool) -> Table:
    if table.body is None or not stretches:
        return replace(table, body=None)
    cells = sum(alike.count for column in table.body.columns for alike in column.alike) if all_cells else 0
    return replace(table, body=replace(table.body, stretches=tuple(stretches), cells=cells))


def _anchors(tables: Sequence[Table], long: LongRows) -> Iterable[tuple[int, int, tuple[str, ...]]]:
    """Line, table and sections of each data row."""
    for n, table in enumerate(tables):
        for row in table.rows:
            spots = [spot_of(cell.address, long.prefix) for cell in (*row.cells, *row.labels)]
            found = Counter(spot.line for spot in spots if spot is not None)
            if row.kind is RowKind.DATA and found:
                yield found.most_common(1)[0][0], n, row.sections


class LongPlaces(NamedTuple):
    """Cells, and their characters, that have a place without a `Placement` of their own."""

    cells: Counter[Place]
    characters: Counter[Place]


NO_LONG_PLACES = LongPlaces(Counter(), Counter())


def long_places(
    grid: Grid, tables: Sequence[Table], placements: Iterable[Placement], *, include_hidden: bool
) -> LongPlaces:
    """Where the unseen cells of a long grid went; those that no table took are missing here and unbalance the account.

    `tables` with the stretches they have; a joined symbol's column goes where its seen cells went.
    """
    found = LongPlaces(Counter(), Counter())
    long = grid.long
    if long is None:
        return found
    labels = {(n, column.index) for n, table in enumerate(tables) for column in table.label_columns}
    taken = {
        column.place: Place.LABEL if (n, column.index) in labels else Place.BODY
        for n, table in enumerate(tables)
        if table.body is not None
        for column in table.body.columns
    }
    joined = {
        spot.place
        for address, place in placements
        if place is Place.JOINED and (spot := spot_of(address, long.prefix)) is not None
    }
    for column in long.columns:
        hidden = (column.hidden or grid.hidden) and not include_hidden
        place = Place.HIDDEN if hidden else taken.get(column.place)
        if place is None and column.place in joined:
            place = Place.JOINED
        if place is not None:
            _place_column(column, place, found)
    return found


def unseen_ranges(table: Table) -> Iterator[Placement]:
    """The columns of a long body as ranges of addresses, stretch by stretch; empty cells and errors are in them too."""
    body = table.body
    labels = {column.index for column in table.label_columns}
    if body is None:
        return
    for column in body.columns:
        place = Place.LABEL if column.index in labels else Place.BODY
        for stretch in body.stretches:
            first = _cell_name(column.place, stretch.first + body.first_line)
            last = _cell_name(column.place, stretch.last + body.first_line)
            yield Placement(f"{body.prefix}{first}:{last}", place)


def _cell_name(place: str, line: int) -> str:
    return f"r{line}{place}" if place.islower() else f"{place}{line}"


def skipped_places(grid: Grid) -> LongPlaces:
    found = LongPlaces(Counter(), Counter())
    for column in grid.long.columns if grid.long is not None else ():
        found.cells[Place.SKIPPED] += sum(witness.count for witness in column.witnesses)
        found.characters[Place.SKIPPED] += column.characters
    return found


def _place_column(column: LongColumn, place: Place, found: LongPlaces) -> None:
    left = column.characters
    for witness in column.witnesses:
        own = place if place.dropped else FAILED.get(_kind(witness), place)
        found.cells[own] += witness.count
        if own is not place:
            characters = len("".join(witness.text.split())) * witness.count
            found.characters[own] += characters
            left -= characters
    found.characters[place] += left


def _kind(witness: Witness) -> str:
    return witness.stored.kind if witness.stored is not None else "text"


def readable(witnesses: Iterable[Witness]) -> tuple[Witness, ...]:
    """Those that stand for cells with a value: no errors, no formulas without one."""
    return tuple(witness for witness in witnesses if _kind(witness) not in FAILED)
