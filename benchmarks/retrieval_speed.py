"""Index and query cost in one run beside bm25s and rank_bm25, over chunks of generated tables.

usage: retrieval_speed.py [--chunks 10000 100000] [--queries 1000]

Prints CPU for build, opening and a query, the memory at rest, and the largest difference of a score from rank_bm25's.
All three answer the same questions; each question is asked once, so that nothing is known of most of its terms.
Opening is that of a published segment: every file is checked against its sha256. Memory is what a fresh process grows
by when it opens the index and answers questions: private pages, and pages of files, which the system can take back.
rank_bm25 answers few questions: one takes a sixth of a second at 100,000 chunks.
"""

import argparse
import gc
import json
import logging
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bm25s
import numpy as np

from rag_assets.model.chunk import Chunk, ChunkId, ChunkKind, Zone, ZoneText
from rag_assets.retrieval.analyzer import folded, tokens
from rag_assets.retrieval.index import build_index
from rag_assets.retrieval.postings import LuceneBM25, VisiblePostings
from rag_assets.retrieval.search import Searcher, open_searcher
from rag_assets.retrieval.segment_files import open_segment
from rag_assets.retrieval.term_scores import Ints
from rag_assets.retrieval.terms import FOLDED_ZONES, QueryTerm
from rag_assets.retrieval.weights import FOLDED_MARK, ZoneWeights
from rag_assets.settings import RetrievalSettings
from rag_assets.store.place import LocalPlace
from rag_assets.store.records import SegmentFacts
from rag_assets.store.segments import SegmentDraft

SETTINGS = RetrievalSettings()
CLASS_QUERIES = 20
MEMORY_QUERIES = 20


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


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def line(name: str, seconds: float, beside: str = "") -> None:
    print(f"  {name:<42} {seconds * 1000:10.2f} ms CPU   {beside}", flush=True)


def compare(count: int, n_queries: int) -> None:
    print(f"{count} chunks")
    chunks = sorted(chunks_of(count), key=lambda c: (c.source, c.order))
    chance = random.Random(1)
    queries = [" ".join(chance.sample(chance.choice(chunks).text.split(), 6)) for _ in range(n_queries)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        other = _builds(folder, chunks)
        _opening(folder, queries)
        _queries(folder / "index", other, chunks, queries)


def _builds(folder: Path, chunks: list[Chunk]) -> bm25s.BM25:
    """Twice each, in turn; the cheaper one counts."""
    other = bm25s.BM25(method="lucene", k1=SETTINGS.k1, b=SETTINGS.b)

    def build_theirs() -> None:
        tokens = bm25s.tokenize([chunk.text for chunk in chunks], stopwords="en", show_progress=False)
        other.index(tokens, show_progress=False)
        other.save(folder / "bm25s")

    ours, theirs = [], []
    for n in range(2):
        ours.append(timed(lambda n=n: build_index(folder / ("index", "again")[n], chunks, SETTINGS)))
        theirs.append(timed(build_theirs))
    line("build, texts to files: bm25s", min(theirs))
    line("build, texts to files: ours", min(ours), f"ours / bm25s {min(ours) / min(theirs):.2f}")
    changed = [*chunks[:-20], *(c for c in chunks_of(20))]
    line(
        "build, one document changed", timed(lambda: build_index(folder / "next", changed, SETTINGS, folder / "index"))
    )
    return other


def _opening(folder: Path, queries: list[str]) -> None:
    with SegmentDraft(LocalPlace(folder / "state"), "c", "bm25_index", "0" * 64) as draft:
        shutil.copytree(folder / "index", draft.path, dirs_exist_ok=True)
        segment = draft.publish(SegmentFacts(key="0" * 64))
    found: list[Searcher] = []

    def open_published() -> None:
        for name in segment.files:
            segment.path(name)
        found.append(open_searcher([("c", Path(segment.folder))], SETTINGS))

    line("open a published index", timed(open_published))
    cost = timed(lambda: [found[0].search(query) for query in queries]) / len(queries)
    line("search, question to 10 passages", cost)
    (folder / "queries.json").write_text(json.dumps(queries[:MEMORY_QUERIES]))
    for name in ("ours", "bm25s"):
        done = subprocess.run([sys.executable, __file__, "--memory", name, folder], stdout=subprocess.PIPE, check=True)
        print(f"  memory at rest: {name:<26} {done.stdout.decode().strip()}")


def memory_of(name: str, folder: Path) -> None:
    """In a process of its own: growth by opening an index and answering questions."""
    queries = json.loads((folder / "queries.json").read_text())
    before = resident()
    if name == "ours":
        searcher = open_searcher([("c", folder / "index")], SETTINGS)
        for query in queries:
            searcher.search(query)
    else:
        index = bm25s.BM25.load(folder / "bm25s")
        for query in queries:
            index.retrieve(bm25s.tokenize([query], stopwords="en", show_progress=False), k=10, show_progress=False)
    gc.collect()
    private, of_files = (after - then for after, then in zip(resident(), before, strict=True))
    print(f"{private + of_files:8.1f} MB, {private:.1f} of them private")


def resident() -> tuple[float, float]:
    """Megabytes: private pages, pages of files."""
    lines = dict(row.split(":") for row in Path("/proc/self/status").read_text().splitlines() if row.startswith("Rss"))
    anonymous, of_files = (int(lines[key].split()[0]) / 1000 for key in ("RssAnon", "RssFile"))
    return anonymous, of_files


def _queries(path: Path, other: bm25s.BM25, chunks: list[Chunk], queries: list[str]) -> None:
    weights = ZoneWeights.of(SETTINGS)
    postings = VisiblePostings([open_segment(path)], SETTINGS.k1 * weights.multiplier, SETTINGS.b)
    theirs = timed(lambda: [_theirs(other, query) for query in queries]) / len(queries)
    ours = timed(lambda: [_ours(postings, query) for query in queries]) / len(queries)
    reference = LuceneBM25(_same_terms(chunks), k1=SETTINGS.k1 * weights.multiplier, b=SETTINGS.b)
    asked = queries[:CLASS_QUERIES]
    of_class = timed(lambda: [np.argsort(reference.get_scores(_words(query)))[-10:] for query in asked]) / len(asked)
    gap = max(
        float(np.abs(postings.scores([QueryTerm(w, 1.0) for w in _words(q)]) - reference.get_scores(_words(q))).max())
        for q in asked
    )
    line("scores and top 10: bm25s", theirs)
    line("scores and top 10: rank_bm25", of_class)
    line("scores and top 10: ours", ours, f"ours / bm25s {ours / theirs:.2f}   rank_bm25 / ours {of_class / ours:.0f}")
    print(f"  largest difference from rank_bm25: {gap:.1e}")


def _words(query: str) -> list[str]:
    return list(dict.fromkeys(query.replace(",", "").split()))


def _ours(postings: VisiblePostings, query: str) -> Ints:
    found, scores = postings.best([QueryTerm(word, 1.0) for word in _words(query)], 10)
    return found[np.argsort(-scores)][:10]


def _theirs(index: bm25s.BM25, query: str) -> object:
    return index.retrieve(bm25s.tokenize([query], stopwords="en", show_progress=False), k=10, show_progress=False)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--memory", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    logging.disable(logging.INFO)
    if options.memory:
        memory_of(options.memory[0], Path(options.memory[1]))
        return
    for count in options.chunks:
        compare(count, options.queries)


if __name__ == "__main__":
    main()
