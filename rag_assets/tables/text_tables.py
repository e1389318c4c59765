"""Tables drawn with characters: pipe-delimited lines in prose, and columns aligned by blanks or leaders.

Holds: `with_text_tables`, which turns such blocks into grids, for every reader that meets running text.
Add here: another way that plain text rules off columns.
Never here: what a row or column of such a grid means.

    Student card | Staff card | Visitor pass         Net sales ......... $ 4,310   $ 3,999
    Under 26     | With ID    | With a date          Cost of sales .....   2,100     2,050
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from rag_assets.model.document import Block, BlockId, BlockKind, Grid, GridCell, GridId

MIN_DATA_LINES = 2
LONG_LINE = 60  # characters of one run of words: prose, or a label that is wrapped
EM_IN_BLANKS = 2.0
MAX_BLANK_LINES = 3
SPANNER_REACH = 4  # characters that a centred heading may stand left of its figures

_PIPE = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"[\s|:+=-]*[-=]{2,}[\s|:+=-]*")
_RULING = re.compile(r"[\s_=\-—–.|+*]*[_=\-—]{2,}[\s_=\-—–.|+*]*")
_RULE = re.compile(r"[-=_—–]{4,}(?: [-=_—–]{4,})*")
_LEADER = re.compile(r"(?:\s*\.){4,}|\.{3,}|(?:\s\.){3,}")
_GAP = re.compile(r"\t+| {2,}")
_FIGURE_START = re.compile(r"[$€£¥(]\s*$")
_FIGURE = re.compile(r"[$€£¥]?\s*\(?\s*[$€£¥]?\s*-?(?:[\d,]*\.?\d+|-{1,3}|—|–)\s*\)?\s*%?\s*(?:\(\w\))?\)?")


class TextTables(NamedTuple):
    """`cells`: how many the grids hold. `ruling`: characters that only ruled columns off, a named drop."""

    blocks: tuple[Block, ...]
    grids: tuple[Grid, ...]
    cells: int
    ruling: int


class _Piece(NamedTuple):
    """Words at a place of their line; `end` is exclusive."""

    start: int
    end: int
    text: str


class _Drawn(NamedTuple):
    """Lines of a table: the pieces of each, and how many characters were neither."""

    lines: tuple[tuple[_Piece, ...], ...]
    ruling: int
    aligned: bool


def with_text_tables(blocks: Sequence[Block], ordinal: int) -> TextTables:
    """The blocks with a grid in the place of every drawn table; the first new grid gets `ordinal` (0-based).

    Blocks are numbered afresh only where a table was found.
    """
    out: list[Block] = []
    grids: list[Grid] = []
    ruling = 0
    for group in _groups(blocks):
        for part in _parts(group):
            if isinstance(part, Block):
                out.append(part)
                continue
            grid = _grid(part, ordinal + len(grids))
            grids.append(grid)
            ruling += part.ruling
            out.append(replace(group[0], kind=BlockKind.GRID, text="", grid=grid.id, level=None))
    if not grids:
        return TextTables(tuple(blocks), (), 0, 0)
    numbered = tuple(replace(block, id=BlockId(f"b{n}")) for n, block in enumerate(out, 1))
    return TextTables(numbered, tuple(grids), sum(len(g.cells) for g in grids), ruling)


def _groups(blocks: Iterable[Block]) -> list[list[Block]]:
    """Neighbouring paragraphs of pipe-delimited lines belong together; every other block stands alone."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and _is_piped(block) and _is_piped(groups[-1][-1]):
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _is_piped(block: Block) -> bool:
    return block.kind is BlockKind.PROSE and all(_PIPE.search(line) for line in block.text.split("\n"))


def _parts(group: Sequence[Block]) -> list["Block | _Drawn"]:
    first = group[0]
    if first.kind is BlockKind.PROSE and "|" in first.text:
        lines = [line for block in group for line in block.text.split("\n")]
        parts = _piped(lines, first)
        return parts if any(isinstance(p, _Drawn) for p in parts) else list(group)
    if first.kind is BlockKind.CODE and "\n" in first.text:
        return _aligned(first.text.expandtabs(8).split("\n"), first)
    return list(group)


