"""Lanes: the columns as a reader's eye sees them, whatever the markup's own columns are.

Holds: `Lane`, `lanes_of`, `lane_at`.
Add here: another reason why cells of different rows stand in one column.
Never here: what stands over a lane (boxhead) or which lanes are labels (stub).

    $ | 4,310 |   | $ | 3,900          two lanes and the label's: the symbol and its figure are one cell,
      | (210) |   |   | (190)          spacer columns are none
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rag_assets.tables.lines import Line, Slot


class Lane(NamedTuple):
    start: int
    end: int

    def overlap(self, slot: Slot) -> int:
        return min(self.end, slot.end) - max(self.start, slot.start)


class _Cluster:
    __slots__ = ("end", "rows", "start")

    def __init__(self, start: int, end: int, rows: set[int]) -> None:
        self.start, self.end, self.rows = start, end, rows

    def take(self, start: int, end: int, rows: set[int]) -> None:
        self.start, self.end = min(self.start, start), max(self.end, end)
        self.rows |= rows


def lanes_of(lines: Iterable[Line]) -> tuple[Lane, ...]:
    """Lanes from left to right, from the rows of the body.

    Narrow cells first; a cell over two lanes that are never filled in one row shows that they are one lane, a cell over
    two that are is a spanner and shows nothing.
    """
    spans: dict[tuple[int, int], set[int]] = {}
    for line in lines:
        for slot in line.slots:
            spans.setdefault((slot.start, slot.end), set()).add(slot.row)
    clusters: list[_Cluster] = []
    for start, end in sorted(spans, key=lambda span: (span[1] - span[0], span[0])):
        rows = spans[start, end]
        hit = [c for c in clusters if c.start < end and start < c.end]
        if not hit:
            clusters.append(_Cluster(start, end, rows))
        elif len(hit) == 1:
            if not _is_spanner(hit[0], start, end, clusters):
                hit[0].take(start, end, rows)
        elif _one_lane(hit):
            for other in hit[1:]:
                hit[0].take(other.start, other.end, other.rows)
                clusters.remove(other)
            hit[0].take(start, end, rows)
    return tuple(sorted(Lane(c.start, c.end) for c in clusters))


def _is_spanner(cluster: _Cluster, start: int, end: int, clusters: Sequence[_Cluster]) -> bool:
    """A cell that would stretch its lane to more than three times its width, unless that lane is alone."""
    wide = end - start
    return len(clusters) > 1 and wide > 8 and wide > 3 * (cluster.end - cluster.start)


def _one_lane(hit: Sequence[_Cluster]) -> bool:
    seen: set[int] = set()
    for cluster in hit:
        if seen & cluster.rows:
            return False
        seen |= cluster.rows
    return True


def lane_at(lanes: Sequence[Lane], slot: Slot) -> int | None:
    """Index of the lane that the slot lies in most, the left one of equals; None where it lies in none."""
    best, most = None, 0
    for index, lane in enumerate(lanes):
        shared = lane.overlap(slot)
        if shared > most:
            best, most = index, shared
    return best
