"""Small tables for the tests of rendering, chunking and retrieval."""

from rag_assets.model.table import Column, ColumnType, Row, RowKind, Table, TableCell, TableId


def cell(column: int, text: str, address: str, value: float | None = None, unit: str | None = None) -> TableCell:
    return TableCell(column, text, value, unit, 1, False, address)


def prices(rows: int = 40, **changes: object) -> Table:
    """A price table: region and tier name the row, discount and minimum order are its values."""
    regions = ["North", "South", "East", "West", "Central", "Coast"]
    body = []
    for n in range(rows):
        region, tier = regions[n % 6], str(n // 6 + 1)
        labels = (cell(0, region, f"A{n + 5}"), cell(1, tier, f"B{n + 5}", float(tier)))
        share = (n % 14) + 2
        cells = (
            cell(2, f"{share}%", f"C{n + 5}", share / 100, "percent"),
            cell(3, f"${(n + 1) * 1000:,}", f"D{n + 5}", (n + 1) * 1000, "$"),
        )
        body.append(Row(path=(region, tier), kind=RowKind.DATA, cells=cells, labels=labels))
    parts: dict[str, object] = {
        "id": TableId("t1"),
        "grid": "table-1",
        "ordinal": 0,
        "caption": ("Regional discount tiers", "(In thousands)"),
        "unit": "In thousands",
        "label_columns": (Column(index=0, path=("Region",)), Column(index=1, path=("Tier",), type=ColumnType.INTEGER)),
        "columns": (
            Column(index=2, path=("Terms", "Discount"), type=ColumnType.NUMBER, unit="percent"),
            Column(index=3, path=("Terms", "Min order"), type=ColumnType.INTEGER, unit="$"),
        ),
        "rows": tuple(body),
        "lookup": rows >= 20,
        "name": "lookup_discount_tiers" if rows >= 20 else None,
    }
    return Table(**{**parts, **changes})  # ty: ignore


def balance_sheet() -> Table:
    """Sections fold into the labels of their rows; one cell is empty."""
    rows = (
        Row(
            path=("Current assets", "Cash"),
            sections=("Current assets",),
            kind=RowKind.DATA,
            labels=(cell(0, "Cash", "#table-1!r3c1"),),
            cells=(cell(1, "$120", "#table-1!r3c2", 120), cell(2, "$90", "#table-1!r3c3", 90)),
        ),
        Row(
            path=("Goodwill",),
            kind=RowKind.DATA,
            labels=(cell(0, "Goodwill", "#table-1!r4c1"),),
            cells=(cell(1, "7", "#table-1!r4c2", 7),),
        ),
    )
    return Table(
        id=TableId("t1"),
        grid="table-1",  # ty: ignore
        ordinal=0,
        caption=("HARBOR TOOLS",),
        unit="In millions",
        columns=(
            Column(index=1, path=("As of", "July 26, 2026"), type=ColumnType.INTEGER),
            Column(index=2, path=("As of", "July 27, 2025"), type=ColumnType.INTEGER),
        ),
        label_columns=(Column(index=0, path=()),),
        rows=rows,
    )
