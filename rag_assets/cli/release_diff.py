"""What differs between two releases, cell by cell.

Holds: `changes_between`.
Add here: another kind of difference.
Never here: printing it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rag_assets.ingest.contents import normalized
from rag_assets.ingest.order import NORMALIZED
from rag_assets.model.table import Normalized
from rag_assets.store import Release, Store


class CellChange(NamedTuple):
    """`before` None: the cell is new; `after` None: it is gone."""

    source: str
    address: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    cells: tuple[CellChange, ...]


def changes_between(store: Store, before: Release, after: Release) -> Changes:
    """Documents by the hash of the version that is served; cells of the changed ones by address."""
    old = {e.source: e.served_sha256 for e in before.sources if e.served_sha256}
    new = {e.source: e.served_sha256 for e in after.sources if e.served_sha256}
    changed = tuple(sorted(source for source in old.keys() & new.keys() if old[source] != new[source]))
    cells: list[CellChange] = []
    earlier, later = _documents(store, before, changed), _documents(store, after, changed)
    for source in changed:
        cells += _cell_changes(source, earlier.get(source), later.get(source))
    return Changes(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=changed,
        cells=tuple(cells),
    )


def _documents(store: Store, release: Release, sources: Iterable[str]) -> dict[str, Normalized]:
    wanted = set(sources)
    found: dict[str, Normalized] = {}
    for entry_partition in sorted({e.partition for e in release.sources if e.source in wanted}):
        digest = release.partitions[entry_partition].segments[NORMALIZED]
        for source, document in normalized(store.segment(entry_partition, NORMALIZED, digest), wanted):
            found[source] = document
    return found


def _cell_changes(source: str, before: Normalized | None, after: Normalized | None) -> Iterable[CellChange]:
    old, new = _texts(before), _texts(after)
    for address in [*old, *(a for a in new if a not in old)]:
        if old.get(address) != new.get(address):
            yield CellChange(source, address, old.get(address), new.get(address))


def _texts(document: Normalized | None) -> dict[str, str]:
    tables = document.tables if document else ()
    return {cell.address: cell.text for table in tables for row in table.rows for cell in (*row.labels, *row.cells)}
