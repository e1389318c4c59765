"""Backfills as the UI starts them: the mutation it sends, to a real webserver, with daemon and sensor running."""

import dagster as dg
import pytest

from rag_assets.defs.graph import RELEASE_NAMES, STAGE_NAMES
from tests.daemon.conftest import Running

pytestmark = pytest.mark.slow

LAUNCH = """
mutation LaunchPartitionBackfill($backfillParams: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $backfillParams) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}
"""
STATUS = """
query Backfill($id: String!) {
  partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill { status error { message } } }
}
"""
BACKFILLED_WITHIN_S = 240
ENDED = {"COMPLETED", "COMPLETED_SUCCESS", "COMPLETED_FAILED", "FAILED", "CANCELED"}


def launch(running: Running, *partitions: str) -> str:
    """All nine assets over these collections."""
    selection = [{"path": [name]} for name in (*STAGE_NAMES, *RELEASE_NAMES)]
    params = {"assetSelection": selection, "partitionNames": list(partitions), "tags": []}
    found = running.graphql(LAUNCH, backfillParams=params)["launchPartitionBackfill"]
    assert found["__typename"] == "LaunchBackfillSuccess", found
    return found["backfillId"]


def status(running: Running, backfill: str) -> str:
    return running.graphql(STATUS, id=backfill)["partitionBackfillOrError"]["status"]


def ended(running: Running, *backfills: str) -> list[str]:
    wait = "the end of the backfills"
    running.wait(lambda: {status(running, b) for b in backfills} <= ENDED, wait, BACKFILLED_WITHIN_S)
    return [status(running, backfill) for backfill in backfills]


def materialized(running: Running, asset: str, since: set[str]) -> int:
    """In how many runs, without those known before."""
    events = running.instance.fetch_materializations(dg.AssetKey(asset), limit=1000).records
    return len({event.run_id for event in events} - since)


def begin(running: Running) -> set[str]:
    """The first release is out, the sensor is quiet, the webserver serves; the runs so far."""
    running.published(1)
    running.serve()
    running.wait(lambda: running.skipped("nothing is due"), "a quiet tick")
    return {run.run_id for run in running.runs()}


def begin_with(running: Running, settings: str) -> set[str]:
    running.restart_with(settings)
    return begin(running)


def test_a_backfill_of_all_collections_evaluates_and_publishes_once_beside_the_sensor(running: Running) -> None:
    before = begin_with(running, "settle_s: 20")
    (running.root / "notes" / "late.md").write_text("# Late\n\nThe desk closes at six.\n", encoding="utf-8")
    backfill = launch(running, "fares", "notes")
    running.wait(lambda: running.skipped(f"waiting: backfill {backfill}"), "the sensor waiting for the backfill")
    assert ended(running, backfill) == ["COMPLETED_SUCCESS"]
    running.wait(lambda: running.skipped("nothing is due"), "a quiet tick")
    assert [materialized(running, asset, before) for asset in ("eval_run", "published_release")] == [1, 1]
    assert len({run.run_id for run in running.runs()} - before) <= 3, "the cases, the stages, the release"
    assert "notes/late.md" in {entry.source for entry in running.release().sources}


def test_partitions_per_run_spreads_a_backfill_over_runs_and_still_publishes_once(running: Running) -> None:
    before = begin_with(running, "settle_s: 0.5, partitions_per_run: 1")
    backfill = launch(running, "fares", "notes")
    assert ended(running, backfill) == ["COMPLETED_SUCCESS"]
    assert materialized(running, "raw_sources", before) == 2
    assert [materialized(running, asset, before) for asset in ("eval_run", "published_release")] == [1, 1]
    assert len({run.run_id for run in running.runs()} - before) <= 4, "the cases, each collection, the release"


def test_overlapping_backfills_and_a_command_beside_them_end_in_a_release_with_everything(running: Running) -> None:
    begin(running)
    for name in ("fares/one.md", "notes/two.md", "notes/three.md"):
        (running.root / name).write_text(f"# {name}\n\nA page called {name}.\n", encoding="utf-8")
    backfills = launch(running, "fares", "notes"), launch(running, "notes")
    command = running.command("ingest", "--project", str(running.root))
    (running.root / "notes" / "four.md").write_text("# Four\n\nA fourth page.\n", encoding="utf-8")
    ended(running, *backfills)
    assert command.wait(60) in {0, 1}, "a command beside others publishes, or says that it must wait"
    running.wait(lambda: running.skipped("nothing is due"), "a quiet tick", 120)
    assert {entry.source for entry in running.release().sources} == {
        "fares/fares.md",
        "fares/one.md",
        "notes/hours.md",
        "notes/two.md",
        "notes/three.md",
        "notes/four.md",
    }
    assert running.store.current_number() == max(running.store.release_numbers())
