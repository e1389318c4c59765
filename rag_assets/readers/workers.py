"""The pool of worker processes that read documents, and think about them, within limits.

Holds: batches, the order of results, the second try that names exactly the guilty document.
Add here: another way to share work out.
Never here: what happens inside a worker's process limits (isolation.py), formats, files of the state.
"""

import os
import pickle
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

import msgspec
from pebble import ProcessExpired, ProcessPool

from rag_assets.errors import Quarantine
from rag_assets.model.document import Document, Reason, Source
from rag_assets.readers.isolation import allow_cpu, cause_of_death, enter_worker, met_memory_limit, worker_context
from rag_assets.readers.limits import ReadLimits

if TYPE_CHECKING:
    from concurrent.futures import Future

BATCH_DOCUMENTS = 64
BATCH_BYTES = 1 << 20
MAP_CHUNK = 32
IN_FLIGHT_PER_WORKER = 3
COLUMNS_SHARE = 4  # a columns file goes to disk as it is, and is never decoded as a whole
POOL_RESTARTS = 3
THINKING = 5  # understanding a document may take so many times as long as reading it
DEATHS = (TimeoutError, ProcessExpired, BrokenProcessPool, MemoryError)

T = TypeVar("T")
R = TypeVar("R")
W = TypeVar("W")


class ReadRequest(NamedTuple):
    """A source to read: where its bytes lie, what it is called, its hash, its override file.

    `columns_to`: where its columns file is written, if it has long tables.
    """

    path: Path
    uri: str
    sha256: str
    override: Path | None = None
    columns_to: Path | None = None


class WorkerPool:
    """Use as a context manager; processes start at the first piece of work."""

    def __init__(self, limits: ReadLimits, workers: int | None = None) -> None:
        self._limits = limits
        self._workers = workers or len(os.sched_getaffinity(0))
        self._last_words = tempfile.TemporaryDirectory(prefix="workers-")
        self._pool = self._new_pool()
        self._decoder = msgspec.msgpack.Decoder(Document)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._end_pool()
        self._last_words.cleanup()

    def read(self, requests: Iterable[ReadRequest]) -> Iterator[Document]:
        """The document of each request, in order. Never raises for a document: it is quarantined with a reason."""
        for batch, future in self._in_order(_batches(requests), self._submit_batch):
            for encoded in self._settle_batch(batch, future):
                yield self._decoder.decode(encoded)

    def map(
        self, function: Callable[[T], R], values: Iterable[T], on_fault: Callable[[T, Quarantine], R] | None = None
    ) -> Iterator[R]:
        """`function` of each value, in order, on the same processes. Its exceptions propagate.

        With `on_fault`, a value that takes its process down, or five times the wall limit of a document, gives
        `on_fault(value, fault)` instead.
        """
        wall_s = self._limits.wall_s * THINKING if on_fault else None

        def submit(chunk: tuple[T, ...]) -> "Future[bytes]":
            return self._schedule(_apply, (function, chunk), wall_s)

        for chunk, future in self._in_order(_chunks(values, MAP_CHUNK), submit):
            try:
                results = pickle.loads(future.result())
            except DEATHS:
                if on_fault is None:
                    raise
                results = [self._apply_alone(submit, value, on_fault) for value in chunk]
            yield from results

    def _apply_alone(
        self,
        submit: Callable[[tuple[T, ...]], "Future[bytes]"],
        value: T,
        on_fault: Callable[[T, Quarantine], R],
    ) -> R:
        found = self._alone(lambda: submit((value,)))
        return on_fault(value, found) if isinstance(found, Quarantine) else pickle.loads(found)[0]

    def _in_order(
        self, work: Iterable[W], submit: Callable[[W], "Future[bytes]"]
    ) -> Iterator[tuple[W, "Future[bytes]"]]:
        waiting: deque[tuple[W, Future[bytes]]] = deque()
        try:
            for piece in work:
                waiting.append((piece, submit(piece)))
                if len(waiting) >= IN_FLIGHT_PER_WORKER * self._workers:
                    yield waiting.popleft()
            while waiting:
                yield waiting.popleft()
        finally:
            for _, future in waiting:
                future.cancel()

    def _submit_batch(self, batch: tuple[ReadRequest, ...]) -> "Future[bytes]":
        return self._schedule(_read_batch, (batch, self._limits), self._limits.wall_s)

    def _settle_batch(self, batch: tuple[ReadRequest, ...], future: "Future[bytes]") -> Iterator[bytes]:
        try:
            documents = pickle.loads(future.result())
        except DEATHS:
            documents = [self._read_alone(request) for request in batch]
        yield from documents

    def _read_alone(self, request: ReadRequest) -> bytes:
        found = self._alone(lambda: self._submit_batch((request,)))
        return _encode(_quarantined(request, found)) if isinstance(found, Quarantine) else pickle.loads(found)[0]

    def _alone(self, submit: "Callable[[], Future[bytes]]") -> bytes | Quarantine:
        """What one piece of work gives, or why it took its process down."""
        for _ in range(POOL_RESTARTS):
            try:
                return submit().result()
            except BrokenProcessPool:
                continue
            except TimeoutError:
                return Quarantine(Reason.WALL_LIMIT, f"did not end within {self._limits.wall_s:g} s")
            except ProcessExpired as death:
                return cause_of_death(death.exitcode, death.pid, Path(self._last_words.name))
            except MemoryError:
                return Quarantine(Reason.MEMORY_LIMIT, "the parser asked for more memory than one document may")
        return Quarantine(Reason.PARSER_CRASHED, "the workers did not come up again")

    def _schedule(
        self, function: Callable[..., bytes], arguments: tuple, wall_s: float | None = None
    ) -> "Future[bytes]":
        for _ in range(POOL_RESTARTS):
            try:
                return self._pool.schedule(function, args=arguments, timeout=wall_s)
            except (BrokenProcessPool, RuntimeError):
                self._end_pool()
                self._pool = self._new_pool()
        return self._pool.schedule(function, args=arguments, timeout=wall_s)

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._workers,
            initializer=enter_worker,
            initargs=(self._limits, self._last_words.name),
            context=worker_context(),
        )

    def _end_pool(self) -> None:
        self._pool.stop()
        self._pool.join()


