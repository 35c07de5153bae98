"""Mining: which positions of self-play a value net knows least, and their values from rollouts.

A net learns little from one more position that it knows. Two kinds are worth a rollout: those where
looking one ply further changes its mind most, and those of kinds that its games seldom reach.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from bgcore._core import playout as core
from bgcore._core.board import swap_boards
from bgcore._core.dice import DiceStream
from bgcore._core.evaluator import Evaluator
from bgcore._core.network import RollNet
from bgcore.bearoff import tables
from bgcore.evaluators import equity_cubeless

__all__ = ["RARE", "kinds_of", "mined", "rolled_out"]

#: Kinds of positions that games seldom reach; `kinds_of` defines them.
RARE = ("back game", "prime", "containment", "crashed board")

_AT_ONCE = 1 << 17  # boards looked at together: a bound on the memory


def kinds_of(boards: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Tell of which rare kinds boards are.

    All of them have contact. back game: one side holds two points or more in the other's home
    board. prime: one side holds five of six points in a row or more, with a checker of the other
    side behind them. containment: one side has borne off, and the other still has a checker before
    it. crashed board: one side has seven checkers or more on its three lowest points and has borne
    none off.

    Parameters
    ----------
    boards : (n, 26) int8 array
        Unfinished games of fifteen checkers a side. Whose view it is does not matter.

    Returns
    -------
    (4, n) bool array
        In the order of `RARE`.
    """
    found = np.zeros((len(RARE), len(boards)), bool)
    for first in range(0, len(boards), _AT_ONCE):
        part = boards[first : first + _AT_ONCE]
        found[:, first : first + _AT_ONCE] = _kinds_of_side(part) | _kinds_of_side(-part[:, ::-1])
    return found


def _kinds_of_side(own: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Tell for which kinds the side seen is that one side."""
    places = np.arange(26)
    mine = np.maximum(own, 0)
    made = own >= 2
    highest = np.where(own > 0, places, -1).max(axis=1)
    lowest = np.where(own < 0, places, 99).min(axis=1)
    contact = highest > lowest
    behind = np.logical_or.accumulate(own < 0, axis=1)  # a checker of the other here or below
    prime = np.zeros(len(own), bool)
    for start in range(1, 20):
        prime |= (made[:, start : start + 6].sum(axis=1) >= 5) & behind[:, start - 1]
    has_borne_off = mine.sum(axis=1) < 15
    kinds = (
        made[:, 19:25].sum(axis=1) >= 2,
        prime,
        has_borne_off,
        (mine[:, 1:4].sum(axis=1) >= 7) & ~has_borne_off,
    )
    found: NDArray[np.bool_] = np.array(kinds) & contact
    return found


def mined(
    boards: NDArray[np.int8],
    values: NDArray[np.float64],
    targets: NDArray[np.float64],
    share: float,
    order: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Choose the positions that are worth a rollout.

    Half of them are those whose equities by value and by target differ most. The others are shared
    equally by the rare kinds, as far as there are so many, in the order given.

    Parameters
    ----------
    boards : (n, 26) int8 array
        After a play, seen by the mover.
    values, targets : (n, 5) float64 array
        What the net says of them, and what it says after looking further.
    share : float
        The share of the positions that is chosen, 0 to 1.
    order : (n,) int64 array
        A random order.

    Returns
    -------
    (m,) int64 array
        Rows of the boards, in ascending order.
    """
    number = round(share * len(boards))
    difference = np.abs(equity_cubeless(values) - equity_cubeless(targets))
    chosen = np.zeros(len(boards), bool)
    chosen[np.argsort(-difference, kind="stable")[: number - number // 2]] = True
    for kind in kinds_of(boards)[:, order]:
        free = order[kind & ~chosen[order]]
        chosen[free[: number // 2 // len(RARE)]] = True
    return np.flatnonzero(chosen)


def rolled_out(
    evaluator: Evaluator,
    roll_net: RollNet,
    boards: NDArray[np.int8],
    seed: int,
    first_trials: NDArray[np.int64],
    *,
    trials: int,
    plies: int,
    jobs: int,
) -> NDArray[np.float32]:
    """Roll positions out: played and, after some plies, valued by the evaluator at 0-ply.

    The luck of the rolls, as the roll net sees it, is taken out; a trial ends where the exact
    two-sided table applies.

    Parameters
    ----------
    evaluator : Evaluator
    roll_net : RollNet
    boards : (n, 26) int8 array
        After a play, seen by the mover.
    seed : int
    first_trials : (n,) int64 array
        Numbers of the first trials of each, multiples of `trials`: which dice they have.
    trials : int
        Of each position, a multiple of 36.
    plies : int
        After which a trial is cut off.
    jobs : int
        Threads. The result does not depend on it.

    Returns
    -------
    (n, 5) float32 array
        Means of the five probabilities, mover's view. Without the luck, they may lie a little
        outside [0, 1].
    """
    playout = core.Playout(
        DiceStream(seed, True, False),
        core.BEST_PLAY,
        player=evaluator,
        evaluator=evaluator,
        roll_net=roll_net,
        tables=tables(),
        luck=core.NET_LUCK,
        truncate=plies,
        stop_at_tables=True,
    )
    before = swap_boards(boards)
    result = np.empty((len(boards), 5), np.float32)

    def play(row: int) -> None:
        board = before[row : row + 1]
        sums = playout.blocks(board, True, int(first_trials[row]), trials, trials)[0]
        result[row] = sums[0, 0, :5] * (2.0**-30 / trials)

    # each position is work of its own: what ends one, or ctrl-C, takes back those not begun
    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(play, range(len(boards))):
            pass
    return result
