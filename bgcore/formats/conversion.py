"""From one file of matches to another, and whole folders of them."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from bgcore.errors import FileFormatError
from bgcore.formats.files import (
    MATCH_FORMATS,
    MatchReader,
    Source,
    format_of,
    read_matches,
    write_matches,
)
from bgcore.formats.problems import Problem
from bgcore.match import Match, MoneySession

__all__ = ["Conversion", "convert_matches"]


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was converted into one file.

    Attributes
    ----------
    source, target : str
        Names of the files; of a folder that went into one file, its name.
    source_format, target_format : str
        Names of `MATCH_FORMATS`; empty if files of several formats went into one.
    matches, games : int
        How many were written.
    """

    source: str
    target: str
    source_format: str
    target_format: str
    matches: int
    games: int


def convert_matches(
    source: Source,
    target: Source,
    source_format: str | None = None,
    target_format: str | None = None,
    *,
    strict: bool = False,
    on_problem: Callable[[Problem], None],
) -> Iterator[Conversion]:
    """Convert a file, or all files of a folder, one match at a time.

    A file that is written appears whole or not at all.

    Parameters
    ----------
    source : path or binary file
        Of a folder, every file in it and below whose ending is that of a format; a target inside it
        is not read.
    target : path or binary file
        For a folder another folder, which is made; or one file for all of its matches.
    source_format, target_format : str, optional
        If not given, by how a source begins, or else by the endings of the names.
    strict : bool, default False
        Raise at the first fault, and if anything would be lost.
    on_problem : callable
        Called with every `Problem`.

    Yields
    ------
    Conversion
        One for each file written.

    Raises
    ------
    FileFormatError
        There is no such format, or no match at all; or, in strict mode, see above.
    OSError
        A file cannot be read or written.
    """
    if not (isinstance(source, (str, os.PathLike)) and os.path.isdir(source)):
        yield _into_one([source], source, target, source_format, target_format, strict, on_problem)
        return
    folder = Path(source)
    made = _Made(folder, target)
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and _is_wanted(format_of(path), source_format) and path not in made
    )
    if not files:
        raise FileFormatError(f"there is no file of matches in {os.fspath(source)!r}")
    if not isinstance(target, (str, os.PathLike)) or format_of(target) is not None:
        yield _into_one(files, source, target, source_format, target_format, strict, on_problem)
        return
    if target_format not in MATCH_FORMATS:
        raise FileFormatError(
            f"the format of the files in {os.fspath(target)!r} must be said; right are"
            f" {', '.join(MATCH_FORMATS)}"
        )
    ending = MATCH_FORMATS[target_format].endings[0]
    places: dict[Path, Path] = {}
    for path in files:
        place = Path(target) / path.relative_to(folder).with_suffix(ending)
        if place in places:
            raise FileFormatError(
                f"{os.fspath(path)!r} and {os.fspath(places[place])!r} would both become"
                f" {os.fspath(place)!r}"
            )
        places[place] = path
    for place, path in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        yield _into_one([path], path, place, source_format, target_format, strict, on_problem)


class _Made:
    """What is made in a folder that is read: a file, or a folder and all that is in it."""

    def __init__(self, folder: Path, target: Source) -> None:
        is_path = isinstance(target, (str, os.PathLike))
        self._place = Path(cast(str, target)).resolve() if is_path else None
        # a folder that is converted in place is read all the same
        if self._place is not None and folder.resolve().is_relative_to(self._place):
            self._place = None

    def __contains__(self, path: Path) -> bool:
        return self._place is not None and path.resolve().is_relative_to(self._place)


def _is_wanted(found: str | None, wanted: str | None) -> bool:
    readable = found is not None and MATCH_FORMATS[found].read is not None
    return readable and wanted in (None, found)


def _into_one(
    sources: list[Path] | list[Source],
    source: Source,
    target: Source,
    source_format: str | None,
    target_format: str | None,
    strict: bool,
    on_problem: Callable[[Problem], None],
) -> Conversion:
    counter = _Counter()
    write_matches(
        target,
        counter.matches_of(sources, source_format, strict, on_problem, _name(source)),
        target_format,
        strict=strict,
        on_problem=on_problem,
    )
    formats = counter.formats
    return Conversion(
        _name(source),
        _name(target),
        formats.pop() if len(formats) == 1 else "",
        target_format
        or (format_of(target) if isinstance(target, (str, os.PathLike)) else "")
        or "",
        counter.n_matches,
        counter.n_games,
    )


def _name(place: Source) -> str:
    return os.fspath(place) if isinstance(place, (str, os.PathLike)) else "-"


class _Counter:
    """Counts matches on their way."""

    def __init__(self) -> None:
        self.n_matches = self.n_games = 0
        self.formats: set[str] = set()

    def matches_of(
        self,
        sources: list[Path] | list[Source],
        format: str | None,
        strict: bool,
        on_problem: Callable[[Problem], None],
        name: str,
    ) -> Iterator[Match | MoneySession]:
        for source in sources:
            reader: MatchReader = read_matches(source, format, strict=strict, on_problem=on_problem)
            self.formats.add(reader.format)
            with reader:
                for series in reader:
                    self.n_matches += 1
                    self.n_games += len(series.games)
                    yield series
        if self.n_matches == 0:
            raise FileFormatError(f"there is no match in {name!r}")
