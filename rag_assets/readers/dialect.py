"""The dialect of a delimited file: which character parts its fields, and whether its quotes can be trusted.

Holds: `Dialect`, `find_dialect`, `find_dialect_of_head`, `records`.
Add here: another fault that real files have.
Never here: cells, headers, types.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

DELIMITERS = ",;\t|"
RARE_DELIMITERS = "^~:"
SAMPLE_LINES = 400
SAMPLE_CHARACTERS = 1 << 18
MAX_FIELD_CHARACTERS = 1 << 24
MAX_FIELD_LINES = 50
MIN_APOSTROPHES = 4
CLEAN = re.compile(r"[-+(]?[$€£]?\s?\d[\d.,'\s]*\s?[%)]?|\d{1,4}[-/.:]\d{1,2}[-/.:T\s\d]*|https?://\S*")
DECLARED = re.compile(r"sep=(.)\s*$")

csv.field_size_limit(MAX_FIELD_CHARACTERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """`trusts_quotes` false: a quote is never closed, so each line is a record.

    `declared`: a first line `sep=;` says the delimiter. `parts_anything` false: delimiters occur, but none evenly.
    """

    delimiter: str
    width: int
    quote: str = '"'
    trusts_quotes: bool = True
    declared: bool = False
    parts_anything: bool = True


def find_dialect(text: str, usual: str) -> Dialect:
    """The delimiter under which most records have one width and fields are clean; `usual` where two are alike.

    A file is one column only if no known delimiter parts its lines evenly; `parts_anything` says whether one occurs.
    """
    first_line = text[: text.find("\n")] if "\n" in text else text
    declared = DECLARED.match(first_line)
    sample = _sample(text)
    if declared:
        width, _ = _fitness(sample.partition("\n")[2], declared[1])
        return Dialect(
            delimiter=declared[1], width=width, declared=True, trusts_quotes=_quotes_close(text, declared[1])
        )
    best, best_score, best_width = usual, 0.0, 1
    for candidate in (usual, *(d for d in DELIMITERS + RARE_DELIMITERS if d != usual)):
        if candidate not in sample:
            continue
        width, score = _fitness(sample, candidate)
        if candidate in RARE_DELIMITERS:
            score *= 0.5
        if score > best_score * (1.02 if candidate != usual else 1):
            best, best_score, best_width = candidate, score, width
    if _is_quoted_singly(sample, best):
        width, _ = _fitness(sample, best, "'")
        return Dialect(delimiter=best, width=width, quote="'")
    return Dialect(
        delimiter=best,
        width=best_width,
        trusts_quotes=_quotes_close(text, best),
        parts_anything=best_width > 1 or not any(d in sample for d in DELIMITERS),
    )


def find_dialect_of_head(head: str, usual: str) -> Dialect:
    """The same from the first records of a text; whether quotes can be trusted further down is not known."""
    end = len(head)
    while end > 0 and head.count('"', 0, end) % 2:
        end = head.rfind("\n", 0, end - 1) + 1
    return find_dialect(head[:end] or head, usual)


def records(text: str, dialect: Dialect) -> Iterator[list[str]]:
    """All records, blank ones as empty lists. A quote that is never closed ends with its line."""
    if dialect.trusts_quotes:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter, quotechar=dialect.quote)
        return
    for line in text.splitlines():
        yield _lone_record(line, dialect.delimiter) if line.strip() else []


def _lone_record(line: str, delimiter: str) -> list[str]:
    """A line whose own quote stays open has its quotes read as letters."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return line.split(delimiter)


def _sample(text: str) -> str:
    lines = text[:SAMPLE_CHARACTERS].splitlines(keepends=True)
    cut = lines[:-1] if len(text) > SAMPLE_CHARACTERS and len(lines) > 1 else lines
    return "".join(cut[:SAMPLE_LINES])


def _fitness(sample: str, delimiter: str, quote: str = '"') -> tuple[int, float]:
    """Usual width, and how well the delimiter fits: share of records of that width × gain of width × clean fields."""
    rows = [row for row in _tolerant(sample, delimiter, quote) if row]
    if not rows:
        return 1, 0.0
    widths = Counter(len(row) for row in rows)
    width, count = max(widths.items(), key=lambda found: (found[1] * (found[0] > 1), found[0]))
    if width < 2 or count < 0.3 * len(rows):
        return (width if width < 2 else 1), 0.0
    usual = [row for row in rows if len(row) == width]
    fields = [field for row in usual for field in row]
    clean = sum(_is_clean(field, delimiter) for field in fields) / len(fields)
    return width, count / len(rows) * (1 - 1 / width) * clean**2


def _is_quoted_singly(sample: str, delimiter: str) -> bool:
    """Fields stand between apostrophes, and read so the records agree better."""
    around = re.escape(delimiter)
    opened = len(re.findall(rf"(?:^|{around})'", sample, re.MULTILINE))
    closed = len(re.findall(rf"'(?:\r?$|{around})", sample, re.MULTILINE))
    if min(opened, closed) < MIN_APOSTROPHES or '"' in sample:
        return False
    return _fitness(sample, delimiter, "'")[1] >= _fitness(sample, delimiter)[1]


def _tolerant(sample: str, delimiter: str, quote: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter, quotechar=quote)
    except csv.Error:
        return


def _is_clean(field: str, delimiter: str) -> bool:
    """No other delimiter in it, but in figures, dates, addresses of pages, or before a blank."""
    text = field.strip()
    if not text or CLEAN.fullmatch(text):
        return True
    others = (d for d in DELIMITERS if d != delimiter)
    return not any(re.search(re.escape(d) + r"\S", text) for d in others)


def _quotes_close(text: str, delimiter: str) -> bool:
    if '"' not in text:
        return True
    return not any(_is_runaway(row) for row in _strict(text, delimiter))


RUNAWAY = ["\n" * (MAX_FIELD_LINES + 1)]


def _strict(text: str, delimiter: str) -> Iterable[Sequence[str]]:
    """The records; a runaway one at the end where a quote stays open."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "end of data" in str(error):
                yield RUNAWAY


def _is_runaway(row: Sequence[str]) -> bool:
    return any(field.count("\n") > MAX_FIELD_LINES for field in row)
