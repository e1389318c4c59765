"""Whether a figure is what a cell says: equal in value, in unit, on its scale.

Holds: `same_worth`.
Add here: another unit, another way a scale or a loss is said.
Never here: which cell is meant (belonging), how figures are read (figures).
"""

import re

from rag_assets.answering.evidence import CellFact, all_words
from rag_assets.answering.figures import MEASURES, Figure

_LESS = re.compile(
    r"\b(?:loss|losses|lost|decreas\w*|declin\w*|negative|minus|fell|drop\w*|down|lower|less|outflows?|used|paid"
    r"|payments?|repurchas\w*|purchas\w*|dividends?|expens\w*|deduct\w*|pérdida|verlust|perte)\b|亏损|下降",
    re.IGNORECASE,
)
_SCALE_SAID = {
    1_000: re.compile(r"\b(?:thousands?|k|000s?|mil|miles|tausend|milliers?)\b|千", re.IGNORECASE),
    1_000_000: re.compile(r"\b(?:millions?|mn|mm|m|millones|millionen)\b|百万", re.IGNORECASE),
    1_000_000_000: re.compile(r"\b(?:billions?|bn|b|milliarden?|milliards?)\b", re.IGNORECASE),
}
_SIGNS = {"USD": "$", "US$": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "¥", "RMB": "¥", "INR": "₹"}
_EXACT = 1e-9


def same_worth(figure: Figure, fact: CellFact, sentence: str, answer: str, *, roughly: bool) -> bool:
    """Whether the figure is the fact's value, in its unit and on its scale."""
    if figure.date is not None:
        return any(_same_day(figure.date, day) for day in fact.dates)
    if not _unit_agrees(figure, fact):
        return False
    scaled = frozenset(value * fact.scale for value in fact.values)
    plain = fact.values if fact.scale == 1 or _scale_is_said(fact.scale, answer) else frozenset()
    for claimed in figure.values:
        for value in scaled if figure.scaled else scaled | plain:
            near = _EXACT * max(abs(value), 1)
            if abs(claimed - value) <= near:
                return True
            if (roughly or fact.computed) and _rounds_to(value, claimed, figure):
                return True
            if value < 0 and abs(claimed + value) <= near and _LESS.search(f"{sentence} {' '.join(fact.label)}"):
                return True
    return False


def _same_day(claimed: str, day: str) -> bool:
    return claimed == day or (claimed.startswith("--") and day[4:] == claimed[1:])


def _scale_is_said(scale: int, answer: str) -> bool:
    pattern = _SCALE_SAID.get(scale)
    return pattern is not None and pattern.search(answer) is not None


def _unit_agrees(figure: Figure, fact: CellFact) -> bool:
    if figure.percent and not fact.percent and (fact.currency or "." not in fact.text):
        return False  # a fraction without a unit may be said as a percentage, a whole number never
    if figure.currency:
        sign = _SIGNS.get(figure.currency.upper(), figure.currency)
        has = _SIGNS.get((fact.currency or "").upper(), fact.currency)
        named = sign in fact.units or any(s == sign and code in fact.units.split() for code, s in _SIGNS.items())
        if fact.percent or (has != sign if has else not named):
            return False
    if figure.measure:
        dimension = MEASURES[figure.measure.lower()]
        known = {word for word in all_words(fact.units) if MEASURES.get(word) == dimension}
        if known and not all_words(figure.measure) & known:
            return False
    return True


def _rounds_to(value: float, claimed: float, figure: Figure) -> bool:
    """Whether the claim is the value at the claim's own precision."""
    digits = re.sub(r"[^\d.]", "", figure.text)
    decimals = len(digits.partition(".")[2])
    step = 10.0**-decimals * (0.01 if figure.percent else 1)
    printed = float(digits.rstrip(".") or 0) if digits.count(".") < 2 else 0.0
    scale = abs(claimed) / (printed * (0.01 if figure.percent else 1)) if printed else 1.0
    return abs(claimed - value) <= 0.5 * step * scale * (1 + 1e-9)
