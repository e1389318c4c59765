"""A redacted collection shows counts, scores and hashes, in every asset and check; partition keys stay."""

from pathlib import Path

import dagster as dg
import pytest

from rag_assets.defs.graph import RELEASE_NAMES, STAGE_NAMES
from rag_assets.defs.redaction import Redaction
from rag_assets.defs.run import launch_ingest
from rag_assets.settings import load_project

SECRETS = ("fares.md", "Green", "$3.00", "green line", "sheet.xlsx")


def redact(root: Path) -> None:
    path = root / "sources.yaml"
    shown = "name: fares, documents: ./fares, scope: public"
    path.write_text(path.read_text(encoding="utf-8").replace(shown, f"{shown}, redact_metadata: true"), "utf-8")


def everything_said(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    """Metadata of every materialization, descriptions and metadata of every check, tags of the run."""
    said = []
    for entry in instance.all_logs(run_id):
        event = entry.dagster_event
        if event is not None and event.is_step_materialization:
            found = event.step_materialization_data.materialization
            said += [f"{found.asset_key.to_user_string()} {k}: {v.value}" for k, v in found.metadata.items()]
        if event is not None and event.event_type_value == "ASSET_CHECK_EVALUATION":
            check = event.asset_check_evaluation_data
            said += [f"{check.check_name}: {check.description} {check.metadata}"]
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return [*said, str(run.tags)]


def test_no_name_or_text_of_a_redacted_document_is_said_by_any_asset(root: Path, instance: dg.DagsterInstance) -> None:
    redact(root)
    (root / "fares" / "sheet.xlsx").write_bytes(b"PK\x03\x04 not a workbook")
    cases = root / "evals" / "cases" / "fares.yaml"
    cases.write_text(cases.read_text(encoding="utf-8").replace("$3.00", "$3.33"), encoding="utf-8")
    outcome = launch_ingest(root, instance=instance)
    said = everything_said(instance, outcome.dagster_run or "")
    assets = {line.split(" ", 1)[0] for line in said}
    assert assets >= {*STAGE_NAMES, *RELEASE_NAMES}
    assert any("fare-green" in line for line in said), "the failed case itself is shown"
    assert [line for line in said if any(secret in line for secret in SECRETS)] == []


CHUNKS = """\
suite: chunks
cases:
  - {id: record-green, sources: [fares/fares.md], expect: {chunks: [{kind: record, must_contain: [Green, "$3.00"]}]}}
"""


@pytest.mark.parametrize("hold", ["hold_collection", "hold_release"])
def test_what_a_red_gate_says_quotes_no_redacted_document(root: Path, instance: dg.DagsterInstance, hold: str) -> None:
    redact(root)
    (root / "evals" / "cases" / "chunks.yaml").write_text(CHUNKS, encoding="utf-8")
    launch_ingest(root, instance=instance)
    sources = root / "sources.yaml"
    no_records = f"settings: {{settle_s: 0, on_regression: {hold}, retrieval: {{records: false}}, record_rows: 0}}"
    worse = sources.read_text(encoding="utf-8").replace("settings: {settle_s: 0}", no_records)
    sources.write_text(worse, encoding="utf-8")
    outcome = launch_ingest(root, instance=instance)
    said = everything_said(instance, outcome.dagster_run or "")
    assert any("record-green passed before and fails now" in line and "not shown" in line for line in said)
    assert [line for line in said if any(secret in line for secret in SECRETS)] == []
    pages = [path.read_text(encoding="utf-8") for path in (root / ".rag-assets").rglob("reports/*.html")]
    assert pages
    assert not any(secret in page for page in pages for secret in SECRETS)


def test_sentences_lose_paths_and_keep_partition_keys(root: Path) -> None:
    redact(root)
    redaction = Redaction(load_project(root))
    assert redaction.text("held: fares/03: page lost") == "held: fares/03: page lost"
    assert redaction.text("2 newly unreadable: fares/a b.md, notes/c.md") == "2 newly unreadable: fares/…, notes/c.md"
    assert redaction.text(f"there is no folder {root / 'fares'}: put it back") == (
        "there is no folder not shown: put it back"
    )


def test_tables_show_as_they_are_understood_with_the_folder_of_their_documents(
    root: Path, instance: dg.DagsterInstance
) -> None:
    launch_ingest(root, instance=instance)
    filters = dg.AssetRecordsFilter(asset_key=dg.AssetKey("normalized_tables"), asset_partitions=["fares"])
    [record] = instance.fetch_materializations(filters, limit=1).records
    assert record.asset_materialization is not None
    shown = str(record.asset_materialization.metadata["understood"].value)
    assert "**fares/fares.md**" in shown
    assert "| Green | $3.00 |" in shown
    filters = dg.AssetRecordsFilter(asset_key=dg.AssetKey("raw_sources"), asset_partitions=["fares"])
    [record] = instance.fetch_materializations(filters, limit=1).records
    assert record.asset_materialization is not None
    assert record.asset_materialization.metadata["folder"].value == str(root / "fares")
