"""A stable private copy of a source: what is parsed is what was hashed.

Holds: the checks made on a path before anything is opened, and the copy.
Add here: another way a file on disk can be something else than a document.
Never here: looking at the content (formats.py), keeping the copy for good (store/).
"""

import os
import stat
import tempfile
import time
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO, NamedTuple

from rag_assets.errors import Quarantine, StateError
from rag_assets.model.document import Reason
from rag_assets.readers.limits import ReadLimits

COPY_TRIES = 3
RETRY_S = 0.05
PIECE_BYTES = 1 << 20
REFUSED_CATEGORIES = frozenset({"Cc", "Cs"})


class Snapshot(NamedTuple):
    """`bytes_path` belongs to the caller, who moves or deletes it. `modified` is the source's time in seconds."""

    bytes_path: Path
    sha256: str
    size: int
    modified: float


def take_snapshot(path: Path, root: Path, limits: ReadLimits | None = None, folder: Path | None = None) -> Snapshot:
    """Copy the source below `root` into `folder` (default: the temporary one) and hash the copy as it is made.

    Raises Quarantine: bad_name, outside_root, symlink, not_regular, empty_file, too_large, unreadable, still_changing.
    """
    check_name(path.name)
    _check_inside(path, root)
    try:
        for _ in range(COPY_TRIES):
            copy = _copied(path, limits or ReadLimits(), folder)
            if copy is not None:
                return copy
            time.sleep(RETRY_S)
    except StateError:
        raise
    except OSError as error:
        raise Quarantine(Reason.UNREADABLE, f"{path.name}: cannot be read: {error.strerror or error}") from None
    raise Quarantine(Reason.STILL_CHANGING, f"{path.name}: changed {COPY_TRIES} times while it was copied: try again")


def take_stream(opened: Callable[[], BinaryIO], name: str, limits: ReadLimits, folder: Path | None = None) -> Snapshot:
    """The same of bytes that come from elsewhere; what `opened` raises makes it unreadable."""
    with _copying(folder):
        target, copy = tempfile.mkstemp(prefix="snapshot-", dir=folder)
    kept = False
    try:
        with opened() as source:
            digest, size = _copy_bytes(lambda: source.read(PIECE_BYTES), target, limits, folder)
        kept = size > 0
    except StateError:
        raise
    except (OSError, EOFError, HTTPException, zlib.error, zipfile.BadZipFile) as error:
        raise Quarantine(Reason.UNREADABLE, f"{name}: cannot be read: {error}") from None
    finally:
        os.close(target)
        if not kept:
            Path(copy).unlink()
    if not kept:
        raise Quarantine(Reason.EMPTY_FILE, f"{name}: holds no bytes")
    return Snapshot(Path(copy), digest, size, 0)


def check_name(name: str) -> None:
    """Refuse control characters and bytes that are not UTF-8: such a name can be neither cited nor printed."""
    bad = next((c for c in name if unicodedata.category(c) in REFUSED_CATEGORIES), None)
    if bad is not None:
        raise Quarantine(Reason.BAD_NAME, f"{name!a}: {bad!a} in a file name: rename the file")


def _check_inside(path: Path, root: Path) -> None:
    top = Path(os.path.abspath(root))  # noqa: PTH100 resolve() would follow the links looked for
    absolute = Path(os.path.abspath(path))  # noqa: PTH100
    if not absolute.is_relative_to(top):
        raise Quarantine(Reason.OUTSIDE_ROOT, f"{path.name}: is not below {root.name}")
    place = top
    for part in absolute.relative_to(top).parts:
        place = place / part
        if place.is_symlink():
            raise Quarantine(Reason.SYMLINK, f"{path.name}: {part} is a symbolic link: put the file itself there")


def _copied(path: Path, limits: ReadLimits, folder: Path | None) -> Snapshot | None:
    """The copy, or None where the source changed meanwhile."""
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise Quarantine(Reason.NOT_REGULAR, f"{path.name}: is no regular file")
    if found.st_size > limits.file_bytes:
        raise Quarantine(Reason.TOO_LARGE, f"{path.name}: {found.st_size:,} bytes, the limit is {limits.file_mb} MB")
    source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    kept, target, copy = False, -1, ""
    try:
        with _copying(folder):
            target, copy = tempfile.mkstemp(prefix="snapshot-", dir=folder)
        before = os.fstat(source)
        digest, size = _copy_bytes(lambda: os.read(source, PIECE_BYTES), target, limits, folder)
        after = os.fstat(source)
        kept = _same(found, before) and _same(before, after) and size == after.st_size
    finally:
        os.close(source)
        if target >= 0:
            os.close(target)
            if not kept:
                Path(copy).unlink()
    if not kept:
        return None
    if size == 0:
        Path(copy).unlink()
        raise Quarantine(Reason.EMPTY_FILE, f"{path.name}: holds no bytes")
    return Snapshot(Path(copy), digest, size, found.st_mtime)


@contextmanager
def _copying(folder: Path | None) -> Generator[None]:
    """A copy that cannot be written is no fault of the document's: a full disk must not quarantine it."""
    try:
        yield
    except OSError as error:
        raise StateError(f"{folder}: the state cannot be written: {error.strerror or error}") from error


def _copy_bytes(read: Callable[[], bytes], target: int, limits: ReadLimits, folder: Path | None) -> tuple[str, int]:
    digest = sha256()
    size = 0
    while piece := read():
        size += len(piece)
        if size > limits.file_bytes:
            raise Quarantine(Reason.TOO_LARGE, f"grew over the limit of {limits.file_mb} MB")
        digest.update(piece)
        view = memoryview(piece)
        with _copying(folder):
            while view:
                view = view[os.write(target, view) :]
    return digest.hexdigest(), size


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns) == (
        other.st_dev,
        other.st_ino,
        other.st_size,
        other.st_mtime_ns,
    )
