"""States of the other games as boards of the core, so that nets can learn and judge them.

A cell of a board holds checkers of one side. The points are numbered by the side seen, whichever
way the other one travels; checkers in hand stand with those on the bar; where the payoff depends on
it, the last two cells hold what is borne off. What the rules remember beside the board (turns,
whether a checker has come home) is left out.
"""

import numpy as np
from numpy.typing import NDArray

from bgcore.variants import TrictracRules, VariantRules
from bgcore.variants.states import BAR, HAND, SIDE_BYTES

__all__ = ["boards_of_states", "equities_of_fives", "five_of_points", "why_no_net"]

_OPP_BAR, _OFF, _OPP_OFF = 0, 26, 27
_ROW = 32


def why_no_net(rules: VariantRules) -> str:
    """Return why no net can learn a game; empty if one can."""
    name = rules.name
    if isinstance(rules, TrictracRules):
        return f"points and holes of {name} are no part of a board"
    if rules.contact == "pin":
        return f"a point of {name} can hold checkers of both sides, and a cell of a net cannot"
    if rules.equalise:
        return f"{name} with equalise goes on after a side has finished, and a board does not tell"
    if rules.koks:
        return f"{name} with koks pays for what a net has no output for"
    return ""


def _pays_by_off(rules: VariantRules) -> bool:
    """Whether a checker borne off saves the loser from paying more than once."""
    return rules.payoff in ("triple", "gammon", "single") and rules.john == "none"


def boards_of_states(rules: VariantRules, states: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Write states as boards in the core's layout.

    Parameters
    ----------
    rules : VariantRules
        For which `why_no_net` is empty.
    states : (n, 64) uint8 array
        The bytes of `State.cells`.

    Returns
    -------
    (n, 32) int8 array
        Seen by the side that the states are seen by.
    """
    sides = states.reshape(-1, 2, SIDE_BYTES).astype(np.int8)
    own, opponent = sides[:, 0], sides[:, 1]
    across = [rules.across(point) for point in range(1, 25)]
    boards = np.zeros((len(sides), _ROW), np.int8)
    boards[:, 1:25] = own[:, 1:25] - opponent[:, across]
    boards[:, BAR] = own[:, BAR] + own[:, HAND]
    boards[:, _OPP_BAR] = -opponent[:, BAR] - opponent[:, HAND]
    if _pays_by_off(rules):
        boards[:, _OFF] = own[:, 0]
        boards[:, _OPP_OFF] = -opponent[:, 0]
    return boards


def _most_counted(rules: VariantRules) -> int:
    """Return the most points of a game whose payoff is counted, such as checkers left; else 0."""
    most = {"men_left": 1, "men_on_board": 1, "pips": 25}
    return most.get(rules.payoff, 0) * rules.n_checkers


def five_of_points(rules: VariantRules, points: int) -> NDArray[np.float32]:
    """Return the five outputs of a net that say a result.

    Where the payoff is counted the second and the fourth are not the chances of gammons but the
    points won and lost, as parts of the most that can be.

    Parameters
    ----------
    rules : VariantRules
    points : int
        What the side seen has won; negative if it lost, 0 for a draw.

    Returns
    -------
    (5,) float32 array
    """
    five = np.zeros(5, np.float32)
    if points == 0:
        five[0] = 0.5
        return five
    five[0] = points > 0
    at, size = (1, points) if points > 0 else (3, -points)
    if most := _most_counted(rules):
        five[at] = size / most
    else:
        five[at], five[at + 1] = size > 1, size > 2
    return five


def equities_of_fives(rules: VariantRules, fives: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the expected points that (n, 5) outputs of a net say; both of unit 2**-30."""
    win, more, most, lose_more, lose_most = fives.astype(np.int64).T
    counted = _most_counted(rules)
    equities: NDArray[np.int64] = 2 * win - (1 << 30)
    if counted:
        equities = counted * (more - lose_more)
        return equities
    if rules.payoff != "single" or rules.john != "none":
        equities += more - lose_more
    if rules.payoff == "triple":
        equities += most - lose_most
    return equities
