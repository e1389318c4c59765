"""A state in object storage: the same names as in a folder, with a local cache of what is read.

Holds: `ObjectPlace`: conditional creation where renaming is missing, segments whose manifest is uploaded last.
Add here: another protocol whose `pipe_file` can create a file only where there is none.
Never here: what a file means; credentials (the environment has them).

What never changes (source bytes, segments) is cached; pointers, heads and manifests are read where they lie. A segment
is there once its manifest is: that goes last, and is removed first. Memos stay on this machine: they only save work.
"""

import os
import shutil
import uuid
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from rag_assets.errors import StateError
from rag_assets.store.layout import CONTENT, MEMOS, SEGMENT_FILE, SEGMENTS
from rag_assets.store.place import TEMPORARY, Change, LocalPlace, Placed

PROTOCOLS = {"s3": "s3fs"}
CACHE_VARIABLE = "RAG_ASSETS_CACHE"
AT_ONCE = 16
UPDATE_TRIES = 50
TAKEN = {"PreconditionFailed", "ConditionalRequestConflict"}


@lru_cache(maxsize=16)
def object_place(url: str) -> "ObjectPlace":
    """Raises StateError where the library for the protocol is not installed."""
    protocol, _, rest = url.partition("://")
    try:
        import_module(PROTOCOLS[protocol])
    except ModuleNotFoundError:
        raise StateError(f"{url}: {protocol}:// needs a library: pip install 'rag-assets[{protocol}]'") from None
    import fsspec

    files = fsspec.filesystem(protocol, use_listings_cache=False, skip_instance_cache=True)
    return ObjectPlace(url, files, rest.rstrip("/"))


def fetched(origin: str, path: Path) -> Path:
    """The cached file of an object place, fetched where it is not there yet."""
    place = object_place(origin)
    return path if path.exists() else place.fetch(path.relative_to(place.root).as_posix())


