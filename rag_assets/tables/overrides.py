"""What the file beside a source says about its tables (`price.xlsx.tables.yaml`).

Holds: `Overrides` and its parts, and how they are read from a mapping, with errors that name file and key.
Add here: another key of the file (and its line in the reference).
Never here: reading YAML (ingest), obeying what it says (regions, normalize).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from rag_assets.errors import SettingsError
from rag_assets.model.table import ColumnType
from rag_assets.tables.ranges import Rectangle, parse_range

TABLE_KEYS = ("sheet", "table", "range", "header_rows", "name", "types", "units", "key", "effective")
EFFECTIVE_KEYS = ("from", "until")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOverride:
    """Either `sheet` or `table` (1-based, of a document) is set. Columns go by their heading."""

    sheet: str | None = None
    table: int | None = None
    range: Rectangle | None = None
    header_rows: int | None = None
    name: str | None = None
    types: tuple[tuple[str, ColumnType], ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    key: tuple[str, ...] = ()
    effective: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOverride:
    """What is said about one sheet. `skip`: none of its cells is to be used."""

    tables: tuple[TableOverride, ...] = ()
    skip: bool = False

    def table_for(self, range: str | None) -> TableOverride | None:
        """The override of the region with this A1 range: the one whose range meets it, or the one without a range."""
        area = parse_range(range) if range else None
        for table in self.tables:
            if table.range is not None and area is not None and table.range.overlaps(area):
                return table
        return next((table for table in self.tables if table.range is None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    tables: tuple[TableOverride, ...] = ()
    skip: tuple[str, ...] = ()

    def for_sheet(self, sheet: str) -> SheetOverride | None:
        tables = tuple(t for t in self.tables if t.sheet == sheet)
        skip = sheet in self.skip
        return SheetOverride(tables=tables, skip=skip) if tables or skip else None

    def for_table(self, number: int) -> SheetOverride | None:
        """By the 1-based place of a table in a document."""
        tables = tuple(t for t in self.tables if t.table == number)
        return SheetOverride(tables=tables) if tables else None


def parse_overrides(content: object, where: str) -> Overrides:
    """Read the parsed YAML of the file named `where`. Raises SettingsError: file, key, what was expected."""
    if content is None:
        return Overrides()
    top = _mapping(content, where, "(whole file)", ("tables", "skip"))
    entries = top.get("tables") or []
    if not isinstance(entries, list):
        _refuse(where, "tables", "a list of tables")
    tables = tuple(_table(entry, where, f"tables[{n}]") for n, entry in enumerate(entries))
    return Overrides(tables=tables, skip=_names(top.get("skip"), where, "skip"))


def _table(entry: object, where: str, place: str) -> TableOverride:
    found = _mapping(entry, where, place, TABLE_KEYS)
    if ("sheet" in found) == ("table" in found):
        _refuse(where, place, "either `sheet` or `table`")
    return TableOverride(
        sheet=_text(found.get("sheet"), where, f"{place}.sheet"),
        table=_whole_number(found.get("table"), 1, where, f"{place}.table"),
        range=_range(found.get("range"), where, f"{place}.range"),
        header_rows=_whole_number(found.get("header_rows"), 0, where, f"{place}.header_rows"),
        name=_text(found.get("name"), where, f"{place}.name"),
        types=_types(found.get("types"), where, f"{place}.types"),
        units=_pairs(found.get("units"), where, f"{place}.units"),
        key=_names(found.get("key"), where, f"{place}.key"),
        effective=_effective(found.get("effective"), where, f"{place}.effective"),
    )


def _types(content: object, where: str, place: str) -> tuple[tuple[str, ColumnType], ...]:
    known = {str(t): t for t in ColumnType}
    pairs = _pairs(content, where, place)
    for column, name in pairs:
        if name not in known:
            _refuse(where, f"{place}.{column}", f"one of {' '.join(known)}, not {name!r}")
    return tuple((column, known[name]) for column, name in pairs)


def _effective(content: object, where: str, place: str) -> tuple[tuple[str, str], ...]:
    if content is None:
        return ()
    return _pairs(_mapping(content, where, place, EFFECTIVE_KEYS), where, place)


def _range(content: object, where: str, place: str) -> Rectangle | None:
    text = _text(content, where, place)
    area = parse_range(text) if text else None
    if text and area is None:
        _refuse(where, place, f"a range such as A4:F60, not {text!r}")
    return area


def _pairs(content: object, where: str, place: str) -> tuple[tuple[str, str], ...]:
    if content is None:
        return ()
    if not isinstance(content, Mapping):
        _refuse(where, place, "a mapping of column: value")
    return tuple((str(key), _required(value, where, f"{place}.{key}")) for key, value in content.items())


def _names(content: object, where: str, place: str) -> tuple[str, ...]:
    if content is None:
        return ()
    if not isinstance(content, list):
        _refuse(where, place, "a list of names")
    return tuple(_required(name, where, f"{place}[{n}]") for n, name in enumerate(content))


def _required(content: object, where: str, place: str) -> str:
    return _text(content, where, place) or _refuse(where, place, "a text")


def _text(content: object, where: str, place: str) -> str | None:
    if content is None:
        return None
    if isinstance(content, bool) or not isinstance(content, str | int | float):
        _refuse(where, place, "a text")
    return str(content)


def _whole_number(content: object, least: int, where: str, place: str) -> int | None:
    if content is None:
        return None
    if isinstance(content, bool) or not isinstance(content, int) or content < least:
        _refuse(where, place, f"a whole number from {least} on")
    return content


def _mapping(content: object, where: str, place: str, keys: tuple[str, ...]) -> Mapping[str, object]:
    if not isinstance(content, Mapping):
        _refuse(where, place, f"a mapping with {' '.join(keys)}")
    found = {str(key): value for key, value in content.items()}
    unknown = next((key for key in found if key not in keys), None)
    if unknown is not None:
        _refuse(where, unknown if place.startswith("(") else f"{place}.{unknown}", f"one of {' '.join(keys)}")
    return found


def _refuse(where: str, key: str, expected: str) -> NoReturn:
    raise SettingsError(f"{where}: {key}: expected {expected}")
