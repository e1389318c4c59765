"""Proof that nothing of a text is left in the state.

Holds: looking for a text in every kind of file the state has, unpacked.
Add here: a new kind of file.
Never here: removing it (erase.py).
"""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb

from rag_assets.columnar.raw import texts_of_columns
from rag_assets.ingest.order import ROWS_FILE, WAREHOUSE_FILE
from rag_assets.ingest.rows import read_payloads, read_rows
from rag_assets.ingest.sweep import all_segments
from rag_assets.store import Segment, Store
from rag_assets.store.layout import CANDIDATES, CONTENT, EVALUATIONS, HEADS, MEMOS, RELEASES, SEGMENTS

MAX_MEMBER_BYTES = 256 << 20
MANIFESTS = (CANDIDATES, EVALUATIONS, HEADS, MEMOS, RELEASES)


class Trace(NamedTuple):
    """Where the text was found: a file below the state, and the document or table in it."""

    place: str
    within: str


def traces_of(store: Store, text: str) -> tuple[Trace, ...]:
    """Every place that still holds the text; letter case and blanks do not matter. Empty: it is deleted."""
    wanted = _folded(text)
    return tuple(sorted({*_in_content(store, wanted), *_in_segments(store, wanted), *_in_manifests(store, wanted)}))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _holds(content: bytes, wanted: str) -> bool:
    return any(wanted in _folded(content.decode(encoding, "ignore")) for encoding in ("utf-8", "utf-16-le"))


def _in_content(store: Store, wanted: str) -> Iterator[Trace]:
    for name in store.place.names(CONTENT):
        content = store.content_path(name).read_bytes()
        if any(_holds(piece, wanted) for piece in _unpacked(content)):
            yield Trace(f"{CONTENT}/{name}", "")


def _unpacked(content: bytes) -> Iterator[bytes]:
    yield content
    if content.startswith(b"PAR1"):
        yield from texts_of_columns(content)
        return
    if content.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for member in archive.infolist():
                    if member.file_size <= MAX_MEMBER_BYTES:
                        yield archive.read(member)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
            return


def _in_segments(store: Store, wanted: str) -> Iterator[Trace]:
    for segment in all_segments(store):
        place = f"{SEGMENTS}/{segment.partition}/{segment.stage}/{segment.digest}"
        for within in _within(segment, wanted):
            yield Trace(place, within)


def _within(segment: Segment, wanted: str) -> Iterator[str]:
    for name in segment.files:
        path = segment.path(name)
        if name == ROWS_FILE.get(segment.stage):
            yield from (row.source for row in read_rows(path) if wanted in _folded(f"{row.source} {row.detail or ''}"))
            yield from (p.source for p in read_payloads(path) if wanted in _text_of(p.content))
        elif name == WAREHOUSE_FILE:
            yield from _tables_with(path, wanted)
        elif _holds(path.read_bytes(), wanted):
            yield name


def _text_of(payload: bytes) -> str:
    """The payload with what JSON escapes written out."""
    return _folded(json.dumps(json.loads(payload), ensure_ascii=False).replace("\\n", " ").replace('\\"', '"'))


def _tables_with(path: Path, wanted: str) -> Iterator[str]:
    with duckdb.connect(str(path), read_only=True) as connection:
        names = connection.execute("select table_name from duckdb_tables() order by 1").fetchall()
        for (name,) in names:
            quoted = name.replace('"', '""')
            for (row,) in connection.execute(f'select cast(t as varchar) from "{quoted}" t').fetchall():
                if wanted in _folded(row) or wanted in _folded(name):
                    yield name
                    break


def _in_manifests(store: Store, wanted: str) -> Iterator[Trace]:
    """Names of sources and reasons stand in these."""
    for placed in (f for folder in MANIFESTS for f in store.place.walk(folder)):
        if placed.name.endswith(".json") and _holds(store.place.read(placed.name) or b"", wanted):
            yield Trace(placed.name, "")
