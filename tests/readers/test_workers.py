"""The pool against documents that take their process down. The guilty one is named, the others are read."""

import operator
import zipfile
from pathlib import Path

import pytest

from rag_assets.errors import Quarantine
from rag_assets.model.document import Document, Reason
from rag_assets.readers.isolation import ALLOCATION_FAILED, cause_of_death
from rag_assets.readers.limits import ReadLimits
from rag_assets.readers.workers import ReadRequest, WorkerPool
from rag_assets.settings import Limits
from tests.readers.made_workbooks import made, rows_at


def _requests(folder: Path, contents: dict[str, str]) -> list[ReadRequest]:
    for name, text in contents.items():
        (folder / name).write_text(text)
    return [ReadRequest(folder / name, f"notes/{name}", "0") for name in contents]


def _read(requests: list[ReadRequest], limits: ReadLimits | None = None) -> list[Document]:
    with WorkerPool(limits or ReadLimits(), workers=2) as pool:
        return list(pool.read(requests))


def test_documents_come_back_in_the_order_of_the_requests(tmp_path: Path) -> None:
    requests = _requests(tmp_path, {f"{n}.txt": f"text number {n}" for n in range(200)})
    assert [d.blocks[0].text for d in _read(requests)] == [f"text number {n}" for n in range(200)]


def test_each_refusal_names_its_own_document(tmp_path: Path) -> None:
    requests = _requests(tmp_path, {"a.txt": "fine", "b.xyz": "what", "c.csv": "", "d.xlsx": "text", "e.txt": "fine"})
    assert [(d.source.status, d.source.reason) for d in _read(requests)] == [
        ("ok", None),
        ("quarantined", Reason.UNSUPPORTED_TYPE),
        ("quarantined", Reason.EMPTY_FILE),
        ("quarantined", Reason.TYPE_MISMATCH),
        ("ok", None),
    ]


def test_a_file_that_went_away_is_unreadable(tmp_path: Path) -> None:
    found = _read([ReadRequest(tmp_path / "gone.txt", "notes/gone.txt", "0")])
    assert found[0].source.reason is Reason.UNREADABLE


ONE_BY_ONE = 1_000_000  # long sheets are read cell by cell, which costs what the limits bound


def _long_sheet(folder: Path, rows: int = 25_000) -> Path:
    return made(folder, lambda _, s: rows_at(s, [[f"k{n}", n, n / 7] for n in range(rows)]), name="long.xlsx")


def test_only_the_document_over_its_memory_is_named(tmp_path: Path) -> None:
    requests = _requests(tmp_path, {"a.txt": "fine", "b.txt": "fine"})
    requests.insert(1, ReadRequest(_long_sheet(tmp_path, 60_000), "notes/long.xlsx", "0"))
    found = _read(requests, ReadLimits(memory_mb=110, long_rows=ONE_BY_ONE))
    assert [d.source.reason for d in found] == [None, Reason.MEMORY_LIMIT, None]


def test_only_the_document_over_its_time_is_named(tmp_path: Path) -> None:
    requests = _requests(tmp_path, {"a.txt": "fine", "b.txt": "fine"})
    requests.insert(1, ReadRequest(_long_sheet(tmp_path), "notes/long.xlsx", "0"))
    found = _read(requests, ReadLimits(wall_s=0.4, long_rows=ONE_BY_ONE))
    assert [d.source.reason for d in found] == [None, Reason.WALL_LIMIT, None]


def test_a_large_output_is_refused(tmp_path: Path) -> None:
    found = _read(
        [ReadRequest(_long_sheet(tmp_path), "notes/long.xlsx", "0")], ReadLimits(output_mb=1, long_rows=ONE_BY_ONE)
    )
    assert found[0].source.reason is Reason.OUTPUT_LIMIT


