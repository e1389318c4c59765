"""Whether suddenly too many documents cannot be read.

Holds: `quarantine_jump`.
Add here: another sign that a reader broke rather than the documents.
Never here: quarantining one document (row_stages).
"""

from collections.abc import Iterable

from rag_assets.ingest import contents
from rag_assets.ingest.order import PARSED
from rag_assets.store import Store

FROM_DOCUMENTS = 20
NEWLY_BAD = 3
POINTS = 0.05
SHARE = 0.20


def quarantine_jump(store: Store, partitions: Iterable[str]) -> str | None:
    """Why a release must stop, or None: from 20 documents on, three or more newly bad and five points more than in
    the published release, or over a fifth that were not bad before.
    """
    keys = set(partitions)
    published = store.current()
    before = {e.source for e in published.sources if e.status == "quarantined"} if published else set()
    known = {e.source for e in published.sources if e.partition in keys} if published else set()
    bad: set[str] = set()
    documents = 0
    for key in keys:
        segment = store.head(key, PARSED)
        for row in contents.rows(segment) if segment else ():
            documents += 1
            if row.status == "quarantined":
                bad.add(row.source)
    new = bad - before
    if documents < FROM_DOCUMENTS or not new:
        return None
    share, share_before = len(bad) / documents, len(before & known) / max(len(known), 1)
    risen = len(new) >= NEWLY_BAD and share - share_before >= POINTS and bool(known)
    if not risen and share <= SHARE:
        return None
    some = ", ".join(sorted(new)[:3])
    return f"{len(new)} documents newly unreadable ({share:.0%} of {documents}, {share_before:.0%} before): {some}"
