"""Chunks as the visible segments store them, by one number over all segments.

Holds: texts, facts, kinds, parents and duplicates of stored chunks; nothing is decoded before it is asked for.
Add here: another fact of a stored chunk that a passage shows.
Never here: ranking (search.py), scores (postings.py).
"""

import json
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
        parts = [
            np.where(s.files.arrays.parents < 0, -1, s.files.arrays.parents + start)
            for s, start in zip(self._segments, self._starts.tolist(), strict=False)
        ]
        return np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int64)

    @cached_property
    def tables(self) -> Array:
        """Which table a chunk shows, as a number; 0 for none."""
        return self._joined("tables", np.uint64)

    @cached_property
    def text_hashes(self) -> Array:
        return self._joined("text_hashes", np.uint64)

    @cached_property
    def _by_text(self) -> tuple[Array, Array]:
        order = np.argsort(self.text_hashes, kind="stable")
        return order, self.text_hashes[order]

    @cached_property
    def _by_id(self) -> dict[int, int]:
        return {name: n for n, name in reversed(list(enumerate(self.ids.tolist())))}

    @cached_property
    def _pieces(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number in np.flatnonzero(self.in_kinds(PIECES)).tolist():
            found.setdefault(int(self.tables[number]), []).append(number)
        return found

    def pieces_of(self, number: int) -> list[int]:
        """The whole table, or all row blocks of the table, that a piece belongs to, in page order."""
        return self._pieces.get(int(self.tables[number]), [number])

    def number_of(self, chunk: str) -> int | None:
        try:
            return self._by_id.get(int(chunk, 16))
        except ValueError:
            return None

    def same_text(self, number: int) -> list[int]:
        """All chunks with the same text under the same headings, this one too."""
        order, hashes = self._by_text
        sought = self.text_hashes[number]
        first, end = np.searchsorted(hashes, sought, "left"), np.searchsorted(hashes, sought, "right")
        return sorted(order[first:end].tolist())

    def kind(self, number: int) -> ChunkKind:
        return ChunkKind(KINDS[int(self.kinds[number])])

    def collection(self, number: int) -> str:
        return self._segments[self._segment_of(number)].collection

    def text(self, number: int) -> str:
        segment, local = self._place(number)
        first, end = segment.arrays.text_starts[local : local + 2].tolist()
        return bytes(segment.blobs.texts[first:end]).decode("utf-8", "surrogatepass")

    def facts(self, number: int) -> Facts:
        segment, local = self._place(number)
        first, end = segment.arrays.fact_starts[local : local + 2].tolist()
        return json.loads(bytes(segment.blobs.facts[first:end]).decode("utf-8", "surrogatepass"))

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
