"""Grid → tables: the order in which the rules are asked.

Holds: `understand_grid`.
Add here: a step between lines and tables.
Never here: a rule itself; each has its own module.
"""

from collections.abc import Sequence

from rag_assets.model.document import Grid
from rag_assets.model.table import Place, Placement, Table, TableId
from rag_assets.tables.assemble import plain_row, tables_of_parts
from rag_assets.tables.boxhead import column_paths, replace_headers
from rag_assets.tables.lanes import Lane, lanes_of
from rag_assets.tables.lines import Line, Slot, lines_of
from rag_assets.tables.parts import Carried, GridWalk, Part, Understood
from rag_assets.tables.periods import is_heading_figure, is_lone_period, names_period, names_year
from rag_assets.tables.row_roles import Role, could_open_section, is_corner, label_slot, roles_of
from rag_assets.tables.rules import Rules
from rag_assets.tables.transposed import pairs_of
from rag_assets.tables.wrapped import with_wrapped_labels


def understand_grid(grid: Grid, captions: Sequence[str], rules: Rules, before: Carried | None = None) -> Understood:
    """All tables of one grid. `captions` is the caption run before it; `before` the table it may continue."""
    lines, settled = lines_of(grid, rules)
    if not lines:
        return Understood(placements=settled)
    pairs = pairs_of(lines) if rules.transposed_pair else ()
    if pairs:
        return _transposed(grid, lines, captions, settled, pairs)
    lanes = lanes_of(_body_like(lines))
    if len(lanes) < 2 or not _holds_facts(lines):
        return _as_blocks(lines, settled)
    if _labels_are_last(lines, lanes):
        lines = _labels_first(lines, lanes[-1])
        lanes = lanes_of(_body_like(lines))
    stub_end = _stub_end(lines, lanes)
    roles = roles_of(lines, stub_end, grid.head_rows)
    lines, roles, moved = with_wrapped_labels(lines, roles, stub_end)
    settled = (*settled, *(Placement(address, Place.LABEL) for address in moved))
    understood = _Walk(grid, lines, roles, lanes, stub_end, captions, rules, before).understood(settled)
    return understood if understood.tables else _as_blocks(lines, settled)


def _body_like(lines: Sequence[Line]) -> list[Line]:
    """The lines that show where the columns are: those with figures, and labelled lines of several cells."""
    with_data = [line for line in lines if any(slot.is_data for slot in line.slots) and len(line.slots) > 1]
    if not with_data:
        return [line for line in lines if len(line.slots) > 1]
    known = {line.row for line in with_data}
    left = min(line.slots[0].start for line in with_data)
    first = with_data[0].row
    also = [
        line
        for line in lines
        if line.row not in known
        and line.row > first
        and len(line.slots) > 1
        and line.slots[0].start <= left
        and not all(slot.header or names_period(slot.text) for slot in line.slots[1:])
    ]
    return [*with_data, *also]


def _holds_facts(lines: Sequence[Line]) -> bool:
    """Layout tables hold one cell a row, or prose side by side; a table has two rows that fill two lanes."""
    wide = [line for line in lines if len(line.slots) > 1]
    if len(wide) < 2:
        return any(slot.is_data for line in wide for slot in line.slots[1:])
    return not all(len(text) > 300 for line in wide for text in line.texts)


def _stub_end(lines: Sequence[Line], lanes: Sequence[Lane]) -> int:
    """End column of the label zone: the first lane, and a second one of words beside labels that span rows."""
    end = lanes[0].end
    if _is_value_lane(lines, lanes[0]):
        return lanes[0].start
    if len(lanes) > 2:
        body = [line for line in lines if len(line.slots) > 1 and not all(slot.header for slot in line.slots)]
        grouped = [line for line in body if line.slots[0].start < end and line.slots[0].row_span > 1]
        marked = [line for line in body if len(line.slots) > 2 and line.slots[0].header and line.slots[1].header]
        second = [slot for line in body for slot in line.slots if lanes[1].overlap(slot) > 0]
        with_digits = sum(any(c.isdigit() for c in slot.text) for slot in second)
        words = second and not any(slot.is_data for slot in second) and with_digits * 2 < len(second)
        if (len(grouped) > 1 and words and len(grouped) >= 0.5 * len(body)) or (body and len(marked) == len(body)):
            end = lanes[1].end
    return end


