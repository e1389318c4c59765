"""What one run looks at more than once: listings of sharded collections, the published release.

Holds: `IngestOptions` and the memory that goes with it.
Add here: something that is costly to look at and must not change within one stage of a run.
Never here: anything that outlives the run.
"""

from dataclasses import dataclass, field
from typing import Literal

from rag_assets.errors import InputError
from rag_assets.ingest.guard import known_sources, refusal
from rag_assets.ingest.listing import ListedFile, Listing, by_shard, list_collection
from rag_assets.settings import Collection, Partition, Project
from rag_assets.store import Release, Store

Check = Literal["stat", "hash"]


class Seen:
    """Listing and release as they were when first asked for."""

    def __init__(self) -> None:
        self._listings: dict[str, Listing] = {}
        self._shards: dict[str, dict[int, tuple[ListedFile, ...]]] = {}
        self._refusals: dict[str, str | None] = {}
        self._published: dict[str, Release | None] = {}

    def listing(self, project: Project, collection: Collection) -> Listing:
        if collection.name not in self._listings:
            self._listings[collection.name] = list_collection(project, collection)
        return self._listings[collection.name]

    def files(self, project: Project, partition: Partition) -> tuple[ListedFile, ...]:
        """Those of the listing that belong to the partition."""
        name = partition.collection.name
        if name not in self._shards:
            self._shards[name] = by_shard(self.listing(project, partition.collection), partition.shards)
        return self._shards[name].get(partition.shard, ())

    def refusal(self, project: Project, store: Store, collection: Collection) -> str | None:
        """Why the removals of this collection are refused."""
        if collection.name not in self._refusals:
            known = known_sources(store, collection, self.published(store))
            try:
                found = refusal(collection, self.listing(project, collection), known)
            except InputError as fault:
                found = f"collection {collection.name}: {fault}"
            self._refusals[collection.name] = found
        return self._refusals[collection.name]

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
