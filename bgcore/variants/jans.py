"""What a roll of trictrac is worth: hits, corners, opening jans, jans that are filled.

Nothing moves here: a hit is only possible, no checker of trictrac ever leaves the board by it.
Points are those of the mover; 24 is where his checkers start (the French field 1), 13 his corner
of rest (field 12), 12 the opponent's. [TRI] is "Laws and rules of trictrac" by M. Malfilâtre,
edition of 2013, articles X to XIII and its table of points.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgcore.variants.states import Side

__all__ = ["CORNER", "JANS", "OPPOSING_CORNER", "START", "Jan", "jans_of_filling", "jans_of_roll"]

#: Where all checkers start, the corner of rest, and the opponent's.
START: Final = 24
CORNER: Final = 13
OPPOSING_CORNER: Final = 12
#: The six points of each jan that can be filled. The opponent's big jan cannot: his corner is in it.
JANS: Final = {
    "small jan": range(24, 18, -1),
    "big jan": range(18, 12, -1),
    "return jan": range(6, 0, -1),
}
#: The half of the board in which a hit counts less.
_BIG_TABLE = range(7, 19)


class Jan(NamedTuple):
    """Something that gives points."""

    #: Such as "true hit" or "small jan filled".
    name: str
    #: In all its ways.
    points: int
    #: In how many ways it is reached.
    ways: int = 1
    #: Whether the opponent marks it.
    is_opponents: bool = False
    #: Where, of a hit; else 0.
    point: int = 0

    def __str__(self) -> str:
        where = f" on {self.point}" if self.point else ""
        ways = f" in {self.ways} ways" if self.ways > 1 else ""
        return f"{self.name}{where}{ways} {self.points}"


def jans_of_roll(own: Side, opponent: Side, dice: tuple[int, int]) -> list[Jan]:
    """Return what a roll is worth but for jans that are filled or conserved.

    Parameters
    ----------
    own, opponent : Side
        The player on roll and the opponent, before anything is moved; `own.turns` are his turns
        since the checkers were set up.
    dice : (int, int)
    """
    mine = (0, *own.points)
    theirs = (0, *reversed(opponent.points))
    jans = _opening_jans(mine, theirs, dice, own.turns) + _hits(mine, theirs, dice)
    if _hits_corner(mine, theirs, dice):
        jans.append(Jan("corner hit", _value(dice)))
    return jans


def _value(dice: tuple[int, int]) -> int:
    """What most jans give."""
    return 6 if dice[0] == dice[1] else 4


def _hits(mine: Sequence[int], theirs: Sequence[int], dice: tuple[int, int]) -> list[Jan]:
    """The lone opposing checkers that could be covered, truly or falsely."""
    total = sum(dice)
    found = []
    for point in range(START - 1, 0, -1):
        if theirs[point] != 1:
            continue
        # two equal dice are one way, however many checkers could use them
        ways = sum(_stands(mine, point + die) for die in set(dice))
        by_both = _stands(mine, point + total)
        if by_both and any(theirs[point + die] < 2 for die in dice):
            ways += 1
        points = _value(dice) - (2 if point in _BIG_TABLE else 0)
        if ways:
            found.append(Jan("true hit", points * ways, ways, point=point))
        elif by_both:
            found.append(Jan("false hit", points, is_opponents=True, point=point))
    return found


def _stands(mine: Sequence[int], point: int) -> bool:
    return point <= START and mine[point] > 0


def _hits_corner(mine: Sequence[int], theirs: Sequence[int], dice: tuple[int, int]) -> bool:
    """Whether two checkers beside the two of the own corner could take the opponent's."""
    if mine[CORNER] < 2 or theirs[OPPOSING_CORNER]:
        return False
    return can_enter(mine, OPPOSING_CORNER, dice, stay=2)


def can_enter(mine: Sequence[int], corner: int, dice: tuple[int, int], stay: int = 0) -> bool:
    """Tell whether two checkers can come to a corner together; of the own one some stay.

    Parameters
    ----------
    mine : sequence of int
        Checkers on the points; `mine[p]` is point p.
    corner : int
    dice : (int, int)
    stay : int, default 0
        Checkers of the own corner that do not move.
    """
    starts = [corner + die for die in dice]
    free = [mine[start] - (stay if start == CORNER else 0) for start in starts]
    return min(free) >= (2 if starts[0] == starts[1] else 1)


