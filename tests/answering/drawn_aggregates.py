"""Questions over many rows of the example corpus, with the truth read from the files by openpyxl and csv.

Holds: `aggregate_questions`, `BEHAVIOURS`.
Add here: another question, or another way a model gets one wrong.
Never here: judging what comes of it (test_aggregates.py).
"""

import csv
import json
import random
import statistics
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import openpyxl

from rag_assets.answering.model_client import Message, ModelReply, ToolRequest

CORPUS = Path(__file__).parents[2] / "evals/corpus"
WORDS = {"avg": "average", "max": "highest", "min": "lowest", "median": "median", "sum": "total"}
OVER = {"avg": statistics.fmean, "max": max, "min": min, "median": statistics.median, "sum": sum}
Row = dict[str, object]


class Asked(NamedTuple):
    """`call` is the right one; `unit` is how its result is printed: percent, $ or none."""

    question: str
    tool: str
    call: dict[str, object]
    truth: float
    unit: str


def aggregate_questions(count: int, today: date, seed: int = 0) -> list[Asked]:
    found = list(_questions(today))
    random.Random(seed).shuffle(found)
    return found[:count]


def _questions(today: date) -> Iterator[Asked]:
    sheet = openpyxl.load_workbook(CORPUS / "pricing/discount_tiers.xlsx", data_only=True).worksheets[0]
    head, *body = sheet.iter_rows(values_only=True)
    names = [str(cell).lower().replace(" ", "_") for cell in head if cell is not None]
    tiers = [dict(zip(names, row, strict=False)) for row in body if row[0] is not None]
    for column, unit in (("discount", "percent"), ("min_order", "$")):
        for key in (None, "region", "tier"):
            yield from _over("lookup_discount_tiers", tiers, column, unit, key)
    with (CORPUS / "pricing/price_list.csv").open(newline="") as file:
        prices = [_price(row) for row in csv.DictReader(file) if _in_force(row, today)]
    for key in (None, "pack"):
        yield from _over("lookup_price_list", prices, "list_price", "$", key)
    for key in ("region", "tier"):
        for value in sorted({str(row[key]) for row in tiers}):
            kept = [row for row in tiers if str(row[key]) == value]
            call = {**_filtered(key, kept[0][key]), "aggregate": [_made("count", "discount")]}
            for question in (
                f"How many entries of {key} {value} have a discount?",
                f"Number of rows with {key} {value}",
            ):
                yield Asked(question, "lookup_discount_tiers", call, len(kept), "")


def _price(row: dict[str, str]) -> Row:
    return {"list_price": float(row["list price"].strip("$").replace(",", "")), "pack": row["pack"]}


def _in_force(row: dict[str, str], today: date) -> bool:
    return (row["valid from"] or "0") <= today.isoformat() <= (row["valid until"] or "9")


def _over(tool: str, rows: list[Row], column: str, unit: str, key: str | None) -> Iterator[Asked]:
    heading = column.replace("_", " ")
    for value in sorted({str(row[key]) for row in rows}) if key else [None]:
        kept = [row for row in rows if key is None or str(row[key]) == value]
        numbers = [row[column] for row in kept]
        for function, word in WORDS.items():
            truth = float(OVER[function]([number for number in numbers if isinstance(number, int | float)]))
            where = f" of {key} {value}" if key else " over all rows"
            call = {**(_filtered(key, kept[0][key]) if key else {}), "aggregate": [_made(function, column)]}
            yield Asked(f"What is the {word} {heading}{where}?", tool, call, truth, unit)


def _filtered(key: str, value: object) -> dict[str, object]:
    return {"filters": [{"column": key, "op": "eq", "value": value}]}


def _made(function: str, column: str) -> dict[str, object]:
    return {"function": function, "column": column, "as": "result"}


def printed(value: float, unit: str) -> str:
    if unit == "percent":
        return f"{value * 100:.10g}%"
    return f"${value:,.2f}" if unit == "$" else f"{value:.10g}"


