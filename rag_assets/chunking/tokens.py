"""Counting tokens without a vocabulary: never fewer than cl100k counts.

Holds: an upper bound of the number of cl100k tokens of a text, from the way its pieces merge.
Add here: a tighter bound that is still a bound (scripts/token_bound.py checks it against the vocabulary).
Never here: a download; the count must work offline.
"""

import re
from functools import lru_cache
from importlib.resources import files

# Letters after a blank, an apostrophe or a foreign character make one piece with it; digits go by threes.
_PIECES = re.compile(
    r"(?: |'|[^\x00-\x7f])?[^\W\d_]+"
    r"|[0-9]+"
    r"|\s*[\r\n]+"
    r"|[^\S\r\n]+"
    r"| ?(?:[^\w\s]|_)+[\r\n]*"
    r"|\w"
)
# Pairs of letters that are no token; all other pairs of one case are, so two single letters never stay side by side.
_LONE_PAIRS = frozenset(
    re.findall(
        r"\w\w",
        "bq fj fz gj gk gq hj jg jv jw jx jy jz kq kx kz lq mz nq oq qf qg qj qk qo qy qz rj tj tq uq vq vz wq wv "
        "wz xg xh xj xk xq xu xv xw yf yj yq yv zg zj zq zr zv BQ BZ CJ CQ CZ DQ DZ EJ EY FJ FQ FV FZ GJ GK GQ GZ "
        "HJ IY JF JG JH JL JN JQ JU JW JX JY JZ KJ KQ KU KX KZ LH LJ LQ LW LX LZ NQ OJ OQ OY OZ PQ PZ QD QF QG QH "
        "QI QJ QK QO QV QW QX QY QZ RJ RQ RZ TJ TQ UH UJ UO UQ UW UZ VH VJ VQ VU VW VX VY VZ WJ WQ WU WV WY WZ XG "
        "XH XJ XK XN XO XQ XU XV XW XZ YB YD YF YH YI YJ YK YQ YR YU YV YX ZB ZC ZD ZG ZI ZJ ZK ZL ZM ZP ZQ ZS ZT "
        "ZU ZV ",
    )
)
_MARKS = {
    "):": 1,
    ")\n": 1,
    ".\n\n": 1,
    "\n\n": 1,
    "%\n": 1,
    " |": 1,
    "|": 1,
    " |\n": 1,
    "|\n": 1,
    " ---": 1,
    "---": 1,
    ").": 1,
    "),": 1,
    " ($": 1,
    " (": 1,
    "...": 1,
    '."': 1,
}
_CONTRACTIONS = frozenset({"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
_RUNS = re.compile(r"[A-Za-z]+|[^A-Za-z]+")


def count_tokens(text: str) -> int:
    """At least the tokens cl100k makes of a text; on English pages and tables a third to a half more."""
    return sum(map(_most_tokens, _PIECES.findall(text)))


@lru_cache(maxsize=1 << 16)
def _most_tokens(piece: str) -> int:
    if piece[-1].isascii() and piece[-1].isalpha() and piece.isascii():
        if piece[0] == "'":
            return 1 if piece.lower() in _CONTRACTIONS else 2 + _most_of_letters(piece[1:])
        return _most_of_word(piece)
    if piece[0].isdigit() and piece.isascii():
        return (len(piece) + 2) // 3
    if piece.isascii():
        marks = piece[1:] if piece[0] == " " and not piece.isspace() else piece
        return _MARKS.get(piece) or len(marks)
    runs = _RUNS.findall(piece)
    return sum(_most_of_letters(r) if r[0].isascii() and r[0].isalpha() else _bytes_of(r) for r in runs)


def _most_of_word(piece: str) -> int:
    return _common_words().get(piece) or _most_of_letters(piece)


def _most_of_letters(letters: str) -> int:
    """The longest way to cut a run of letters in which no two neighbours could still merge.

    A merge goes on while two neighbours make a token; so single letters stand side by side only as one of the pairs
    that are none (or of mixed case), and everything else has at least two letters.
    """
    single, longer = 1, 0
    before_single, before_longer = 0, 0
    for n in range(1, len(letters)):
        pair = letters[n - 1 : n + 1]
        lone = pair in _LONE_PAIRS or (pair[0] != " " and pair[0].islower() != pair[1].islower())
        next_single = 1 + max(longer, single if lone else 0)
        next_longer = 1 + max(before_single, before_longer)
        before_single, before_longer = single, longer
        single, longer = next_single, next_longer
    return max(single, longer)


def _bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1)
def _common_words() -> dict[str, int]:
    found: dict[str, int] = {}
    counts: list[int] = []
    for line in files("rag_assets.chunking").joinpath("common_words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            counts = [int(n) for n in line.strip("[]").split()]
        elif not line.startswith("#"):
            for word in line.split():
                forms = (f" {word}", word, f" {word.capitalize()}", word.capitalize())
                found.update(zip(forms, counts, strict=True))
    return found
