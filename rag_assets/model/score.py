"""A score: a value with how many cases stand behind it.

Holds: `Score`.
Add here: nothing but what a score is.
Never here: how one is computed (evaluation/metrics.py).
"""

from typing import NamedTuple


class Score(NamedTuple):
    """`value` is None where nothing was scored: not scored is never 0 and never a pass."""

    value: float | None
    n: int
    unscored: int = 0
