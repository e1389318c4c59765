"""What makes a run necessary, and what does not."""

import os
import time

import pytest

from rag_assets.ingest.candidate import make_candidate
from rag_assets.ingest.order import RAW
from rag_assets.ingest.publish import publish
from rag_assets.ingest.seen import IngestOptions
from rag_assets.ingest.stages import run_stage
from tests.ingest.conftest import PRICES, Site


def test_everything_is_due_before_the_first_release(site: Site) -> None:
    due = site.due()
    assert [p.key for p in due.collections] == ["docs"]
    assert due.collections[0].new == ("docs/prices.csv", "docs/refunds.md")
    assert due.evaluation_due


def test_nothing_is_due_after_a_release(site: Site) -> None:
    site.ingest()
    due = site.due()
    assert not due.anything
    assert due.fingerprint == ""


def test_changed_new_and_gone_are_told_apart(site: Site) -> None:
    site.ingest()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    site.write("docs/more.txt", "More.")
    (site.root / "docs/refunds.md").unlink()
    part = site.due().collections[0]
    assert (part.changed, part.new, part.gone) == (("docs/prices.csv",), ("docs/more.txt",), ("docs/refunds.md",))
    assert part.reasons == ("1 changed", "1 new", "1 gone")
    assert set(part.young) == {"docs/prices.csv", "docs/more.txt"}


def test_the_fingerprint_stays_until_the_content_changes_again(site: Site) -> None:
    site.ingest()
    path = site.write("docs/prices.csv", PRICES.replace("20", "21"))
    first = site.due().fingerprint
    path.touch()
    assert site.due().fingerprint == first
    site.write("docs/prices.csv", PRICES.replace("20", "22"))
    assert site.due().fingerprint != first


def test_a_same_size_edit_under_an_old_time_is_seen_by_its_bytes_only(site: Site) -> None:
    site.ingest()
    path = site.root / "docs/prices.csv"
    before = path.stat()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not site.due().anything
    assert site.due(check="hash").collections[0].changed == ("docs/prices.csv",)
    site.ingest(options=IngestOptions(check="hash"))
    assert not site.due(check="hash").anything


def test_a_change_that_was_not_published_stays_due(site: Site) -> None:
    site.ingest()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    site.run()
    assert site.due().collections[0].changed == ("docs/prices.csv",)


def test_a_revert_after_a_failed_run_is_due_though_it_equals_the_release(site: Site) -> None:
    site.ingest()
    site.write("docs/prices.csv", PRICES.replace("20", "21"))
    run_stage(site.project, site.store, site.project.partitions[0], RAW, pool=site.pool)
    site.write("docs/prices.csv", PRICES)
    assert site.due().collections[0].changed == ("docs/prices.csv",)
    site.ingest()
    assert not site.due().anything


def test_an_override_file_is_due_when_it_comes_changes_and_goes(site: Site) -> None:
    site.ingest()
    override = site.write("docs/prices.csv.tables.yaml", "tables: [{table: 1, name: price_list}]\n")
    assert site.due().collections[0].changed == ("docs/prices.csv",)
    site.ingest()
    assert not site.due().anything
    override.unlink()
    assert site.due().collections[0].changed == ("docs/prices.csv",)


def test_a_setting_is_due_for_the_stage_that_reads_it(site: Site) -> None:
    site.ingest()
    site.configure("name: docs, documents: ./docs, scope: public", settings="max_tokens: 64")
    assert site.due().collections[0].reasons == ("chunks: its settings changed",)
    site.configure("name: docs, documents: ./docs, scope: public", settings="answer_floor: 0.5")
    assert (site.due().collections, site.due().reasons) == ((), ("settings of search or answers changed",))


def test_cases_scopes_and_removed_collections_make_the_evaluation_due(site: Site) -> None:
    site.configure("name: docs, documents: ./docs, scope: public", "name: more, documents: ./docs, scope: public")
    site.ingest()
    assert site.due(cases_hash="c1").reasons == ("cases or baseline changed",)
    site.configure("name: docs, documents: ./docs, scope: private")
    due = site.due()
    assert due.removed == ("more",)
    assert due.reasons == ("no longer in sources.yaml: more", "scope changed: docs")
    assert due.collections == ()


def test_a_published_cases_hash_is_no_longer_due(site: Site) -> None:
    site.run()
    publish(site.project, site.store, make_candidate(site.project, site.store, "r", cases_hash="c1"))
    assert not site.due(cases_hash="c1").anything


@pytest.mark.parametrize("state", ["missing", "empty"])
def test_a_folder_that_is_gone_or_empty_is_refused_and_its_documents_stay(site: Site, state: str) -> None:
    first = site.ingest()
    for path in sorted((site.root / "docs").iterdir()):
        path.unlink()
    if state == "missing":
        (site.root / "docs").rmdir()
    due = site.due()
    assert list(due.refused) == ["docs"]
    assert not due.anything
    outcome = site.run()["docs raw_sources"]
    assert outcome.refused is not None
    assert "--allow-empty" in outcome.refused
    assert site.publish() is None
    assert site.store.current() == first


def test_allow_empty_lets_everything_go(site: Site) -> None:
    site.ingest()
    for path in (site.root / "docs").iterdir():
        path.unlink()
    assert site.due(allow_empty=True).collections[0].gone == ("docs/prices.csv", "docs/refunds.md")
    release = site.ingest(options=IngestOptions(allow_empty=True))
    assert release is not None
    assert release.sources == ()


def test_over_half_of_ten_documents_gone_at_once_is_refused(site: Site) -> None:
    for n in range(8):
        site.write(f"docs/note{n}.txt", f"Note {n}.")
    site.ingest()
    for n in range(5):
        (site.root / f"docs/note{n}.txt").unlink()
    assert site.due().refused == {}
    (site.root / "docs/note5.txt").unlink()
    assert "6 of 10 documents are gone" in site.due().refused["docs"]


def test_one_refused_collection_does_not_stop_the_others(site: Site) -> None:
    site.configure("name: docs, documents: ./docs, scope: public", "name: none, documents: ./nowhere, scope: public")
    release = site.ingest()
    assert release is not None
    assert [e.source for e in release.sources] == ["docs/prices.csv", "docs/refunds.md"]
    due = site.due()
    assert list(due.refused) == ["none"]
    assert not due.anything


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_becomes_readable_is_due(site: Site) -> None:
    path = site.root / "docs/prices.csv"
    path.chmod(0)
    site.ingest()
    path.chmod(0o600)
    assert site.due().collections[0].changed == ("docs/prices.csv",)


def test_settled_files_are_not_young(site: Site) -> None:
    site.ingest()
    path = site.write("docs/prices.csv", PRICES.replace("20", "21"))
    past = time.time() - 60
    os.utime(path, (past, past))
    assert site.due().young == ()
