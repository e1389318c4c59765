"""A corpus is one release, and shows nothing of other scopes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_assets import open_corpus
from rag_assets.corpus import Corpus
from rag_assets.errors import InputError, UnknownName
from rag_assets.ingest.candidate import make_candidate
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import WorkerPool
from tests.ingest.conftest import POLICY, PRICES, Site


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerPool]:
    with WorkerPool(ReadLimits(), workers=1) as pool:
        yield pool


@pytest.fixture
def site(tmp_path: Path, workers: WorkerPool) -> Site:
    made = Site(tmp_path, workers)
    made.configure("name: docs, documents: ./docs, scope: public", "name: secret, documents: ./secret, scope: board")
    made.write("docs/prices.csv", PRICES)
    made.write("docs/refunds.md", POLICY)
    made.write("secret/plan.md", "# Plan\n\nThe takeover of Harbor Tools refunds nobody.\n")
    return made


def test_nothing_published_is_said_in_one_line(site: Site) -> None:
    with pytest.raises(InputError, match="nothing is published yet: run `rag-assets ingest`"):
        open_corpus(site.root)


def test_no_project_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sources\.yaml: no such file"):
        open_corpus(tmp_path)


def test_default_scopes_hold_when_a_caller_names_none(site: Site) -> None:
    site.ingest()
    corpus = open_corpus(site.root)
    assert corpus.scopes == {"public"}
    assert corpus.collections == ("docs",)
    assert {c.source for c in corpus.chunks()} == {"docs/prices.csv", "docs/refunds.md"}


def test_a_passage_is_found_with_its_source_and_address(site: Site) -> None:
    site.ingest()
    best = open_corpus(site.root).search("price of South tier 2", k=1)[0]
    assert best.source == "docs/prices.csv"
    assert best.collection == "docs"
    assert "r3c3" in best.addresses


def test_another_scope_changes_no_byte_of_what_is_shown(site: Site) -> None:
    site.ingest()
    before = open_corpus(site.root)
    shown = (before.search("refunds takeover", k=5), before.digest, before.sources(), tuple(before.chunks()))
    site.write("secret/plan.md", "# Plan\n\nTakeover takeover takeover of refunds.\n")
    site.write("secret/more.md", "# More\n\nRefunds and more refunds.\n")
    site.ingest()
    after = open_corpus(site.root)
    assert (after.search("refunds takeover", k=5), after.digest, after.sources(), tuple(after.chunks())) == shown
    assert after.release_number != before.release_number


def test_a_source_of_another_scope_does_not_exist(site: Site) -> None:
    site.ingest()
    corpus = open_corpus(site.root)
    assert corpus.normalized("secret/plan.md") is None
    with pytest.raises(UnknownName, match=r"no source secret/plan\.md") as hidden:
        corpus.source("secret/plan.md")
    with pytest.raises(UnknownName) as missing:
        corpus.source("secret/none.md")
    assert str(hidden.value).replace("plan", "none") == str(missing.value)
    board = open_corpus(site.root, scopes={"board"})
    assert board.source("secret/plan.md").status == "ok"


def test_an_unknown_scope_is_empty(site: Site) -> None:
    site.ingest()
    corpus = open_corpus(site.root, scopes={"nobody"})
    assert corpus.search("refunds") == ()
    assert corpus.sources() == ()
    assert list(corpus.chunks()) == []


def test_an_open_corpus_stays_at_its_release(site: Site) -> None:
    site.ingest()
    old = open_corpus(site.root)
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    site.ingest()
    assert "20" in old.search("price of South tier 2", k=1)[0].text
    assert "21" in open_corpus(site.root).search("price of South tier 2", k=1)[0].text
    assert "20" in open_corpus(site.root, release=1).search("price of South tier 2", k=1)[0].text


def test_a_release_that_is_not_kept_is_unknown(site: Site) -> None:
    site.ingest()
    with pytest.raises(UnknownName, match="no release 9"):
        open_corpus(site.root, release=9)


def test_statements_are_told_by_address(site: Site) -> None:
    site.ingest()
    corpus = open_corpus(site.root)
    assert [s.text for s in corpus.statements_of("docs/prices.csv", ["r3c3"])] == ["20"]


def test_a_candidate_is_seen_before_it_is_published(site: Site) -> None:
    site.ingest()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    site.run()
    candidate = make_candidate(site.project, site.store, "run")
    corpus = Corpus.of_partitions(site.project, site.store, candidate.partitions, {"public"})
    assert "21" in corpus.search("price of South tier 2", k=1)[0].text
    assert [e.source for e in corpus.sources()] == ["docs/prices.csv", "docs/refunds.md"]
    assert "20" in open_corpus(site.root).search("price of South tier 2", k=1)[0].text
