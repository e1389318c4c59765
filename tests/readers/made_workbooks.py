"""Workbooks made at test time, and what the pipeline makes of them."""

from collections.abc import Callable
from pathlib import Path

import xlsxwriter
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from rag_assets.model.document import Document
from rag_assets.model.table import Normalized, Table
from rag_assets.readers.formats import read_document
from rag_assets.readers.limits import ReadLimits
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.overrides import Overrides
from rag_assets.tables.rules import Rules

Fill = Callable[[Workbook, Worksheet], None]


def made(folder: Path, fill: Fill, *, name: str = "made.xlsx", sheet: str = "Prices", **options: object) -> Path:
    path = folder / name
    book = xlsxwriter.Workbook(str(path), options)
    fill(book, book.add_worksheet(sheet))
    book.close()
    return path


def rows_at(sheet: Worksheet, rows: list[list[object]], *, top: int = 0, left: int = 0) -> None:
    for r, row in enumerate(rows, top):
        for c, value in enumerate(row, left):
            if value is not None:
                sheet.write(r, c, value)


def read(path: Path) -> Document:
    return read_document(path, f"prices/{path.name}", ReadLimits())


def normalized(path: Path, rules: Rules | None = None, overrides: Overrides | None = None) -> Normalized:
    found = normalize_document(read(path), rules or Rules(), overrides)
    assert found.account.balanced, found.account
    return found


def only_table(path: Path, rules: Rules | None = None, overrides: Overrides | None = None) -> Table:
    tables = normalized(path, rules, overrides).tables
    assert len(tables) == 1, [t.range for t in tables]
    return tables[0]


def headings(table: Table) -> list[str]:
    return [column.heading for column in table.columns]


def types(table: Table) -> list[str]:
    return [str(column.type) for column in table.columns]


def units(table: Table) -> list[str | None]:
    return [column.unit for column in table.columns]


def values(table: Table) -> list[list[object]]:
    return [
        [*row.path, *(cell.value if cell.value is not None else cell.text for cell in row.cells)] for row in table.rows
    ]
