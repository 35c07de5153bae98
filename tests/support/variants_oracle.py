"""Slow, obvious rules of the games on this board, one class each, written from their rule texts.

Imports nothing of bgcore. A side is a tuple of 27 numbers in its own numbering: 0 borne off, 1-24
the points (24 is where its road begins), 25 the bar, 26 in hand. ``Position`` holds both sides and
what must be remembered, seen by the player on roll.
"""

from typing import NamedTuple

BAR, HAND = 25, 26


class Position(NamedTuple):
    """Both sides, each in its own numbering."""

    own: tuple
    opp: tuple
    own_pinned: frozenset = frozenset()
    opp_pinned: frozenset = frozenset()
    own_was_home: bool = False
    opp_was_home: bool = False
    own_turns: int = 0
    opp_turns: int = 0


def swap(p):
    """The same position seen by the other side."""
    return Position(
        p.opp,
        p.own,
        p.opp_pinned,
        p.own_pinned,
        p.opp_was_home,
        p.own_was_home,
        p.opp_turns,
        p.own_turns,
    )


def changed(side, **cells):
    """A side with some cells changed: changed(side, c24=-1, c18=+1)."""
    new = list(side)
    for cell, more in cells.items():
        new[int(cell[1:])] += more
    return tuple(new)


class Game:
    """Backgammon: opposite directions, a lone checker is hit, the bar goes first."""

    checkers = 15
    layout = ((24, 2), (13, 5), (8, 3), (6, 5))
    exact = False
    last_quarter = 6

    def across(self, point):
        """The opponent's number of my point."""
        return 25 - point

    def theirs(self, p, point):
        """The opponent's checkers on my point."""
        return p.opp[self.across(point)]

    def start(self):
        """Both sides before the first turn; who is nowhere is in hand."""
        side = [0] * 27
        for point, count in self.layout:
            side[point] = count
        side[HAND] = self.checkers - sum(side)
        return Position(tuple(side), tuple(side))

    def value(self, p):
        """What the player on roll wins by bearing everything off."""
        if p.opp[0]:
            return 1
        home = sum(self.theirs(p, point) for point in range(1, 7))
        return 3 if p.opp[BAR] or home else 2

    # -- what a step may do --

    def is_open(self, p, point):
        return self.theirs(p, point) <= 1

    def waiting(self, p):
        """The cells whose checkers go before all others; empty if there is no such duty."""
        return [BAR] if p.own[BAR] else []

    def may_leave(self, p, start, left_head):
        """Special duties of a checker that is not waiting; left_head: how many left 24."""
        return True

    def may_bear_off(self, p):
        away = sum(p.own[self.last_quarter + 1 :])
        return away == 0

    def land(self, p, point):
        """The position after what happens to the opponent's checkers on the point."""
        if self.theirs(p, point) == 1:
            cell = self.across(point)
            return p._replace(opp=changed(p.opp, **{f"c{cell}": -1, "c25": 1}))
        return p

    def leave(self, p, point):
        """The position after the last checker has left a point."""
        return p

    def steps(self, p, number, left_head):
        """Every (start, position after) of one number."""
        starts = self.waiting(p) or [c for c in range(1, 27) if c != BAR and p.own[c]]
        for start in starts:
            if start < BAR and not self.may_leave(p, start, left_head):
                continue
            end = (25 if start >= BAR else start) - number
            if end > 0:
                if not self.is_open(p, end):
                    continue
                after = self.land(p, end)
            else:
                if not self.may_bear_off(p):
                    continue
                if end < 0 and (self.exact or any(p.own[start + 1 : 25])):
                    continue
                end, after = 0, p
            after = after._replace(own=changed(after.own, **{f"c{start}": -1, f"c{end}": 1}))
            if start < BAR and after.own[start] == 0:
                after = self.leave(after, start)
            yield start, self.remember(after)

    def remember(self, p):
        return p

    # -- plays --

    def is_lawful(self, before, p):
        """Whether a turn may end so."""
        return True

    def head_limit(self, p, numbers):
        """How many checkers may leave 24."""
        return 99

    def larger_first(self, numbers):
        """Whether the larger of two numbers must be played if only one can be."""
        return len(numbers) == 2 and numbers[0] != numbers[1]

    def plays(self, p, numbers, limit=None, left_head=0):
        """Every (position, numbers used) after a legal play; only (p, 0) if nothing goes."""
        limit = self.head_limit(p, numbers) if limit is None else limit
        levels = [{(p, tuple(sorted(numbers)), left_head, 0)}]
        while levels[-1]:
            level = set()
            for now, left, heads, first in levels[-1]:
                if now.own[0] == self.checkers:
                    continue
                for number in set(left):
                    rest = list(left)
                    rest.remove(number)
                    for start, after in self.steps(now, number, heads):
                        more = heads + (start == 24)
                        if more <= limit:
                            level.add((after, tuple(rest), more, first or number))
            levels.append(level)
        lawful = [[e for e in level if self.is_lawful(p, e[0])] for level in levels]
        if not any(lawful):
            lawful = levels
        most = max(k for k, level in enumerate(lawful) if level)
        best = lawful[most]
        if most == 1 and self.larger_first(numbers):
            largest = max(first for *_, first in best)
            best = [e for e in best if e[3] == largest]
        return {(e[0], most) for e in best}

    # -- whole turns --

    def turn(self, p, roll):
        """A generator of what a roll gives to do; it returns whether the player rolls again.

        It yields the numbers of a play and is sent (position after it, whether all was played);
        or it yields "choose" and is sent the number of a doublet.
        """
        yield list(roll) * 2 if roll[0] == roll[1] else list(roll)
        return False


