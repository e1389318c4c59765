"""The nightly check: what it finds is said and mended by the run that follows."""

from pathlib import Path

import dagster as dg

from rag_assets.defs.build import build_definitions
from rag_assets.defs.run import launch_ingest
from rag_assets.defs.run_tags import RANGE_START
from rag_assets.settings import load_project
from rag_assets.store import Store


def check_every_byte(root: Path, instance: dg.DagsterInstance) -> dg.ExecuteInProcessResult:
    return build_definitions(load_project(root)).resolve_job_def("full_check").execute_in_process(instance=instance)


def follow(root: Path, instance: dg.DagsterInstance, cursor: str | None = None) -> dg.SensorResult:
    definitions = build_definitions(load_project(root))
    with dg.build_sensor_context(instance=instance, definitions=definitions, cursor=cursor) as context:
        return definitions.resolve_sensor_def("after_full_check").evaluate_tick(context)


def test_a_flipped_bit_is_reported_and_built_again_by_the_run_that_follows(
    root: Path, instance: dg.DagsterInstance
) -> None:
    launch_ingest(root, instance=instance)
    store = Store(load_project(root).state_url)
    path = Path(store.segment("notes", "chunks", store.heads("notes").stages["chunks"]).folder) / "chunks.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    checked = check_every_byte(root, instance)
    said = next(e for e in checked.all_events if e.is_successful_output).step_output_data.metadata
    assert "notes | chunks" in str(said["damaged"].value)
    tick = follow(root, instance)
    [request] = tick.run_requests or []
    assert (request.job_name, request.tags[RANGE_START]) == ("ingest", "notes")
    job = build_definitions(load_project(root)).resolve_job_def("ingest")
    done = job.execute_in_process(instance=instance, tags=request.tags, run_config=request.run_config)
    assert done.success
    [told] = [m for m in done.asset_materializations_for_node("chunks") if "mended" in m.metadata]
    assert (told.partition, told.metadata["mended"].value) == ("notes", "chunks")
    assert store.segment("notes", "chunks", store.heads("notes").stages["chunks"]).intact(deep=True)


def test_a_check_that_found_nothing_is_followed_by_the_evaluation_alone_and_once(
    root: Path, instance: dg.DagsterInstance
) -> None:
    launch_ingest(root, instance=instance)
    checked = check_every_byte(root, instance)
    tick = follow(root, instance)
    assert [request.job_name for request in tick.run_requests or []] == ["evaluate_and_publish"]
    assert tick.cursor == checked.run_id
    assert not follow(root, instance, cursor=checked.run_id).run_requests


def test_a_check_is_not_forgotten_while_another_run_is_at_work(root: Path, instance: dg.DagsterInstance) -> None:
    launch_ingest(root, instance=instance)
    check_every_byte(root, instance)
    instance.add_run(dg.DagsterRun(job_name="ingest", run_id="11111111", status=dg.DagsterRunStatus.STARTED))
    tick = follow(root, instance)
    assert "waiting: run 11111111" in (tick.skip_message or "")
    assert tick.cursor is None
