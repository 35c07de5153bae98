"""Matches as JSON documents: one that fills the file, or one in each line."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from bgcore.errors import BgcoreError, RecordError
from bgcore.formats.problems import Report
from bgcore.json_records import json_document
from bgcore.match import Match, MoneySession, series_from_dict

__all__ = ["read_json", "write_json"]

Series = Match | MoneySession

_LARGEST_DOCUMENT = 256 << 20


def read_json(file: BinaryIO, report: Report) -> Iterator[Series]:
    """Yield the matches of a file that `write_json` or `Match.save` wrote.

    Parameters
    ----------
    file : binary file
    report : Report

    Raises
    ------
    FileFormatError
        In strict mode, if a document cannot be read.
    """
    number = 0
    while line := file.readline(_LARGEST_DOCUMENT):
        number += 1
        if not line.strip():
            continue
        if number == 1 and not _is_document(line):
            line += file.read(_LARGEST_DOCUMENT)
        report.match += 1
        try:
            document: Any = json_document(line.removeprefix(b"\xef\xbb\xbf"))
        except RecordError as error:
            report.note("unread", f"a document is left out: it is no JSON: {error}", line=number)
            continue
        try:
            series = series_from_dict(document)
        except BgcoreError as error:
            report.note("unread", f"a document is left out: {error}", line=number)
            continue
        yield series
    if report.match == 0:
        report.note("unread", "there is no match in it")


def _is_document(line: bytes) -> bool:
    try:
        json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return False
    return True


def write_json(file: BinaryIO, series: Series, report: Report) -> None:
    """Write a match or session as one line; nothing is lost.

    Parameters
    ----------
    file : binary file
    series : Match or MoneySession
    report : Report
    """
    report.match += 1
    file.write(json.dumps(series.to_dict()).encode() + b"\n")
