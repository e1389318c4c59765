"""What one pass down a grid gathers, and what comes of it.

Holds: `Part`, `GridWalk`, `Carried`, `Understood`.
Add here: something that the pass finds out and a table is put together from.
Never here: the pass itself (understand), putting together (assemble).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from rag_assets.model.document import Grid
from rag_assets.model.table import Placement, Table, TableId
from rag_assets.tables.lanes import Lane
from rag_assets.tables.lines import Line
from rag_assets.tables.row_roles import Role
from rag_assets.tables.rules import Rules
from rag_assets.tables.stub import StubRow


@dataclass(slots=True, kw_only=True)
class Part:
    """A run of rows under the same headings."""

    paths: list[tuple[str, ...]]
    headers: tuple[Line, ...]
    lines: list[tuple[Line, Role]] = field(default_factory=list)


class Carried(NamedTuple):
    """What a table hands to its continuation after a page break."""

    table: TableId
    headers: tuple[Line, ...]
    paths: tuple[tuple[str, ...], ...]
    stub_rows: tuple[StubRow, ...]
    unit_captions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """`block_texts` are the lines of a grid that is no table. `firings` counts the rules that fired."""

    tables: tuple[Table, ...] = ()
    block_texts: tuple[str, ...] = ()
    placements: tuple[Placement, ...] = ()
    carried: Carried | None = None
    firings: dict[str, int] = field(default_factory=dict)


@dataclass(kw_only=True)
class GridWalk:
    """`before` is the table that this grid continues. `trailing` are sections that opened after the last row."""

    grid: Grid
    lanes: tuple[Lane, ...]
    stub_end: int
    rules: Rules
    before: Carried | None
    captions: list[str]
    notes: list[str] = field(default_factory=list)
    places: list[Placement] = field(default_factory=list)
    headers: tuple[Line, ...] = ()
    parts: list[Part] = field(default_factory=list)
    trailing: list[Line] = field(default_factory=list)
    firings: dict[str, int] = field(default_factory=dict)