class Scripted:
    """A model that follows one script: it calls what it is told to and then speaks of the result."""

    name = "scripted"

    def __init__(self, asked: Asked, calls: list[dict[str, object]], says: Callable[[list[Row]], str]) -> None:
        self.asked, self.calls, self.says = asked, list(calls), says

    def reply(self, messages: list[Message], tools: object) -> ModelReply:
        if self.calls:
            arguments = json.dumps(self.calls.pop(0))
            return ModelReply("", (ToolRequest("call_1", self.asked.tool, arguments),))
        results = [str(m["content"]) for m in messages if m["role"] == "tool"]
        rows = [row for text in results if text.startswith("[t") for row in json.loads(text.split("\n")[2])["rows"]]
        return ModelReply(self.says(rows))


def _said(asked: Asked, value: object, marks: str = "[t1]") -> str:
    shown = printed(float(value), asked.unit) if isinstance(value, int | float) else "nothing"
    return f"It is {shown} {marks}."


def _shown(asked: Asked, call: dict[str, object]) -> Scripted:
    return Scripted(asked, [call], lambda rows: _said(asked, rows[0]["result"] if rows else None))


def _other_filter(asked: Asked) -> Scripted:
    values = {"region": "South", "tier": 2, "pack": "pair"}
    filters = [
        {**entry, "value": values[entry["column"]] if entry["value"] != values[entry["column"]] else "East"}
        for entry in asked.call.get("filters", [])
    ]
    return _shown(asked, {**asked.call, "filters": filters} if filters else {**asked.call, "filters": [OTHER_ROWS]})


OTHER_ROWS = {"column": "list_price", "op": "gt", "value": 50}


def _other_column(asked: Asked) -> Scripted:
    (made,) = asked.call["aggregate"]
    other = {"discount": "min_order", "min_order": "tier", "list_price": "list_price"}[made["column"]]
    return _shown(asked, {**asked.call, "aggregate": [{**made, "column": other}]})


def _other_function(asked: Asked) -> Scripted:
    (made,) = asked.call["aggregate"]
    other = {"avg": "max", "max": "avg", "min": "median", "median": "sum", "sum": "avg", "count": "sum"}
    return _shown(asked, {**asked.call, "aggregate": [{**made, "function": other[made["function"]]}]})


def _without_filter(asked: Asked) -> Scripted:
    return _shown(asked, {"aggregate": asked.call["aggregate"]})


def _of_another_day(asked: Asked) -> Scripted:
    return _shown(asked, {**asked.call, "as_of": "2025-07-01"})


def _wrong_unit(asked: Asked) -> Scripted:
    unit = {"percent": "$", "$": "percent", "": "percent"}[asked.unit]
    return Scripted(asked, [asked.call], lambda rows: _said(asked._replace(unit=unit), rows[0]["result"]))


def _listed(asked: Asked) -> Scripted:
    """Lists all the rows and reckons by itself."""
    listing = {key: value for key, value in asked.call.items() if key == "filters"}
    return Scripted(asked, [{**listing, "limit": 1000}], lambda rows: _said(asked, asked.truth))


def _cut(asked: Asked) -> Scripted:
    (made,) = asked.call["aggregate"]
    over = {**OVER, "count": len}[made["function"]]
    listing = {key: value for key, value in asked.call.items() if key == "filters"}
    return Scripted(
        asked, [{**listing, "limit": 2}], lambda rows: _said(asked, over([row[made["column"]] for row in rows] or [0]))
    )


def _from_passages(asked: Asked) -> Scripted:
    return Scripted(asked, [], lambda rows: _said(asked, asked.truth * 0.5, "[1]"))


def _even_right_from_passages(asked: Asked) -> Scripted:
    return Scripted(asked, [], lambda rows: _said(asked, asked.truth, "[1, 2, 3]"))


def _near(asked: Asked) -> Scripted:
    return Scripted(asked, [asked.call], lambda rows: _said(asked, asked.truth + 0.01, "[t1]"))


def _counts_instead(asked: Asked) -> Scripted:
    return Scripted(asked, [asked.call], lambda rows: _said(asked._replace(unit=""), 40, "[t1]"))


BEHAVIOURS: dict[str, Callable[[Asked], Scripted]] = {
    "good": lambda asked: _shown(asked, asked.call),
    "lists and reckons": _listed,
    "other rows": _other_filter,
    "other column": _other_column,
    "other function": _other_function,
    "no filter": _without_filter,
    "another day": _of_another_day,
    "wrong unit": _wrong_unit,
    "cut": _cut,
    "from passages": _from_passages,
    "right, from passages": _even_right_from_passages,
    "near": _near,
    "a count instead": _counts_instead,
}