def test_too_many_cells(tmp_path: Path) -> None:
    found = _read(
        [ReadRequest(_long_sheet(tmp_path), "notes/long.xlsx", "0")], ReadLimits(cells=1000, long_rows=ONE_BY_ONE)
    )
    assert found[0].source.reason is Reason.TOO_MANY_CELLS


def test_a_long_sheet_by_column_keeps_the_limits_too(tmp_path: Path) -> None:
    sheet = ReadRequest(_long_sheet(tmp_path), "notes/long.xlsx", "0", columns_to=tmp_path / "columns")
    assert _read([sheet])[0].grids[0].long is not None
    assert _read([sheet], ReadLimits(cells=1000))[0].source.reason is Reason.TOO_MANY_CELLS
    assert _read([sheet], ReadLimits(memory_mb=300))[0].source.reason is Reason.MEMORY_LIMIT


@pytest.mark.slow
def test_only_the_document_over_its_cpu_seconds_is_named(tmp_path: Path) -> None:
    requests = _requests(tmp_path, {"a.txt": "fine", "b.txt": "fine"})
    requests.insert(1, ReadRequest(_long_sheet(tmp_path, 400_000), "notes/long.xlsx", "0"))
    found = _read(requests, ReadLimits(cpu_s=1, long_rows=ONE_BY_ONE))
    assert [d.source.reason for d in found] == [None, Reason.CPU_LIMIT, None]


def test_a_zip_bomb_costs_nothing(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("xl/workbook.xml", b"<workbook/>")
        bomb.writestr("xl/worksheets/sheet1.xml", b" " * (64 << 20))
    found = _read([ReadRequest(tmp_path / "bomb.xlsx", "notes/bomb.xlsx", "0")])
    assert found[0].source.reason is Reason.ZIP_BOMB


def test_map_keeps_order_and_lets_exceptions_through() -> None:
    with WorkerPool(ReadLimits(), workers=2) as pool:
        assert list(pool.map(operator.neg, range(500))) == [-n for n in range(500)]
        with pytest.raises(TypeError):
            list(pool.map(operator.neg, ["text"]))
        assert list(pool.map(operator.neg, [1])) == [-1]


def test_a_pool_that_is_left_early_ends(tmp_path: Path) -> None:
    requests = _requests(tmp_path, {f"{n}.txt": "text" for n in range(300)})
    with WorkerPool(ReadLimits(), workers=2) as pool:
        first = next(iter(pool.read(requests)))
    assert first.source.status == "ok"


@pytest.mark.parametrize(
    ("status", "words", "reason"),
    [
        (-24, b"", Reason.CPU_LIMIT),
        (-6, ALLOCATION_FAILED[0] + b" 9999 bytes failed", Reason.MEMORY_LIMIT),
        (-9, b"", Reason.MEMORY_LIMIT),
        (-6, b"abort", Reason.PARSER_CRASHED),
        (-11, b"", Reason.PARSER_CRASHED),
    ],
)
def test_what_a_death_says(tmp_path: Path, status: int, words: bytes, reason: Reason) -> None:
    (tmp_path / "77.stderr").write_bytes(words)
    assert cause_of_death(status, 77, tmp_path).reason is reason


def test_limits_come_from_the_settings() -> None:
    limits = ReadLimits.of(Limits(cpu_s=7, memory_mb=99))
    assert (limits.cpu_s, limits.memory_bytes, limits.cells) == (7, 99 << 20, 20_000_000)


def test_work_that_hangs_or_dies_names_exactly_the_guilty_value() -> None:
    def fault_of(value: str, fault: Quarantine) -> str:
        return f"{value}: {fault.reason}"

    values = ["0", "__import__('time').sleep(60)", "__import__('os').abort()", "1"]
    with WorkerPool(ReadLimits(wall_s=0.3), workers=1) as pool:
        found = list(pool.map(eval, values, fault_of))
    assert found == [0, f"{values[1]}: wall_limit", f"{values[2]}: parser_crashed", 1]
