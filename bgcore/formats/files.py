"""Files of matches: which format they have, reading them one match after the other, writing them."""

import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self, cast

from bgcore.errors import FileFormatError
from bgcore.formats.json_lines import read_json, write_json
from bgcore.formats.mat import read_mat, write_mat
from bgcore.formats.ogxm import read_ogxm
from bgcore.formats.problems import Problem, Report
from bgcore.formats.sgf import read_sgf, write_sgf
from bgcore.formats.xg_binary import read_xg
from bgcore.match import Match, MoneySession
from bgcore.whole_files import whole_file

__all__ = [
    "MATCH_FORMATS",
    "MatchFormat",
    "MatchReader",
    "format_of",
    "read_matches",
    "write_matches",
]

Series = Match | MoneySession
Source = str | os.PathLike[str] | BinaryIO


@dataclass(frozen=True, slots=True)
class MatchFormat:
    """A format of files of matches.

    Attributes
    ----------
    name : str
    endings : tuple of str
        Of the names of such files.
    about : str
        What it is, in a few words.
    read : callable or None
        None if it cannot be read.
    write : callable or None
        None if it cannot be written.
    """

    name: str
    endings: tuple[str, ...]
    about: str
    read: Callable[[BinaryIO, Report], Iterator[Series]] | None
    write: Callable[[BinaryIO, Series, Report], None] | None


_FORMATS: Final = (
    MatchFormat(
        "mat", (".mat",), "Jellyfish's text, as all programs write it", read_mat, write_mat
    ),
    MatchFormat(
        "xg-text",
        (".txt",),
        "the same with the line ends of XG's exports",
        read_mat,
        partial(write_mat, line_end="\r\n"),
    ),
    MatchFormat("sgf", (".sgf",), "GNU Backgammon's own", read_sgf, write_sgf),
    MatchFormat(
        "xg", (".xg", ".xgp"), "eXtreme Gammon's own; its analysis is left out", read_xg, None
    ),
    MatchFormat(
        "ogxm",
        (".ogxm", ".ogxms"),
        "OpenGammon's, by its own package; its analysis is left out",
        read_ogxm,
        None,
    ),
    MatchFormat(
        "json", (".json", ".jsonl"), "bgcore's own; holds everything", read_json, write_json
    ),
)
#: All formats by their names.
MATCH_FORMATS: Final = {entry.name: entry for entry in _FORMATS}


def format_of(name: str | os.PathLike[str]) -> str | None:
    """Return the format that the ending of a file's name tells; None if it tells none.

    Examples
    --------
    >>> format_of("final.mat"), format_of("notes.pdf")
    ('mat', None)
    """
    ending = Path(name).suffix.lower()
    return next((entry.name for entry in _FORMATS if ending in entry.endings), None)


#: How files begin that can be of one format only; text of matches has no such sign.
_SIGNS: Final = (
    (b"RGMH", "xg"),
    (b"OGXM", "ogxm"),
    (b"(;", "sgf"),
    (b"( ;", "sgf"),
    (b"{", "json"),
)


def _by_content(file: io.BufferedReader) -> str | None:
    start = file.peek(512)[:512].lstrip(b"\xef\xbb\xbf\r\n\t ")
    return next((name for sign, name in _SIGNS if start.startswith(sign)), None)


class MatchReader(Iterator[Series]):
    """Reads the matches of a file, each when it is asked for. Made by `read_matches`.

    It closes its file at the end of the iteration, or of a `with` block.

    Attributes
    ----------
    format : str
        The name of the format.
    problems : list of Problem
        What was wrong so far; empty where a function takes the problems.
    """

    def __init__(
        self,
        source: Source,
        format: str | None = None,
        *,
        strict: bool = False,
        on_problem: Callable[[Problem], None] | None = None,
        name: str | None = None,
    ) -> None:
        if format is not None and format not in MATCH_FORMATS:
            raise FileFormatError(_no_such(format))
        self.problems: list[Problem] = []
        self._owned: BinaryIO | None = None
        file: BinaryIO
        if isinstance(source, (str, os.PathLike)):
            path = os.fspath(source)
            file = self._owned = Path(path).open("rb")  # noqa: SIM115 - closed by `close`
            name = path if name is None else name
        else:
            file = source
            if isinstance(file, io.TextIOBase) or not hasattr(file, "read"):
                raise FileFormatError(
                    f"matches are read from a path or a binary file, not {type(file).__name__}"
                )
        buffered = (
            file
            if isinstance(file, io.BufferedReader)
            else io.BufferedReader(cast(io.RawIOBase, _Raw(file)))
        )
        try:
            by_name = None if name is None else format_of(name)
            by_content = None if format else _by_content(buffered)
            self.format = format or by_content or by_name or "mat"
            read = MATCH_FORMATS[self.format].read
            if read is None:
                raise FileFormatError(f"files of the format {self.format!r} cannot be read")
            report = Report(name or "", on_problem or self.problems.append, strict)
            if by_content and by_name not in (None, by_content):
                report.note("assumed", f"it begins as files of the format {by_content!r} do")
            self._matches = read(cast(BinaryIO, buffered), report)
        except BaseException:
            self.close()
            raise

    def __next__(self) -> Series:
        try:
            return next(self._matches)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file if the reader opened it."""
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _Raw(io.RawIOBase):
    """Any object that reads bytes, as something that can be buffered."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        block = self._file.read(len(view))
        if not isinstance(block, bytes):
            raise FileFormatError(
                f"matches are read from a binary file; this one gave {type(block).__name__}"
            )
        view[: len(block)] = block
        return len(block)