def _piped(lines: Sequence[str], block: Block) -> list["Block | _Drawn"]:
    """Runs of lines with the same number of pipes; two lines of two cells could be anything and stay prose."""
    parts: list[Block | _Drawn] = []
    at = 0
    while at < len(lines):
        width = len(_cut(lines[at]))
        end = at + 1
        while width > 1 and end < len(lines) and (len(_cut(lines[end])) == width or _SEPARATOR.fullmatch(lines[end])):
            end += 1
        rows = [line for line in lines[at:end] if not _SEPARATOR.fullmatch(line)]
        if len(rows) >= (2 if width > 2 else 3):
            parts.append(_drawn_by_pipes(lines[at:end]))
        else:
            parts += [replace(block, text=line) for line in lines[at:end] if line.strip()]
        at = end
    return parts


def _cut(line: str) -> list[str]:
    return _PIPE.split(line.strip().removeprefix("|").removesuffix("|"))


def _drawn_by_pipes(lines: Sequence[str]) -> _Drawn:
    drawn: list[tuple[_Piece, ...]] = []
    written = kept = 0
    for line in lines:
        written += _characters(line)
        if _SEPARATOR.fullmatch(line):
            continue
        texts = [" ".join(text.replace("\\|", "|").split()) for text in _cut(line)]
        kept += sum(map(_characters, texts))
        drawn.append(tuple(_Piece(n, n + 1, text) for n, text in enumerate(texts) if text))
    return _Drawn(tuple(drawn), written - kept, aligned=False)


def _aligned(lines: Sequence[str], block: Block) -> list["Block | _Drawn"]:
    """Runs of lines around lines that end in figures become tables; the rest stays paragraphs as written."""
    pieces = [_pieces(line) for line in lines]
    parts: list[Block | _Drawn] = []
    at = 0
    for start, end in _tables(lines, pieces):
        parts += _paragraphs(lines[at:start], block)
        written = sum(map(_characters, lines[start:end]))
        kept = _with_ruled_headings(lines, pieces, start, end)
        ruling = written - sum(_characters(p.text) for line in kept for p in line)
        parts.append(_Drawn(kept, ruling, aligned=True))
        at = end
    if not parts:
        return [block]
    return parts + _paragraphs(lines[at:], block)


def _with_ruled_headings(
    lines: Sequence[str], pieces: Sequence[tuple[_Piece, ...]], start: int, end: int
) -> tuple[tuple[_Piece, ...], ...]:
    """The lines with pieces; before the first figures, a heading reaches as far as the rule right under it."""
    kept: list[tuple[_Piece, ...]] = []
    heading = True
    for n in range(start, end):
        heading = heading and not _is_data(pieces[n])
        line = pieces[n]
        if heading and n + 1 < end:
            line = _over(line, [(rule.start(), rule.end()) for rule in _RULE.finditer(lines[n + 1])])
        if line and not heading and lines[n - 1].strip() and kept and (longer := _continued(kept[-1], line)):
            kept[-1] = longer
        elif line:
            kept.append(line)
    return tuple(kept)


def _continued(above: Sequence[_Piece], line: Sequence[_Piece]) -> tuple[_Piece, ...] | None:
    """The line above with the words of this one, where they only go on in a column of words right of the labels."""
    joined = list(above)
    for piece in line:
        under = [n for n, p in enumerate(above) if n and p.start < piece.end and piece.start < p.end]
        if len(under) != 1 or _FIGURE.fullmatch(piece.text) or _FIGURE.fullmatch(above[under[0]].text):
            return None
        at = joined[under[0]]
        joined[under[0]] = _Piece(min(at.start, piece.start), max(at.end, piece.end), f"{at.text} {piece.text}")
    return tuple(joined)


def _over(line: Sequence[_Piece], rules: Sequence[tuple[int, int]]) -> tuple[_Piece, ...]:
    """Each piece as wide as the one rule that it stands over alone."""
    widened = []
    for piece in line:
        under = [rule for rule in rules if rule[0] < piece.end and piece.start < rule[1]]
        alone = len(under) == 1 and sum(p.start < under[0][1] and under[0][0] < p.end for p in line) == 1
        start, end = under[0] if alone else (piece.start, piece.end)
        widened.append(piece._replace(start=min(start, piece.start), end=max(end, piece.end)))
    return tuple(widened)


def _paragraphs(lines: Sequence[str], block: Block) -> list["Block | _Drawn"]:
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(" ".join(line.split()))
        elif paragraphs[-1]:
            paragraphs.append([])
    texts: list[str] = []
    for paragraph in paragraphs:
        titles = all(len(line) <= LONG_LINE for line in paragraph)
        texts += paragraph if titles else ["\n".join(paragraph)]
    return [replace(block, kind=BlockKind.PROSE, text=text) for text in texts if text]


