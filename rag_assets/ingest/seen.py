"""What one run looks at more than once: listings of sharded collections, the published release.

Holds: `IngestOptions` and the memory that goes with it.
Add here: something that is costly to look at and must not change within one stage of a run.
Never here: anything that outlives the run.
"""

from dataclasses import dataclass, field
from typing import Literal

from rag_assets.ingest.listing import Listing, list_collection
from rag_assets.settings import Collection, Project
from rag_assets.store import Release, Store

Check = Literal["stat", "hash"]


class Seen:
    """Listing and release as they were when first asked for."""

    def __init__(self) -> None:
        self._listings: dict[str, Listing] = {}
        self._published: dict[str, Release | None] = {}

    def listing(self, project: Project, collection: Collection) -> Listing:
        if collection.name not in self._listings:
            self._listings[collection.name] = list_collection(project, collection)
        return self._listings[collection.name]

    def published(self, store: Store) -> Release | None:
        if store.url not in self._published:
            self._published[store.url] = store.current()
        return self._published[store.url]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """Make one for each stage of a run: within it a folder is listed once, however many shards it has.

    `check` "hash" looks at the bytes of every file, "stat" trusts an unchanged size and modified time.
    """

    rebuild: bool = False
    allow_empty: bool = False
    check: Check = "stat"
    seen: Seen = field(default_factory=Seen, compare=False, repr=False)
