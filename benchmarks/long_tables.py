"""A long sheet and a long CSV, from the file to the DuckDB table, against the fastest peers in the same run.

Prints CPU seconds (user and system, of a process of its own each), ratios, and peak memory:
  1,000,000 x 10 xlsx   against `polars.read_excel`                 aims: 2.5 typed, 3.0 with the table, 1.2 GB
  200 MB CSV            against DuckDB's `CREATE TABLE AS read_csv`  aims: 1.5, 600 MB

`python benchmarks/long_tables.py [ROWS] [CSV_MB]` for other sizes.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_assets.model.table import Normalized

ROWS, CSV_MB = 1_000_000, 200
REGIONS = ("North", "South", "East", "West", "Central")
HEAD = ("id", "region", "customer", "date", "quantity", "price", "discount", "cost", "code", "note")
LETTERS = "ABCDEFGHIJ"
SHEET_XML = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    + "".join(
        f'<Override PartName="/xl/{part}.xml" ContentType="{SHEET_TYPE}.{kind}+xml"/>'
        for part, kind in (
            ("workbook", "sheet.main"),
            ("worksheets/sheet1", "worksheet"),
            ("styles", "styles"),
            ("sharedStrings", "sharedStrings"),
        )
    )
    + "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook {SHEET_XML} xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="Ledger" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    + "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/{kind}" Target="{target}.xml"/>'
        for n, (kind, target) in enumerate(
            (("worksheet", "worksheets/sheet1"), ("styles", "styles"), ("sharedStrings", "sharedStrings")), 1
        )
    )
    + "</Relationships>",
    "xl/styles.xml": f"<styleSheet {SHEET_XML}><numFmts>"
    '<numFmt numFmtId="164" formatCode="&quot;$&quot;#,##0.00"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd"/>'
    "</numFmts><fonts><font/></fonts><fills><fill/></fills><borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs>"
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="9"/></cellXfs></styleSheet>',
}


def write_xlsx(path: Path, rows: int) -> None:
    draw = random.Random(1)
    customers = [f"Customer {n:05d}" for n in range(20_000)]
    codes = [f"C-{n:04d}" for n in range(500)]
    strings = [*HEAD, *REGIONS, *customers, *codes, "late", "ok"]
    first = {"region": len(HEAD), "customer": len(HEAD) + 5, "code": len(HEAD) + 20_005, "note": len(HEAD) + 20_505}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        for name, content in PARTS.items():
            book.writestr(name, content)
        shared = "".join(f"<si><t>{text}</t></si>" for text in strings)
        book.writestr("xl/sharedStrings.xml", f"<sst {SHEET_XML}>{shared}</sst>")
        with book.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write(f"<worksheet {SHEET_XML}><sheetData>".encode())
            head = "".join(f'<c r="{LETTERS[n]}1" t="s"><v>{n}</v></c>' for n in range(10))
            sheet.write(f'<row r="1">{head}</row>'.encode())
            for start in range(2, rows + 2, 5000):
                lines = (_sheet_row(r, draw, first) for r in range(start, min(start + 5000, rows + 2)))
                sheet.write("".join(lines).encode())
            sheet.write(b"</sheetData></worksheet>")


def _sheet_row(r: int, draw: random.Random, first: dict[str, int]) -> str:
    quantity, price = draw.randrange(1, 500), round(draw.random() * 1000, 2)
    cells = (
        ("", r - 1),
        (' t="s"', first["region"] + draw.randrange(5)),
        (' t="s"', first["customer"] + draw.randrange(20_000)),
        (' s="2"', 45_000 + draw.randrange(700)),
        ("", quantity),
        (' s="1"', price),
        (' s="3"', draw.randrange(30) / 100),
        (' s="1"', round(quantity * price * 0.7, 2)),
        (' t="s"', first["code"] + draw.randrange(500)),
        (' t="s"', first["note"] + draw.randrange(2)),
    )
    shown = "".join(f'<c r="{LETTERS[n]}{r}"{look}><v>{value}</v></c>' for n, (look, value) in enumerate(cells))
    return f'<row r="{r}">{shown}</row>'


def write_csv(path: Path, megabytes: int) -> None:
    draw = random.Random(2)
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(HEAD) + "\n")
        written, number = 0, 0
        while written < megabytes * 1_000_000:
            lines = "".join(_csv_lines(number, 20_000, draw))
            number += 20_000
            written += file.write(lines)


def _csv_lines(start: int, count: int, draw: random.Random) -> Iterator[str]:
    for n in range(start + 1, start + count + 1):
        quantity, price = draw.randrange(1, 500), draw.random() * 1000
        yield (
            f"{n},{REGIONS[n % 5]},Customer {draw.randrange(200_000):06d},2024-{draw.randrange(1, 13):02d}-"
            f"{draw.randrange(1, 29):02d},{quantity},{price:.2f},{draw.randrange(30) / 100},"
            f"{quantity * price * 0.7:.2f},{draw.randrange(100_000):05d},{'ok' if n % 3 else 'late delivery'}\n"
        )


def understood(path: Path, folder: Path) -> dict[str, float]:
    """What a worker does: file → columns file and tables with units and account."""
    import msgspec

    import rag_assets.readers.long_delimited
    import rag_assets.readers.long_sheet  # noqa: F401 as the peers' own imports, not counted
    from rag_assets.readers.formats import read_document
    from rag_assets.readers.limits import ReadLimits
    from rag_assets.tables.normalize import normalize_document
    from rag_assets.tables.rules import Rules

    start = time.process_time()
    document = read_document(path, f"made/{path.name}", ReadLimits(), "x", columns_to=folder / f"{path.name}.columns")
    normalized = normalize_document(document, Rules())
    assert normalized.account.balanced
    (folder / f"{path.name}.json").write_bytes(msgspec.json.encode(normalized))
    return {"cpu": time.process_time() - start}


def typed(path: Path, folder: Path) -> dict[str, float]:
    """Columns file → typed Arrow, without a database."""
    from rag_assets.columnar.raw import ColumnsFile
    from rag_assets.lookup.long_tables import typed_batches

    table = _normalized(path, folder).tables[0]
    start = time.process_time()
    totals = sum(row.kind.value == "total" for row in table.rows)
    rows = sum(batch.num_rows for batch in typed_batches(table, ColumnsFile(folder / f"{path.name}.columns")))
    assert rows == table.row_count - totals
    return {"cpu": time.process_time() - start}


def loaded(path: Path, folder: Path) -> dict[str, float]:
    """What the lookup stage does: columns file → DuckDB table, typed, with key and roles."""
    from rag_assets.lookup.warehouse import LoadedDocument, build_warehouse

    document = LoadedDocument(
        f"made/{path.name}", "x", "made", _normalized(path, folder), "2026", folder / f"{path.name}.columns"
    )
    start = time.process_time()
    build_warehouse(folder / f"{path.name}.duckdb", [document], long_tables=True)
    return {"cpu": time.process_time() - start}


def _normalized(path: Path, folder: Path) -> "Normalized":
    import msgspec

    from rag_assets.model.table import Normalized

    return msgspec.json.decode((folder / f"{path.name}.json").read_bytes(), type=Normalized)


def polars_excel(path: Path, _: Path) -> dict[str, float]:
    import polars as pl

    start = time.process_time()
    pl.read_excel(path)
    return {"cpu": time.process_time() - start}


def duckdb_csv(path: Path, folder: Path) -> dict[str, float]:
    import duckdb

    start = time.process_time()
    with duckdb.connect(str(folder / "peer.duckdb")) as connection:
        connection.execute(f"create table t as select * from read_csv('{path}')")
    return {"cpu": time.process_time() - start}


OURS = {"understood": understood, "typed": typed, "loaded": loaded}
WAYS: dict[str, Callable[[Path, Path], dict[str, float]]] = {
    **OURS,
    "polars_excel": polars_excel,
    "duckdb_csv": duckdb_csv,
}


def measured(way: str, path: Path, folder: Path) -> dict[str, float]:
    """Run in a process of its own; `memory_mb` is its peak."""
    call = [sys.executable, __file__, "--child", way, str(path), str(folder)]
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} if way in OURS else None
    done = subprocess.run(call, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)


def child(way: str, path: str, folder: str) -> None:
    found = WAYS[way](Path(path), Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**found, "memory_mb": peak}))


def main(rows: int, megabytes: int) -> None:
    with tempfile.TemporaryDirectory(prefix="long-tables-") as scratch:
        folder = Path(scratch)
        write_xlsx(folder / "long.xlsx", rows)
        write_csv(folder / "long.csv", megabytes)
        _compare("polars_excel", f"xlsx {rows:,} x 10", folder / "long.xlsx")
        _compare("duckdb_csv", f"csv {megabytes} MB", folder / "long.csv")


def _compare(peer: str, what: str, path: Path) -> None:
    """Each step in a process of its own, as a worker reads and the lookup stage loads."""
    theirs = measured(peer, path, path.parent)
    mine = {way: measured(way, path, path.parent) for way in OURS}
    print(f"{what}: {peer} {theirs['cpu']:.1f} s CPU, {theirs['memory_mb']:.0f} MB")
    for name, step in (("typed columns with units and account", "typed"), ("with the DuckDB table", "loaded")):
        seconds = mine["understood"]["cpu"] + mine[step]["cpu"]
        print(f"  {name} {seconds:.1f} s, ratio {seconds / theirs['cpu']:.2f}")
    memory = ", ".join(f"{way} {found['memory_mb']:.0f} MB" for way, found in mine.items())
    print(f"  peak memory {memory}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        sizes = [int(size) for size in sys.argv[1:]]
        main(*(sizes + [ROWS, CSV_MB][len(sizes) :]))
