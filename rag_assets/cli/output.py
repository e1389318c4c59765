"""Where output goes: results to standard output, everything else to standard error.

Holds: JSON lines, tables for people, notes that are silent where nobody watches.
Add here: another way to print.
Never here: what is printed.
"""

import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH = 160


def print_json(value: object) -> None:
    """One compact line; dataclasses, named tuples and enums as they are."""
    import msgspec

    print_line(msgspec.json.encode(value))


def print_line(encoded: bytes) -> None:
    sys.stdout.buffer.write(encoded + b"\n")


def flush_line(encoded: bytes) -> None:
    """For streams that somebody may read as they come."""
    print_line(encoded)
    sys.stdout.buffer.flush()


def console() -> "Console":
    """For people; as wide as the terminal, or 160 columns where there is none."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


def say(text: str) -> None:
    """A line for people, on standard output; never wrapped."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    sys.stdout.flush()
    console().print(table)


def note(text: str, quiet: bool = False) -> None:
    """Progress: on standard error, and only where somebody watches."""
    if not quiet and sys.stderr.isatty():
        print(text, file=sys.stderr)


@contextmanager
def progress(quiet: bool = False) -> Generator[Callable[[str], None] | None]:
    """A line on standard error that says what is being done and goes when it is done; None where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True, highlight=False, markup=False).status("") as line:
        yield line.update


def warn(text: str) -> None:
    """One line that matters even where nobody watches."""
    print(f"rag-assets: {text}", file=sys.stderr)
