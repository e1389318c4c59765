"""How much a term weighs by the zone it stands in, as whole repetitions.

Holds: `ZoneWeights`: integer multiples of term frequency, and the factor k1 is multiplied by.
Add here: the weight of a new zone.
Never here: scoring (postings.py).
"""

from fractions import Fraction
from math import lcm
from typing import NamedTuple

from rag_assets.model.chunk import Zone
from rag_assets.settings import RetrievalSettings

FINEST_SHARE = 16
FOLDED_MARK = "\x01"
FOLDED_WEIGHT = 3
WORD_WEIGHT = 10


class ZoneWeights(NamedTuple):
    """`times[zone]` repetitions of each term of the zone.

    BM25 with every term frequency and k1 multiplied by `multiplier` differs from BM25 by a constant factor only, so a
    weight of 1/4 is one repetition where plain text has four. `folded` counts singulars of caption words, which stand
    apart (marked) and weigh `FOLDED_WEIGHT` to a word's `WORD_WEIGHT` in a question.
    """

    multiplier: int
    times: dict[Zone, int]

    @classmethod
    def of(cls, settings: RetrievalSettings) -> "ZoneWeights":
        shares = {
            Zone.CAPTION: settings.caption_weight,
            Zone.HEADING: settings.caption_weight,
            Zone.LABEL: settings.label_weight,
            Zone.CELL: 1,
            Zone.TEXT: 1,
            Zone.NEIGHBOUR: settings.prose_weight,
        }
        fractions = {zone: Fraction(share).limit_denominator(FINEST_SHARE) for zone, share in shares.items()}
        multiplier = lcm(*(f.denominator for f in fractions.values()))
        return cls(multiplier, {zone: int(f * multiplier) for zone, f in fractions.items()})
