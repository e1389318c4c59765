"""Cases for which the newest evaluation had no time: a longer budget makes them due.

Holds: `LeftOut`, remembering and finding it.
Add here: another fact about what an evaluation could not do.
Never here: choosing the cases (evaluation/suites.py).
"""

from dataclasses import dataclass

from rag_assets.store import Store

LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """`cases` were unscored when `eval_budget_s` was `budget_s`."""

    cases: int = 0
    budget_s: float = 0

    def reason(self, budget_s: float) -> str | None:
        """Why they are due under this budget; None where it is no longer than the one that was too short."""
        if not self.cases or budget_s <= self.budget_s:
            return None
        return f"{self.cases} cases were unscored within {self.budget_s:g} s, eval_budget_s is {budget_s:g} now"


def remember_left_out(store: Store, left_out: LeftOut) -> None:
    store.write_memo(LEFT_OUT, left_out)


def newest_left_out(store: Store) -> LeftOut:
    return store.read_memo(LEFT_OUT, LeftOut, LeftOut())
