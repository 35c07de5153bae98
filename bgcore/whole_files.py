"""Files that appear whole or not at all."""

import errno
import glob
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["STALE_AFTER", "check_place", "whole_file"]

#: Files of a writer that was killed are removed after this time, in seconds.
STALE_AFTER = 3600.0
# What is wrong then is the place that is written, whose name such errors leave out.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# The longest part of a file's own name in that of its spare: names end at 255 bytes.
_NAME_PART = 50


def _beginning(path: Path) -> str:
    """Return how the names of spare files of a path begin."""
    return f".{path.name[:_NAME_PART]}-"


def _spare(path: Path) -> Path:
    mark = f"{os.getpid()}-{secrets.token_hex(8)}"
    return path.with_name(f"{_beginning(path)}{mark}.tmp")


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing bytes that takes its place when all is written.

    It is written beside its place and renamed at the end, so a reader sees the old file or the
    new one and never a part. If anything goes wrong nothing is left, and what killed writers left
    is removed. A link is followed.

    Parameters
    ----------
    path : path
        What stands there is replaced.

    Raises
    ------
    OSError
        The folder does not exist or cannot be written, or the place is no file.
    """
    place = _place(path)
    _remove_stale(place)
    spare = _spare(place)
    try:
        with _opened(spare, path) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(spare, place)
    except BaseException as error:
        spare.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
            error.filename = os.fspath(path)
        raise


def check_place(path: str | os.PathLike[str]) -> Path:
    """Try whether `whole_file` could write; what is at the place stays untouched.

    Returns
    -------
    Path
        Where it would write.

    Raises
    ------
    OSError
        It could not: no such folder, not allowed, the name is too long, or there is something
        else than a file, such as a folder or a device.
    """
    place = _place(path)
    spare = _spare(place)
    try:
        with _opened(spare, path):
            pass
    finally:
        spare.unlink(missing_ok=True)
    return place


def _opened(spare: Path, path: str | os.PathLike[str]) -> BinaryIO:
    """Open a spare file; what goes wrong is told of the place that was asked for."""
    try:
        return open(spare, "xb")
    except OSError as error:
        error.filename = os.fspath(path)
        raise


def _place(path: str | os.PathLike[str]) -> Path:
    place = Path(path).resolve()
    if os.fspath(path).endswith(os.sep):
        raise OSError(errno.EISDIR, "that names a folder, not a file", os.fspath(path))
    # a name that is too long is refused here too
    if place.exists() and not place.is_file():
        raise OSError(errno.EINVAL, "it is not a file", os.fspath(path))
    return place


def _remove_stale(path: Path) -> None:
    for leftover in path.parent.glob(glob.escape(_beginning(path)) + "*.tmp"):
        try:
            if time.time() - leftover.stat().st_mtime > STALE_AFTER:
                leftover.unlink()
        except OSError:
            # another process removed it, or it is not ours to remove
            continue
