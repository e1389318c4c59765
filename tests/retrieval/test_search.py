import gc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rag_assets.chunking.document import ChunkSettings, chunk_document
from rag_assets.errors import CorruptSegment, StateError
from rag_assets.model.chunk import Chunk, ChunkId, ChunkKind, Zone, ZoneText
from rag_assets.model.document import Block, BlockId, BlockKind
from rag_assets.model.table import Normalized
from rag_assets.retrieval.analyzer import folded, tokens
from rag_assets.retrieval.index import build_index
from rag_assets.retrieval.postings import LuceneBM25, VisiblePostings
from rag_assets.retrieval.search import Searcher, open_searcher
from rag_assets.retrieval.segment_files import open_segment
from rag_assets.retrieval.terms import FOLDED_ZONES, QueryTerm, query_terms
from rag_assets.retrieval.weights import FOLDED_MARK, WORD_WEIGHT, ZoneWeights
from rag_assets.settings import RetrievalSettings
from tests.rendering.tables import balance_sheet, prices

SETTINGS = RetrievalSettings()


def page(source: str, *texts: str, path: tuple[str, ...] = ()) -> tuple[Chunk, ...]:
    blocks = tuple(
        Block(id=BlockId(f"b{n}"), kind=BlockKind.PROSE, text=text, heading_path=(*path, str(n)))
        for n, text in enumerate(texts)
    )
    return chunk_document(source, "0" * 64, Normalized(blocks=blocks), ChunkSettings())


def tables(source: str, *found: object) -> tuple[Chunk, ...]:
    return chunk_document(source, "1" * 64, Normalized(tables=found), ChunkSettings())  # ty: ignore


def searcher(tmp_path: Path, settings: RetrievalSettings = SETTINGS, **segments: tuple[Chunk, ...]) -> Searcher:
    for name, chunks in segments.items():
        build_index(tmp_path / name, chunks, settings)
    return open_searcher([(name, tmp_path / name) for name in segments], settings)


PRICES = tables("pricing/tiers.xlsx", prices())


def test_the_row_a_question_names_comes_first(tmp_path: Path):
    first = searcher(tmp_path, pricing=PRICES).search("North region tier 3 discount")[0]
    assert first.kind == "record"
    assert "Region: North\nTier: 3\n" in first.text
    assert first.addresses == ("A17", "B17", "C17", "D17")
    assert first.selection


def test_the_table_follows_its_best_row_and_does_not_compete_with_it(tmp_path: Path):
    passages = searcher(tmp_path, pricing=PRICES).search("North tier 3", k=3)
    assert [p.kind for p in passages[:2]] == ["record", "table_rows"]
    assert passages[0].addresses[0] in passages[1].addresses
    off = searcher(tmp_path / "off", RetrievalSettings(expansion=False), pricing=PRICES)
    assert {p.kind for p in off.search("North tier 3", k=3)} == {"record"}


def test_a_question_about_what_there_is_finds_the_summary(tmp_path: Path):
    found = searcher(tmp_path, pricing=PRICES).search("columns rows values lookup tool", kinds=frozenset({"summary"}))
    assert [p.kind for p in found] == ["summary"]
    assert found[0].tool == "lookup_discount_tiers"


def test_asked_for_tables_the_tables_of_the_best_rows_come(tmp_path: Path):
    found = searcher(tmp_path, pricing=PRICES).search("North tier 3", kinds=frozenset({"table", "table_rows"}))
    assert {p.kind for p in found} == {"table_rows"}
    assert "A17" in found[0].addresses


def test_words_are_counted_after_expansion_and_never_passed(tmp_path: Path):
    search = searcher(tmp_path, pricing=PRICES)
    for words in (0, 1, 20, 60, 200, 1000):
        assert sum(len(p.text.split()) for p in search.search("North tier discount", k=50, words=words)) <= words
    assert len(search.search("North tier discount", k=2)) == 2
    assert search.search("North tier discount", k=0) == ()


def test_the_same_text_in_several_documents_is_one_passage_that_names_all(tmp_path: Path):
    search = searcher(tmp_path, a=page("a/x.md", "Refunds take 30 days."), b=page("b/y.md", "Refunds take 30 days."))
    found = search.search("refunds")
    assert len(found) == 1
    assert {found[0].source, *(o.source for o in found[0].also)} == {"a/x.md", "b/y.md"}
    inside = search.search("refunds", collections=frozenset({"b"}))
    assert [(p.source, p.also) for p in inside] == [("b/y.md", ())]


