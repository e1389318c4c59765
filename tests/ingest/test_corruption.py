"""A segment whose bytes are not those its manifest names is found, said, and built again."""

from pathlib import Path

import pytest

from rag_assets.errors import CorruptSegment
from rag_assets.ingest.order import STAGES
from rag_assets.ingest.seen import IngestOptions
from rag_assets.ingest.sweep import sweep
from rag_assets.store import Segment, records
from tests.ingest.conftest import PRICES, Site


def segment_of(site: Site, stage: str) -> Segment:
    return site.store.segment("docs", stage, site.store.heads("docs").stages[stage])


def flip(path: Path) -> None:
    """One bit in the middle; size and time stay."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def damage(site: Site, stage: str) -> Path:
    segment = segment_of(site, stage)
    name = max(segment.files, key=lambda n: segment.files[n].size)
    flip(Path(segment.folder) / name)
    return Path(segment.folder)


def hashes(site: Site) -> dict[str, str]:
    return {stage: segment_of(site, stage).logical_hash for stage in STAGES}


@pytest.mark.parametrize("stage", STAGES)
def test_the_nightly_check_finds_a_flipped_bit_and_its_run_builds_the_segment_again(site: Site, stage: str) -> None:
    site.ingest()
    before = hashes(site)
    damage(site, stage)
    due = site.due(check="hash")
    assert [part.reasons for part in due.collections] == [(f"{stage}: its segment is missing or damaged",)]
    outcomes = site.run(options=IngestOptions(check="hash"))
    assert {o.stage for o in outcomes.values() if o.mended} == {stage}
    assert hashes(site) == before
    assert all(segment_of(site, s).intact(deep=True) for s in STAGES)
    assert site.publish() is None
    assert not site.due(check="hash").anything


@pytest.mark.parametrize("stage", STAGES)
def test_a_flipped_bit_in_a_manifest_makes_the_segment_as_good_as_gone(site: Site, stage: str) -> None:
    site.ingest()
    before = hashes(site)
    flip(Path(segment_of(site, stage).folder) / "segment.json")
    assert [part.reasons for part in site.due().collections] == [(f"{stage}: its segment is missing or damaged",)]
    site.run()
    assert hashes(site) == before
    assert not site.due(check="hash").anything


@pytest.mark.parametrize("stage", STAGES)
def test_an_ordinary_ingest_that_meets_a_damaged_segment_builds_it_again(site: Site, stage: str) -> None:
    site.ingest()
    damage(site, stage)
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    outcomes = site.run()
    assert stage in {name for outcome in outcomes.values() for name in outcome.mended}
    assert site.publish() is not None
    assert "21" in " ".join(chunk.text for chunk in site.corpus().chunks())
    assert not site.due(check="hash").anything


def test_a_reader_that_meets_damage_says_so_and_the_next_look_finds_it_due(site: Site) -> None:
    site.ingest()
    damage(site, "chunks")
    records._VERIFIED.clear()  # as in a process that has not opened it yet
    assert not site.due().anything
    with pytest.raises(CorruptSegment, match="sha256 is"):
        list(site.corpus().chunks())
    assert "chunks: its segment is missing or damaged" in site.due().collections[0].reasons
    site.run()
    assert list(site.corpus().chunks())
    assert not site.due().anything


def test_a_damaged_snapshot_of_a_collection_whose_folder_is_gone_is_no_removal(site: Site) -> None:
    site.ingest()
    damage(site, "raw_sources")
    for path in (site.root / "docs").iterdir():
        path.unlink()
    outcomes = site.run(options=IngestOptions(check="hash"))
    assert outcomes["docs raw_sources"].refused
    assert site.publish() is None
    assert len(list(site.corpus().chunks())) > 0


def test_a_sweep_keeps_all_source_bytes_while_a_kept_segment_cannot_be_read(site: Site) -> None:
    site.ingest()
    damage(site, "raw_sources")
    assert sweep(site.store, 3, grace_s=-1).contents == 0
    site.run(options=IngestOptions(check="hash"))
    assert not site.due(check="hash").anything
