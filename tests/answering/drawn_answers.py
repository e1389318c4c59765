"""Answers drawn from the example corpus: true ones in many wordings, and the same with one thing changed.

Holds: `asked_cells`, `sentence`, `true_value`, `changes`, `neighbours`.
Add here: another wording of a true answer, or another way an answer takes what is not its own.
Never here: checking them (test_drawn_answers.py).
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag_assets import Corpus
from rag_assets.answering.figures import figures_in
from rag_assets.model.corpus import Citation
from rag_assets.model.statement import Statement

_QUESTIONS = ("What is the {column} of {row}?", "{row}: {column}?", "Please tell me the {column} that holds for {row}")
_SENTENCES = (
    "{row} has a {column} of {value} {mark}.",
    "The {column} for {row} is {value} {mark}.",
    "{row}, {column}: {value} {mark}",
    "It is {value} {mark}.",
    "{value} {mark}",
)
_SCALE_WORDS = {1_000: "thousand", 1_000_000: "million", 1_000_000_000: "billion"}
_DIGITS = re.compile(r"\d")


class AskedCell(NamedTuple):
    """A cell that its row's and column's words name alone in its document; `row` is how a person would say the row."""

    source: str
    said: Statement
    row: str
    same_row: tuple[Statement, ...]
    same_column: tuple[Statement, ...]

    def question(self, draw: random.Random) -> str:
        return draw.choice(_QUESTIONS).format(column=_plain(self.said.heading), row=self.row)


class Changed(NamedTuple):
    """A false answer: `kind` says what was changed, `shown` is what stands in the true value's place."""

    kind: str
    shown: str


def asked_cells(corpus: Corpus) -> tuple[AskedCell, ...]:
    """Every cell of every table that can be asked for by its row and its heading."""
    found: list[AskedCell] = []
    for entry in corpus.sources():
        statements = [s for s in corpus.statements_of(entry.source) if s.text.strip() and s.heading and not s.nil]
        tables: dict[str, list[Statement]] = defaultdict(list)
        for said in statements:
            tables[said.table].append(said)
        cells = [cell for table in tables.values() for cell in _of_table(entry.source, table)]
        names: dict[tuple[str, str], int] = defaultdict(int)
        for cell in cells:
            names[cell.row, cell.said.heading] += 1
        found += [cell for cell in cells if names[cell.row, cell.said.heading] == 1]
    return tuple(found)


def _of_table(source: str, table: Sequence[Statement]) -> Iterator[AskedCell]:
    rows: dict[str, list[Statement]] = defaultdict(list)
    for said in table:
        rows[_line(said.address)].append(said)
    labels = [cells[0].row_path for cells in rows.values()]
    for line, cells in rows.items():
        alike = [other for key, other in rows.items() if key != line and other[0].row_path == cells[0].row_path]
        for said in cells:
            row, keys = _named(said, cells, alike)
            if row is None or said in keys or not said.row_path:
                continue
            same_row = tuple(c for c in cells if c is not said and c not in keys)
            column = tuple(c for key, other in rows.items() if key != line for c in other if c.heading == said.heading)
            if len(labels) > 1:
                yield AskedCell(source, said, row, same_row, column)


def _named(
    said: Statement, cells: Sequence[Statement], alike: Sequence[Sequence[Statement]]
) -> tuple[str | None, list[Statement]]:
    """The row's label, with as many of its other cells as it takes to tell it from rows of the same label."""
    row, keys, left = _plain(said.row_path), [], list(alike)
    for cell in cells:
        if not left:
            break
        if cell is not said and cell.heading != said.heading:
            row += f", {cell.heading} {cell.text}"
            keys.append(cell)
            left = [other for other in left if any(c.heading == cell.heading and c.text == cell.text for c in other)]
    return (None if left else row), keys


def _line(address: str) -> str:
    head, _, cell = address.rpartition("!")
    return (
        f"{head}!{re.sub(r'c[0-9]+$', '', cell) if cell.startswith('r') else cell.lstrip('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}"
    )


def _plain(path: str) -> str:
    return path.replace(" › ", " ")


def sentence(cell: AskedCell, value: str, mark: str, draw: random.Random) -> str:
    form = draw.choice(_SENTENCES)
    return form.format(row=cell.row, column=_plain(cell.said.heading), value=value, mark=mark)


def true_value(said: Statement, draw: random.Random) -> str:
    """The cell's value as printed, or said in another way that means the same."""
    value = said.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return said.text if draw.random() < 0.5 else f"“{said.text}”"
    if "(" in said.text or re.search("[A-Za-z]", said.text):
        return f"{said.text} {_SCALE_WORDS[said.scale]}" if said.scale in _SCALE_WORDS else said.text
    if said.unit == "percent":
        return draw.choice((said.text, said.text.replace("%", " %"), f"{value * 100:.10g} percent"))
    if said.scale in _SCALE_WORDS:
        word = _SCALE_WORDS[said.scale]
        return draw.choice((f"{said.text} {word}", f"{said.text} (in {word}s)", _rounded(said, word)))
    plain = said.text.replace(",", "")
    forms = [said.text, said.text, plain]
    if value >= 1000 and value % 1000 == 0 and said.unit == "$":
        forms.append(f"${value // 1000:g} thousand")
    return draw.choice(forms)


