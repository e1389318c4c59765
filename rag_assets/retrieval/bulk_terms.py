"""Terms of many texts at once: what `analyzer.tokens` gives, three times as fast.

Holds: `TermNumbers`: texts to numbered terms, most of them in three passes over one joined text.
Add here: a kind of text that the passes can take without a term coming out otherwise.
Never here: another rule of what a term is (analyzer.py).
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import count, islice
from typing import NamedTuple

import numpy as np

from rag_assets.retrieval.analyzer import STOP_WORDS, folded, tokens
from rag_assets.retrieval.segment_files import Array
from rag_assets.retrieval.weights import FOLDED_MARK

# The figures of analyzer._TOKEN in its order. The first digit and what every figure needs around it stand in front:
# the search jumps to a digit and turns most of them down at once.
_FIGURE = re.compile(
    rb"\d(?<!\w\d)(?=\d*(?:[,.]\d|[\s\x1c-\x1f]?%))"
    rb"(?:(?<![,.]\d)\d*(?:,\d{3})*(?:\.\d+)?[\s\x1c-\x1f]?%"
    rb"|(?<!,\d)\d{0,2}(?:,\d{3})+(?:\.\d+)?(?![\w,])"
    rb"|(?<!\.\d)\d*\.\d+(?![\w.]))"
)
_BLANKS = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_END, _POINT, _PERCENT = b"\x00", b"\x02", b"\x03"
_TABLE = bytes(
    ord("%") if c == _PERCENT[0] else ord(".") if c == _POINT[0]
    else c if c == _END[0] or (chr(c).isdigit() and c < 128)
    else ord(chr(c).lower()) if c < 128 and chr(c).isalpha()
    else ord(" ")
    for c in range(256)
)  # fmt: skip


class Numbered(NamedTuple):
    """Terms by their number, and beside each the index of the text it stands in."""

    terms: Array
    texts: Array


class TermNumbers:
    """Gives each term a number, in the order in which they are met; stop words are left out."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._end = self._numbers[_END]
        self._unwanted = [self._end, *(self._numbers[word.encode()] for word in STOP_WORDS.get(language, ()))]
        self._spelled: list[bytes] = []
        self._singulars: dict[int, int] = {}

    @property
    def vocabulary(self) -> list[bytes]:
        """Spelling of each number; the first ones are those that never stand in a text."""
        return list(self._numbers)

    def of(self, texts: Sequence[str]) -> Numbered:
        plain = [text if text.isascii() and "'" not in text else "" for text in texts]
        joined = " \x00 ".join((*plain, "")).encode()
        if joined.count(_END) > len(texts) or _POINT in joined or _PERCENT in joined:
            plain = [""] * len(texts)
            joined = b" \x00 " * len(texts)
        words = _FIGURE.sub(_one_word, joined).translate(_TABLE).split()
        found = np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))
        ends = found == self._end
        kept = ~np.isin(found, self._unwanted)
        others = [n for n, (text, taken) in enumerate(zip(texts, plain, strict=True)) if text and not taken]
        return self._with_others(Numbered(found[kept], np.cumsum(ends, dtype=np.int32)[kept]), texts, others)

    def singulars_of(self, numbered: Numbered) -> Numbered:
        """The marked singular of each word in its place; figures and mixed terms have none."""
        used, places = np.unique(numbered.terms, return_inverse=True)
        self._spelled.extend(islice(self._numbers, len(self._spelled), None))
        singulars = np.array([self._singular(n) for n in used.tolist()], dtype=np.int32)
        found = singulars[places]
        return Numbered(found[found >= 0], numbered.texts[found >= 0])

    def _singular(self, number: int) -> int:
        found = self._singulars.get(number)
        if found is None:
            term = self._spelled[number].decode("utf-8", "surrogatepass")
            marked = (FOLDED_MARK + folded(term)).encode("utf-8", "surrogatepass")
            found = self._singulars[number] = self._numbers[marked] if term.isalpha() else -1
        return found

    def _with_others(self, numbered: Numbered, texts: Sequence[str], others: Sequence[int]) -> Numbered:
        if not others:
            return numbered
        terms: list[int] = []
        lengths = []
        for n in others:
            words = tokens(texts[n], self._language)
            terms.extend([self._numbers[word.encode("utf-8", "surrogatepass")] for word in words])
            lengths.append(len(words))
        places = np.repeat(np.array(others, dtype=np.int32), lengths)
        return Numbered(
            np.concatenate((numbered.terms, np.array(terms, dtype=np.int32))),
            np.concatenate((numbered.texts, places)),
        )


def _one_word(match: re.Match[bytes]) -> bytes:
    figure = match[0].replace(b",", b"").replace(b".", _POINT)
    if not figure.endswith(b"%"):
        return figure
    number = figure[:-1].rstrip(_BLANKS)
    return number + b" " + number + _PERCENT + b" "
