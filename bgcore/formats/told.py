"""What a file tells about a match, before anything of it is believed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from bgcore.board import Board
from bgcore.game_state import GameState
from bgcore.scoring import GameResult

__all__ = ["UNKNOWN_PLAY", "SetUp", "Told", "ToldGame", "ToldMatch"]

#: In place of a play that a file leaves open.
UNKNOWN_PLAY = "?"

ToldKind = Literal["play", "double", "beaver", "take", "drop", "pass"]


@dataclass(slots=True)
class Told:
    """One action as a file tells it.

    Attributes
    ----------
    player : int
    kind : str
        "play" is a roll with what was played; "beaver" raccoons too; "pass" a turn that was
        passed without a roll.
    dice : str
        Two digits.
    play : str
        As `Plays.find` reads it, or `UNKNOWN_PLAY`; empty if nothing is told after the dice.
    value : int
        Of the cube, as the file has it; 0 if it has none.
    move, line : int
        Where it stands, see `Problem`.
    rolled_only : bool
        The file says that the roll was not played.
    """

    player: int
    kind: ToldKind
    dice: str = ""
    play: str = ""
    value: int = 0
    move: int = 0
    line: int = 0
    rolled_only: bool = False


@dataclass(slots=True)
class SetUp:
    """A position from which a game begins.

    Attributes
    ----------
    board : Board
        Seen by player 0.
    cube : int
    owner : int or None
    on_roll : int or None
        None if only the first action tells.
    """

    board: Board
    cube: int = 1
    owner: int | None = None
    on_roll: int | None = None


@dataclass(slots=True)
class ToldGame:
    """One game as a file tells it.

    Attributes
    ----------
    number : int
        As the file has it.
    line : int
        Where it begins.
    scores : (int, int) or None
        Before it; None if the file does not say.
    read : callable
        Returns what was done, in order, and reports what cannot be read; see `actions`.
    winner, points : int or None
        The result, None if the file has none.
    resigned : bool or None
        Whether it was resigned; None if the file cannot say.
    is_crawford : bool or None
        None if the file cannot say.
    set_up : SetUp or None
    quick : callable or None
        A faster way to follow the game: gives its result if nothing at all is wrong with it, else
        None. Sets `winner` and `points`.
    end_line : int
        Where the result stands.
    """

    number: int
    line: int
    scores: tuple[int, int] | None
    read: Callable[[], list[Told]]
    winner: int | None = None
    points: int | None = None
    resigned: bool | None = None
    is_crawford: bool | None = None
    set_up: SetUp | None = None
    quick: Callable[[GameState], GameResult | None] | None = None
    end_line: int = 0
    _actions: list[Told] | None = None

    def actions(self) -> list[Told]:
        """Return what was done, in order; read once."""
        if self._actions is None:
            self._actions = self.read()
        return self._actions


@dataclass(slots=True)
class ToldMatch:
    """One match as a file tells it.

    Attributes
    ----------
    length : int
        0 is money.
    names : (str, str)
    info : dict
        See `Match`.
    rules : dict
        Those parameters of `Rules` that the file tells, "layout" included.
    games : list of ToldGame
    returns : int
        Most beavers and raccoons in a row.
    """

    length: int
    names: tuple[str, str] = ("", "")
    info: dict[str, str] = field(default_factory=dict)
    rules: dict[str, object] = field(default_factory=dict)
    games: list[ToldGame] = field(default_factory=list)
    returns: int = 0
