"""Where the state lies: names to bytes, written so that nothing is ever half-visible.

Holds: `LocalPlace`: every write is a temporary file, fsync, then rename; exclusive creation; folders moved whole.
Add here: another kind of place (object storage: conditional creation instead of rename, a local cache of what is read).
Never here: what a file means.
"""

import os
import shutil
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rag_assets.errors import StateError

if os.name == "posix":
    import fcntl

TEMPORARY = ".tmp-"


def place_of(url: str) -> "LocalPlace":
    """The place a state URL names. Raises StateError for a protocol that no place serves."""
    protocol, _, rest = url.rpartition("://")
    if protocol in {"", "file", "local"}:
        return LocalPlace(Path(rest))
    raise StateError(f"{url}: the state cannot lie in {protocol}:// yet: use a folder")


class Stamp(NamedTuple):
    inode: int
    size: int
    modified_ns: int


class LocalPlace:
    """A folder, made at the first write."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, name: str) -> Path:
        return self.root / name

    def read(self, name: str) -> bytes | None:
        """Bytes of a file, None where there is none."""
        try:
            return self.path(name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StateError(f"{self.path(name)}: cannot be read: {error.strerror}") from None

    def stamp(self, name: str) -> Stamp | None:
        """Differs whenever a file was replaced; None where there is none."""
        try:
            found = self.path(name).stat()
        except OSError:
            return None
        return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)

    def write(self, name: str, content: bytes) -> None:
        """Replace a file at once."""
        with self._writing(name):
            temporary = self._temporary(name, content)
            temporary.replace(self.path(name))
            sync_folder(temporary.parent)

    def create(self, name: str, content: bytes) -> bool:
        """Make a file that must not exist yet; False where somebody else was first."""
        with self._writing(name):
            temporary = self._temporary(name, content)
            try:
                os.link(temporary, self.path(name))
            except FileExistsError:
                return False
            finally:
                temporary.unlink()
            sync_folder(temporary.parent)
            return True

    def adopt(self, path: Path, name: str) -> None:
        """Copy a file in, unless the name is taken: the same name has the same content."""
        if self.path(name).exists():
            return
        with self._writing(name):
            target = self.path(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.parent / f"{TEMPORARY}{uuid.uuid4().hex}"
            shutil.copyfile(path, temporary)
            sync_file(temporary)
            temporary.replace(target)
            sync_folder(target.parent)

    def new_folder(self, name: str) -> Path:
        """A private folder beside `name`, to be moved there by `move_folder`."""
        with self._writing(name):
            target = self.path(name)
            folder = target.parent / f"{TEMPORARY}{os.getpid()}-{uuid.uuid4().hex[:12]}"
            folder.mkdir(parents=True)
            return folder

    def move_folder(self, folder: Path, name: str) -> bool:
        """Make a private folder visible under its name; False where the name is taken (the folder is then removed)."""
        with self._writing(name):
            for file in sorted(folder.rglob("*")):
                sync_folder(file) if file.is_dir() else sync_file(file)
            sync_folder(folder)
            try:
                folder.rename(self.path(name))
            except OSError:
                if not self.path(name).is_dir():
                    raise
                shutil.rmtree(folder, ignore_errors=True)
                return False
            sync_folder(folder.parent)
            return True

    def remove(self, name: str) -> None:
        """Take a file or folder away; a folder disappears at once, then its files."""
        path = self.path(name)
        with self._writing(name):
            if path.is_dir():
                leaving = path.parent / f"{TEMPORARY}{uuid.uuid4().hex}"
                path.rename(leaving)
                shutil.rmtree(leaving, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def names(self, folder: str) -> tuple[str, ...]:
        """Names directly in a folder, sorted, without temporary ones."""
        try:
            with os.scandir(self.path(folder)) as entries:
                return tuple(sorted(e.name for e in entries if not e.name.startswith(TEMPORARY)))
        except (FileNotFoundError, NotADirectoryError):
            return ()

    @contextmanager
    def locked(self, name: str) -> Generator[None]:
        """One process at a time; the lock ends with the process that holds it."""
        with self._writing(name):
            path = self.path(f"{name}.lock")
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("ab")
        with file:
            if os.name == "posix":
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _temporary(self, name: str, content: bytes) -> Path:
        target = self.path(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f"{TEMPORARY}{uuid.uuid4().hex}"
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return temporary

    @contextmanager
    def _writing(self, name: str) -> Generator[None]:
        try:
            yield
        except StateError:
            raise
        except OSError as error:
            raise StateError(f"{self.path(name)}: the state cannot be written: {error.strerror or error}") from error


def sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    if os.name == "posix":
        sync_file(path)
