"""Parts → tables: rows with their paths, columns with their types, every cell with its place.

Holds: `tables_of_parts`, `plain_row`.
Add here: what is put together once headings and sections are known.
Never here: deciding what is a heading or a section.
"""

from collections import Counter
from collections.abc import Sequence

from rag_assets.model.document import LongColumn, Witness
from rag_assets.model.table import (
    Alike,
    BodyColumn,
    Column,
    LongBody,
    Place,
    Placement,
    Row,
    RowKind,
    Table,
    TableCell,
    TableId,
)
from rag_assets.tables.caption import Unit, unit_of
from rag_assets.tables.cells import ColumnFacts, alike_cell, cell_of, column_facts, reading_of
from rag_assets.tables.column_units import column_unit
from rag_assets.tables.distinct import Path, distinct_paths
from rag_assets.tables.footnotes import without_marks
from rag_assets.tables.lanes import Lane, lane_at
from rag_assets.tables.lines import Line, Slot
from rag_assets.tables.long import readable, spot_of, unseen_runs
from rag_assets.tables.parts import Carried, GridWalk, Part, Understood
from rag_assets.tables.periods import period_of
from rag_assets.tables.row_roles import Role, is_corner
from rag_assets.tables.stub import StubPath, StubRow, section_paths


def plain_row(line: Line) -> tuple[TableCell, ...]:
    return tuple(TableCell(n, slot.text, None, None, 1, False, slot.address) for n, slot in enumerate(line.slots))


def tables_of_parts(walk: GridWalk, settled: tuple[Placement, ...]) -> Understood:
    """The tables of one grid, joined by `part_of`, and what they hand on to a continuation."""
    parts = [part for part in walk.parts if part.lines]
    labels_of = _Labels(walk.lanes, walk.stub_end)
    before = walk.before.stub_rows if walk.before else ()
    stub_rows = [labels_of.stub_row(line, role) for part in parts for line, role in part.lines]
    unseen = sum(last - first + 1 for first, last in unseen_runs(walk.grid.long)) if walk.grid.long else 0
    paths = section_paths([*before, *stub_rows], walk.rules, unseen)[len(before) :]
    plain = [_path(stub, row) for stub, row in zip(paths, stub_rows, strict=True)]
    unheaded = [words for part in parts for words in _words_in_unheaded_lanes(part, labels_of)]
    plain = [(*path, *words) for path, words in zip(plain, unheaded, strict=True)]
    names = distinct_paths(plain, stub_rows, _words(parts, labels_of))
    captions = tuple(dict.fromkeys(c for c in walk.captions if c))
    inherited = walk.before.unit_captions if walk.before else ()
    unit = unit_of(captions) or unit_of(inherited)
    if unit and not walk.rules.unit_exceptions:
        unit = unit._replace(excepted="")
    tables, places, at = [], list(settled) + walk.places, 0
    first_id = walk.before.table if walk.before else None
    for n, part in enumerate(parts):
        end = at + len(part.lines)
        build = _Build(walk, labels_of, part, unit, paths[at:end], names[at:end])
        at = end
        table_id = TableId(walk.grid.id if n == 0 else f"{walk.grid.id}/{n + 1}")
        table = build.table(table_id, captions, first_id)
        places += build.places
        if table.rows:
            tables.append(table)
            first_id = first_id or table.id
    if not tables:
        return Understood(placements=tuple(places), block_texts=tuple(walk.captions), firings=walk.firings)
    trailing = [labels_of.stub_row(line, Role.SECTION) for line in walk.trailing]
    carried = Carried(
        walk.before.table if walk.before else tables[0].id,
        walk.headers or (walk.before.headers if walk.before else ()),
        tuple(parts[-1].paths),
        (*before, *stub_rows, *trailing),
        (*inherited, *captions),
    )
    return Understood(tables=tuple(tables), placements=tuple(places), carried=carried, firings=walk.firings)


def _path(stub: StubPath, row: StubRow) -> Path:
    return (*stub.sections, *(text for text in row.labels if text))


def _words(parts: Sequence[Part], labels: "_Labels") -> list[tuple[str, ...]]:
    """For each line of the body the texts of its value cells that are words, left to right."""
    return [
        tuple(slot.text for slot in labels.split(line)[1] if not slot.is_data and len(slot.text) < 120)
        for part in parts
        for line, _ in part.lines
    ]


