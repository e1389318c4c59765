"""`source_changes`: what one tick asks for, with a real instance."""

from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.sensor_definition import SensorExecutionData

from rag_assets.defs import tries
from rag_assets.defs.automation import RELOAD
from rag_assets.defs.build import build_definitions
from rag_assets.defs.resources import ProjectResource
from rag_assets.defs.run import launch_ingest
from rag_assets.defs.run_tags import CAUSE, FINGERPRINT, GATE_RED, OUTCOME, RANGE_END, RANGE_START
from rag_assets.settings import load_project
from rag_assets.store import Store


def tick(root: Path, instance: dg.DagsterInstance, cursor: str | None = None) -> dg.RunRequest | dg.SkipReason:
    found = evaluated(build_definitions(load_project(root)), root, instance, cursor)
    return found.run_requests[0] if found.run_requests else dg.SkipReason(found.skip_message)


def evaluated(
    definitions: dg.Definitions, root: Path, instance: dg.DagsterInstance, cursor: str | None = None
) -> SensorExecutionData:
    resources = {"project": ProjectResource(root=str(root))}
    with dg.build_sensor_context(
        instance=instance, definitions=definitions, cursor=cursor, resources=resources
    ) as context:
        return definitions.resolve_sensor_def("source_changes").evaluate_tick(context)


def ran(instance: dg.DagsterInstance, request: dg.RunRequest, *, red: bool = False) -> None:
    """The run of this request as if it had failed."""
    outcome = {OUTCOME: GATE_RED, CAUSE: "fare-green fails"} if red else {}
    instance.add_run(
        dg.DagsterRun(
            job_name=request.job_name or "ingest",
            status=dg.DagsterRunStatus.FAILURE,
            tags={**request.tags, **outcome},
        )
    )


def test_one_range_run_covers_every_due_collection(root: Path, instance: dg.DagsterInstance) -> None:
    request = tick(root, instance)
    assert isinstance(request, dg.RunRequest)
    assert request.job_name == "ingest"
    assert (request.tags[RANGE_START], request.tags[RANGE_END]) == ("fares", "notes")
    assert request.run_key == f"{request.tags[FINGERPRINT]}:1"


def test_a_failing_change_is_tried_three_times(root: Path, instance: dg.DagsterInstance) -> None:
    keys = []
    for _ in range(3):
        request = tick(root, instance)
        assert isinstance(request, dg.RunRequest)
        keys.append(request.run_key)
        ran(instance, request)
    skipped = tick(root, instance)
    assert isinstance(skipped, dg.SkipReason)
    assert "gave up after 3 tries" in (skipped.skip_message or "")
    assert len(set(keys)) == 3


