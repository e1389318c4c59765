"""The files of one index segment: a header, and one file of arrays and blobs.

Holds: names and shapes of what is in them, writing them, opening them, their logical hash.
Add here: another array every segment has.
Never here: what the arrays mean for a score (postings.py), how they are made (index.py).
"""

import json
import mmap
import os
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rag_assets.errors import CorruptSegment, StateError

INDEX_VERSION = "2"
FORMAT = 2
HEADER_FILE = "index.json"
ARRAYS_FILE = "index.bin"
MARK = b"rag_assets index\n"
ALIGNED_BYTES = 64
HASHES = frozenset({"ids", "tables", "text_hashes", "term_hashes"})
Array = npt.NDArray[Any]

KINDS = ("prose", "table", "table_rows", "record", "summary")


class SegmentArrays(NamedTuple):
    """Chunks stand in order of source, place, id; terms in order of their hash; postings by term, then chunk.

    By chunk: `ids`, `kinds`, `parents` (-1: none), `tables` (0: none), `ranked`, `lengths` (weighted terms), `words`,
    `text_hashes`. By term: `term_hashes`, `posting_starts`. By posting: `docs`, `frequencies`. Offsets into the
    blobs: `text_starts`, `fact_starts`, `term_starts`. Whole numbers are stored in the narrowest type that holds them.
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
    """UTF-8 of all terms, texts and facts, one after the other; facts are JSON."""

    terms: bytes
    texts: bytes
    facts: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentHeader:
    format: int
    version: str
    language: str
    multiplier: int
    times: dict[str, int]
    records: bool


class Stretch(NamedTuple):
    """Where an array or a blob lies in its file: offset and length in bytes, and the type of its numbers."""

    offset: int
    length: int
    dtype: str


class SegmentFiles:
    """An open segment. Arrays and terms are mapped; texts and facts are read one at a time.

    It takes two file descriptors. A mapped text would keep 64 KB in memory for each passage shown.
    """

    def __init__(self, header: SegmentHeader, path: Path, stretches: dict[str, Stretch]) -> None:
        self.header = header
        self._stretches = stretches
        self._descriptor = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self._descriptor)
        mapped = mmap.mmap(self._descriptor, stretches["texts"].offset, access=mmap.ACCESS_READ)
        self.arrays = SegmentArrays(*(_mapped(mapped, stretches[name]) for name in SegmentArrays._fields))
        terms = stretches["terms"]
        self._terms = memoryview(mapped)[terms.offset : terms.offset + terms.length]

    def term(self, number: int) -> bytes:
        first, end = self.arrays.term_starts[number : number + 2].tolist()
        return bytes(self._terms[first:end])

    def vocabulary(self) -> list[bytes]:
        spelled = bytes(self._terms)
        return [spelled[first:end] for first, end in pairwise(self.arrays.term_starts.tolist())]

    def text(self, chunk: int) -> str:
        return self._read("texts", self.arrays.text_starts, chunk).decode("utf-8", "surrogatepass")

    def facts(self, chunk: int) -> Any:
        return json.loads(self._read("facts", self.arrays.fact_starts, chunk).decode("utf-8", "surrogatepass"))

    def _read(self, blob: str, starts: Array, chunk: int) -> bytes:
        first, end = starts[chunk : chunk + 2].tolist()
        return os.pread(self._descriptor, end - first, self._stretches[blob].offset + first)


def write_segment(target: Path, header: SegmentHeader, arrays: SegmentArrays, blobs: SegmentBlobs) -> None:
    target.mkdir(parents=True, exist_ok=True)
    parts = [(name, _stored_form(name, array)) for name, array in zip(SegmentArrays._fields, arrays, strict=True)]
    parts += [(name, np.frombuffer(blob, np.uint8)) for name, blob in zip(SegmentBlobs._fields, blobs, strict=True)]
    stretches: dict[str, Stretch] = {}
    with (target / ARRAYS_FILE).open("wb") as file:
        file.write(MARK)
        for name, array in parts:
            file.write(bytes(-file.tell() % ALIGNED_BYTES))
            stretches[name] = Stretch(file.tell(), array.nbytes, array.dtype.str)
            file.write(array.data)
    written = {f: getattr(header, f) for f in SegmentHeader.__slots__} | {"stretches": stretches}
    (target / HEADER_FILE).write_text(json.dumps(written, sort_keys=True) + "\n", encoding="utf-8")


def open_segment(path: Path) -> SegmentFiles:
    """Maps the arrays; reads nothing but the header.

    Raises StateError where the index is of another format than this program's, CorruptSegment where it is none.
    """
    try:
        header = json.loads((path / HEADER_FILE).read_text(encoding="utf-8"))
        _check_format(path, header["format"])
        stretches = {name: Stretch(*found) for name, found in header.pop("stretches").items()}
        return SegmentFiles(SegmentHeader(**header), path / ARRAYS_FILE, stretches)
    except (OSError, ValueError, TypeError, KeyError) as error:
        if isinstance(error, StateError):
            raise
        raise CorruptSegment(f"{path}: not an index segment: {error}") from None


def is_current(path: Path) -> bool:
    """Whether a segment of this program's format lies here."""
    try:
        return json.loads((path / HEADER_FILE).read_text(encoding="utf-8"))["format"] == FORMAT
    except (OSError, ValueError, TypeError, KeyError):
        return False


def logical_hash(path: Path) -> str:
    """Equal for equal content, however the segment came about: the files are written in one order only."""
    digest = sha256()
    for name in sorted(p.name for p in path.iterdir() if p.is_file()):
        digest.update(f"{name}\x1e".encode())
        digest.update(sha256((path / name).read_bytes()).digest())
    return digest.hexdigest()


def hash_text(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def hashes_of(spelled: Sequence[bytes]) -> Array:
    digests = b"".join([blake2b(text, digest_size=8).digest() for text in spelled])
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _check_format(path: Path, found: int) -> None:
    if found > FORMAT:
        raise StateError(f"{path}: index format {found} is newer than {FORMAT}: update rag_assets")
    if found < FORMAT:
        raise StateError(f"{path}: index format {found} is older than {FORMAT}: run `rag-assets ingest`")


def _stored_form(name: str, array: Array) -> Array:
    """Counts and places in the narrowest type, which is the same for the same numbers; hashes need all their bits."""
    if name in HASHES or array.dtype.kind not in "iu" or not len(array):
        return array.astype(array.dtype.newbyteorder("<"))
    narrowest = np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max()))
    return array.astype(narrowest.newbyteorder("<"))


def _mapped(mapped: mmap.mmap, stretch: Stretch) -> Array:
    """A plain array over the mapping: `np.memmap` costs four times as much a slice."""
    dtype = np.dtype(stretch.dtype)
    return np.frombuffer(mapped, dtype=dtype, count=stretch.length // dtype.itemsize, offset=stretch.offset)