def _words_in_unheaded_lanes(part: Part, labels: "_Labels") -> list[tuple[str, ...]]:
    """For each line the words that stand under no heading beside a figure under no heading: they label it.

    Only where other columns do have headings; a table without any keeps its words as cells.
    """
    headed = [bool(path) for path in part.paths]
    if not any(headed[n] for n, lane in enumerate(labels.lanes) if lane.start >= labels.stub_end):
        return [() for _ in part.lines]
    found = []
    for line, _ in part.lines:
        stray = [s for s in labels.split(line)[1] if (lane := labels.lane(s)) is not None and not headed[lane]]
        words = tuple(slot.text for slot in stray if not slot.is_data)
        found.append(words if len(words) < len(stray) else ())
    return found


class _Labels:
    """Which slots of a line are its labels."""

    def __init__(self, lanes: Sequence[Lane], stub_end: int) -> None:
        self.lanes, self.stub_end = lanes, stub_end
        self._found: dict[tuple[int, int], int | None] = {}

    def lane(self, slot: Slot) -> int | None:
        """The lane that the slot lies in, if any; the few distinct spans of a grid are looked up once."""
        span = slot.start, slot.end
        if span not in self._found:
            self._found[span] = lane_at(self.lanes, slot)
        return self._found[span]

    def split(self, line: Line) -> tuple[list[Slot], list[Slot]]:
        labels = [slot for slot in line.slots if slot.start < self.stub_end]
        return labels, [slot for slot in line.slots if slot.start >= self.stub_end]

    def stub_row(self, line: Line, role: Role) -> StubRow:
        labels, values = self.split(line)
        if role in (Role.SECTION, Role.PERIOD) and not labels:
            labels = values
        texts = tuple(without_marks(slot)[0] for slot in labels)
        depth = labels[-1].indent + 2.0 * labels[-1].start if labels else 0.0
        figures: list[float | None] = [None] * len(self.lanes)
        for slot in values:
            lane = self.lane(slot)
            value = reading_of(slot).value
            if lane is not None and isinstance(value, int | float) and not isinstance(value, bool):
                figures[lane] = float(value)
        bold = bool(labels) and labels[0].bold
        return StubRow(texts, depth, role in (Role.SECTION, Role.PERIOD), tuple(figures), bold)


