"""A run may be killed at any moment: readers never notice, and the next run converges."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rag_assets.ingest.sweep import all_segments
from tests.ingest.conftest import PRICES, Site
from tests.ingest.one_ingest import STEPS

HERE = Path(__file__).parent
WORDS = ("alpha", "beta")
READERS = 4


def write_sources(site: Site, word: str) -> None:
    """Every document says the same word, so that a mixture of two versions shows."""
    site.write("docs/prices.csv", PRICES.replace("North", word))
    site.write(
        "docs/refunds.md",
        f"# Refunds\n\nRefunds of {word} take days.\n\n| region | days |\n|---|---|\n| {word} | 30 |\n",
    )
    site.write("docs/note.txt", f"A note about {word}.")


def start(site: Site) -> "subprocess.Popen[str]":
    """Returns once its first step begins."""
    script = str(HERE / "one_ingest.py")
    started = subprocess.Popen([sys.executable, script, str(site.root)], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline() == f"{STEPS[0]}\n"
    return started


def finish(site: Site) -> dict[str, float]:
    """An ingest that nobody kills; how long each step took, in seconds."""
    took, step, began = {}, STEPS[0], time.monotonic()
    with start(site) as running:
        assert running.stdout is not None
        for line in running.stdout:
            now = time.monotonic()
            took[step], step, began = now - began, line.strip(), now
        assert running.wait() == 0
    return took


def kill_in(site: Site, step: str, after_s: float) -> None:
    with start(site) as running:
        assert running.stdout is not None
        if step != STEPS[0]:
            for line in running.stdout:
                if line.strip() == step:
                    break
        time.sleep(after_s)
        running.send_signal(signal.SIGKILL)


@contextmanager
def readers(site: Site, opens: int) -> Iterator[None]:
    """Reader processes beside what is done meanwhile; at the end they have opened the corpus `opens` times in all."""
    stop = site.root / "stop-reading"
    command = [sys.executable, str(HERE / "reading.py"), str(site.root), str(stop), *WORDS]
    reading = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(READERS)]
    try:
        yield
    finally:
        stop.touch()
        told = [json.loads(process.communicate(timeout=60)[0]) for process in reading]
    assert [fault for one in told for fault in one["faults"]] == []
    assert sum(one["opened"] for one in told) >= opens


def kill_and_converge(site: Site, kills: int, seed: int, opens: int) -> None:
    """Step and moment are drawn; after each kill every segment is whole and something is published."""
    chance = random.Random(seed)
    write_sources(site, WORDS[0])
    took = finish(site)
    with readers(site, opens):
        for n in range(kills):
            write_sources(site, WORDS[(n + 1) % 2])
            step = chance.choice(STEPS[:-1])
            kill_in(site, step, chance.uniform(0, took[step]))
            for segment in all_segments(site.store):
                assert segment.intact(deep=True)
            assert site.store.current() is not None
        write_sources(site, WORDS[1])
        finish(site)
    assert_converged(site)


def assert_converged(site: Site) -> None:
    """What is published is what a fresh project makes of the same sources."""
    release = site.store.current()
    assert release is not None
    fresh = Site(site.root / "fresh", site.pool)
    fresh.root.mkdir()
    fresh.configure("name: docs, documents: ../docs, scope: public")
    wanted = {o.stage: o.segment.logical_hash for o in fresh.run().values()}
    segments = release.partitions["docs"].segments
    assert {s: site.store.segment("docs", s, d).logical_hash for s, d in segments.items()} == wanted
    assert not site.due(check="hash").anything


def test_ten_killed_runs_leave_the_old_release_and_the_next_converges(site: Site) -> None:
    kill_and_converge(site, kills=10, seed=1, opens=READERS * 10)


@pytest.mark.slow
def test_200_kills_at_random_steps_and_moments_all_converge(site: Site) -> None:
    kill_and_converge(site, kills=200, seed=2, opens=10_000)


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
