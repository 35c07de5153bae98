"""Trictrac told slowly, from its rule text, in the French numbers of the fields; no bgcore here.

Fields 1 to 24 in the order of travel: 1 the stack, 1-6 the small jan, 7-12 the big jan with the
corner of rest on 12, 13-18 the opponent's big jan, 19-24 his small jan, the mover's return jan.
A side is a tuple of 25 numbers: how many checkers are out, then those on the fields 1 to 24. Each
side has its own numbers; my field f is the opponent's field 25 - f.
"""

import itertools
from collections import Counter

JANS = {"small jan": range(1, 7), "big jan": range(7, 13), "return jan": range(19, 25)}


def men_of(side):
    """The field of every checker that is not out."""
    return [field for field in range(1, 25) for _ in range(side[field])]


def stands(side, fields):
    """Whether there is a checker for each of some fields, two where a field comes twice."""
    return all(side[field] >= count for field, count in Counter(fields).items())


def is_full(side, jan):
    return all(side[field] >= 2 for field in jan)


def could_fill(side, jan):
    """Whether the checkers that are not past the fields are enough to fill them."""
    waiting = sum(side[1 : jan[0]])
    for field in jan:
        waiting += side[field]
        if waiting < 2:
            return False
        waiting -= 2
    return True


def may_stand(mine, his):
    """Whether a play may leave my checkers so."""
    if mine[12] == 1 or mine[13] > 0:
        return False
    if sum(mine[13:19]) > 0 and could_fill(his, JANS["big jan"]):
        return False
    return not (sum(mine[19:25]) > 0 and could_fill(his, JANS["small jan"]))


def moved(mine, start, end):
    """My checkers after one of them has gone from a field to another, or out (0)."""
    side = list(mine)
    side[start] -= 1
    side[end] += 1
    return tuple(side)


def moves(mine, his, die):
    """Every (start, end, whether the number was too large) of one checker and one die."""
    for start in range(1, 25):
        if not mine[start]:
            continue
        end = start + die
        if end <= 24:
            if his[25 - end] == 0:
                yield start, end, 0
        elif sum(mine[1:19]) == 0:
            if end == 25:
                yield start, 0, 0
            elif sum(mine[1:start]) == 0:
                yield start, 0, 1


def paths(mine, his, dice):
    """Every way to play the dice: (numbers played, steps, side after it, numbers too large)."""
    found = [((), (), mine, 0)]
    for order in {dice, dice[::-1]}:
        for start, end, large in moves(mine, his, order[0]):
            one = moved(mine, start, end)
            step = (start, end)
            found.append(((order[0],), (step,), one, large))
            for start2, end2, large2 in moves(one, his, order[1]):
                found.append(
                    (order, (step, (start2, end2)), moved(one, start2, end2), large + large2)
                )
    # the corner by puissance: two checkers that could take the other one step back
    if mine[12] == 0 and his[12] == 0:
        there, here = [13 - die for die in dice], [12 - die for die in dice]
        if stands(mine, there) and not stands(mine, here):
            after = moved(moved(mine, there[0], 12), there[1], 12)
            found.append((dice, ((there[0], 12), (there[1], 12)), after, 0))
    return found


def allowed(mine, his, dice):
    """The paths that the rules of movement allow."""
    found = [path for path in paths(mine, his, dice) if may_stand(path[2], his)]
    most = max(len(path[0]) for path in found)
    found = [path for path in found if len(path[0]) == most]
    if most == 1:
        largest = max(path[0][0] for path in found)
        found = [path for path in found if path[0][0] == largest]
    fewest = min(path[3] for path in found)
    return [path for path in found if path[3] == fewest]


def legal(mine, his, dice):
    """{side after the play: numbers played}: a jan that can be full in the end must be."""
    found = allowed(mine, his, dice)
    for jan in JANS.values():
        full = [path for path in found if is_full(path[2], jan)]
        if full:
            found = full
    return {path[2]: len(path[0]) for path in found}


# ---- what a roll is worth ----


