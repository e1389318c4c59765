"""The connection a call runs on: one file, read-only, locked, bounded in time and memory.

Holds: opening, locking, interrupting.
Add here: another limit.
Never here: SQL of a call (query.py).
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import duckdb

MEMORY_LIMIT = "512MB"
TIME_LIMIT_S = 10.0

_BEFORE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": MEMORY_LIMIT,
    "threads": "1",
    "temp_directory": "",
}


@contextmanager
def locked_connection(path: Path, time_limit_s: float = TIME_LIMIT_S) -> Generator[duckdb.DuckDBPyConnection]:
    """A connection on which no other file can be reached and no setting changed; interrupted after the time limit.

    `read_only` alone lets SQL read and write any file of the machine; the order of the last three settings matters.
    """
    connection = duckdb.connect(str(path), read_only=True, config=_BEFORE)
    timer = Timer(time_limit_s, connection.interrupt)
    timer.daemon = True
    try:
        connection.execute("set enable_external_access=false")
        connection.execute("set disabled_filesystems='LocalFileSystem'")
        connection.execute("set lock_configuration=true")
        timer.start()
        yield connection
    finally:
        timer.cancel()
        connection.close()
