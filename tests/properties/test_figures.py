"""A figure printed as six countries print it is read as what it is worth."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.answering.figures import figures_in


class Locale(NamedTuple):
    """`groups` are the sizes of the groups of digits from the right; the last one goes on."""

    thousands: str
    decimal: str
    groups: tuple[int, ...] = (3,)

    def printed(self, hundredths: int, *, decimals: bool) -> str:
        whole, rest = divmod(abs(hundredths), 100)
        digits, parts, n = str(whole), [], 0
        while digits:
            size = self.groups[min(n, len(self.groups) - 1)]
            digits, part, n = digits[:-size], digits[-size:], n + 1
            parts.append(part)
        shown = self.thousands.join(reversed(parts)) + (f"{self.decimal}{rest:02}" if decimals else "")
        return f"-{shown}" if hundredths < 0 else shown


LOCALES = {
    "en_US": Locale(",", "."),
    "de_DE": Locale(".", ","),
    "fr_FR": Locale("\u202f", ","),
    "de_CH": Locale("’", "."),
    "sv_SE": Locale("\u00a0", ","),
    "en_IN": Locale(",", ".", (3, 2)),
}
FORMS = {
    "alone": "{}",
    "in a sentence": "The fee is {} in all.",
    "before a word": "{} apply",
    "in euros": "{} €",
    "percent": "{} %",
}


@pytest.mark.parametrize("name", LOCALES)
@pytest.mark.parametrize("form", FORMS)
@given(hundredths=st.integers(min_value=-(10**11), max_value=10**11), decimals=st.booleans())
def test_a_printed_figure_is_read_back(name: str, form: str, hundredths: int, decimals: bool) -> None:
    exact = hundredths if decimals else hundredths // 100 * 100
    (figure,) = figures_in(FORMS[form].format(LOCALES[name].printed(exact, decimals=decimals)))
    worth = exact / 100 / (100 if form == "percent" else 1)
    assert any(abs(value - worth) <= 1e-9 * max(1, abs(worth)) for value in figure.values), figure
    assert figure.percent == (form == "percent")
    assert figure.currency == ("€" if form == "in euros" else None)
