"""With the real daemon: an edit is published by itself, a red gate leaves the old release, a rollback stands."""

import signal

import pytest

from tests.daemon.conftest import Running

pytestmark = pytest.mark.slow


def edit(running: Running, old: str, new: str, name: str = "fares/fares.md") -> None:
    path = running.root / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_an_edit_is_published_by_one_run_and_reworks_one_collection(running: Running) -> None:
    running.published(1)
    edit(running, "$3.00", "$3.50")
    elapsed_s = running.published(2)
    assert elapsed_s <= 30
    assert running.release().changed == ("fares",)
    running.wait(lambda: running.skipped("nothing is due"), "a quiet tick")
    assert len(running.runs()) == 2


def test_changes_in_several_collections_and_a_removal_go_live_in_one_run(running: Running) -> None:
    running.published(1)
    (running.root / "notes" / "late.md").write_text("# Late\n\nThe desk closes at six.\n", encoding="utf-8")
    (running.root / "fares" / "night.md").write_text("# Night\n\nNight buses cost double.\n", encoding="utf-8")
    running.published(2)
    (running.root / "fares" / "night.md").unlink()
    running.published(3)
    assert "fares/night.md" not in {entry.source for entry in running.release().sources}
    assert len(running.runs()) == 3


def test_a_red_gate_leaves_the_old_release_and_is_tried_once(running: Running) -> None:
    running.published(1)
    edit(running, "settle_s: 0.5", "settle_s: 0.5, on_regression: hold_release, suite_floors: {retrieval: 1.0}",
         "sources.yaml")  # fmt: skip
    running.wait(lambda: running.skipped("reload the code location"), "the wish for a reload")
    running.stop()
    edit(running, "$3.00", "$9.99", "evals/cases/fares.yaml")
    running.start()
    running.wait(lambda: running.skipped("gave up after a gate refusal"), "the visible skip reason", 90)
    assert running.store.current_number() == 1
    assert len(running.runs()) == 2


def test_a_rollback_stands_until_it_is_lifted(running: Running) -> None:
    running.published(1)
    edit(running, "$3.00", "$3.50")
    running.published(2)
    running.store.pin(1, "prices of October")
    running.wait(lambda: running.skipped("pinned to release 1 (prices of October)"), "the report of the pin")
    assert running.store.current_number() == 1
    running.store.resume()
    running.wait(lambda: running.store.current_number() not in {1, 2}, "the release after the pin")
    assert "fares" in running.release().changed


def test_a_killed_daemon_leaves_the_release_and_its_successor_goes_on(running: Running) -> None:
    running.published(1)
    edit(running, "$3.00", "$3.50")
    running.wait(lambda: len(running.runs()) == 2, "a run")
    running.stop(signal.SIGKILL)
    assert running.store.current_number() in {1, 2}
    running.start()
    running.wait(lambda: running.skipped("waiting: run") or running.store.current_number() == 2, "a tick")