class ObjectPlace(LocalPlace):
    """`root` is the cache: `RAG_ASSETS_CACHE`, or a folder of the user's cache that is named after the URL."""

    def __init__(self, url: str, files: Any, prefix: str) -> None:
        named = sha256(url.encode()).hexdigest()[:16]
        above = os.environ.get(CACHE_VARIABLE) or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        super().__init__(Path(above) / "rag-assets" / named)
        self.url = url
        self._files = files
        self._prefix = prefix

    def shown(self, name: str) -> str:
        return f"{self.url.rstrip('/')}/{name}"

    def read(self, name: str) -> bytes | None:
        if _stays_here(name):
            return super().read(name)
        if _never_changes(name) and self.path(name).is_file():
            return super().read(name)
        with self._reaching(name):
            try:
                content = self._files.cat_file(self._at(name))
            except FileNotFoundError:
                return None
        if _never_changes(name):
            super().write(name, content)
        return content

    def write(self, name: str, content: bytes) -> None:
        if _stays_here(name):
            super().write(name, content)
            return
        with self._reaching(name):
            self._files.pipe_file(self._at(name), content)

    def create(self, name: str, content: bytes) -> bool:
        with self._reaching(name):
            return self._put_if(name, content, None)

    def update(self, name: str, change: Change) -> None:
        """No lock holds other machines: what was changed meanwhile is read again."""
        for _ in range(UPDATE_TRIES):
            with self._reaching(name):
                tag = self._tag(name)
                wanted = change(self._files.cat_file(self._at(name)) if tag else None)
                if wanted is None or self._put_if(name, wanted, tag):
                    return
        raise StateError(f"{self.shown(name)}: was changed by others {UPDATE_TRIES} times in a row: try again")

    def _tag(self, name: str) -> str | None:
        try:
            return str(self._files.info(self._at(name))["ETag"])
        except FileNotFoundError:
            return None

    def _put_if(self, name: str, content: bytes, tag: str | None) -> bool:
        """Write where the file still has this tag, or is not there (None); False where somebody was faster."""
        how = {"mode": "create"} if tag is None else {"IfMatch": tag}
        try:
            self._files.pipe_file(self._at(name), content, **how)
        except FileExistsError:
            return False
        except OSError as error:
            if _code_of(error) in TAKEN:
                return False
            raise
        return True

    def exists(self, name: str) -> bool:
        if _never_changes(name) and self.path(name).exists():
            return True
        with self._reaching(name):
            return bool(self._files.exists(self._at(name)))

    def adopt(self, path: Path, name: str) -> None:
        if not self.exists(name):
            super().adopt(path, name)
            self._upload(self.path(name), name)

    def move_in(self, paths: Mapping[str, Path]) -> None:
        with ThreadPoolExecutor(AT_ONCE) as threads:
            list(threads.map(self._upload, paths.values(), paths))
        for name, path in paths.items():
            path.replace(self.path(name))

    def move_folder(self, folder: Path, name: str) -> bool:
        """Uploaded before it is in the cache, its manifest last; files without a manifest are nobody's."""
        if self.exists(f"{name}/{SEGMENT_FILE}"):
            shutil.rmtree(folder, ignore_errors=True)
            return False
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        files.sort(key=lambda path: path.name == SEGMENT_FILE)
        for path in files:
            self._upload(path, f"{name}/{path.relative_to(folder).as_posix()}")
        if self.path(name).is_dir():
            shutil.rmtree(self.path(name))
        return super().move_folder(folder, name)

    def remove(self, name: str) -> None:
        if self.path(name).exists():
            super().remove(name)
        if _stays_here(name):
            return
        with self._reaching(name), suppress(FileNotFoundError):
            manifest = self._at(f"{name}/{SEGMENT_FILE}")
            if name.startswith(SEGMENTS) and self._files.exists(manifest):
                self._files.rm_file(manifest)
            self._files.rm(self._at(name), recursive=True)

    def names(self, folder: str) -> tuple[str, ...]:
        if _stays_here(folder):
            return super().names(folder)
        with self._reaching(folder):
            try:
                found = self._files.ls(self._at(folder), detail=False)
            except FileNotFoundError:
                return ()
        return tuple(sorted(name.rstrip("/").rsplit("/", 1)[-1] for name in found))

    def walk(self, folder: str) -> Iterator[Placed]:
        if _stays_here(folder):
            yield from super().walk(folder)
            return
        with self._reaching(folder):
            found = self._files.find(self._at(folder), detail=True)
        for key, facts in sorted(found.items()):
            yield Placed(key.removeprefix(f"{self._prefix}/"), facts["LastModified"].timestamp(), facts["size"])

    def fetch(self, name: str) -> Path:
        """Into the cache, at once. Raises StateError where it cannot be had."""
        target = self.path(name)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.parent / f"{TEMPORARY}{uuid.uuid4().hex}"
            with self._reaching(name):
                self._files.get_file(self._at(name), str(temporary))
            temporary.replace(target)
        return target

    def _upload(self, path: Path, name: str) -> None:
        with self._reaching(name):
            self._files.put_file(str(path), self._at(name))

    def _at(self, name: str) -> str:
        return f"{self._prefix}/{name}"

    @contextmanager
    def _reaching(self, name: str) -> Generator[None]:
        """What the library raises, in one sentence; it has errors that are no OSError."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except FileNotFoundError:
            raise StateError(f"{self.shown(name)}: is not there") from None
        except (OSError, BotoCoreError, ClientError) as error:
            if isinstance(error, StateError):
                raise
            raise StateError(f"{self.shown(name)}: the state cannot be reached: {error}") from error


def _never_changes(name: str) -> bool:
    return name.startswith((f"{CONTENT}/", f"{SEGMENTS}/"))


def _stays_here(name: str) -> bool:
    return name == MEMOS or name.startswith(f"{MEMOS}/")


def _code_of(error: BaseException) -> str:
    """What the service said, of the error or of the one it was made from."""
    for one in (error, error.__cause__, error.__context__):
        answer = getattr(one, "response", None)
        if isinstance(answer, dict):
            return str(answer.get("Error", {}).get("Code", ""))
    return ""
