"""A game whose actions are made when they are first asked for."""

from collections.abc import Callable
from typing import Any

from bgcore.game import Game
from bgcore.game_state import GameState
from bgcore.rules import Rules
from bgcore.scoring import GameResult

__all__ = ["LateGame"]


def _plain_game(attributes: dict[str, Any]) -> Game:
    game = Game.__new__(Game)
    game.__dict__.update(attributes)
    return game


class LateGame(Game):
    """A game that was followed already, so that its start and result are known.

    It is a `Game` in every way. What a file tells is checked when it is read; the states and
    actions, which take far more time, are made at the first use of anything but `start`, `result`,
    `rules` and `is_over`.

    Parameters
    ----------
    start : GameState
    result : GameResult
    make : callable
        Returns the game itself.
    """

    def __init__(self, start: GameState, result: GameResult, make: Callable[[], Game]) -> None:
        self._known_start = start
        self._known_result = result
        self._make = make

    def __getattr__(self, name: str) -> Any:
        # only for what is not there: the attributes of `Game` before the first use
        if name.startswith("_known") or name == "_make" or "_make" not in self.__dict__:
            raise AttributeError(name)
        game = self._make()
        del self._make
        self.__dict__.update(game.__dict__ | self.__dict__)
        if name not in self.__dict__:
            raise AttributeError(name)
        return self.__dict__[name]

    def __reduce__(self) -> tuple[Any, ...]:
        # copies and pickles are plain games
        names = Game(start=self.start).__dict__
        return _plain_game, ({name: getattr(self, name) for name in names},)

    @property
    def _is_made(self) -> bool:
        return "_state" in self.__dict__

    @property
    def start(self) -> GameState:
        """The state in which the game began."""
        return self._known_start

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._known_start.rules

    @property
    def result(self) -> GameResult | None:
        """Who won and how much; None while the game goes on."""
        return super().result if self._is_made else self._known_result

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return super().is_over if self._is_made else True
