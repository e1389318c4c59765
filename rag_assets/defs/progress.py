"""Telling whoever launched a run in this process how far it is.

Holds: `watched`, which names a listener, and `tell`.
Add here: nothing.
Never here: printing.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def watched(listener: Listener | None) -> Generator[None]:
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(message: str) -> None:
    listener = _LISTENER.get()
    if listener is not None:
        listener(message)