def _rounded(said: Statement, word: str) -> str:
    value = said.value
    if not isinstance(value, int | float) or abs(value) < 1000 or word == "billion":
        return f"{said.text} {word}"
    sign = "$" if "$" in said.text else ""
    larger = {"thousand": "million", "million": "billion"}[word]
    return f"about {sign}{value / 1000:.1f} {larger}"


def changes(cell: AskedCell, shown: frozenset[str], draw: random.Random) -> tuple[Changed, ...]:
    """One false value of each kind that this cell allows; a neighbour's text must be in a cell that was shown."""
    said = cell.said
    found: list[Changed] = []
    others = {"row": cell.same_column, "column": cell.same_row}
    others["period"] = tuple(c for c in cell.same_row if c.when and said.when and c.when != said.when)
    for kind, neighbours in others.items():
        apart = [other for other in neighbours if differs(other, said) and not names_it(cell, other.text)]
        apart = [other for other in apart if not (is_text(said) or is_text(other)) or other.text in shown]
        if apart:
            other = draw.choice(apart)
            text = is_text(said) or is_text(other)
            value = f"“{other.text}”" if text and draw.random() < 0.5 else other.text
            scale = _SCALE_WORDS.get(other.scale) if isinstance(other.value, int | float) else None
            found.append(Changed("condition" if text else kind, f"{value} {scale}" if scale else value))
    if figures_in(said.text):
        found += [Changed("digit", shown) for shown in _other_digit(said, draw)]
        found += [Changed("unit", shown) for shown in _other_unit(said, draw)]
    return tuple(found)


def neighbours(corpus: Corpus, citations: Sequence[Citation], question: str, shown: frozenset[str]) -> Iterator[str]:
    """Other values of the cited cell's row and column, as far as a model would have seen them."""
    cited = citations[0] if len(citations) == 1 else None
    statements = corpus.statements_of(cited.source) if cited else ()
    own = next((s for s in statements if cited and s.address == cited.address and s.text == cited.text), None)
    for other in statements if own else ():
        beside = _line(other.address) == _line(own.address) or other.heading == own.heading
        if other.table != own.table or not beside or other.nil or not differs(other, own):
            continue
        if other.text in shown and other.text.casefold() not in question.casefold():
            word = _SCALE_WORDS.get(other.scale)
            yield f"{other.text} {word}" if word else other.text


def is_text(said: Statement) -> bool:
    return not isinstance(said.value, int | float) and not figures_in(said.text)


def differs(one: Statement, other: Statement) -> bool:
    """Whether a reader would take the two for different values."""
    if is_text(one) or is_text(other):
        return one.text.strip().casefold() != other.text.strip().casefold()
    mine, its = ({v for f in figures_in(s.text) for v in f.values} for s in (one, other))
    if isinstance(one.value, int | float) and isinstance(other.value, int | float):
        return one.value != other.value or one.unit != other.unit
    return not mine & its and one.text != other.text


def names_it(cell: AskedCell, text: str) -> bool:
    """Whether the question itself holds this text: saying it again claims nothing."""
    return text.casefold() in f"{cell.row} {cell.said.heading}".casefold()


def _other_digit(said: Statement, draw: random.Random) -> Iterator[str]:
    places = [m.start() for m in _DIGITS.finditer(said.text)]
    place = draw.choice(places)
    digit = draw.choice([d for d in "0123456789" if d != said.text[place]])
    shown = said.text[:place] + digit + said.text[place + 1 :]
    true = {v for f in figures_in(said.text) for v in f.values}
    claimed = {v for f in figures_in(shown) for v in f.values}
    word = _SCALE_WORDS.get(said.scale)
    if claimed and not claimed <= true:
        yield f"{shown} {word}" if word else shown


def _other_unit(said: Statement, draw: random.Random) -> Iterator[str]:
    text, word = said.text, _SCALE_WORDS.get(said.scale)
    if not isinstance(said.value, int | float) or said.value == 0:
        return
    if word:
        yield f"{text} {draw.choice([w for w in _SCALE_WORDS.values() if w != word])}"
        return
    if "%" in text:
        yield draw.choice((text.replace("%", ""), f"${text.replace('%', '')}", text.replace("%", " basis points")))
    elif "$" in text:
        yield draw.choice((text.replace("$", "€"), text.replace("$", "") + "%", f"{text} million"))
    elif not re.search("[A-Za-z]", text):
        yield draw.choice((f"{text}%", f"${text}", f"{text} thousand"))
