"""The manifests as values: segments, heads, candidates, releases, the pin.

Holds: what each JSON file of the state says, and reading and writing it with its format number.
Add here: a fact a manifest must carry (a field with a default, so that older files still read).
Never here: where files lie (layout) or how they are written (place).
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from rag_assets.errors import CorruptSegment, DamagedManifest, StateError
from rag_assets.model.document import Counts, Reason, Status
from rag_assets.model.score import Score

FORMAT = 1
CONDEMNED = "damaged"
LAID_OUT_BYTES = 1 << 20
Record = TypeVar("Record")


class FileFacts(NamedTuple):
    """`logical` is equal for equal content, however the bytes came out."""

    sha256: str
    size: int
    logical: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentFacts:
    """What a stage says of the segment it made.

    `key` is the digest of all inputs known beforehand; a segment whose `key` is still wanted is not built again.
    `inputs` are short names and digests of them, for people. `logical` holds the logical hash of files whose bytes
    differ from one build to the next.
    """

    key: str
    parents: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    counts: Counts = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)
    logical: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One stage's files of one partition, never changed once written. `parents`: stage → digest.

    `folder` is where its files lie on this machine; with an `origin` (the URL of an object place) they are fetched
    into it when they are opened.
    """

    partition: str
    stage: str
    digest: str
    key: str
    created: str
    parents: dict[str, str]
    inputs: dict[str, str]
    counts: Counts
    scores: dict[str, Score]
    files: dict[str, FileFacts]
    warnings: tuple[str, ...] = ()
    format: int = FORMAT
    folder: str = ""
    origin: str = ""
    seal: str = ""

    @property
    def logical_hash(self) -> str:
        return digest_of(sorted((name, facts.logical) for name, facts in self.files.items()))

    def path(self, name: str) -> Path:
        """The file, checked against its sha256 when this process opens it for the first time.

        Raises CorruptSegment where it is missing or differs; one that differs is condemned, so that the next run
        builds it again.
        """
        facts = self.files.get(name)
        if facts is None:
            raise CorruptSegment(f"{self.folder}: no file {name!r} in its segment.json")
        path = Path(self.folder) / name
        if (str(path), facts.sha256) not in _VERIFIED or (self.origin and not path.exists()):
            self._verify(path, facts)
        return path

    def intact(self, *, deep: bool = False) -> bool:
        """All files are there with their sizes, and nobody found one damaged; `deep`: with their sha256."""
        folder = Path(self.folder)
        try:
            for name, facts in self.files.items():
                path = folder / name
                if deep:
                    self._verify(path, facts)
                elif (path.exists() or not self.origin) and path.stat().st_size != facts.size:
                    return False
        except (OSError, CorruptSegment):
            return False
        return deep or not (folder / CONDEMNED).exists()

    def _verify(self, path: Path, facts: FileFacts) -> None:
        if self.origin:
            self._fetch(path, facts)
        try:
            verify_file(path, facts)
        except CorruptSegment:
            if path.exists():
                condemn(Path(self.folder))
            raise
        _VERIFIED.add((str(path), facts.sha256))

    def _fetch(self, path: Path, facts: FileFacts) -> None:
        """A damaged copy in the cache is fetched anew; what is damaged where it comes from stays so."""
        from rag_assets.store.object_place import fetched

        if path.exists() and hash_of_file(path) != facts.sha256:
            path.unlink()
        fetched(self.origin, path)


_VERIFIED: set[tuple[str, str]] = set()


def condemn(folder: Path) -> None:
    """Leave word that the segment is damaged: whoever may only read leaves it to the nightly check."""
    with suppress(OSError):
        (folder / CONDEMNED).touch()


