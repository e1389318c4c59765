"""A long delimited file as columns: its head, its tail and its odd rows as cells, the rest in the columns file.

Holds: `read_long_delimited`.
Add here: another thing that must be seen while the records go by.
Never here: parting records (long_records.py), short files (delimited.py), types, headers (tables/).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from rag_assets.columnar.census import visible_characters
from rag_assets.columnar.exact import Exact, Former, compact, joined
from rag_assets.columnar.folding import blanks_of, folded_texts
from rag_assets.columnar.raw import RawColumn, of_exact, write_columns
from rag_assets.errors import Quarantine
from rag_assets.model.document import Block, BlockId, BlockKind, Document, Grid, GridCell, GridId, Reason, Source
from rag_assets.readers.delimited import USUAL_DELIMITER, dialect_line, folded, odd_widths_warning
from rag_assets.readers.dialect import SAMPLE_CHARACTERS, Dialect, find_dialect_of_head
from rag_assets.readers.encoding import decoded_pieces, encoding_of_file
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.long_grid import LONG_CELLS, Layout, long_grid
from rag_assets.readers.long_records import Frame, NotRegular, record_frames

PIECE_BYTES = 1 << 22
GRID = GridId("table-1")


def read_long_delimited(path: Path, source: Source, limits: ReadLimits, columns_to: Path | None) -> Document | None:
    """The document, its columns file written to `columns_to`; None where cell by cell is the better way to read it.

    Addresses, warnings and counts are those of `read_delimited`. Raises Quarantine.
    """
    encoding = encoding_of_file(path)
    pieces = decoded_pieces(path, encoding, PIECE_BYTES)
    head = next(pieces, "").removeprefix("\ufeff")
    dialect = find_dialect_of_head(head[: SAMPLE_CHARACTERS + 1], USUAL_DELIMITER.get(source.media_type, ","))
    if not (dialect.trusts_quotes and dialect.parts_anything) or dialect.quote != '"' or dialect.width < 2:
        return None
    if not dialect.delimiter.isascii():
        return None
    gathered = _Gathered(dialect, limits)
    try:
        for frame in record_frames(_without_end_mark(_chained(head, pieces)), dialect):
            gathered.take(frame)
    except NotRegular:
        return None
    return gathered.document(source, columns_to)


def _chained(head: str, pieces: Iterator[str]) -> Iterator[str]:
    yield head
    yield from pieces


def _without_end_mark(pieces: Iterator[str]) -> Iterator[str]:
    """DOS programs end a file with a control character."""
    held = ""
    for piece in pieces:
        if held:
            yield held
        held = piece
    yield held.rstrip("\x1a")


class _Gathered:
    """Columns, counts and widths of the records so far."""

    def __init__(self, dialect: Dialect, limits: ReadLimits) -> None:
        self._dialect, self._limit = dialect, limits.cells * LONG_CELLS
        self._forms: list[list[Exact]] = []
        self._formers: list[Former] = []
        self._widths: list[np.ndarray] = []
        self._rows = 0
        self._cells = 0
        self._characters = 0
        self._dropped: dict[str, int] = {}

    def take(self, frame: Frame) -> None:
        fields, widths = frame
        if self._rows == 0 and self._dialect.declared:
            self._dropped["dialect_line"] = dialect_line([field or "" for field in fields.row(0)[: widths[0]]])
            blank = fields.head(1).clear(1)
            fields, widths = blank.vstack(fields.slice(1)), np.concatenate(([0], widths[1:]))
        for n, name in enumerate(fields.columns):
            if n == len(self._forms):
                self._forms.append([Exact(self._rows)] if self._rows else [])
                self._formers.append(Former())
            self._forms[n].append(self._counted(fields[name], self._formers[n]))
        for forms in self._forms[fields.width :]:
            forms.append(Exact(fields.height))
        self._widths.append(widths.astype(np.uint16))
        self._rows += fields.height
        if self._cells > self._limit:
            raise Quarantine(Reason.TOO_MANY_CELLS, f"more than {self._limit:,} cells")

    def _counted(self, texts: pl.Series, former: Former) -> Exact:
        empty = texts.str.len_bytes() == 0
        if empty.any():
            texts = pl.select(pl.when(empty).then(None).otherwise(texts)).to_series()
        form = former.form(texts)
        self._cells += len(texts) - texts.null_count()
        if form.texts is None:
            self._characters += int(texts.str.len_bytes().sum() or 0)
            return form
        blanks = blanks_of(texts)
        if not blanks.need_folding:
            self._characters += blanks.visible
            return compact(form)
        cells = len(texts) - texts.null_count()
        texts = folded_texts(texts, folded)
        self._cells += len(texts) - texts.null_count() - cells
        self._characters += visible_characters(texts)
        form = former.form(texts)
        return compact(form)

    def document(self, source: Source, columns_to: Path | None) -> Document | None:
        if self._cells == 0:
            raise Quarantine(Reason.EMPTY_FILE, "holds nothing but blanks")
        columns = self._columns()
        n_rows = max(int(raw.filled.arg_true()[-1]) for raw in columns) + 1
        columns = [raw.between(0, n_rows - 1) for raw in columns]
        n_columns = columns[-1].column + 1
        found = long_grid(columns, n_rows, Layout("", 1, lambda column: f"c{column + 1}"))
        if found is None:
            return None
        grid = Grid(
            id=GRID,
            ordinal=0,
            n_rows=n_rows,
            n_columns=n_columns,
            cells=_cells(found.head, found.rows.sampled),
            long=found.rows,
        )
        if columns_to is not None:
            write_columns(columns_to, {grid.id: found.body})
        return Document(
            source=source,
            blocks=(Block(id=BlockId("b1"), kind=BlockKind.GRID, grid=grid.id),),
            grids=(grid,),
            cells_in=self._cells,
            characters_in=self._characters + sum(self._dropped.values()),
            characters_dropped=self._dropped,
            warnings=self._warnings(),
        )

    def _warnings(self) -> tuple[str, ...]:
        widths = np.concatenate(self._widths)
        found, counts = np.unique(widths[widths > 1], return_counts=True)
        if len(found) == 0:
            return ()
        usual = int(found[counts.argmax()])
        return odd_widths_warning(usual, (np.flatnonzero((widths > 0) & (widths != usual)) + 1).tolist())

    def _columns(self) -> list[RawColumn]:
        found = []
        for n, forms in enumerate(self._forms):
            self._forms[n] = []
            raw = of_exact(n, joined(forms))
            if raw is not None:
                found.append(raw)
        return found


def _cells(columns: Sequence[RawColumn], rows: Sequence[int]) -> tuple[GridCell, ...]:
    shown = [(raw.column, raw.shown().to_list()) for raw in columns]
    return tuple(
        GridCell(row, column, text, f"r{row + 1}c{column + 1}")
        for n, row in enumerate(rows)
        for column, texts in shown
        if (text := texts[n]) is not None
    )
