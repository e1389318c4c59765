"""The graph as a person sees it in the UI."""

from pathlib import Path

import dagster as dg
import pytest

from rag_assets.defs.build import build_definitions
from rag_assets.defs.graph import STAGE_NAMES
from rag_assets.ingest.order import PARENT, STAGES
from rag_assets.ingest.versions import stage_versions
from rag_assets.settings import Project

DEPENDENCIES = {
    "raw_sources": set(),
    "parsed_blocks": {"raw_sources"},
    "normalized_tables": {"parsed_blocks"},
    "chunks": {"normalized_tables"},
    "lookup_tables": {"normalized_tables"},
    "bm25_index": {"chunks"},
    "eval_cases": set(),
    "eval_run": {"bm25_index", "lookup_tables", "eval_cases"},
    "published_release": {"eval_run"},
}


def test_nine_assets_depend_on_each_other_as_designed(project: Project) -> None:
    graph = build_definitions(project).resolve_asset_graph()
    found = {
        key.to_user_string(): {parent.to_user_string() for parent in graph.get(key).parent_keys}
        for key in graph.get_all_asset_keys()
    }
    assert found == DEPENDENCIES


def test_the_graph_names_the_stages_of_ingest() -> None:
    assert set(STAGE_NAMES) == set(STAGES)
    assert {stage: {parent} for stage, parent in PARENT.items()}.items() <= DEPENDENCIES.items()


def test_every_asset_says_what_it_is(project: Project) -> None:
    graph = build_definitions(project).resolve_asset_graph()
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.description, key
        assert node.owners, key
        assert node.kinds, key
        assert node.code_version, key
    assert len({graph.get(key).group_name for key in graph.get_all_asset_keys()}) <= 3


def test_code_versions_are_those_of_the_stages(project: Project) -> None:
    graph = build_definitions(project).resolve_asset_graph()
    assert {name: graph.get(dg.AssetKey(name)).code_version for name in STAGES} == stage_versions()


def test_partitions_are_the_collections_and_a_backfill_is_one_run(project: Project) -> None:
    graph = build_definitions(project).resolve_asset_graph()
    for name in STAGES:
        node = graph.get(dg.AssetKey(name))
        assert node.partitions_def is not None
        assert list(node.partitions_def.get_partition_keys()) == ["fares", "notes"]
        assert node.backfill_policy == dg.BackfillPolicy.single_run()


def test_sensors_and_schedules_start_running(project: Project) -> None:
    repository = build_definitions(project).get_repository_def()
    assert {sensor.name for sensor in repository.sensor_defs} >= {"source_changes"}
    assert {schedule.name for schedule in repository.schedule_defs} == {"nightly_full_check", "weekly_sweep"}
    assert {sensor.default_status for sensor in repository.sensor_defs} == {dg.DefaultSensorStatus.RUNNING}
    assert {schedule.default_status for schedule in repository.schedule_defs} == {dg.DefaultScheduleStatus.RUNNING}
    for name in ("ingest", "evaluate_and_publish"):
        job = repository.get_job(name)
        assert job.tags["dagster/max_runtime"]
        assert job.description


@pytest.mark.parametrize(
    ("content", "said"),
    [("collections: [", "not YAML"), ("collections: []\n", "collections: "), (None, "no such file")],
)
def test_a_bad_sources_file_loads_a_location_that_says_what_is_wrong(
    root: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, said: str
) -> None:
    monkeypatch.setenv("RAG_ASSETS_PROJECT", str(root))
    path = root / "sources.yaml"
    path.unlink() if content is None else path.write_text(content, encoding="utf-8")
    definitions = build_definitions()
    [spec] = list(definitions.resolve_all_asset_specs())
    assert said in (spec.description or "")
    with dg.DagsterInstance.ephemeral() as instance:
        tick = definitions.resolve_sensor_def("source_changes")(dg.build_sensor_context(instance=instance))
    assert isinstance(tick, dg.SkipReason)
    assert said in (tick.skip_message or "")


def test_the_location_finds_its_project_from_the_dagster_home(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RAG_ASSETS_PROJECT", raising=False)
    monkeypatch.setenv("DAGSTER_HOME", str(root / "evals"))
    monkeypatch.chdir(tmp_path)
    assert len(build_definitions().resolve_asset_graph().get_all_asset_keys()) == 9
