"""Many documents newly unreadable at once point at the reader, not at the documents."""

from rag_assets.ingest.quarantine_jump import quarantine_jump
from tests.ingest.conftest import Site

BROKEN = b"PK\x03\x04 no workbook" + b"\x00" * 64


def note(site: Site, count: int) -> None:
    for n in range(count):
        site.write(f"docs/note{n}.txt", f"Note {n}.")


def test_three_newly_bad_of_twenty_are_a_jump(site: Site) -> None:
    note(site, 18)
    site.ingest()
    for n in range(3):
        (site.root / f"docs/note{n}.txt").write_bytes(b"\x00\x01\x02")
    site.run()
    why = quarantine_jump(site.store, ["docs"])
    assert why is not None
    assert why.startswith("3 documents newly unreadable (15% of 20, 0% before): docs/note0.txt")


def test_two_newly_bad_are_none(site: Site) -> None:
    note(site, 18)
    site.ingest()
    for n in range(2):
        (site.root / f"docs/note{n}.txt").write_bytes(b"\x00\x01\x02")
    site.run()
    assert quarantine_jump(site.store, ["docs"]) is None


def test_a_small_collection_is_not_judged(site: Site) -> None:
    site.ingest()
    (site.root / "docs/refunds.md").write_bytes(b"\x00\x01\x02")
    site.run()
    assert quarantine_jump(site.store, ["docs"]) is None


def test_a_first_ingest_with_over_a_fifth_unreadable_is_a_jump(site: Site) -> None:
    note(site, 18)
    for n in range(6):
        site.write(f"docs/bad{n}.xlsx", BROKEN)
    site.run()
    assert quarantine_jump(site.store, ["docs"]) is not None
