"""Pubeval, Gerald Tesauro's public evaluator of 1993, through the package `gnubg-nn`.

Two linear functions of the board, one for contact and one for races: a weak player that many
have measured theirs against. It chooses plays and knows no probabilities.
"""

import importlib.metadata

import numpy as np
from numpy.typing import NDArray

from bgcore._core.network import unfinished_boards
from bgcore.adapters.gnubg_nn import gnubg_board, gnubg_engine

__all__ = ["Pubeval"]


class Pubeval:
    """Chooses plays as pubeval does.

    Raises
    ------
    EvaluatorError
        On first use, if gnubg-nn is not installed.
    """

    def __repr__(self) -> str:
        return "Pubeval()"

    @property
    def identity(self) -> str:
        """What decides about the plays: the package and its version."""
        gnubg_engine()
        return f"pubeval of gnubg-nn {importlib.metadata.version('gnubg-nn')}"

    def best_plays(self, boards: NDArray[np.int8], dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play each board's roll.

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
        engine = gnubg_engine()
        for row, (die1, die2) in enumerate(np.asarray(dice).tolist()):
            after = result[row].tolist()
            steps = engine.pub_best_move(gnubg_board(after), die1, die2)
            # pairs of places: 0 to 23 are the mover's points from its ace point, 24 its bar
            for start, end in zip(steps[::2], steps[1::2], strict=True):
                after[start + 1] -= 1
                if end < 0:
                    continue  # borne off
                if after[end + 1] == -1:
                    after[end + 1] = 0
                    after[0] -= 1
                after[end + 1] += 1
            result[row] = after
        return result
