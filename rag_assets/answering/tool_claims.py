"""What a tool result was asked for: the function, the rows, the day, beside what the question asks.

Holds: `ToolUse`, `use_of`, `asked_functions`, `fits`.
Add here: another way a complete result answers another question than the one that was put.
Never here: the lookup itself (lookup/), which row of several is meant (belonging).

A complete result is no proof by itself: the average of another region, the highest where the lowest was asked, or
prices as of another day are complete as well.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple, Protocol

_FUNCTIONS = {
    "count_distinct": r"\b(?:different|distinct|unique)\b",
    "count": r"\b(?:how many|number of|count\w*|wie viele|anzahl|cuánt[oa]s|combien de)\b|多少个|几个",
    "avg": r"\b(?:averag\w*|mean|promedio|media|medio|durchschnitt\w*|mittelwert|moyenne)\b|平均",
    "median": r"\b(?:median\w*|médiane)\b|中位",
    "max": r"\b(?:highest|largest|biggest|maximum|max|most expensive|dearest|longest|at most|máximo|mayor|höchste\w*"
    r"|größte\w*|le plus)\b|最高|最大",
    "min": r"\b(?:lowest|smallest|cheapest|minimum|min|least expensive|shortest|mínimo|menor|niedrigste\w*|kleinste\w*"
    r"|le moins)\b|最低|最小",
    "sum": r"\b(?:sum|total\w*|altogether|combined|adds? up|suma|summe|insgesamt|somme|au total)\b|总和|总数|合计|一共",
}
_ASKS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _FUNCTIONS.items()}
_SHORTEST = 3  # letters of a cell that a question may name by chance


class ToolUse(NamedTuple):
    """`filters` are (column, value) as text, `made` maps a result's column to its (function, column)."""

    filters: tuple[tuple[str, str], ...] = ()
    made: tuple[tuple[str, tuple[str, str]], ...] = ()
    as_of: str | None = None

    def source_of(self, column: str) -> tuple[str, str]:
        """Function and column behind a column of the result; no function for a column of the table."""
        return dict(self.made).get(column, ("", column))


class NamedCells(Protocol):
    """What is needed of a fact of a table: its source, its columns and its row's cells."""

    @property
    def source(self) -> str: ...
    @property
    def column(self) -> str: ...
    @property
    def cells(self) -> "tuple[HeadedText, ...]": ...
    @property
    def row(self) -> str: ...


class HeadedText(Protocol):
    @property
    def heading(self) -> str: ...
    @property
    def text(self) -> str: ...


def use_of(arguments: Mapping[str, object]) -> ToolUse:
    """What a call asked for; parts that are no such thing were refused before."""
    filters = tuple(
        (str(entry.get("column")), str(value))
        for entry in _entries(arguments.get("filters"))
        for value in _values(entry.get("value"))
    )
    made = tuple(
        (str(entry.get("as")), (str(entry.get("function")), str(entry.get("column") or "")))
        for entry in _entries(arguments.get("aggregate"))
    )
    as_of = arguments.get("as_of")
    return ToolUse(filters, made, as_of if isinstance(as_of, str) else None)


def _entries(value: object) -> list[dict[str, object]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _values(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [] if value is None else [value]


def asked_functions(question: str, names: Iterable[str] = ()) -> frozenset[str]:
    """The aggregates that a question asks for; words inside the whole name of a column ("Min order") ask nothing."""
    rest = question
    for name in sorted(set(names), key=len, reverse=True):
        if name:
            rest = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", rest, flags=re.IGNORECASE)
    found = {name for name, pattern in _ASKS.items() if pattern.search(rest)}
    if "count" in found:
        return frozenset({"count_distinct"} if "count_distinct" in found else {"count"})
    found.discard("count_distinct")
    return frozenset(found - {"sum"} if found & {"avg", "median", "max", "min"} else found)


def fits(
    use: ToolUse,
    function: str,
    fact: NamedCells,
    question: str,
    said: str,
    cells: Iterable[NamedCells],
    today: date | None,
) -> bool:
    """Whether the result answers this question: its function, its rows, its day.

    `said` is what the answer says beside the figure, `cells` what was retrieved of any table.
    """
    beside = [cell for cell in cells if cell.source == fact.source]
    functions = asked_functions(question, (cell.column for cell in beside))
    if functions and function not in functions:
        return False
    if use.as_of and today and use.as_of[:10] != today.isoformat() and use.as_of[:10] not in question:
        return False
    spoken = f"{question} {said}"
    if not all(_is_said(value, spoken) for _, value in use.filters):
        return False
    given = {value.casefold() for _, value in use.filters} | {cell.text.casefold() for cell in fact.cells}
    return all(text.casefold() in given for text in _named_texts(question, beside))


def _is_said(value: str, text: str) -> bool:
    plain = value.removesuffix(".0")
    return re.search(rf"(?<![\w.]){re.escape(plain)}(?!\w)", text.replace(",", ""), re.IGNORECASE) is not None or (
        re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None
    )


def _named_texts(question: str, cells: Iterable[NamedCells]) -> set[str]:
    """Cells of the table that the question names: by their words ("North"), or behind their heading ("tier 3")."""
    texts: dict[str, set[str]] = {}
    for fact in cells:
        label = fact.row.partition("\0")[0]
        texts.setdefault("", set()).update((label, label.rpartition(" › ")[2]))
        for cell in fact.cells:
            texts.setdefault(cell.heading, set()).add(cell.text)
    headings = {heading.casefold() for heading in texts}
    found = set()
    for heading, values in texts.items():
        for text in values:
            lettered = len(text) >= _SHORTEST and any(letter.isalpha() for letter in text)
            before = rf"{re.escape(heading)}\W{{1,3}}" if heading and not lettered else ""
            if not text or text.casefold() in headings or not (lettered or before):
                continue
            if re.search(rf"(?<!\w){before}{re.escape(text)}(?!\w|[.,]\d|%)", question, re.IGNORECASE):
                found.add(text)
    return {text for text in found if not any(text != other and text in other for other in found)}
