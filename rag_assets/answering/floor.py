"""The answer floor: whether the corpus speaks of a question at all.

Holds: `stands_on_floor`.
Add here: another measure of that, calibrated like this one.
Never here: whether an answer is right (cell_check).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.retrieval.many_rows import topic_of

if TYPE_CHECKING:
    from rag_assets.answering.desk import Desk
    from rag_assets.model.corpus import Passage


class Floor(NamedTuple):
    """`coverage`: share of the question's idf in the passage that holds most of it, 0..1."""

    coverage: float
    reached: bool


def stands_on_floor(question: str, desk: "Desk", passages: "Sequence[Passage]", floor: float) -> Floor:
    """Lexical coverage separates off-topic questions well (AUROC .998), a missing row hardly: that is checked later."""
    coverage = desk.coverage(topic_of(question), passages[:5]) if passages else 0.0
    return Floor(coverage, bool(passages) and coverage >= floor)
