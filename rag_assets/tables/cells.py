"""Body cells: the slot of a lane with its value, unit and scale; the type and unit of a whole column.

Holds: `cell_of`, `column_facts`.
Add here: what a column as a whole proves about its cells.
Never here: parsing one text (values), workbook formats (number_formats).
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rag_assets.model.document import Witness
from rag_assets.model.table import ColumnType, TableCell, Value
from rag_assets.tables.caption import Unit, row_is_excepted
from rag_assets.tables.column_units import NONE, ColumnUnit
from rag_assets.tables.lines import Slot
from rag_assets.tables.values import POINT, Convention, Kind, Reading, proven_convention, read_value

SCALELESS = frozenset({"percent", "x", "bps", "pts"})
TYPED_SHARE = 0.8  # of the filled cells; the rest are odd cells of a typed column
ENOUGH_PROOF = 2  # cells of one kind that a convention asks for at most
_CODE = re.compile(r"0\d+|\d{17,}")
_STORED_TYPES = {"integer", "number", "boolean", "date", "timestamp", "duration"}


class ColumnFacts(NamedTuple):
    """`percent` says that bare figures of the column are percentages: its first and last figure show the sign."""

    type: ColumnType
    unit: str | None
    convention: Convention
    percent: bool


def column_facts(slots: Sequence[Slot], witnesses: Sequence[Witness] = ()) -> ColumnFacts:
    """What all cells of one column prove together; a witness weighs as many as it stands for."""
    cells: list[tuple[Slot | Witness, int]] = [*((slot, 1) for slot in slots), *((w, w.count) for w in witnesses)]
    convention = proven_convention(
        cell.text for cell, count in cells if cell.stored is None for _ in range(min(count, ENOUGH_PROOF))
    )
    kinds: Counter[ColumnType] = Counter()
    units: Counter[str | None] = Counter()
    first: Reading | None = None
    for cell, count in cells:
        reading = reading_of(cell, convention)
        kind = _type_of(reading)
        if kind is not None:
            kinds[kind] += count
        if reading.kind is Kind.FIGURE:
            units[reading.unit] += count
            first = first or reading
    shown = {unit for unit in units if unit is not None}
    percent = (
        first is not None
        and shown == {"percent"}
        and (units["percent"] * 2 > sum(units.values()) or first.unit == "percent")
    )
    unit = next(iter(shown)) if len(shown) == 1 and (percent or shown != {"percent"}) else None
    kind = ColumnType.TEXT if any(_is_code(cell) for cell, _ in cells) else _common_type(kinds)
    return ColumnFacts(kind, unit, convention, percent)


def _common_type(kinds: Counter[ColumnType]) -> ColumnType:
    filled = sum(kinds.values())
    if not filled:
        return ColumnType.TEXT
    numeric = kinds[ColumnType.INTEGER] + kinds[ColumnType.NUMBER]
    if numeric >= TYPED_SHARE * filled:
        return ColumnType.NUMBER if kinds[ColumnType.NUMBER] else ColumnType.INTEGER
    dated = kinds[ColumnType.DATE] + kinds[ColumnType.TIMESTAMP]
    if dated >= TYPED_SHARE * filled:
        return ColumnType.TIMESTAMP if kinds[ColumnType.TIMESTAMP] else ColumnType.DATE
    kind, most = kinds.most_common(1)[0]
    return kind if most >= TYPED_SHARE * filled else ColumnType.TEXT


def _type_of(reading: Reading) -> ColumnType | None:
    if reading.kind in (Kind.NIL, Kind.MISSING):
        return None
    if reading.kind is Kind.DATE:
        return ColumnType.TIMESTAMP if isinstance(reading.value, str) and "T" in reading.value else ColumnType.DATE
    if reading.kind is not Kind.FIGURE:
        return ColumnType.TEXT
    if isinstance(reading.value, bool):
        return ColumnType.BOOLEAN
    if reading.unit == "s":
        return ColumnType.DURATION
    whole = isinstance(reading.value, int) and reading.unit != "percent"
    return ColumnType.INTEGER if whole else ColumnType.NUMBER


def reading_of(slot: Slot | Witness, convention: Convention = POINT) -> Reading:
    """The value of a slot: what a workbook stores, else what the text says."""
    stored = slot.stored
    if _is_code(slot):
        return Reading(Kind.WORDS)
    if stored is None or stored.kind not in _STORED_TYPES:
        return read_value(slot.text, convention)
    if stored.kind in ("date", "timestamp"):
        return Reading(Kind.DATE, stored.value if not isinstance(stored.value, bool) else None)
    if stored.kind == "boolean":
        return Reading(Kind.FIGURE, bool(stored.value))
    if stored.kind == "duration":
        return Reading(Kind.FIGURE, _number(stored.value), "s", 1)
    shown = read_value(slot.text)
    unit = shown.unit if shown.kind is Kind.FIGURE else None
    return Reading(Kind.FIGURE, _number(stored.value), unit, 1)


def _is_code(slot: Slot | Witness) -> bool:
    """Digits that are a name and no figure: with a leading zero (00501), or more than a double holds exactly."""
    return (slot.stored is None or slot.stored.kind not in _STORED_TYPES) and _CODE.fullmatch(slot.text) is not None


def _number(value: Value) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def alike_cell(
    witness: Witness, column: int, facts: ColumnFacts, unit: Unit | None, heading: str, own: ColumnUnit
) -> TableCell:
    """What a witness is as a body cell; it has no address."""
    slot = Slot(0, 0, 1, witness.text, "", False, False, 0.0, (), witness.stored)
    return cell_of(slot, column, facts, unit, (), heading, own)


def cell_of(
    slot: Slot,
    column: int,
    facts: ColumnFacts,
    unit: Unit | None,
    path: Sequence[str],
    heading: str,
    own: ColumnUnit = NONE,
) -> TableCell:
    """The slot as a body cell: a percent is a fraction; the caption's scale holds where nothing takes it away.

    `own` is the unit that the column's heading states; it goes before the caption's.
    """
    reading = reading_of(slot, facts.convention)
    stacked = "\n" in slot.text and sum(read_value(part).kind is Kind.FIGURE for part in slot.text.split("\n")) > 1
    if reading.kind is not Kind.FIGURE:
        value = reading.value if reading.kind is Kind.DATE else None
        return TableCell(column, slot.text, value, None, 1, reading.nil, slot.address, stacked)
    value, shown = reading.value, reading.unit
    percent = facts.percent or (own.percent and facts.unit is None)
    if shown is None and percent and slot.stored is None and isinstance(value, int | float):
        value, shown = _fraction(value), "percent"
    scale = reading.scale
    if scale is None and own.scale is not None and slot.stored is None and shown not in SCALELESS:
        scale, shown = own.scale, shown or own.unit
    if scale is None:
        scaled = unit is not None and slot.stored is None and shown not in SCALELESS
        scale = unit.scale if scaled and unit is not None and not row_is_excepted(unit, path, heading) else 1
    return TableCell(column, slot.text, value, shown, scale, False, slot.address, stacked)


def _fraction(value: int | float) -> float:
    return float(f"{value!r}e-2") if "e" not in repr(value) else value / 100
