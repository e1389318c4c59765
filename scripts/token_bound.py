"""Make and check the word list of the token bound against the cl100k vocabulary.

usage: token_bound.py [--write] VOCABULARY [TEXT...]    (needs `tiktoken`; VOCABULARY is cl100k_base.tiktoken)

Prints on how many texts the bound is below the vocabulary's own count (must be 0) and how far above it lies.
"""

import argparse
import base64
import random
import string
import textwrap
from pathlib import Path

import tiktoken

from rag_assets.chunking.tokens import count_tokens

PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
WORDS = Path(__file__).parent.parent / "rag_assets" / "chunking" / "common_words.txt"
NEWEST_RANK = 50_000
HEAD = """\
# Words by the most cl100k tokens they make: in lower case after a blank, otherwise; capitalized after a blank,
# otherwise. Made and checked by scripts/token_bound.py. Other words are bounded from their letters."""


def encoding(path: Path) -> tiktoken.Encoding:
    lines = [line.split() for line in path.read_bytes().splitlines() if line]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding("cl100k", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def known_words(cl100k: tiktoken.Encoding) -> dict[tuple[int, ...], list[str]]:
    """Words by the tokens they make: in lower case after a blank, otherwise; capitalized after a blank, otherwise."""
    marks = [mark for mark in string.punctuation if mark != "'"]

    def most(word: str) -> tuple[int, int]:
        after_blank, alone = len(cl100k.encode_ordinary(f" {word}")), len(cl100k.encode_ordinary(word))
        return after_blank, max(alone, *(len(cl100k.encode_ordinary(mark + word)) - 1 for mark in marks))

    tokens = [cl100k.decode_single_token_bytes(n).decode("utf-8", "ignore") for n in range(NEWEST_RANK)]
    words = [t[1:] for t in tokens if t.startswith(" ") and t[1:].isalpha() and t.isascii() and len(t) > 2]
    found: dict[tuple[int, ...], list[str]] = {}
    for word in sorted({w.lower() for w in words if w.islower() or w.istitle()}):
        found.setdefault((*most(word), *most(word.capitalize())), []).append(word)
    return found


def random_texts(count: int) -> list[str]:
    chance = random.Random(1)
    foreign = "éüß€£—–…“”’‘東京都ñ½²Ωя\u0301\U0001f600\u00a0"
    alphabets = [
        string.ascii_letters + " ", string.printable + foreign, "abc 'sStTmMdDrRelv", string.ascii_lowercase,
        string.ascii_uppercase + " .", "éa b", "|- \nab12.", string.digits + "  ", string.punctuation + " a\n",
    ]  # fmt: skip
    return ["".join(chance.choices(chance.choice(alphabets), k=chance.randint(1, 40))) for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("texts", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    cl100k = encoding(options.vocabulary)
    if options.write:
        lines = [HEAD]
        for counts, words in sorted(known_words(cl100k).items()):
            lines += [f"[{' '.join(map(str, counts))}]", *textwrap.wrap(" ".join(words), 118)]
        WORDS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    own = [part for path in options.texts for part in path.read_text(encoding="utf-8").split("\f")]
    for name, texts in (("random", random_texts(60_000)), ("own", own)):
        pairs = [(count_tokens(text), len(cl100k.encode_ordinary(text))) for text in texts]
        below = sum(bound < exact for bound, exact in pairs)
        share = sum(b for b, _ in pairs) / max(1, sum(e for _, e in pairs))
        print(f"{name}: {len(texts)} texts, {below} under-counted, bound / count {share:.2f}")


if __name__ == "__main__":
    main()
