"""The best plays of a roll, by cubeful equity.

Equities are those of the player who plays. For money they are points for each point of the cube as
it stands; in a match they are money-like (`bgcore.cube_model.emg`).
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import swap_boards, values
from bgcore.board import Board
from bgcore.cube_decision import cube_life
from bgcore.cube_model import CubeContext, counted_outcomes, cube_equity, emg
from bgcore.errors import GameError
from bgcore.evaluators import Evaluator, NetEvaluator, Probabilities
from bgcore.game_state import GameState, Stage
from bgcore.met import MatchEquityTable
from bgcore.notation import Play
from bgcore.policies import values_after
from bgcore.position import Position, game_of

__all__ = ["RankedPlay", "hint"]

_UNIT = 2.0**30


@dataclass(frozen=True)
class RankedPlay:
    """One play and what it is worth.

    Attributes
    ----------
    play : Play
    board : Board
        After the play, seen by the mover.
    probabilities : Probabilities
        Of the mover, after the play.
    equity_cubeless, equity_cubeful : float
    loss : float
        Cubeful equity of the best play less this one's, 0 or more.
    """

    play: Play
    board: Board
    probabilities: Probabilities
    equity_cubeless: float
    equity_cubeful: float
    loss: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can hold."""
        return {
            "play": str(self.play),
            "board": self.board.to_list(),
            **asdict(self.probabilities),
            "equity_cubeless": self.equity_cubeless,
            "equity_cubeful": self.equity_cubeful,
            "loss": self.loss,
        }


def hint(
    position: GameState | Position,
    *,
    evaluator: Evaluator | None = None,
    met: MatchEquityTable | None = None,
) -> tuple[RankedPlay, ...]:
    """Rank the legal plays of a roll, the best first, by a static evaluation (0-ply).

    Of equal plays the one that stands first in `GameState.legal_plays` is better.

    Parameters
    ----------
    position : GameState or Position
        With a roll to be played.
    evaluator : Evaluator, optional
        The net that comes with bgcore if not given.
    met : MatchEquityTable, optional
        Kazaross-XG2 if not given.

    Returns
    -------
    tuple of RankedPlay
        One empty play if nothing can be played.

    Raises
    ------
    BoardError
        It is no such position.
    GameError
        There is no roll to be played. For a cube decision see `bgcore.cube_decision`.
    EvaluatorError
        The evaluator returned something that cannot be used.
    """
    state = game_of(position)
    if state.stage is not Stage.PLAY:
        raise GameError(f"there is no roll to play; the game waits for: {state.stage.value}")
    plays = state.legal_plays()
    context = CubeContext.of(state, met)
    judge = NetEvaluator() if evaluator is None else evaluator
    boards = np.ascontiguousarray(plays.boards)
    fives = (
        values_after(judge, boards, n_checkers=state.rules.n_checkers).astype(np.float64) / _UNIT
    )
    cubeless, cubeful = _equities(boards, fives, context)
    order = np.argsort(-cubeful, kind="stable")
    best = cubeful[order[0]]
    return tuple(
        RankedPlay(
            plays[int(i)],
            Board(boards[i], n_checkers=state.rules.n_checkers),
            Probabilities.from_array(fives[i]),
            float(cubeless[i]),
            float(cubeful[i]),
            float(best - cubeful[i]),
        )
        for i in order
    )


def _equities(
    boards: NDArray[np.int8], fives: NDArray[np.float64], context: CubeContext
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return cubeless and cubeful equities of boards after a play, for the mover."""
    other = context.swapped()
    flipped = fives[:, [0, 3, 4, 1, 2]]
    flipped[:, 0] = 1 - fives[:, 0]
    over = values(boards) != 0
    life = np.zeros(len(boards))
    life[~over] = cube_life(np.ascontiguousarray(swap_boards(boards[~over])))
    # a finished game is certain: the model takes the cube for dead there
    theirs = cube_equity(flipped, other, life)
    dead = cube_equity(flipped, other, 0.0)
    if context.is_match:
        return emg(1 - dead, context), emg(1 - theirs, context)
    win, wg, wbg, lg, lbg = counted_outcomes(fives, context).T
    return 2 * win - 1 + wg - lg + wbg - lbg, -theirs
