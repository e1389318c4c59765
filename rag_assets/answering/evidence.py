"""Evidence: the cells, lines and tool results that an answer may take figures from.

Holds: `CellFact`, `Evidence`, `evidence_of_passages`, `evidence_of_result`.
Add here: another kind of source for a figure.
Never here: whether an answer is allowed to use it (cell_check).
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import fmean, median
from typing import TYPE_CHECKING, Literal, NamedTuple

from rag_assets.answering.figures import Figure, figures_in
from rag_assets.answering.orders import gives_orders, without_orders
from rag_assets.answering.records import pairs_in, words_of
from rag_assets.answering.tool_claims import ToolUse, use_of
from rag_assets.retrieval.analyzer import folded, tokens

if TYPE_CHECKING:
    from rag_assets.answering.desk import Desk
    from rag_assets.model.corpus import LookupResult, Passage
    from rag_assets.model.statement import Statement

_CODE = re.compile(r"[A-Z]{3}|[$€£¥₹]")
_OVER_ROWS = {"sum": math.fsum, "avg": fmean, "median": median, "min": min, "max": max}
_NO_CURRENCY = ("percent", "x", "bps", "pts", "s")
FactKind = Literal["cell", "pair", "line", "tool", "count"]


class RowCell(NamedTuple):
    """A cell of a fact's row: a question may name the row by it."""

    heading: str
    text: str
    words: frozenset[str]


