import os
from hashlib import sha256
from pathlib import Path

import pytest

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.snapshot import take_snapshot


def _reason(path: Path, root: Path, limits: ReadLimits | None = None) -> Reason:
    with pytest.raises(Quarantine) as caught:
        take_snapshot(path, root, limits, root.parent)
    return caught.value.reason


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "deep").mkdir(parents=True)
    (tmp_path / "root" / "deep" / "a.txt").write_bytes(b"hello")
    return tmp_path / "root"


def test_a_snapshot_is_a_copy_with_its_hash(root: Path, tmp_path: Path) -> None:
    snapshot = take_snapshot(root / "deep" / "a.txt", root, folder=tmp_path)
    (root / "deep" / "a.txt").write_bytes(b"changed since")
    assert snapshot.bytes_path.read_bytes() == b"hello"
    assert (snapshot.sha256, snapshot.size) == (sha256(b"hello").hexdigest(), 5)


def test_an_empty_file(root: Path) -> None:
    (root / "empty.txt").touch()
    assert _reason(root / "empty.txt", root) is Reason.EMPTY_FILE


def test_a_large_file(root: Path) -> None:
    (root / "large.txt").write_bytes(b"x" * ((1 << 20) + 1))
    assert _reason(root / "large.txt", root, ReadLimits(file_mb=1)) is Reason.TOO_LARGE


def test_a_link_and_a_folder_that_is_a_link(root: Path) -> None:
    (root / "link.txt").symlink_to("/etc/hostname")
    (root / "folder").symlink_to(root / "deep")
    assert _reason(root / "link.txt", root) is Reason.SYMLINK
    assert _reason(root / "folder" / "a.txt", root) is Reason.SYMLINK


def test_a_pipe_is_refused_without_waiting_for_it(root: Path) -> None:
    os.mkfifo(root / "pipe.txt")
    assert _reason(root / "pipe.txt", root) is Reason.NOT_REGULAR


def test_a_path_that_leaves_the_root(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("x")
    assert _reason(root / ".." / "outside.txt", root) is Reason.OUTSIDE_ROOT


def test_names_that_cannot_be_printed(root: Path) -> None:
    assert _reason(root / "a\nb.txt", root) is Reason.BAD_NAME
    assert _reason(root / os.fsdecode(b"\xff.txt"), root) is Reason.BAD_NAME


def test_a_file_that_is_gone(root: Path) -> None:
    assert _reason(root / "gone.txt", root) is Reason.UNREADABLE


def test_refusals_leave_nothing_behind(root: Path, tmp_path: Path) -> None:
    (root / "empty.txt").touch()
    _reason(root / "empty.txt", root)
    assert [p.name for p in tmp_path.iterdir()] == ["root"]
