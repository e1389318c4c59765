"""What lies in a collection's folder now, without opening anything.

Holds: the walk, include and exclude globs, names as they are cited, shards, override files beside their sources.
Add here: another rule about names.
Never here: what lies anywhere but in a folder (origins.py), hashing or copying (raw.py), deciding what is due.
"""

import os
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from fsspec.utils import glob_translate

from rag_assets.errors import InputError
from rag_assets.ingest.origins import LOOK_AGAIN_S, Found, Origin, origin_of
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
    """`overrides`: name of the source → path of its override file. `missing`: there is no such folder.

    `origin`: what opens the paths, where they are not those of a folder.
    """

    root: str
    files: tuple[ListedFile, ...] = ()
    overrides: dict[str, str]
    missing: bool = False
    origin: Origin | None = None


def list_collection(project: Project, collection: Collection) -> Listing:
    """All files of the collection, sorted by name.

    Raises InputError where the folder, or one below it, cannot be listed: what is there is then unknown.
    """
    url = project.documents_url(collection)
    origin = origin_of(url)
    if origin is not None:
        return _listing_of(collection, url, origin)
    root = Path(url.rpartition("://")[2])
    if not root.is_dir():
        return Listing(root=str(root), overrides={}, missing=True)
    wanted = _wanted(collection)
    found: list[ListedFile] = []
    overrides: dict[str, str] = {}
    for entry, relative in _walk(str(root), "", wanted.excluded):
        if relative.endswith(OVERRIDE_SUFFIX):
            overrides[cited(relative.removesuffix(OVERRIDE_SUFFIX))] = entry.path
        elif wanted(relative):
            found.append(_listed(entry, relative))
    return Listing(root=str(root), files=_without_twins(found), overrides=overrides)


def _listing_of(collection: Collection, url: str, origin: Origin) -> Listing:
    """Of what is no folder; looked at again after some seconds only, as it may be far away."""
    wanted = _wanted(collection)
    found: list[ListedFile] = []
    overrides: dict[str, str] = {}
    for one in _looked_at(url, origin):
        if one.relative.endswith(OVERRIDE_SUFFIX):
            overrides[cited(one.relative.removesuffix(OVERRIDE_SUFFIX))] = one.path
        elif wanted(one.relative):
            fault = one.fault or _fault_of(one.relative, cited(one.relative))
            found.append(ListedFile(cited(one.relative), one.path, one.size, one.modified, fault))
    return Listing(root=url, files=_without_twins(found), overrides=overrides, origin=origin)


_LOOKED_AT: dict[str, tuple[float, tuple[Found, ...]]] = {}


def _looked_at(url: str, origin: Origin) -> tuple[Found, ...]:
    at, found = _LOOKED_AT.get(url, (0.0, ()))
    if "://" not in url or time.monotonic() - at > LOOK_AGAIN_S or not at:
        found = tuple(origin.found())
        _LOOKED_AT[url] = (time.monotonic(), found)
    return found


class _Wanted(NamedTuple):
    included: "_Match"
    excluded: "_Match"

    def __call__(self, relative: str) -> bool:
        return self.included(relative) and not self.excluded(relative)


def _wanted(collection: Collection) -> _Wanted:
    included = EVERYTHING if collection.include == ("**/*",) else _matcher(collection.include)
    return _Wanted(included, _matcher((*DEFAULT_EXCLUDES, *collection.exclude)))


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
    return ListedFile(name, entry.path, size, modified, _fault_of(relative, name))


def _fault_of(relative: str, name: str) -> str | None:
    if name == relative or name == unicodedata.normalize("NFC", relative):
        return None
    return f"{name}: control characters or bytes that are no UTF-8 in the name: rename the file"


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


EVERYTHING = _Match(re.compile(""))


@lru_cache(maxsize=256)
def _matcher(globs: Iterable[str]) -> _Match:
    return _Match(re.compile("|".join(f"(?:{glob_translate(glob)})" for glob in globs) or r"(?!)"))
