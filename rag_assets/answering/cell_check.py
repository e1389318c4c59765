"""The cell check: no figure and no cell text in an answer without a cited cell or tool result that it belongs to.

Holds: `check_answer`, `Finding`.
Add here: another way an answer takes what is not its own, with its test.
Never here: parsing figures (figures), collecting evidence (evidence), which cell is meant (belonging).

The failures this is built against: a condition taken from the neighbour's column, a $3.00 fare read as $2.00, an
average of six rows given as the average of all.
"""

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal, NamedTuple

from rag_assets.answering.belonging import Asked, Clause
from rag_assets.answering.evidence import CellFact, Evidence, all_words
from rag_assets.answering.figures import Figure, figures_in
from rag_assets.answering.records import words_of
from rag_assets.answering.worth import same_worth
from rag_assets.model.corpus import Citation

_MARKS = re.compile(r"\[(t?\d+(?:\s*,\s*t?\d+)*)\]")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+(?=[^\s\[])|\n+")
_ROUGHLY = re.compile(r"\b(?:about|around|roughly|approximately|nearly|almost|rounded|some|circa|ca\.)|[~≈]", re.I)
_QUOTE = re.compile(r"[\"“”«»]([^\"“”«»]{1,300})[\"“”«»]")
_LAST_WORDS = re.compile(r"^(?:.*(?:[:=,]|\b(?:is|are|says|has|of)\b))?\s*(.+?)\s*[.!]?\s*$", re.IGNORECASE)
_BREAK = re.compile(r"[,;:]|\b(?:and|while|but|whereas|or|y|und|et)\b", re.IGNORECASE)
_UNIT_LINE = re.compile(r"\([^()]*\bin (?:thousands|millions|billions)\b[^()]*\)", re.IGNORECASE)
_COUNTS = re.compile(
    r"\b(?:how many|number of|count\w*|rows?|entr(?:y|ies)|items?|records?|there (?:is|are|were)|wie viele|anzahl"
    r"|cuánt[oa]s|combien)\b|多少|几个|共",
    re.IGNORECASE,
)
MIN_TEXT = 8  # characters of a cell's words that count as taken from it wherever they stand


class Finding(NamedTuple):
    """`reason` None: everything is supported. `says` tells a person, and the model on its second try, what was not."""

    reason: Literal["unsupported_figure", "unsupported_text"] | None
    says: str = ""
    citations: tuple[Citation, ...] = ()


class _Sentence(NamedTuple):
    text: str
    marks: frozenset[str]


def check_answer(answer: str, question: str, evidence: Evidence, today: date | None = None) -> Finding:
    """Trace every figure and every quoted or copied cell text of the answer.

    Figures of the question are no claims. Of rows that differ only in their days, those in force `today` are meant.
    A question over many rows takes its figures from complete tool results only.
    """
    asked = Asked(question, evidence, today)
    sentences = _sentences(answer)
    cited = frozenset(mark for s in sentences for mark in s.marks)
    used: dict[tuple[str, str | None], Citation] = {}
    for sentence in sentences:
        facts = [f for f in evidence.facts if f.mark in (sentence.marks or cited)]
        names = asked.names_in(sentence.text)
        claims = [
            figure
            for figure in figures_in(sentence.text)
            if not (_said_in_question(figure, sentence.text, question) or _inside(figure, names))
        ]
        for place, figure in enumerate(claims):
            clause = _clause(sentence.text, claims, place)
            holder = _holder(figure, clause, sentence.text, answer, asked, facts)
            if holder is None:
                return Finding("unsupported_figure", f"The figure {figure.text} is in no cited cell that agrees.")
            used[holder.source, holder.address] = Citation(
                source=holder.source, address=holder.address, text=holder.text
            )
        finding = _check_text(sentence, asked, facts, evidence)
        if finding is not None:
            return finding
    if asked.over_many and asked.functions and not used and not _names_a_result(answer, evidence):
        return Finding("unsupported_text", "The answer gives nothing of a complete tool result.")
    return Finding(None, "", (*used.values(), *_quoted_cells(answer, cited, evidence, used)))


def _names_a_result(answer: str, evidence: Evidence) -> bool:
    """Whether the answer says a text of a complete tool result ("West" has the highest)."""
    said = _fold(answer)
    return any(f.kind == "tool" and f.complete and not f.values and _fold(f.text) in said for f in evidence.facts)


def _quoted_cells(
    answer: str, cited: frozenset[str], evidence: Evidence, used: dict[tuple[str, str | None], Citation]
) -> tuple[Citation, ...]:
    said = _fold(answer)
    found = {
        (fact.source, fact.address): Citation(source=fact.source, address=fact.address, text=fact.text)
        for fact in evidence.facts
        if fact.mark in cited and not fact.from_tool and len(fact.text) >= MIN_TEXT and _fold(fact.text) in said
    }
    return tuple(citation for place, citation in found.items() if place not in used)


def _sentences(answer: str) -> list[_Sentence]:
    found = []
    for text in _SENTENCE.split(answer):
        if text.strip():
            marks = frozenset(m.strip() for group in _MARKS.findall(text) for m in group.split(","))
            found.append(_Sentence(_MARKS.sub(lambda mark: " " * len(mark[0]), text), marks))
    return found


def _said_in_question(figure: Figure, sentence: str, question: str) -> bool:
    """A figure of the question says nothing new beside the same word ("tier 3"), nor where it is a date or year."""
    for known in figures_in(question):
        if figure.date or known.date:
            if figure.date == known.date:
                return True
            continue
        if not figure.values & known.values or (figure.percent, figure.currency) != (known.percent, known.currency):
            continue
        if not figure.percent and not figure.currency and re.fullmatch(r"(?:19|20)\d\d", figure.text):
            return True
        if _beside(figure, sentence) & _beside(known, question):
            return True
    return False


def _inside(figure: Figure, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= figure.start and figure.start + len(figure.text) <= end for start, end in spans)


def _beside(figure: Figure, text: str) -> frozenset[tuple[str, str]]:
    before = re.findall(r"\w+", text[: figure.start])[-1:]
    after = re.findall(r"\w+", text[figure.start + len(figure.text) :])[:1]
    return frozenset([("before", word.lower()) for word in before] + [("after", word.lower()) for word in after])


def _clause(sentence: str, figures: Sequence[Figure], place: int) -> Clause:
    """The part of the sentence that speaks of this figure: between its neighbours, shared at a comma or an "and"."""
    figure = figures[place]
    end = figure.start + len(figure.text)
    before = sentence[figures[place - 1].start + len(figures[place - 1].text) : figure.start] if place else ""
    after = sentence[end : figures[place + 1].start] if place + 1 < len(figures) else ""
    if place:
        breaks = list(_BREAK.finditer(before))
        before = before[breaks[0].start() :] if breaks else before
    else:
        before = sentence[: figure.start]
    if place + 1 < len(figures):
        broken = _BREAK.search(after)
        after = after[: broken.start()] if broken else ""
    else:
        after = sentence[end:]
    text = _UNIT_LINE.sub(" ", f"{before} {after}")
    return Clause(text, all_words(text))


def _holder(
    figure: Figure,
    clause: Clause,
    sentence: str,
    answer: str,
    asked: Asked,
    facts: Sequence[CellFact],
) -> CellFact | None:
    """The fact that the figure comes from: equal in value and unit, and of the row and column that are asked for."""
    roughly = bool(_ROUGHLY.search(sentence))
    for fact in facts:
        if asked.over_many and not (fact.from_tool and fact.complete):
            continue
        if fact.kind == "count" and not figure.date and not _COUNTS.search(f"{asked.question} {clause.text}"):
            continue
        if same_worth(figure, fact, sentence, answer, roughly=roughly) and asked.means(fact, clause):
            return fact
    return None


def _check_text(sentence: _Sentence, asked: Asked, facts: Sequence[CellFact], evidence: Evidence) -> Finding | None:
    """Quotations must stand in a cited text; a cell's words must belong to the row and column asked for."""
    shown = _fold(" ".join(text for _, text in evidence.texts))
    question = _fold(asked.question)
    for quoted in _QUOTE.findall(sentence.text):
        if _fold(quoted) not in shown and _fold(quoted) not in question:
            return Finding("unsupported_text", f"The quotation “{quoted[:80]}” is in no cited text.")
    invented = _invented_ending(sentence, shown, asked)
    if invented:
        return Finding("unsupported_text", f"“{invented[:80]}” is in no cited text.")
    for text in _texts_taken(sentence, evidence, question):
        clause = Clause(sentence.text, all_words(_fold(sentence.text).replace(text, " ")))
        if not any(_fold(fact.text) == text and asked.means(fact, clause) for fact in facts):
            return Finding("unsupported_text", f"“{text[:80]}” belongs to another row or column.")
    return None


def _invented_ending(sentence: _Sentence, shown: str, asked: Asked) -> str | None:
    """The words in the place of a value ("product: Life ring bracket") where nothing retrieved holds any of them."""
    ending = _LAST_WORDS.search(" ".join(sentence.text.split()))
    words = words_of(ending[1]) if ending and not figures_in(ending[1]) else frozenset()
    known = all_words(shown) | asked.words
    return ending[1] if ending and len(words) > 1 and not words & known else None


def _texts_taken(sentence: _Sentence, evidence: Evidence, question: str) -> list[str]:
    """Texts of cells that the sentence says: long ones anywhere, short ones where quoted or as its last words."""
    rest = _fold(sentence.text)
    ending = _LAST_WORDS.search(rest)
    spoken = {_fold(quoted) for quoted in _QUOTE.findall(sentence.text)}
    if ending:
        spoken.add(ending[1].strip(' “”"«»'))
    known = {_fold(f.text) for f in evidence.facts if f.kind in ("cell", "pair") and not f.values and not f.dates}
    taken = []
    for text in sorted(known, key=lambda text: (-len(text), text)):
        if text and text not in question and text in rest and (len(text) >= MIN_TEXT or text in spoken):
            taken.append(text)
            rest = rest.replace(text, " ")
    return taken


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
