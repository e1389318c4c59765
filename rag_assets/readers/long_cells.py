"""The cells of a long xlsx sheet by column: one vectorised pass over its XML.

Holds: `LongCells`, which takes the sheet piece by piece.
Add here: another form in which programs write a cell.
Never here: rows and what is hidden (long_sheet.py), what cells show.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from rag_assets.columnar.census import visible_characters
from rag_assets.columnar.folding import folded_texts
from rag_assets.columnar.raw import RawColumn
from rag_assets.columnar.stored import Fashion
from rag_assets.readers.workbook_cells import UNCACHED, fold
from rag_assets.readers.workbook_facts import CellStyle
from rag_assets.readers.workbook_sheet import Piece, fast_pieces, kind_and_value, raw_value
from rag_assets.readers.workbook_strings import plain_text, rich_text
from rag_assets.tables.ranges import MAX_COLUMNS, MAX_ROWS, column_number

KINDS = ("number", "text", "boolean", "error", "formula")
NUMBER, TEXT, BOOLEAN, ERROR, FORMULA = range(len(KINDS))
OWN_TEXT = 5  # a text that stands in the cell itself, until it has a number
TYPES = {"n": NUMBER, "s": TEXT, "b": BOOLEAN, "e": ERROR, "str": OWN_TEXT}
SLOTS = 8
MAX_STYLES = 65_536 // SLOTS
FEW = 0.3  # texts a row, up to which they are kept as categories

_PLAIN = r'^r="([A-Z]{1,3})([0-9]{1,7})"([^>]*)><v>([^<]+)</v></c>'
_FORMULA = r'^r="([A-Z]{1,3})([0-9]{1,7})"([^>]*)>(?:<f[^>]*/>|<f[^>]*>[^<]*</f>)<v>([^<]+)</v></c>'
_INLINE = r'^r="([A-Z]{1,3})([0-9]{1,7})"([^>]*)><is><t(?: xml:space="preserve")?>([^<]*)</t></is></c>'
_EMPTY = r'^r="[A-Z]{1,3}[0-9]{1,7}"(?: s="[0-9]+")?(?: t="[A-Za-z]+")?\s*(?:/>|></c>)'
_ATTRIBUTE = re.compile(r'([\w:]+)="([^"]*)"')


class NotUsual(Exception):
    """A cell without an address, or of a kind that only the exact pass knows."""


class Column(NamedTuple):
    """One column of the sheet: `raw` from the first used row on; `characters` of all its texts."""

    raw: RawColumn
    cells: int
    characters: int


class _Chunk(NamedTuple):
    rows: np.ndarray
    values: np.ndarray
    fashions: np.ndarray


class LongCells:
    """Values as numbers, texts as numbers of a text: shared strings first, then others in the order they come."""

    def __init__(self, styles: Sequence[CellStyle], shared: pl.Series) -> None:
        if len(styles) >= MAX_STYLES:
            raise NotUsual
        self._styles = styles
        self._shared = len(shared)
        self._texts = [shared]
        self._next_text = len(shared)
        self._chunks: dict[int, list[_Chunk]] = {}
        self.taken = 0

    @property
    def fashions(self) -> tuple[Fashion, ...]:
        """By code: each style with each kind."""
        names = (*KINDS, *("",) * (SLOTS - len(KINDS)))
        return tuple(Fashion(kind, style.format, n) for n, style in enumerate(self._styles) for kind in names)

    def take(self, xml: str) -> None:
        """All cells of a piece that ends behind a cell or row."""
        left = pl.Series("cell", [xml]).str.split("<c ").explode(empty_as_null=True, keep_nulls=True).slice(1)
        for form in (_PLAIN, _FORMULA, _INLINE):
            if left.is_empty():
                return
            found = left.str.extract_groups(form).struct.unnest()
            there = found["1"].is_not_null()
            if not there.all():
                left = left.filter(~there)
                found = found.filter(there)
            else:
                left = left.clear()
            self._take_found(found, inline=form == _INLINE)
            if form == _PLAIN and not left.is_empty():
                left = left.filter(~left.str.contains(_EMPTY))
        for cell in left:
            self._take_by_hand(cell)

    def _take_found(self, found: pl.DataFrame, *, inline: bool) -> None:
        """Columns 1 to 4: letters, number, other attributes, content. Few different attributes make all cells."""
        if found.is_empty():
            return
        different = found["3"].unique()
        codes = [self._code(attributes, inline=inline) for attributes in different]
        of_cell = found["3"].replace_strict(different, codes, return_dtype=pl.Int64).to_numpy()
        kinds = of_cell % SLOTS
        if inline:
            values = self._numbered([plain_text(text.encode()) for text in found["4"]])
        else:
            values = found["4"].cast(pl.Float64, strict=False).to_numpy(writable=True)
            texts = (kinds == OWN_TEXT) | (kinds == ERROR)
            if texts.any():
                values[texts] = self._numbered([plain_text(t.encode()) for t in found["4"].filter(pl.Series(texts))])
        shared = values[kinds == TEXT] if not inline else values[:0]
        if len(shared) and not (shared.min() >= 0 and shared.max() < self._shared):
            raise NotUsual
        odd = ~np.isfinite(values)
        if odd.any():
            self._take_odd(found.filter(pl.Series(odd)), of_cell[odd])
            kept = pl.Series(~odd)
            found, values, of_cell = found.filter(kept), values[~odd], of_cell[~odd]
        self._put(found["1"], found["2"], values, of_cell)

    def _code(self, attributes: str, *, inline: bool) -> int:
        """Style and kind in one number."""
        known = dict(_ATTRIBUTE.findall(attributes))
        kind = TYPES.get(known.get("t", "n")) if not inline else (TEXT if known.get("t") == "inlineStr" else None)
        if kind is None:
            raise NotUsual
        style = known.get("s", "0")
        number = int(style) if style.isdigit() else 0
        return (number if number < len(self._styles) else 0) * SLOTS + kind

    def _take_odd(self, found: pl.DataFrame, codes: np.ndarray) -> None:
        """What is no number where one should be: blanks around it, words, infinity."""
        names = {kind: name for name, kind in TYPES.items()}
        for (letters, number, _, raw), code in zip(found.iter_rows(), codes.tolist(), strict=True):
            kind = names[code % SLOTS].encode()
            self._take_one(letters, number, str(code // SLOTS), kind, f"<v>{raw}</v>".encode())

    def _put(self, letters: pl.Series, numbers: pl.Series, values: np.ndarray, codes: np.ndarray) -> None:
        if len(values) == 0:
            return
        different = letters.unique()
        of_letters = [column_number(name) for name in different]
        columns = letters.replace_strict(different, of_letters, return_dtype=pl.Int64).to_numpy()
        rows = numbers.cast(pl.UInt32).to_numpy() - 1
        if columns.max() >= MAX_COLUMNS or rows.max() >= MAX_ROWS:
            raise NotUsual
        codes = np.where(codes % SLOTS == OWN_TEXT, codes - OWN_TEXT + TEXT, codes).astype(np.uint16)
        self.taken += len(values)
        for column in np.flatnonzero(np.bincount(columns)):
            own = columns == column
            self._chunks.setdefault(int(column), []).append(_Chunk(rows[own], values[own], codes[own]))

    def _take_by_hand(self, cell: str) -> None:
        content = f"<c {cell}".encode()
        piece = next(fast_pieces(content, len(content)), None)
        if piece is None:
            raise NotUsual
        if not isinstance(piece, Piece):
            letters, number, style, kind, body = piece
            if body:
                self._take_one(letters.decode(), number.decode(), (style or b"").decode(), kind or b"n", body)
            return
        address = piece.attributes.get(b"r", b"").decode()
        letters = address.rstrip("0123456789")
        if piece.name != "cell" or not letters.isalpha() or not address[len(letters) :]:
            raise NotUsual
        if piece.body is not None:
            style = piece.attributes.get(b"s", b"").decode()
            number = address[len(letters) :]
            self._take_one(letters.upper(), number, style, piece.attributes.get(b"t", b"n"), piece.body)

    def _take_one(self, letters: str, number: str, style: str | None, type_name: bytes, body: bytes) -> None:
        if type_name == b"d":
            raise NotUsual
        shared = type_name == b"s" and raw_value(body).isdigit()
        if shared:
            kind, value = TEXT, float(raw_value(body))
            if value >= self._shared:
                raise NotUsual
        else:
            kind, value = self._read_one(type_name, body)
        if kind is not None:
            code = self._code(f's="{style}"' if style else "", inline=False) + kind
            self._put(pl.Series([letters]), pl.Series([number]), np.array([value]), np.array([code]))

    def _read_one(self, type_name: bytes, body: bytes) -> tuple[int | None, float]:
        found = kind_and_value(type_name, body, ())
        if found.kind is None:
            return None, 0.0
        if found.kind == "number" and isinstance(found.value, int | float):
            return NUMBER, float(found.value)
        if found.kind == "boolean":
            return BOOLEAN, float(bool(found.value))
        if found.kind == "formula":
            return FORMULA, self._numbered([UNCACHED])[0]
        if found.kind == "error":
            return ERROR, self._numbered([str(found.value)])[0]
        text = rich_text(body) if type_name == b"inlineStr" else plain_text(raw_value(body))
        return TEXT, self._numbered([text])[0]

    def _numbered(self, texts: Sequence[str]) -> np.ndarray:
        first = self._next_text
        self._texts.append(pl.Series("text", texts, dtype=pl.String))
        self._next_text += len(texts)
        return np.arange(first, self._next_text, dtype=np.float64)

    def columns(self, top: int, left: int, n_rows: int) -> list[Column]:
        """Columns with cells, numbered from `left`. Texts that show nothing are no cells."""
        texts = folded_texts(pl.concat(self._texts).alias("text"), fold)
        self._texts = [texts.cast(pl.Categorical) if len(texts) < FEW * n_rows else texts]
        found = []
        for column in sorted(self._chunks):
            made = self._column(self._chunks.pop(column), column - left, top, n_rows)
            if made.cells:
                found.append(made)
        return found

    def _gathered(self, places: np.ndarray) -> pl.Series:
        """Texts by their numbers, null for -1."""
        wanted = pl.Series(places)
        return self._texts[0].gather(pl.select(pl.when(wanted >= 0).then(wanted)).to_series())

    def bounds(self) -> tuple[int, int, int, int] | None:
        """First row, first column, last row, last column of the cells taken."""
        if not self._chunks:
            return None
        first = min(int(chunk.rows.min()) for chunks in self._chunks.values() for chunk in chunks)
        last = max(int(chunk.rows.max()) for chunks in self._chunks.values() for chunk in chunks)
        return first, min(self._chunks), last, max(self._chunks)

    def _column(self, chunks: list[_Chunk], column: int, top: int, n_rows: int) -> Column:
        rows = np.concatenate([chunk.rows for chunk in chunks]).astype(np.int64) - top
        values = np.concatenate([chunk.values for chunk in chunks])
        codes = np.concatenate([chunk.fashions for chunk in chunks])
        kinds = codes % SLOTS
        numeric = (kinds == NUMBER) | (kinds == BOOLEAN)
        dense = np.full(n_rows, np.nan)
        dense[rows[numeric]] = values[numeric]
        numbers = pl.Series("numbers", dense, nan_to_null=True) if numeric.any() else None
        there = np.zeros(n_rows, dtype=bool)
        there[rows] = True
        of_row = np.zeros(n_rows, dtype=np.uint16)
        of_row[rows] = codes
        texts = None
        if not numeric.all():
            places = np.full(n_rows, -1, dtype=np.int64)
            places[rows[~numeric]] = values[~numeric].astype(np.int64)
            texts = self._gathered(places)
            if numbers is not None:  # a later cell of the same address wins
                numbers = pl.select(pl.when(pl.Series(places) >= 0).then(None).otherwise(numbers)).to_series()
            blank = (places >= 0) & texts.is_null().to_numpy()
            there &= ~blank
        fashions = pl.select(pl.when(pl.Series(there)).then(pl.Series(of_row)).otherwise(None)).to_series()
        raw = RawColumn(column=column, numbers=numbers, texts=texts, fashions=fashions)
        characters = visible_characters(texts) if texts is not None else 0
        return Column(raw, int(there.sum()), characters)
