"""Processes that start light and die alone.

Holds: how a worker process is started, the limits it keeps, what its death says about the document it read.
Add here: another operating-system limit, another way a parser can take its process down.
Never here: which documents go to which worker (workers.py), parsing.
"""

import gc
import io
import os
import resource
import signal
import time
from multiprocessing import context, popen_forkserver, reduction, spawn, util
from multiprocessing.forkserver import connect_to_new_process, read_signed
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import ClassVar

from rag_assets.errors import Quarantine
from rag_assets.model.document import Reason
from rag_assets.readers.limits import ReadLimits

# A worker has one core; each thread of these libraries would also take address space from its document.
ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
PRELOADED = ("rag_assets.readers.formats", "pebble", "msgspec")
ALLOCATION_FAILED = (b"memory allocation of", b"Memory allocation still failed", b"annot allocate memory")
NEARLY_ALL = 0.9
LAST_WORDS_BYTES = 4096
RARE_COLLECTIONS = (200_000, 20, 50)  # documents are trees of values: the collector finds nothing, for 25 % of the time


class _LightPopen(popen_forkserver.Popen):
    """Starts a worker without importing the parent's main script again.

    The standard start does: with the `dagster` script that is over a second for each worker, and a caller's script
    without a main guard would start itself.
    """

    sentinel: int
    finalizer: util.Finalize

    def _launch(self, process_obj: BaseProcess) -> None:
        preparation = spawn.get_preparation_data(process_obj.name)
        preparation.pop("init_main_from_name", None)
        preparation.pop("init_main_from_path", None)
        buffer = io.BytesIO()
        context.set_spawning_popen(self)
        try:
            reduction.dump(preparation, buffer)
            reduction.dump(process_obj, buffer)
        finally:
            context.set_spawning_popen(None)
        self.sentinel, write_end = connect_to_new_process(self._fds)  # ty: ignore[missing-attribute]
        watched = os.dup(write_end)
        self.finalizer = util.Finalize(self, _close_all, (watched, self.sentinel))
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(buffer.getbuffer())
        self.pid = read_signed(self.sentinel)


def _close_all(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


class _LightProcess(context.ForkServerProcess):
    @staticmethod
    def _Popen(process_obj: BaseProcess) -> _LightPopen:  # noqa: N802
        return _LightPopen(process_obj)


class LightContext(context.ForkServerContext):
    """The forkserver start method: workers share the imported readers, and nothing of the parent's threads."""

    Process: ClassVar[type[context.ForkServerProcess]] = _LightProcess


def worker_context() -> LightContext:
    made = LightContext()
    made.set_forkserver_preload(list(PRELOADED))
    return made


def enter_worker(limits: ReadLimits, last_words: str) -> None:
    """Run first in each worker: bounds on memory, no core file, standard error into a file that outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(ONE_THREAD)
    gc.set_threshold(*RARE_COLLECTIONS)
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    written = os.open(_last_words(last_words, os.getpid()), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    os.dup2(written, 2)
    os.close(written)


def allow_cpu(seconds: int | None) -> None:
    """From now on this process may use so many CPU seconds more; over it the kernel kills it with SIGXCPU."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = hard if seconds is None else int(time.process_time()) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def met_memory_limit(limits: ReadLimits) -> bool:
    """Whether this process has asked for nearly all it may: libraries fail in many ways then."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return False
    peak = next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmPeak")), 0)
    return peak > NEARLY_ALL * limits.memory_bytes


def cause_of_death(exit_code: int, pid: int | None, last_words: Path) -> Quarantine:
    """Which limit a dead worker met, from its exit status and what it wrote last."""
    if exit_code == -signal.SIGXCPU:
        return Quarantine(Reason.CPU_LIMIT, "the parser used more CPU seconds than one document may")
    words = _read_last_words(last_words, pid)
    if any(sign in words for sign in ALLOCATION_FAILED) or exit_code == -signal.SIGKILL:
        return Quarantine(Reason.MEMORY_LIMIT, "the parser asked for more memory than one document may")
    return Quarantine(Reason.PARSER_CRASHED, f"the parser ended its process (status {exit_code})")


def _read_last_words(folder: Path, pid: int | None) -> bytes:
    try:
        return _last_words(str(folder), pid or 0).read_bytes()[-LAST_WORDS_BYTES:]
    except OSError:
        return b""


def _last_words(folder: str, pid: int) -> Path:
    return Path(folder) / f"{pid}.stderr"