def _is_value_lane(lines: Sequence[Line], lane: Lane) -> bool:
    """A first lane of nothing but figures under a period is a column of values: the table has no labels."""
    slots = [slot for line in lines for slot in line.slots if lane.overlap(slot) > 0]
    figures = [slot for slot in slots if slot.is_data]
    rest = [slot for slot in slots if not slot.is_data]
    return bool(figures and rest) and all(is_heading_figure(slot.text) for slot in rest)


def _labels_are_last(lines: Sequence[Line], lanes: Sequence[Lane]) -> bool:
    """Figures under periods in every lane but the last, which holds words: labels right of their figures."""
    if not all(_is_value_lane(lines, lane) for lane in lanes[:-1]):
        return False
    last = [slot for line in lines if len(line.slots) > 1 for slot in line.slots if lanes[-1].overlap(slot) > 0]
    words = sum(not slot.is_data and not is_heading_figure(slot.text) for slot in last)
    return len(last) > 2 and words == len(last)


def _labels_first(lines: Sequence[Line], labels: Lane) -> tuple[Line, ...]:
    width = labels.end - labels.start
    moved = []
    for line in lines:
        at_labels = [slot.start >= labels.start for slot in line.slots]
        slots = [
            slot._replace(start=slot.start - labels.start, end=slot.end - labels.start)
            if is_label
            else slot._replace(start=slot.start + width, end=slot.end + width)
            for slot, is_label in zip(line.slots, at_labels, strict=True)
        ]
        moved.append(line._replace(slots=tuple(sorted(slots, key=lambda slot: slot.start))))
    return tuple(moved)


def _as_blocks(lines: Sequence[Line], settled: tuple[Placement, ...]) -> Understood:
    texts, placements = [], list(settled)
    for line in lines:
        own = [slot for slot in line.slots if not slot.filled]
        placements.extend(Placement(slot.address, Place.BLOCK) for slot in own)
        if own:
            texts.append(" | ".join(slot.text for slot in own))
    return Understood(block_texts=tuple(texts), placements=tuple(placements))


def _transposed(
    grid: Grid,
    lines: Sequence[Line],
    captions: Sequence[str],
    settled: tuple[Placement, ...],
    pairs: tuple[tuple[str, str], ...],
) -> Understood:
    title = [line.slots[0] for line in lines if len(line.slots) == 1]
    rows = [line for line in lines if len(line.slots) > 1]
    placements = [*settled, *(Placement(slot.address, Place.CAPTION) for slot in title)]
    placements += [Placement(slot.address, Place.PAIR) for line in rows for slot in line.slots]
    table = Table(
        id=TableId(grid.id),
        grid=grid.id,
        ordinal=grid.ordinal,
        caption=(*captions, *grid.caption, *(slot.text for slot in title)),
        pairs=pairs,
        pair_rows=tuple(plain_row(line) for line in rows),
        page=grid.page,
        sheet=grid.sheet,
        range=grid.range,
    )
    return Understood(tables=(table,), placements=tuple(placements), firings={"transposed_pair": 1})


