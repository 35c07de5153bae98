"""Open Sage's nets, through the package `bgsage` (extra `peers`).

Its "1-ply" is 0 plies here: the static evaluation, with its one-sided bear-off table. Its board is
that of bgcore, but the opponent's checkers on the bar count above 0; its values are of boards after
a play, seen by the mover. Which of its nets is asked depends on the board before the play as well.

Plays are listed by bgcore's generator: that of bgsage also lists plays of one die that end the
game where both dice can be played.
"""

import importlib
import importlib.metadata
from functools import cache
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import swap_boards
from bgcore._core.movegen import legal_boards_batch
from bgcore._core.network import unfinished_boards
from bgcore.checks import whole_number
from bgcore.errors import EvaluatorError
from bgcore.evaluators import flip

__all__ = ["MOST_PLIES", "BgSage", "bgsage_boards"]

#: How far bgsage may look ahead; deeper takes seconds a play.
MOST_PLIES = 2

# Its own filter: what is looked at deeper is at most 0.08 points worse, and five plays at most.
_MARGIN = 0.08
_WIDTH = 5


def bgsage_boards(boards: NDArray[np.int8]) -> list[list[int]]:
    """Return (n, 26) boards as bgsage takes them."""
    theirs = boards.copy()
    theirs[:, 0] *= -1
    listed: list[list[int]] = theirs.tolist()
    return listed


@cache
def _strategies(plies: int) -> tuple[Any, Any]:
    """Return what evaluates boards as they stand, and so many plies deep."""
    try:
        engine = importlib.import_module("bgbot_cpp")
        weights_of = importlib.import_module("bgsage.weights")
    except ImportError as error:
        raise EvaluatorError(
            "bgsage is not installed; install it with: pip install 'bgcore[peers]'"
        ) from error
    weights = weights_of.default_weights()
    nets = (weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list)
    table = engine.BearoffDB()
    if not table.load(str(weights_of.bearoff_db_path())):
        raise EvaluatorError("the bear-off table of bgsage is missing or damaged")
    static = engine.BearoffStrategy(engine.create_strategy(*nets), table)
    if not plies:
        return static, static
    deep = engine.create_multipy(
        *nets,
        n_plies=plies + 1,
        filter_max_moves=_WIDTH,
        filter_threshold=_MARGIN,
        parallel_evaluate=False,
    )
    engine.multipy_set_bearoff_db(deep, table)
    return static, deep


class BgSage:
    """Evaluates and plays with bgsage, cubeless.

    Parameters
    ----------
    plies : int, default 0
        How far it looks ahead, 0 to 2.

    Raises
    ------
    EvaluatorError
        If plies is out of range; on first use, if the package is not installed.
    """

    def __init__(self, plies: SupportsIndex = 0) -> None:
        self.plies = whole_number(plies, "plies of bgsage", 0, MOST_PLIES, EvaluatorError)

    def __repr__(self) -> str:
        return f"BgSage(plies={self.plies})" if self.plies else "BgSage()"

    @property
    def identity(self) -> str:
        """What decides about the plays: the package, its version and the plies."""
        _strategies(self.plies)
        return f"bgsage {importlib.metadata.version('bgsage')} {self.plies}-ply"

    def evaluate(self, boards: NDArray[np.int8], /) -> NDArray[np.float32]:
        """Evaluate boards before the roll; see `bgcore.evaluators.Evaluator`.

        The board before the last play is not known; the board itself stands for it.

        Raises
        ------
        BoardError
            Also for finished games.
        EvaluatorError
            If bgsage is not installed.
        """
        after = bgsage_boards(swap_boards(unfinished_boards(boards)))
        strategy = _strategies(self.plies)[1]
        fives = []
        for board in after:
            self._forget()
            fives.append(strategy.evaluate_board(board, board)["probs"])
        return flip(np.array(fives, np.float32).reshape(len(after), 5))

    def best_plays(
        self, boards: NDArray[np.int8], dice: NDArray[np.uint8], /, *, to_win: bool = False
    ) -> NDArray[np.int8]:
        """Play each board's roll as bgsage values the plays.

        Deeper than 0 plies, five plays at most and none 0.08 points worse than the best are looked
        at, as bgsage does, and further ones as long as one that was not seems better than all that
        were.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games; the side seen is on roll.
        dice : (n, 2) uint8 array
            The rolls.
        to_win : bool, default False
            Take the play with the largest win probability, as where one game decides the match;
            otherwise that of the largest cubeless equity. The plays inside a look ahead are for
            equity in any case: bgsage knows no other.

        Returns
        -------
        (n, 26) int8 array
            After the play, still seen by the mover; unchanged if no play is legal.

        Raises
        ------
        BoardError, DiceError
        EvaluatorError
            If bgsage is not installed.
        """
        result = unfinished_boards(boards).copy()
        plays, offsets = legal_boards_batch(result, dice)
        theirs = bgsage_boards(plays)
        for row, before in enumerate(bgsage_boards(result)):
            first, end = offsets[row : row + 2]
            if first < end:
                best = self._best(before, theirs[first:end], to_win)
                result[row] = plays[first + best]
        return result

    def _best(self, before: list[int], plays: list[list[int]], to_win: bool) -> int:
        """Return the number of the best play."""

        def worth(strategy: Any, play: list[int]) -> float:
            value = strategy.evaluate_board(play, before)
            return float(2 * value["probs"][0] - 1 if to_win else value["equity"])

        if len(plays) == 1:
            return 0
        static, deep = _strategies(self.plies)
        seen = [worth(static, play) for play in plays]
        # the best first, of equals the first
        order = sorted(range(len(plays)), key=lambda i: -seen[i])
        if self.plies == 0:
            return order[0]
        self._forget()
        near = [i for i in order[:_WIDTH] if seen[order[0]] - seen[i] < _MARGIN]
        values = {i: worth(deep, plays[i]) for i in near}
        for i in order[len(near) :]:
            if seen[i] <= max(values.values()):
                break
            values[i] = worth(deep, plays[i])
        return max(values, key=values.__getitem__)

    def _forget(self) -> None:
        """Empty the cache of what looks ahead: it would let a value depend on earlier ones."""
        if self.plies:
            _strategies(self.plies)[1].clear_cache()