def read_matches(
    source: Source,
    format: str | None = None,
    *,
    strict: bool = False,
    on_problem: Callable[[Problem], None] | None = None,
) -> MatchReader:
    """Read the matches of a file, one after the other: no more than one is held in memory.

    Every play and cube action is done again by the rules. What is illegal is reported and, if the
    checkers can be moved so at all, kept as `bgcore.actions.Irregular`; results and scores are
    compared with each other. Where a score does not follow from the games before it, what follows
    is a match of its own.

    Parameters
    ----------
    source : path or binary file
    format : str, optional
        A name of `MATCH_FORMATS`; if not given, by how the file begins where that leaves no doubt,
        else by the ending of its name.
    strict : bool, default False
        Raise at the first fault of the file instead of reporting it.
    on_problem : callable, optional
        Called with every `Problem`; the reader's list `problems` takes them if not given.

    Returns
    -------
    MatchReader
        An iterator of `Match` and `MoneySession`.

    Raises
    ------
    FileFormatError
        There is no such format; or, in strict mode and while reading, the file is at fault.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import io
    >>> text = b" 1 point match\\n\\n Game 1\\n Ann : 0   Bob : 0\\n  1) 31: 8/5 6/4\\n"
    >>> reader = read_matches(io.BytesIO(text))
    >>> [match.names for match in reader]
    [('Ann', 'Bob')]
    >>> print(reader.problems[0])
    line 5, match 1, game 1, move 1: '8/5 6/4' with 31: 6/4 is 2 pips; with 3-1 a checker moves 1, 3 or 4
    """
    return MatchReader(source, format, strict=strict, on_problem=on_problem)


def write_matches(
    target: Source,
    matches: Iterable[Series] | Series,
    format: str | None = None,
    *,
    strict: bool = False,
    on_problem: Callable[[Problem], None] | None = None,
) -> list[Problem]:
    """Write matches to a file, which appears whole or not at all.

    Parameters
    ----------
    target : path or binary file
        Into a binary file it is written as it comes.
    matches : Match, MoneySession, or an iterable of them
        Taken one after the other, so a `MatchReader` need not fit in memory.
    format : str, optional
        A name of `MATCH_FORMATS`; by the ending of the name if not given.
    strict : bool, default False
        Raise if anything cannot be written, instead of reporting it; what is at a path stays as it
        was.
    on_problem : callable, optional
        Called with every `Problem`.

    Returns
    -------
    list of Problem
        What the format could not hold; empty where a function takes the problems.

    Raises
    ------
    FileFormatError
        There is no such format; or, in strict mode, something would be lost.
    OSError
        The file cannot be written.
    """
    if format is None and isinstance(target, (str, os.PathLike)):
        format = format_of(target)
        if format is None:
            raise FileFormatError(
                f"the name {os.fspath(target)!r} tells no format; right are endings such as .mat,"
                " .sgf, .json, or a format"
            )
    if format not in MATCH_FORMATS:
        raise FileFormatError(_no_such(format))
    write = MATCH_FORMATS[format].write
    if write is None:
        raise FileFormatError(f"files of the format {format!r} cannot be written")
    problems: list[Problem] = []
    report = Report(
        os.fspath(target) if isinstance(target, (str, os.PathLike)) else "",
        on_problem or problems.append,
        strict,
        raises=frozenset(["lost"]),
    )
    is_path = isinstance(target, (str, os.PathLike))
    place = whole_file(cast(str, target)) if is_path else nullcontext(cast(BinaryIO, target))
    all_of_them = [matches] if isinstance(matches, (Match, MoneySession)) else matches
    with place as file:
        for series in all_of_them:
            write(file, series, report)
    return problems


def _no_such(format: object) -> str:
    return f"there is no format {format!r}; right are {', '.join(MATCH_FORMATS)}"
