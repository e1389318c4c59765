"""Text to terms: the same for documents and questions.

Holds: normalization, word and number tokens, stop words, CJK bigrams, plural folding.
Add here: a language's stop words, another way the same figure is written.
Never here: weights (weights.py), scores (postings.py).
"""

import re
import unicodedata
from collections.abc import Iterator

_TOKEN = re.compile(
    r"(?<![\w,.])\d+(?:,\d{3})*(?:\.\d+)?\s?%"
    r"|(?<![\w,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])"
    r"|(?<![\w.])\d+\.\d+(?![\w.])"
    r"|[^\W_]+(?:['’][^\W_]+)?"
)
_PLAIN_TOKEN = re.compile(r"[a-z0-9]+")
_NOT_PLAIN = re.compile(r"[.,%']")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_MARKS = re.compile(r"[\u0300-\u036f]+")

_EN = """a about after among an and are as at be before between both by can could did do does during each for from had
has have how in into is it its many may might much must of on or shall should such than that the their then there these
they this through to was were what when where which while who whom whose why will with would"""
_DE = """aber als am an auch auf aus bei bis das dass dem den der des die ein eine einem einen einer es für hat im in
ist mit nach oder sich sind und von war was welche welcher wer wie wo zu zum zur"""
_FR = """a au aux avec ce ces combien comment dans de des du elle en est et il la le les leur ou par pas pour quand que
quel quelle qui se sont sur un une"""
_ES = """a al como con cual cuando de del donde el ella en es esta la las lo los no o para por que quien se son su sus
un una y"""

STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(_EN.split()),
    "de": frozenset(_DE.split()),
    "fr": frozenset(_FR.split()),
    "es": frozenset(_ES.split()),
    "none": frozenset(),
}


def tokens(text: str, language: str = "en") -> list[str]:
    """Terms of a text in order, stop words (and question words) left out; one-character terms stay.

    `$25,000` gives `25000`, `12%` gives `12` and `12%`, `Zürich` gives `zurich`, `東京都` gives `東京` and `京都`.
    A language without a list here has no stop words.
    """
    stop = STOP_WORDS.get(language, STOP_WORDS["none"])
    plain = normal_form(text)
    if plain.isascii() and not _NOT_PLAIN.search(plain):
        return [token for token in _PLAIN_TOKEN.findall(plain) if token not in stop]
    found = _TOKEN.findall(plain)
    if plain.isascii() and "%" not in plain and "'" not in plain:
        return [token.replace(",", "") for token in found if token not in stop]
    return [term for token in found for term in _terms_of(token) if term not in stop]


def normal_form(text: str) -> str:
    """Compatibility forms and case folded, Latin accents taken off."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", folded)))


def folded(term: str) -> str:
    """The singular of an English plural, by its ending alone: `countries` → `country`, `games` → `game`."""
    if len(term) < 4 or not term.endswith("s") or term.endswith(("ss", "us", "is")):
        return term
    if term.endswith("ies") and len(term) > 4:
        return f"{term[:-3]}y"
    if term.endswith(("ches", "shes", "xes", "sses")):
        return term[:-2]
    return term[:-1]


def _terms_of(token: str) -> Iterator[str]:
    if token.endswith("%"):
        number = token[:-1].rstrip().replace(",", "")
        yield from (number, f"{number}%")
    elif token[0].isdigit() and "," in token:
        yield token.replace(",", "")
    elif "'" in token or "’" in token:
        yield from (part for part in re.split("['’]", token) if part not in {"s", "t"})
    elif not token.isascii() and _CJK.search(token):
        yield from _bigrams(token)
    else:
        yield token


def _bigrams(token: str) -> Iterator[str]:
    place = 0
    for run in _CJK.finditer(token):
        if run.start() > place:
            yield token[place : run.start()]
        text = run.group()
        yield from ([text] if len(text) == 1 else [text[n : n + 2] for n in range(len(text) - 1)])
        place = run.end()
    if place < len(token):
        yield token[place:]
