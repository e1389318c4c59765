"""The files of one index segment: arrays that are memory-mapped, texts behind offsets.

Holds: names and shapes of the files, writing them, opening them, their logical hash.
Add here: another array every segment has.
Never here: what the arrays mean for a score (postings.py), how they are made (index.py).
"""

import json
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rag_assets.errors import CorruptSegment, StateError

INDEX_VERSION = "1"
FORMAT = 1
HEADER_FILE = "index.json"
Array = npt.NDArray[Any]

KINDS = ("prose", "table", "table_rows", "record", "summary")


class SegmentArrays(NamedTuple):
    """Chunks stand in order of source, place, id; terms in order of their hash; postings by term, then chunk.

    By chunk: `ids`, `kinds`, `parents` (-1: none), `tables` (0: none), `ranked`, `lengths` (weighted terms), `words`,
    `text_hashes`. By term: `term_hashes`, `posting_starts`. By posting: `docs`, `frequencies`. Offsets into the
    blobs: `text_starts`, `fact_starts`, `term_starts`.
    """

    ids: Array
    kinds: Array
    parents: Array
    tables: Array
    ranked: Array
    lengths: Array
    words: Array
    text_hashes: Array
    term_hashes: Array
    posting_starts: Array
    docs: Array
    frequencies: Array
    text_starts: Array
    fact_starts: Array
    term_starts: Array


class SegmentBlobs(NamedTuple):
    texts: bytes | mmap.mmap
    facts: bytes | mmap.mmap
    terms: bytes | mmap.mmap


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentHeader:
    format: int
    version: str
    language: str
    multiplier: int
    times: dict[str, int]
    records: bool


class SegmentFiles(NamedTuple):
    header: SegmentHeader
    arrays: SegmentArrays
    blobs: SegmentBlobs


def write_segment(target: Path, segment: SegmentFiles) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name, array in zip(SegmentArrays._fields, segment.arrays, strict=True):
        np.save(target / f"{name}.npy", array, allow_pickle=False)
    for name, blob in zip(SegmentBlobs._fields, segment.blobs, strict=True):
        (target / f"{name}.bin").write_bytes(blob)
    header = {f: getattr(segment.header, f) for f in SegmentHeader.__slots__}
    (target / HEADER_FILE).write_text(json.dumps(header, sort_keys=True, indent=1) + "\n", encoding="utf-8")


def open_segment(path: Path) -> SegmentFiles:
    """Maps the files; reads nothing but the header. Raises StateError where the index is newer than this program."""
    try:
        header = json.loads((path / HEADER_FILE).read_text(encoding="utf-8"))
        if header.get("format", 0) > FORMAT:
            raise StateError(f"{path}: index format {header['format']} is newer than {FORMAT}: update rag_assets")
        arrays = SegmentArrays(*(_map_array(path / f"{name}.npy") for name in SegmentArrays._fields))
        blobs = SegmentBlobs(*(_map_bytes(path / f"{name}.bin") for name in SegmentBlobs._fields))
        return SegmentFiles(SegmentHeader(**header), arrays, blobs)
    except (OSError, ValueError, TypeError) as error:
        if isinstance(error, StateError):
            raise
        raise CorruptSegment(f"{path}: not an index segment: {error}") from None


def logical_hash(path: Path) -> str:
    """Equal for equal content, however the segment came about: the files are written in one order only."""
    digest = sha256()
    for name in sorted(p.name for p in path.iterdir() if p.is_file()):
        digest.update(f"{name}\x1e".encode())
        digest.update(sha256((path / name).read_bytes()).digest())
    return digest.hexdigest()


def hash_text(text: str) -> int:
    return int(hashes_of([text.encode("utf-8", "surrogatepass")])[0])


def hashes_of(spelled: Sequence[bytes]) -> Array:
    digests = b"".join([blake2b(text, digest_size=8).digest() for text in spelled])
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _map_array(path: Path) -> Array:
    """A plain array over the mapping: `np.memmap` costs four times as much a slice."""
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"{path.name}: array format {version}")
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        start = file.tell()
        if not shape[0]:
            return np.zeros(0, dtype)
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(mapped, dtype=dtype, count=shape[0], offset=start)


def _map_bytes(path: Path) -> bytes | mmap.mmap:
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
