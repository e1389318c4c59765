"""What one term adds to the score of each chunk, and the best of a total.

Holds: `TermScores`, sparse for rare terms and dense for frequent ones; the cut that leaves the best chunks.
Add here: a faster way to add up or to cut that leaves every score and rank as it is.
Never here: how a share follows from frequencies (postings.py), the order of equal scores (search.py).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.signedinteger | np.unsignedinteger]
Mask = npt.NDArray[np.bool_]

DENSE_SHARE = 8
BLOCK_ROWS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class TermScores:
    """What a term adds to the score of the chunks that hold it.

    `docs` are chunk numbers in order and `shares` stand beside them. Without `docs` the term stands in an eighth of the
    chunks or more and `shares` has a place for every chunk: adding it costs .4 ns a chunk, a posting 2.7 ns.
    """

    docs: Ints | None
    shares: Floats

    @classmethod
    def of(cls, docs: Ints, shares: Floats, size: int) -> "TermScores":
        """From chunk numbers in order, of `size` chunks in all, and the share of each."""
        if len(docs) * DENSE_SHARE < size:
            return cls(docs=docs, shares=shares)
        everywhere = np.zeros(size)
        everywhere[docs] = shares
        return cls(docs=None, shares=everywhere)

    @property
    def nbytes(self) -> int:
        return self.shares.nbytes + (0 if self.docs is None else self.docs.nbytes)

    def add_to(self, total: Floats, weight: float) -> None:
        shares = self.shares if weight == 1.0 else weight * self.shares
        if self.docs is None:
            total += shares
        elif len(shares):
            total[self.docs] += shares

    def at(self, number: int) -> float:
        """The share of one chunk, 0 where the term does not stand in it."""
        if self.docs is None:
            return float(self.shares[number])
        place = int(self.docs.searchsorted(number))
        return float(self.shares[place]) if place < len(self.docs) and self.docs[place] == number else 0.0


def best_of(scores: Floats, wanted: int) -> Ints:
    """Numbers of at least the `wanted` best chunks with a score above 0, with all that equal the last of them."""
    found = _high_enough(scores, wanted)
    if len(found) <= wanted:
        return found
    high = scores[found]
    return found[high >= np.partition(high, len(high) - wanted)[len(high) - wanted]]


def _high_enough(scores: Floats, wanted: int) -> Ints:
    """Holds the `wanted` best and few others.

    The highest scores of `BLOCK_ROWS` chunks each are found at a tenth of the cost of a partition of all scores, and
    the `wanted`-th largest of them is a lower bound of the `wanted`-th largest score.
    """
    columns = len(scores) // BLOCK_ROWS
    if columns > wanted:
        highest = np.maximum.reduce(scores[: columns * BLOCK_ROWS].reshape(BLOCK_ROWS, columns))
        highest.partition(columns - wanted)
        bound = highest[columns - wanted]
        if bound > 0:
            return (scores >= bound).nonzero()[0]
    return (scores > 0).nonzero()[0]
