"""Totals of the games of a duel, and the file that keeps them.

Sums are exact whole numbers, so the same games make the same totals in whatever pieces they are
played.
"""

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from bgcore.errors import EvaluatorError, RecordError
from bgcore.json_records import load_json
from bgcore.whole_files import whole_file

__all__ = ["LUCK_UNIT", "DuelTotals", "GameResult", "load_totals", "save_totals"]

#: Luck of a game is a multiple of this many points.
LUCK_UNIT = 2.0**-30

#: Points of the first player; his luck in units; turns.
GameResult = tuple[int, int, int]

_FORMAT = "bgcore-duel"
_VERSION = 1
#: More than 10**8 games of any luck can make; a float can still hold it.
_MOST_SQUARES = 1 << 256


@dataclass
class DuelTotals:
    """Sums over the games of a duel, seen by the first player.

    Attributes
    ----------
    games : int
    samples : int
        Independent results: games, or pairs of games with the same dice.
    raw, raw_squares : int
        Points of the samples, and their squares.
    adjusted, adjusted_squares : int
        The same less luck, in units of 2**-30 points.
    wins, gammons, backgammons, losses, gammons_lost, backgammons_lost : int
        Games; a backgammon is also a gammon, and that also a win.
    plies : int
    """

    games: int = 0
    samples: int = 0
    raw: int = 0
    raw_squares: int = 0
    adjusted: int = 0
    adjusted_squares: int = 0
    wins: int = 0
    gammons: int = 0
    backgammons: int = 0
    losses: int = 0
    gammons_lost: int = 0
    backgammons_lost: int = 0
    plies: int = 0

    def with_games(self, games: Sequence[GameResult], *, pairs: bool, one_point: bool) -> Self:
        """Return the totals with more games; these stay as they are, whatever ctrl-C ends.

        Parameters
        ----------
        games : sequence of (points, luck, plies)
            Points from -3 to 3, not 0; an even number of games if they are pairs.
        pairs : bool
            Whether two games in turn make one sample.
        one_point : bool
            Whether every win counts 1 point.
        """
        new = replace(self)
        size = 2 if pairs else 1
        for i in range(0, len(games), size):
            sample = games[i : i + size]
            raw = adjusted = 0
            for points, luck, plies in sample:
                counted = (1 if points > 0 else -1) if one_point else points
                raw += counted
                adjusted += (counted << 30) - luck
                new.plies += plies
                if points > 0:
                    new.wins += 1
                    new.gammons += points > 1
                    new.backgammons += points > 2
                else:
                    new.losses += 1
                    new.gammons_lost += points < -1
                    new.backgammons_lost += points < -2
            new.games += len(sample)
            new.samples += 1
            new.raw += raw
            new.raw_squares += raw * raw
            new.adjusted += adjusted
            new.adjusted_squares += adjusted * adjusted
        return new

    def raw_mean(self) -> tuple[float, float]:
        """Return the points a game and the standard error, NaN after one sample."""
        return self._mean(self.raw, self.raw_squares, 1.0)

    def adjusted_mean(self) -> tuple[float, float]:
        """Return the points a game less luck and the standard error, NaN after one sample."""
        return self._mean(self.adjusted, self.adjusted_squares, LUCK_UNIT)

    def _mean(self, total: int, squares: int, unit: float) -> tuple[float, float]:
        n, games = self.samples, self.games
        # of a sample: whole numbers until the last division
        spread = n * squares - total * total
        error = math.nan
        if n > 1:
            error = math.sqrt(spread / (n * n * (n - 1))) * unit * n / games
        return total / games * unit, error

    def to_dict(self) -> dict[str, int]:
        """Return the totals by their names."""
        return {entry.name: int(getattr(self, entry.name)) for entry in fields(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make the totals from what `to_dict` gave.

        Raises
        ------
        ValueError
            Other names, or what is no whole number.
        """
        if set(values) != {entry.name for entry in fields(cls)}:
            raise ValueError("other totals are needed")
        if not all(type(value) is int for value in values.values()):
            raise ValueError("totals are whole numbers")
        totals = cls(**values)
        if not totals._belong_together():
            raise ValueError("the totals do not belong together")
        return totals

    def _belong_together(self) -> bool:
        """Whether there are games that make these totals; their means and errors are numbers."""
        n = self.samples
        return (
            self.wins + self.losses == self.games <= self.plies
            and 0 <= n <= self.games <= 2 * n
            and 0 <= self.backgammons <= self.gammons <= self.wins
            and 0 <= self.backgammons_lost <= self.gammons_lost <= self.losses
            and self.raw**2 <= n * self.raw_squares
            and self.adjusted**2 <= n * self.adjusted_squares < _MOST_SQUARES
        )


def _checksum(settings: Mapping[str, Any], totals: Mapping[str, int]) -> str:
    text = json.dumps([settings, totals], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def save_totals(
    path: str | os.PathLike[str], settings: Mapping[str, Any], totals: DuelTotals
) -> None:
    """Write the totals and what they depend on: the whole file or nothing.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    values = totals.to_dict()
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "settings": settings,
        "totals": values,
        "checksum": _checksum(settings, values),
    }
    with whole_file(path) as file:
        file.write(json.dumps(document, indent=1).encode() + b"\n")


def load_totals(path: str | os.PathLike[str], settings: Mapping[str, Any]) -> DuelTotals:
    """Read the totals of a duel with these settings; none if there is no file.

    Raises
    ------
    EvaluatorError
        The file is none of a duel, was damaged, or belongs to another duel.
    OSError
        The file cannot be read.
    """
    shown = repr(os.fspath(path))
    try:
        document = load_json(path, "file of a duel")
    except FileNotFoundError:
        return DuelTotals()
    except RecordError as error:
        raise EvaluatorError(str(error)) from None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise EvaluatorError(f"{shown} is no file of a duel")
    if document.get("version") != _VERSION:
        raise EvaluatorError(
            f"{shown} is of version {document.get('version')!r}; this program reads {_VERSION}"
        )
    try:
        stored, values = document["settings"], document["totals"]
        if document["checksum"] != _checksum(stored, values):
            raise EvaluatorError(f"{shown} was damaged: its checksum is wrong")
        totals = DuelTotals.from_dict(values)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, EvaluatorError):
            raise
        raise EvaluatorError(f"{shown} is no file of a duel: {error!r}") from None
    for name, value in settings.items():
        if stored.get(name) != value:
            raise EvaluatorError(
                f"{shown} is of another duel, with {name} {stored.get(name)!r}, not {value!r}"
            )
    return totals
