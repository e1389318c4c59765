"""The bytes of the sources, by their sha256, written once.

Holds: putting bytes in and finding them.
Add here: another thing kept by its hash.
Never here: how bytes are taken from a source (readers/snapshot.py).
"""

from hashlib import sha256
from pathlib import Path

from rag_assets.errors import StateError
from rag_assets.store.layout import content_name
from rag_assets.store.place import LocalPlace


def put_content(place: LocalPlace, path: Path, digest: str) -> Path:
    """Keep the bytes of `path`; the caller has hashed them. Bytes that are there already are not written again."""
    place.adopt(path, content_name(digest))
    return place.path(content_name(digest))


def put_bytes(place: LocalPlace, content: bytes) -> str:
    digest = sha256(content).hexdigest()
    if not place.path(content_name(digest)).exists():
        place.write(content_name(digest), content)
    return digest


def content_path(place: LocalPlace, digest: str) -> Path:
    """Where the bytes lie. Raises StateError where they are gone."""
    path = place.path(content_name(digest))
    if not path.is_file():
        raise StateError(f"{path}: the bytes of this source are gone: run `rag-assets ingest --rebuild`")
    return path
