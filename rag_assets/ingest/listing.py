"""What lies in a collection's folder now, without opening anything.

Holds: the walk, include and exclude globs, names as they are cited, shards, override files beside their sources.
Add here: another kind of root (object storage, a list of URLs).
Never here: hashing or copying (raw.py), deciding what is due.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from fsspec.utils import glob_translate

from rag_assets.errors import InputError
from rag_assets.settings import DEFAULT_EXCLUDES, Collection, Project

OVERRIDE_SUFFIX = ".tables.yaml"


class ListedFile(NamedTuple):
    """`name`: the path as it is cited (NFC, `/`); `path`: where it lies; `modified` in nanoseconds.

    `fault` says why the name cannot be used; such a file is listed, never read.
    """

    name: str
    path: str
    size: int
    modified: int
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """`overrides`: name of the source → path of its override file. `missing`: there is no such folder."""

    root: Path
    files: tuple[ListedFile, ...] = ()
    overrides: dict[str, str]
    missing: bool = False


def list_collection(project: Project, collection: Collection) -> Listing:
    """All files of the collection, sorted by name.

    Raises InputError where the folder, or one below it, cannot be listed: what is there is then unknown.
    """
    root = _local_root(project.documents_url(collection))
    if not root.is_dir():
        return Listing(root=root, overrides={}, missing=True)
    included = _matcher(collection.include)
    excluded = _matcher((*DEFAULT_EXCLUDES, *collection.exclude))
    found: list[ListedFile] = []
    overrides: dict[str, str] = {}
    for entry, relative in _walk(str(root), "", excluded):
        if relative.endswith(OVERRIDE_SUFFIX):
            overrides[cited(relative.removesuffix(OVERRIDE_SUFFIX))] = entry.path
        elif included(relative) and not excluded(relative):
            found.append(_listed(entry, relative))
    return Listing(root=root, files=_without_twins(found), overrides=overrides)


def by_shard(listing: Listing, shards: int) -> dict[int, tuple[ListedFile, ...]]:
    found: dict[int, list[ListedFile]] = {}
    for file in listing.files:
        found.setdefault(shard_of(file.name, shards), []).append(file)
    return {shard: tuple(files) for shard, files in found.items()}


@lru_cache(maxsize=100_000)
def shard_of(name: str, shards: int) -> int:
    """Stable over machines and releases: it depends on the cited name alone."""
    return 0 if shards == 1 else int.from_bytes(sha256(name.encode()).digest()[:8]) % shards


def cited(relative: str) -> str:
    """The name as it is printed and cited: NFC; control characters and bytes that are no UTF-8 are written out."""
    if relative.isascii() and relative.isprintable():
        return relative
    normal = unicodedata.normalize("NFC", relative)
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in {"Cc", "Cs"} else c for c in normal)


def _local_root(url: str) -> Path:
    protocol, _, rest = url.rpartition("://")
    if protocol in {"", "file", "local"}:
        return Path(rest)
    raise InputError(f"{url}: documents cannot be read from {protocol}:// yet: use a folder")


def _walk(folder: str, prefix: str, excluded: "_Match") -> Iterator[tuple[os.DirEntry[str], str]]:
    """Files below the folder; links are never followed, they are listed as they are."""
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda e: e.name)
    except OSError as error:
        raise InputError(f"{folder}: cannot be listed: {error.strerror}: it stays as it is") from None
    for entry in entries:
        relative = f"{prefix}{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            yield entry, relative
        elif not excluded(f"{relative}/\x00"):
            yield from _walk(entry.path, f"{relative}/", excluded)


def _listed(entry: os.DirEntry[str], relative: str) -> ListedFile:
    name = cited(relative)
    try:
        found = entry.stat(follow_symlinks=False)
        size, modified = found.st_size, found.st_mtime_ns
    except OSError:
        size, modified = 0, 0
    fault = None
    if name != relative and name != unicodedata.normalize("NFC", relative):
        fault = f"{name}: control characters or bytes that are no UTF-8 in the name: rename the file"
    return ListedFile(name, entry.path, size, modified, fault)


def _without_twins(files: list[ListedFile]) -> tuple[ListedFile, ...]:
    """Two files whose names differ in their Unicode form only: the second is listed under its escaped name."""
    files.sort(key=lambda f: (f.name, f.path))
    kept: list[ListedFile] = []
    for file in files:
        if kept and kept[-1].name == file.name:
            escaped = file.name.encode("ascii", "backslashreplace").decode() + f"~{len(kept)}"
            file = file._replace(name=escaped, fault=f"{file.name}: two files have this name in two Unicode forms")
        kept.append(file)
    return tuple(kept)


class _Match(NamedTuple):
    pattern: re.Pattern[str]

    def __call__(self, relative: str) -> bool:
        return self.pattern.match(relative) is not None


@lru_cache(maxsize=256)
def _matcher(globs: Iterable[str]) -> _Match:
    return _Match(re.compile("|".join(f"(?:{glob_translate(glob)})" for glob in globs) or r"(?!)"))
