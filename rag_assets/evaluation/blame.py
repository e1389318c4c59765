"""Which stage lost the answer of a failed case.

Holds: `blame`: the evidence is sought stage by stage, from the document to the answer.
Add here: another stage that can lose something.
Never here: whether the case failed (scorers/).
"""

from collections.abc import Iterable
from typing import NamedTuple

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import Expectation, PlaceExpectation
from rag_assets.evaluation.matching import contains, same_address, words
from rag_assets.evaluation.outcomes import Finding, Loss, Subject
from rag_assets.evaluation.scorers.lookup import ORACLE_PROBLEM, REFUSED
from rag_assets.evaluation.scorers.parse import text_of
from rag_assets.evaluation.scorers.retrieval import is_relevant, wanted_places, wanted_texts
from rag_assets.model.chunk import Chunk
from rag_assets.model.document import Document
from rag_assets.model.table import Normalized

DEEP = 1000
TOOL_PREFIX = "lookup_"
UNKNOWN_TOOL = "unknown_tool"


class Blame(NamedTuple):
    loss: Loss | None
    note: str = ""


def blame(case: Case, subject: Subject, finding: Finding) -> Blame:
    """The first stage in which the evidence is no longer together. None where nothing was to be found at all."""
    alternatives = evidence_texts(case)
    places = wanted_places(case.expect)
    documents = _documents(case, subject)
    if case.suite == "parse" or (case.sources and all(_unread(source, subject) for source in case.sources)):
        return Blame(Loss.NOT_PARSED, "" if case.suite == "parse" else f"{case.sources[0]} is not readable here")
    if any(fault.startswith(ORACLE_PROBLEM) for fault in finding.faults):
        return Blame(None, "the case's own oracle does not tell one figure")
    refusal = next((fault for fault in finding.faults if fault.startswith(REFUSED)), "")
    if refusal and UNKNOWN_TOOL not in refusal:
        return Blame(Loss.NOT_IN_LOOKUP, refusal)
    if alternatives and not _any_text(alternatives, [_whole(document) for document in documents]):
        missing = _missing(alternatives, documents)
        unread = _unread_texts(missing, case, subject)
        loss, texts = (Loss.NOT_PARSED, unread) if unread else (Loss.LOST_IN_TABLE, missing)
        return Blame(loss, f"not in the text of the document: {', '.join(texts)}")
    together = not alternatives or _any_text(alternatives, [unit for one in documents for unit in units_of(one)])
    if case.suite in {"tables", "statements"} or not together:
        return Blame(Loss.LOST_IN_TABLE, "" if together else "each text is there, but not in one row or block")
    if case.suite == "lookup":
        return Blame(Loss.NOT_IN_LOOKUP)
    chunks = [chunk for source in _sources(case) for chunk in subject.chunks_of.get(source, ())]
    if case.suite == "chunks" or not _in_a_chunk(chunks, alternatives, places):
        return Blame(Loss.NOT_IN_CHUNK)
    if not alternatives and not places:
        return _answered(finding)
    return _shown(case, subject, finding)


def _shown(case: Case, subject: Subject, finding: Finding) -> Blame:
    """The evidence is in a chunk: was that chunk shown?"""
    if not any(is_relevant(passage, case) for passage in finding.context):
        return Blame(Loss.RANKED_TOO_LOW, _rank_note(case, subject))
    if case.suite == "retrieval":
        return Blame(Loss.RANKED_TOO_LOW, f"rank {finding.rank}" if finding.rank else "")
    return _answered(finding)


def evidence_texts(case: Case) -> tuple[tuple[str, ...], ...]:
    """Texts that must stand together for the case to pass, as alternatives."""
    texts = wanted_texts(case.expect)
    if case.gold is not None:
        return tuple((cell.text,) for cell in case.gold.cells if cell.text)
    named = [*_named_texts(case.expect)]
    return (*texts, *named)