class Nackgammon(Game):
    """Backgammon from another start."""

    layout = ((24, 2), (23, 2), (13, 4), (8, 3), (6, 4))


class Hypergammon(Game):
    """Backgammon with three checkers, far behind."""

    checkers = 3
    layout = ((24, 1), (23, 1), (22, 1))


class LongGammon(Game):
    """Backgammon with all checkers on the first point."""

    layout = ((24, 15),)


class Portes(Game):
    """Backgammon that counts two at most."""

    def value(self, p):
        return 1 if p.opp[0] else 2


class Tavla(Portes):
    """A checker that hits at home does not move again; told apart by the point of the hit."""

    def plays(self, p, numbers, limit=None, left_head=0):
        levels = [{(p, tuple(sorted(numbers)), frozenset(), 0)}]
        while levels[-1]:
            level = set()
            for now, left, rests, first in levels[-1]:
                if now.own[0] == self.checkers:
                    continue
                for number in set(left):
                    rest = list(left)
                    rest.remove(number)
                    for start, after in self.steps(now, number, 0):
                        if start in rests and now.own[start] == 1:
                            continue
                        hit = after.opp[BAR] > now.opp[BAR]
                        end = (25 if start == BAR else start) - number
                        more = rests | {end} if hit and end <= 6 else rests
                        level.add((after, tuple(rest), more, first or number))
            levels.append(level)
        most = max(k for k, level in enumerate(levels) if level)
        best = levels[most]
        if most == 1 and self.larger_first(numbers):
            largest = max(first for *_, first in best)
            best = {e for e in best if e[3] == largest}
        return {(e[0], most) for e in best}


class Dutch(Portes):
    """All enter before anything else; nobody hits before a checker of his has come home."""

    layout = ()

    def waiting(self, p):
        if p.own[BAR]:
            return [BAR]
        return [HAND] if p.own[HAND] else []

    def is_open(self, p, point):
        return self.theirs(p, point) == 0 or (self.theirs(p, point) == 1 and p.own_was_home)

    def remember(self, p):
        return p._replace(own_was_home=p.own_was_home or sum(p.own[0:7]) > 0)


class AceyDeucey(Game):
    """Entering is free; 1-2 in full, then a doublet of choice, then another roll."""

    layout = ()

    def value(self, p):
        return 15 - p.opp[0]

    def doublet(self, number):
        _, complete = yield [number] * 4
        return complete

    def natural(self, number):
        yield [number] * 4
        return False

    def turn(self, p, roll):
        if roll[0] == roll[1]:
            return (yield from self.natural(roll[0]))
        _, complete = yield list(roll)
        if not complete or set(roll) != {1, 2}:
            return False
        return (yield from self.doublet((yield "choose")))


class AceyDeuceyEuropean(AceyDeucey):
    """A doublet is followed by its complement and another roll; exact bearing off."""

    exact = True

    def doublet(self, number):
        _, complete = yield [number] * 4
        if complete:
            _, complete = yield [7 - number] * 4
        return complete

    def natural(self, number):
        return (yield from self.doublet(number))


class Plakoto(Portes):
    """A lone checker is pinned; a pinned one cannot move, and nobody of its side lands there."""

    layout = ((24, 15),)

    def is_open(self, p, point):
        if point in p.own_pinned:
            return False
        return self.theirs(p, point) <= 1

    def may_leave(self, p, start, left_head):
        return start not in p.own_pinned

    def may_bear_off(self, p):
        return not p.own_pinned and super().may_bear_off(p)

    def land(self, p, point):
        if self.theirs(p, point) == 1:
            return p._replace(opp_pinned=p.opp_pinned | {self.across(point)})
        return p

    def leave(self, p, point):
        return p._replace(opp_pinned=p.opp_pinned - {self.across(point)})


