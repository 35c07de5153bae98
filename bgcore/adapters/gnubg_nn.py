"""GNU Backgammon's nets, through the package `gnubg-nn` (extra `peers`).

Plays and values come from gnubg at 0-ply (GNU numbering: the static evaluation), cubeless money.
Its board is a pair of 25 numbers, opponent first, each side's points counted from its own side.
"""

import importlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore._core.network import unfinished_boards
from bgcore.errors import EvaluatorError

__all__ = ["GnubgNN", "gnubg_board"]


def gnubg_board(board: Sequence[int]) -> list[list[int]]:
    """Return a board as gnubg-nn takes it."""
    own = [max(n, 0) for n in board[1:]]
    opponent = [max(-n, 0) for n in reversed(board[:25])]
    return [opponent, own]


class GnubgNN:
    """Evaluates and plays with gnubg-nn at 0-ply.

    Raises
    ------
    EvaluatorError
        On first use, if the package is not installed.
    """

    def __repr__(self) -> str:
        return "GnubgNN()"

    def __reduce__(self) -> tuple[type["GnubgNN"], tuple[()]]:
        return GnubgNN, ()

    @cached_property
    def _engine(self) -> Any:
        try:
            return importlib.import_module("gnubg_nn")
        except ImportError as error:
            raise EvaluatorError(
                "gnubg-nn is not installed; install it with: pip install 'bgcore[peers]'"
            ) from error

    def evaluate(self, boards: NDArray[np.int8], /) -> NDArray[np.float32]:
        """Evaluate boards before the roll; see `bgcore.evaluators.Evaluator`.

        Raises
        ------
        BoardError
            Also for finished games.
        EvaluatorError
            If gnubg-nn is not installed.
        """
        checked = unfinished_boards(boards)
        engine = self._engine
        values = [engine.probabilities(gnubg_board(row), 0) for row in checked.tolist()]
        return np.array(values, dtype=np.float32).reshape(len(checked), 5)

    def best_plays(self, boards: NDArray[np.int8], dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play each board's roll as gnubg does, cubeless money.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games; the side seen is on roll.
        dice : (n, 2) uint8 array
            The rolls.

        Returns
        -------
        (n, 26) int8 array
            After the play, still seen by the mover; unchanged if no play is legal.

        Raises
        ------
        BoardError
        EvaluatorError
            If gnubg-nn is not installed.
        """
        result = unfinished_boards(boards).copy()
        engine = self._engine
        rolls = np.asarray(dice).tolist()
        for row, (die1, die2) in enumerate(rolls):
            board = result[row].tolist()
            steps, key = engine.best_move(gnubg_board(board), die1, die2, 0, b=1)
            if steps:
                own, opponent = engine.board_from_position_key(key)
                after = [0, *own]
                for point, n in enumerate(opponent, 1):
                    after[25 - point] -= n
                result[row] = after
        return result