class CellFact(NamedTuple):
    """One cell, pair, line of prose or tool value.

    `group` names the table, `row` the row in it; `label` and `heading` are the words of its row label and column,
    `cells` the row's cells, `around` the words of headings, caption and source. `values` are its magnitudes as
    printed, `scale` what the table multiplies them by; `units` is the text that may name its unit.
    """

    mark: str
    kind: FactKind
    group: str
    row: str
    text: str
    source: str
    address: str | None
    label: frozenset[str] = frozenset()
    column: str = ""
    heading: frozenset[str] = frozenset()
    cells: tuple[RowCell, ...] = ()
    around: frozenset[str] = frozenset()
    values: frozenset[float] = frozenset()
    scale: int = 1
    percent: bool = False
    currency: str | None = None
    units: str = ""
    dates: frozenset[str] = frozenset()
    complete: bool = True
    computed: bool = False
    function: str = ""
    use: ToolUse | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Row label and column heading as printed."""
        return self.row.partition("\0")[0], self.column

    @property
    def from_tool(self) -> bool:
        return self.kind in ("tool", "count")


class Evidence(NamedTuple):
    facts: tuple[CellFact, ...]
    texts: tuple[tuple[str, str], ...]


@lru_cache(maxsize=20_000)  # a table's headings and cells come again with each passage that shows them
def all_words(text: str) -> frozenset[str]:
    """Terms with the small words too, plurals folded: columns are called "To" and "From"."""
    return frozenset(folded(token) for token in tokens(text, "none"))


@lru_cache(maxsize=20_000)
def heading_words(heading: str) -> frozenset[str]:
    """Words of a column heading; the small ones count where it has no others ("To")."""
    return words_of(heading) or all_words(heading)


def evidence_of_passages(passages: "Sequence[Passage]", desk: "Desk") -> Evidence:
    """Facts of the numbered passages `1`, `2`, …, in order."""
    facts: list[CellFact] = []
    texts = []
    for number, passage in enumerate(passages, 1):
        mark = str(number)
        texts.append((mark, passage.text))
        if passage.kind == "summary":
            continue  # its figures are examples of many cells, none of them that of one row
        statements = desk.statements_of(passage.source, passage.addresses) if passage.kind != "prose" else ()
        facts.extend(_of_statements(mark, passage, statements))
        facts.extend(_of_pairs(mark, passage))
        if not statements:
            facts.extend(_of_sentences(mark, passage))
    return Evidence(tuple(facts), tuple(texts))


def _of_statements(mark: str, passage: "Passage", statements: "Iterable[Statement]") -> list[CellFact]:
    rows: dict[str, list[Statement]] = {}
    for said in statements:
        rows.setdefault(f"{said.row_path}\0{_row_of(said.address)}", []).append(said)
    facts = []
    for row, found in rows.items():
        cells = tuple(RowCell(said.heading, said.text, all_words(said.text)) for said in found)
        facts += [_of_statement(mark, passage, said, row, cells) for said in found]
    return facts


def _row_of(address: str) -> str:
    """The address without its column: `#table-1!r5c2` → `#table-1!r5`, `'Prices'!C14` → `'Prices'!14`."""
    head, _, cell = address.rpartition("!")
    if re.fullmatch(r"r\d+c\d+", cell):
        return f"{head}!{cell.split('c')[0]}"
    return f"{head}!{cell.lstrip('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}"


def _of_statement(mark: str, passage: "Passage", said: "Statement", row: str, cells: tuple[RowCell, ...]) -> CellFact:
    figures = figures_in(said.text)
    values = _values(figures)
    if isinstance(said.value, int | float) and not isinstance(said.value, bool):
        values = frozenset({round(float(said.value), 12)})
    dates = {figure.date for figure in figures if figure.date}
    if isinstance(said.value, str):
        dates.add(said.value[:10])
    caption = " ".join(map(without_orders, (*passage.heading_path, said.subject, *said.qualifiers.values())))
    heading, label = without_orders(f"{said.heading} {said.when or ''}"), without_orders(said.row_path)
    return CellFact(
        mark=mark,
        kind="cell",
        group=f"{passage.source}#{said.table}",
        row=row,
        text=said.text,
        source=passage.source,
        address=said.address,
        label=all_words(label),
        column=said.heading,
        heading=heading_words(heading),
        cells=cells,
        around=_around(passage) | all_words(caption),
        values=values,
        scale=said.scale,
        percent=said.unit == "percent" or (bool(figures) and all(figure.percent for figure in figures)),
        currency=said.unit if said.unit and said.unit not in _NO_CURRENCY else None,
        units=" ".join((said.text, said.heading, said.row_path, caption, *_currencies(cells))),
        dates=frozenset(dates),
    )


def _currencies(cells: Iterable[RowCell]) -> list[str]:
    """What a row says of the currency of its other cells: a cell that holds nothing but a code."""
    return [cell.text for cell in cells if _CODE.fullmatch(cell.text)]


def _values(figures: Iterable[Figure]) -> frozenset[float]:
    return frozenset(value for figure in figures for value in figure.values)


def _around(passage: "Passage") -> frozenset[str]:
    source = passage.source.replace("/", " ").replace("_", " ")
    return all_words(" ".join(map(without_orders, (*passage.heading_path, source))))


def _of_pairs(mark: str, passage: "Passage") -> list[CellFact]:
    if passage.kind != "table":
        return []
    group = f"{passage.source}#{passage.table}:pairs"
    return [_of_text(mark, passage, group, pair.label, pair.value, "pair") for pair in pairs_in(passage.text)]


def _of_sentences(mark: str, passage: "Passage") -> list[CellFact]:
    group = f"{passage.source}#{passage.chunk}"
    return [
        _of_text(mark, passage, group, line, line, "line")
        for line in passage.text.split("\n")
        if line.strip() and not gives_orders(line)
    ]


def _of_text(mark: str, passage: "Passage", group: str, label: str, text: str, kind: FactKind) -> CellFact:
    figures = figures_in(text)
    return CellFact(
        mark=mark,
        kind=kind,
        group=group,
        row=label,
        text=text,
        source=passage.source,
        address=passage.addresses[0] if passage.addresses else None,
        label=all_words(label),
        around=_around(passage),
        values=_values(figures),
        percent=bool(figures) and all(figure.percent for figure in figures),
        units=f"{label} {text}",
        dates=frozenset(figure.date for figure in figures if figure.date),
    )


def evidence_of_result(mark: str, result: "LookupResult", arguments: Mapping[str, object]) -> Evidence:
    """Facts of a tool result: its values, what a complete list of rows adds up to, and how many rows matched."""
    use = use_of(arguments)
    facts = []
    for number, row in enumerate(result.rows):
        cells = tuple(
            RowCell(name.replace("_", " "), str(value), all_words(str(value)))
            for name, value in row.items()
            if value is not None
        )
        for column, value in row.items():
            if value is not None and not isinstance(value, bool):
                facts.append(_of_value(mark, result, use, f"{number}", column, value, cells))
    if result.complete and not use.made:
        facts += _of_columns(mark, result, use)
    facts.append(_count(mark, result, use))
    return Evidence(tuple(facts), ((mark, str(result.rows)),))


def _of_value(
    mark: str,
    result: "LookupResult",
    use: ToolUse,
    row: str,
    column: str,
    value: float | str,
    cells: tuple[RowCell, ...],
    function: str = "",
) -> CellFact:
    unit = result.units.get(column)
    made_by, of_column = use.source_of(column)
    figures = figures_in(value) if isinstance(value, str) else ()
    heading = of_column.replace("_", " ")
    return CellFact(
        mark=mark,
        kind="tool",
        group=f"tool:{mark}:{function}",
        row=row,
        text=str(value),
        source=result.source or result.tool,
        address=result.addresses[0] if result.addresses else None,
        label=frozenset(word for cell in cells for word in cell.words if not word[0].isdigit()),
        column=heading,
        heading=heading_words(heading),
        cells=cells,
        values=_values(figures) if isinstance(value, str) else frozenset({round(float(value), 12)}),
        scale=result.scales.get(column, 1),
        percent=unit == "percent",
        currency=unit if unit and unit not in _NO_CURRENCY else None,
        units=" ".join((heading, str(unit or ""), *_currencies(cells))),
        dates=frozenset(figure.date for figure in figures if figure.date),
        complete=result.complete,
        computed=isinstance(value, float),
        function=function or made_by,
        use=use,
    )


def _of_columns(mark: str, result: "LookupResult", use: ToolUse) -> list[CellFact]:
    """What the listed rows come to: sums, means and extremes of each column of figures."""
    columns: dict[str, list[float]] = {}
    for row in result.rows:
        for column, value in row.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                columns.setdefault(column, []).append(float(value))
    return [
        _of_value(mark, result, use, "all", column, float(function(values)), (), name)
        for column, values in columns.items()
        for name, function in _OVER_ROWS.items()
    ]


def _count(mark: str, result: "LookupResult", use: ToolUse) -> CellFact:
    """How many rows matched; of a result that was made, too, for it says over how many rows."""
    return CellFact(
        mark=mark,
        kind="count",
        group=f"tool:{mark}",
        row="count",
        text=str(result.matched_rows),
        source=result.source or result.tool,
        address=None,
        values=frozenset({float(result.matched_rows)}),
        dates=frozenset({result.as_of[:10]} if result.as_of else ()),
        complete=result.complete,
        function="count",
        use=use,
    )
