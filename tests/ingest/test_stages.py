"""Only what changed is worked on, and nothing vanishes."""

from dataclasses import replace
from pathlib import Path

import pytest

from rag_assets.errors import BrokenChain
from rag_assets.ingest import contents
from rag_assets.ingest.order import CHUNKS, NORMALIZED, PARSED, RAW, STAGES
from rag_assets.ingest.seen import Seen
from rag_assets.ingest.stages import IngestOptions, StageView, run_stage
from rag_assets.model.score import Score
from tests.ingest.conftest import POLICY, PRICES, Site

BROKEN_WORKBOOK = b"PK\x03\x04 this is no workbook" + b"\x00" * 64


def status_of(site: Site, source: str) -> tuple[str, str | None, str | None]:
    release = site.store.current()
    assert release is not None
    entry = next(e for e in release.sources if e.source == source)
    return entry.status, entry.reason, entry.stale_since and "stale"


def test_a_stage_without_its_parent_is_refused(site: Site) -> None:
    with pytest.raises(BrokenChain, match="parsed_blocks is made of raw_sources, which is missing"):
        run_stage(site.project, site.store, site.project.partitions[0], PARSED, pool=site.pool)


def test_an_unchanged_partition_writes_nothing(site: Site) -> None:
    first = site.run()
    second = site.run()
    assert all(o.new_segment for o in first.values())
    assert not any(o.new_segment or o.reworked for o in second.values())
    assert {k: o.segment for k, o in first.items()} == {k: o.segment for k, o in second.items()}


def test_one_change_reworks_that_document_alone(site: Site) -> None:
    site.run()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    outcomes = site.run()
    assert {outcomes[f"docs {s}"].reworked for s in (RAW, PARSED, NORMALIZED, CHUNKS)} == {("docs/prices.csv",)}
    assert outcomes["docs chunks"].reused == 1


def test_a_touched_file_is_no_change(site: Site) -> None:
    site.run()
    path = site.root / "docs/prices.csv"
    path.touch()
    assert not any(o.new_segment for o in site.run().values())
    assert not site.due().collections[0].changed if site.due().collections else True


def test_a_revert_takes_the_earlier_segments_again(site: Site) -> None:
    first = site.run()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    site.run()
    site.write("docs/prices.csv", PRICES)
    third = site.run()
    assert {k: o.segment.digest for k, o in third.items()} == {k: o.segment.digest for k, o in first.items()}


def test_copied_rows_equal_those_built_from_scratch(site: Site, tmp_path: Path) -> None:
    site.run()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    site.write("docs/new.txt", "One more.")
    (site.root / "docs/refunds.md").unlink()
    incremental = site.run()
    fresh = Site(tmp_path / "fresh", site.pool)
    fresh.root.mkdir()
    fresh.configure("name: docs, documents: ../docs, scope: public")
    scratch = fresh.run()
    assert {k: o.segment.logical_hash for k, o in incremental.items()} == {
        k: o.segment.logical_hash for k, o in scratch.items()
    }


def test_a_removed_document_is_in_no_later_segment(site: Site) -> None:
    site.run()
    (site.root / "docs/refunds.md").unlink()
    outcomes = site.run()
    assert outcomes["docs chunks"].removed == ("docs/refunds.md",)
    for stage in (RAW, PARSED, NORMALIZED, CHUNKS):
        assert [r.source for r in contents.rows(outcomes[f"docs {stage}"].segment)] == ["docs/prices.csv"]
    assert not any(c.source == "docs/refunds.md" for c in contents.chunks(outcomes["docs chunks"].segment))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.csv", b"", "empty_file"),
        ("fake.xlsx", b"a,b\n", "type_mismatch"),
        ("song.mp3", b"ID3", "unsupported_type"),
        ("tab\there.csv", b"a,b\n1,2\n", "bad_name"),
        ("bad.xlsx", BROKEN_WORKBOOK, "truncated"),
    ],
)
def test_what_cannot_be_read_is_quarantined_and_the_rest_goes_on(
    site: Site, name: str, content: bytes, reason: str
) -> None:
    site.write(f"docs/{name}", content)
    release = site.ingest()
    assert release is not None
    bad = [e for e in release.sources if e.status == "quarantined"]
    assert [e.reason for e in bad] == [reason]
    assert len(release.sources) == 3
    assert not site.due().anything


def test_a_link_is_quarantined_and_never_followed(site: Site) -> None:
    (site.root / "docs/passwd.txt").symlink_to("/etc/passwd")
    (site.root / "docs/folder").symlink_to("/etc")
    site.ingest()
    assert status_of(site, "docs/passwd.txt") == ("quarantined", "symlink", None)
    assert status_of(site, "docs/folder") == ("quarantined", "symlink", None)


def test_a_document_that_was_good_keeps_its_last_good_version(site: Site) -> None:
    site.write("docs/refunds.md", POLICY)
    site.ingest()
    site.write("docs/refunds.md", b"\x00\x01\x02 no text")
    release = site.ingest()
    assert release is not None
    entry = next(e for e in release.sources if e.source == "docs/refunds.md")
    assert entry.status == "quarantined"
    assert entry.stale_since is not None
    assert entry.served_sha256 not in {None, entry.sha256}
    assert any("fourteen days" in c.text for c in site.corpus().chunks("docs/refunds.md"))
    assert not any(o.new_segment for o in site.run().values())


def test_a_stale_document_stays_since_when_it_was_first_stale(site: Site) -> None:
    site.ingest()
    site.write("docs/refunds.md", b"\x00\x01 first")
    site.ingest()
    since = next(e for e in site.store.current().sources if e.source == "docs/refunds.md").stale_since
    site.write("docs/refunds.md", b"\x00\x01 second")
    site.ingest()
    entry = next(e for e in site.store.current().sources if e.source == "docs/refunds.md")
    assert entry.stale_since == since
    assert any("fourteen days" in c.text for c in site.corpus().chunks("docs/refunds.md"))


