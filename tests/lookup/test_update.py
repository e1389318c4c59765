"""A warehouse updated in steps equals one built from scratch."""

from pathlib import Path

from rag_assets.lookup.update import update_warehouse
from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse, logical_hash
from rag_assets.model.document import Document, Grid, GridCell, GridId, Source
from rag_assets.tables.normalize import normalize_document
from rag_assets.tables.rules import Rules


def loaded(name: str, *rows: str) -> LoadedDocument:
    cells = tuple(
        GridCell(r, c, text, f"r{r + 1}c{c + 1}", header=r == 0)
        for r, row in enumerate(rows)
        for c, text in enumerate(row.split("|"))
    )
    grid = Grid(id=GridId("table-1"), ordinal=0, n_rows=len(rows), n_columns=2, cells=cells, head_rows=1)
    source = Source(uri=f"docs/{name}", media_type="text/csv", sha256=name)
    document = Document(source=source, grids=(grid,), cells_in=len(cells))
    normalized = normalize_document(document, Rules(lookup_rows=1))
    return LoadedDocument(source.uri, name, "docs", normalized, "2026-01-01")


def test_changed_gone_and_new_documents_give_the_file_of_a_fresh_build(tmp_path: Path) -> None:
    a, b = loaded("a.csv", "region|price", "North|10"), loaded("b.csv", "tier|days", "gold|3", "Total|3")
    a_later, c = loaded("a.csv", "region|price", "North|11", "South|12"), loaded("c.csv", "line|fare", "red|2")
    build_warehouse(tmp_path / "first", [a, b])
    report = update_warehouse(tmp_path / "second", tmp_path / "first", {"docs/a.csv", "docs/c.csv"}, [a_later, c], 3)
    fresh = build_warehouse(tmp_path / "fresh", [a_later, b, c])
    assert logical_hash(tmp_path / "second") == logical_hash(tmp_path / "fresh")
    assert report.documents == 3
    assert sorted(report.tables) == sorted(fresh.tables)
    assert (report.rows, report.statements, report.totals) == (fresh.rows, fresh.statements, fresh.totals)


def test_what_was_taken_out_is_gone(tmp_path: Path) -> None:
    a, b = loaded("a.csv", "region|price", "North|10"), loaded("b.csv", "tier|days", "gold|3")
    build_warehouse(tmp_path / "first", [a, b])
    update_warehouse(tmp_path / "second", tmp_path / "first", {"docs/a.csv"}, [], 1)
    build_warehouse(tmp_path / "fresh", [b])
    assert logical_hash(tmp_path / "second") == logical_hash(tmp_path / "fresh")
