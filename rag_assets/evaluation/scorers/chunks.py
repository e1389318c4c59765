"""Suite chunks: is there one chunk that holds what belongs together.

Holds: `score_chunks`.
Add here: something a chunk must show.
Never here: whether it is found (scorers/retrieval.py).
"""

from functools import partial

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import ChunkExpectation, Expectation
from rag_assets.evaluation.matching import contains, same_address
from rag_assets.evaluation.outcomes import Finding, Subject
from rag_assets.evaluation.scorers.combine import faults_of
from rag_assets.model.chunk import Chunk


def score_chunks(case: Case, subject: Subject) -> Finding:
    return Finding(faults=faults_of(case.expect, partial(_check, subject.chunks_of.get(case.sources[0], ()))))


def _check(chunks: tuple[Chunk, ...], expected: Expectation) -> tuple[str, ...]:
    return tuple(
        f"no {wanted.kind or ''} chunk with {wanted.model_dump(exclude_unset=True, exclude={'kind'}, mode='json')}"
        for wanted in expected.chunks
        if not any(_agrees(chunk, wanted) for chunk in chunks)
    )


def _agrees(chunk: Chunk, wanted: ChunkExpectation) -> bool:
    return (
        wanted.kind in {None, chunk.kind.value}
        and all(contains(chunk.text, text) for text in wanted.must_contain)
        and not any(contains(chunk.text, text) for text in wanted.must_not_contain)
        and all(any(same_address(found, address) for found in chunk.addresses) for address in wanted.addresses)
        and wanted.tool in {None, chunk.tool}
        and (wanted.max_tokens is None or chunk.tokens <= wanted.max_tokens)
    )