def test_the_same_words_under_another_heading_stay_apart(tmp_path: Path):
    chunks = (*page("a/x.md", "Fee: 3", path=("Fees 2025",)), *page("a/y.md", "Fee: 3", path=("Fees 2026",)))
    assert len(searcher(tmp_path, a=chunks).search("fee")) == 2


def test_equal_scores_stand_in_order_of_chunk_id(tmp_path: Path):
    chunks = tuple(c for n in range(300) for c in page(f"a/{n}.md", f"word {n}"))
    found = searcher(tmp_path, a=chunks).search("word", k=300)
    assert [p.chunk for p in found] == sorted(c.id for c in chunks)


def test_a_segment_that_is_not_visible_shows_nowhere(tmp_path: Path):
    alone = searcher(tmp_path / "1", a=page("a/x.md", "north fee"))
    build_index(tmp_path / "1" / "b", page("b/y.md", "north fee secret"), SETTINGS)
    assert alone.search("secret") == ()
    assert (
        alone.search("north")[0].score
        == searcher(tmp_path / "2", a=page("a/x.md", "north fee")).search("north")[0].score
    )


def test_shards_of_a_collection_rank_as_one_segment_does(tmp_path: Path):
    chunks = tuple(c for n in range(40) for c in page(f"a/{n}.md", f"fee {n % 7} north {n % 3}", "other text"))
    whole = searcher(tmp_path / "whole", a=chunks)
    parts = [("a/00", tmp_path / "p0"), ("a/01", tmp_path / "p1")]
    build_index(tmp_path / "p0", [c for c in chunks if int(c.source[2]) % 2], SETTINGS)
    build_index(tmp_path / "p1", [c for c in chunks if not int(c.source[2]) % 2], SETTINGS)
    shards = open_searcher(parts, SETTINGS)
    assert [(p.chunk, p.score) for p in whole.search("fee 3 north", k=40)] == [
        (p.chunk, p.score) for p in shards.search("fee 3 north", k=40)
    ]
    assert {p.collection for p in shards.search("fee")} == {"a"}


def plain_terms(chunk: Chunk, weights: ZoneWeights) -> list[str]:
    found = []
    for zone, text in chunk.zones:
        words = tokens(text)
        singulars = [FOLDED_MARK + folded(word) for word in words if word.isalpha() and zone in FOLDED_ZONES]
        found += [*words, *singulars] * weights.times[zone]
    return found


@pytest.mark.parametrize("settings", [SETTINGS, RetrievalSettings(prose_weight=0.3, k1=1.2, b=0.4)])
def test_compiled_scores_equal_the_class(tmp_path: Path, settings: RetrievalSettings):
    chunks = (*PRICES, *tables("f/b.html", balance_sheet()), *page("p/x.md", "North discounts apply", "tier 3 of 5"))
    search = searcher(tmp_path, settings, a=chunks)
    weights = ZoneWeights.of(settings)
    parents = {c.parent for c in chunks}
    ranked = sorted((c for c in chunks if c.id not in parents), key=lambda c: (c.source, c.order))
    corpus = [plain_terms(c, weights) for c in ranked]
    reference = LuceneBM25(corpus, k1=settings.k1 * weights.multiplier, b=settings.b)
    files = open_segment(tmp_path / "a")
    postings = VisiblePostings([files], settings.k1 * weights.multiplier, settings.b)
    for query in ("North region tier 3 discount", "cash 2026", "unknown", "discounts", "tiers regional"):
        terms = query_terms(query, "en")
        repeated = [t.term for t in terms for _ in range(round(t.weight * WORD_WEIGHT))]
        expected = reference.get_scores(repeated) / WORD_WEIGHT
        assert postings.scores(terms)[files.arrays.ranked] == pytest.approx(expected, abs=1e-9)
        assert postings.scores(terms)[~files.arrays.ranked].sum() == 0
        plain = [QueryTerm(t.term, 1.0) for t in terms]
        assert (
            np.abs(postings.scores(plain)[files.arrays.ranked] - reference.get_scores([t.term for t in terms])).max()
            < 1e-9
        )
    assert search.size == len(chunks)


