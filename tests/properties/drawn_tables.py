"""True tables, drawn at random.

Holds: `TrueTable`, `TrueRow`, `draw_table`.
Add here: another thing that a table can say.
Never here: how a page hides it (house_styles.py), what must come out (the tests).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

WORDS = (
    "Tools",
    "Repairs",
    "Leases",
    "Freight",
    "Wages",
    "Rent",
    "Grants",
    "Loans",
    "Bonds",
    "Cash",
    "Land",
    "Stock",
    "Patents",
    "Fuel",
    "Taxes",
    "Dues",
    "Receivables from other parties, less allowance",
    "Deferred charges and other long-lived items",
)
SECTIONS = ("Operating items", "Current assets", "Long-term assets", "Liabilities due", "Other items")
INNER = ("Inventories", "Property", "Borrowings")
SPANNERS = ("Three Months Ended", "Six Months Ended", "Year Ended")
DATES = ("June 30, 2025", "June 30, 2024", "March 31, 2023")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueRow:
    path: tuple[str, ...]
    figures: tuple[int, ...]
    is_section: bool = False

    @property
    def depth(self) -> int:
        return len(self.path) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueTable:
    spanners: tuple[str, ...]
    dates: tuple[str, ...]
    rows: tuple[TrueRow, ...]

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(" ".join(filter(None, (s, d))) for s in self.spanners or ("",) for d in self.dates)

    def facts(self) -> dict[tuple[tuple[str, ...], str], int]:
        return {(row.path, h): n for row in self.rows for h, n in zip(self.headings, row.figures, strict=False)}


def draw_table(random: Random) -> TrueTable:
    spanners = tuple(random.sample(SPANNERS, random.choice((0, 1, 2))))
    dates = tuple(random.sample(DATES, random.choice((2, 3))))
    width = max(len(spanners), 1) * len(dates)
    words = random.sample(WORDS, len(WORDS))
    rows: list[TrueRow] = []
    totals: list[TrueRow] = []
    for section in random.sample(SECTIONS, random.choice((1, 2, 3))):
        rows.append(TrueRow(path=(section,), figures=(), is_section=True))
        children = _items((section,), words, width, random)
        if random.random() < 0.3:
            inner = (section, random.choice(INNER))
            nested = _items(inner, words, width, random, at_most=2)
            children += [TrueRow(path=inner, figures=(), is_section=True), *nested]
            children.append(TrueRow(path=(section, f"Total {inner[-1].lower()}"), figures=_sum(nested)))
        rows += children
        parts = [c for c in children if len(c.path) == 2 and c.figures]
        totals.append(TrueRow(path=(f"Total {section.lower()}",), figures=_sum(parts)))
        rows.append(totals[-1])
    if len(totals) > 1:
        rows.append(TrueRow(path=("Total of everything",), figures=_sum(totals)))
    return TrueTable(spanners=spanners, dates=dates, rows=tuple(rows))


def _items(section: tuple[str, ...], words: list[str], width: int, random: Random, at_most: int = 4) -> list[TrueRow]:
    def figure() -> int:
        return random.randint(1000, 99_999) * (-1 if random.random() < 0.1 else 1)

    return [
        TrueRow(path=(*section, words.pop()), figures=tuple(figure() for _ in range(width)))
        for _ in range(random.randint(2, at_most))
    ]


def _sum(rows: Sequence[TrueRow]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*(row.figures for row in rows), strict=True)))