def test_a_failing_change_is_tried_again_an_hour_later(
    root: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        request = tick(root, instance)
        assert isinstance(request, dg.RunRequest)
        ran(instance, request)
    assert isinstance(tick(root, instance), dg.SkipReason)
    monkeypatch.setattr(tries, "AGAIN_AFTER_S", -1)
    assert isinstance(tick(root, instance), dg.RunRequest)


def test_a_gate_refusal_is_tried_once_and_named(root: Path, instance: dg.DagsterInstance) -> None:
    request = tick(root, instance)
    assert isinstance(request, dg.RunRequest)
    ran(instance, request, red=True)
    skipped = tick(root, instance)
    assert isinstance(skipped, dg.SkipReason)
    assert "gave up after a gate refusal: fare-green fails" in (skipped.skip_message or "")


def test_a_further_change_is_tried_afresh(root: Path, instance: dg.DagsterInstance) -> None:
    first = tick(root, instance)
    assert isinstance(first, dg.RunRequest)
    ran(instance, first, red=True)
    (root / "notes" / "more.md").write_text("more\n", encoding="utf-8")
    assert isinstance(tick(root, instance), dg.RunRequest)


def test_a_change_that_comes_back_after_another_gets_a_run_key_of_its_own(
    root: Path, instance: dg.DagsterInstance
) -> None:
    first = tick(root, instance)
    assert isinstance(first, dg.RunRequest)
    ran(instance, first)
    instance.add_run(dg.DagsterRun(job_name="ingest", status=dg.DagsterRunStatus.SUCCESS))
    again = tick(root, instance)
    assert isinstance(again, dg.RunRequest)
    assert again.run_key == f"{first.tags[FINGERPRINT]}:2"


@pytest.mark.parametrize("job", ["ingest", "__ASSET_JOB", "sweep"])
def test_it_waits_for_live_runs_of_every_job(root: Path, instance: dg.DagsterInstance, job: str) -> None:
    instance.add_run(dg.DagsterRun(job_name=job, status=dg.DagsterRunStatus.STARTED))
    skipped = tick(root, instance)
    assert isinstance(skipped, dg.SkipReason)
    assert f"of {job} is started" in (skipped.skip_message or "")


def test_a_command_that_was_killed_does_not_block_for_ever(root: Path, instance: dg.DagsterInstance) -> None:
    import socket

    tags = {"rag_assets/process": f"{socket.gethostname()} 999999999 12345"}
    run = instance.add_run(dg.DagsterRun(job_name="ingest", status=dg.DagsterRunStatus.STARTED, tags=tags))
    assert isinstance(tick(root, instance), dg.RunRequest)
    ended = instance.get_run_by_id(run.run_id)
    assert ended is not None
    assert ended.status is dg.DagsterRunStatus.FAILURE


def test_a_changed_sources_file_asks_for_a_reload(root: Path, instance: dg.DagsterInstance) -> None:
    definitions = build_definitions(load_project(root))
    path = root / "sources.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    found = evaluated(definitions, root, instance)
    assert found.skip_message == RELOAD


def test_a_broken_case_file_is_said_not_raised(root: Path, instance: dg.DagsterInstance) -> None:
    (root / "evals" / "cases" / "fares.yaml").write_text("suite: nonsense\ncases: []\n", encoding="utf-8")
    skipped = tick(root, instance)
    assert isinstance(skipped, dg.SkipReason)
    assert "fares.yaml" in (skipped.skip_message or "")


def test_nothing_is_due_after_publishing_and_a_case_edit_asks_for_the_evaluation_alone(
    root: Path, instance: dg.DagsterInstance
) -> None:
    assert launch_ingest(root, instance=instance).published == 1
    skipped = tick(root, instance)
    assert isinstance(skipped, dg.SkipReason)
    assert skipped.skip_message == "nothing is due"
    cases = root / "evals" / "cases" / "fares.yaml"
    cases.write_text(cases.read_text(encoding="utf-8").replace("the fare", "the price"), encoding="utf-8")
    request = tick(root, instance)
    assert isinstance(request, dg.RunRequest)
    assert request.job_name == "evaluate_and_publish"


def test_a_pin_stops_changes_but_not_removals(root: Path, instance: dg.DagsterInstance) -> None:
    (root / "notes" / "other.md").write_text("# Other\n\nThe lift is slow.\n", encoding="utf-8")
    assert launch_ingest(root, instance=instance).published == 1
    Store(load_project(root).state_url).pin(1, "prices of October")
    (root / "fares" / "fares.md").write_text("# Fares\n\nAll lines are free.\n", encoding="utf-8")
    skipped = tick(root, instance)
    assert isinstance(skipped, dg.SkipReason)
    assert "pinned to release 1 (prices of October); due: fares" in (skipped.skip_message or "")
    (root / "notes" / "other.md").unlink()
    assert isinstance(tick(root, instance), dg.RunRequest)


def test_young_files_wait_for_a_later_tick_but_not_for_ever(root: Path, instance: dg.DagsterInstance) -> None:
    path = root / "sources.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("settle_s: 0", "settle_s: 60"), encoding="utf-8")
    skipped = tick(root, instance)
    assert isinstance(skipped, dg.SkipReason)
    assert "2 files to settle" in (skipped.skip_message or "")
    assert isinstance(tick(root, instance, cursor="1.0"), dg.RunRequest)


def test_a_missing_folder_is_refused_and_named(root: Path, instance: dg.DagsterInstance) -> None:
    assert launch_ingest(root, instance=instance).published == 1
    (root / "notes" / "hours.md").unlink()
    skipped = tick(root, instance)
    assert isinstance(skipped, dg.SkipReason)
    assert "collection notes" in (skipped.skip_message or "")
