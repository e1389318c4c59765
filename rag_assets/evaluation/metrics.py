"""Figures of a ranking, and how single figures become a score.

Holds: hit@k, recall@k, reciprocal rank, nDCG, precision within words, and `mean`.
Add here: another metric of a ranking (and its oracle in the test).
Never here: what counts as relevant (scorers/).
"""

import math
from collections.abc import Iterable, Sequence

from rag_assets.model.score import Score


def hit(relevant: Sequence[bool], k: int) -> float:
    """1 where one of the first `k` is relevant; `relevant` tells it for each rank, best first."""
    return float(any(relevant[:k]))


def recall(relevant: Sequence[bool], k: int, total: int) -> float | None:
    """Share of the `total` relevant ones among the first `k`; None where there is nothing to find."""
    return sum(relevant[:k]) / total if total else None


def reciprocal_rank(relevant: Sequence[bool], k: int) -> float:
    """1 / rank of the first relevant one, 0 where it is not among the first `k`."""
    rank = first_rank(relevant[:k])
    return 1 / rank if rank else 0.0


def ndcg(relevant: Sequence[bool], k: int, total: int) -> float | None:
    """Binary gains, log2 discount, against the ideal order of `total` relevant ones."""
    if not total:
        return None
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(total, k) + 1))
    found = sum(1 / math.log2(rank + 1) for rank, is_relevant in enumerate(relevant[:k], start=1) if is_relevant)
    return found / ideal


def word_precision(passages: Iterable[tuple[int, bool]]) -> float | None:
    """Share of the words that stand in relevant passages; each passage is (words, relevant)."""
    pairs = tuple(passages)
    words = sum(count for count, _ in pairs)
    return sum(count for count, is_relevant in pairs if is_relevant) / words if words else None


def first_rank(relevant: Sequence[bool]) -> int | None:
    return next((rank for rank, is_relevant in enumerate(relevant, start=1) if is_relevant), None)


def mean(values: Iterable[float | None], unscored: int = 0) -> Score:
    """Mean of what was scored; None counts as unscored, and of nothing the mean is None, never 0."""
    listed = tuple(values)
    scored = [value for value in listed if value is not None]
    missing = unscored + len(listed) - len(scored)
    return Score(math.fsum(scored) / len(scored) if scored else None, len(scored), missing)
