"""Evidence: the cells, lines and tool results that an answer may take figures from.

Holds: `CellFact`, `Evidence`, `evidence_of_passages`, `evidence_of_result`.
Add here: another kind of source for a figure.
Never here: whether an answer is allowed to use it (cell_check).
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rag_assets.answering.figures import figures_in
from rag_assets.answering.records import pairs_in, words_of

if TYPE_CHECKING:
    from rag_assets.answering.desk import Desk
    from rag_assets.model.corpus import LookupResult, Passage
    from rag_assets.model.statement import Statement


class CellFact(NamedTuple):
    """One cell, pair, sentence or tool value.

    `group` names the table, `row` the row in it; `row_words` and `heading` are what names it. `values` are the
    magnitudes it may be printed as; `printed_scale` those that need their scale word.
    """

    mark: str
    group: str
    row: str
    row_words: frozenset[str]
    heading: frozenset[str]
    text: str
    values: frozenset[float]
    percent: bool
    currency: str | None
    date: str | None
    source: str
    address: str | None
    from_tool: bool = False
    complete: bool = True
    computed: bool = False


class Evidence(NamedTuple):
    facts: tuple[CellFact, ...]
    texts: tuple[tuple[str, str], ...]


def evidence_of_passages(passages: "Sequence[Passage]", desk: "Desk") -> Evidence:
    """Facts of the numbered passages `1`, `2`, …, in order."""
    facts: list[CellFact] = []
    texts = []
    for number, passage in enumerate(passages, 1):
        mark = str(number)
        texts.append((mark, passage.text))
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
    for row, cells in rows.items():
        for said in cells:
            others = " ".join(c.text for c in cells if c is not said)
            words = words_of(f"{said.row_path} {others}")
            heading = words_of(f"{said.heading} {said.when or ''}")
            facts.append(_of_statement(mark, passage, said, row, words, heading))
    return facts


def _row_of(address: str) -> str:
    """The address without its column: `#table-1!r5c2` → `#table-1!r5`, `'Prices'!C14` → `'Prices'!14`."""
    head, _, cell = address.rpartition("!")
    if cell.startswith("r") and "c" in cell:
        return f"{head}!{cell.split('c')[0]}"
    return f"{head}!{cell.lstrip('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}"


def _of_statement(
    mark: str, passage: "Passage", said: "Statement", row: str, words: frozenset[str], heading: frozenset[str]
) -> CellFact:
    value = said.value
    values: set[float] = set()
    date = None
    if isinstance(value, bool):
        pass
    elif isinstance(value, int | float):
        values = {round(float(value), 12), round(float(value) * said.scale, 12)}
    elif isinstance(value, str):
        date = value[:10]
    else:
        values = {v for figure in figures_in(said.text) for v in figure.values}
    currency = said.unit if said.unit and said.unit not in ("percent", "x", "bps", "pts", "s") else None
    return CellFact(
        mark,
        f"{passage.source}#{said.table}",
        row,
        words,
        heading,
        said.text,
        frozenset(values),
        said.unit == "percent",
        currency,
        date,
        passage.source,
        said.address,
    )


def _of_pairs(mark: str, passage: "Passage") -> list[CellFact]:
    if passage.kind != "table":
        return []
    group = f"{passage.source}#{passage.table}:pairs"
    return [
        _of_text(mark, passage, group, pair.label, words_of(pair.label), pair.value) for pair in pairs_in(passage.text)
    ]


def _of_sentences(mark: str, passage: "Passage") -> list[CellFact]:
    return [
        _of_text(mark, passage, f"{passage.source}#{passage.chunk}", line, words_of(line), line)
        for line in passage.text.split("\n")
        if line.strip()
    ]


def _of_text(mark: str, passage: "Passage", group: str, row: str, words: frozenset[str], text: str) -> CellFact:
    figures = figures_in(text)
    values = frozenset(v for figure in figures for v in figure.values)
    date = next((figure.date for figure in figures if figure.date), None)
    percent = bool(figures) and all(figure.percent for figure in figures)
    address = passage.addresses[0] if passage.addresses else None
    return CellFact(
        mark, group, row, words, frozenset(), text, values, percent, None, date, passage.source, address, False, True
    )


def evidence_of_result(mark: str, result: "LookupResult") -> Evidence:
    """Facts of a tool result; a column that is no column of the table is an aggregate: it needs a complete result."""
    facts = []
    for number, row in enumerate(result.rows):
        shown = " ".join(str(value) for value in row.values() if value is not None)
        for column, value in row.items():
            if value is None or isinstance(value, bool):
                continue
            values: set[float] = set()
            if isinstance(value, int | float):
                scale = result.scales.get(column, 1)
                values = {round(float(value), 12), round(float(value) * scale, 12)}
            unit = result.units.get(column)
            facts.append(
                CellFact(
                    mark,
                    f"tool:{mark}",
                    str(number),
                    words_of(shown),
                    words_of(column.replace("_", " ")),
                    str(value),
                    frozenset(values),
                    unit == "percent",
                    unit if unit and unit != "percent" else None,
                    value[:10] if isinstance(value, str) and value[:4].isdigit() else None,
                    result.source or result.tool,
                    result.addresses[0] if result.addresses else None,
                    True,
                    result.complete,
                    isinstance(value, float),
                )
            )
    for count in {result.row_count, result.matched_rows, result.table_rows}:
        facts.append(_count(mark, result, count))
    return Evidence(tuple(facts), ((mark, str(result.rows)),))


def _count(mark: str, result: "LookupResult", count: int) -> CellFact:
    return CellFact(
        mark,
        f"tool:{mark}",
        "count",
        frozenset(),
        frozenset({"row", "count"}),
        str(count),
        frozenset({float(count)}),
        False,
        None,
        None,
        result.source or result.tool,
        None,
        True,
        result.complete,
    )
