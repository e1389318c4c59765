"""The cell check: no figure and no cell text in an answer without a cited cell or tool result that it belongs to.

Holds: `check_answer`, `Finding`.
Add here: another way an answer takes what is not its own, with its test.
Never here: parsing figures (figures), collecting evidence (evidence).

The failures this is built against: a condition taken from the neighbour's column, a $3.00 fare read as $2.00, an
average of six rows given as the average of all.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rag_assets.answering.evidence import CellFact, Evidence
from rag_assets.answering.figures import Figure, figures_in
from rag_assets.answering.many_rows import aggregate_words
from rag_assets.answering.records import words_of
from rag_assets.model.corpus import Citation

_MARKS = re.compile(r"\[(t?\d+(?:\s*,\s*t?\d+)*)\]")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=[^\s\[])|\n+")
_ROUGHLY = re.compile(r"\b(?:about|around|roughly|approximately|nearly|almost|rounded|some|circa|ca\.)|[~≈]", re.I)
_QUOTE = re.compile(r"[\"“”«»]([^\"“”«»]{3,300})[\"“”«»]")
MIN_TEXT = 8  # characters of a cell's words that count as taken from it


class Finding(NamedTuple):
    """`reason` None: everything is supported. `says` tells a person, and the model on its second try, what was not."""

    reason: Literal["unsupported_figure", "unsupported_text"] | None
    says: str = ""
    citations: tuple[Citation, ...] = ()


class _Sentence(NamedTuple):
    text: str
    words: frozenset[str]
    marks: frozenset[str]


def check_answer(answer: str, question: str, evidence: Evidence) -> Finding:
    """Trace every figure and every quoted or copied cell text of the answer.

    Figures of the question are no claims. A question over many rows takes its figures from complete tool results only.
    """
    claimed_by_question = figures_in(question)
    over_many = bool(aggregate_words(question))
    sentences = _sentences(answer)
    cited = frozenset(mark for s in sentences for mark in s.marks)
    used: dict[tuple[str, str | None], Citation] = {}
    for sentence in sentences:
        facts = [f for f in evidence.facts if f.mark in (sentence.marks or cited)]
        for figure in figures_in(sentence.text):
            if any(_same(figure, known) for known in claimed_by_question):
                continue
            holder = _holder(figure, sentence, question, facts, over_many)
            if holder is None:
                return Finding("unsupported_figure", f"The figure {figure.text} is in no cited cell that agrees.")
            used[holder.source, holder.address] = Citation(
                source=holder.source, address=holder.address, text=holder.text
            )
        finding = _check_text(sentence, question, facts, evidence)
        if finding is not None:
            return finding
    for fact in evidence.facts:
        if (
            fact.mark in cited
            and not fact.from_tool
            and _fold(fact.text) in _fold(answer)
            and len(fact.text) >= MIN_TEXT
        ):
            used.setdefault(
                (fact.source, fact.address), Citation(source=fact.source, address=fact.address, text=fact.text)
            )
    return Finding(None, "", tuple(used.values()))


def _sentences(answer: str) -> list[_Sentence]:
    found = []
    for text in _SENTENCE.split(answer):
        if text.strip():
            marks = frozenset(m.strip() for group in _MARKS.findall(text) for m in group.split(","))
            found.append(_Sentence(text, words_of(_MARKS.sub(" ", text)), marks))
    return found


def _same(figure: Figure, other: Figure) -> bool:
    if figure.date or other.date:
        return figure.date == other.date
    return bool(figure.values & other.values) and figure.percent == other.percent


def _holder(
    figure: Figure, sentence: _Sentence, question: str, facts: Sequence[CellFact], over_many: bool
) -> CellFact | None:
    """The fact that the figure comes from: equal in value and unit, and of the row and column that are asked for."""
    roughly = bool(_ROUGHLY.search(sentence.text))
    for fact in facts:
        if not _equal(figure, fact, roughly):
            continue
        if fact.from_tool and (fact.complete or not over_many):
            return fact
        if not fact.from_tool and not over_many and _belongs(fact, sentence, question, facts):
            return fact
    return None


def _equal(figure: Figure, fact: CellFact, roughly: bool) -> bool:
    if figure.date is not None:
        return figure.date == fact.date or figure.date in fact.text
    if figure.percent and not fact.percent and fact.currency:
        return False
    if figure.currency and (fact.percent or (fact.currency and fact.currency != figure.currency)):
        return False
    for claimed in figure.values:
        for value in fact.values:
            if abs(claimed - value) <= 1e-9 * max(abs(value), 1):
                return True
            if (roughly or fact.computed) and _rounds_to(value, claimed, figure):
                return True
            if abs(claimed + value) <= 1e-9 * max(abs(value), 1) and value < 0:
                return True  # a loss printed in brackets, said as a loss
    return False


def _rounds_to(value: float, claimed: float, figure: Figure) -> bool:
    """Whether the claim is the value at the claim's own precision."""
    digits = re.sub(r"[^\d.]", "", figure.text)
    decimals = len(digits.partition(".")[2])
    step = 10.0**-decimals * (0.01 if figure.percent else 1)
    printed = float(digits.rstrip(".") or 0) if digits.count(".") < 2 else 0.0
    scale = abs(claimed) / (printed * (0.01 if figure.percent else 1)) if printed else 1.0
    return abs(claimed - value) <= 0.5 * step * scale * (1 + 1e-9)


def _belongs(fact: CellFact, sentence: _Sentence, question: str, facts: Sequence[CellFact]) -> bool:
    """Whether row and column of the fact are those that question and sentence name best among its table's."""
    asked = words_of(question)
    table = [other for other in facts if other.group == fact.group]
    rows = {other.row: other.row_words for other in table}
    shared = frozenset.intersection(*rows.values()) if len(rows) > 1 else frozenset()
    for words in (asked, sentence.words):
        named = {row: len((own - shared) & words) for row, own in rows.items()}
        if named[fact.row] < max(named.values()):
            return False
    headings = [other.heading for other in table if other.row == fact.row]
    common = frozenset.intersection(*headings) if len(headings) > 1 else frozenset()
    free = (asked | sentence.words) - rows[fact.row]
    best = max(len((heading - common) & (free | asked)) for heading in headings)
    return len((fact.heading - common) & (free | asked)) >= best


def _check_text(sentence: _Sentence, question: str, facts: Sequence[CellFact], evidence: Evidence) -> Finding | None:
    """Quotations must stand in a cited text; a cell's words must belong to the row and column asked for."""
    shown = _fold(" ".join(text for _, text in evidence.texts))
    for quoted in _QUOTE.findall(sentence.text):
        if _fold(quoted) not in shown and _fold(quoted) not in _fold(question):
            return Finding("unsupported_text", f"The quotation “{quoted[:80]}” is in no cited text.")
    said, asked = _fold(sentence.text), _fold(question)
    taken = [
        fact
        for fact in facts
        if not fact.from_tool
        and fact.row_words
        and fact.text != fact.row
        and len(fact.text) >= MIN_TEXT
        and not fact.values
        and _fold(fact.text) in said
        and _fold(fact.text) not in asked
    ]
    for fact in taken:
        same_text = [other for other in taken if _fold(other.text) == _fold(fact.text)]
        if not any(_belongs(other, sentence, question, facts) for other in same_text):
            return Finding("unsupported_text", f"“{fact.text[:80]}” belongs to another row or column.")
    return None


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
