"""Why a play is illegal, in plain words, and which legal plays come close to it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bgcore.checks import shown
from bgcore.errors import AmbiguousPlayError, IllegalPlayError
from bgcore.notation import BAR, OFF, Play, Plays, read_moves

__all__ = ["closest_plays", "index_of_play", "why_illegal_play"]

#: A play that puts more checkers elsewhere than these was not what was meant.
_MOST_MISPLACED = 2


def why_illegal_play(plays: Plays, play: Play | str) -> str:
    """Return why a play is not among the legal ones, as a sentence without a full stop.

    If several rules are broken it is the one that a player would name first: a move that goes
    backward; no checker there; checkers on the bar must enter; the point is held; bearing off
    with checkers outside; the dice do not fit; and last the duty to play both numbers, or the
    larger one.

    Parameters
    ----------
    plays : Plays
        The legal plays of the roll.
    play : Play or str
        A text is read leniently.

    Returns
    -------
    str
        Empty if the play is legal.

    Raises
    ------
    InvalidPlayError
        The text cannot be read.

    Examples
    --------
    >>> from bgcore import Board
    >>> why_illegal_play(Board.opening().legal_plays("61"), "24/18 13/12")
    'the opponent holds your 12 point with 5 checkers'
    """
    try:
        plays.index(play)
    except IllegalPlayError:
        pass
    except AmbiguousPlayError as error:
        return str(error)
    else:
        return ""
    moves = _moves(play)
    if moves is None:
        return f"the roll must be played: there {_are(len(plays), 'legal play')}"
    hits = play.hits if isinstance(play, Play) else None
    return _Judge(plays, moves, hits).reason()


def closest_plays(plays: Plays, play: Play | str, limit: int = 3) -> list[Play]:
    """Return the legal plays that put the checkers nearly where another play would.

    Parameters
    ----------
    plays : Plays
        The legal plays of the roll.
    play : Play or str
        Legal or not; a text is read leniently.
    limit : int, default 3
        At most so many are returned.

    Returns
    -------
    list of Play
        All equally close, in the order of `plays`; none if there is no legal play, or if all put
        more than two checkers elsewhere.

    Raises
    ------
    InvalidPlayError
        The text cannot be read.

    Examples
    --------
    >>> from bgcore import Board
    >>> plays = Board.opening().legal_plays("31")
    >>> [str(play) for play in closest_plays(plays, "13/10 8/6")]
    ['13/10 8/7']
    """
    moves = _moves(play)
    if plays.is_dance or not moves:
        return []
    wanted = _own_after(plays, moves)
    own = np.maximum(plays.boards, 0)
    own[:, 0] = plays.board.n_checkers - own[:, 1:].sum(axis=1)
    misplaced = np.abs(own - wanted).sum(axis=1) // 2
    best = int(misplaced.min())
    if best > _MOST_MISPLACED:
        return []
    alike = np.flatnonzero(misplaced == best).tolist()
    # of plays that are equally far, those that share a move with it
    named = set(moves)
    sharing = [i for i in alike if named & {step[:2] for step in plays[i].steps}]
    return [plays[i] for i in (sharing or alike)[:limit]]


def index_of_play(plays: Plays, play: Play | str) -> int:
    """Return the number of a legal play as `Plays.index` does, with a fuller message if it is none.

    Parameters
    ----------
    plays : Plays
    play : Play or str

    Raises
    ------
    InvalidPlayError, AmbiguousPlayError
        See `Plays.find`.
    IllegalPlayError
        Of a text the message says why, and what was perhaps meant.

    Examples
    --------
    >>> from bgcore import Board
    >>> index_of_play(Board.opening().legal_plays("61"), "8/2 6/3")
    Traceback (most recent call last):
    ...
    bgcore.errors.IllegalPlayError: '8/2 6/3' is not legal with 6-1: 6/3 is 3 pips; with 6-1 a \
