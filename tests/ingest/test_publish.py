"""Candidates are whole, removals never wait, and a loser builds on the winner."""

from dataclasses import replace

import pytest

from rag_assets.errors import BrokenChain, Pinned
from rag_assets.ingest.candidate import hold, make_candidate
from rag_assets.ingest.order import PARSED, RAW, STAGES
from rag_assets.ingest.publish import publish, resume, rollback
from rag_assets.ingest.stages import run_stage
from rag_assets.store import Candidate, Release
from tests.ingest.conftest import PRICES, Site

TWO = ("name: docs, documents: ./docs, scope: public", "name: books, documents: ./books, scope: private")


@pytest.fixture
def two(site: Site) -> Site:
    site.configure(*TWO)
    site.write("books/one.txt", "The first book.")
    site.write("books/two.txt", "The second book.")
    return site


def published(site: Site) -> Release:
    release = site.ingest()
    assert release is not None
    return release


def candidate(site: Site, run: str = "run") -> Candidate:
    return make_candidate(site.project, site.store, run)


def texts(site: Site, *scopes: str) -> str:
    return "\n".join(chunk.text for chunk in site.corpus(*scopes).chunks())


def test_the_first_release_has_every_partition_and_source(two: Site) -> None:
    release = published(two)
    assert release.number == 1
    assert release.changed == ("books", "docs")
    assert {k: (p.scope, p.collection) for k, p in release.partitions.items()} == {
        "books": ("private", "books"),
        "docs": ("public", "docs"),
    }
    assert [e.source for e in release.sources] == [
        "books/one.txt",
        "books/two.txt",
        "docs/prices.csv",
        "docs/refunds.md",
    ]
    assert set(release.partitions["docs"].segments) == set(STAGES)


def test_nothing_new_publishes_nothing(two: Site) -> None:
    published(two)
    assert two.ingest() is None
    assert two.store.release_numbers() == (1,)


def test_an_unchanged_partition_is_taken_by_reference(two: Site) -> None:
    first = published(two)
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    second = published(two)
    assert second.changed == ("docs",)
    assert second.partitions["books"] == first.partitions["books"]
    assert second.parent == 1


def test_segments_that_do_not_belong_together_are_refused(two: Site) -> None:
    published(two)
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    docs = two.project.partition("docs")
    for stage in (RAW, PARSED):
        run_stage(two.project, two.store, docs, stage, pool=two.pool)
    with pytest.raises(BrokenChain, match="docs: normalized_tables was made of parsed_blocks"):
        candidate(two)


def test_a_run_stopped_midway_elsewhere_leaves_that_partition_as_published(two: Site) -> None:
    first = published(two)
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    run_stage(two.project, two.store, two.project.partition("docs"), RAW, pool=two.pool)
    two.write("books/one.txt", "The first book, new edition.")
    two.run(only="books")
    release = publish(two.project, two.store, make_candidate(two.project, two.store, "r", partitions=["books"]))
    assert release is not None
    assert release.partitions["docs"] == first.partitions["docs"]
    assert "new edition" in texts(two, "private")
    assert [p.key for p in two.due().collections] == ["docs"]


def test_a_collection_that_was_never_ingested_does_not_stop_the_others(two: Site) -> None:
    two.run(only="docs")
    release = publish(two.project, two.store, candidate(two))
    assert release is not None
    assert list(release.partitions) == ["docs"]
    assert release.warnings == ("books: not ingested yet",)
    assert [p.key for p in two.due().collections] == ["books"]


def test_a_held_partition_stays_published_and_the_others_go_live(two: Site) -> None:
    first = published(two)
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    two.write("books/one.txt", "The first book, new edition.")
    two.run()
    release = publish(two.project, two.store, candidate(two), held={"docs": "case x regressed"})
    assert release is not None
    assert release.partitions["docs"] == first.partitions["docs"]
    assert release.changed == ("books",)
    assert release.held == {"docs": "case x regressed"}
    assert [p.key for p in two.due().collections] == ["docs"]


