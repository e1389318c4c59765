"""Segments appear whole or not at all."""

from pathlib import Path

import pytest

from rag_assets.errors import BrokenChain, CorruptSegment, StateError
from rag_assets.model.score import Score
from rag_assets.store import Segment, SegmentFacts, Store


def make_segment(store: Store, digest: str, text: str = "rows") -> Segment:
    with store.new_segment("pricing/00", "chunks", digest) as draft:
        (draft.path / "chunks.parquet").write_text(text)
        return draft.publish(SegmentFacts(key=digest, counts={"chunks": 1}, scores={"hit@1": Score(None, 0, 3)}))


def test_a_segment_reads_back_as_it_was_published(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    made = make_segment(store, "d1")
    assert store.segment("pricing/00", "chunks", "d1") == made
    assert made.path("chunks.parquet").read_text() == "rows"
    assert made.scores["hit@1"] == Score(None, 0, 3)


def test_a_draft_is_invisible_and_leaves_nothing_when_abandoned(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    with store.new_segment("pricing", "chunks", "d1") as draft:
        (draft.path / "half").write_text("half")
        assert store.find_segment("pricing", "chunks", "d1") is None
    assert list((tmp_path / "segments" / "pricing" / "chunks").iterdir()) == []


def test_the_first_of_two_equal_segments_stays(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    first = make_segment(store, "d1", "one")
    second = make_segment(store, "d1", "two")
    assert first == second
    assert second.path("chunks.parquet").read_text() == "one"


def test_a_damaged_segment_is_replaced(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    first = make_segment(store, "d1", "one")
    (Path(first.folder) / "chunks.parquet").write_text("")
    assert not first.intact()
    second = make_segment(store, "d1", "one")
    assert second.intact(deep=True)


def test_a_file_that_differs_from_its_manifest_is_refused(tmp_path: Path) -> None:
    segment = make_segment(Store(str(tmp_path)), "d1", "rows")
    (Path(segment.folder) / "chunks.parquet").write_text("worm")
    assert segment.intact()
    assert not segment.intact(deep=True)
    with pytest.raises(CorruptSegment, match=r"sha256 is .* build it again"):
        segment.path("chunks.parquet")


def test_a_segment_that_is_gone_is_a_broken_chain(tmp_path: Path) -> None:
    with pytest.raises(BrokenChain, match="segment pricing chunks abc is gone"):
        Store(str(tmp_path)).segment("pricing", "chunks", "abc")


def test_heads_name_the_newest_segment_of_each_stage(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    make_segment(store, "d1")
    store.set_head("pricing/00", "chunks", "d1")
    store.set_head("pricing/00", "raw_sources", "r1")
    assert store.heads("pricing/00").stages == {"chunks": "d1", "raw_sources": "r1"}
    head = store.head("pricing/00", "chunks")
    assert head is not None
    assert head.digest == "d1"


def test_content_is_written_once_and_missed_aloud(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "state"))
    (tmp_path / "a.csv").write_text("a,b\n")
    path = store.put_content(tmp_path / "a.csv", "f00")
    (tmp_path / "a.csv").write_text("other")
    store.put_content(tmp_path / "a.csv", "f00")
    assert path.read_text() == "a,b\n"
    with pytest.raises(StateError, match="the bytes of this source are gone"):
        store.content_path("beef")


def test_a_damaged_memo_is_as_good_as_none(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write_memo("listing/a", {"x": 1})
    assert store.read_memo("listing/a", dict[str, int], {}) == {"x": 1}
    (tmp_path / "memos" / "listing" / "a.json").write_text("{")
    assert store.read_memo("listing/a", dict[str, int], {}) == {}
