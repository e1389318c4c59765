"""Suite statements: is a fact stated with its subject, phrase, value and time.

Holds: `score_statements`.
Add here: a part of a statement that a case may name.
Never here: the quality of statements nobody named (statement_quality.py).
"""

from functools import partial

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import Expectation, StatementExpectation
from rag_assets.evaluation.matching import same_text, same_value
from rag_assets.evaluation.outcomes import Finding, Subject
from rag_assets.evaluation.scorers.combine import faults_of
from rag_assets.model.statement import Statement

_TEXTS = ("subject", "phrase", "text", "when", "unit")


def score_statements(case: Case, subject: Subject) -> Finding:
    document = subject.corpus.normalized(case.sources[0])
    said = (*(document.statements if document else ()), *subject.corpus.prose_statements(case.sources[0]))
    return Finding(faults=faults_of(case.expect, partial(_check, said)))


def _check(statements: tuple[Statement, ...], expected: Expectation) -> tuple[str, ...]:
    return tuple(
        f"no statement {wanted.model_dump(exclude_unset=True)}"
        for wanted in expected.statements
        if not any(_agrees(one, wanted) for one in statements)
    )


def _agrees(one: Statement, wanted: StatementExpectation) -> bool:
    said = {"subject": one.subject, "phrase": one.phrase, "text": one.text, "when": one.when, "unit": one.unit}
    named = wanted.model_dump(exclude_unset=True)
    return (
        all(same_text(said[key] or "", named[key] or "") for key in _TEXTS if key in named)
        and (wanted.value is None or same_value(one.value, wanted.value))
        and wanted.scale in {None, one.scale}
        and wanted.address in {None, one.address}
    )
