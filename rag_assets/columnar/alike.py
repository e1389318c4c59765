"""Texts that read alike: a key for each text, such that one text of a key speaks for all of them.

Holds: `keys_of`, `key_of`, `all_words`.
Add here: a kind of text whose digits decide how it reads.
Never here: reading a value (tables/values.py).

    12,400  7,150     → "00,000" "0,000"     what a text is follows from its shape, digits taken as 0
    007               → "code"               but for codes
    2024-02-30        → "0000-00-00|"        and dates, which may not exist
    North, Customer 7 → "words:"             words are one key, apart from what they prove about decimal commas
"""

import re
from functools import lru_cache

import polars as pl

from rag_assets.tables.values import Convention, Kind, proves_convention, read_date, read_value

WORDS = "words:"
CODE = "code"

_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"0\d+|\d{17,}")
_DATE_LIKE = re.compile(
    r"0{4}-0{1,2}-0{1,2}|0{1,2}[/.]0{1,2}[/.]0{4}"
    r"|(?:0{1,2}(?:st|nd|rd|th)?\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*0{4}",
    re.IGNORECASE,
)
_CONVENTIONS = (
    Convention(),
    Convention(decimal_comma=True),
    Convention(spaced=True),
    Convention(apostrophe=True),
    Convention(decimal_comma=True, spaced=True),
    Convention(decimal_comma=True, apostrophe=True),
    Convention(decimal_comma=True, spaced=True, apostrophe=True),
)
FEW = 0.05  # share of different texts up to which each is asked by itself
HEAD = 4000

_CODE_PATTERN = r"^(0\d+|\d{17,})$"
_LONG_WORD = r"\p{L}{4}"
_PERHAPS_NO_WORD = (
    r"(?i)thousand|million|billion|trillion|percent|points|basis|meaningful|applicable|available|january|february|march|"
    r"april|june|july|august|september|sept|october|november|december|\n|\d[\s,.'’]\d|\d.*[.,]|[.,].*\d"
)


def all_words(texts: pl.Series) -> bool:
    """Whether it is plain that each text has the key of words; false says nothing."""
    if texts.dtype == pl.Categorical or not texts.head(HEAD).str.contains(_LONG_WORD).all():
        return False
    return bool(texts.str.contains(_LONG_WORD).all()) and not texts.str.contains(_PERHAPS_NO_WORD).any()


def keys_of(texts: pl.Series) -> pl.Series:
    """The key of each text as strings; null where there is none. Equal to `key_of` of each."""
    filled = texts.drop_nulls()
    if filled.is_empty():
        return pl.Series(texts.name, [None], dtype=pl.String).new_from_index(0, len(texts))
    if texts.dtype == pl.Categorical or filled.head(HEAD).n_unique() <= max(FEW * min(len(filled), HEAD), 200):
        return _each(texts)
    frame = texts.to_frame("text").with_columns(
        pl.when(pl.col("text").is_null())
        .then(None)
        .when(pl.col("text").str.contains(_CODE_PATTERN))
        .then(pl.lit(CODE))
        .when(pl.col("text").str.contains(_LONG_WORD) & ~pl.col("text").str.contains(_PERHAPS_NO_WORD))
        .then(pl.lit(WORDS))
        .alias("key")
    )
    left = frame["text"].is_not_null() & frame["key"].is_null()
    if not left.any():
        return frame["key"]
    rest = frame["text"].filter(left)
    places = left.arg_true()
    return frame["key"].scatter(places, _by_shape(rest))


def _each(texts: pl.Series) -> pl.Series:
    different = texts.unique().drop_nulls()
    keys = [key_of(text) for text in different]
    return texts.replace_strict(different, pl.Series(keys, dtype=pl.String), default=None, return_dtype=pl.String)


def _by_shape(texts: pl.Series) -> pl.Series:
    """Texts of one shape have one key; those that may be dates are asked one by one."""
    frame = pl.DataFrame({"text": texts, "shape": texts.str.replace_all(r"\d", "0")})
    shapes = frame.group_by("shape").agg(pl.col("text").first())
    dated = [shape for shape in shapes["shape"] if _DATE_LIKE.fullmatch(shape)]
    keys = pl.Series([key_of(text) for text in shapes["text"]], dtype=pl.String)
    found = frame["shape"].replace_strict(shapes["shape"], keys, return_dtype=pl.String)
    if not dated:
        return found
    asked = frame["shape"].is_in(dated)
    return found.scatter(asked.arg_true(), _each(frame["text"].filter(asked)))


def key_of(text: str) -> str:
    if _CODE.fullmatch(text):
        return CODE
    shape = _DIGIT.sub("0", text)
    if _DATE_LIKE.fullmatch(shape):
        return f"{shape}|{'date' if read_date(text) else ''}"
    return _key_of_shape(shape)


@lru_cache(maxsize=65536)
def _key_of_shape(shape: str) -> str:
    """The shape itself, or for what is a word under every convention only what it proves about conventions."""
    if "\n" in shape or any(read_value(shape, c).kind is not Kind.WORDS for c in _CONVENTIONS):
        return shape
    return WORDS + proves_convention(shape)
