"""Suite parse: is the document there, and are its blocks.

Holds: `score_parse`.
Add here: something a reader alone is responsible for.
Never here: what tables mean (scorers/tables.py).
"""

from functools import partial

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import BlockExpectation, Expectation
from rag_assets.evaluation.matching import contains, same_text
from rag_assets.evaluation.outcomes import Finding, SourceState, Subject
from rag_assets.evaluation.scorers.combine import faults_of, text_faults
from rag_assets.model.document import Block
from rag_assets.model.table import Normalized


def score_parse(case: Case, subject: Subject) -> Finding:
    source = case.sources[0]
    state = subject.sources.get(source)
    document = subject.corpus.normalized(source) if state is not None else None
    return Finding(faults=faults_of(case.expect, partial(_check, state, document, source)))


def _check(
    state: SourceState | None, document: Normalized | None, source: str, expected: Expectation
) -> tuple[str, ...]:
    if state is None:
        return (f"{source} is no source of this release",)
    faults = []
    if expected.status is not None and state.status != expected.status:
        faults.append(f"status is {state.status}, expected {expected.status}")
    if expected.reason is not None and state.reason != expected.reason:
        faults.append(f"reason is {state.reason}, expected {expected.reason}")
    blocks = document.blocks if document else ()
    faults += text_faults(expected, text_of(document), "the document")
    faults += [
        f"no {wanted.kind or 'block'} with {wanted.text!r}"
        for wanted in expected.blocks
        if not any(_agrees(block, wanted) for block in blocks)
    ]
    return tuple(faults)


def text_of(document: Normalized | None) -> str:
    """All a reader sees of the document: blocks, captions, headings, labels, cells, notes, pairs."""
    if document is None:
        return ""
    parts = [block.text for block in document.blocks]
    for table in document.tables:
        parts += [*table.caption, *table.notes, *(column.heading for column in (*table.label_columns, *table.columns))]
        parts += [text for pair in table.pairs for text in pair]
        for row in table.rows:
            parts += [*row.path, *(cell.text for cell in (*row.labels, *row.cells))]
    return "\n".join(parts)


def _agrees(block: Block, wanted: BlockExpectation) -> bool:
    return (
        contains(block.text, wanted.text)
        and wanted.kind in {None, block.kind.value}
        and wanted.level in {None, block.level}
        and (
            wanted.heading_path is None
            or tuple(map(str.casefold, wanted.heading_path)) == tuple(map(str.casefold, block.heading_path))
            or same_text(" ".join(wanted.heading_path), " ".join(block.heading_path))
        )
    )
