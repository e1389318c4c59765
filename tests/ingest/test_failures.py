"""Trouble with the disk: the published release keeps serving, the run says what is wrong, the next one recovers."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets.errors import StateError
from tests.ingest.conftest import Site

DISK_KB = 1500


@pytest.fixture
def small_disk(site: Site) -> Iterator[Path]:
    """The state lies on a disk of its own, with room for the two small documents and no more."""
    folder = site.root / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_KB}k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("a disk can only be mounted by root")
    path = site.root / "sources.yaml"
    path.write_text(f"state: ./disk/state\n{path.read_text()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def served(site: Site) -> str:
    return " ".join(chunk.text for chunk in site.corpus().chunks())


def digits(kilobytes: int) -> str:
    """Text that no compression makes small."""
    chance = random.Random(kilobytes)
    return "".join(f"{chance.getrandbits(400):x}\n" for _ in range(kilobytes * 10))


def test_a_full_disk_fails_the_run_and_quarantines_nothing(site: Site, small_disk: Path) -> None:
    site.ingest()
    before = served(site)
    site.write("docs/large.txt", digits(3000))
    with pytest.raises(StateError, match=r"the state cannot be written: No space left on device"):
        site.ingest()
    assert served(site) == before
    (site.root / "docs" / "large.txt").unlink()
    assert site.ingest() is None
    assert not site.due(check="hash").anything


@pytest.mark.parametrize("free_kb", [20, 150, 400, 500, 600, 700, 800])
def test_a_disk_that_fills_in_any_stage_leaves_what_is_published(site: Site, small_disk: Path, free_kb: int) -> None:
    site.ingest()
    before = served(site)
    site.write("docs/large.txt", digits(150))
    filler = small_disk / "filler"
    filler.write_bytes(b"0" * (shutil.disk_usage(small_disk).free - free_kb * 1024))
    with pytest.raises(StateError, match="the state cannot be written: "):
        site.ingest()
    assert served(site) == before
    filler.unlink()
    site.ingest()
    assert served(site) != before
    assert not site.due(check="hash").anything


def test_a_state_that_can_only_be_read_serves_on(site: Site, small_disk: Path) -> None:
    site.ingest()
    before = served(site)
    site.write("docs/note.txt", "A new note.")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StateError, match="the state cannot be written: Read-only file system"):
        site.ingest()
    assert served(site) == before
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    site.ingest()
    assert "A new note." in served(site)
