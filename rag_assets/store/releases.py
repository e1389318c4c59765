"""Releases: which segments are live, and the pointer to them.

Holds: claiming a number, replacing CURRENT, pinning and unpinning.
Add here: another move of the pointer.
Never here: what goes into a release (ingest/publish.py).
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from rag_assets.errors import StateError, UnknownName
from rag_assets.model.score import Score
from rag_assets.store.layout import CURRENT, PINNED, RELEASES, release_name
from rag_assets.store.place import LocalPlace, Stamp
from rag_assets.store.records import Pin, Release, decode, encode

KEPT_DECODED = 2
_DECODED: dict[str, tuple[Stamp, Release]] = {}


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
            current = read_current(place)
            wanted = build(current)
            if wanted is None:
                return None
            number = max(numbers(place), default=0) + 1
            release = replace(wanted, number=number, parent=current.number if current else None)
            if place.create(release_name(number), encode(release)):
                point_at(place, number)
                return release


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
        raise StateError(f"{place.path(CURRENT)}: expected the number of a release, found {content[:40]!r}") from None


def read_current(place: LocalPlace) -> Release | None:
    number = current_number(place)
    return None if number is None else read_release(place, number)


def read_release(place: LocalPlace, number: int) -> Release:
    """Raises UnknownName where there is no such release.

    A run looks at the published one a dozen times, and 10,000 sources take 40 ms to decode: the newest few stay at
    hand for as long as their file is the same.
    """
    name = release_name(number)
    path, stamp = str(place.path(name)), place.stamp(name)
    known = _DECODED.get(path)
    if known is not None and stamp is not None and known[0] == stamp:
        return known[1]
    content = place.read(name)
    if content is None:
        kept = ", ".join(str(n) for n in numbers(place)) or "none"
        raise UnknownName(f"no release {number} in {place.root}: kept are {kept}")
    release = decode(content, Release, path)
    if stamp is not None:
        _DECODED.pop(path, None)
        _DECODED[path] = (stamp, release)
        while len(_DECODED) > KEPT_DECODED:
            _DECODED.pop(next(iter(_DECODED)), None)
    return release


def read_scores(place: LocalPlace) -> tuple[ScoresOf, ...]:
    """Scores of all releases, oldest first, without their sources."""
    found = []
    for number in numbers(place):
        name = release_name(number)
        content = place.read(name)
        if content is not None:
            found.append(ScoresOf(number, decode(content, _Scores, str(place.path(name))).scores))
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
    return None if content is None else decode(content, Pin, str(place.path(PINNED)))


def resume(place: LocalPlace) -> Pin | None:
    """Lift the pin; returns the one that stood, None where nothing was pinned."""
    with place.locked(RELEASES):
        standing = pinned(place)
        place.remove(PINNED)
    return standing
