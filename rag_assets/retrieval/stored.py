"""Chunks as the visible segments store them, by one number over all segments.

Holds: texts, facts, kinds, parents and duplicates of stored chunks; nothing is decoded before it is asked for.
Add here: another fact of a stored chunk that a passage shows.
Never here: ranking (search.py), scores (postings.py).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypedDict

import numpy as np

from rag_assets.model.chunk import Chunk, ChunkId, ChunkKind
from rag_assets.retrieval.segment_files import KINDS, Array, SegmentFiles

PIECES = frozenset({ChunkKind.TABLE.value, ChunkKind.TABLE_ROWS.value})


class Facts(TypedDict):
    source: str
    sha256: str
    order: int
    tokens: int
    heading_path: list[str]
    addresses: list[str]
    blocks: list[str]
    table: str | None
    parent: str | None
    tool: str | None
    oversize: bool
    complete: bool


class VisibleSegment(NamedTuple):
    collection: str
    files: SegmentFiles


class StoredChunks:
    def __init__(self, segments: Sequence[VisibleSegment]) -> None:
        self._segments = segments
        sizes = [len(s.files.arrays.ids) for s in segments]
        self._starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self.size = int(self._starts[-1])
        self.ids = self._joined("ids", np.uint64)
        self.kinds = self._joined("kinds", np.uint8)
        self.words = self._joined("words", np.int32)

    @cached_property
    def parents(self) -> Array:
        """Number of the chunk that shows a record in its context, -1 for none."""
        parts = [np.zeros(0, np.int32)]
        for segment, start in zip(self._segments, self._starts.tolist(), strict=False):
            own = segment.files.arrays.parents.astype(np.int32)
            parts.append(np.where(own < 0, np.int32(-1), own + np.int32(start)))
        return np.concatenate(parts)

    @cached_property
    def tables(self) -> Array:
        """Which table a chunk shows, as a number; 0 for none."""
        return self._joined("tables", np.uint64)

    @cached_property
    def text_hashes(self) -> Array:
        return self._joined("text_hashes", np.uint64)

    @cached_property
    def _repeated(self) -> dict[int, list[int]]:
        """Chunks whose text stands more than once, by the hash of the text."""
        order = np.argsort(self.text_hashes, kind="stable")
        hashes = self.text_hashes[order]
        equal = hashes[1:] == hashes[:-1]
        found: dict[int, list[int]] = {}
        for place in np.flatnonzero(np.append(equal, False) | np.insert(equal, 0, False)).tolist():
            found.setdefault(int(hashes[place]), []).append(int(order[place]))
        return found

    @cached_property
    def _by_id(self) -> Array:
        return np.argsort(self.ids, kind="stable").astype(np.int32)

    @cached_property
    def _pieces(self) -> tuple[Array, Array]:
        """Numbers of the chunks that show a table, by table, and the table of each."""
        numbers = np.flatnonzero(self.in_kinds(PIECES)).astype(np.int32)
        tables = self.tables[numbers]
        order = np.argsort(tables, kind="stable")
        return numbers[order], tables[order]

    def pieces_of(self, number: int) -> list[int]:
        """The whole table, or all row blocks of the table, that a piece belongs to, in page order."""
        numbers, tables = self._pieces
        table = self.tables[number]
        return numbers[tables.searchsorted(table) : tables.searchsorted(table, "right")].tolist() or [number]

    @cached_property
    def _summaries(self) -> dict[int, int]:
        """The summary chunk of each table that has one."""
        numbers = np.flatnonzero(self.in_kinds(frozenset({ChunkKind.SUMMARY.value}))).tolist()
        return {int(self.tables[number]): number for number in numbers}

    def summary_of(self, number: int) -> int | None:
        """The summary of the table that a chunk shows a part of."""
        table = int(self.tables[number])
        return self._summaries.get(table) if table else None

    def number_of(self, chunk: str) -> int | None:
        try:
            sought = np.uint64(int(chunk, 16))
        except (ValueError, OverflowError):
            return None
        place = int(self.ids.searchsorted(sought, sorter=self._by_id))
        number = int(self._by_id[place]) if place < self.size else None
        return number if number is not None and self.ids[number] == sought else None

    def same_text(self, number: int) -> list[int]:
        """All chunks with the same text under the same headings, this one too."""
        return self._repeated.get(int(self.text_hashes[number]), [number])

    def kind(self, number: int) -> ChunkKind:
        return ChunkKind(KINDS[int(self.kinds[number])])

    def collection(self, number: int) -> str:
        return self._segments[self._segment_of(number)].collection

    def text(self, number: int) -> str:
        segment, local = self._place(number)
        return segment.text(local)

    def facts(self, number: int) -> Facts:
        segment, local = self._place(number)
        return segment.facts(local)

    def chunk(self, number: int) -> Chunk:
        """The chunk without its zones, which the index does not keep."""
        facts = self.facts(number)
        return Chunk(
            id=ChunkId(f"{int(self.ids[number]):016x}"),
            kind=self.kind(number),
            text=self.text(number),
            source=facts["source"],
            sha256=facts["sha256"],
            tokens=facts["tokens"],
            order=facts["order"],
            heading_path=tuple(facts["heading_path"]),
            addresses=tuple(facts["addresses"]),
            blocks=tuple(facts["blocks"]),
            table=facts["table"],
            parent=ChunkId(facts["parent"]) if facts["parent"] else None,
            tool=facts["tool"],
            oversize=facts["oversize"],
            complete=facts["complete"],
        )

    def in_kinds(self, kinds: frozenset[str]) -> Array:
        return np.isin(self.kinds, [n for n, kind in enumerate(KINDS) if kind in kinds])

    def in_collections(self, collections: frozenset[str]) -> Array:
        mask = np.zeros(self.size, dtype=np.bool_)
        for segment, (start, end) in zip(self._segments, self._bounds(), strict=True):
            mask[start:end] = segment.collection in collections
        return mask

    def _bounds(self) -> Iterator[tuple[int, int]]:
        return pairwise(self._starts.tolist())

    def _segment_of(self, number: int) -> int:
        return int(np.searchsorted(self._starts, number, "right")) - 1

    def _place(self, number: int) -> tuple[SegmentFiles, int]:
        n = self._segment_of(number)
        return self._segments[n].files, number - int(self._starts[n])

    def _joined(self, name: str, kind: type[np.generic]) -> Array:
        parts = [getattr(s.files.arrays, name) for s in self._segments]
        return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, kind), *parts])
