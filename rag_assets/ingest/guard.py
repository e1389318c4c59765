"""The mass-delete guard: a folder that is gone or nearly empty is more likely a mistake than a wish.

Holds: when a collection's removals are refused.
Add here: another sign of a mistaken removal.
Never here: what happens to a refused collection (raw.py, due.py).
"""

from collections.abc import Collection as AnyCollection

from rag_assets.ingest.contents import rows
from rag_assets.ingest.listing import Listing
from rag_assets.ingest.order import RAW
from rag_assets.settings import Collection, partitions_of
from rag_assets.store import Release, Store

GUARDED_DOCUMENTS = 10
HINT = "put them back, or pass --allow-empty"


def refusal(collection: Collection, listing: Listing, known: AnyCollection[str]) -> str | None:
    """Why the removals of this collection are refused; None where they are not.

    `known`: sources of the collection as published. Refused are a folder that is missing or holds no source, and, of
    ten or more known documents, over half gone at once.
    """
    if listing.missing:
        return f"collection {collection.name}: there is no folder {listing.root}: {HINT}"
    if not listing.files:
        return f"collection {collection.name}: {listing.root} holds no source: {HINT}"
    here = {f"{collection.name}/{file.name}" for file in listing.files}
    gone = sum(source not in here for source in known)
    if len(known) >= GUARDED_DOCUMENTS and gone * 2 > len(known):
        return f"collection {collection.name}: {gone} of {len(known)} documents are gone from {listing.root}: {HINT}"
    return None


def known_sources(store: Store, collection: Collection, published: Release | None) -> frozenset[str]:
    """As published; where the collection was never published, as last found."""
    prefix = f"{collection.name}/"
    if published is not None and any(p.collection == collection.name for p in published.partitions.values()):
        return frozenset(entry.source for entry in published.sources if entry.source.startswith(prefix))
    found: set[str] = set()
    for partition in partitions_of(collection):
        head = store.head(partition.key, RAW)
        if head is not None and head.intact():
            found.update(row.source for row in rows(head))
    return frozenset(found)
