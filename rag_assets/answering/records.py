"""Records as an answerer reads them: a passage of one row, taken apart into what names it and what it says.

Holds: `Record`, `record_of`, `pairs_in`.
Add here: another fact about a row that decides whether it is the one asked for.
Never here: choosing among records (extractive).
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.retrieval.analyzer import folded, tokens

if TYPE_CHECKING:
    from rag_assets.model.corpus import Passage
    from rag_assets.model.statement import Statement

_FROM = re.compile(
    r"\b(?:valid from|effective(?: from| date)?|in force from|from|since|start(?:s|ing)?(?: date)?)\b", re.I
)
_UNTIL = re.compile(r"\b(?:valid (?:until|to|through)|until|expir\w*|ends?(?: date)?|in force until|through)\b", re.I)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


class Pair(NamedTuple):
    """A printed `label: value` line."""

    label: str
    value: str


class Record(NamedTuple):
    """One row. `label` are the words of its own label, `around` those of headings, captions and the source's name."""

    passage: "Passage"
    statements: "tuple[Statement, ...]"
    label: frozenset[str]
    cells: frozenset[str]
    around: frozenset[str]

    @property
    def all_words(self) -> frozenset[str]:
        return self.label | self.cells | self.around


def words_of(text: str) -> frozenset[str]:
    """Terms, plurals folded, so that "days" and "day" are one word."""
    return frozenset(folded(token) for token in tokens(text))


def record_of(passage: "Passage", statements: "Iterable[Statement]") -> Record:
    found = tuple(statements)
    label_text = found[0].row_path if found else passage.text.split("\n")[0]
    headings = " ".join(s.heading for s in found)
    shown = words_of(passage.text)
    label = words_of(label_text)
    outer = " ".join((*passage.heading_path, passage.source.replace("/", " ").replace("_", " "), headings))
    subjects = " ".join({s.subject for s in found if s.subject != s.row_path} | {s.when or "" for s in found})
    return Record(passage, found, label, shown - label, words_of(f"{outer} {subjects}"))


def pairs_in(text: str) -> tuple[Pair, ...]:
    """The `label: value` lines of a passage, in order."""
    pairs = []
    for line in text.split("\n"):
        label, colon, value = line.partition(": ")
        if colon and label and value and not line.startswith("|") and len(label) < 120:
            pairs.append(Pair(label.strip(), value.strip()))
    return tuple(pairs)


class Force(NamedTuple):
    """Whether a row holds on a day; None where it has no date that says so."""

    begins: str | None
    ends: str | None

    def holds_on(self, day: date) -> bool:
        today = day.isoformat()
        return not ((self.begins and self.begins > today) or (self.ends and self.ends < today))


def force_of(record: Record) -> Force:
    """The days from and until which the row holds, by columns headed so with ISO dates."""
    days = ((said.heading, said.value) for said in record.statements if isinstance(said.value, str))
    return force_in((heading, value) for heading, value in days if _ISO.match(value))


def force_in(days: Iterable[tuple[str, str]]) -> Force:
    """The same from (heading, ISO date) pairs."""
    begins = ends = None
    for heading, day in days:
        if heading and _UNTIL.search(heading):
            ends = day
        elif heading and _FROM.search(heading):
            begins = day
    return Force(begins, ends)
