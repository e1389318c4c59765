"""The quarantine jump: many documents that cannot be read at once are a fault of ours, or of a disk.

Holds: when the quarantined share of a collection counts as a jump.
Add here: another sign of it.
Never here: why one document is quarantined (readers/).
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from rag_assets.store import SourceEntry

FROM_DOCUMENTS = 20
NEWLY_BAD = 3
POINTS = 0.05
SHARE = 0.20


class Jump(NamedTuple):
    collection: str
    quarantined: int
    documents: int
    newly_bad: int

    @property
    def sentence(self) -> str:
        return (
            f"{self.collection}: {self.quarantined} of {self.documents} documents are quarantined, {self.newly_bad} of "
            "them newly: see `rag-assets status --quarantine`"
        )


def jumps(entries: Iterable[SourceEntry], published: Iterable[SourceEntry]) -> tuple[Jump, ...]:
    """From 20 documents on: three or more newly bad and five points more than published, or newly over a fifth."""
    now, before = _by_collection(entries), _by_collection(published)
    found = []
    for collection, here in now.items():
        bad = {entry.source for entry in here if entry.status == "quarantined"}
        was = before.get(collection, [])
        was_bad = {entry.source for entry in was if entry.status == "quarantined"}
        share, share_before = len(bad) / len(here), len(was_bad) / len(was) if was else 0.0
        new = len(bad - was_bad)
        grew = new >= NEWLY_BAD and share - share_before >= POINTS
        if len(here) >= FROM_DOCUMENTS and new and (grew or share > SHARE >= share_before):
            found.append(Jump(collection, len(bad), len(here), new))
    return tuple(found)


def _by_collection(entries: Iterable[SourceEntry]) -> dict[str, list[SourceEntry]]:
    grouped: dict[str, list[SourceEntry]] = defaultdict(list)
    for entry in entries:
        grouped[entry.source.split("/", 1)[0]].append(entry)
    return grouped