def units_of(document: Normalized) -> Iterable[str]:
    """What belongs together: a block, a pair, a row with its path, headings and caption."""
    for block in document.blocks:
        yield " ".join((*block.heading_path, block.text))
    for table in document.tables:
        frame = " ".join((*table.heading_path, *table.caption, *table.notes, table.name or ""))
        yield frame
        headings = {column.index: column.heading for column in (*table.label_columns, *table.columns)}
        for label, value in table.pairs:
            yield f"{frame} {label}: {value}"
        for row in table.rows:
            cells = [f"{headings.get(cell.column, '')}: {cell.text}" for cell in (*row.labels, *row.cells)]
            yield " ".join((frame, *row.path, *cells))


def _named_texts(expected: Expectation) -> Iterable[tuple[str, ...]]:
    for cell in expected.cells:
        if cell.text and not cell.absent:
            yield (cell.text,)
    for statement in expected.statements:
        if statement.text:
            yield (statement.text,)
    for chunk in expected.chunks:
        if chunk.must_contain:
            yield chunk.must_contain
    yield from expected.pairs
    for one in (*expected.one_of, *expected.all_of):
        yield from _named_texts(one)


def _sources(case: Case) -> tuple[str, ...]:
    cited = tuple(place.source for place in wanted_places(case.expect))
    return tuple(dict.fromkeys((*case.sources, *cited)))


def _documents(case: Case, subject: Subject) -> list[Normalized]:
    found = [subject.corpus.normalized(source) for source in _sources(case)]
    return [document for document in found if document is not None]


def _whole(document: Normalized) -> str:
    """The document's text, and the tool names its summaries carry."""
    return "\n".join((text_of(document), *(table.name for table in document.tables if table.name)))


def _unread(source: str, subject: Subject) -> bool:
    state = subject.sources.get(source)
    return state is None or subject.corpus.normalized(source) is None


def _any_text(alternatives: tuple[tuple[str, ...], ...], places: list[str]) -> bool:
    return any(all(contains(place, text) for text in texts) for texts in alternatives for place in places)


def _missing(alternatives: tuple[tuple[str, ...], ...], documents: list[Normalized]) -> list[str]:
    whole = "\n".join(_whole(document) for document in documents)
    return [text for text in alternatives[0] if not contains(whole, text)]


def _unread_texts(missing: list[str], case: Case, subject: Subject) -> list[str]:
    """Those of the missing texts of which a word was already missing where the readers found the documents.

    Words, since a heading of several header rows is read cell by cell; names of tools are made later than that.
    """
    read = [subject.corpus.document(source) for source in _sources(case)]
    if not any(read):
        return missing
    found = {word for document in read if document for word in words(_read_text(document))}
    return [text for text in missing if not text.startswith(TOOL_PREFIX) and words(text) - found]


def _read_text(document: Document) -> str:
    """Every text of a document as its reader found it."""
    cells = (cell.text for grid in document.grids for cell in grid.cells)
    names = (name for grid in document.grids for name in (grid.sheet, *grid.caption) if name)
    return "\n".join((document.title or "", *(block.text for block in document.blocks), *names, *cells))


def _in_a_chunk(
    chunks: list[Chunk], alternatives: tuple[tuple[str, ...], ...], places: tuple[PlaceExpectation, ...]
) -> bool:
    if alternatives and not _any_text(alternatives, [chunk.text for chunk in chunks]):
        return False
    addressed = [place for place in places if place.address is not None]
    return all(
        any(
            chunk.source == place.source and any(same_address(found, place.address or "") for found in chunk.addresses)
            for chunk in chunks
        )
        for place in addressed
    )


def _rank_note(case: Case, subject: Subject) -> str:
    ranking = subject.corpus.search(case.question or "", k=DEEP)
    rank = next((passage.rank for passage in ranking if is_relevant(passage, case)), None)
    return f"rank {rank}" if rank else f"not among the first {len(ranking)}"


def _answered(finding: Finding) -> Blame:
    if finding.answer is None:
        return Blame(None)
    if finding.answer.status == "declined":
        return Blame(Loss.DECLINED_THOUGH_PRESENT, finding.answer.reason or "")
    return Blame(Loss.ANSWERED_WRONG)
