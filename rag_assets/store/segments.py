"""Segments: a stage's files for one partition, written once.

Holds: `SegmentDraft` (a private folder that becomes a segment), opening one, and the heads.
Add here: what every segment goes through.
Never here: what the files hold (ingest/).
"""

import os
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from errno import EDQUOT, EFBIG, ENOSPC, EROFS
from hashlib import sha256
from pathlib import Path
from types import TracebackType

from rag_assets.errors import DamagedManifest, RagAssetsError, StateError
from rag_assets.store.layout import SEGMENT_FILE, heads_name, segment_name
from rag_assets.store.place import LocalPlace
from rag_assets.store.records import FileFacts, Heads, Segment, SegmentFacts, decode, encode, hash_of_file


class SegmentDraft:
    """A private folder. Write into `path`, then `publish`; as a context manager it leaves nothing behind otherwise."""

    def __init__(self, place: LocalPlace, partition: str, stage: str, digest: str) -> None:
        self._place = place
        self._partition = partition
        self._stage = stage
        self._digest = digest
        self.path: Path = place.new_folder(segment_name(partition, stage, digest))

    def publish(self, facts: SegmentFacts, digest: str | None = None) -> Segment:
        """Make it visible at once, under `digest` where that is only known now.

        Where an intact segment of this digest exists, that one is kept; a damaged one is replaced.
        """
        chosen = digest or self._digest
        name = segment_name(self._partition, self._stage, chosen)
        existing = open_segment(self._place, self._partition, self._stage, chosen)
        if existing is not None and existing.intact(deep=True):
            self.discard()
            return existing
        if self._place.exists(name):
            self._place.remove(name)
        segment = Segment(
            partition=self._partition,
            stage=self._stage,
            digest=chosen,
            key=facts.key,
            created=datetime.now(UTC).isoformat(timespec="milliseconds"),
            parents=dict(facts.parents),
            inputs=dict(facts.inputs),
            counts=dict(facts.counts),
            scores=dict(facts.scores),
            files=_files_of(self.path, facts.logical),
            warnings=facts.warnings,
        )
        (self.path / SEGMENT_FILE).write_bytes(sealed(segment))
        self._place.move_folder(self.path, name)
        published = open_segment(self._place, self._partition, self._stage, chosen)
        return (
            published
            if published is not None
            else replace(segment, folder=str(self._place.path(name)), origin=self._place.url)
        )

    def discard(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> "SegmentDraft":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()
        if isinstance(error, Exception) and not isinstance(error, RagAssetsError) and cannot_write(error):
            raise StateError(f"{self.path.parent}: the state cannot be written: {error}: free some space") from error


def cannot_write(error: Exception) -> bool:
    """polars and DuckDB raise errors of their own, with the system's words in them."""
    said = str(error)
    return isinstance(error, OSError) or any(os.strerror(n) in said for n in (ENOSPC, EFBIG, EROFS, EDQUOT))


def open_segment(place: LocalPlace, partition: str, stage: str, digest: str) -> Segment | None:
    """None where there is none, or where its manifest is damaged: such a segment is as good as gone."""
    name = segment_name(partition, stage, digest)
    content = place.read(f"{name}/{SEGMENT_FILE}")
    if content is None or not seal_holds(content):
        return None
    try:
        segment = decode(content, Segment, place.shown(f"{name}/{SEGMENT_FILE}"))
    except DamagedManifest:
        return None
    return replace(segment, folder=str(place.path(name)), origin=place.url)


BLANK = b"0" * 64
SEAL = re.compile(rb'"seal": ?"([0-9a-f]{64})"')


def sealed(segment: Segment) -> bytes:
    """The manifest with its own sha256 in it, taken while the seal was 64 zeros."""
    content = encode(replace(segment, seal=BLANK.decode()))
    return content.replace(BLANK, sha256(content).hexdigest().encode(), 1)


def seal_holds(content: bytes) -> bool:
    """True where no seal can be found: manifests of the first versions have none."""
    found = SEAL.search(content)
    return found is None or sha256(content.replace(found[1], BLANK, 1)).hexdigest().encode() == found[1]


def read_heads(place: LocalPlace, partition: str) -> Heads:
    name = heads_name(partition)
    content = place.read(name)
    return Heads() if content is None else decode(content, Heads, place.shown(name))


def write_head(place: LocalPlace, partition: str, stage: str, digest: str) -> None:
    name = heads_name(partition)

    def with_stage(content: bytes | None) -> bytes | None:
        stages = {} if content is None else decode(content, Heads, place.shown(name)).stages
        return None if stages.get(stage) == digest else encode(Heads(stages={**stages, stage: digest}))

    place.update(name, with_stage)


def _files_of(folder: Path, logical: dict[str, str]) -> dict[str, FileFacts]:
    files = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != SEGMENT_FILE):
        name = path.relative_to(folder).as_posix()
        found = hash_of_file(path)
        files[name] = FileFacts(found, path.stat().st_size, logical.get(name, found))
    return files
