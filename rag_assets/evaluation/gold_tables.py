"""Gold tables: what a table says, written by a person as a small Markdown file.

Holds: `GoldTable` and how one is read from `evals/tables/<name>.md`.
Add here: another column or head line of a gold file (and its line in docs/reference/cases.md).
Never here: comparing one with a table (scorers/tables.py).
"""

import re
from pathlib import Path
from typing import NamedTuple, NoReturn

from pydantic import ValidationError

from rag_assets.errors import SettingsError
from rag_assets.evaluation.expectations import CellExpectation, Strict, Texts

COLUMNS = frozenset({"path", "heading", "value", "unit", "scale", "address"})
_HEAD_LINE = re.compile(r"^(source|table|tags|scopes|caption|unit):\s*(.*)$")
_OTHER_LINE = re.compile(r"^([a-z_]+):\s")
_PIPE = re.compile(r"(?<!\\)\|")


class GoldTable(Strict):
    """All cells a person says one table of `source` holds. `table` counts the document's tables from 1."""

    name: str
    source: str
    table: int | None = None
    scopes: Texts = ()
    tags: Texts = ()
    caption: Texts = ()
    unit: str | None = None
    cells: tuple[CellExpectation, ...]


class _Line(NamedTuple):
    number: int
    text: str


def read_gold_table(path: Path, text: str) -> GoldTable:
    """Read head lines (`source: pricing/x.xlsx`) and the table below them.

        source: filings/release.html
        caption: ($ in millions, except earnings per share)

        | path | heading | value |
        |---|---|---|
        | GAAP › Revenue | Q2 FY27 | $96,221 |

    Raises SettingsError with file, line and field.
    """
    head: dict[str, list[str]] = {}
    rows: list[_Line] = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        found = _HEAD_LINE.match(stripped)
        if stripped.startswith("|"):
            rows.append(_Line(number, stripped))
        elif found and not rows:
            head.setdefault(found[1], []).append(found[2].strip())
        elif not rows and (other := _OTHER_LINE.match(stripped)):
            _refuse(path, number, other[1], "unknown head line: known are source, table, tags, scopes, caption, unit")
    if "source" not in head:
        _refuse(path, 1, "source", "missing: the first line says `source: <collection>/<path>`")
    return GoldTable(
        name=path.stem,
        source=head["source"][0],
        table=_number(path, head.get("table")),
        scopes=_words(head.get("scopes")),
        tags=_words(head.get("tags")),
        caption=tuple(head.get("caption", ())),
        unit=head["unit"][0] if "unit" in head else None,
        cells=_cells(path, rows),
    )


def _cells(path: Path, rows: list[_Line]) -> tuple[CellExpectation, ...]:
    if len(rows) < 3:
        _refuse(path, rows[0].number if rows else 1, "table", "expected a table | path | heading | value |")
    names = [name.lower() for name in _fields(rows[0].text)]
    if not {"path", "heading", "value"} <= set(names) <= COLUMNS or len(set(names)) < len(names):
        found = " | ".join(names)
        _refuse(path, rows[0].number, "table", f"columns are {found}, expected path | heading | value")
    return tuple(_cell(path, row, names) for row in rows[2:])


def _cell(path: Path, row: _Line, names: list[str]) -> CellExpectation:
    fields = _fields(row.text)
    if len(fields) != len(names):
        _refuse(path, row.number, "row", f"has {len(fields)} cells, the head has {len(names)}")
    given = dict(zip(names, fields, strict=True))
    content: dict[str, object] = {"path": given["path"], "heading": given["heading"], "text": given["value"]}
    content |= {name: given[name] for name in ("unit", "scale", "address") if given.get(name)}
    try:
        return CellExpectation.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        _refuse(path, row.number, str(first["loc"][0]), first["msg"])


def _fields(line: str) -> list[str]:
    return [field.strip().replace("\\|", "|") for field in _PIPE.split(line.removeprefix("|").removesuffix("|"))]


def _words(lines: list[str] | None) -> tuple[str, ...]:
    return tuple(word.strip() for line in lines or () for word in line.strip("[]").split(",") if word.strip())


def _number(path: Path, lines: list[str] | None) -> int | None:
    if not lines:
        return None
    if not (lines[0].isascii() and lines[0].isdigit()):
        _refuse(path, 1, "table", f"{lines[0]!r} is no number")
    return int(lines[0])


def _refuse(path: Path, line: int, field: str, message: str) -> NoReturn:
    raise SettingsError(f"{path}:{line}: {field}: {message}")