def _opening_jans(
    mine: Sequence[int], theirs: Sequence[int], dice: tuple[int, int], turns: int
) -> list[Jan]:
    """The three jans that only the first rolls after a setting can give."""
    out = [point for point in range(1, START) for _ in range(mine[point])]
    is_contre = theirs[OPPOSING_CORNER] > 0
    contre = "contre " if is_contre else ""
    if len(out) == 2 and mine[CORNER] == 2 and 1 in dice:
        return [Jan(f"{contre}mezeas", _value(dice), is_opponents=is_contre)]
    if len(out) == 2 and mine[CORNER] == 0:
        ends = ({out[0] - dice[i], out[1] - dice[1 - i]} for i in range(2))
        if {CORNER, OPPOSING_CORNER} in ends:
            return [Jan(f"{contre}two tables", _value(dice), is_opponents=is_contre)]
    fields = range(START - 1, START - 7, -1)
    if turns == 2 and len(out) == len(set(out)) == 4 and set(out) <= set(fields):
        filled = {*out, START - dice[0], START - dice[1]}
        if filled == set(fields):
            return [Jan("six tables", 4)]
    return []


# ---- jans that are filled ----


def jan_in_reach(own: Side) -> str:
    """Return the jan that a roll can fill or conserve, or an empty text: never two at once."""
    for name, points in JANS.items():
        if _lacking(own, points) <= 2:
            return name
    return ""


def _lacking(own: Side, points: range) -> int:
    """How many checkers are missing in a jan that is full with two on each point."""
    return sum(max(2 - own.points[point - 1], 0) for point in points)


def are_full(states: NDArray[np.uint8], name: str) -> NDArray[np.bool_]:
    """Return which of some states have the mover's jan full.

    Parameters
    ----------
    states : (M, 64) uint8 array
    name : str
        One of `JANS`.
    """
    return np.asarray((states[:, list(JANS[name])] >= 2).all(axis=1))


def jans_of_filling(own: Side, dice: tuple[int, int], ends: NDArray[np.uint8]) -> list[Jan]:
    """Return the jan that a roll fills or conserves, if it does.

    Parameters
    ----------
    own : Side
        Before the play.
    dice : (int, int)
    ends : (M, 64) uint8 array
        The states after the legal plays, also one in which nothing could be moved.
    """
    name = jan_in_reach(own)
    full = ends[are_full(ends, name)] if name else ends[:0]
    if not len(full):
        return []
    points = JANS[name]
    lacking = _lacking(own, points)
    if lacking == 0:
        return [Jan(f"{name} conserved", _value(dice))]
    if lacking == 2:
        return [Jan(f"{name} filled", _value(dice))]
    last = next(point for point in points if own.points[point - 1] == 1)
    before = np.array((own.off, *own.points), dtype=np.int64)
    after = full[:, : START + 1].astype(np.int64)
    ways = sum(
        _fills(before, after, points, last, die, sum(dice) - die) for die in sorted(set(dice))
    )
    ways += _fills(before, after, points, last, sum(dice), 0)
    return [Jan(f"{name} filled", ways * _value(dice), ways)]


def _fills(
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    points: range,
    last: int,
    number: int,
    other: int,
) -> bool:
    """Whether a checker fills the jan with a number, and a legal play leaves the jan full.

    The checker is none of those that the jan needs. The other number is played elsewhere, or
    cannot be played; it is 0 if the number is both dice.
    """
    start = last + number
    if start > START or before[start] <= (2 if start in points else 0):
        return False
    moved = before.copy()
    moved[start] -= 1
    moved[last] += 1
    for change in after - moved:
        lost, gained = np.flatnonzero(change < 0), np.flatnonzero(change > 0)
        if not len(lost):
            return True
        is_one = change[lost].sum() == -1
        # the other number moves one checker, or bears it off
        if other and is_one and (gained[0] == 0 or lost[0] - gained[0] == other):
            return True
    return False