def _tables(lines: Sequence[str], pieces: Sequence[tuple[_Piece, ...]]) -> list[tuple[int, int]]:
    """Line ranges: from a header or data line to the last, across blank lines, section labels and wrapped labels."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(lines):
        if not _opens(pieces[at]):
            at += 1
            continue
        end, data, prose, blank = at, 0, 0, 0
        for n in range(at, len(lines)):
            line = pieces[n]
            blank = 0 if line or lines[n].strip() else blank + 1
            long = len(line) == 1 and len(line[0].text) > LONG_LINE
            prose = prose + 1 if long else prose if not line else 0
            if prose > 1 or blank > MAX_BLANK_LINES:
                break
            if len(line) > 1 or _is_figures(line):
                end = n + 1
                data += _is_data(line)
        while end < len(lines) and _RULING.fullmatch(lines[end]):
            end += 1
        if data >= MIN_DATA_LINES:
            floor = found[-1][1] if found else 0
            found.append((_with_spanners(lines, pieces, floor, at, end), end))
        at = max(end, at + 1)
    return found


def _with_spanners(lines: Sequence[str], pieces: Sequence[tuple[_Piece, ...]], floor: int, start: int, end: int) -> int:
    """Lone words right above the first line and over the figures ("Three Months Ended") are a heading, no title."""
    figures = [p.start for line in pieces[start:end] if _is_data(line) for p in line[1:]]
    left = min(figures, default=0) - SPANNER_REACH
    while start > floor and lines[start - 1].strip():
        line = pieces[start - 1]
        if len(line) > 1 or (line and line[0].start < left):
            break
        start -= 1
    return start


def _opens(line: Sequence[_Piece]) -> bool:
    return len(line) > 1 or _is_figures(line)


def _is_figures(line: Sequence[_Piece]) -> bool:
    return bool(line) and all(_FIGURE.fullmatch(piece.text) for piece in line)


def _is_data(line: Sequence[_Piece]) -> bool:
    """A label and, somewhere behind it, a figure."""
    return any(_FIGURE.fullmatch(piece.text) and any(map(str.isdigit, piece.text)) for piece in line[1:])


def _pieces(line: str) -> tuple[_Piece, ...]:
    """Words between gaps; leaders and rulings are none; a currency sign stays with the figure behind its gap."""
    if not line.strip() or _RULING.fullmatch(line):
        return ()
    line = _RULE.sub(lambda m: " " * len(m[0]), _LEADER.sub(lambda m: " " * len(m[0]), line))
    found: list[_Piece] = []
    at = 0
    for gap in [*_GAP.finditer(line), None]:
        end = gap.start() if gap else len(line)
        text = line[at:end]
        if text.strip():
            start = at + len(text) - len(text.lstrip())
            piece = _Piece(start, start + len(text.strip()), text.strip())
            if found and _FIGURE_START.fullmatch(found[-1].text):
                piece = _Piece(found[-1].start, piece.end, f"{found[-1].text} {piece.text}")
                found.pop()
            found.append(piece)
        at = gap.end() if gap else end
    return tuple(found)


def _grid(drawn: _Drawn, ordinal: int) -> Grid:
    """Places of characters are the columns of an aligned table: what stands under what is told as for any grid."""
    name = f"table-{ordinal + 1}"
    cells = []
    figures, labels = _first_figure(drawn), _last_label(drawn)
    for row, line in enumerate(drawn.lines):
        for n, piece in enumerate(line):
            label = drawn.aligned and n == 0 and piece.text[:1].isalpha() and piece.start < figures
            if piece.start > labels and piece.end > figures:  # a heading that is wider than its figures
                label = False
            start = 0 if label else piece.start
            cells.append(
                GridCell(
                    row,
                    start,
                    " ".join(piece.text.split()),
                    f"#{name}!r{row + 1}c{n + 1}",
                    column_span=piece.end - start,
                    indent=piece.start / EM_IN_BLANKS if label else 0.0,
                )
            )
    width = max((c.column + c.column_span for c in cells), default=0)
    return Grid(id=GridId(name), ordinal=ordinal, n_rows=len(drawn.lines), n_columns=width, cells=tuple(cells))


def _first_figure(drawn: _Drawn) -> int:
    return min((p.start for line in drawn.lines if _is_data(line) for p in line[1:]), default=0)


def _last_label(drawn: _Drawn) -> int:
    """The most that a label of a row of figures is indented."""
    figures = _first_figure(drawn)
    return max((line[0].start for line in drawn.lines if _is_data(line) and line[0].start < figures), default=0)


def _characters(text: str) -> int:
    return len("".join(text.split()))
