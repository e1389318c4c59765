"""What changed between two releases, cell by cell.

Holds: documents that came, went or changed, and the figures that differ in them.
Add here: another kind of difference a person asks about.
Never here: printing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rag_assets.ingest.contents import normalized, rows
from rag_assets.ingest.order import NORMALIZED
from rag_assets.ingest.rows import DocumentRow
from rag_assets.model.statement import Statement
from rag_assets.store import Release, Segment, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class CellChange:
    """One figure before and after; None where it was not there. `address` is the newer one that exists."""

    source: str
    label: str
    before: str | None
    after: str | None
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDiff:
    """`changed`: documents whose understanding differs. `cells`: figures that differ in them."""

    before: int
    after: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    cells: tuple[CellChange, ...] = ()
    partitions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A document in a release: its row and the segment it lies in."""

    row: DocumentRow
    segment: Segment


def release_diff(store: Store, before: Release, after: Release) -> ReleaseDiff:
    """Only partitions that differ are opened, only documents that differ are decoded."""
    keys = sorted(k for k in {*before.partitions, *after.partitions} if _digest(before, k) != _digest(after, k))
    old, new = _places(store, before, keys), _places(store, after, keys)
    changed = sorted(s for s in old.keys() & new.keys() if old[s].row.payload_hash != new[s].row.payload_hash)
    return ReleaseDiff(
        before=before.number,
        after=after.number,
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(changed),
        cells=tuple(cell for source in changed for cell in _cells(source, old[source], new[source])),
        partitions=tuple(keys),
    )


def _places(store: Store, release: Release, keys: Iterable[str]) -> dict[str, _Place]:
    found = {}
    for key in keys:
        part = release.partitions.get(key)
        if part is not None:
            segment = store.segment(key, NORMALIZED, part.segments[NORMALIZED])
            found.update({row.source: _Place(row=row, segment=segment) for row in rows(segment) if row.payload_hash})
    return found


def _cells(source: str, old: _Place, new: _Place) -> list[CellChange]:
    before, after = _said(source, old), _said(source, new)
    changes = []
    for said in dict.fromkeys([*before, *after]):
        was, now = before.get(said), after.get(said)
        if (was.text if was else None) != (now.text if now else None):
            newest = now or was
            changes.append(
                CellChange(
                    source=source,
                    label=said[0],
                    before=was.text if was else None,
                    after=now.text if now else None,
                    address=newest.address if newest else "",
                )
            )
    return changes


def _said(source: str, place: _Place) -> Mapping[tuple[str, int], Statement]:
    """Statements by what they are about; equal ones of one document are told apart by their order."""
    found: dict[tuple[str, int], Statement] = {}
    counts: dict[str, int] = {}
    for _, document in normalized(place.segment, [source]):
        for statement in document.statements:
            label = " | ".join(part for part in (statement.row_path, statement.heading, statement.when or "") if part)
            counts[label] = counts.get(label, 0) + 1
            found[(label, counts[label])] = statement
    return found


def _digest(release: Release, key: str) -> str | None:
    part = release.partitions.get(key)
    return part.digest if part else None