def test_a_mended_document_is_served_and_no_longer_stale(site: Site) -> None:
    site.ingest()
    site.write("docs/refunds.md", b"\x00\x01 broken")
    site.ingest()
    site.write("docs/refunds.md", POLICY.replace("fourteen", "twenty"))
    site.ingest()
    assert status_of(site, "docs/refunds.md") == ("ok", None, None)
    assert any("twenty days" in c.text for c in site.corpus().chunks("docs/refunds.md"))


def test_dropped_quarantine_serves_nothing_of_the_document(site: Site) -> None:
    site.configure("name: docs, documents: ./docs, scope: public", settings="on_quarantine: drop")
    site.ingest()
    site.write("docs/refunds.md", b"\x00\x01 broken")
    site.ingest()
    assert status_of(site, "docs/refunds.md") == ("quarantined", "type_mismatch", None)
    assert list(site.corpus().chunks("docs/refunds.md")) == []


def test_a_setting_reworks_the_stages_that_read_it(site: Site) -> None:
    site.run()
    site.configure("name: docs, documents: ./docs, scope: public", settings="max_tokens: 64")
    outcomes = site.run()
    assert [s for s in STAGES if outcomes[f"docs {s}"].reworked] == [CHUNKS]


def test_an_override_file_reworks_its_document_in_normalizing(site: Site) -> None:
    site.run()
    site.write("docs/prices.csv.tables.yaml", "tables: [{table: 1, name: price_list}]\n")
    outcomes = site.run()
    assert outcomes["docs parsed_blocks"].reworked == ()
    assert outcomes["docs normalized_tables"].reworked == ("docs/prices.csv",)


def test_a_wrong_override_file_quarantines_its_document_with_file_and_line(site: Site) -> None:
    site.ingest()
    site.write("docs/prices.csv.tables.yaml", "tables: [\n")
    release = site.ingest()
    assert release is not None
    entry = next(e for e in release.sources if e.source == "docs/prices.csv")
    assert entry.status == "quarantined"
    assert "prices.csv.tables.yaml:2: not YAML" in (entry.detail or "")
    assert entry.stale_since is not None
    assert not site.due().collections


def test_shards_share_the_documents_out_and_keep_them_apart(site: Site) -> None:
    for n in range(20):
        site.write(f"docs/note{n}.txt", f"Note number {n}.")
    whole = site.ingest()
    site.configure("name: docs, documents: ./docs, scope: public, shards: 3")
    outcomes = site.run()
    release = site.publish()
    assert whole is not None
    assert release is not None
    assert sorted(release.partitions) == ["docs/00", "docs/01", "docs/02"]
    assert [e.source for e in release.sources] == [e.source for e in whole.sources]
    assert all(o.reworked == () for k, o in outcomes.items() if not k.endswith(RAW))


def test_a_rebuild_that_finds_the_same_keeps_the_segments(site: Site) -> None:
    first = site.run()
    again = site.run(options=IngestOptions(rebuild=True))
    assert again["docs parsed_blocks"].reworked == ("docs/prices.csv", "docs/refunds.md")
    assert {k: o.segment.digest for k, o in again.items()} == {k: o.segment.digest for k, o in first.items()}


def test_a_damaged_segment_is_built_again(site: Site) -> None:
    first = site.run()
    damaged = Path(first["docs chunks"].segment.folder) / "chunks.parquet"
    damaged.write_bytes(b"")
    outcome = site.run()["docs chunks"]
    assert outcome.new_segment
    assert outcome.segment.logical_hash == first["docs chunks"].segment.logical_hash


@pytest.mark.parametrize(
    ("stage", "options"),
    [(CHUNKS, IngestOptions(rebuild=True)), *((stage, IngestOptions(check="hash")) for stage in STAGES)],
)
def test_a_flipped_byte_is_found_and_mended(site: Site, stage: str, options: IngestOptions) -> None:
    site.ingest()
    segment = site.store.head("docs", stage)
    assert segment is not None
    path = max((Path(segment.folder) / name for name in segment.files), key=lambda p: p.stat().st_size)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    assert segment.intact()
    assert site.due(check="hash").collections[0].reasons == (f"{stage}: its segment is missing or damaged",)
    fresh = replace(options, seen=Seen())
    site.run(options=fresh)
    assert not site.due(check="hash").anything


def test_scores_are_kept_in_the_segment_and_repeated(site: Site) -> None:
    partition = site.project.partitions[0]
    seen: list[StageView] = []

    def judge(view: StageView) -> dict[str, Score]:
        seen.append(view)
        return {"documents": Score(float(len(contents.rows(view))), 1)}

    first = run_stage(site.project, site.store, partition, RAW, pool=site.pool, judge=judge)
    second = run_stage(site.project, site.store, partition, RAW, pool=site.pool, judge=judge)
    assert first.scores == second.scores == {"documents": Score(2.0, 1)}
    assert len(seen) == 1


def test_two_unicode_forms_of_a_name_are_one_source_and_a_bad_name(site: Site) -> None:
    site.write("docs/caf\u00e9.txt", "One form.")
    site.write("docs/cafe\u0301.txt", "The other form.")
    release = site.ingest()
    assert release is not None
    named = [(e.source, e.status, e.reason) for e in release.sources if "caf" in e.source]
    assert ("docs/caf\u00e9.txt", "ok", None) in named
    assert [r for _, _, r in named if r] == ["bad_name"]
