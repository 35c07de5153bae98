"""What a finished game is worth.

A game is won single; it is a gammon if the loser has borne off no checker, and a backgammon if in
addition he has a checker on the bar or in the winner's home board (Tom Keith, "Rules of
Backgammon"). The points are that kind times the cube, with what the rules say about both.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from bgcore.board import Board, Phase
from bgcore.cube import Cube
from bgcore.errors import RulesError
from bgcore.rules import Rules

__all__ = ["GameResult", "WinKind", "kind_cap", "play_result", "points_of", "win_kind"]


class WinKind(IntEnum):
    """How a game is won."""

    SINGLE = 1
    GAMMON = 2
    BACKGAMMON = 3


@dataclass(frozen=True, slots=True)
class GameResult:
    """Who won a game, how, and how many points.

    Attributes
    ----------
    winner : int
        0 or 1.
    kind : WinKind
        As the board shows it, or as resigned; a drop or a settlement is a single game.
    points : int
        What the winner gets.
    cube : int
        The value of the cube that counted: before the double if it was dropped.
    ending : {"played", "dropped", "resigned", "settled"}
        A settled game was ended from outside, see `bgcore.actions.Settle`.
    """

    winner: int
    kind: WinKind
    points: int
    cube: int
    ending: Literal["played", "dropped", "resigned", "settled"]


def win_kind(board: Board) -> WinKind:
    """Return how a finished game was won.

    Parameters
    ----------
    board : Board
        Either side has borne off all its checkers; seen by any side.

    Raises
    ------
    RulesError
        The game is not over.
    """
    if board.value == 0:
        raise RulesError("the game is not over: both sides have checkers left")
    return WinKind(abs(board.value))


def points_of(kind: int, cube: Cube, rules: Rules) -> int:
    """Return the points of a game that was played to the end or resigned.

    Parameters
    ----------
    kind : int
        1 single, 2 gammon, 3 backgammon.
    cube : Cube
        At the end of the game.
    rules : Rules
        Their payoff and the Jacoby rule count.
    """
    return min(rules.multiplier(kind), _jacoby_cap(cube, rules)) * cube.value


def play_result(winner: int, board: Board, cube: Cube, rules: Rules) -> GameResult:
    """Return the result of a game whose last checker was borne off."""
    kind = win_kind(board)
    return GameResult(winner, kind, points_of(kind, cube, rules), cube.value, "played")


def kind_cap(board: Board, cube: Cube, rules: Rules) -> WinKind:
    """Return the worst way in which the side seen can still lose, in points that count.

    It is how much that side can resign. The Jacoby rule and the payoff cap it; so does the board:
    no gammon once a checker is off; no backgammon once the sides have passed each other and none
    of its checkers is on the bar or in the opponent's home board.

    Parameters
    ----------
    board : Board
        Seen by the side that would lose.
    cube : Cube
    rules : Rules
    """
    kind = WinKind.BACKGAMMON
    if board.off > 0:
        kind = WinKind.SINGLE
    elif board.phase is not Phase.CONTACT and max(board.to_list()[19:]) <= 0:
        kind = WinKind.GAMMON
    return WinKind(min(rules.multiplier(kind), _jacoby_cap(cube, rules)))


def _jacoby_cap(cube: Cube, rules: Rules) -> int:
    """Return 1 while the Jacoby rule holds gammons back, else 3."""
    if not rules.jacoby:
        return 3
    # a taken double gives the cube an owner; automatic doubles leave it in the middle
    is_turned = not cube.is_centred or (rules.jacoby_auto_counts and cube.value > 1)
    return 3 if is_turned else 1
