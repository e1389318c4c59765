"""Releases: which segments are live, and the pointer to them.

Holds: claiming a number, replacing CURRENT, pinning and unpinning.
Add here: another move of the pointer.
Never here: what goes into a release (ingest/publish.py).
"""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

import msgspec

from rag_assets.errors import StateError, UnknownName
from rag_assets.model.score import Score
from rag_assets.store.layout import CURRENT, PINNED, RELEASES, release_name
from rag_assets.store.place import LocalPlace
from rag_assets.store.records import Pin, Release, decode, encode

CLAIM_S = 10.0


class ScoresOf(NamedTuple):
    release: int
    scores: dict[str, Score]


class _Scores(msgspec.Struct):
    scores: dict[str, Score] = {}


Build = Callable[[Release | None], Release | None]


def claim_release(place: LocalPlace, build: Build) -> Release | None:
    """Write what `build` makes of the published release under the next free number and point CURRENT at it.

    `build` is given the release that is current and returns the next one (its number and parent are set here), or
    None: then nothing is written. A writer that was overtaken builds again on the newest. A crash before CURRENT is
    replaced leaves the old release.
    """
    with place.locked(RELEASES):
        while True:
            last = max(numbers(place), default=0)
            current = _settled(place, last)
            wanted = build(current)
            if wanted is None:
                return None
            release = replace(wanted, number=last + 1, parent=current.number if current else None)
            if place.create(release_name(release.number), encode(release)):
                point_at(place, release.number)
                return release


def _settled(place: LocalPlace, last: int) -> Release | None:
    """The current release. On object storage no lock holds other machines: one that has claimed the last number and
    not moved the pointer yet is waited for, as it must be built upon; one that died in between is not."""
    deadline = time.monotonic() + (CLAIM_S if place.url else 0)
    current = current_number(place)
    while (current or 0) < last and place.read(PINNED) is None and time.monotonic() < deadline:
        time.sleep(CLAIM_S / 50)
        current = current_number(place)
    return None if current is None else read_release(place, current)


def point_at(place: LocalPlace, number: int) -> None:
    place.write(CURRENT, f"{number}\n".encode())


def numbers(place: LocalPlace) -> tuple[int, ...]:
    stems = (name.removesuffix(".json") for name in place.names(RELEASES) if name.endswith(".json"))
    return tuple(sorted(int(stem) for stem in stems if stem.isdecimal()))


def current_number(place: LocalPlace) -> int | None:
    content = place.read(CURRENT)
    if content is None:
        return None
    try:
        return int(content)
    except ValueError:
        raise StateError(f"{place.shown(CURRENT)}: expected the number of a release, found {content[:40]!r}") from None


def read_current(place: LocalPlace) -> Release | None:
    number = current_number(place)
    return None if number is None else read_release(place, number)


def read_release(place: LocalPlace, number: int) -> Release:
    """Raises UnknownName where there is no such release."""
    name = release_name(number)
    content = place.read(name)
    if content is None:
        kept = ", ".join(str(n) for n in numbers(place)) or "none"
        raise UnknownName(f"no release {number} in {place.url or place.root}: kept are {kept}")
    return _decoded(content, place.shown(name))


@lru_cache(maxsize=2)
def _decoded(content: bytes, where: str) -> Release:
    """The last ones are kept: a run asks for the same release a dozen times, and 100,000 sources take half a second."""
    return decode(content, Release, where)


def read_scores(place: LocalPlace) -> tuple[ScoresOf, ...]:
    """Scores of all releases, oldest first, without their sources."""
    found = []
    for number in numbers(place):
        name = release_name(number)
        content = place.read(name)
        if content is not None:
            found.append(ScoresOf(number, decode(content, _Scores, place.shown(name)).scores))
    return tuple(found)


def pin(place: LocalPlace, number: int, why: str) -> Pin:
    """Roll back: CURRENT is this release and stays it until the pin is lifted."""
    release = read_release(place, number)
    standing = Pin(release=release.number, why=why, created=datetime.now(UTC).isoformat(timespec="seconds"))
    with place.locked(RELEASES):
        place.write(PINNED, encode(standing))
        point_at(place, release.number)
    return standing


def pinned(place: LocalPlace) -> Pin | None:
    content = place.read(PINNED)
    return None if content is None else decode(content, Pin, place.shown(PINNED))


def resume(place: LocalPlace) -> Pin | None:
    """Lift the pin; returns the one that stood, None where nothing was pinned."""
    with place.locked(RELEASES):
        standing = pinned(place)
        place.remove(PINNED)
    return standing
