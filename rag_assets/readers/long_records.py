"""Records of a long delimited file as frames of texts, some tens of thousands at a time.

Holds: `record_frames`: the fast parser where a piece is regular, Python's own where it is not.
Add here: another irregularity that the fast parser reads otherwise than Python's.
Never here: the dialect (dialect.py), what the fields are.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import polars as pl

from rag_assets.readers.dialect import MAX_FIELD_LINES, Dialect

BATCH_RECORDS = 50_000
MAX_WIDTH = 4096
MAX_RECORD_CHARACTERS = 1 << 26

NEWLINE, RETURN, QUOTE = b'\n\r"'
ODD_CONTROLS = (b"\x1c", b"\x1d", b"\x1e", b"\x1f", b"\x00")


class Frame(NamedTuple):
    """`fields`: columns `0`, `1`, … of texts, null or empty where a record has none. `widths`: fields a record."""

    fields: pl.DataFrame
    widths: np.ndarray


class NotRegular(Exception):
    """The records cannot be told one by one."""


def record_frames(texts: Iterable[str], dialect: Dialect) -> Iterator[Frame]:
    """All records in order, blank ones as rows without fields. Raises NotRegular."""
    rest = ""
    texts = iter(texts)
    for text in texts:
        buffered = rest + text if rest else text
        content = buffered.encode()
        frame = _plain_frame(content, dialect)
        if frame is not None:
            yield frame
            rest = content[content.rfind(b"\n") + 1 :].decode()
            continue
        laid_out = _laid_out(content, dialect.delimiter)
        if laid_out is None:
            yield from _slow_frames(chain([buffered], texts), dialect)
            return
        if laid_out.end == 0:
            if len(buffered) > MAX_RECORD_CHARACTERS:
                raise NotRegular
            rest = buffered
            continue
        whole, rest = content[: laid_out.end], content[laid_out.end :].decode()
        yield _fast_frame(whole, laid_out.widths, dialect) or _slow_frame(whole.decode(), dialect)
    if rest:
        yield _last_frame(rest, dialect)


def _plain_frame(content: bytes, dialect: Dialect) -> Frame | None:
    """All whole records of a piece without quotes in which each has its last field filled; None for any other."""
    end = content.rfind(b"\n") + 1
    if end == 0 or b'"' in content or b"\r" in content or any(c in content for c in ODD_CONTROLS):
        return None
    whole = content if end == len(content) else content[:end]
    records = whole.count(b"\n")
    frame = _fast_frame(whole, np.full(records, dialect.width), dialect)
    if frame is None or frame.fields.to_series(dialect.width - 1).null_count():
        return None
    return frame


def _last_frame(rest: str, dialect: Dialect) -> Frame:
    content = rest.encode() + (b"" if rest.endswith("\n") else b"\n")
    laid_out = _laid_out(content, dialect.delimiter)
    if laid_out is None or laid_out.end < len(content):
        return _slow_frame(rest, dialect)
    return _fast_frame(content, laid_out.widths, dialect) or _slow_frame(rest, dialect)


class _LaidOut(NamedTuple):
    """Where the last whole record ends, and how many fields each record has, 0 for a blank line."""

    end: int
    widths: np.ndarray


def _laid_out(content: bytes, delimiter: str) -> _LaidOut | None:
    """None where lone returns, odd control characters or stray quotes make the bytes ambiguous."""
    returns = content.count(b"\r")
    if returns and returns > content.count(b"\r\n") + content.endswith(b"\r"):
        return None
    if any(c in content for c in ODD_CONTROLS):
        return None
    letters = np.frombuffer(content, dtype=np.uint8)
    newlines = np.flatnonzero(letters == NEWLINE)
    delimiters = np.flatnonzero(letters == ord(delimiter))
    if b'"' in content:
        quotes = np.flatnonzero(letters == QUOTE)
        if not _well_quoted(letters, quotes, ord(delimiter)) or _runs_away(newlines, quotes):
            return None
        newlines = newlines[np.searchsorted(quotes, newlines) % 2 == 0]
        delimiters = delimiters[np.searchsorted(quotes, delimiters) % 2 == 0]
    if len(newlines) == 0:
        return _LaidOut(0, newlines)
    end = int(newlines[-1]) + 1
    counts = np.diff(np.searchsorted(delimiters, newlines), prepend=0)
    starts = np.concatenate(([0], newlines[:-1] + 1))
    blank = (newlines == starts) | ((newlines == starts + 1) & (letters[starts] == RETURN))
    return _LaidOut(end, np.where(blank, 0, counts + 1))


def _well_quoted(letters: np.ndarray, quotes: np.ndarray, delimiter: int) -> bool:
    """Every quote opens a field behind a delimiter, closes one before a delimiter, or is one of a doubled pair."""
    opening, closing = quotes[::2], quotes[1::2]
    before = letters[np.maximum(opening - 1, 0)]
    opens = (opening == 0) | (before == delimiter) | (before == NEWLINE) | (before == QUOTE)
    inner = closing[closing < len(letters) - 1]
    after = letters[inner + 1]
    closes = (after == delimiter) | (after == NEWLINE) | (after == RETURN) | (after == QUOTE)
    return bool(opens.all() and closes.all())


def _runs_away(newlines: np.ndarray, quotes: np.ndarray) -> bool:
    places = np.searchsorted(quotes, newlines)
    inside = places[places % 2 == 1]
    return bool(len(inside)) and int(np.bincount(inside).max()) > MAX_FIELD_LINES


def _fast_frame(content: bytes, widths: np.ndarray, dialect: Dialect) -> Frame | None:
    """None where the parser did not find as many records as there are lines."""
    width = int(widths.max(initial=1))
    if width > MAX_WIDTH:
        raise NotRegular
    head = dialect.delimiter.join("x" * max(width, 1)).encode() + b"\n"  # its first line settles the width
    try:
        fields = pl.read_csv(
            head + content,
            has_header=False,
            infer_schema=False,
            separator=dialect.delimiter,
            quote_char='"' if b'"' in content else None,
            new_columns=[str(n) for n in range(width)],
        )
    except pl.exceptions.PolarsError:
        return None
    if fields.height != len(widths) + 1:
        return None
    return Frame(fields.slice(1), widths)


def _slow_frame(text: str, dialect: Dialect) -> Frame:
    return _frame(list(csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter)))


def _slow_frames(texts: Iterable[str], dialect: Dialect) -> Iterator[Frame]:
    """By Python's parser, which takes a stray quote as a letter. A quote that stays open is not regular."""
    reader = csv.reader(_lines(texts), delimiter=dialect.delimiter)
    while rows := list(islice(reader, BATCH_RECORDS)):
        if any(field.count("\n") > MAX_FIELD_LINES for row in rows for field in row if "\n" in field):
            raise NotRegular
        yield _frame(rows)


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """Lines as Python's parser wants them; `\\r` alone ends one too."""
    rest = ""
    for text in texts:
        lines = list(io.StringIO(rest + text, newline=""))
        rest = lines.pop() if lines and not lines[-1].endswith("\n") else ""
        yield from lines
    if rest:
        yield rest


def _frame(rows: list[list[str]]) -> Frame:
    widths = np.array([len(row) for row in rows], dtype=np.int64)
    width = max(int(widths.max(initial=0)), 1)
    if width > MAX_WIDTH:
        raise NotRegular
    padded = [row + [None] * (width - len(row)) for row in rows]
    fields = pl.DataFrame(padded, schema={str(n): pl.String for n in range(width)}, orient="row")
    return Frame(fields, widths)