def test_idf_is_positive_on_two_rows(tmp_path: Path):
    search = searcher(tmp_path, a=(*page("a/n.md", "North fee 3"), *page("a/s.md", "South fee 4")))
    assert [p.source for p in search.search("north fee")] == ["a/n.md", "a/s.md"]
    assert all(p.score > 0 for p in search.search("fee"))


def test_coverage_weighs_unknown_words_as_the_rarest(tmp_path: Path):
    search = searcher(tmp_path, pricing=PRICES)
    on_topic = "North tier 3 discount"
    assert search.coverage(on_topic, search.search(on_topic)) == 1.0
    off_topic = "boiling point of mercury"
    assert search.coverage(off_topic, search.search(on_topic)) == 0.0
    half = search.coverage("North zeppelin", search.search("North"))
    assert 0 < half < 0.5
    assert search.coverage("", search.search(on_topic)) == 0.0
    assert search.coverage("discounts", search.search("discount")) == 1.0


def test_explained_shares_sum_to_the_score(tmp_path: Path):
    for passage in searcher(tmp_path, pricing=PRICES).search("North tier 3 discounts", explain=True):
        assert passage.explanation is not None
        assert sum(s.share for s in passage.explanation.terms) == pytest.approx(passage.score)
        assert passage.explanation.view in {"itself", "expanded"}


def test_rank_of_counts_hits_before_expansion(tmp_path: Path):
    search = searcher(tmp_path, pricing=PRICES)
    assert search.rank_of("North tier 3", lambda c: "A17" in c.addresses) == 1
    assert search.rank_of("North tier 3", lambda c: c.kind is ChunkKind.PROSE) is None


def test_chunks_come_back_as_they_went_in_but_for_zones(tmp_path: Path):

    stored = list(searcher(tmp_path, pricing=PRICES).chunks())
    assert stored == [replace(c, zones=()) for c in PRICES]


def test_an_empty_segment_finds_nothing(tmp_path: Path):
    search = searcher(tmp_path, a=())
    assert search.search("anything") == ()
    assert open_searcher([], SETTINGS).search("anything") == ()


def test_a_folder_that_is_no_index_says_so(tmp_path: Path):
    with pytest.raises(CorruptSegment, match="not an index segment"):
        open_searcher([("a", tmp_path)], SETTINGS)


def test_a_passage_is_found_by_its_chunk(tmp_path: Path):
    search = searcher(tmp_path, pricing=PRICES)
    found = search.passage(PRICES[1].id)
    assert found is not None
    assert found.text == PRICES[1].text
    assert search.passage("no such chunk") is None


def test_an_open_segment_takes_two_file_descriptors(tmp_path: Path):
    build_index(tmp_path / "a", PRICES, SETTINGS)
    before = len(list(Path("/proc/self/fd").iterdir()))
    search = open_searcher([(f"a/{n:02d}", tmp_path / "a") for n in range(10)], SETTINGS)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 20
    search.search("North tier 3")
    del search
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_an_index_of_an_older_format_says_what_to_do(tmp_path: Path):
    build_index(tmp_path / "a", PRICES, SETTINGS)
    header = tmp_path / "a" / "index.json"
    header.write_text(header.read_text().replace('"format": 2', '"format": 1'))
    with pytest.raises(StateError, match="older than 2: run `rag-assets ingest`"):
        open_searcher([("a", tmp_path / "a")], SETTINGS)
    assert build_index(tmp_path / "b", PRICES, SETTINGS, tmp_path / "a").reused == 0


def test_more_than_65536_chunks_keep_their_numbers(tmp_path: Path):
    base = page("a/x.md", "filler")[0]
    chunks = [replace(base, id=ChunkId(f"{n:016x}"), order=n) for n in range(66_000)]
    chunks[65_990] = replace(chunks[65_990], text="needle", zones=(ZoneText(Zone.TEXT, "needle"),))
    assert [p.chunk for p in searcher(tmp_path, a=tuple(chunks)).search("needle")] == [f"{65_990:016x}"]


@pytest.mark.parametrize("asked", ["What is the highest discount anywhere?", "Is there a tier for North?"])
def test_a_question_over_all_rows_gets_the_summary_of_the_table_that_is_hit(tmp_path: Path, asked: str):
    found = searcher(tmp_path, pricing=PRICES)
    assert "summary" in [passage.kind for passage in found.search(asked, k=3)]
    assert "summary" not in [passage.kind for passage in found.search("North tier 3 discount", k=3)]
