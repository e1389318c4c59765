"""The extractive answerer: it quotes the best cell, row, pair or sentence with its address, or declines.

Holds: `extract`.
Add here: another thing on a page that can be quoted whole.
Never here: composing text; this answerer says only what a source says.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.answering.orders import gives_orders
from rag_assets.answering.records import Record, force_of, pairs_in, record_of, words_of
from rag_assets.model.corpus import Citation, DeclineReason
from rag_assets.retrieval.many_rows import aggregate_words, without_request

if TYPE_CHECKING:
    from rag_assets.answering.desk import Desk
    from rag_assets.model.corpus import Passage
    from rag_assets.model.statement import Statement

ROWS_LOOKED_AT = 12
ENOUGH = 0.62  # share of the question's words, by their rarity, that the quoted row and its headings hold
ENOUGH_PROSE = 0.6
MAX_ROWS_QUOTED = 3
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"\n]*\"")
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<!^)(?<![.?!¿¡] )\b(?!I\b)[A-Z][\w'’-]*")
_ASKING = re.compile(
    r"\b(?:since|until|till|day|date|year|time|please|tell|me|know|i|my|we|our|you|your|can|could|may|should|would|get"
    r"|there|any|much|long|last|now|today|currently)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:when|since|until|till|(?:what|which) (?:day|date|time))\b", re.IGNORECASE)
_TIME = re.compile(r"\b\d{1,2}:\d{2}\b|\b(?:19|20)\d\d\b|day\b", re.IGNORECASE)
_SHARE = re.compile(r"\b(?:share|percent(?:age)?|proportion) of\b|%", re.IGNORECASE)


SMALL_HEADING = frozenset({"\0"})  # stands for such a heading among words
_OVERVIEW = words_of("information overview data kind sort available exist hold cover tables documents")


class Extract(NamedTuple):
    """What was found: the quote with its citations, or the reason for declining."""

    answer: str
    citations: tuple[Citation, ...] = ()
    reason: DeclineReason | None = None
    tool: str | None = None
    as_of: str | None = None


class _Match(NamedTuple):
    score: float
    text: str
    citations: tuple[Citation, ...]
    as_of: str | None = None


def extract(question: str, desk: "Desk", passages: "Sequence[Passage]", today: date) -> Extract:
    """The best quotable thing in the passages that names all that the question names."""
    asked = _Asked(question, desk)
    records = [record for record in _records(question, desk) if not gives_orders(record.passage.text)]
    matching = [r for r in records if asked.is_met_by(r.all_words) and asked.names_row(r)]
    over_many = [
        w for w in aggregate_words(question) if not any(words_of(w) <= r.label | r.around for r in matching[:1])
    ]
    if over_many:
        tool = _tool_for(passages, records)
        return Extract("", reason="needs_complete_lookup", tool=tool)
    found = [
        m for m in (_from_pairs(asked, passages), _from_rows(asked, matching, today), _from_prose(asked, passages)) if m
    ]
    if not found:
        summary = _summary(asked, passages)
        return summary or Extract("", reason="not_found")
    best = max(found, key=lambda m: m.score)
    return Extract(best.text, best.citations, as_of=best.as_of)


class _Asked:
    """A question's words and what of them must be met: figures, and names written with a capital."""

    def __init__(self, question: str, desk: "Desk") -> None:
        self.question, self.desk = question, desk
        self.words = words_of(question)
        plain = _ASKING.sub(" ", without_request(question))
        self.core = plain if words_of(plain) else question
        self.asks_when = bool(_WHEN.search(question))
        self.asks_share = bool(_SHARE.search(question))
        named = " ".join(_NAME.findall(question))
        figures = {word for word in self.words if _NUMBER.search(word)}
        self.needed = frozenset(words_of(named) | figures) & self.words

    def is_met_by(self, words: frozenset[str]) -> bool:
        return self.needed <= words

    def names_row(self, record: Record) -> bool:
        """Whether a word of the question stands in the row's own label or cells, not only in what surrounds it."""
        own = (record.label | record.cells) - record.around
        return bool(self.words & own) and self._label_is_meant(record) and self._keys_agree(record)

    def _keys_agree(self, record: Record) -> bool:
        """A figure right behind a heading of the row ("tier 9") must stand under that heading, not anywhere in it."""
        for pair in pairs_in(record.passage.text):
            said = re.search(rf"\b{re.escape(pair.label)}\s+(\d[\w.,%]*)", self.question, re.IGNORECASE)
            if said and not words_of(said[1].rstrip(".,")) <= words_of(pair.value):
                return False
        return True

    def _label_is_meant(self, record: Record) -> bool:
        """A row that goes by a code may be named by its other cells."""
        a_code = all(_NUMBER.search(word) for word in record.label)
        return bool(self.words & record.label) or (a_code and len(self.words & record.cells - record.around) > 1)

    def gives(self, said: "Statement") -> bool:
        """Whether the question itself says what stands under this heading."""
        given = rf"\b{re.escape(said.heading)}\W+{re.escape(said.text)}(?!\w)"
        return bool(said.heading) and re.search(given, self.question, re.IGNORECASE) is not None

    def small_words_of(self, heading: str) -> frozenset[str]:
        """A heading of small words only ("To") counts where the question says it as a name: "the To of", "under To"."""
        name = re.escape(heading)
        said = re.search(rf"\b(?:under|the) {name}\b|\b{name} (?:of|for)\b|\b{name}\W*$", self.question)
        return SMALL_HEADING if heading and said else frozenset()

    def coverage(self, passage: "Passage", extra: str = "") -> float:
        from dataclasses import replace

        source = passage.source.replace("/", " ").replace("_", " ")
        return self.desk.coverage(self.core, [replace(passage, text=f"{passage.text}\n{source}\n{extra}")])


