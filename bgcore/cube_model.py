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
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore.checks import are_chances, flag, shown, side, whole_number
from bgcore.cube import Cube
from bgcore.errors import MatchEquityError
from bgcore.game_state import GameState
from bgcore.met import MAX_NEEDS, MatchEquityTable, default_met
from bgcore.rules import BeaverDoubles

__all__ = [
    "CubeContext",
    "CubePoints",
    "GammonValues",
    "counted_outcomes",
    "cube_equity",
    "cube_points",
    "emg",
    "gammon_values",
    "mwc_of_emg",
]

Owner = Literal["centred", "own", "opponent"]

Floats = NDArray[np.float64]

#: As often as rules allow a double to be turned back.
MAX_BEAVERS = 30
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
        cube = Cube(self.cube, limit=self.limit)  # refuses values that are no cube
        if self.owner not in ("centred", "own", "opponent"):
            raise MatchEquityError(f"the owner is centred, own or opponent, not {self.owner!r}")
        if self.beaver_doubles not in get_args(BeaverDoubles):
            raise MatchEquityError(
                f"beaver_doubles is every or initial, not {self.beaver_doubles!r}"
            )
        for name in ("is_crawford", "after_crawford", "jacoby", "beaver_drop", "has_cube"):
            flag(getattr(self, name), name, MatchEquityError)
        whole_number(self.beavers, "beavers", 0, MAX_BEAVERS, MatchEquityError)
        most = whole_number(self.most, "the most that a game counts", 1, 3, MatchEquityError)
        player = side(self.player, "the player", MatchEquityError)
        if self.met is not None and not isinstance(self.met, MatchEquityTable):
            raise MatchEquityError(f"met is a MatchEquityTable, not {shown(self.met)}")
        needs = None if self.needs is None else _needs(self.needs)
        values = {
            "cube": cube.value,
            "limit": cube.limit,
            "most": most,
            "player": player,
            "needs": needs,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check_crawford()

    def _check_crawford(self) -> None:
        """Refuse a score that does not tell whether the Crawford game is still to come."""
        if self.is_crawford and self.after_crawford:
            raise MatchEquityError("a game is the Crawford game or after it, not both")
        if self.is_crawford or self.after_crawford:
            if self.needs is None or min(self.needs) > 1:
                raise MatchEquityError(
                    "in the Crawford game and after it one player needs 1 point; they need"
                    f" {self.needs}"
                )
        elif self.needs is not None and min(self.needs) == 1 < max(self.needs):
            raise MatchEquityError(
                f"one player needs 1 point of {self.needs}: say is_crawford or after_crawford"
            )

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
    raccoon : float
        Above it he would turn back a beaver of his double (money).
    """

    take: float
    beaver: float
    double: float
    redouble: float
    cash: float
    too_good: float
    raccoon: float


def emg(mwc: ArrayLike, context: CubeContext) -> Floats:
    """Return match equities as money-like equities: -1 and +1 are losing and winning the cube.

    Raises
    ------
    MatchEquityError
        No match is played, something is no number, or the table knows no difference between
        winning and losing the cube at this score.
    """
    lose, win = game_ends(context)
    result: Floats = 2 * (_numbers(mwc, "a match equity") - lose) / (win - lose) - 1
    return result


def mwc_of_emg(equity: ArrayLike, context: CubeContext) -> Floats:
    """Return the match equities of money-like equities; the inverse of `emg`.

    Raises
    ------
    MatchEquityError
        See `emg`.
    """
    lose, win = game_ends(context)
    result: Floats = lose + (_numbers(equity, "an equity") + 1) / 2 * (win - lose)
    return result


def game_ends(context: CubeContext) -> tuple[float, float]:
    """Return the match equities of losing and of winning a single game with the cube as it is.

    Raises
    ------
    MatchEquityError
        No match is played, or by the table winning is worth no more than losing: rounded tables
        have such scores far from the end.
    """
    lose, win = context.mwc_after(-context.cube), context.mwc_after(context.cube)
    if not win > lose:
        raise MatchEquityError(
            f"by this table a player who needs {context.needs} has the same chance to win the match"
            f" after winning the game, {win:g}, as after losing it, {lose:g}: nothing is at stake;"
            " take a table with more digits"
        )
    return lose, win


class GammonValues(NamedTuple):
    """What gammons and backgammons are worth beyond a win, seen by the player on roll.

    The unit is what lies between losing and winning a single game: 0.5 and 1 for money.

    Attributes
    ----------
    win_gammon, win_backgammon : float
        To the player on roll.
    lose_gammon, lose_backgammon : float
        To his opponent.
    """

    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float


def gammon_values(context: CubeContext) -> GammonValues:
    """Return what gammons are worth with the cube as it is, as GNU Backgammon shows it.

    A gammon value is (gammon - win) / (win - loss) in points or match equity: 0 where gammons do
    not count.

    Parameters
    ----------
    context : CubeContext
        Its owner matters under the Jacoby rule alone.

    Raises
    ------
    MatchEquityError
        By the table nothing is at stake at this score; see `emg`.

    Examples
    --------
    >>> gammon_values(CubeContext()).win_gammon
    0.5
    >>> round(gammon_values(CubeContext(needs=(4, 5))).win_gammon, 5)
    0.64643
    """
    counts = 1 if not context.is_match and _counts_single(context) else context.most
    kinds = [min(kind, counts) for kind in (1, 2, 3)]
    lose, win = game_ends(context) if context.is_match else (-1.0, 1.0)

    def value(sign: int, kind: int) -> float:
        if context.is_match:
            gain = context.mwc_after(sign * kind * context.cube) - (win if sign > 0 else lose)
        else:
            gain = float(sign * (kind - 1))
        return sign * gain / (win - lose)

    return GammonValues(*(value(sign, kind) for sign in (1, -1) for kind in kinds[1:]))


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

    Raises
    ------
    MatchEquityError
        They are no probabilities, or no cube life.
    """
    lives = _life(life)
    outcomes = _Outcomes.of(counted_outcomes(probabilities, context))
    dead = _dead(outcomes, context)
    if not context.has_cube or context.is_crawford:
        return dead
    live = _live(outcomes, context)
    certain = (outcomes.win < _CERTAIN) | (outcomes.win > 1 - _CERTAIN)
    mixed = np.where(certain, 0.0, lives)
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

    Raises
    ------
    MatchEquityError
        They are no probabilities.
    """
    array = _numbers(probabilities, "a probability").copy()
    if array.ndim == 0 or array.shape[-1] != 5:
        raise MatchEquityError(f"five probabilities are wanted, not shape {array.shape}")
    fit = are_chances(array)
    if not fit.all():
        raise MatchEquityError(
            f"{array[~fit][0].tolist()} are no probabilities: win, win gammon, win backgammon, lose"
            " gammon, lose backgammon lie in [0, 1], a backgammon not above a gammon, a gammon not"
            " above a win or a loss"
        )
    if context.most < 3:
        array[..., [2, 4]] = 0
    if context.most < 2:
        array[..., [1, 3]] = 0
    return array


def _numbers(values: ArrayLike, what: str) -> Floats:
    """Return values as float64."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise MatchEquityError(f"{what} is a number, not {shown(values)}") from None
    if not np.isfinite(array).all():
        raise MatchEquityError(f"{what} is a number, not {shown(values)}")
    return array


def _life(values: ArrayLike) -> Floats:
    """Return cube lives; refuse what is not from 0 to 1."""
    life = _numbers(values, "a cube life")
    if not ((life >= 0) & (life <= 1)).all():
        raise MatchEquityError(f"a cube life is 0 (dead) to 1 (live), not {shown(values)}")
    return life


def _needs(value: Any) -> tuple[int, int]:
    """Return the points that both sides need."""
    try:
        mine, his = value
    except (TypeError, ValueError):
        raise MatchEquityError(
            f"needs are the points that both players need, such as (3, 5), not {shown(value)}"
        ) from None
    return (
        whole_number(mine, "the points that a player needs", 1, MAX_NEEDS, MatchEquityError),
        whole_number(his, "the points that a player needs", 1, MAX_NEEDS, MatchEquityError),
    )


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

        return cls(
            win,
            _share(array[:, 1], win),
            _share(array[:, 2], win),
            _share(array[:, 3], 1 - win),
            _share(array[:, 4], 1 - win),
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


def _counts_single(context: CubeContext) -> bool:
    """Tell whether gammons of a money game do not count: the Jacoby rule."""
    return context.jacoby and context.owner == "centred" and context.has_cube


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
        if _counts_single(context):
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
    return _share(drop - loss, win - loss)


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
    return cash * _share(drop - loss, cashed - loss)


def _share(part: Floats, whole: Floats) -> Floats:
    """Return what part is of whole; 0 where the whole is nothing."""
    result: Floats = np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
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
        In a match without `beaver` and `raccoon` (NaN). A point that cannot be reached is above 1 or below 0.

    Raises
    ------
    MatchEquityError
        They are no probabilities of one position, no cube life, or by the table nothing is at stake
        at this score; see `emg`.
    """
    life = float(_life(life))
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
        raccoon=(l + life / 2) / total,
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
    game_ends(context)
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
        raccoon=float("nan"),
    )
