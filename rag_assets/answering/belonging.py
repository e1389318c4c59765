"""Which cell a question means: the row and the column it names, among all that was retrieved.

Holds: `Asked`, the question read against the evidence.
Add here: another way a row or a column is named.
Never here: walking through an answer (cell_check), collecting evidence (evidence), equal values (worth).
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from rag_assets.answering.evidence import CellFact, Evidence, all_words, heading_words
from rag_assets.answering.figures import figures_in
from rag_assets.answering.records import Force, force_in
from rag_assets.answering.tool_claims import asked_functions, fits
from rag_assets.retrieval.analyzer import STOP_WORDS, folded, tokens
from rag_assets.retrieval.many_rows import aggregate_words

_SMALL = frozenset().union(*STOP_WORDS.values())
_SHARE = re.compile(
    r"%|\b(?:percent\w*|share|proportion|rate|margin|porcentaje|prozent\w*|anteil|pourcentage|part)\b|占比|百分",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[\d.,]*\d")
_GOES_ON = re.compile(r"\w|[.,]\d|%")
MIN_CODE = 3  # digits; a longer one that names a row is hardly ever also a value asked for


class Clause(NamedTuple):
    """What is said beside one figure: its words without the figure itself, and its text."""

    text: str
    words: frozenset[str]


class Asked:
    """A question against the evidence. A cell is meant when nothing retrieved is named better by it."""

    def __init__(self, question: str, evidence: Evidence, today: date | None = None) -> None:
        self.question, self.today = question, today
        self._names_a_day = any(figure.date for figure in figures_in(question))
        self.words = all_words(question)
        self.telling = self.words - _SMALL
        self._said = tokens(question, "none")
        self._phrases: dict[str, int] = {}
        self._keys: dict[str, dict[str, str]] = {}
        self._covers: dict[tuple[str, str, str], tuple[int, int]] = {}
        self._groups: dict[str, list[CellFact]] = {}
        for fact in evidence.facts:
            self._groups.setdefault(fact.group, []).append(fact)

    def names_in(self, sentence: str) -> tuple[tuple[int, int], ...]:
        """Where the sentence says the label of a meant row: a figure inside it ("00417", "3 to 5") claims nothing."""
        spans = []
        for label in self._meant_labels:
            found = re.finditer(rf"(?<![\w$€£]){re.escape(label)}(?!\w|[.,]\d|\s?%)", sentence, re.IGNORECASE)
            spans += [match.span() for match in found]
        return tuple(spans)

    @cached_property
    def _meant_labels(self) -> frozenset[str]:
        """Row labels of the cells that the question means; a bare small number could be a value as well."""
        nothing = Clause("", frozenset())
        rows = {fact.row: fact for fact in self._cells if self._cover(fact) >= self._best_cover}
        paths = [row.partition("\0")[0] for row, fact in rows.items() if self._row_is_meant(fact, nothing)]
        names = {name for path in paths for name in (path, path.rpartition(" › ")[2])}
        return frozenset(name for name in names if not name.isdigit() or len(name) > MIN_CODE)

    @cached_property
    def _labels(self) -> frozenset[str]:
        return frozenset(word for fact in self._cells for word in fact.label)

    @cached_property
    def _has_a_cell(self) -> bool:
        """Whether a cell's row and column are both said whole: then no line of prose knows better what it holds."""
        return any(
            name and heading and name <= self.words and heading <= self.words
            for fact in self._cells
            if fact.kind == "cell"
            for name, heading in ((fact.label - _SMALL, fact.heading - _SMALL),)
        )

    @cached_property
    def _codes(self) -> frozenset[str]:
        """Words with a digit by which the question calls a row of some table; prose must hold them too."""
        return frozenset(word for word in self.words & self._labels if any(letter.isdigit() for letter in word))

    def means(self, fact: CellFact, clause: Clause) -> bool:
        """Whether table, row and column of the fact are those that question and clause name best."""
        if fact.use is not None:
            return self._tool_answers(fact, clause)
        if self._cover_of_row(fact) < self._best_cover:
            return False
        if fact.kind == "line" and (self._has_a_cell or not self._codes <= fact.label | fact.around):
            return False
        return self._row_is_meant(fact, clause) and self._column_is_meant(fact, clause)

    def _tool_answers(self, fact: CellFact, clause: Clause) -> bool:
        """Whether the result is of the table, the column, the rows and the function that are asked for."""
        if fact.use is None or not fits(
            fact.use, fact.function, fact, self.question, clause.text, self._cells, self.today
        ):
            return False
        best = [other for other in self._cells if self._cover(other)[0] >= self._best_cover[0]]
        if best and fact.source not in {other.source for other in best}:
            return False
        if fact.kind == "count":
            return True
        return self._is_asked_column(fact) and self._row_is_meant(fact, clause) and self._column_is_meant(fact, clause)

    def _is_asked_column(self, fact: CellFact) -> bool:
        """Whether none of the table's columns, as far as they were retrieved, is named better than the result's."""
        table = {other.heading for other in self._cells if other.source == fact.source}
        named = {heading: len(heading & self.words) for heading in table | {fact.heading}}
        return fact.function.startswith("count") or named[fact.heading] >= max(named.values())

    @cached_property
    def functions(self) -> frozenset[str]:
        """The aggregates that are asked for."""
        return asked_functions(self.question, {fact.column for fact in self._cells})

    @cached_property
    def over_many(self) -> bool:
        """Whether the question asks over many rows, by a word that is no part of the row or column it names whole."""
        asking = [all_words(word) - _SMALL for word in aggregate_words(self.question)]
        if not asking:
            return False
        best = [fact for fact in self._cells if self._cover(fact) >= self._best_cover]
        whole = [name for f in best for name in (f.label, f.heading) if name - _SMALL <= self.words]
        pairs = {pair for f in best for name in f.names for pair in pairwise(tokens(name))}
        said = set(pairwise(tokens(self.question)))
        beside = {folded(word) for pair in pairs & said for word in pair}
        return not all(any(word <= name for name in whole) or word <= beside for word in asking)

    @cached_property
    def _cells(self) -> tuple[CellFact, ...]:
        return tuple(fact for group in self._groups.values() for fact in group if fact.kind in ("cell", "pair"))

    @cached_property
    def _best_cover(self) -> tuple[int, int]:
        return max((self._cover(fact) for fact in self._cells), default=(0, 0))

    def _cover_of_row(self, fact: CellFact) -> tuple[int, int]:
        """Of the row's best cell: which of its columns is meant is decided after."""
        row = (other for other in self._groups[fact.group] if other.row == fact.row and other.kind == fact.kind)
        return max(self._cover(other) for other in row)

    def _cover(self, fact: CellFact) -> tuple[int, int]:
        """How many of the question's words row, column and surroundings hold; of equals the shorter row label."""
        place = fact.group, fact.row, fact.column
        if place in self._covers:
            return self._covers[place]
        cells = (cell.words | all_words(cell.heading) for cell in fact.cells if cell.words <= self.words)
        named = len(self.telling & fact.label.union(fact.heading, fact.around, *cells))
        self._covers[place] = named, 0 if fact.kind == "line" else -len(fact.label - self.words)
        return self._covers[place]

    def _row_is_meant(self, fact: CellFact, clause: Clause) -> bool:
        rows: dict[str, CellFact] = {}
        for other in self._groups[fact.group]:
            if other.kind == fact.kind:
                rows.setdefault(other.row, other)
        facts = tuple(rows.values())
        if fact.group not in self._keys:
            self._keys[fact.group] = _keys_said(self.question, facts)
        keys = self._keys[fact.group]
        if not (_agrees(fact, keys) and _agrees(fact, _keys_said(clause.text, facts))):
            return False
        if len(rows) < 2:
            return True
        own = rows[fact.row]
        asked = {row: self._named(other) for row, other in rows.items() if _agrees(other, keys)}
        if fact.kind != "tool" and asked.get(fact.row, (0, 0, 0)) < max(asked.values()):
            return False
        alike = [rows[row] for row, named in asked.items() if named == max(asked.values())]
        if fact.kind != "tool" and not self._is_in_force(own, alike):
            return False
        shared = frozenset.intersection(*(other.label for other in facts))
        said = {row: len((other.label - shared - _SMALL) & clause.words) for row, other in rows.items()}
        if fact.kind == "tool" and not max(said.values()):
            return asked.get(fact.row, (0, 0, 0)) == max(asked.values())
        return said[fact.row] >= max(said.values())

    def _is_in_force(self, fact: CellFact, alike: Sequence[CellFact]) -> bool:
        """Of rows named alike those of today are meant, where the question names no other day."""
        today = self.today
        if today is None or self._names_a_day or _force(fact).holds_on(today):
            return True
        return not any(_force(other).holds_on(today) for other in alike)

    def _named(self, fact: CellFact) -> tuple[int, int, int]:
        """Words of the row that the question says; of equals the longest label said word for word ("Total liabilities"
        or "Total liabilities and equity"), then the row with fewer other words in its label."""
        cells = (cell.words for cell in fact.cells if cell.words <= self.words)
        named = fact.label.union(*cells) & self.words - _SMALL
        if fact.kind == "line":
            return len(named), 0, 0
        return len(named), self._phrase(fact.row.partition("\0")[0]), -len(fact.label - self.words)

    def _phrase(self, path: str) -> int:
        """How many words of the row's path, or of its last part, the question says in a row."""
        if path not in self._phrases:
            sizes = [0]
            for name in (path, path.rpartition(" › ")[2]):
                wanted = tokens(name, "none")
                places = range(len(self._said) - len(wanted) + 1) if wanted else ()
                if any(self._said[n : n + len(wanted)] == wanted for n in places):
                    sizes.append(len(wanted))
            self._phrases[path] = max(sizes)
        return self._phrases[path]

    def _column_is_meant(self, fact: CellFact, clause: Clause) -> bool:
        given = self._given(fact)
        row = [
            other
            for other in self._groups[fact.group]
            if other.row == fact.row and other.kind == fact.kind and (other is fact or other.heading not in given)
        ]
        headings = {other.heading for other in row}
        if len(headings) < 2:
            return True
        common = frozenset.intersection(*headings)
        own = fact.heading - common
        beside = {heading: len((heading - common) & clause.words) for heading in headings}
        if own and own <= clause.words and beside[fact.heading] == max(beside.values()):
            return True
        if (
            fact.percent
            and not _SHARE.search(self.question)
            and any(not other.percent and other.values and other.heading < fact.heading for other in row)
        ):
            return False
        free = self.words - fact.label or self.words
        asked = {h: (len((h - common) & free), -len(h - self.words)) for h in headings}
        if max(asked.values())[0] == 0:
            alone = sum(_kind(other) == _kind(fact) for other in row) == 1
            return beside[fact.heading] == max(beside.values()) and (alone or beside[fact.heading] > 0)
        unsaid = {heading: len((heading - common - self.words) & clause.words) for heading in headings}
        return asked[fact.heading] == max(asked.values()) and unsaid[fact.heading] >= max(unsaid.values())

    def _given(self, fact: CellFact) -> frozenset[frozenset[str]]:
        """Headings of the row whose cells the question itself gives ("tier 3"): they are not what is asked."""
        return frozenset(
            heading_words(cell.heading)
            for cell in fact.cells
            if cell.heading
            and re.search(
                rf"(?<!\w){re.escape(cell.heading)}\W{{1,3}}{re.escape(cell.text)}(?!\w)", self.question, re.IGNORECASE
            )
        )