def test_a_held_partition_loses_its_removed_documents_at_once(two: Site) -> None:
    published(two)
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    (two.root / "docs/refunds.md").unlink()
    two.run()
    held = hold(two.project, two.store, candidate(two), two.store.current(), {"docs": "case x regressed"})
    release = publish(two.project, two.store, held)
    assert release is not None
    assert [e.source for e in release.sources if e.partition == "docs"] == ["docs/prices.csv"]
    assert "fourteen" not in texts(two)
    assert "20" in texts(two)
    assert "21" not in texts(two)
    assert two.corpus().search("refunds fourteen days") == ()


def test_a_held_partition_takes_its_new_scope_at_once(two: Site) -> None:
    published(two)
    two.configure(TWO[0].replace("public", "private"), TWO[1])
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    two.run()
    release = publish(two.project, two.store, candidate(two), held={"docs": "red"})
    assert release is not None
    assert release.partitions["docs"].scope == "private"
    assert texts(two) == ""


def test_a_new_partition_that_is_held_is_left_out(two: Site) -> None:
    two.run()
    release = publish(two.project, two.store, candidate(two), held={"docs": "red"})
    assert release is not None
    assert list(release.partitions) == ["books"]


def test_renumbered_shards_are_held_together(two: Site) -> None:
    first = published(two)
    two.configure(TWO[0] + ", shards: 2", TWO[1])
    two.run()
    held = hold(two.project, two.store, candidate(two), two.store.current(), ["docs/01"])
    assert held.partitions["docs"] == first.partitions["docs"]
    assert sorted(held.partitions) == ["books", "docs"]


def test_a_collection_taken_out_of_the_file_is_gone(two: Site) -> None:
    published(two)
    two.configure(TWO[0])
    release = publish(two.project, two.store, candidate(two))
    assert release is not None
    assert list(release.partitions) == ["docs"]
    assert texts(two, "private") == ""


def test_the_loser_of_a_race_builds_on_the_winner(two: Site) -> None:
    published(two)
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    two.run(only="docs")
    ours = candidate(two, "ours")
    two.write("books/one.txt", "The first book, new edition.")
    two.run(only="books")
    theirs = replace(candidate(two, "theirs"), id="theirs")
    without_docs = hold(two.project, two.store, theirs, two.store.current(), ["docs"])
    assert publish(two.project, two.store, without_docs) is not None
    last = publish(two.project, two.store, ours)
    assert last is not None
    assert "21" in texts(two)
    assert "new edition" in texts(two, "private")


def test_an_older_snapshot_does_not_replace_a_newer_one(two: Site) -> None:
    published(two)
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    two.run()
    older = candidate(two, "older")
    two.write("docs/prices.csv", PRICES.replace("20", "22"))
    published(two)
    assert publish(two.project, two.store, older) is None
    assert "22" in texts(two)


def test_a_pin_refuses_new_content(two: Site) -> None:
    published(two)
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    published(two)
    rollback(two.store, 1, "wrong prices")
    two.run()
    with pytest.raises(Pinned, match="pinned to release 1: wrong prices"):
        publish(two.project, two.store, candidate(two))
    assert "21" not in texts(two)
    assert resume(two.store) is not None
    assert publish(two.project, two.store, candidate(two)) is not None
    assert "21" in texts(two)


def test_a_removal_goes_through_a_pin_and_nothing_else_does(two: Site) -> None:
    published(two)
    rollback(two.store, 1, "wait")
    two.write("docs/prices.csv", PRICES.replace("20", "21"))
    (two.root / "docs/refunds.md").unlink()
    two.run()
    release = publish(two.project, two.store, candidate(two))
    assert release is not None
    assert "fourteen" not in texts(two)
    assert "21" not in texts(two)
    assert two.store.pinned() is not None


def test_a_collection_taken_out_goes_through_a_pin(two: Site) -> None:
    published(two)
    rollback(two.store, 1, "wait")
    two.configure(TWO[0])
    release = publish(two.project, two.store, candidate(two))
    assert release is not None
    assert list(release.partitions) == ["docs"]
