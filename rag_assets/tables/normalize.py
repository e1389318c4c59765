"""A document normalized: every grid understood, the other side of the account, statements, lookup names.

Holds: `normalize_document`, `TABLES_VERSION`.
Add here: what needs the document around a grid (caption run, continuation, neighbouring prose).
Never here: understanding inside one grid (understand).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rag_assets.model.document import Block, BlockId, BlockKind, Document, Grid
from rag_assets.model.table import Normalized, Place, Placement, Table
from rag_assets.tables.account import account_of, with_unsaid_as_notes
from rag_assets.tables.caption import caption_run, running_heads
from rag_assets.tables.long import (
    LongPlaces,
    body_of,
    compacted,
    compacted_override,
    full_range,
    long_places,
    skipped_places,
    with_stretches,
)
from rag_assets.tables.lookups import DELIMITED, is_sheet, with_lookups
from rag_assets.tables.overrides import Overrides, SheetOverride, TableOverride
from rag_assets.tables.parts import Carried
from rag_assets.tables.regions import split_regions
from rag_assets.tables.rules import Rules
from rag_assets.tables.statements import statements_of_document
from rag_assets.tables.understand import understand_grid

TABLES_VERSION = "2"
NEIGHBOUR_CHARACTERS = 300
BREAK_CHARACTERS = 40  # of text between a table and its continuation: a page number, a running head


def normalize_document(document: Document, rules: Rules, overrides: Overrides | None = None) -> Normalized:
    """All tables, blocks and statements of a document, with a place for each of its non-empty cells."""
    if document.source.status != "ok":
        return Normalized()
    walk = _DocumentWalk(document, rules, overrides)
    walk.run()
    tables = with_lookups(document, walk.tables, rules)
    account = account_of(document, walk.regions, walk.blocks, tables, walk.placements, walk.joiners, walk.long_places)
    statements = statements_of_document([table for table in tables if table.body is None], document.title)
    return Normalized(
        tables=tables,
        blocks=tuple(walk.blocks),
        statements=statements,
        placements=tuple(walk.placements),
        account=account,
        firings=dict(walk.firings),
    )


class _DocumentWalk:
    """One pass over the blocks in reading order."""

    def __init__(self, document: Document, rules: Rules, overrides: Overrides | None) -> None:
        self.document, self.rules, self.overrides = document, rules, overrides
        self.running = running_heads(document.blocks)
        self.grids = {grid.id: grid for grid in document.grids}
        self.tables: list[tuple[Table, Grid, TableOverride | None]] = []
        self.blocks: list[Block] = []
        self.placements: list[Placement] = []
        self.firings: Counter[str] = Counter()
        self.regions: list[Grid] = []
        self.long_places = LongPlaces(Counter(), Counter())
        self.joiners = 0  # characters between the cells of a line that became a block

    def run(self) -> None:
        before: Carried | None = None
        since = 0
        for place, block in enumerate(self.document.blocks):
            if block.kind is not BlockKind.GRID or block.grid is None:
                self.blocks.append(block)
                since += len(block.text)
                if block.kind is BlockKind.HEADING:
                    before = None
                continue
            grid = self.grids[block.grid]
            before = self._grid(grid, block, place, before if since <= BREAK_CHARACTERS else None)
            since = 0

    def _grid(self, grid: Grid, block: Block, place: int, before: Carried | None) -> Carried | None:
        override = self._override(grid)
        if override is not None and override.skip:
            self.placements.extend(Placement(cell.address, Place.SKIPPED) for cell in grid.cells)
            self._count_long(skipped_places(grid))
            return None
        if not is_sheet(self.document, grid):
            run = caption_run(self.document.blocks, place, self.running) if self.rules.caption_run else ()
            return self._region(grid, block, place, before, run, override)
        compact, override = compacted(grid), compacted_override(override, grid)
        before_tables, before_places = len(self.tables), len(self.placements)
        for region in split_regions(compact, self.rules, override):
            self._region(region, block, place, None, (), override)
        if grid.long is not None:
            self._settle_long(grid, before_tables, before_places)
        return None

    def _settle_long(self, grid: Grid, first_table: int, first_place: int) -> None:
        """Ranges are those of the page again, and the cells without a placement of their own are counted."""
        settled = [
            (replace(table, range=full_range(table.range, grid), body=body_of(table, grid)), region, override)
            for table, region, override in self.tables[first_table:]
        ]
        self.tables[first_table:] = settled
        include = self.rules.hidden_policy == "include"
        tables = [table for table, _, _ in settled]
        self._count_long(long_places(grid, tables, self.placements[first_place:], include_hidden=include))

    def _count_long(self, places: LongPlaces) -> None:
        self.long_places.cells.update(places.cells)
        self.long_places.characters.update(places.characters)

    def _override(self, grid: Grid) -> SheetOverride | None:
        if self.overrides is None:
            return None
        return (
            self.overrides.for_table(grid.ordinal + 1) if grid.sheet is None else self.overrides.for_sheet(grid.sheet)
        )

    def _region(
        self,
        region: Grid,
        block: Block,
        place: int,
        before: Carried | None,
        run: Sequence[Block],
        override: SheetOverride | None,
    ) -> Carried | None:
        rules = self.rules
        if self.document.source.media_type in DELIMITED:  # a column of USD beside one of dates is no split symbol
            rules = replace(rules, rejoin_symbols=False)
        captions = tuple(line for b in run for line in b.text.split("\n"))
        understood = understand_grid(region, captions, rules, before)
        self.regions.append(region)
        self.placements.extend(understood.placements)
        self.firings.update(understood.firings)
        if run and understood.tables:
            self.firings["caption_run"] += 1
        if not understood.tables:
            self._text_blocks((*(region.caption if region.sheet is None else ()), *understood.block_texts), block)
            as_blocks = sum(p.place is Place.BLOCK for p in understood.placements)
            self.joiners += as_blocks - len(understood.block_texts)
            return None
        if block not in self.blocks[-1:]:
            self.blocks.append(block)
        neighbour = self._neighbour(place)
        tables = with_stretches(understood.tables, region)
        for table in with_unsaid_as_notes(region, tables, understood.placements):
            settled = replace(
                table,
                grid=block.grid or table.grid,
                heading_path=block.heading_path,
                page=block.page,
                caption_blocks=tuple(b.id for b in run),
                neighbour_prose=neighbour,
            )
            self.tables.append((settled, region, override.table_for(region.range) if override else None))
        return understood.carried

    def _text_blocks(self, texts: Iterable[str], block: Block) -> None:
        made = sum(b.id.startswith(f"{block.id}.") for b in self.blocks)
        for n, text in enumerate((t for t in texts if t), made + 1):
            self.blocks.append(
                replace(block, id=BlockId(f"{block.id}.{n}"), kind=BlockKind.PROSE, text=text, grid=None)
            )

    def _neighbour(self, place: int) -> str:
        """The paragraph before the table, from its end; the one after it where none stands before."""
        blocks = self.document.blocks
        before = blocks[place - 1] if place else None
        if before is not None and before.kind in (BlockKind.PROSE, BlockKind.LIST):
            return before.text[-NEIGHBOUR_CHARACTERS:]
        after = blocks[place + 1] if place + 1 < len(blocks) else None
        if after is not None and after.kind in (BlockKind.PROSE, BlockKind.LIST):
            return after.text[:NEIGHBOUR_CHARACTERS]
        return ""
