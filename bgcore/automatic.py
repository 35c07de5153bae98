"""Doing for a player what he would not think about: rolls, forced plays, the bear-off, doubles.

These are policies, not rules: they choose among the legal actions and never change what is legal.
A game records what was done so as automatic.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bgcore.actions import Action, Beaver, Double, Drop, MakePlay, Pass, Roll, Take
from bgcore.board import Phase
from bgcore.checks import flag, shown
from bgcore.errors import RulesError
from bgcore.game import Game
from bgcore.game_state import GameState, Stage, is_legal

__all__ = ["Automatic", "run_automatic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Automatic:
    """What is done for one player. Everything is off if nothing is said.

    Parameters
    ----------
    roll : bool, default False
        Roll (or pass, where nobody rolls in vain) as soon as it is his turn, without a double.
    roll_if_no_double : bool, default False
        The same, but only where he may not double.
    forced : bool, default False
        Make the play if there is only one, also the empty one.
    greedy_bearoff : bool, default False
        Once the sides have passed each other and all his checkers are home: bear off as many as
        possible; of such plays the first in the order of `legal_plays`.
    on_double : {None, "take", "drop", "beaver"}, default None
        The answer to a double. A beaver where it is not legal becomes a take; so does a drop.

    Raises
    ------
    RulesError
        There is no such answer to a double, or a setting is neither True nor False.
    """

    roll: bool = False
    roll_if_no_double: bool = False
    forced: bool = False
    greedy_bearoff: bool = False
    on_double: Literal["take", "drop", "beaver"] | None = None

    def __post_init__(self) -> None:
        for name in ("roll", "roll_if_no_double", "forced", "greedy_bearoff"):
            flag(getattr(self, name), name, RulesError)
        if self.on_double not in (None, "take", "drop", "beaver"):
            raise RulesError(
                f"on_double is take, drop, beaver or None, not {shown(self.on_double)}"
            )

    def action(self, state: GameState) -> Action | None:
        """Return what is done for the player who must act; None if it is left to him."""
        if state.stage is Stage.ROLL:
            return self._roll(state)
        if state.stage is Stage.ANSWER:
            return self._answer(state)
        if state.stage is Stage.PLAY and not state.steps:
            return self._play(state)
        return None

    def _roll(self, state: GameState) -> Action | None:
        if not self.roll and not (self.roll_if_no_double and not is_legal(state, Double())):
            return None
        return Pass() if is_legal(state, Pass()) else Roll()

    def _answer(self, state: GameState) -> Action | None:
        if self.on_double is None:
            return None
        wanted: Action = {"take": Take(), "drop": Drop(), "beaver": Beaver()}[self.on_double]
        return wanted if is_legal(state, wanted) else Take()

    def _play(self, state: GameState) -> Action | None:
        if not self.forced and not self.greedy_bearoff:
            return None
        plays = state.legal_plays()
        if self.forced and len(plays) == 1:
            return MakePlay(plays[0])
        if self.greedy_bearoff and state.board.phase in (Phase.BEAROFF, Phase.RACE):
            own = np.maximum(plays.boards, 0)
            if own[:, 7:].any():  # a play that leaves a checker outside: the player's to choose
                return None
            return MakePlay(plays[int(own.sum(axis=1).argmin())])
        return None


def run_automatic(game: Game, player0: Automatic, player1: Automatic) -> int:
    """Do everything that is automatic, until a player must act himself or the game is over.

    The game must throw its own dice where rolls are automatic.

    Parameters
    ----------
    game : Game
    player0, player1 : Automatic

    Returns
    -------
    int
        How many actions were done. They stand in the game's history as automatic.
    """
    done = 0
    while (actor := game.actor) is not None:
        action = (player0, player1)[actor].action(game.state)
        if action is None:
            break
        game.do(action, automatic=True)
        done += 1
    return done