checker moves 1, 6 or 7; perhaps 8/2 6/5 is meant
    """
    try:
        return plays.index(play)
    except IllegalPlayError:
        if not isinstance(play, str):
            raise
        die1, die2 = plays.dice
        message = f"{shown(play)} is not legal with {die1}-{die2}: {why_illegal_play(plays, play)}"
        if close := closest_plays(plays, play):
            message += f"; perhaps {' or '.join(map(str, close))} is meant"
        raise IllegalPlayError(message) from None


def _moves(play: Play | str) -> list[tuple[int, int]] | None:
    if isinstance(play, Play):
        return [(start, to) for start, to, _ in play.steps] or None
    return read_moves(play)


def _own_after(plays: Plays, moves: Sequence[tuple[int, int]]) -> NDArray[np.int_]:
    """Return the own checkers after moves, legal or not; index 0 is off."""
    own: NDArray[np.int_] = np.maximum(np.asarray(plays.board), 0).astype(np.int_)
    own[0] = plays.board.n_checkers - own[1:].sum()
    for start, to in moves:
        own[start] -= 1
        own[to] += 1
    return own


def _are(count: int, what: str) -> str:
    return f"is 1 {what}" if count == 1 else f"are {count} {what}s"


def _checkers(count: int) -> str:
    return "1 checker" if count == 1 else f"{count} checkers"


def _pips(count: int) -> str:
    return "1 pip" if count == 1 else f"{count} pips"


def _listed(numbers: Sequence[int]) -> str:
    words = [str(number) for number in numbers]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """Why one checker cannot move by one die. The higher the rank, the better it explains."""

    rank: int
    text: str


class _Judge:
    """Looks for the reason why some moves are illegal."""

    def __init__(
        self, plays: Plays, moves: list[tuple[int, int]], hits: tuple[int, ...] | None
    ) -> None:
        self.plays = plays
        self.hits = hits
        self.cells: list[int] = np.asarray(plays.board).tolist()
        self.moves = moves
        die1, die2 = plays.dice
        self.dice = (die1,) * 4 if die1 == die2 else (die1, die2)
        self.roll = f"{die1}-{die2}"
        self.own_limit: int = plays.house.get("own_limit", 0)
        self.obstacles: list[_Obstacle] = []

    def reason(self) -> str:
        return (
            self._no_direction()
            or self._no_checker()
            or self._on_the_bar()
            or self._closed()
            or self._no_play()
            or self._outside()
            or self._misfit()
            or self._no_way()
            or self._duty()
        )

    # -- what can be seen from the moves alone --

    def _no_direction(self) -> str:
        for start, to in self.moves:
            if to >= start:
                return (
                    f"{start}/{to} does not go forward: your checkers move from higher points to"
                    " lower ones"
                )
        return ""

    def _no_checker(self) -> str:
        for start in sorted({start for start, _ in self.moves}, reverse=True):
            there = max(self.cells[start], 0)
            arriving = sum(to == start for _, to in self.moves)
            leaving = sum(first == start for first, _ in self.moves)
            if there + arriving >= leaving:
                continue
            where = "on the bar" if start == BAR else f"on your {start} point"
            if there:
                return f"you have only {_checkers(there)} {where}"
            if self.cells[start] < 0:
                return f"the checkers {where} are the opponent's"
            return f"you have no checker {where}"
        return ""

    def _on_the_bar(self) -> str:
        on_bar = self.cells[BAR]
        entering = sum(start == BAR for start, _ in self.moves)
        if not on_bar or entering >= on_bar or entering == len(self.moves):
            return ""
        must = "your checker" if on_bar == 1 else f"your {on_bar} checkers"
        return f"{must} on the bar must enter before any other checker moves"

    def _closed(self) -> str:
        for _, to in self.moves:
            if to != OFF and self.cells[to] < -1:
                return self._held(to)
        return ""

    def _held(self, point: int) -> str:
        return f"the opponent holds your {point} point with {-self.cells[point]} checkers"

    def _no_play(self) -> str:
        if not self.plays.is_dance:
            return ""
        if self.cells[BAR]:
            points = sorted({BAR - die for die in self.dice}, reverse=True)
            closed = [point for point in points if self.cells[point] < -1]
            if len(closed) == len(points):
                noun = "point" if len(points) == 1 else "points"
                return (
                    f"no checker can enter with {self.roll}: the opponent holds your"
                    f" {_listed(points)} {noun}"
                )
        return f"no checker can move with {self.roll}"

    def _outside(self) -> str:
        if all(to != OFF for _, to in self.moves):
            return ""
        own = _own_after(self.plays, self.moves)
        outside = np.flatnonzero(own[7:] > 0) + 7
        if not len(outside):
            return ""
        count = int(own[7:].sum())
        names = ["the bar" if point == BAR else str(point) for point in outside.tolist()]
        are = "is" if count == 1 else "are"
        where = "on " + " and ".join([", ".join(names[:-1]), names[-1]] if names[:-1] else names)
        return (
            "checkers are borne off only when all are in the home board:"
            f" {_checkers(count)} {are} outside, {where}"
        )

    def _misfit(self) -> str:
        die1, die2 = self.plays.dice
        reach = (die1, die2, die1 + die2) if die1 != die2 else [die1 * n for n in (1, 2, 3, 4)]
        for start, to in self.moves:
            pips = start - to
            if pips in reach or (to == OFF and pips <= max(reach)):
                continue
            move = f"{'bar' if start == BAR else start}/{'off' if to == OFF else to}"
            *lower, most = sorted(reach)
            return (
                f"{move} is {_pips(pips)}; with {self.roll} a checker moves"
                f" {', '.join(str(number) for number in lower)} or {most}"
            )
        return ""

    # -- what shows when the moves are tried --

    def _no_way(self) -> str:
        """Try the moves in every order with the dice; empty if some order gets through."""
        if self._try(tuple(self.cells), tuple(self.moves), self.dice):
            return ""
        best = max((obstacle.rank for obstacle in self.obstacles), default=0)
        texts = list(dict.fromkeys(o.text for o in self.obstacles if o.rank == best))
        return " and ".join(texts[:2]) or f"together these moves do not fit the dice {self.roll}"

    def _try(
        self, cells: tuple[int, ...], moves: tuple[tuple[int, int], ...], dice: tuple[int, ...]
    ) -> bool:
        if not moves:
            return True
        for i, (start, to) in enumerate(moves):
            rest = moves[:i] + moves[i + 1 :]
            for die in dict.fromkeys(dice):
                if cells[start] < 1:
                    continue
                target = max(start - die, OFF)
                if target < to:
                    continue
                if (obstacle := self._obstacle(cells, start, die)) is not None:
                    self.obstacles.append(obstacle)
                    continue
                after = list(cells)
                after[start] -= 1
                if target != OFF:
                    after[target] = max(after[target], 0) + 1
                left = list(dice)
                left.remove(die)
                onward = rest if target == to else (*rest, (target, to))
                if self._try(tuple(after), onward, tuple(left)):
                    return True
        return False

    def _obstacle(self, cells: tuple[int, ...], start: int, die: int) -> _Obstacle | None:
        target = start - die
        if start != BAR and cells[BAR] > 0:
            return _Obstacle(1, "a checker on the bar must enter first")
        if target > OFF:
            if cells[target] < -1:
                return _Obstacle(3, self._held(target))
            if self.own_limit and cells[target] >= self.own_limit:
                return _Obstacle(
                    4, f"by the house rule a point holds at most {_checkers(self.own_limit)}"
                )
            return None
        if any(cells[point] > 0 for point in range(7, 26)):
            return _Obstacle(1, "not all checkers are in the home board")
        higher = [point for point in range(start + 1, 7) if cells[point] > 0]
        if target < OFF and higher:
            return _Obstacle(
                2,
                f"a {die} bears a checker off from your {start} point only if none stands behind"
                f" it, and there is one on {_listed(higher)}",
            )
        return None

    # -- the duty to play as much as possible --

    def _duty(self) -> str:
        most = max(len(play.steps) for play in self.plays)
        used = self._dice_used()
        die1, die2 = self.plays.dice
        if used >= most:
            if self.hits is not None:
                return f"it says hits on {list(self.hits)}, and the opponent's blots are elsewhere"
            return (
                "only one of the two numbers can be played, and then it must be the larger one,"
                f" the {max(die1, die2)}"
            )
        if die1 == die2:
            if most < 4:
                return (
                    f"{most} of the four {die1}s can be played, so {most} must be: this is {used}"
                )
            return f"with a doublet all four {die1}s must be played if they can: this is {used}"
        number = self._number_used()
        if self._is_begun():
            return f"both numbers must be played, and this is only the {number}"
        other = die1 + die2 - number
        return (
            "both numbers must be played if that is possible: it is, but not after this"
            f" {number}, which leaves no {other}"
        )

    def _is_begun(self) -> bool:
        """Tell whether a legal play begins with these moves."""
        named = Counter(self.moves)
        return any(named <= Counter(step[:2] for step in play.steps) for play in self.plays)

    def _dice_used(self) -> int:
        if self.dice[0] == self.dice[-1]:
            die = self.dice[0]
            return sum(-(-(start - to) // die) for start, to in self.moves)
        if len(self.moves) > 1:
            return len(self.moves)
        start, to = self.moves[0]
        return 1 if start - to in self.dice or (to == OFF and start <= max(self.dice)) else 2

    def _number_used(self) -> int:
        start, to = self.moves[0]
        if start - to in self.dice:
            return start - to
        return max(self.dice)