def _records(question: str, desk: "Desk") -> list[Record]:
    passages = desk.search(question, k=ROWS_LOOKED_AT, kinds=("record",))
    return [record_of(p, desk.statements_of(p.source, p.addresses)) for p in passages]


def _from_rows(asked: _Asked, records: Sequence[Record], today: date) -> _Match | None:
    """The row that holds most of the question; of equals those in force, and not more than three."""
    scored = []
    for record in records:
        context = " ".join(f"{s.subject} {s.heading} {s.when or ''} {s.row_path}" for s in record.statements)
        score = asked.coverage(record.passage, context)
        foreign = len(record.label - asked.words) / (len(record.label) or 1)
        scored.append((score - 0.05 * foreign, record))
    scored = [pair for pair in scored if pair[0] >= ENOUGH - 0.05]
    if not scored:
        return None
    top = max(score for score, _ in scored)
    best = [record for score, record in scored if score >= top - 1e-9]
    dated = [record for record in best if force_of(record) != (None, None)]
    in_force = [record for record in best if force_of(record).holds_on(today)]
    best = in_force or best
    if len(best) > MAX_ROWS_QUOTED:
        return None
    quotes = [_quote(asked, record) if in_force else _whole(record) for record in best]
    text = "\n".join(text for text, _ in quotes)
    as_of = today.isoformat() if dated else None
    return _Match(top, text, tuple(c for _, citations in quotes for c in citations), as_of)


def _quote(asked: _Asked, record: Record) -> tuple[str, tuple[Citation, ...]]:
    """One cell where the question names its heading, else the whole row."""
    cell = _asked_cell(asked, record)
    source = record.passage.source
    if cell is None:
        return _whole(record)
    said = f"{cell.row_path}, {cell.heading}: {cell.text}" if cell.heading else f"{cell.row_path}: {cell.text}"
    unit = cell.qualifiers.get("unit")
    return f"{said} ({unit})" if unit and cell.scale != 1 else said, (
        Citation(source=source, address=cell.address, text=cell.text),
    )


def _whole(record: Record) -> tuple[str, tuple[Citation, ...]]:
    """The row as it is printed; so is one that is no longer or not yet in force, with its days."""
    return record.passage.text, (_cited(record.passage, record.passage.text),)


