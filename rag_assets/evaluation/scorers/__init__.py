"""One scorer a suite: what a case of it finds in a corpus.

Holds: `SCORERS`, suite → scorer.
Add here: a new suite's scorer.
Never here: what the findings of many cases amount to (suites.py).
"""

from collections.abc import Callable, Mapping

from rag_assets.evaluation.cases import Case
from rag_assets.evaluation.expectations import Suite
from rag_assets.evaluation.outcomes import Finding, Subject
from rag_assets.evaluation.scorers.answers import score_answers
from rag_assets.evaluation.scorers.chunks import score_chunks
from rag_assets.evaluation.scorers.lookup import score_lookup
from rag_assets.evaluation.scorers.parse import score_parse
from rag_assets.evaluation.scorers.retrieval import score_retrieval
from rag_assets.evaluation.scorers.statements import score_statements
from rag_assets.evaluation.scorers.tables import score_tables

Scorer = Callable[[Case, Subject], Finding]
SCORERS: Mapping[Suite, Scorer] = {
    "parse": score_parse,
    "tables": score_tables,
    "statements": score_statements,
    "chunks": score_chunks,
    "retrieval": score_retrieval,
    "lookup": score_lookup,
    "answers": score_answers,
}
