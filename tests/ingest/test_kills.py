"""A run may be killed at any moment: readers never notice, and the next run converges."""

import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from rag_assets.corpus import open_corpus
from rag_assets.ingest.sweep import all_segments
from tests.ingest.conftest import PRICES, Site

SCRIPT = Path(__file__).with_name("one_ingest.py")
WORDS = ("alpha", "beta")


def write_sources(site: Site, word: str) -> None:
    """Every document says the same word, so that a mixture of two versions shows."""
    site.write("docs/prices.csv", PRICES.replace("North", word))
    site.write(
        "docs/refunds.md",
        f"# Refunds\n\nRefunds of {word} take days.\n\n| region | days |\n|---|---|\n| {word} | 30 |\n",
    )
    site.write("docs/note.txt", f"A note about {word}.")


def start(site: Site) -> "subprocess.Popen[str]":
    started = subprocess.Popen([sys.executable, str(SCRIPT), str(site.root)], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline() == "started\n"
    return started


def finish(site: Site) -> float:
    began = time.monotonic()
    with start(site) as running:
        assert running.wait() == 0
    return time.monotonic() - began


@dataclass
class Reader(threading.Thread):
    """Opens the published corpus again and again, and notes every error and every mixture."""

    site: Site
    stop: threading.Event = field(default_factory=threading.Event)
    opened: int = 0
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def run(self) -> None:
        while not self.stop.is_set():
            corpus = open_corpus(self.site.root)
            text = " ".join(passage.text for passage in corpus.search("refunds note region price", k=20))
            found = {word for word in WORDS if word in text}
            if len(found) != 1:
                self.faults.append(f"release {corpus.release_number}: {found}")
            self.opened += 1

    __hash__ = threading.Thread.__hash__


def kill_and_converge(site: Site, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    write_sources(site, WORDS[0])
    usual_s = finish(site)
    reader = Reader(site)
    reader.start()
    for n in range(kills):
        write_sources(site, WORDS[n % 2])
        with start(site) as running:
            time.sleep(chance.uniform(0, usual_s))
            running.send_signal(signal.SIGKILL)
        for segment in all_segments(site.store):
            assert segment.intact(deep=True)
        assert site.store.current() is not None
    write_sources(site, WORDS[1])
    finish(site)
    reader.stop.set()
    reader.join()
    assert reader.faults == []
    assert reader.opened > kills
    release = site.store.current()
    assert release is not None
    fresh = Site(site.root / "fresh", site.pool)
    fresh.root.mkdir()
    fresh.configure("name: docs, documents: ../docs, scope: public")
    wanted = {o.stage: o.segment.logical_hash for o in fresh.run().values()}
    segments = release.partitions["docs"].segments
    assert {s: site.store.segment("docs", s, d).logical_hash for s, d in segments.items()} == wanted
    assert not site.due(check="hash").anything


def test_a_killed_run_leaves_the_old_release_and_the_next_converges(site: Site) -> None:
    kill_and_converge(site, kills=4, seed=1)


@pytest.mark.slow
def test_200_kills_at_random_moments_all_converge(site: Site) -> None:
    kill_and_converge(site, kills=200, seed=2)


def test_two_ingests_at_once_leave_one_whole_release(site: Site) -> None:
    write_sources(site, WORDS[0])
    finish(site)
    write_sources(site, WORDS[1])
    with start(site) as one, start(site) as other:
        assert 0 in {one.wait(), other.wait()}
    text = " ".join(chunk.text for chunk in site.corpus().chunks())
    assert WORDS[1] in text
    assert WORDS[0] not in text
    assert not site.due().anything
