"""The pointer, the claim and the pin."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from rag_assets.errors import StateError, UnknownName
from rag_assets.model.score import Score
from rag_assets.store import PartitionRelease, Release, Store


def release_of(*keys: str) -> Release:
    return Release(
        number=0,
        created="2026-01-01T00:00:00+00:00",
        parent=None,
        dagster_run=None,
        partitions={k: PartitionRelease.of("public", k, {"raw_sources": k}) for k in keys},
        sources=(),
    )


def test_nothing_is_written_before_the_first_write(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "state"))
    assert store.current() is None
    assert store.releases() == ()
    assert not (tmp_path / "state").exists()


def test_a_release_gets_the_next_number_and_its_parent(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    first = store.claim_release(lambda _: release_of("a"))
    second = store.claim_release(lambda _: release_of("a", "b"))
    assert first is not None
    assert second is not None
    assert (first.number, first.parent, second.number, second.parent) == (1, None, 2, 1)
    assert store.current() == second
    assert (tmp_path / "CURRENT").read_text() == "2\n"


def test_no_release_is_written_where_there_is_nothing_to_publish(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    assert store.claim_release(lambda _: None) is None
    assert store.release_numbers() == ()


def test_a_manifest_that_was_never_pointed_at_is_not_current_and_keeps_its_number(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.claim_release(lambda _: release_of("a"))
    (tmp_path / "releases" / "2.json").write_bytes((tmp_path / "releases" / "1.json").read_bytes())
    third = store.claim_release(lambda _: release_of("b"))
    assert third is not None
    assert (third.number, third.parent) == (3, 1)


def add_key(state: str, key: str) -> None:
    def build(current: Release | None) -> Release:
        return replace(release_of(*(current.partitions if current else ()), key), number=0)

    Store(state).claim_release(build)


def test_writers_that_claim_at_the_same_time_build_on_each_other(tmp_path: Path) -> None:
    keys = [f"k{n}" for n in range(12)]
    with ProcessPoolExecutor(4) as processes:
        list(processes.map(add_key, [str(tmp_path)] * len(keys), keys))
    current = Store(str(tmp_path)).current()
    assert current is not None
    assert sorted(current.partitions) == sorted(keys)
    assert current.number == 12


def test_a_pin_moves_the_pointer_back_and_stands_until_resumed(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.claim_release(lambda _: release_of("a"))
    store.claim_release(lambda _: release_of("b"))
    store.pin(1, "wrong prices")
    assert store.current_number() == 1
    standing = store.pinned()
    assert standing is not None
    assert standing.why == "wrong prices"
    assert store.resume() == standing
    assert store.pinned() is None
    assert store.current_number() == 1


def test_an_unknown_release_says_which_are_kept(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.claim_release(lambda _: release_of("a"))
    with pytest.raises(UnknownName, match=r"no release 7 .* kept are 1"):
        store.release(7)


def test_a_newer_manifest_is_refused_in_one_line(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.claim_release(lambda _: release_of("a"))
    path = tmp_path / "releases" / "1.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 2').replace('"scores"', '"points"'))
    with pytest.raises(StateError, match="format 2 is newer than this program reads") as caught:
        store.current()
    assert "\n" not in str(caught.value)


def test_an_unwritable_state_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file stands where the folder should be")
    with pytest.raises(StateError, match="the state cannot be written"):
        Store(str(tmp_path / "state")).claim_release(lambda _: release_of("a"))


def test_a_release_that_was_rewritten_is_read_anew(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    first = store.claim_release(lambda _: release_of("a"))
    assert first is not None
    assert store.release(1) is store.release(1)
    store.rewrite_release(replace(first, warnings=("erased",)))
    assert store.release(1).warnings == ("erased",)
    (tmp_path / "releases" / "1.json").unlink()
    with pytest.raises(UnknownName):
        store.release(1)


def test_scores_are_read_of_all_releases(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.claim_release(lambda _: replace(release_of("a"), scores={"tables/pass": Score(1.0, 3, 0)}))
    store.claim_release(lambda _: release_of("b"))
    assert store.release_scores() == ((1, {"tables/pass": (1.0, 3, 0)}), (2, {}))
