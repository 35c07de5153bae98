"""The file of a session in a terminal: written whole, never over what somebody else has written."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bgcore.errors import RecordError
from bgcore.whole_files import whole_file

__all__ = ["SessionFile"]


class SessionFile:
    """Where a session is kept, if anywhere.

    Parameters
    ----------
    path : path, optional
        None: nowhere, until `save_as`.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self._written: bytes | None = None

    def write(self, document: Mapping[str, Any]) -> None:
        """Write the session, if it has a file.

        Raises
        ------
        RecordError
            Another program has written the file since.
        OSError
            The file cannot be written.
        """
        if self.path is not None:
            self._written = _write(self.path, document, self._written)

    def save_as(self, name: str, document: Mapping[str, Any]) -> str:
        """Write the session to another file, or now to its own if no name is given.

        Returns
        -------
        str
            What is to be said about it.
        """
        if not name and self.path is None:
            return "where? save FILE"
        try:
            path = Path(name).expanduser() if name else Path(self.path or "")
            if path != self.path and path.exists():
                return f"{name} exists: choose another name"
            written = self._written if path == self.path else None
            self._written = _write(path, document, written)
        except (OSError, ValueError, RuntimeError) as error:
            return f"cannot be saved: {error}"
        self.path = path
        return f"saved in {path}, from now on after every action"


def _write(path: Path, document: Mapping[str, Any], written: bytes | None) -> bytes:
    """Write a document unless something else stands there than was written before."""
    if written is not None and os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() != written:
                raise RecordError(f"another program has changed {os.fspath(path)!r}")
    content = json.dumps(document, indent=1).encode() + b"\n"
    with whole_file(path) as file:
        file.write(content)
    return content
