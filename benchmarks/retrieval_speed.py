"""Index and query cost in one run beside bm25s and rank_bm25, over chunks of generated tables.

usage: retrieval_speed.py [--chunks 10000 100000] [--queries 200]

Prints CPU for build, opening and a query, the memory held, and the largest difference of a score from rank_bm25's.
All three index the same terms. rank_bm25 answers few queries: one takes half a second.
"""

import argparse
import contextlib
import io
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bm25s
import numpy as np

from rag_assets.model.chunk import Chunk, ChunkId, ChunkKind, Zone, ZoneText
from rag_assets.retrieval.analyzer import folded, tokens
from rag_assets.retrieval.index import build_index
from rag_assets.retrieval.postings import LuceneBM25, VisiblePostings
from rag_assets.retrieval.search import open_searcher
from rag_assets.retrieval.segment_files import open_segment
from rag_assets.retrieval.terms import FOLDED_ZONES, QueryTerm
from rag_assets.retrieval.weights import FOLDED_MARK, ZoneWeights
from rag_assets.settings import RetrievalSettings

SETTINGS = RetrievalSettings()
CLASS_QUERIES = 3


def chunks_of(count: int) -> list[Chunk]:
    """Records as tables give them: a caption, a label, cells; words are drawn by a Zipf law."""
    chance = random.Random(7)
    words = [f"w{n}" for n in range(60_000)]
    draws = np.random.default_rng(7).zipf(1.25, count * 40) % len(words)
    found = []
    for n in range(count):
        drawn = [words[d] for d in draws[n * 40 : n * 40 + chance.randint(16, 40)].tolist()]
        zones = (
            ZoneText(Zone.CAPTION, f"caption{n // 20} " + " ".join(drawn[:4])),
            ZoneText(Zone.LABEL, " ".join(drawn[4:7])),
            ZoneText(Zone.CELL, " ".join(drawn[7:]) + f" {n % 997},{n % 1000:03d}"),
        )
        text = "\n".join(zone.text for zone in zones)
        found.append(
            Chunk(
                id=ChunkId(f"{n:016x}"),
                kind=ChunkKind.RECORD,
                source=f"c/{n // 20}.html",
                sha256="0" * 64,
                text=text,
                tokens=60,
                order=n % 20,
                zones=zones,
            )
        )
    return found


@contextlib.contextmanager
def measured(name: str, per: int = 1) -> Iterator[None]:
    start = time.process_time()
    yield
    cost = (time.process_time() - start) / per
    print(f"  {name:<34} {cost * 1000:10.2f} ms CPU")


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def compare(count: int, n_queries: int) -> None:
    print(f"{count} chunks")
    chunks = sorted(chunks_of(count), key=lambda c: (c.source, c.order))
    weights = ZoneWeights.of(SETTINGS)
    chance = random.Random(1)
    queries = [" ".join(chance.sample(chance.choice(chunks).text.split(), 6)) for _ in range(n_queries)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        with measured("build: texts to files"):
            build_index(path, chunks, SETTINGS)
        changed = [*chunks[:-20], *(c for c in chunks_of(20))]
        with measured("build: one document changed"):
            build_index(Path(folder) / "next", changed, SETTINGS, path)
        before = resident_mb()
        start = time.perf_counter()
        searcher = open_searcher([("c", path)], SETTINGS)
        print(f"  {'open':<34} {(time.perf_counter() - start) * 1000:10.2f} ms wall")
        postings = VisiblePostings([open_segment(path)], SETTINGS.k1 * weights.multiplier, SETTINGS.b)
        searcher.search(queries[0])
        print(f"  {'memory at rest':<34} {resident_mb() - before:10.1f} MB")
        with measured("search: question to 10 passages", n_queries):
            for query in queries:
                searcher.search(query)
        _beside_others(chunks, postings, queries)


def _beside_others(chunks: list[Chunk], postings: VisiblePostings, queries: list[str]) -> None:
    texts = [chunk.text for chunk in chunks]
    before = resident_mb()
    with measured("bm25s build: texts to index"), contextlib.redirect_stderr(io.StringIO()):
        tokens = bm25s.tokenize(texts, stopwords="en", show_progress=False)
        other = bm25s.BM25(method="lucene", k1=0.9, b=0.75)
        other.index(tokens, show_progress=False)
    del tokens
    print(f"  {'bm25s memory':<34} {resident_mb() - before:10.1f} MB")
    corpus = _same_terms(chunks)
    ours = _ranking_cost(postings, queries)
    theirs = _bm25s_cost(other, queries)
    print(f"  {'scores and top 10: ours':<34} {ours * 1000:10.2f} ms CPU a query")
    print(f"  {'scores and top 10: bm25s':<34} {theirs * 1000:10.2f} ms CPU a query   ours / bm25s {ours / theirs:.2f}")
    _beside_the_class(corpus, postings, queries, ours)


def _beside_the_class(corpus: list[list[str]], postings: VisiblePostings, queries: list[str], ours: float) -> None:
    weights = ZoneWeights.of(SETTINGS)
    reference = LuceneBM25(corpus, k1=SETTINGS.k1 * weights.multiplier, b=SETTINGS.b)
    cost, gap = 0.0, 0.0
    for query in queries[:CLASS_QUERIES]:
        words = list(dict.fromkeys(query.replace(",", "").split()))
        start = time.process_time()
        expected = reference.get_scores(words)
        cost += time.process_time() - start
        gap = max(gap, float(np.abs(postings.scores([QueryTerm(w, 1.0) for w in words]) - expected).max()))
    cost /= CLASS_QUERIES
    print(f"  {'rank_bm25':<34} {cost * 1000:10.2f} ms CPU a query   rank_bm25 / ours {cost / ours:.0f}")
    print(f"  largest difference from rank_bm25: {gap:.1e}")


def _same_terms(chunks: list[Chunk]) -> list[list[str]]:
    """The terms of each chunk as the class wants them: written out as often as they count."""
    times = ZoneWeights.of(SETTINGS).times
    found = []
    for chunk in chunks:
        terms: list[str] = []
        for zone, text in chunk.zones:
            words = tokens(text)
            singulars = [FOLDED_MARK + folded(w) for w in words if w.isalpha() and zone in FOLDED_ZONES]
            terms += [*words, *singulars] * times[zone]
        found.append(terms)
    return found


def _ranking_cost(postings: VisiblePostings, queries: list[str]) -> float:
    def ask() -> None:
        for query in queries:
            found, scores = postings.best(
                [QueryTerm(w, 1.0) for w in dict.fromkeys(query.replace(",", "").split())], 10
            )
            found[np.argsort(-scores)]

    return timed(ask) / len(queries)


def _bm25s_cost(index: bm25s.BM25, queries: list[str]) -> float:
    def ask() -> None:
        for query in queries:
            tokens = bm25s.tokenize([query], stopwords="en", show_progress=False)
            index.retrieve(tokens, k=10, show_progress=False)

    return timed(ask) / len(queries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    for count in options.chunks:
        compare(count, options.queries)


if __name__ == "__main__":
    main()
