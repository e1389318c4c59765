"""What nothing names goes; what a kept release, a head or the pin names stays."""

from pathlib import Path

from rag_assets.ingest.diff import release_diff
from rag_assets.ingest.sweep import all_segments, sweep
from tests.ingest.conftest import PRICES, Site


def edit(site: Site, price: int) -> None:
    site.write("docs/prices.csv", PRICES.replace("20", str(price)))
    site.ingest()


def test_old_releases_go_with_the_segments_only_they_name(site: Site) -> None:
    for price in range(20, 26):
        edit(site, price)
    swept = sweep(site.store, 3, grace_s=-1)
    assert swept.releases == (1, 2, 3)
    assert swept.segments == 18
    assert site.store.release_numbers() == (4, 5, 6)
    for number in (4, 5, 6):
        release = site.store.release(number)
        for stage, digest in release.partitions["docs"].segments.items():
            assert site.store.segment("docs", stage, digest).intact(deep=True)
    assert not site.due(check="hash").anything


def test_bytes_of_sources_no_kept_release_has_go(site: Site) -> None:
    for price in range(20, 26):
        edit(site, price)
    content = Path(site.project.state_url) / "content"
    before = len(list(content.iterdir()))
    assert sweep(site.store, 3, grace_s=-1).contents == 3
    assert len(list(content.iterdir())) == before - 3


def test_the_pinned_release_is_kept(site: Site) -> None:
    for price in range(20, 26):
        edit(site, price)
    site.store.pin(1, "only that one is right")
    sweep(site.store, 3, grace_s=-1)
    assert site.store.release_numbers() == (1, 4, 5, 6)
    assert any("20" in chunk.text for chunk in site.corpus().chunks("docs/prices.csv"))


def test_what_is_young_stays(site: Site) -> None:
    for price in range(20, 26):
        edit(site, price)
    swept = sweep(site.store, 3)
    assert (swept.segments, swept.contents) == (0, 0)


def test_leftovers_of_a_killed_run_go(site: Site) -> None:
    site.ingest()
    left = Path(site.project.state_url) / "segments" / "docs" / "chunks" / ".tmp-1-abc"
    left.mkdir()
    (left / "half.parquet").write_text("half")
    count = len(list(all_segments(site.store)))
    assert sweep(site.store, 3, grace_s=-1).drafts == 1
    assert not left.exists()
    assert len(list(all_segments(site.store))) == count


def test_a_diff_names_the_cells_that_changed(site: Site) -> None:
    site.ingest()
    site.write("docs/new.txt", "New.")
    (site.root / "docs/refunds.md").unlink()
    edit(site, 21)
    diff = release_diff(site.store, site.store.release(1), site.store.release(2))
    assert (diff.added, diff.removed, diff.changed) == (("docs/new.txt",), ("docs/refunds.md",), ("docs/prices.csv",))
    assert [(c.before, c.after, c.address) for c in diff.cells] == [("20", "21", "r3c3")]
