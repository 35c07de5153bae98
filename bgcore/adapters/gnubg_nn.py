"""GNU Backgammon's nets, through the package `gnubg-nn` (extra `peers`).

Plays and values come from gnubg, cubeless money, 0 plies deep if nothing else is said (GNU
numbering: the static evaluation). Its board is a pair of 25 numbers, opponent first, each side's
points counted from its own side.
"""

import importlib
import importlib.metadata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from bgcore._core.network import unfinished_boards
from bgcore.checks import whole_number
from bgcore.errors import EvaluatorError

__all__ = ["MOST_PLIES", "GnubgNN", "gnubg_board", "gnubg_engine"]

#: How far gnubg-nn may look ahead; deeper takes seconds a play.
MOST_PLIES = 2

# The score and the nets in use are settings of the whole process.
_LOCK = RLock()


def gnubg_board(board: Sequence[int]) -> list[list[int]]:
    """Return a board as gnubg-nn takes it."""
    own = [max(n, 0) for n in board[1:]]
    opponent = [max(-n, 0) for n in reversed(board[:25])]
    return [opponent, own]


def gnubg_engine() -> Any:
    """Return the package gnubg-nn.

    Raises
    ------
    EvaluatorError
        It is not installed.
    """
    try:
        return importlib.import_module("gnubg_nn")
    except ImportError as error:
        raise EvaluatorError(
            "gnubg-nn is not installed; install it with: pip install 'bgcore[peers]'"
        ) from error


@cache
def _nets(to_win: bool) -> Any:
    """Return the nets of gnubg-nn with a cache of their own.

    It keeps values that were found by looking ahead without the score at which they were found.
    """
    engine = gnubg_engine()
    return engine.net_load(str(Path(engine.__file__).parent / "data" / "gnubg.weights"))


@contextmanager
def _engine(plies: int, to_win: bool) -> Iterator[Any]:
    """Give gnubg-nn at the score of a money game, or of a match that one game decides."""
    engine = gnubg_engine()
    with _LOCK:
        if plies:
            engine.net_use(_nets(to_win))
        away = 1 if to_win else 0
        engine.set.score(away, away)
        try:
            yield engine
        finally:
            engine.set.score(0, 0)


class GnubgNN:
    """Evaluates and plays with gnubg-nn.

    Parameters
    ----------
    plies : int, default 0
        How far gnubg looks ahead, 0 to 2, with its own filters of plays.

    Raises
    ------
    EvaluatorError
        If plies is out of range; on first use, if the package is not installed.
    """

    def __init__(self, plies: SupportsIndex = 0) -> None:
        self.plies = whole_number(plies, "plies of gnubg-nn", 0, MOST_PLIES, EvaluatorError)

    def __repr__(self) -> str:
        return f"GnubgNN(plies={self.plies})" if self.plies else "GnubgNN()"

    @property
    def identity(self) -> str:
        """What decides about the plays: the package, its version and the plies."""
        gnubg_engine()
        return f"gnubg-nn {importlib.metadata.version('gnubg-nn')} {self.plies}-ply"

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
        with _engine(self.plies, False) as engine:
            values = [
                engine.probabilities(gnubg_board(row), self.plies) for row in checked.tolist()
            ]
        return np.array(values, dtype=np.float32).reshape(len(checked), 5)

    def best_plays(
        self, boards: NDArray[np.int8], dice: NDArray[np.uint8], /, *, to_win: bool = False
    ) -> NDArray[np.int8]:
        """Play each board's roll as gnubg does, without a cube.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games; the side seen is on roll.
        dice : (n, 2) uint8 array
            The rolls.
        to_win : bool, default False
            Play as where one game decides the match; otherwise as for money.

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
        rolls = np.asarray(dice).tolist()
        with _engine(self.plies, to_win) as engine:
            for row, (die1, die2) in enumerate(rolls):
                board = result[row].tolist()
                steps, key = engine.best_move(gnubg_board(board), die1, die2, self.plies, b=1)
                if steps:
                    own, opponent = engine.board_from_position_key(key)
                    after = [0, *own]
                    for point, n in enumerate(opponent, 1):
                        after[25 - point] -= n
                    result[row] = after
        return result
