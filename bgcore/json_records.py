"""Records as JSON: read strictly, written whole."""

import json
import os
from collections.abc import Mapping
from typing import Any

from bgcore.checks import path_text, shown
from bgcore.errors import RecordError
from bgcore.whole_files import whole_file

__all__ = ["json_document", "load_json", "save_json"]


def json_document(content: bytes) -> object:
    """Return the values of a JSON document.

    Raises
    ------
    RecordError
        It is no JSON; an entry stands in it twice; or a number is none, such as NaN.
    """
    try:
        return json.loads(
            content, object_pairs_hook=_without_doubles, parse_constant=_refuse_constant
        )
    except RecursionError:
        raise RecordError("it has too many lists in lists") from None
    except ValueError as error:
        raise error if isinstance(error, RecordError) else RecordError(str(error)) from None


def load_json(path: str | os.PathLike[str], what: str) -> Any:
    """Return the values of a file that holds one JSON document.

    Parameters
    ----------
    path : path
    what : str
        What the file should be, for the message.

    Raises
    ------
    RecordError
        See `json_document`; the message names the file. Or this is no path.
    OSError
        The file cannot be read.
    """
    name = path_text(path, f"the path of a {what}", RecordError)
    with open(name, "rb") as file:
        content = file.read()
    try:
        return json_document(content)
    except RecordError as error:
        raise RecordError(f"{name!r} is no {what}: {error}") from None


def save_json(path: str | os.PathLike[str], document: Mapping[str, Any]) -> None:
    """Write a document to a file as JSON; half a file never stays.

    Raises
    ------
    RecordError
        This is no path.
    OSError
        The file cannot be written.
    """
    with whole_file(path_text(path, "the path of a record", RecordError)) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RecordError(f"the entry {shown(twice)} stands in it twice")
    return document


def _refuse_constant(name: str) -> None:
    raise RecordError(f"{name} is no number")
