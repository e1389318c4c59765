"""`Store`: the one way in and out of a project's state.

Holds: the face of content, segments, heads, candidates, releases and pin.
Add here: a method that forwards to the module which knows.
Never here: logic.
"""

from pathlib import Path
from typing import TypeVar

import msgspec

from rag_assets.errors import BrokenChain, UnknownName
from rag_assets.store import content, releases, segments
from rag_assets.store.layout import candidate_name, evaluation_name, heads_name, memo_name, release_name
from rag_assets.store.place import place_of
from rag_assets.store.records import Candidate, Heads, Pin, Release, Segment, decode, encode
from rag_assets.store.releases import ScoresOf
from rag_assets.store.segments import SegmentDraft

Memo = TypeVar("Memo")


class Store:
    """State of one project. Nothing is made before the first write."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.place = place_of(url)

    def put_content(self, path: Path, sha256: str) -> Path:
        return content.put_content(self.place, path, sha256)

    def put_bytes(self, value: bytes) -> str:
        """Keep small bytes; returns their sha256."""
        return content.put_bytes(self.place, value)

    def content_path(self, sha256: str) -> Path:
        return content.content_path(self.place, sha256)

    def new_segment(self, partition: str, stage: str, digest: str) -> SegmentDraft:
        return SegmentDraft(self.place, partition, stage, digest)

    def find_segment(self, partition: str, stage: str, digest: str | None) -> Segment | None:
        return segments.open_segment(self.place, partition, stage, digest) if digest else None

    def segment(self, partition: str, stage: str, digest: str) -> Segment:
        """Raises BrokenChain where a manifest names a segment that is gone."""
        found = segments.open_segment(self.place, partition, stage, digest)
        if found is None:
            raise BrokenChain(f"{self.url}: segment {partition} {stage} {digest[:12]} is gone: run `rag-assets ingest`")
        return found

    def heads(self, partition: str) -> Heads:
        return segments.read_heads(self.place, partition)

    def head(self, partition: str, stage: str) -> Segment | None:
        return self.find_segment(partition, stage, self.heads(partition).stages.get(stage))

    def set_head(self, partition: str, stage: str, digest: str) -> None:
        segments.write_head(self.place, partition, stage, digest)

    def forget_heads(self, partition: str) -> None:
        self.place.remove(heads_name(partition))

    def write_candidate(self, identity: str, candidate: Candidate) -> None:
        self.place.write(candidate_name(identity), encode(candidate))

    def read_candidate(self, identity: str) -> Candidate:
        name = candidate_name(identity)
        found = self.place.read(name)
        if found is None:
            raise UnknownName(f"{self.place.shown(name)}: no candidate of this run: evaluate it first")
        return decode(found, Candidate, self.place.shown(name))

    def write_evaluation(self, identity: str, content: bytes) -> None:
        """How each case stood in the candidate of this identity."""
        self.place.write(evaluation_name(identity), content)

    def read_evaluation(self, identity: str) -> bytes | None:
        return self.place.read(evaluation_name(identity))

    def claim_release(self, build: releases.Build) -> Release | None:
        return releases.claim_release(self.place, build)

    def current(self) -> Release | None:
        return releases.read_current(self.place)

    def current_number(self) -> int | None:
        return releases.current_number(self.place)

    def release(self, number: int) -> Release:
        return releases.read_release(self.place, number)

    def release_numbers(self) -> tuple[int, ...]:
        return releases.numbers(self.place)

    def releases(self) -> tuple[Release, ...]:
        """All kept releases, oldest first."""
        return tuple(self.release(number) for number in self.release_numbers())

    def release_scores(self) -> tuple[ScoresOf, ...]:
        """Scores of all releases, oldest first."""
        return releases.read_scores(self.place)

    def rewrite_release(self, release: Release) -> None:
        """Replace a kept manifest at once; only erasing does this."""
        self.place.write(release_name(release.number), encode(release))

    def pin(self, number: int, why: str) -> Pin:
        return releases.pin(self.place, number, why)

    def pinned(self) -> Pin | None:
        return releases.pinned(self.place)

    def resume(self) -> Pin | None:
        return releases.resume(self.place)

    def read_memo(self, name: str, kind: type[Memo], default: Memo) -> Memo:
        """Something that only saves work; a damaged one is as good as none."""
        found = self.place.read(memo_name(name))
        try:
            return default if found is None else msgspec.json.decode(found, type=kind)
        except msgspec.DecodeError:
            return default

    def write_memo(self, name: str, memo: object) -> None:
        self.place.write(memo_name(name), msgspec.json.encode(memo))
