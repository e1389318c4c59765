"""Whatever stands in a long file, read by column it gives what it gives cell by cell."""

import csv
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.columnar.both_ways import assert_same, both_ways
from tests.readers.made_workbooks import made, rows_at

USUAL = ("{n}", "{n}.25", "-{n}", "{k}.5", "${n}", "{k}%", "word {n}", "Region {k}", "2024-01-{day:02d}", "{n:05d}",
         "{n},{k}", "({k})", "1.{n:03d}", "")  # fmt: skip
ODD = ("", "n/a", "—", "unknown", "12", "007", "3.5", "1.234,5", "$7", "9%", "2024-02-30", "2024-02-28", "a\nb",
       " x  y ", "Total", "(3)", "5 000", "é", "1e9", "+4")  # fmt: skip
STORED = (1, 2.5, -3, 0, True, 45_000, "word", "12", None, "#N/A", 0.125)
FORMATS = (None, "0%", "$#,##0.00", "yyyy-mm-dd", "0.00", '0" kg"', "[h]:mm")

DRAWN = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None, derandomize=True)
columns = st.lists(
    st.tuples(st.sampled_from(USUAL), st.lists(st.sampled_from(ODD), max_size=3)), min_size=2, max_size=6
)
stored_columns = st.lists(
    st.tuples(st.sampled_from(STORED), st.sampled_from(FORMATS), st.lists(st.sampled_from(STORED), max_size=3)),
    min_size=2,
    max_size=6,
)
tails = st.lists(st.sampled_from(["total", "blank", "note", "head"]), max_size=3)
seeds = st.integers(0, 999)


# Each row has a figure. One of a date and a word alone is a heading cell by cell, and by column only where it is seen:
# a known difference (ADR 7).
def _csv_rows(drawn_columns: list[tuple[str, list[str]]], tail: list[str], seed: int) -> list[list[str]]:
    draw = random.Random(seed)
    rows = draw.randrange(330, 520)
    head = ["id", "amount", *(f"column {n}" for n in range(len(drawn_columns)))]
    body = []
    for n in range(1, rows):
        row = [str(n), str(n % 90)]
        for usual, odd in drawn_columns:
            strange = odd and draw.random() < 0.05
            row.append(draw.choice(odd) if strange else usual.format(n=n, k=n % 7, day=n % 28 + 1))
        body.append(row)
    ends = {
        "total": ["Total", *["5"] * (len(drawn_columns) + 1)],
        "blank": [],
        "note": ["Source: the ledger"],
        "head": head,
    }
    for kind in tail:
        body.insert(draw.randrange(len(body)) if kind == "head" else len(body), ends[kind])
    return [head, *body]


def _check_csv(drawn_columns: list[tuple[str, list[str]]], tail: list[str], seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(_csv_rows(drawn_columns, tail, seed))
        assert_same(*both_ways(path, Path(folder)))


def _check_sheet(drawn_columns: list[tuple[object, str | None, list[object]]], seed: int) -> None:
    draw = random.Random(seed)

    def fill(book, sheet) -> None:
        looks = [book.add_format({"num_format": code}) if code else None for _, code, _ in drawn_columns]
        rows_at(sheet, [["id", *(f"column {n}" for n in range(len(drawn_columns)))]])
        for r in range(1, draw.randrange(330, 520)):
            sheet.write(r, 0, r)
            for c, ((usual, _, odd), look) in enumerate(zip(drawn_columns, looks, strict=True), 1):
                value = draw.choice(odd) if odd and draw.random() < 0.05 else usual
                if value is not None:
                    sheet.write(r, c, value, look)

    with tempfile.TemporaryDirectory() as folder:
        assert_same(*both_ways(made(Path(folder), fill, name="long.xlsx"), Path(folder)))


@settings(DRAWN, max_examples=4)
@given(columns, tails, seeds)
def test_delimited_files(drawn_columns: list[tuple[str, list[str]]], tail: list[str], seed: int) -> None:
    _check_csv(drawn_columns, tail, seed)


@settings(DRAWN, max_examples=4)
@given(stored_columns, seeds)
def test_sheets(drawn_columns: list[tuple[object, str | None, list[object]]], seed: int) -> None:
    _check_sheet(drawn_columns, seed)


@pytest.mark.slow
@settings(DRAWN, max_examples=100)
@given(columns, tails, seeds)
def test_many_delimited_files(drawn_columns: list[tuple[str, list[str]]], tail: list[str], seed: int) -> None:
    _check_csv(drawn_columns, tail, seed)


@pytest.mark.slow
@settings(DRAWN, max_examples=100)
@given(stored_columns, seeds)
def test_many_sheets(drawn_columns: list[tuple[object, str | None, list[object]]], seed: int) -> None:
    _check_sheet(drawn_columns, seed)
