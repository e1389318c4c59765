"""An erased document is nowhere, and that can be proved."""

import pytest

from rag_assets.errors import Refused, UnknownName
from rag_assets.ingest.erase import erase
from rag_assets.ingest.traces import traces_of
from tests.ingest.conftest import PRICES, Site


def removed(site: Site) -> None:
    """Two releases with the document, one without it."""
    site.ingest()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    site.ingest()
    (site.root / "docs/refunds.md").unlink()
    site.ingest()


def test_a_removed_document_is_still_in_older_releases(site: Site) -> None:
    removed(site)
    places = {trace.place.split("/")[0] for trace in traces_of(site.store, "Refunds take fourteen  DAYS")}
    assert places == {"content", "segments"}


def test_an_erased_document_leaves_no_trace(site: Site) -> None:
    removed(site)
    erase(site.project, site.store, "docs/refunds.md")
    assert traces_of(site.store, "fourteen days") == ()
    assert traces_of(site.store, "refunds.md") == ()
    assert traces_of(site.store, "North") != ()


def test_kept_releases_serve_the_rest_after_erasing(site: Site) -> None:
    removed(site)
    erase(site.project, site.store, "docs/refunds.md")
    assert site.store.release_numbers() == (1, 2, 3)
    site.store.pin(1, "older prices")
    corpus = site.corpus()
    assert [e.source for e in corpus.sources()] == ["docs/prices.csv"]
    assert "20" in corpus.search("price of South tier 2", k=1)[0].text
    assert corpus.search("refunds fourteen") == ()


def test_nothing_is_due_after_erasing(site: Site) -> None:
    removed(site)
    erase(site.project, site.store, "docs/refunds.md")
    assert not site.due(check="hash").anything


def test_a_document_that_still_lies_in_its_folder_is_not_erased(site: Site) -> None:
    site.ingest()
    with pytest.raises(Refused, match="still lies in its folder: remove it first"):
        erase(site.project, site.store, "docs/refunds.md")


def test_an_unknown_document_is_said_to_be_unknown(site: Site) -> None:
    site.ingest()
    with pytest.raises(UnknownName, match="no kept release has a document"):
        erase(site.project, site.store, "other/none.md")
