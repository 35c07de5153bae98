"""Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

#: Exit status after Ctrl-C.
INTERRUPTED = 130


@contextmanager
def ctrl_c_ends() -> Iterator[None]:
    """Let Ctrl-C end the process at once while the core computes and cannot ask Python."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # not the main thread: nothing to change
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
