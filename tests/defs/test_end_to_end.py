"""One project from files to a release, in process, on a real instance."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import dagster as dg
import pytest

from rag_assets.defs.graph import RELEASE_NAMES, STAGE_NAMES
from rag_assets.defs.metadata import KEYS, MAX_SCORES
from rag_assets.defs.run import launch_ingest
from rag_assets.settings import load_project
from rag_assets.store import Store


def newest(instance: dg.DagsterInstance, asset: str, partition: str | None = None) -> dict[str, object]:
    """Metadata of the newest materialization."""
    filters = dg.AssetRecordsFilter(asset_key=dg.AssetKey(asset), asset_partitions=[partition] if partition else None)
    [record] = instance.fetch_materializations(filters, limit=1).records
    assert record.asset_materialization is not None
    return {key: value.value for key, value in record.asset_materialization.metadata.items()}


def test_the_whole_graph_materializes_and_publishes(root: Path, instance: dg.DagsterInstance) -> None:
    outcome = launch_ingest(root, instance=instance)
    assert (outcome.failed, outcome.cause, outcome.published) == (False, "", 1)
    run = instance.get_run_by_id(outcome.dagster_run or "")
    assert run is not None
    assert run.job_name == "ingest"
    for stage in STAGE_NAMES:
        for key in ("fares", "notes"):
            assert newest(instance, stage, key)["new_segment"] is True
    assert newest(instance, "eval_run")["retrieval/pass"] == 1.0
    assert newest(instance, "published_release")["release"] == 1


def test_every_metadata_key_is_documented_or_a_score(root: Path, instance: dg.DagsterInstance) -> None:
    launch_ingest(root, instance=instance)
    places = [(stage, "fares") for stage in STAGE_NAMES] + [(name, None) for name in RELEASE_NAMES]
    for asset, partition in places:
        found = newest(instance, asset, partition)
        scores = {key for key, value in found.items() if isinstance(value, float)}
        assert len(scores) <= MAX_SCORES, asset
        assert set(found) - scores <= set(KEYS), asset
        assert all(len(str(value)) < 4096 for value in found.values()), asset


def test_an_edit_reworks_one_document_and_leaves_the_other_collection(root: Path, instance: dg.DagsterInstance) -> None:
    launch_ingest(root, instance=instance)
    path = root / "fares" / "fares.md"
    path.write_text(path.read_text(encoding="utf-8").replace("$3.00", "$3.50"), encoding="utf-8")
    outcome = launch_ingest(root, instance=instance)
    assert outcome.published == 2
    assert outcome.worked_on["normalized_tables"] == 1
    release = Store(load_project(root).state_url).current()
    assert release is not None
    assert release.changed == ("fares",)
    assert newest(instance, "eval_run")["stale_cases"] == 1
    assert launch_ingest(root, instance=instance).nothing_due


def test_a_rebuild_of_equal_content_is_a_no_op_that_repeats_its_scores(
    root: Path, instance: dg.DagsterInstance
) -> None:
    launch_ingest(root, instance=instance)
    before = newest(instance, "bm25_index", "fares")
    outcome = launch_ingest(root, rebuild=True, instance=instance)
    assert (outcome.failed, outcome.published) == (False, None)
    after = newest(instance, "bm25_index", "fares")
    assert after["new_segment"] is False
    assert after["segment"] == before["segment"]
    assert {k: v for k, v in after.items() if isinstance(v, float)} == {
        k: v for k, v in before.items() if isinstance(v, float)
    }
    assert newest(instance, "published_release")["new_release"] is False


def test_a_redacted_collection_shows_only_counts_scores_and_hashes(root: Path, instance: dg.DagsterInstance) -> None:
    path = root / "sources.yaml"
    redacted = path.read_text(encoding="utf-8").replace("scope: public}", "scope: public, redact_metadata: true}")
    path.write_text(redacted, encoding="utf-8")
    launch_ingest(root, instance=instance)
    for stage in STAGE_NAMES:
        texts = [value for value in newest(instance, stage, "fares").values() if isinstance(value, str)]
        assert "fares.md" not in " ".join(texts), stage


def test_a_refused_mass_delete_keeps_that_collection_and_lets_the_others_go_on(
    root: Path, instance: dg.DagsterInstance
) -> None:
    launch_ingest(root, instance=instance)
    (root / "notes" / "hours.md").unlink()
    (root / "fares" / "new.md").write_text("# New\n\nA third line runs at night.\n", encoding="utf-8")
    outcome = launch_ingest(root, instance=instance)
    assert set(outcome.refused) == {"notes"}
    assert outcome.exit_status == 1
    release = Store(load_project(root).state_url).current()
    assert release is not None
    assert {entry.source for entry in release.sources} == {"fares/fares.md", "fares/new.md", "notes/hours.md"}
    assert launch_ingest(root, allow_empty=True, instance=instance).published == 3


def test_a_red_gate_fails_the_run_and_leaves_the_old_release(root: Path, instance: dg.DagsterInstance) -> None:
    launch_ingest(root, instance=instance)
    path = root / "sources.yaml"
    floors = "settings: {settle_s: 0, on_regression: hold_release, suite_floors: {retrieval: 1.0}}"
    path.write_text(path.read_text(encoding="utf-8").replace("settings: {settle_s: 0}", floors), encoding="utf-8")
    cases = root / "evals" / "cases" / "fares.yaml"
    cases.write_text(cases.read_text(encoding="utf-8").replace("$3.00", "$9.99"), encoding="utf-8")
    outcome = launch_ingest(root, instance=instance)
    assert (outcome.failed, outcome.outcome, outcome.published) == (True, "gate_red", None)
    assert "under its floor" in outcome.cause
    assert Store(load_project(root).state_url).current_number() == 1
    assert len(instance.fetch_materializations(dg.AssetKey("published_release"), limit=5).records) == 1


@pytest.fixture
def webhook() -> Iterator[tuple[str, list[dict[str, object]]]]:
    received: list[dict[str, object]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", received
        server.shutdown()


def test_the_webhook_hears_of_quarantined_documents(
    root: Path, instance: dg.DagsterInstance, webhook: tuple[str, list[dict[str, object]]]
) -> None:
    url, received = webhook
    path = root / "sources.yaml"
    alerts = f"settings: {{settle_s: 0, alerts: {{webhook: '{url}'}}}}"
    path.write_text(path.read_text(encoding="utf-8").replace("settings: {settle_s: 0}", alerts), encoding="utf-8")
    (root / "notes" / "broken.xlsx").write_bytes(b"PK\x03\x04 not a workbook")
    assert launch_ingest(root, instance=instance).published == 1
    [alert] = received
    assert alert["event"] == "quarantined"
    assert alert["collections"] == ["notes"]
    assert "notes/broken.xlsx" in str(alert["summary"])
