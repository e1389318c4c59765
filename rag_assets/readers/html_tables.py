"""One `<table>` of a page becomes a grid: cells as found, spans laid out, hidden ones marked.

Holds: `GridBuilder`.
Add here: another thing the markup says about a cell.
Never here: which cells are headers or belong together (tables/).
"""

import re
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from rag_assets.errors import Quarantine
from rag_assets.model.document import Grid, GridCell, GridId, Reason
from rag_assets.readers.html_style import Look, StyleSheet
from rag_assets.readers.html_text import UNSEEN, InnerText, all_text, inner_text
from rag_assets.tables.grid import PLAUSIBLE_SPAN, lay_spans

GROUPS = frozenset({"thead", "tbody", "tfoot"})
MAX_NESTING = 60
_COLLAPSE = re.compile(r"visibility\s*:\s*collapse", re.IGNORECASE)


class _Row(NamedTuple):
    node: LexborNode
    hidden: bool
    in_head: bool


class GridBuilder:
    """Makes the grids of one page, numbered in document order."""

    def __init__(self, sheet: StyleSheet, max_cells: int) -> None:
        self.sheet = sheet
        self.max_cells = max_cells
        self.grids: list[Grid] = []
        self.n_cells = 0
        self.hidden_characters = 0

    def build(self, table: LexborNode, hidden: bool, parent: GridId | None = None, depth: int = 0) -> GridId:
        """The grid of `table`; those nested in its cells come after it. Raises Quarantine."""
        if depth > MAX_NESTING:
            raise Quarantine(Reason.TOO_DEEP, f"tables nested over {MAX_NESTING} deep")
        ordinal = len(self.grids)
        grid_id = GridId(f"table-{ordinal + 1}")
        self.grids.append(Grid(id=grid_id, ordinal=ordinal, n_rows=0, n_columns=0, cells=()))
        hidden = hidden or self.sheet.look(table.attributes).hidden
        rows, ends, captions = self._rows(table, hidden)
        nested: list[tuple[LexborNode, bool]] = []
        cells, n_columns = self._cells(rows, ends, grid_id, nested)
        collapsed = self._collapsed_columns(table)
        if collapsed:
            cells = [
                c._replace(hidden=True) if collapsed.issuperset(range(c.column, c.column + c.column_span)) else c
                for c in cells
            ]
        head = 0
        while head < len(rows) and rows[head].in_head:
            head += 1
        self.grids[ordinal] = Grid(
            id=grid_id,
            ordinal=ordinal,
            n_rows=len(rows),
            n_columns=n_columns,
            cells=tuple(cells),
            caption=captions,
            head_rows=head if head < len(rows) else 0,
            hidden=hidden,
            parent=parent,
        )
        for node, is_hidden in nested:
            self.build(node, is_hidden, grid_id, depth + 1)
        return grid_id

    def _rows(self, table: LexborNode, hidden: bool) -> tuple[list[_Row], list[int], tuple[str, ...]]:
        rows: list[_Row] = []
        ends: list[int] = []
        captions: list[str] = []
        child = table.child
        while child is not None:
            tag = child.tag
            if tag in GROUPS:
                group_hidden = hidden or self.sheet.look(child.attributes).hidden
                row = child.child
                while row is not None:
                    if row.tag == "tr":
                        rows.append(self._row(row, group_hidden, tag == "thead"))
                    row = row.next
                ends.append(len(rows))
            elif tag == "tr":
                rows.append(self._row(child, hidden, in_head=False))
            elif tag == "caption":
                found = inner_text(child, self.sheet)
                self.hidden_characters += found.hidden_characters
                captions.extend(line for line in found.text.split("\n") if line)
            child = child.next
        return rows, ends, tuple(captions)

    def _collapsed_columns(self, table: LexborNode) -> set[int]:
        """Columns that `col` or `colgroup` collapse; `display: none` on these hides no cell in a browser."""
        collapsed: set[int] = set()
        at = 0
        child = table.child
        while child is not None:
            if child.tag == "colgroup":
                inner = [node for node in child.iter() if node.tag == "col"]
                around = self._collapses(child)
                for column in inner or [child]:
                    span = min(_span(column.attributes.get("span"), 1), PLAUSIBLE_SPAN)
                    if around or self._collapses(column):
                        collapsed.update(range(at, at + span))
                    at += span
            child = child.next
        return collapsed

    def _collapses(self, node: LexborNode) -> bool:
        return bool(_COLLAPSE.search(self.sheet.style_of(node.attributes)))

    def _row(self, row: LexborNode, hidden: bool, in_head: bool) -> _Row:
        attributes = row.attributes
        return _Row(row, hidden or bool(attributes and self.sheet.look(attributes).hidden), in_head)

    def _cells(
        self, rows: list[_Row], ends: list[int], grid_id: GridId, nested: list[tuple[LexborNode, bool]]
    ) -> tuple[list[GridCell], int]:
        nodes: list[list[tuple[LexborNode, dict[str, str | None]]]] = []
        spans: list[list[tuple[int, int]]] = []
        for row in rows:
            found = []
            child = row.node.child
            while child is not None:
                if child.tag in ("td", "th"):
                    found.append((child, child.attributes))
                child = child.next
            nodes.append(found)
            spans.append(
                [
                    (_span(a["rowspan"], 0) if "rowspan" in a else 1, _span(a["colspan"], 1) if "colspan" in a else 1)
                    for _, a in found
                ]
            )
        laid, n_columns = lay_spans(spans, ends)
        cells: list[GridCell] = []
        flat = all(row.node.css_first("table") is None for row in rows)
        for row, found, positions in zip(rows, nodes, laid, strict=True):
            for (node, attributes), position in zip(found, positions, strict=True):
                if flat and (node.child is None or not node.text(deep=True).strip()):
                    continue  # two cells in three of a filing are spacers
                look = self.sheet.look(attributes)
                hidden = row.hidden or look.hidden
                cell = self._cell(node, attributes, look, hidden, grid_id, position)
                if cell is not None:
                    cells.append(cell)
                if not flat:
                    self._find_nested(node, hidden, nested)
        self.n_cells += len(cells)
        if self.n_cells > self.max_cells:
            raise Quarantine(Reason.TOO_MANY_CELLS, f"over {self.max_cells} cells")
        return cells, n_columns

    def _cell(
        self,
        node: LexborNode,
        attributes: dict[str, str | None],
        look: Look,
        hidden: bool,
        grid_id: GridId,
        position: tuple[int, int, int, int],
    ) -> GridCell | None:
        inner = inner_text(node, self.sheet)
        if not inner.text and inner.hidden_characters:
            inner, hidden = InnerText(all_text(node)), True
        self.hidden_characters += inner.hidden_characters
        if not inner.text:
            return None
        row, column, row_span, column_span = position
        return GridCell(
            row,
            column,
            inner.text,
            f"#{grid_id}!r{row + 1}c{column + 1}",
            row_span,
            column_span,
            node.tag == "th" or "scope" in attributes,
            hidden,
            look.bold or inner.bold,
            round(look.indent + inner.indent + 0.5 * inner.leading, 2),
            inner.marks,
        )

    def _find_nested(self, cell: LexborNode, hidden: bool, nested: list[tuple[LexborNode, bool]]) -> None:
        """Tables inside the cell, each with whether it or anything around it is hidden."""
        stack = [(cell.child, hidden)]
        while stack:
            node, around = stack.pop()
            while node is not None:
                if node.is_element_node and node.tag not in UNSEEN:
                    gone = around or self.sheet.look(node.attributes).hidden
                    if node.tag == "table":
                        nested.append((node, gone))
                    elif node.child is not None:
                        stack.append((node.child, gone))
                node = node.next


def _span(value: str | None, least: int) -> int:
    """A span attribute as browsers read it: leading digits; nonsense is 1; a row span may be 0."""
    if value is None:
        return 1
    digits = ""
    for character in value.strip():
        if not character.isdigit() or not character.isascii():
            break
        digits += character
    return max(int(digits[:6]), least) if digits else 1
