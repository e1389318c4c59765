"""A chunk: a piece of text that can be found, with the cells it shows.

Holds: `Chunk`, its kinds and the zones its terms are weighed by.
Add here: a kind of chunk, a zone.
Never here: how a table is cut (chunking/) or laid out (rendering/).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, NewType

ChunkId = NewType("ChunkId", str)


class ChunkKind(StrEnum):
    PROSE = "prose"
    TABLE = "table"
    TABLE_ROWS = "table_rows"
    RECORD = "record"
    SUMMARY = "summary"


class Zone(StrEnum):
    """Where a term stands; retrieval weighs terms by it."""

    CAPTION = "caption"
    HEADING = "heading"
    LABEL = "label"
    CELL = "cell"
    TEXT = "text"
    NEIGHBOUR = "neighbour"


class ZoneText(NamedTuple):
    zone: Zone
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """`text` is what a reader is shown; `zones` hold the same words for the index, by where they stand.

    `id` follows from content (source and text), so equal content keeps its id. `parent` is the whole-table or row-block
    chunk that shows this record in its context. `order` is the place in the document. `oversize` marks a single row
    larger than the budget. `tool` is the short lookup tool name of its table, if it has one.
    """

    id: ChunkId
    kind: ChunkKind
    source: str
    sha256: str
    text: str
    tokens: int
    order: int
    zones: tuple[ZoneText, ...] = ()
    heading_path: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    table: str | None = None
    parent: ChunkId | None = None
    tool: str | None = None
    oversize: bool = False
    complete: bool = True
