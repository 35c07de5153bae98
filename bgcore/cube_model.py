"""Cubeful equities from probabilities: Janowski's model, for money and at any match score.

The model mixes two cubes. A dead cube is never turned again: the equity is linear in the chance to
win. A live cube is turned at the last moment, and the equity is a line with bends where the other
side must pass: the take point and the cash point. With cube life x the equity is (1 - x) dead +
x live.

Sources: Rick Janowski, "Take-Points in Money Games" (1993); GNU Backgammon manual, "Cubeful
equities"; the live points of a match are found from the last cube backwards: the take point of
a cube is that of a taker who will cash his own cube at his own cash point.

Everything is seen by the player on roll, who has not rolled. Equities are points for each point
of the cube, match equities are chances to win the match.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore.cube import Cube
from bgcore.errors import MatchEquityError
from bgcore.game_state import GameState
from bgcore.met import MatchEquityTable, default_met
from bgcore.rules import BeaverDoubles

__all__ = [
    "CubeContext",
    "CubePoints",
    "counted_outcomes",
    "cube_equity",
    "cube_points",
    "emg",
    "mwc_of_emg",
]

Owner = Literal["centred", "own", "opponent"]

Floats = NDArray[np.float64]

#: Below this chance of either side the cube is as good as dead.
_CERTAIN = 1e-7


@dataclass(frozen=True, slots=True)
class CubeContext:
    """The cube, the score and what they mean, seen by the player on roll.

    Attributes
    ----------
    cube : int
        Its value.
    owner : {"centred", "own", "opponent"}
        Who owns it, seen by the player on roll.
    needs : (int, int) or None
        Points that the player on roll and his opponent need to win the match; None for money.
    is_crawford : bool
        This is the Crawford game: the cube rests.
    after_crawford : bool
        The Crawford game is over.
    jacoby : bool
        Gammons count single while the cube is in the middle.
    beavers : int
        How often a double can be turned back.
    beaver_doubles : {"every", "initial"}
        Whether a redouble can be beavered too.
    beaver_drop : bool
        Whether a beaver can be refused.
    most : int
        The most that a game counts: 3, a backgammon; 2 if it counts as a gammon; 1 if a gammon
        counts single too (`Rules.payoff`).
    limit : int
        The largest cube.
    has_cube : bool
        Whether there is a cube at all.
    met : MatchEquityTable
        For matches.
    player : int
        0 or 1: who is on roll, for tables that are not the same for both.
    """

    cube: int = 1
    owner: Owner = "centred"
    needs: tuple[int, int] | None = None
    is_crawford: bool = False
    after_crawford: bool = False
    jacoby: bool = False
    beavers: int = 0
    beaver_doubles: BeaverDoubles = "every"
    beaver_drop: bool = True
    most: int = 3
    limit: int = Cube().limit
    has_cube: bool = True
    met: MatchEquityTable | None = None
    player: int = 0

    def __post_init__(self) -> None:
        Cube(self.cube, limit=self.limit)  # refuses values that are no cube
        if self.owner not in ("centred", "own", "opponent"):
            raise MatchEquityError(f"the owner is centred, own or opponent, not {self.owner!r}")
        if self.beaver_doubles not in get_args(BeaverDoubles):
            raise MatchEquityError(
                f"beaver_doubles is every or initial, not {self.beaver_doubles!r}"
            )
        if self.most not in (1, 2, 3):
            raise MatchEquityError(f"a game counts 1, 2 or 3 at most, not {self.most!r}")
        if self.needs is not None and not all(n >= 1 for n in self.needs):
            raise MatchEquityError(f"both players need 1 point or more, not {self.needs}")

    @classmethod
    def of(cls, state: GameState, met: MatchEquityTable | None = None) -> Self:
        """Return the context of a game, seen by the player on roll.

        Raises
        ------
        MatchEquityError
            Nobody is on roll yet, or the game is over.
        """
        if state.on_roll is None or state.is_over:
            raise MatchEquityError("nobody is on roll")
        mine, his = state.needs[state.on_roll], state.needs[1 - state.on_roll]
        owner: Owner = "centred"
        if state.cube.owner is not None:
            owner = "own" if state.cube.owner == state.on_roll else "opponent"
        rules = state.rules
        # gammons count under the Jacoby rule once an automatic double has turned the cube, if the
        # rules say so
        is_turned = rules.jacoby_auto_counts and state.cube.value > 1
        return cls(
            cube=state.cube.value,
            owner=owner,
            needs=None if mine is None or his is None else (mine, his),
            is_crawford=state.is_crawford,
            after_crawford=state.is_post_crawford,
            jacoby=rules.jacoby and not is_turned,
            beavers=rules.beavers,
            beaver_doubles=rules.beaver_doubles,
            beaver_drop=rules.beaver_drop,
            most=rules.multiplier(3),
            limit=state.cube.limit,
            has_cube=rules.cube,
            met=met,
            player=state.on_roll,
        )

    @property
    def is_match(self) -> bool:
        """Whether a match is played."""
        return self.needs is not None

    def swapped(self) -> "CubeContext":
        """Return the same cube and score seen by the other side."""
        owners: dict[Owner, Owner] = {"centred": "centred", "own": "opponent", "opponent": "own"}
        return replace(
            self,
            owner=owners[self.owner],
            needs=None if self.needs is None else (self.needs[1], self.needs[0]),
            player=1 - self.player,
        )

    def doubled(self) -> "CubeContext":
        """Return the context after a double that was taken: the opponent owns twice the cube."""
        return replace(
            self, cube=2 * self.cube, owner="opponent", limit=max(self.limit, 2 * self.cube)
        )

    @property
    def may_double(self) -> bool:
        """Whether the player on roll may turn the cube."""
        is_free = self.has_cube and not self.is_crawford and self.owner != "opponent"
        return is_free and self.cube < self.limit

    @property
    def may_be_beavered(self) -> bool:
        """Whether a double of the player on roll could be turned back."""
        return (
            not self.is_match
            and self.beavers > 0
            and 4 * self.cube <= self.limit
            and (self.beaver_doubles == "every" or self.owner == "centred")
        )

    @property
    def is_dead(self) -> bool:
        """Whether turning the cube can gain the player on roll nothing."""
        return self.needs is not None and self.cube >= self.needs[0]

    def mwc_after(self, points: int) -> float:
        """Return the chance to win the match after winning (or, if negative, losing) points.

        Raises
        ------
        MatchEquityError
            No match is played.
        """
        if self.needs is None:
            raise MatchEquityError("money games have no match equity")
        mine = self.needs[0] - max(points, 0)
        his = self.needs[1] - max(-points, 0)
        table = default_met() if self.met is None else self.met
        after = (self.is_crawford or self.after_crawford) and mine > 0 and his > 0
        return table.chance(mine, his, after_crawford=after, player=self.player)


class CubePoints(NamedTuple):
    """Chances to win at which decisions change, seen by the player on roll.

    Attributes
    ----------
    take : float
        Below it the player must pass a double.
    beaver : float
        Above it he would beaver the double (money).
    double : float
        Above it he doubles a cube in the middle.
    redouble : float
        Above it he redoubles.
    cash : float
        Above it the opponent must pass.
    too_good : float
        Above it playing on is better than cashing.
    """

    take: float
    beaver: float
    double: float
    redouble: float
    cash: float
    too_good: float


def emg(mwc: ArrayLike, context: CubeContext) -> Floats:
    """Return match equities as money-like equities: -1 and +1 are losing and winning the cube."""
    lose, win = context.mwc_after(-context.cube), context.mwc_after(context.cube)
    result: Floats = 2 * (np.asarray(mwc, np.float64) - lose) / (win - lose) - 1
    return result


def mwc_of_emg(equity: ArrayLike, context: CubeContext) -> Floats:
    """Return the match equities of money-like equities; the inverse of `emg`."""
    lose, win = context.mwc_after(-context.cube), context.mwc_after(context.cube)
    result: Floats = lose + (np.asarray(equity, np.float64) + 1) / 2 * (win - lose)
    return result


def cube_equity(probabilities: ArrayLike, context: CubeContext, life: ArrayLike) -> Floats:
    """Return cubeful equities of positions whose player on roll has not doubled.

    Parameters
    ----------
    probabilities : (N, 5) or (5,) array_like
        Win, win gammon, win backgammon, lose gammon, lose backgammon; cumulative.
    context : CubeContext
    life : float or (N,) array_like
        Cube life, 0 (dead) to 1 (live).

    Returns
    -------
    (N,) float64 array
        Points for each point of the cube for money, chances to win the match in a match.
    """
    outcomes = _Outcomes.of(counted_outcomes(probabilities, context))
    dead = _dead(outcomes, context)
    if not context.has_cube or context.is_crawford:
        return dead
    live = _live(outcomes, context)
    certain = (outcomes.win < _CERTAIN) | (outcomes.win > 1 - _CERTAIN)
    mixed = np.where(certain, 0.0, np.asarray(life, np.float64))
    result: Floats = (1 - mixed) * dead + mixed * live
    return result


def counted_outcomes(probabilities: ArrayLike, context: CubeContext) -> Floats:
    """Return probabilities without the gammons and backgammons that count no more than less.

    Parameters
    ----------
    probabilities : (N, 5) or (5,) array_like
    context : CubeContext
        Its `most` tells what counts.

    Returns
    -------
    float64 array of the same shape
    """
    array = np.array(probabilities, np.float64)
    if context.most < 3:
        array[..., [2, 4]] = 0
    if context.most < 2:
        array[..., [1, 3]] = 0
    return array


@dataclass(frozen=True)
class _Outcomes:
    """Chances to win and how often a win or a loss is a gammon or backgammon."""

    win: Floats
    win_gammon: Floats
    win_backgammon: Floats
    lose_gammon: Floats
    lose_backgammon: Floats

    @classmethod
    def of(cls, probabilities: ArrayLike) -> Self:
        array = np.atleast_2d(np.asarray(probabilities, np.float64))
        win = array[:, 0]

        def share(part: Floats, whole: Floats) -> Floats:
            result: Floats = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
            return result

        return cls(
            win,
            share(array[:, 1], win),
            share(array[:, 2], win),
            share(array[:, 3], 1 - win),
            share(array[:, 4], 1 - win),
        )

    @cached_property
    def win_points(self) -> Floats:
        """Points of a win on average, W."""
        result: Floats = 1 + self.win_gammon + self.win_backgammon
        return result

    @cached_property
    def lose_points(self) -> Floats:
        """Points of a loss on average, L."""
        result: Floats = 1 + self.lose_gammon + self.lose_backgammon
        return result

    def swapped(self) -> "_Outcomes":
        """Return the outcomes seen by the other side."""
        return _Outcomes(
            1 - self.win,
            self.lose_gammon,
            self.lose_backgammon,
            self.win_gammon,
            self.win_backgammon,
        )


def _through(x: Floats, *bends: tuple[ArrayLike, ArrayLike]) -> Floats:
    """Return the values at x of lines through points (place, value) in rising order."""
    result = np.empty_like(x)
    done = np.zeros(x.shape, bool)
    for (left, low), (right, high) in pairwise(bends):
        left, low, right, high = (np.broadcast_to(v, x.shape) for v in (left, low, right, high))
        width = np.asarray(right - left)
        part = np.divide(x - left, width, out=np.ones_like(x), where=width > 0)
        here = ~done & (x <= right)
        result = np.where(here, low + part * (high - low), result)
        done |= here
    return result


def _dead(outcomes: _Outcomes, context: CubeContext) -> Floats:
    win = outcomes.win
    result: Floats
    if not context.is_match:
        if context.jacoby and context.owner == "centred" and context.has_cube:
            result = 2 * win - 1
        else:
            result = win * outcomes.win_points - (1 - win) * outcomes.lose_points
        return result
    result = win * _win_mwc(outcomes, context, 1) + (1 - win) * _loss_mwc(outcomes, context, 1)
    return result


def _live(outcomes: _Outcomes, context: CubeContext) -> Floats:
    if context.is_match:
        return _live_match(outcomes, context)
    win, w, l = outcomes.win, outcomes.win_points, outcomes.lose_points
    take = (l - 0.5) / (w + l + 0.5)
    cash = (l + 1) / (w + l + 0.5)
    can_double = context.owner != "opponent" and context.cube < context.limit
    can_be_doubled = context.owner != "own" and context.cube < context.limit
    if context.jacoby and context.owner == "centred":
        w, l = np.ones_like(w), np.ones_like(l)  # nobody gains by playing on
    bends: list[tuple[ArrayLike, ArrayLike]] = [(0.0, -l)]
    if can_be_doubled:
        bends.append((take, -1.0))
    if can_double:
        bends.append((cash, 1.0))
    bends.append((1.0, w))
    return _through(win, *bends)


def _win_mwc(outcomes: _Outcomes, context: CubeContext, times: int) -> Floats:
    """Return the match equity of a win, on average, with a multiple of the cube."""
    single, gammon, backgammon = (
        context.mwc_after(kind * times * context.cube) for kind in (1, 2, 3)
    )
    g, bg = outcomes.win_gammon, outcomes.win_backgammon
    result: Floats = (1 - g) * single + (g - bg) * gammon + bg * backgammon
    return result


def _loss_mwc(outcomes: _Outcomes, context: CubeContext, times: int) -> Floats:
    """Return the match equity of a loss, on average, with a multiple of the cube."""
    single, gammon, backgammon = (
        context.mwc_after(-kind * times * context.cube) for kind in (1, 2, 3)
    )
    g, bg = outcomes.lose_gammon, outcomes.lose_backgammon
    result: Floats = (1 - g) * single + (g - bg) * gammon + bg * backgammon
    return result


def _live_match(outcomes: _Outcomes, context: CubeContext) -> Floats:
    can_double = context.owner != "opponent" and is_useful(context)
    can_be_doubled = context.owner != "own" and is_useful(context.swapped())
    bends: list[tuple[ArrayLike, ArrayLike]] = [(0.0, _loss_mwc(outcomes, context, 1))]
    if can_be_doubled:
        bends.append((live_take_point(outcomes, context), context.mwc_after(-context.cube)))
    if can_double:
        cash = 1 - live_take_point(outcomes.swapped(), context.swapped())
        bends.append((cash, context.mwc_after(context.cube)))
    bends.append((1.0, _win_mwc(outcomes, context, 1)))
    return _through(outcomes.win, *bends)


def is_useful(context: CubeContext) -> bool:
    """Tell whether the player on roll could gain by turning the cube if he had it."""
    return not context.is_dead and context.cube < context.limit


def dead_take_point(outcomes: _Outcomes, context: CubeContext, times: int = 2) -> Floats:
    """Return the chance needed to take a double of the opponent if the cube is not turned again.

    `times` is by how much the cube grows.
    """
    drop = context.mwc_after(-context.cube)
    loss = _loss_mwc(outcomes, context, times)
    win = _win_mwc(outcomes, context, times)
    result: Floats = (drop - loss) / (win - loss)
    return result


def live_take_point(outcomes: _Outcomes, context: CubeContext) -> Floats:
    """Return the chance needed to take a double of the opponent with a live cube."""
    if redoubles_at_once(context):
        return dead_take_point(outcomes, context, 4)
    taken = replace(context, cube=2 * context.cube, limit=max(context.limit, 2 * context.cube))
    if not is_useful(taken):
        return dead_take_point(outcomes, context)
    # the taker cashes his cube at his own cash point: his gammons do not count
    drop = context.mwc_after(-context.cube)
    loss = _loss_mwc(outcomes, context, 2)
    cashed = context.mwc_after(2 * context.cube)
    cash = 1 - live_take_point(outcomes.swapped(), taken.swapped())
    result: Floats = cash * (drop - loss) / (cashed - loss)
    return result


def redoubles_at_once(context: CubeContext) -> bool:
    """Tell whether the taker loses nothing by redoubling at once.

    That is so when twice the cube wins the match for the doubler anyway and not for the taker.
    """
    if context.needs is None or 2 * context.cube >= context.limit:
        return False
    mine, his = context.needs
    return his <= 2 * context.cube < mine


def cube_points(probabilities: ArrayLike, context: CubeContext, life: float) -> CubePoints:
    """Return the chances to win at which cube decisions change, by the gammons of a position.

    Only how often wins and losses are gammons is taken from the probabilities. For money the
    points are Janowski's for any cube life; in a match they lie between those of a dead and of a
    live cube as the cube life says.

    Parameters
    ----------
    probabilities : (5,) array_like
        See `cube_equity`.
    context : CubeContext
        Its owner does not matter: `double` and `redouble` are for a cube in the middle and for
        one's own, `take` for a double of the opponent.
    life : float
        Cube life, 0 to 1.

    Returns
    -------
    CubePoints
        In a match without `beaver` (NaN). A point that cannot be reached is above 1 or below 0.
    """
    outcomes = _Outcomes.of(counted_outcomes(probabilities, context))
    if context.is_match:
        return _match_points(outcomes, context, life)
    w, l = float(outcomes.win_points[0]), float(outcomes.lose_points[0])
    total = w + l + life / 2
    return CubePoints(
        take=(l - 0.5) / total,
        beaver=l / total,
        double=_double_point(w, l, life, context),
        redouble=(l + life) / total,
        cash=(l + 0.5 + life / 2) / total,
        too_good=(l + 1) / total,
    )


def _double_point(w: float, l: float, life: float, context: CubeContext) -> float:
    """Return where a cube in the middle is turned for money: no double is as good as a double."""
    total = w + l + life / 2
    # equities as slope and value at 0: of the cube in the middle, and of a cube of the opponent
    if context.jacoby:
        slope = (1 - life) * 2 + life * 4 / 3 * (w + l + 0.5)
        start = -(1 - life) - life * 4 / 3 * (l + 0.25)
    else:
        slope, start = (4 / (4 - life) * value for value in (total, -(l + life / 4)))
    gone = -(l + life / 2)
    point = (start - 2 * gone) / (2 * total - slope)
    if context.beavers and total * point + gone < 0:
        # the opponent would beaver: twice as much is at stake
        point = (start - 4 * gone) / (4 * total - slope)
    return point


def _match_points(outcomes: _Outcomes, context: CubeContext, life: float) -> CubePoints:
    other, swapped = outcomes.swapped(), context.swapped()

    def mixed(dead: Floats, live: Floats) -> float:
        return float((1 - life) * dead[0] + life * live[0])

    dead_cash = 1 - dead_take_point(other, swapped)
    live_cash = 1 - live_take_point(other, swapped)
    win, loss = _win_mwc(outcomes, context, 1), _loss_mwc(outcomes, context, 1)
    win2, loss2 = _win_mwc(outcomes, context, 2), _loss_mwc(outcomes, context, 2)
    gain, risk = win2 - win, loss - loss2
    double = np.divide(risk, gain + risk, out=np.full_like(risk, np.inf), where=gain + risk > 0)
    cash = context.mwc_after(context.cube)
    too_good = np.divide(cash - loss, win - loss, out=np.full_like(win, np.inf), where=win > loss)
    redouble = mixed(double, live_cash)
    return CubePoints(
        take=mixed(dead_take_point(outcomes, context), live_take_point(outcomes, context)),
        beaver=float("nan"),
        double=redouble,
        redouble=redouble,
        cash=mixed(dead_cash, live_cash),
        too_good=mixed(too_good, live_cash),
    )
