"""Which rules of table understanding are on, and the few numbers they need.

Holds: `Rules`, the named switches that `eval ablate` turns off one by one.
Add here: a switch for a new rule (and its name in settings.rules).
Never here: what a rule does.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """`hidden_policy` "exclude" drops hidden cells and counts them; "include" treats them as shown.

    Tables of documents with at least `lookup_rows` body rows become lookup tables.
    """

    rejoin_symbols: bool = True
    stacked_headings: bool = True
    sections: bool = True
    section_totals: bool = True
    period_sections: bool = True
    corner: bool = True
    continuation: bool = True
    caption_run: bool = True
    unit_exceptions: bool = True
    transposed_pair: bool = True
    lookup_rows: int = 20
    hidden_policy: Literal["exclude", "include"] = "exclude"
    record_rows: int = 500
