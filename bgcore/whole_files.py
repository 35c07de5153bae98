"""Files that appear whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing bytes that takes its place when all is written.

    It is written beside its place and renamed at the end, so a reader sees the old file or the
    new one and never a part. If anything goes wrong nothing is left. A link is followed.

    Parameters
    ----------
    path : path
        What stands there is replaced.

    Raises
    ------
    OSError
        The folder does not exist or cannot be written, or the place is no file.
    """
    place = Path(path).resolve()
    if place.exists() and not place.is_file():
        raise OSError(f"cannot write {os.fspath(path)!r}: it is not a file")
    temporary = place.parent / f".{place.name}-{os.getpid()}-{secrets.token_hex(8)}.tmp"
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
