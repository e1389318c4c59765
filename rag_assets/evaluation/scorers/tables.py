"""Suite tables: does each named cell stand under its path and its heading.

Holds: `score_tables`.
Add here: something a table must say.
Never here: how tables are understood (tables/).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import CellExpectation, Expectation
from rag_assets.evaluation.gold_tables import GoldTable
from rag_assets.evaluation.matching import contains, fold, same_text, same_value
from rag_assets.evaluation.outcomes import Finding, Subject
from rag_assets.evaluation.scorers.combine import faults_of
from rag_assets.model.table import Table, TableCell


class Placed(NamedTuple):
    path: tuple[str, ...]
    heading: str
    cell: TableCell


def score_tables(case: Case, subject: Subject) -> Finding:
    document = subject.corpus.normalized(case.sources[0])
    present = document.tables if document else ()
    tables = of_ordinal(present, case.table)
    if present and not tables:
        grids = len({table.grid for table in present})
        return Finding(faults=(f"{case.sources[0]} has {grids} tables, there is no table {case.table}",))
    placed = tuple(cells_of(tables))
    faults = faults_of(case.expect, partial(_check, tables, placed))
    if case.gold is None:
        return Finding(faults=faults)
    right = [_found(placed, wanted, whole=True) for wanted in case.gold.cells]
    wrong = [
        _fault(placed, cell, whole=True) for cell, is_right in zip(case.gold.cells, right, strict=True) if not is_right
    ]
    return Finding(
        faults=(*faults, *wrong, *_frame_faults(tables, case.gold)),
        measures={"cell": sum(right) / len(right), "path": _path_share(placed, case.gold.cells)},
    )


def of_ordinal(tables: Sequence[Table], number: int | None) -> tuple[Table, ...]:
    """Tables of the document's `number`th grid that has any, from 1; all of them for None."""
    if number is None:
        return tuple(tables)
    grids = tuple(dict.fromkeys(table.grid for table in tables))
    return tuple(table for table in tables if number <= len(grids) and table.grid == grids[number - 1])


def cells_of(tables: Sequence[Table]) -> Iterator[Placed]:
    for table in tables:
        headings = {column.index: column.heading for column in table.columns}
        for row in table.rows:
            for cell in row.cells:
                yield Placed(row.path, headings.get(cell.column, ""), cell)


def _check(tables: tuple[Table, ...], placed: tuple[Placed, ...], expected: Expectation) -> tuple[str, ...]:
    faults = [_fault(placed, wanted) for wanted in expected.cells if _found(placed, wanted) == wanted.absent]
    pairs = {(fold(label), fold(value)) for table in tables for label, value in table.pairs}
    faults += [
        f"no pair {label}: {value}" for label, value in expected.pairs if (fold(label), fold(value)) not in pairs
    ]
    if expected.no_pairs is not None and expected.no_pairs == bool(pairs):
        faults.append(f"{len(pairs)} transposed pairs")
    captions = [" ".join(table.caption) for table in tables]
    faults += [
        f"{wanted!r} is in no caption" for wanted in expected.caption if not any(contains(c, wanted) for c in captions)
    ]
    unit = expected.table_unit
    if unit is not None and not any(same_text(table.unit or "", unit) for table in tables):
        units = ", ".join(sorted({repr(table.unit) for table in tables if table.unit})) or "none has a unit"
        faults.append(f"no table has the unit {unit!r}: {units}")
    return tuple(faults)


def _frame_faults(tables: tuple[Table, ...], gold: GoldTable) -> tuple[str, ...]:
    return _check(tables, (), Expectation(caption=gold.caption, table_unit=gold.unit))


def _found(placed: tuple[Placed, ...], wanted: CellExpectation, *, whole: bool = False) -> bool:
    return any(
        _same_path(one.path, wanted.path, whole=whole)
        and same_text(one.heading, wanted.heading)
        and _agrees(one.cell, wanted)
        for one in placed
    )


def _same_path(found: tuple[str, ...], wanted: tuple[str, ...], *, whole: bool) -> bool:
    compared = found if whole else found[len(found) - len(wanted) :]
    return tuple(map(fold, compared)) == tuple(map(fold, wanted))


def _agrees(cell: TableCell, wanted: CellExpectation) -> bool:
    return (
        (wanted.text is None or same_text(cell.text, wanted.text))
        and (wanted.value is None or same_value(cell.value, wanted.value))
        and (wanted.unit is None or same_text(cell.unit or "", wanted.unit))
        and wanted.scale in {None, cell.scale}
        and wanted.nil in {None, cell.nil}
        and wanted.address in {None, cell.address}
    )


def _fault(placed: tuple[Placed, ...], wanted: CellExpectation, *, whole: bool = False) -> str:
    name = f"{' › '.join(wanted.path)} | {wanted.heading}"
    if wanted.absent:
        return f"{name} is there and must not be"
    here = [
        one
        for one in placed
        if _same_path(one.path, wanted.path, whole=whole) and same_text(one.heading, wanted.heading)
    ]
    if here:
        return f"{name} is {here[0].cell.text!r}, expected {_said(wanted)}"
    strays = [one for one in placed if wanted.text is not None and same_text(one.cell.text, wanted.text)]
    if strays:
        return f"{wanted.text!r} stands at {' › '.join(strays[0].path)} | {strays[0].heading}, expected {name}"
    return f"no cell {name}"


def _said(wanted: CellExpectation) -> str:
    given = wanted.model_dump(exclude_unset=True, exclude={"path", "heading", "absent"})
    return ", ".join(f"{key} {value!r}" for key, value in given.items()) or "a cell"


def _path_share(placed: tuple[Placed, ...], cells: Sequence[CellExpectation]) -> float | None:
    """Share of the gold cells that lie in a section and stand under their whole path, whatever the heading."""
    nested = [cell for cell in cells if len(cell.path) > 1]
    if not nested:
        return None
    right = sum(
        any(_same_path(one.path, cell.path, whole=True) and _agrees(one.cell, cell) for one in placed)
        for cell in nested
    )
    return right / len(nested)
