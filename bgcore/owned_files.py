"""Files that one writer has to itself for as long as it has them open."""

import errno
import hashlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from bgcore.errors import BgcoreError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["alone_at", "owned_file", "sole_writer"]

#: The locks of POSIX are those of a process: they do not keep its own threads apart.
_mine: set[str] = set()
_guard = threading.Lock()
#: Windows locks bytes, against reading too: one that no file has.
_FAR = 2**30
#: Names end at 255 bytes, 5 of them for ".lock"; a letter has up to 4.
_LONGEST = 250
_NAME_PART = 50


@contextmanager
def owned_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading and for adding at its end, for this writer alone.

    It is made if it is not there. The operating system gives it free when it is closed or its
    process ends, be it by kill -9; processes that were forked from it do not keep it. Only writers
    that come this way are kept out.

    Parameters
    ----------
    path : path

    Raises
    ------
    BlockingIOError
        Another process has it, or another thread; nothing was read or changed.
    OSError
        It cannot be opened, or not be locked where it is.
    """
    name = os.path.realpath(path)
    with _guard:
        if name in _mine:
            raise _taken(path)
        _mine.add(name)
    try:
        with open(path, "a+b") as file:
            if not _locked(file):
                raise _taken(path)
            yield file
    finally:
        with _guard:
            _mine.discard(name)


@contextmanager
def sole_writer(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep a file for this writer that is written whole again and again.

    An empty file beside it, ``NAME.lock`` (a long name is cut), stands for it meanwhile. What a killed writer left of
    that hinders nobody.

    Parameters
    ----------
    path : path
        The file need not be there yet.

    Raises
    ------
    BlockingIOError
        Another process has it, or another thread.
    OSError
        See `owned_file`.
    """
    lock = _lock_of(Path(os.path.realpath(path)))
    with ExitStack() as stack:
        try:
            file = stack.enter_context(owned_file(lock))
            while not _stands_at(file, lock):  # who had it before has just removed it
                stack.close()
                file = stack.enter_context(owned_file(lock))
        except OSError as error:
            error.filename = os.fspath(path)
            raise
        try:
            yield
        finally:
            with suppress(OSError):  # Windows keeps files that are open
                lock.unlink()


@contextmanager
def alone_at(
    path: str | os.PathLike[str], error: type[BgcoreError], writer: str, instead: str
) -> Iterator[None]:
    """Do as `sole_writer`, and tell the user if somebody else has the file.

    Parameters
    ----------
    path : path
    error : type of BgcoreError
        Raised then.
    writer, instead : str
        What else may be writing it, and what the user can do but wait.

    Raises
    ------
    BgcoreError
        Another process has it, or another thread.
    OSError
        See `owned_file`.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(sole_writer(path))
        except BlockingIOError:
            raise error(
                f"{os.fspath(path)!r} is being written by another {writer}; wait until it ends, or"
                f" {instead}"
            ) from None
        yield


def _lock_of(path: Path) -> Path:
    """Return the place of a lock; a name that leaves no room for its ending is cut and marked."""
    name = path.name
    if len(os.fsencode(name)) > _LONGEST:
        name = f"{name[:_NAME_PART]}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"
    return path.with_name(f"{name}.lock")


def _stands_at(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _taken(path: str | os.PathLike[str]) -> BlockingIOError:
    return BlockingIOError(errno.EAGAIN, "another process is writing it", os.fspath(path))


def _locked(file: BinaryIO) -> bool:
    """Lock a file until it is closed, unless another process has."""
    try:
        if sys.platform == "win32":
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0)
        else:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True
