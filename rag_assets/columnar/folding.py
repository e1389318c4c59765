"""Texts of whole columns as understanding sees them: blanks folded, line breaks as in `tables/lines.py`.

Holds: `folded_texts`.
Add here: another kind of blank.
Never here: one text at a time.
"""

from collections.abc import Callable

import polars as pl

from rag_assets.tables.lines import line_text

WIDE_BLANKS = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
ODD_BLANKS = ("  ", "\x01 ", " \x01", "\n", "\t", "\r", "\v", "\f", "\x00", "\x1c", "\x1d", "\x1e", "\x1f")


def folded_texts(texts: pl.Series, fold: Callable[[str], str]) -> pl.Series:
    """Each text folded by `fold`, which is asked only where there is more than single spaces between words."""
    if not needs_folding(texts):
        return texts
    plain = texts.str.strip_chars().str.replace_all(r"\s+", " ")
    asked = texts.str.contains(r"[\n\r\v\f\x00\x1c-\x1f\x{85}\x{2028}\x{2029}]").fill_null(False)
    if asked.any():
        plain = plain.scatter(asked.arg_true(), [line_text(fold(text)) for text in texts.filter(asked)])
    return pl.select(pl.when(plain == "").then(None).otherwise(plain).alias(texts.name)).to_series()


def needs_folding(texts: pl.Series) -> bool:
    """Told from all texts at once, which is ten times faster than asking each."""
    if texts.null_count() == len(texts):
        return False
    together = texts.str.join("\x01").item()
    around = f"\x01{together}\x01"
    if any(part in around for part in ODD_BLANKS) or "\x01\x01" in around:
        return True
    return not together.isascii() and any(blank in together for blank in WIDE_BLANKS)
