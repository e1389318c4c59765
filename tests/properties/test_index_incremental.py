"""An index built from its predecessor equals one built from scratch, whatever happened to the documents."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rag_assets.chunking.document import ChunkSettings, chunk_document
from rag_assets.model.chunk import Chunk
from rag_assets.model.document import Block, BlockId, BlockKind
from rag_assets.model.table import Normalized
from rag_assets.retrieval.index import build_index, logical_hash
from rag_assets.retrieval.search import open_searcher
from rag_assets.settings import RetrievalSettings
from tests.rendering.tables import prices

SETTINGS = RetrievalSettings()
NAMES = st.sampled_from(["a/1.md", "a/2.md", "a/3.md", "a/4.md"])
WORDS = st.sampled_from(["north", "south", "fee", "tiers", "3", "12%", "東京", "zeta", "the"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), max_size=3)
QUERIES = ("north fee", "tier 3 12%", "東京 zeta", "nothing known")


def document(name: str, texts: list[str], rows: int) -> tuple[Chunk, ...]:
    blocks = tuple(Block(id=BlockId(f"b{n}"), kind=BlockKind.PROSE, text=text) for n, text in enumerate(texts))
    tables = (prices(rows, lookup=rows > 3),) if rows else ()
    return chunk_document(name, "0", Normalized(tables=tables, blocks=blocks), ChunkSettings(max_tokens=64))


class Documents(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.documents: dict[str, tuple[Chunk, ...]] = {}
        self.builds = 0
        self.previous: Path | None = None

    @rule(name=NAMES, texts=TEXTS, rows=st.integers(0, 5))
    def put(self, name: str, texts: list[str], rows: int) -> None:
        self.documents[name] = document(name, texts, rows)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        self.documents.pop(name, None)

    @invariant()
    def incremental_equals_from_scratch(self) -> None:
        chunks = [c for found in self.documents.values() for c in found]
        self.builds += 1
        built = self.folder / f"{self.builds}"
        scratch = self.folder / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        counts = build_index(built, chunks, SETTINGS, self.previous)
        build_index(scratch, list(reversed(chunks)), SETTINGS)
        assert counts.analyzed + counts.reused == counts.ranked
        assert logical_hash(built) == logical_hash(scratch)
        one, other = open_searcher([("a", built)], SETTINGS), open_searcher([("a", scratch)], SETTINGS)
        for query in QUERIES:
            assert one.search(query, k=50) == other.search(query, k=50)
            assert {p.source for p in one.search(query, k=50)} <= set(self.documents)
        if self.previous:
            shutil.rmtree(self.previous)
        self.previous = built

    def teardown(self) -> None:
        shutil.rmtree(self.folder)


def _runs(machine: type[RuleBasedStateMachine], examples: int) -> type:
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    machine.TestCase.settings = settings(
        max_examples=examples, stateful_step_count=8, deadline=None, suppress_health_check=quiet, database=None
    )
    return machine.TestCase


TestIncrementalIndex = _runs(Documents, 50)


@pytest.mark.slow
class TestIncrementalIndexAtLength(_runs(type("ManyDocuments", (Documents,), {}), 1000)):
    pass


def test_what_is_unchanged_is_not_analyzed_again(tmp_path: Path):
    first = [*document("a/1.md", ["north fee"], 5), *document("a/2.md", ["south"], 0)]
    build_index(tmp_path / "1", first, SETTINGS)
    second = [*document("a/1.md", ["north fee"], 5), *document("a/2.md", ["south zeta"], 0)]
    counts = build_index(tmp_path / "2", second, SETTINGS, tmp_path / "1")
    assert counts.analyzed == 1
    assert counts.reused == counts.ranked - 1


def test_nothing_of_a_deleted_document_is_left_in_the_files(tmp_path: Path):
    build_index(tmp_path / "1", [*document("a/1.md", ["secretword"], 0), *document("a/2.md", ["fee"], 0)], SETTINGS)
    build_index(tmp_path / "2", document("a/2.md", ["fee"], 0), SETTINGS, tmp_path / "1")
    assert not any(b"secretword" in p.read_bytes() for p in (tmp_path / "2").iterdir())


def test_other_weights_make_a_new_index(tmp_path: Path):
    chunks = document("a/1.md", ["north fee"], 5)
    build_index(tmp_path / "1", chunks, SETTINGS)
    other = RetrievalSettings(label_weight=5)
    assert build_index(tmp_path / "2", chunks, other, tmp_path / "1").reused == 0