class _Build:
    """One table out of one part."""

    def __init__(
        self,
        walk: GridWalk,
        labels: "_Labels",
        part: Part,
        unit: Unit | None,
        paths: Sequence[StubPath],
        names: Sequence[Path],
    ) -> None:
        self.walk, self.labels, self.part, self.unit = walk, labels, part, unit
        self.stub_paths, self.names = paths, names
        self.own_units = [column_unit(lane_path) for lane_path in part.paths]
        self.long: list[LongColumn | None] = []
        self.places: list[Placement] = []
        self.notes: list[str] = []
        self.n_label_lanes = sum(lane.start < walk.stub_end for lane in walk.lanes)

    def table(self, table_id: TableId, captions: tuple[str, ...], part_of: TableId | None) -> Table:
        facts = self._facts()
        rows = tuple(row for row in map(self._row(facts), range(len(self.part.lines))) if row is not None)
        grid = self.walk.grid
        return Table(
            id=table_id,
            grid=grid.id,
            ordinal=grid.ordinal,
            caption=captions,
            unit=self.unit.line if self.unit else None,
            notes=tuple(dict.fromkeys([*self.walk.notes, *self.notes])),
            columns=self._columns(facts, rows),
            label_columns=self._label_columns(facts),
            rows=rows,
            part_of=part_of,
            page=grid.page,
            sheet=grid.sheet,
            range=grid.range,
            body=self._body(facts),
        )

    def _facts(self) -> list[ColumnFacts]:
        by_lane: list[list[Slot]] = [[] for _ in self.walk.lanes]
        for line, role in self.part.lines:
            if role is Role.DATA:
                for slot in line.slots:
                    by_lane[self._lane(slot)].append(slot)
        self.long = [self._long_column(slots) for slots in by_lane]
        return [
            column_facts(slots, readable(column.witnesses) if column is not None else ())
            for slots, column in zip(by_lane, self.long, strict=True)
        ]

    def _long_column(self, slots: Sequence[Slot]) -> LongColumn | None:
        """The unseen cells of the lane: those of the column that most of its seen cells stand in."""
        long = self.walk.grid.long
        if long is None:
            return None
        spots = Counter(spot.place for slot in slots if (spot := spot_of(slot.address, long.prefix)) is not None)
        by_place = {column.place: column for column in long.columns}
        return next((by_place[place] for place, _ in spots.most_common() if place in by_place), None)

    def _body(self, facts: Sequence[ColumnFacts]) -> LongBody | None:
        """Columns of the unseen rows; which rows of them are this table's is found out later."""
        long = self.walk.grid.long
        if long is None:
            return None
        columns = [
            self._body_column(lane, column, facts[lane]) for lane, column in enumerate(self.long) if column is not None
        ]
        return LongBody(
            grid=self.walk.grid.id,
            stretches=(),
            columns=tuple(columns),
            prefix=long.prefix,
            first_line=long.first_line,
            epoch_1904=long.epoch_1904,
        )

    def _body_column(self, lane: int, column: LongColumn, facts: ColumnFacts) -> BodyColumn:
        heading, own, index = " ".join(self.part.paths[lane]), self.own_units[lane], self._index(lane)
        is_label = self.walk.lanes[lane].start < self.walk.stub_end

        def understood(witness: Witness) -> TableCell:
            cell = alike_cell(witness, index, facts, self.unit, heading, own)
            return cell._replace(scale=1) if is_label else cell

        return BodyColumn(
            index=index,
            column=column.column,
            place=column.place,
            alike=tuple(Alike(w.key, understood(w), w.stored, w.count) for w in readable(column.witnesses)),
            convention=facts.convention,
            distinct=column.distinct,
            values=column.values,
            low=understood(column.low) if column.low is not None else None,
            high=understood(column.high) if column.high is not None else None,
        )

    def _lane(self, slot: Slot) -> int:
        lane = self.labels.lane(slot)
        if lane is not None:
            return lane
        lanes = self.walk.lanes
        return min(range(len(lanes)), key=lambda n: max(lanes[n].start - slot.end, slot.start - lanes[n].end))

    def _index(self, lane: int) -> int:
        return lane - self.n_label_lanes

    def _columns(self, facts: Sequence[ColumnFacts], rows: Sequence[Row]) -> tuple[Column, ...]:
        used = {cell.column for row in rows for cell in row.cells}
        columns = []
        for n, lane in enumerate(self.walk.lanes):
            path = self.part.paths[n] or self._corner_heading()
            if lane.start < self.walk.stub_end or (self._index(n) not in used and not path):
                continue
            columns.append(
                Column(index=self._index(n), path=path, period=period_of(path), type=facts[n].type, unit=facts[n].unit)
            )
        return tuple(columns)

    def _corner_heading(self) -> tuple[str, ...]:
        """What a column without heading is in, where the others have headings: the unit line."""
        return (self.unit.line,) if self.unit and any(self.part.paths[self.n_label_lanes :]) else ()

    def _label_columns(self, facts: Sequence[ColumnFacts]) -> tuple[Column, ...]:
        found = []
        for n, lane in enumerate(self.walk.lanes):
            if lane.start < self.walk.stub_end:
                path = tuple(part for part in self.part.paths[n] if not is_corner(part))
                found.append(Column(index=self._index(n), path=path, type=facts[n].type, unit=facts[n].unit))
        return tuple(found)

    def _row(self, facts: Sequence[ColumnFacts]):
        def build(n: int) -> Row | None:
            line, role = self.part.lines[n]
            if role in (Role.SECTION, Role.PERIOD):
                self.places.extend(Placement(s.address, Place.SECTION) for s in line.slots if not s.filled)
                return None
            return self._data_row(line, n, facts)

        return build

    def _data_row(self, line: Line, n: int, facts: Sequence[ColumnFacts]) -> Row:
        labels, values = self.labels.split(line)
        stub = self.stub_paths[n]
        for slot in labels:
            self.notes.extend(without_marks(slot)[1])
        path = self.names[n]
        place = Place.TOTAL if stub.is_total else Place.BODY
        self.places.extend(Placement(s.address, Place.LABEL) for s in labels if not s.filled)
        self.places.extend(Placement(s.address, place) for s in values if not s.filled)
        cells = tuple(self._cell(slot, facts, path) for slot in values)
        label_cells = tuple(self._cell(slot, facts, ())._replace(scale=1) for slot in labels)
        kind = RowKind.TOTAL if stub.is_total else RowKind.DATA
        return Row(path=path, kind=kind, cells=cells, labels=label_cells, sections=stub.sections)

    def _cell(self, slot: Slot, facts: Sequence[ColumnFacts], path: Sequence[str]) -> TableCell:
        lane = self._lane(slot)
        heading = " ".join(self.part.paths[lane])
        own = self.own_units[lane]
        return cell_of(slot, self._index(lane), facts[lane], self.unit, path, heading, own)
