"""From hits to passages: duplicates collapse, records bring the table they stand in, bounds end the list.

Holds: which chunks a list of hits shows, and the passage of a chunk.
Add here: another rule about what a hit shows.
Never here: the order of hits (search.py).
"""

from typing import NamedTuple

from rag_assets.model.chunk import ChunkKind
from rag_assets.model.corpus import Explanation, OtherPlace, Passage
from rag_assets.retrieval.stored import StoredChunks

EXPANDED_TABLES = 5
EXPANDED_WORDS = 600
SUMMARIES = 2


class Hit(NamedTuple):
    """A ranked chunk; `rank` counts hits before expansion and collapse."""

    number: int
    score: float
    rank: int


class Shown(NamedTuple):
    """A chunk that is shown, the hit it comes from, and the view: `itself`, `expanded` (the table of a record that
    stands above it), `instead` (the table in place of a record), `summary` (what names the tool over all rows of the
    table that was hit) or `asked` (by its id)."""

    number: int
    hit: Hit
    view: str


class PassageList:
    """Fills up with hits until a bound is reached.

    The best record comes first, then the whole table around it where that has at most 600 words. Of the next four
    tables that are hit the piece around their best record is shown in its place. Later hits show records, unless a
    piece that is shown holds them. Evidence within 1,500 words .929; with the record's piece only .921; each record
    before its piece .920; records alone .906. With `summaries`, for a question that may be over all rows, the summary
    of each of the first two tables that are hit stands before their rows: it names the lookup tool.
    """

    def __init__(
        self,
        stored: StoredChunks,
        k: int,
        words: int | None,
        kinds: frozenset[str] | None,
        *,
        expansion: bool,
        summaries: bool = False,
    ) -> None:
        self._stored = stored
        self._k = k
        self._words_left = words
        self._kinds = kinds
        self._expansion = expansion
        self._summaries_left = SUMMARIES if summaries else 0
        self._tables: set[int] = set()
        self._texts: set[int] = set()
        self._numbers: set[int] = set()
        self.places: list[Shown] = []
        self.full = k <= 0

    def add(self, hit: Hit) -> None:
        parent = int(self._stored.parents[hit.number])
        if self._holds(hit.number, parent):
            return
        if not self._wanted(hit.number):
            if parent >= 0 and self._wanted(parent):
                self._show(Shown(parent, hit, "instead"))
            return
        self._show_summary(hit)
        around = self._around(parent)
        if not around or not self._tables:
            self._show(Shown(hit.number, hit, "itself"))
        for number in around:
            if not self.full and self._fits(number):
                self._show(Shown(number, hit, "expanded"))

    def _show_summary(self, hit: Hit) -> None:
        number = self._stored.summary_of(hit.number) if self._summaries_left else None
        if number is None or number == hit.number or number in self._numbers:
            return
        if self._wanted(number) and self._fits(number) and not self.full:
            self._summaries_left -= 1
            self._show(Shown(number, hit, "summary"))

    def _around(self, parent: int) -> list[int]:
        """The pieces to show for a record: its own first, all of them for the best record of a small table."""
        if parent < 0 or not self._worth_showing(parent):
            return []
        pieces = self._stored.pieces_of(parent)
        if self._tables or sum(int(self._stored.words[n]) for n in pieces) > EXPANDED_WORDS:
            return [parent]
        return [parent, *(n for n in pieces if n != parent and self._wanted(n))]

    def _holds(self, number: int, parent: int) -> bool:
        return (
            number in self._numbers or parent in self._numbers or int(self._stored.text_hashes[number]) in self._texts
        )

    def _worth_showing(self, parent: int) -> bool:
        return (
            self._expansion
            and len(self._tables) < EXPANDED_TABLES
            and int(self._stored.tables[parent]) not in self._tables
            and int(self._stored.words[parent]) <= EXPANDED_WORDS
            and self._fits(parent)
            and self._wanted(parent)
        )

    def _fits(self, number: int) -> bool:
        return self._words_left is None or int(self._stored.words[number]) <= self._words_left

    def _wanted(self, number: int) -> bool:
        return self._kinds is None or self._stored.kind(number) in self._kinds

    def _show(self, place: Shown) -> None:
        words = int(self._stored.words[place.number])
        if self._words_left is not None:
            if words > self._words_left:
                self.full = True
                return
            self._words_left -= words
        if place.view == "expanded":
            self._tables.add(int(self._stored.tables[place.number]))
        self.places.append(place)
        self._numbers.add(place.number)
        self._texts.add(int(self._stored.text_hashes[place.number]))
        self.full = len(self.places) >= self._k


def passage_of(
    stored: StoredChunks, place: Shown, rank: int, collections: frozenset[str] | None, explanation: Explanation | None
) -> Passage:
    chunk = stored.chunk(place.number)
    selection = not chunk.complete and chunk.kind in {ChunkKind.RECORD, ChunkKind.TABLE_ROWS}
    return Passage(
        rank=rank,
        score=place.hit.score,
        chunk=chunk.id,
        kind=str(chunk.kind),
        collection=stored.collection(place.number),
        source=chunk.source,
        sha256=chunk.sha256,
        heading_path=chunk.heading_path,
        addresses=chunk.addresses,
        text=chunk.text,
        also=_other_places(stored, place.number, collections),
        table=chunk.table,
        tool=chunk.tool,
        selection=selection,
        explanation=explanation,
    )


def _other_places(stored: StoredChunks, number: int, collections: frozenset[str] | None) -> tuple[OtherPlace, ...]:
    places = []
    for other in stored.same_text(number):
        if other == number or (collections is not None and stored.collection(other) not in collections):
            continue
        facts = stored.facts(other)
        places.append(OtherPlace(source=facts["source"], address=next(iter(facts["addresses"]), None)))
    return tuple(dict.fromkeys(places))
