"""Slow, obvious bear-off: plays of one side at home, and exact values in fractions.

A position is a tuple of six numbers, the checkers on the points 1 to 6.
"""

from fractions import Fraction
from functools import cache

EMPTY = (0, 0, 0, 0, 0, 0)
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


def positions(most, points=6):
    """All positions of up to `most` checkers."""
    if points == 0:
        return [()]
    return [
        (*lower, count)
        for count in range(most + 1)
        for lower in positions(most - count, points - 1)
    ]


def steps(position, die):
    """The positions after one legal step with a die."""
    found = set()
    highest = max((point for point in range(1, 7) if position[point - 1]), default=0)
    for point in range(1, 7):
        if position[point - 1] == 0:
            continue
        # A checker moves down, or off by an exact die, or off as the highest by a larger one.
        if die < point or die == point or point == highest:
            after = list(position)
            after[point - 1] -= 1
            if die < point:
                after[point - die - 1] += 1
            found.add(tuple(after))
    return found


@cache
def plays(position, die1, die2):
    """The positions after every complete play: no die is left while a checker is."""
    orders = [(die1,) * 4] if die1 == die2 else [(die1, die2), (die2, die1)]
    found = set()
    for order in orders:
        ends = {position}
        for die in order:
            ends = {after for p in ends for after in (steps(p, die) if p != EMPTY else {EMPTY})}
        found |= ends
    return found


@cache
def mean_rolls(position):
    """The smallest mean number of rolls to bear everything off."""
    if position == EMPTY:
        return Fraction(0)
    return 1 + sum(min(map(mean_rolls, plays(position, *roll))) for roll in ROLLS) / Fraction(36)


@cache
def money(position, other):
    """Cubeless, owned, centred, opponent owns: rolled without a double, by the side on roll."""
    totals = [Fraction(0)] * 4
    for roll in ROLLS:
        ends = plays(position, *roll)
        for i, later in enumerate((_cubeless, _opponent_owns, _centred, _owns)):
            totals[i] += max(1 if end == EMPTY else -later(other, end) for end in ends)
    return tuple(total / 36 for total in totals)


def _cubeless(position, other):
    return money(position, other)[0]


def _opponent_owns(position, other):
    return money(position, other)[3]


def _doubled(position, other):
    return min(2 * money(position, other)[3], 1)


def _centred(position, other):
    return max(money(position, other)[2], _doubled(position, other))


def _owns(position, other):
    return max(money(position, other)[1], _doubled(position, other))
