"""The bytes of the sources, by their sha256, written once.

Holds: putting bytes in and finding them.
Add here: another thing kept by its hash.
Never here: how bytes are taken from a source (readers/snapshot.py).
"""

import shutil
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from rag_assets.errors import StateError
from rag_assets.store.layout import content_name
from rag_assets.store.place import LocalPlace


def put_content(place: LocalPlace, path: Path, digest: str) -> Path:
    """Keep the bytes of `path`; the caller has hashed them. Bytes that are there already are not written again."""
    place.adopt(path, content_name(digest))
    return place.path(content_name(digest))


def put_bytes(place: LocalPlace, content: bytes) -> str:
    digest = sha256(content).hexdigest()
    if not place.exists(content_name(digest)):
        place.write(content_name(digest), content)
    return digest


def content_path(place: LocalPlace, digest: str) -> Path:
    """Where the bytes lie. Raises StateError where they are gone."""
    name = content_name(digest)
    path = place.fetch(name) if place.exists(name) else place.path(name)
    if not path.is_file():
        raise StateError(f"{path}: the bytes of this source are gone: run `rag-assets ingest --rebuild`")
    return path


class Incoming:
    """Many files on their way in; they become visible together, after all of them are safely on disk.

    1,000 small files take 2 s to sync one after the other and a fraction of it at once.
    Copies are made in `folder` and given to `add`.
    """

    def __init__(self, place: LocalPlace) -> None:
        self._place = place
        self._paths: dict[str, Path] = {}
        self._folder: Path | None = None

    @property
    def folder(self) -> Path:
        if self._folder is None:
            self._folder = self._place.new_folder(content_name("incoming"))
        return self._folder

    def add(self, path: Path, digest: str) -> None:
        """Take over a copy made in `folder`; a second copy of the same bytes is dropped."""
        if digest in self._paths or self._place.exists(content_name(digest)):
            path.unlink()
        else:
            self._paths[digest] = path

    def open(self, digest: str) -> BinaryIO:
        return (self._paths.get(digest) or self._place.fetch(content_name(digest))).open("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._paths:
            self._place.move_in({content_name(digest): path for digest, path in self._paths.items()})
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
