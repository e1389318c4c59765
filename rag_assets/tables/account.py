"""The other side of a document's account: what the result says, counted from the result itself.

Holds: `account_of`, and `with_unsaid_as_notes`, which keeps what the structure of a table has no place for.
Add here: another place of the result that text can go to.
Never here: what is dropped and why (the readers, lines, understand).
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from rag_assets.model.document import Block, BlockKind, Document, Grid
from rag_assets.model.table import Account, Place, Placement, Table
from rag_assets.tables.long import NO_LONG_PLACES, LongPlaces

_WORDS = re.compile(r"\w+")
_BY_ADDRESS = frozenset({Place.BODY, Place.TOTAL, Place.LABEL, Place.PAIR, Place.JOINED, Place.BLOCK})


def account_of(
    document: Document,
    regions: Iterable[Grid],
    blocks: Iterable[Block],
    tables: Iterable[Table],
    placements: Sequence[Placement],
    joiners: int,
    long: LongPlaces = NO_LONG_PLACES,
) -> Account:
    """Cells by their places, characters by what blocks and tables hold; lost text leaves the account unbalanced.

    Blocks and the cells of rows count as they stand in the result, `joiners` ("a | b") less. A heading, section,
    caption or note counts where the tables of its region say all its words.
    """
    counts = Counter(place for _, place in placements) + long.cells
    dropped = Counter(document.cells_dropped) + Counter({str(p): n for p, n in counts.items() if p.dropped})
    places = dict(placements)
    by_region: dict[str, list[Table]] = {}
    for table in tables:
        by_region.setdefault(table.id.partition("/")[0], []).append(table)
    text = sum(_visible(block.text) for block in blocks if block.kind is not BlockKind.GRID) - joiners
    text += sum(n for place, n in long.characters.items() if not place.dropped)
    shown: set[str] = set()
    for region in regions:
        found = by_region.get(region.id, [])
        in_rows = _in_rows(found)
        shown |= in_rows.keys()
        text += sum(map(_visible, in_rows.values())) + _in_words(region, found, places, in_rows)
    characters_dropped = Counter(document.characters_dropped) + _dropped_characters(document, places, shown)
    characters_dropped.update({str(place): n for place, n in long.characters.items() if place.dropped and n})
    return Account(
        cells_in=document.cells_in,
        placed={str(p): n for p, n in sorted(counts.items()) if not p.dropped},
        dropped=dict(sorted(dropped.items())),
        characters_in=document.characters_in,
        characters_out=text,
        characters_dropped=dict(sorted(characters_dropped.items())),
    )


def _dropped_characters(document: Document, places: Mapping[str, Place], shown: Container[str]) -> Counter[str]:
    """Characters of the cells that are dropped by name; a repeated heading that spans down into rows is shown."""
    found: Counter[str] = Counter()
    for grid in document.grids:
        for cell in grid.cells:
            place = places.get(cell.address)
            if place is not None and place.dropped and cell.address not in shown:
                found[str(place)] += _visible(cell.text)
    return found


def _in_rows(tables: Iterable[Table]) -> dict[str, str]:
    """Texts of all cells of rows and pairs by address: a label that stands for several rows counts once."""
    texts: dict[str, str] = {}
    for table in tables:
        for row in table.rows:
            texts.update((cell.address, cell.text) for cell in (*row.labels, *row.cells))
        for pair_row in table.pair_rows:
            texts.update((cell.address, cell.text) for cell in pair_row)
    return texts


def _in_words(region: Grid, tables: Sequence[Table], places: Mapping[str, Place], in_rows: Mapping[str, str]) -> int:
    """Characters of the cells and caption lines that are said in words around the rows."""
    if not tables:
        return 0
    lines = _worded(region, places, in_rows)
    if region.sheet is None:
        lines += region.caption
    said = sum(map(_visible, lines)) - sum(map(_visible, unsaid(lines, tables)))
    return said + _joined_in_words(region, tables, places, in_rows)


def _joined_in_words(
    region: Grid, tables: Sequence[Table], places: Mapping[str, Place], in_rows: Mapping[str, str]
) -> int:
    """Characters of symbols that joined a figure of a heading or note: those that the texts of rows do not hold."""
    joined = [cell.text for cell in region.cells if places.get(cell.address) is Place.JOINED]
    if not joined:
        return 0
    own = {cell.address: cell.text for cell in region.cells if cell.address in in_rows}
    in_front = [c.text for c in region.cells if places.get(c.address) is Place.LABEL and c.address not in in_rows]
    wrapped = [text for text in in_front if any(label.startswith(text) for label in in_rows.values())]
    added = sum(map(_visible, in_rows.values())) - sum(map(_visible, (*own.values(), *wrapped)))
    said = "\n".join(_texts(tables))
    return min(sum(map(_visible, joined)) - added, sum(_visible(symbol) for symbol in joined if symbol in said))


def _worded(grid: Grid, places: Mapping[str, Place], in_rows: Mapping[str, str]) -> list[str]:
    """Texts of the cells that are said in words: not those of rows, nor what went in front of a row's label."""
    found = []
    for cell in grid.cells:
        place = places.get(cell.address)
        if place is None or place.dropped or cell.address in in_rows:
            continue
        wrapped = place is Place.LABEL and not any(text.startswith(cell.text) for text in in_rows.values())
        if wrapped or place not in _BY_ADDRESS:
            found.append(cell.text)
    return found


def with_unsaid_as_notes(grid: Grid, tables: Sequence[Table], placements: Iterable[Placement]) -> tuple[Table, ...]:
    """What no heading, path, caption or note took (a section without rows, its mark): notes of the first table."""
    left = unsaid(_worded(grid, dict(placements), _in_rows(tables)), tables)
    if not left:
        return tuple(tables)
    first = tables[0]
    return (replace(first, notes=(*first.notes, *dict.fromkeys(left))), *tables[1:])


def unsaid(lines: Sequence[str], tables: Sequence[Table]) -> list[str]:
    """Those of the lines that hold a word which no heading, path, caption or note of the tables has."""
    texts = _texts(tables)
    left = [line for line in lines if line not in texts]
    if not left:
        return []
    said = frozenset(_WORDS.findall("\n".join(texts)))
    return [line for line in left if not said.issuperset(_WORDS.findall(line))]


def _texts(tables: Iterable[Table]) -> set[str]:
    texts: set[str] = set()
    for table in tables:
        texts.update(table.caption, table.notes)
        texts.update(part for column in (*table.columns, *table.label_columns) for part in column.path)
        for row in table.rows:
            texts.update(row.path, row.sections)
    return texts


def _visible(text: str) -> int:
    return len("".join(text.split()))