def _asked_cell(asked: _Asked, record: Record) -> "Statement | None":
    """The cell whose heading alone holds most of the question's words; None where several do or none does.

    A cell that the question gives behind its heading ("tier 3") is not asked for. Words of the row's label and of the
    caption say nothing of the column; of equals the heading with fewer words wins.
    """
    filled = [s for s in record.statements if s.text.strip()]
    filled = [s for s in filled if not asked.gives(s)] or filled
    filled = [s for s in filled if s.unit == "percent"] or filled if asked.asks_share else filled
    if len(filled) < 2:
        return filled[0] if filled else None
    caption = [
        line
        for line in record.passage.text.split("\n")
        if not any(s.text and s.text in line for s in record.statements)
    ]
    free = asked.words - words_of(" ".join((filled[0].row_path, *caption)))
    scored = []
    for said in filled:
        heading = words_of(said.heading) or asked.small_words_of(said.heading)
        scored.append(((len(heading & (free | SMALL_HEADING)), -len(heading - asked.words), -len(heading)), said))
    best = max(rank for rank, _ in scored)
    equal = [said for rank, said in scored if rank == best]
    return equal[0] if best[0] and len(equal) == 1 else None


def _from_pairs(asked: _Asked, passages: "Sequence[Passage]") -> _Match | None:
    """A `label: value` line of a transposed pair whose whole label the question names."""
    best: _Match | None = None
    for passage in passages:
        if passage.kind != "table":
            continue
        around = words_of(" ".join((*passage.heading_path, passage.source.replace("/", " ").replace("_", " "))))
        pairs = pairs_in(passage.text)
        for n, pair in enumerate(pairs):
            label = words_of(pair.label)
            if (
                gives_orders(f"{pair.label}\n{pair.value}")
                or not label
                or not label <= asked.words
                or not asked.is_met_by(label | around | words_of(pair.value))
            ):
                continue
            line = f"{pair.label}: {pair.value}"
            score = asked.coverage(passage) + 0.1 * len(label)
            if best is None or score > best.score:
                address = _address_of_pair(passage, n, len(pairs))
                best = _Match(score, line, (Citation(source=passage.source, address=address, text=line),))
    return best


def _from_prose(asked: _Asked, passages: "Sequence[Passage]") -> _Match | None:
    """The sentence that holds most of the question, if it and the headings above it hold enough."""
    best: _Match | None = None
    for passage in passages:
        if passage.kind != "prose":
            continue
        around = " ".join((*passage.heading_path, passage.source.replace("/", " ").replace("_", " ")))
        for sentence in _sentences(passage.text):
            if gives_orders(sentence) or (asked.asks_when and not _TIME.search(sentence)):
                continue
            words = words_of(f"{sentence} {around}")
            if not asked.words & words_of(sentence) or not asked.is_met_by(words):
                continue
            from dataclasses import replace

            score = asked.desk.coverage(asked.core, [replace(passage, text=f"{sentence}\n{around}")])
            if score >= ENOUGH_PROSE and (best is None or score > best.score):
                best = _Match(score - 0.01, sentence.strip(), (_cited(passage, sentence.strip()),))
    return best


def _sentences(text: str) -> list[str]:
    """Sentences; what stands in quotation marks stays with the sentence that quotes it."""
    quotes: list[str] = []

    def keep(found: re.Match[str]) -> str:
        quotes.append(found[0])
        return f"\x00{len(quotes) - 1}\x00"

    parts = _SENTENCE.split(_QUOTED.sub(keep, text))
    return [re.sub(r"\x00(\d+)\x00", lambda found: quotes[int(found[1])], part) for part in parts if part.strip()]


def _summary(asked: _Asked, passages: "Sequence[Passage]") -> Extract | None:
    """What a table covers, for a question that asks for nothing more particular."""
    first = passages[0] if passages else None
    if first is None or first.kind != "summary" or asked.needed:
        return None
    if not words_of(asked.core) - _OVERVIEW <= words_of(first.text):
        return None
    return Extract(first.text, (_cited(first, first.text),), tool=first.tool)


def _tool_for(passages: "Sequence[Passage]", records: Sequence[Record]) -> str | None:
    return next((p.tool for p in [*passages, *(r.passage for r in records)] if p.tool), None)


def _address_of_pair(passage: "Passage", n: int, pairs: int) -> str | None:
    """The cell that holds the value: the passage shows the labels first, then the values below them."""
    whole = len(passage.addresses) == 2 * pairs
    return passage.addresses[pairs + n] if whole else _address_of(passage)


def _address_of(passage: "Passage") -> str | None:
    return passage.addresses[0] if passage.addresses else None


def _cited(passage: "Passage", text: str) -> Citation:
    return Citation(source=passage.source, address=_address_of(passage), text=text)