class _Walk(GridWalk):
    """One pass down the lines: collects parts, each with the headings that hold over its rows."""

    def __init__(
        self,
        grid: Grid,
        lines: Sequence[Line],
        roles: Sequence[Role],
        lanes: Sequence[Lane],
        stub_end: int,
        captions: Sequence[str],
        rules: Rules,
        before: Carried | None,
    ) -> None:
        super().__init__(
            grid=grid,
            lanes=tuple(lanes),
            stub_end=stub_end,
            rules=rules,
            before=before if rules.continuation else None,
            captions=[*captions, *grid.caption],
        )
        self.lines, self.roles = lines, roles
        self.corner: str | None = None
        self.period: str | None = None
        self.period_is_inner = False
        self.pending: list[Line] = []

    def understood(self, settled: tuple[Placement, ...]) -> Understood:
        for line, role in zip(self.lines, self.roles, strict=True):
            self._take(line, role)
        self._flush_headers()
        self._continue_from_before()
        return tables_of_parts(self, settled)

    def _take(self, line: Line, role: Role) -> None:
        if role is Role.HEADER:
            self._place(line, Place.HEADER)
            self.pending.append(line)
            return
        if role is Role.REPEATED:
            self._place(line, Place.REPEATED_HEADER)
            return
        if role is Role.CAPTION:
            self._caption(line)
            return
        if role is Role.NOTE:
            self._place(line, Place.NOTE)
            self.notes.append(" ".join(line.texts))
            if could_open_section(line, self.stub_end):
                self.trailing.append(line)
            return
        self._flush_headers()
        if role is Role.SECTION:
            self._close_inner_period()
        if role is Role.PERIOD and self._period_opens_part(line):
            self._place(line, Place.HEADER)
            return
        self._part().lines.append((line, role))

    def _caption(self, line: Line) -> None:
        self._place(line, Place.CAPTION)
        text = " ".join(line.texts)
        self.captions.append(text)
        if is_lone_period(text):
            self.corner = text

    def _place(self, line: Line, place: Place) -> None:
        self.places.extend(Placement(slot.address, place) for slot in line.slots if not slot.filled)

    def _part(self) -> Part:
        if not self.parts:
            self._open_part()
        return self.parts[-1]

    def _open_part(self) -> None:
        paths = column_paths(self.headers, self.lanes, self.stub_end, self.rules, self._corner())
        if self.period:
            paths = [
                (*path, self.period) if lane.start >= self.stub_end else path
                for path, lane in zip(paths, self.lanes, strict=True)
            ]
        self.parts.append(Part(paths=paths, headers=self.headers))

    def _corner(self) -> str | None:
        """A period in the corner, if no heading names one itself, or only bare years that need its words."""
        if self.corner is None:
            return None
        named = [s.text for line in self.headers for s in self._value_slots(line) if names_period(s.text)]
        if named and (names_year(self.corner) or not all(map(is_heading_figure, named))):
            return None
        self.firings["corner"] = self.firings.get("corner", 0) + 1
        return self.corner

    def _value_slots(self, line: Line) -> list[Slot]:
        return [slot for slot in line.slots if slot.start >= self.stub_end]

    def _flush_headers(self) -> None:
        if not self.pending:
            return
        for line in self.pending:
            label = label_slot(line, self.stub_end)
            if label is not None and is_corner(label.text):
                if is_lone_period(label.text):
                    self.corner = label.text
                else:
                    self.captions.append(label.text)
        new = tuple(self.pending)
        self.headers = replace_headers(self.headers, new, self.stub_end) if self.parts else (*self.headers, *new)
        self.period = None
        self.pending = []
        self._open_part()

    def _period_opens_part(self, line: Line) -> bool:
        if not self.rules.period_sections or not self.headers:
            return False
        if any(names_period(slot.text) for head in self.headers for slot in self._value_slots(head)):
            return False
        if self.period is None:
            self.period_is_inner = any(r is Role.SECTION for part in self.parts for _, r in part.lines)
        self.period = " ".join(line.texts)
        self.firings["period_sections"] = self.firings.get("period_sections", 0) + 1
        self._open_part()
        return True

    def _close_inner_period(self) -> None:
        """A period that stands inside a section ends with it."""
        if self.period is not None and self.period_is_inner and self.parts and self.parts[-1].lines:
            self.period = None
            self._open_part()

    def _continue_from_before(self) -> None:
        """A headerless table takes the headings of the one before, lane by lane; a repeated header is dropped."""
        before = self.before
        if before is None or not self.parts:
            self.before = None
            return
        first = self.parts[0]
        same_width = len(before.paths) == len(self.lanes)
        repeated = [line.texts for line in first.headers] == [line.texts for line in before.headers]
        if same_width and not self.headers and any(before.paths):
            for part in self.parts:
                part.paths = list(before.paths)
            self.firings["continuation"] = 1
        elif same_width and repeated and first.headers:
            dropped = {slot.address for line in first.headers for slot in line.slots}
            self.places = [
                Placement(p.address, Place.REPEATED_HEADER) if p.address in dropped else p for p in self.places
            ]
            self.firings["continuation"] = 1
        else:
            self.before = None