def _batches(requests: Iterable[ReadRequest]) -> Iterator[tuple[ReadRequest, ...]]:
    batch: list[ReadRequest] = []
    size = 0
    for request in requests:
        batch.append(request)
        size += _size(request.path)
        if len(batch) >= BATCH_DOCUMENTS or size >= BATCH_BYTES:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _chunks(values: Iterable[T], length: int) -> Iterator[tuple[T, ...]]:
    chunk: list[T] = []
    for value in values:
        chunk.append(value)
        if len(chunk) == length:
            yield tuple(chunk)
            chunk = []
    if chunk:
        yield tuple(chunk)


def _apply(function: Callable[[T], R], values: tuple[T, ...]) -> bytes:
    allow_cpu(None)
    return pickle.dumps([function(value) for value in values], protocol=pickle.HIGHEST_PROTOCOL)


def _read_batch(batch: tuple[ReadRequest, ...], limits: ReadLimits) -> bytes:
    """Runs in the worker; the encoded documents of the batch."""
    return pickle.dumps([_read_one(request, limits) for request in batch], protocol=pickle.HIGHEST_PROTOCOL)


def _read_one(request: ReadRequest, limits: ReadLimits) -> bytes:
    allow_cpu(limits.cpu_s)
    try:
        encoded = _encode(_read(request, limits))
    except Quarantine as fault:
        return _encode(_quarantined(request, fault))
    except MemoryError:
        return _refused(request, Reason.MEMORY_LIMIT, f"needs more than {limits.memory_mb} MB")
    except RecursionError:
        return _refused(request, Reason.TOO_DEEP, "is nested too deeply")
    except BaseException as error:  # noqa: BLE001 the one boundary: a panic of calamine is no Exception
        if met_memory_limit(limits):
            return _refused(request, Reason.MEMORY_LIMIT, f"needs more than {limits.memory_mb} MB")
        return _refused(request, Reason.PARSER_CRASHED, f"{type(error).__name__}: {error}"[:300])
    if len(encoded) > limits.output_bytes:
        found = f"{len(encoded):,} bytes of cells and text, over {limits.output_mb} MB"
        return _refused(request, Reason.OUTPUT_LIMIT, found)
    columns = _size(request.columns_to) if request.columns_to is not None else 0
    if columns > COLUMNS_SHARE * limits.output_bytes:
        found = f"{columns:,} bytes of columns, over {COLUMNS_SHARE * limits.output_mb} MB"
        return _refused(request, Reason.OUTPUT_LIMIT, found)
    return encoded


def _read(request: ReadRequest, limits: ReadLimits) -> Document:
    from rag_assets.readers.formats import read_document  # the parent never parses

    return read_document(request.path, request.uri, limits, sha256=request.sha256, columns_to=request.columns_to)


def _refused(request: ReadRequest, reason: Reason, detail: str) -> bytes:
    return _encode(_quarantined(request, Quarantine(reason, detail)))


def _encode(document: Document) -> bytes:
    return msgspec.msgpack.encode(document)


def _quarantined(request: ReadRequest, fault: Quarantine) -> Document:
    from rag_assets.readers.formats import media_type_by_name

    source = Source(
        uri=request.uri,
        media_type=media_type_by_name(request.uri),
        sha256=request.sha256,
        status="quarantined",
        reason=fault.reason,
        detail=fault.detail,
    )
    return Document(source=source)