def _force(fact: CellFact) -> Force:
    said = ((cell.heading, figure.date) for cell in fact.cells for figure in figures_in(cell.text))
    return force_in((heading, day) for heading, day in said if day and day[0].isdigit())


def _kind(fact: CellFact) -> tuple[bool, bool, bool]:
    return fact.percent, bool(fact.currency), bool(fact.dates)


def _keys_said(text: str, rows: Sequence[CellFact]) -> dict[str, str]:
    """What stands right behind a heading of the rows ("tier 3"): the row meant has it under that heading."""
    columns: dict[str, set[str]] = {}
    for row in rows:
        for cell in row.cells:
            if cell.heading and cell.text:
                columns.setdefault(cell.heading, set()).add(cell.text)
    said = {}
    folded_text = text.casefold()
    for heading, texts in columns.items():
        if heading.casefold() not in folded_text:
            continue
        behind = re.search(rf"(?<!\w){re.escape(heading)}\W{{1,3}}(?=[^\s])(.*)", text, re.IGNORECASE | re.DOTALL)
        if behind is None:
            continue
        begun = [value for value in texts if _starts(behind[1], value)]
        number = _PLAIN.match(behind[1])
        if begun:
            said[heading] = max(begun, key=len)
        elif number:
            said[heading] = number[0]
    return said


def _agrees(row: CellFact, said: Mapping[str, str]) -> bool:
    for cell in row.cells:
        wanted = said.get(cell.heading)
        if wanted is not None and wanted != cell.text and (_PLAIN.fullmatch(cell.text) or not _PLAIN.fullmatch(wanted)):
            return False
    return True


def _starts(text: str, value: str) -> bool:
    if text[: len(value)].casefold() != value.casefold():
        return False
    return _GOES_ON.match(text, len(value)) is None