def worth(mine, his, dice, turns):
    """Two Counters {(what, points): how often}: of the player and of the opponent."""
    value = 6 if dice[0] == dice[1] else 4
    own, other = Counter(), Counter()
    for field in range(2, 25):
        if his[25 - field] != 1:
            continue
        points = value - 2 if 7 <= field <= 18 else value
        true, false = set(), set()
        for start, order in itertools.product(range(1, 25), {dice, dice[::-1]}):
            if not mine[start]:
                continue
            if start + order[0] == field:
                true.add(order[0])
            if start + order[0] + order[1] == field:
                rest = his[25 - start - order[0]]
                (true if rest < 2 else false).add("both")
        if true:
            own["true hit", points] += len(true)
        elif false:
            other["false hit", points] += 1
    # the other corner, with two checkers that are not the last two of the own one
    if mine[12] >= 2 and his[12] == 0:
        free = list(mine)
        free[12] -= 2
        if stands(free, [13 - die for die in dice]):
            own["corner hit", value] += 1
    out = [field for field in men_of(mine) if field > 1]
    if mine[1] == 13 and len(out) == 2:
        who, name = (other, "contre ") if his[12] else (own, "")
        ends = [sorted((out[0] + a, out[1] + b)) for a, b in (dice, dice[::-1])]
        if mine[12] == 0 and [12, 13] in ends:
            who[name + "two tables", value] += 1
        if mine[12] == 2 and 1 in dice:
            who[name + "mezeas", value] += 1
    if turns == 2 and mine[1] == 11 and all(mine[field] <= 1 for field in range(2, 8)):
        holes = [field for field in range(2, 8) if mine[field] == 0]
        if len(holes) == 2 and sorted(1 + die for die in dice) == holes:
            own["six tables", 4] += 1
    for name, jan in JANS.items():
        own += filling(name, mine, his, dice, jan, value)
    return own, other


def filling(name, mine, his, dice, jan, value):
    """The Counter of a jan that is filled or conserved."""
    lacking = sum(max(2 - mine[field], 0) for field in jan)
    # the checkers that make up the jan; only others may move
    bound = Counter({field: min(mine[field], 2) for field in jan})
    ways = set()
    for numbers, steps, after, _ in allowed(mine, his, dice):
        if not is_full(after, jan):
            continue
        if lacking == 0:
            return Counter({(f"{name} conserved", value): 1})
        if lacking > 1:
            return Counter({(f"{name} filled", value): 1})
        last = next(field for field in jan if mine[field] == 1)
        spare = Counter({field: mine[field] - bound[field] for field in range(1, 25)})
        used = Counter()
        for (start, end), number in zip(steps, numbers, strict=True):
            if end == last and spare[start] > 0:
                used[number] += 1
        if len(steps) == 2 and steps[0][1] == steps[1][0] and steps[1][1] == last:
            if spare[steps[0][0]] > 0:
                ways.add("both")
            if not spare[steps[1][0]]:
                continue
        ways |= set(used)
    return Counter({(f"{name} filled", value): len(ways)}) if ways else Counter()


# ---- points and holes ----


class Marks:
    """Points and holes of two players, told from the list of all that was marked."""

    def __init__(self, goal=12):
        self.goal = goal
        self.holes = [0, 0]
        self.takers = []  # who has won each hole, in order
        self.forget()

    def forget(self):
        self.events = []  # (who, points) since both had none

    def points(self, who):
        return sum(points for marker, points in self.events if marker == who)

    def is_bredouille(self, who):
        """Whether all points of a player stand in a row."""
        markers = [marker for marker, _ in self.events]
        return who in markers and 1 - who not in markers[markers.index(who) :]

    def is_grand(self, who):
        """Whether all holes of a player stand in a row."""
        return who in self.takers and 1 - who not in self.takers[self.takers.index(who) :]

    def mark(self, who, points):
        if not points or max(self.holes) >= self.goal:
            return
        self.events.append((who, points))
        while self.points(who) >= 12:
            count = 2 if self.is_bredouille(who) else 1
            rest = self.points(who) - 12
            self.holes[who] = min(self.holes[who] + count, self.goal)
            self.takers.append(who)
            self.events = [(who, rest)] if rest else []
