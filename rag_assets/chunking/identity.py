"""Names of chunks: the same content keeps its name through every re-ingest.

Holds: `Namer`, which turns drafts of chunks into chunks.
Add here: nothing but what a chunk's id depends on.
Never here: what stands in a chunk.
"""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypedDict, Unpack

from rag_assets.model.chunk import Chunk, ChunkId, ChunkKind, ZoneText


class ChunkParts(TypedDict, total=False):
    heading_path: tuple[str, ...]
    addresses: tuple[str, ...]
    blocks: tuple[str, ...]
    table: str | None
    parent: ChunkId | None
    tool: str | None
    oversize: bool
    complete: bool


@dataclass(slots=True, kw_only=True)
class Namer:
    """Gives each chunk of one document its id and its place.

    An id is made of source, kind, text and zones; of two chunks that are equal in all of them the second is counted.
    """

    source: str
    sha256: str
    _seen: dict[str, int] = field(default_factory=dict)
    _order: int = 0

    def name(
        self, kind: ChunkKind, text: str, zones: tuple[ZoneText, ...], tokens: int, **parts: Unpack[ChunkParts]
    ) -> Chunk:
        content = "\x1e".join((self.source, kind, text, *(f"{zone}\x1f{words}" for zone, words in zones)))
        digest = sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        times = self._seen[digest] = self._seen.get(digest, 0) + 1
        if times > 1:
            digest = sha256(f"{digest}\x1e{times}".encode()).hexdigest()[:16]
        self._order += 1
        return Chunk(
            id=ChunkId(digest), kind=kind, source=self.source, sha256=self.sha256, text=text, zones=zones,
            tokens=tokens, order=self._order - 1, **parts,
        )  # fmt: skip
