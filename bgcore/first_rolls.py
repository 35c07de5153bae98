"""What a position is worth after each of its first rolls, from the trials of a rollout."""

from copy import copy

import numpy as np
from numpy.typing import NDArray

from bgcore.block_totals import BlockTotals
from bgcore.errors import RolloutError
from bgcore.rollout_work import Plan

__all__ = ["first_roll_means"]

_UNIT = 2.0**-30


def first_roll_means(plan: Plan, totals: BlockTotals, place: int) -> NDArray[np.float64]:
    """Return the mean of the compared value over the trials of each first roll.

    The luck of the first roll, which was taken out of the trials, is put back in.

    Parameters
    ----------
    plan : Plan
    totals : BlockTotals
    place : int
        Which candidate.

    Returns
    -------
    (6, 6) float64 array
        By the two dice, less 1; NaN for a roll that no trial has. Equity, or with a cube utility.

    Raises
    ------
    RolloutError
        The trials have no roll: the exact table or a passed double ended them before.
    """
    if not totals.longest[place]:
        raise RolloutError("the trials ended before the first roll; there is nothing to show by it")
    counts = totals.roll_counts[place].astype(np.float64)
    sums = totals.roll_sums[place].astype(np.float64)
    means = np.full(36, np.nan)
    np.divide(sums * _UNIT, counts, out=means, where=counts > 0)
    return (means + _luck_of_first_rolls(plan, place)).reshape(6, 6)


def _luck_of_first_rolls(plan: Plan, place: int) -> NDArray[np.float64]:
    """Return the luck of each first roll: what trials of one ply differ by with and without it."""
    luck = np.zeros(36)
    if plan.luck == "none":
        return luck
    values = []
    for measure in ("none", plan.luck):
        short = copy(plan.only([place]))
        short.luck, short.truncate, short.stratified = measure, 1, True
        short.n_together, short._engine = 1, None
        values.append(short.engine.run(0, short.block)[3][:, 0, -1])
    dice = short.dice.rolls(short.block, 1)[:, 0].astype(np.int64) - 1
    luck[6 * dice[:, 0] + dice[:, 1]] = (values[0] - values[1]) * _UNIT
    return luck
