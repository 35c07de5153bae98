"""What matches of all games share: games in a row with one score."""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Protocol, SupportsIndex, TypeVar

from bgcore.checks import shown
from bgcore.dice import Dice as DiceSource
from bgcore.errors import GameError, RulesError
from bgcore.json_records import save_json

__all__ = ["GameSeries"]


class _AnyGame(Protocol):
    """What the games of all series have."""

    @property
    def state(self) -> Any: ...
    @property
    def start(self) -> Any: ...
    @property
    def result(self) -> Any: ...
    @property
    def is_over(self) -> bool: ...
    def close(self) -> None: ...


GameT = TypeVar("GameT", bound=_AnyGame)


class GameSeries(ABC, Generic[GameT]):
    """Games in a row; the base of `Match`, `MoneySession` and `VariantMatch`.

    Parameters
    ----------
    length : int
        Points that win; 0 if there is no end.
    names : (str, str)
    dice, trial
        See `bgcore.Match`.
    """

    def __init__(
        self,
        length: int,
        names: Sequence[str],
        dice: DiceSource | SupportsIndex | None,
        trial: int,
    ) -> None:
        self._length = length
        self._names = _checked_names(names)
        self._dice = dice
        self._trial = trial
        self._games: list[GameT] = []

    # -- what is --

    @property
    def names(self) -> tuple[str, str]:
        """The names of player 0 and player 1."""
        return self._names

    @property
    def game(self) -> GameT:
        """The last game: the one being played, or the one that has just ended."""
        return self._games[-1]

    @property
    def games(self) -> tuple[GameT, ...]:
        """All games from the first, the one being played included."""
        return tuple(self._games)

    @property
    def scores(self) -> tuple[int, int]:
        """The score, all finished games counted. In a match nobody has more than its length."""
        scores = list(self.game.start.scores)
        result = self.game.result
        if result is not None and result.winner is not None:
            scores[result.winner] += result.points
            if self._length:  # surplus points have no value
                scores[result.winner] = min(scores[result.winner], self._length)
        return scores[0], scores[1]

    @property
    def is_over(self) -> bool:
        """Whether no game follows: a player has won the match."""
        return self._length > 0 and max(self.scores) >= self._length

    # -- going on --

    def next_game(self) -> GameT:
        """Begin the next game and return it.

        Raises
        ------
        GameError
            The last game is not over yet, or the match is.
        """
        if not self.game.is_over:
            raise GameError(f"game {len(self._games)} is not over yet")
        if self.is_over:
            raise GameError(f"the match is over: {self.scores[0]}-{self.scores[1]}")
        return self._begin_game()

    @abstractmethod
    def _begin_game(self) -> GameT:
        """Begin a game at the score so far."""

    def _add(self, game: GameT) -> GameT:
        if self._games:
            # the score of the new game rests on the end of the old one
            self._games[-1].close()
        self._games.append(game)
        return game

    def _rolls(self) -> int:
        return sum(game.state.rolls for game in self._games)

    # -- records --

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can hold."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file as JSON; half a file never stays.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        save_json(path, self.to_dict())


def _checked_names(names: Sequence[str]) -> tuple[str, str]:
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        raise RulesError(f"the names are two texts, not {shown(names)}")
    for name in names:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise RulesError(f"a name is a text that can be printed, not {shown(name)}")
    if names[0] == names[1]:
        raise RulesError(
            f"the names are two different texts; both players have the name {shown(names[0])}"
        )
    return names[0], names[1]
