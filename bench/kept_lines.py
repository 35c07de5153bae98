"""A file of lines for a long computation, which goes on after it was ended at any moment.

Each line is one JSON document; the first says what the computation is. A line that was not
finished is cut off when the file is opened again.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from bgcore.errors import BgcoreError, RecordError
from bgcore.json_records import json_document
from bgcore.owned_files import owned_file

__all__ = ["KeptLines", "kept_lines"]


class KeptLines:
    """The documents of a file, to which others are added.

    Attributes
    ----------
    documents : list
        Without the first line.
    """

    def __init__(self, file: BinaryIO, documents: list[Any]) -> None:
        self._file = file
        self.documents = documents

    def add(self, document: Any) -> None:
        """Add a document; it is in the file when this returns."""
        self._file.write(_line(document))
        self._file.flush()
        self.documents.append(document)


@contextmanager
def kept_lines(path: str | os.PathLike[str], head: dict[str, Any]) -> Iterator[KeptLines]:
    """Open a file of lines, which is made if it is not there, for this process alone.

    Parameters
    ----------
    path : path
    head : dict
        What the computation is: names and values of JSON.

    Raises
    ------
    BgcoreError
        Another process writes it, it is damaged, or it was begun with another head.
    OSError
        It cannot be opened.
    """
    shown = repr(os.fspath(path))
    try:
        with owned_file(Path(path)) as file:
            file.seek(0)
            *whole, _ = file.read().split(b"\n")
            try:
                documents = [json_document(line) for line in whole]
            except RecordError as error:
                raise BgcoreError(f"{shown} is no file of kept lines: {error}") from None
            if documents:
                _check_head(documents[0], json.loads(json.dumps(head)), shown)
            file.truncate(sum(len(line) + 1 for line in whole))
            if not documents:
                file.write(_line(head))
                file.flush()
            yield KeptLines(file, documents[1:])
    except BlockingIOError:
        raise BgcoreError(f"{shown} is being written by another process") from None


def _check_head(found: Any, wanted: dict[str, Any], shown: str) -> None:
    if not isinstance(found, dict) or set(found) != set(wanted):
        raise BgcoreError(f"{shown} was begun by something else")
    for name, value in wanted.items():
        if found[name] != value:
            raise BgcoreError(f"{shown} was begun with {name} {found[name]}, not {value}")


def _line(document: Any) -> bytes:
    return json.dumps(document, allow_nan=False).encode() + b"\n"
