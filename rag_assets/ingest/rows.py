"""The rows of a segment: one a document, with its outcome and, encoded, what the stage made of it.

Holds: `DocumentRow`, writing and reading the Parquet file, copying encoded rows of an earlier segment.
Add here: a fact every stage keeps of a document.
Never here: decoding a payload (contents.py), deciding what is reused (reuse.py).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

from rag_assets.model.document import Counts, Reason, Status
from rag_assets.store.records import SourceEntry, digest_of

ROW_GROUP = 128
PAYLOAD = "payload"
COMPRESSION_LEVEL = 1
KEPT_FILES = 16
_COUNTS = msgspec.json.Decoder(list[Counts])


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """One document at one stage.

    `sha256` is the file as found, `served_sha256` the version the payload was made of, None where there is none.
    `key` names everything the payload depends on, `attempt` the same for the newest try, which may have failed.
    `made` is when the payload was made. `payload_hash` is its sha256, `columns` that of the columns file of a document
    with long tables.
    """

    source: str
    sha256: str = ""
    size: int = 0
    modified: int = 0
    media_type: str = ""
    status: Status = "ok"
    reason: str | None = None
    detail: str | None = None
    override: str | None = None
    stale_since: str | None = None
    served_sha256: str | None = None
    key: str = ""
    attempt: str = ""
    made: str = ""
    payload_hash: str | None = None
    columns: str | None = None
    counts: Counts = field(default_factory=dict)

    def entry(self, partition: str) -> SourceEntry:
        return SourceEntry(
            source=self.source,
            partition=partition,
            sha256=self.sha256,
            size=self.size,
            modified=self.modified,
            media_type=self.media_type,
            status=self.status,
            reason=Reason(self.reason) if self.reason else None,
            detail=self.detail,
            stale_since=self.stale_since,
            served_sha256=self.served_sha256,
            override=self.override,
        )


NAMES = tuple(f.name for f in fields(DocumentRow))
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    name: pl.Int64 if name in {"size", "modified"} else pl.String for name in NAMES
}


class Payload(NamedTuple):
    source: str
    content: bytes


def write_rows(
    path: Path, rows: Sequence[DocumentRow], made: Mapping[str, bytes], kept: Sequence["KeptRows"] = ()
) -> str:
    """Write the rows, sorted by source; returns their logical hash.

    The payload of a row comes from `made` (by source), else from the first of `kept` that holds it under its key, as
    it is: never decoded.
    """
    ordered = sorted(rows, key=lambda row: row.source)
    columns = {name: [getattr(row, name) for row in ordered] for name in NAMES}
    columns["counts"] = [msgspec.json.encode(counts, order="sorted").decode() for counts in columns["counts"]]
    frame = pl.DataFrame(columns, schema=SCHEMA)
    frame = frame.with_columns(_payloads(ordered, made, kept).alias(PAYLOAD))
    frame.write_parquet(path, compression="zstd", compression_level=COMPRESSION_LEVEL, row_group_size=ROW_GROUP)
    return logical_hash(ordered)


def logical_hash(rows: Iterable[DocumentRow]) -> str:
    """Of what the rows say, whenever they were made."""
    return digest_of(sorted((r.source, r.sha256, r.status, r.reason, r.served_sha256, r.payload_hash) for r in rows))


def read_rows(path: Path) -> tuple[DocumentRow, ...]:
    """All rows without their payloads. A run asks for the same few files some thirty times: they stay at hand."""
    found = path.stat()
    return _read_rows(path, (found.st_ino, found.st_size, found.st_mtime_ns))


@lru_cache(maxsize=KEPT_FILES)
def _read_rows(path: Path, stamp: tuple[int, int, int]) -> tuple[DocumentRow, ...]:  # noqa: ARG001 it names the content
    there = pl.read_parquet_schema(path)
    names = [name for name in NAMES if name in there]
    frame = pl.read_parquet(path, columns=names)
    counts = _COUNTS.decode(f"[{','.join(frame['counts'])}]")
    columns = [frame[name].to_list() if name != "counts" else counts for name in names]
    return tuple(DocumentRow(**dict(zip(names, values, strict=True))) for values in zip(*columns, strict=True))


def read_payloads(path: Path, sources: Iterable[str] | None = None) -> Iterator[Payload]:
    """Encoded payloads in the order of their sources; rows without one are left out."""
    scan = pl.scan_parquet(path).select("source", PAYLOAD).filter(pl.col(PAYLOAD).is_not_null())
    if sources is not None:
        scan = scan.filter(pl.col("source").is_in(sorted(set(sources))))
    for source, content in scan.collect().iter_rows():
        yield Payload(source, content)


class KeptRows:
    """Rows of an earlier segment that may be copied."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows = {row.source: row for row in read_rows(path)}
        self._payloads: pl.Series | None = None
        self._positions: dict[str, int] = {}

    def holds(self, row: DocumentRow) -> bool:
        found = self.rows.get(row.source)
        return found is not None and found.payload_hash is not None and found.key == row.key

    def payloads(self, sources: Sequence[str]) -> pl.Series:
        if self._payloads is None:
            frame = pl.read_parquet(self._path, columns=["source", PAYLOAD])
            self._payloads = frame[PAYLOAD]
            self._positions = {source: n for n, source in enumerate(frame["source"])}
        return self._payloads.gather([self._positions[source] for source in sources])


def _payloads(rows: Sequence[DocumentRow], made: Mapping[str, bytes], kept: Sequence[KeptRows]) -> pl.Series:
    """One series in the order of the rows, put together from pieces and brought into order by one gather."""
    pieces = [pl.Series(PAYLOAD, [None], dtype=pl.Binary)]
    places: dict[str, int] = {}
    offset = 1
    fresh = [row.source for row in rows if row.payload_hash is not None and row.source in made]
    pieces.append(pl.Series(PAYLOAD, [made[source] for source in fresh], dtype=pl.Binary))
    places.update({source: offset + n for n, source in enumerate(fresh)})
    offset += len(fresh)
    for earlier in kept:
        copied = [r.source for r in rows if r.payload_hash is not None and r.source not in places and earlier.holds(r)]
        if copied:
            pieces.append(earlier.payloads(copied))
            places.update({source: offset + n for n, source in enumerate(copied)})
            offset += len(copied)
    return pl.concat(pieces).gather([places.get(row.source, 0) for row in rows])
