"""Known counts come from the cl100k vocabulary (scripts/token_bound.py checks 60,000 random texts against it)."""

import pytest

from rag_assets.chunking.tokens import count_tokens

KNOWN = [
    ("The right row must reach the model with its header, caption and unit, within the words it can read.", 22),
    ("| Region | Tier | Discount |\n| --- | --- | --- |\n| North | 3 | 12% |", 24),
    ("$25,000 at 2026-01-01", 12),
    ("Current assets › Accounts receivable, net", 8),
    ("GAAP REVENUE QZXJ", 8),
    ("xqzjkvbq", 6),
    ("'sample it's don't", 6),
    ("naïve Zürich façade", 8),
    ("東京都の予算", 8),
    ("😀😀 ok", 5),
    ("12345678901234567890", 7),
    ("a  b   c\n\n\nd", 7),
    ("CamelCaseIdentifierNames", 5),
    ("https://example.org/a/b?c=d&e=f", 11),
    ("e3b0c44298fc1c149afbf4c8996fb924", 19),
    ("Überschußverwaltung", 7),
    ("(dollars in millions)", 6),
    ("—…“”’", 5),
    ("\t\tx = [1, 2, 3];", 12),
    ("Llanfairpwllgwyngyll", 9),
]


@pytest.mark.parametrize(("text", "exact"), KNOWN)
def test_the_count_is_never_below_the_vocabulary(text: str, exact: int):
    assert count_tokens(text) >= exact


def test_the_count_of_plain_english_is_close():
    text = "The right row must reach the model with its header, caption and unit, within the words it can read."
    assert count_tokens(text) <= 1.2 * 22


@pytest.mark.parametrize("text", ["", " ", "\n", "\ud800"])
def test_odd_texts_are_counted(text: str):
    assert count_tokens(text) <= 3