def verify_file(path: Path, facts: FileFacts) -> None:
    try:
        found = hash_of_file(path)
    except OSError as error:
        raise CorruptSegment(f"{path}: cannot be read: {error}: run `rag-assets ingest` to build it again") from None
    if found != facts.sha256:
        raise CorruptSegment(
            f"{path}: sha256 is {found[:12]}, its segment.json says {facts.sha256[:12]}: "
            "run `rag-assets ingest` to build it again"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """Newest segment of each stage of one partition: stage → digest."""

    stages: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEntry:
    """One document of a release.

    `sha256` is the file as it was found, `served_sha256` the version that is served (another one where a quarantined
    document keeps its last good version; None where nothing of it is served). `modified` is in nanoseconds since the
    epoch, 0 where unknown. `override` is the sha256 of its override file. `stale_since` is the day and time from
    which on the served version is not the newest.
    """

    source: str
    partition: str
    sha256: str
    size: int = 0
    modified: int = 0
    media_type: str = ""
    status: Status = "ok"
    reason: Reason | None = None
    detail: str | None = None
    stale_since: str | None = None
    served_sha256: str | None = None
    override: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRelease:
    """The segments of one partition that belong together. `digest` follows from them."""

    scope: str
    collection: str
    segments: dict[str, str]
    digest: str

    @classmethod
    def of(cls, scope: str, collection: str, segments: Mapping[str, str]) -> "PartitionRelease":
        chosen = dict(sorted(segments.items()))
        return cls(scope=scope, collection=collection, segments=chosen, digest=digest_of(sorted(chosen.items())))


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What would go live: judged by eval_run, published by published_release.

    `base` is the release it was compared with; `changed` the partition keys that differ from it (added, replaced,
    gone, or of another scope). `held`: partition → why it stays at its published segments. `serving`: the settings
    that are read when somebody asks.
    """

    id: str
    created: str
    base: int | None
    partitions: dict[str, PartitionRelease]
    sources: tuple[SourceEntry, ...]
    changed: tuple[str, ...] = ()
    held: dict[str, str] = field(default_factory=dict)
    stage_versions: dict[str, str] = field(default_factory=dict)
    settings_digest: str = ""
    serving: dict[str, object] = field(default_factory=dict)
    cases_hash: str | None = None
    allowed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    scores: dict[str, Score] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def digest(self) -> str:
        return partitions_digest(self.partitions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    number: int
    created: str
    parent: int | None
    dagster_run: str | None
    partitions: dict[str, PartitionRelease]
    sources: tuple[SourceEntry, ...]
    scores: dict[str, Score] = field(default_factory=dict)
    stage_versions: dict[str, str] = field(default_factory=dict)
    settings_digest: str = ""
    serving: dict[str, object] = field(default_factory=dict)
    cases_hash: str | None = None
    held: dict[str, str] = field(default_factory=dict)
    allowed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
    format: int = FORMAT

    @property
    def digest(self) -> str:
        return partitions_digest(self.partitions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A rollback that must stand until it is lifted."""

    release: int
    why: str
    created: str
    format: int = FORMAT


def partitions_digest(partitions: Mapping[str, PartitionRelease]) -> str:
    """Digest of these partitions' segments and of nothing else, so that it leaks nothing of the others."""
    return digest_of(sorted((key, part.digest) for key, part in partitions.items()))


def digest_of(value: object) -> str:
    """sha256 of the value's JSON with sorted keys."""
    return sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def hash_of_file(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def encode(record: object) -> bytes:
    """Laid out for people as long as people would read it: 100,000 sources take 42 MB so, 30 MB without blanks."""
    compact = msgspec.json.encode(record)
    return msgspec.json.format(compact, indent=1) if len(compact) < LAID_OUT_BYTES else compact


def decode(content: bytes, kind: type[Record], where: str) -> Record:
    """Read a manifest. Raises DamagedManifest, or StateError where it is newer than this program."""
    try:
        found = msgspec.json.decode(content, type=_Format).format
        if found > FORMAT:
            raise StateError(f"{where}: format {found} is newer than this program reads ({FORMAT}): upgrade rag-assets")
        return msgspec.json.decode(content, type=kind)
    except msgspec.DecodeError as error:
        raise DamagedManifest(f"{where}: damaged manifest: {error}") from None


class _Format(msgspec.Struct):
    format: int = FORMAT
