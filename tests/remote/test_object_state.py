"""A state in object storage behaves as one in a folder: whole or not there, claimed once, mended where damaged."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from rag_assets.errors import CorruptSegment, StateError
from rag_assets.ingest.order import STAGES
from rag_assets.ingest.sweep import sweep
from rag_assets.ingest.traces import traces_of
from rag_assets.store import Release, Store, records
from rag_assets.store.object_place import ObjectPlace, object_place
from tests.ingest.conftest import PRICES, Site
from tests.store.test_releases import release_of


def place_of(site: Site) -> ObjectPlace:
    return object_place(site.project.state_url)


def test_a_project_is_ingested_published_and_read_with_its_state_in_a_bucket(site: Site, tmp_path: Path) -> None:
    release = site.ingest()
    assert release is not None
    assert release.number == 1
    shutil.rmtree(tmp_path / "cache")
    assert "14" in " ".join(chunk.text for chunk in site.corpus().chunks())
    assert site.corpus().search("refunds")
    assert not site.due().anything
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    again = site.ingest()
    assert again is not None
    assert (again.number, again.parent, again.changed) == (2, 1, ("docs",))


def test_segments_say_the_same_as_in_a_folder(site: Site, tmp_path: Path) -> None:
    found = {o.stage: o.segment.logical_hash for o in site.run().values()}
    local = Site(tmp_path / "local", site.pool)
    local.root.mkdir()
    local.configure("name: docs, documents: ../project/docs, scope: public")
    assert {o.stage: o.segment.logical_hash for o in local.run().values()} == found


def test_writers_without_a_common_lock_build_on_each_other(bucket: str, tmp_path: Path) -> None:
    def add(key: str) -> None:
        place = object_place.__wrapped__(f"{bucket}/state")
        place.root = tmp_path / "caches" / key  # each on a machine of its own
        store = Store.__new__(Store)
        store.url, store.place = place.url, place

        def build(current: Release | None) -> Release:
            return replace(release_of(*(current.partitions if current else ()), key), number=0)

        store.claim_release(build)

    keys = [f"k{n}" for n in range(8)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, keys))
    current = Store(f"{bucket}/state").current()
    assert current is not None
    assert sorted(current.partitions) == sorted(keys)
    assert current.number == 8


def test_heads_that_two_machines_move_at_once_are_both_moved(bucket: str, tmp_path: Path) -> None:
    def move(stage: str) -> None:
        place = object_place.__wrapped__(f"{bucket}/state")
        place.root = tmp_path / "caches" / stage
        store = Store.__new__(Store)
        store.url, store.place = place.url, place
        store.set_head("docs", stage, f"digest of {stage}")

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(move, STAGES))
    assert set(Store(f"{bucket}/state").heads("docs").stages) == set(STAGES)


def test_a_file_is_created_once(bucket: str) -> None:
    place = object_place(f"{bucket}/state")
    assert place.create("releases/1.json", b"one")
    assert not place.create("releases/1.json", b"two")
    assert place.read("releases/1.json") == b"one"


def test_an_upload_that_was_cut_short_is_no_segment(site: Site) -> None:
    site.ingest()
    place = place_of(site)
    name = f"segments/docs/chunks/{site.store.heads('docs').stages['chunks']}"
    place._files.rm_file(place._at(f"{name}/segment.json"))
    shutil.rmtree(place.path(name))
    assert [p.reasons for p in site.due().collections] == [("chunks: its segment is missing or damaged",)]
    site.run()
    assert not site.due().anything


def test_a_damaged_copy_in_the_cache_is_fetched_anew_and_a_damaged_object_is_built_again(site: Site) -> None:
    site.ingest()
    place = place_of(site)
    segment = site.store.head("docs", "chunks")
    assert segment is not None
    [name] = segment.files
    path = Path(segment.folder) / name
    path.write_bytes(b"x" * path.stat().st_size)
    records._VERIFIED.clear()
    assert segment.path(name).read_bytes() != b"x"
    place._files.pipe_file(place._at(f"segments/docs/chunks/{segment.digest}/{name}"), b"x" * segment.files[name].size)
    path.unlink()
    records._VERIFIED.clear()
    with pytest.raises(CorruptSegment):
        segment.path(name)
    assert site.due(check="hash").damaged == (("docs", "chunks"),)
    site.run()
    assert not site.due(check="hash").anything


def test_a_sweep_removes_what_no_kept_release_names_and_a_text_that_is_gone_leaves_no_trace(site: Site) -> None:
    for price in range(20, 26):
        site.write("docs/prices.csv", PRICES.replace("20", f"77{price}"))
        site.ingest()
    swept = sweep(site.store, 3, grace_s=-1)
    assert (swept.releases, swept.segments, swept.contents) == ((1, 2, 3), 18, 3)
    assert traces_of(site.store, "7725")
    assert not traces_of(site.store, "7720")
    assert not site.due(check="hash").anything


def test_storage_that_cannot_be_reached_is_one_sentence(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    object_place.cache_clear()
    with pytest.raises(StateError, match="the state cannot be reached"):
        site.store.current()


def test_a_protocol_that_cannot_create_conditionally_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="use a folder or s3://"):
        Store("ftp://example.com/state")