class Tapa(Plakoto):
    """Plakoto's moves; who is last at the start is like any other."""


class SameDirection(Portes):
    """Half a round apart in the same direction; one checker closes a point."""

    layout = ((24, 15),)

    def across(self, point):
        return point + 12 if point <= 12 else point - 12

    def is_open(self, p, point):
        return self.theirs(p, point) == 0


def held(p, points):
    return [point for point in points if p.own[point]]


class Fevga(SameDirection):
    """The first checker passes the opponent's start; never all of the own starting quarter."""

    def may_leave(self, p, start, left_head):
        passed = sum(p.own[:12]) > 0
        return start != 24 or passed or p.own[24] == 15

    def is_lawful(self, before, p):
        if len(held(p, range(19, 25))) == 6:
            return False
        # a prime before an opponent who has all on the point right behind it
        for behind in range(1, 25):
            if p.opp[behind] == 15:
                walls = [q for q in range(behind - 6, behind) if q >= 1]
                owners = [q for q in walls if p.own[self.across(q)]]
                if len(owners) == 6:
                    return False
        return True


class Moultezim(Fevga):
    """At most four points of the opponent's starting quarter."""

    def is_lawful(self, before, p):
        return len(held(p, range(7, 13))) <= 4


class NardyLong(SameDirection):
    """One checker a turn leaves the head; six in a row need an opposing checker past them."""

    exceptions = (3, 4, 6)

    def head_limit(self, p, numbers):
        is_double = len(set(numbers)) == 1 and len(numbers) in (2, 4)
        return 2 if p.own_turns == 0 and is_double and numbers[0] in self.exceptions else 1

    def is_lawful(self, before, p):
        road = {self.across(point) for point in held(p, range(1, 25))}
        for low in range(1, 20):
            if all(q in road for q in range(low, low + 6)):
                start = low
                while start - 1 in road:
                    start -= 1
                if sum(p.opp[:start]) == 0:
                    return False
        return True


class GulBara(SameDirection):
    """From the fourth turn on a doublet goes on with all higher ones."""

    def turn(self, p, roll):
        if roll[0] != roll[1]:
            yield list(roll)
            return False
        last = 6 if p.own_turns >= 3 else roll[0]
        for number in range(roll[0], last + 1):
            _, complete = yield [number] * 4
            if not complete:
                break
        return False


class Russian(Portes):
    """The same road for both; two checkers enter first; complements once all have entered."""

    layout = ()

    def across(self, point):
        return point

    def waiting(self, p):
        if p.own[BAR]:
            return [BAR]
        return [HAND] if p.own[HAND] > 13 else []

    def turn(self, p, roll):
        if roll[0] != roll[1]:
            yield list(roll)
            return False
        now, complete = yield [roll[0]] * 4
        if complete and now.own[HAND] == 0:
            _, complete = yield [7 - roll[0]] * 4
        return complete


class Tabula(Game):
    """Three dice; the first half until all have entered; exact, from the last half."""

    exact = True
    last_quarter = 12
    layout = ()

    def value(self, p):
        return 1

    def across(self, point):
        return point

    def turn(self, p, roll):
        yield list(roll)
        return False

    def larger_first(self, numbers):
        return False

    def steps(self, p, number, left_head):
        for start, after in super().steps(p, number, left_head):
            if p.own[HAND] and start < BAR and start - number <= 12:
                continue
            yield start, after


class Verquere(SameDirection):
    """Hits; no two own checkers together on 23 to 13."""

    def value(self, p):
        return 1

    def is_open(self, p, point):
        if 13 <= point <= 23 and p.own[point]:
            return False
        return self.theirs(p, point) <= 1


GAMES = {
    "standard": Game(),
    "nackgammon": Nackgammon(),
    "hypergammon": Hypergammon(),
    "longgammon": LongGammon(),
    "portes": Portes(),
    "tavla": Tavla(),
    "dutch": Dutch(),
    "acey_deucey": AceyDeucey(),
    "acey_deucey_european": AceyDeuceyEuropean(),
    "plakoto": Plakoto(),
    "tapa": Tapa(),
    "fevga": Fevga(),
    "moultezim": Moultezim(),
    "nardy_long": NardyLong(),
    "gul_bara": GulBara(),
    "russian": Russian(),
    "tabula": Tabula(),
    "verquere": Verquere(),
}
