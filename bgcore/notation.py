"""Plays and their standard notation: `24/18*/13(2)`, `bar/20`, `6/off`.

Printing is strict and has one form; reading is lenient. A text is understood by comparing the
board that it leads to with the boards after all legal plays.

FIBS writes dashes (`8-5 6-5`, `bar-20`, `6-off`), and for the player who goes from 1 to 24 rising
numbers (`17-20 19-20`, `bar-5`, `22-off`). Those are read too: a play in rising numbers can be no
play in falling ones, but for `19-off` of a checker that four fives bring all the way.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import index as whole_number
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import BoardBase
from bgcore._core.movegen import legal_plays
from bgcore._core.variants import house_plays
from bgcore.checks import counted, shown
from bgcore.errors import AmbiguousPlayError, BoardError, IllegalPlayError, InvalidPlayError
from bgcore.rolls import Dice, parse_dice

BAR = 25
OFF = 0
NO_PLAY = "(no play)"

#: One checker moved by one die: from, to, and whether it hits a blot there.
Step: TypeAlias = tuple[int, int, bool]

_NAMES = {BAR: "bar", OFF: "off"}
_BARS = frozenset(("bar", "b"))
_OFFS = frozenset(("off", "o", "home", "h"))
#: What people and programs write where nothing is played; brackets and a full stop do not count.
_PASSES = frozenset(
    (
        *(f"no {what}" for what in ("play", "plays", "move", "moves")),
        *(f"no legal {what}" for what in ("play", "plays", "move", "moves")),
        *(f"{no} {what}" for no in ("cannot", "can't", "cant") for what in ("move", "play")),
        *("pass", "passes", "passed", "dance", "dances", "danced", "fan", "fans", "fanned"),
    )
)
_POINT = r"(?:bar|b|off|o|home|h|[0-9]{1,2})\*?"
_GROUP = re.compile(rf"({_POINT}(?:[/-]{_POINT})+)(?:\(([1-9])\)(\*?))?")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Play:
    """What one roll did: its steps, each one checker moved by one die.

    Plays are equal if their steps are, whatever the order in which these were given: steps are
    kept from high to low points, and a hit is noted at the first step that lands on its point.
    No legal play is the empty `Play()`.

    Parameters
    ----------
    steps : iterable of (from, to) or (from, to, hit), default ()
        Points as the mover counts them; from 25 is the bar, to 0 is off.

    Raises
    ------
    InvalidPlayError
        Points out of range, a step that does not go forward, a hit where none can be.

    Examples
    --------
    >>> str(Play([(24, 18, True), (18, 13)]))
    '24/18*/13'
    """

    steps: tuple[Step, ...] = ()

    def __init__(self, steps: Iterable[Sequence[int]] = ()) -> None:
        if isinstance(steps, str) or not isinstance(steps, Iterable):
            raise InvalidPlayError(
                f"a play is made of steps (from, to) or (from, to, hit), not {shown(steps)}; texts"
                " are read by Plays.find"
            )
        read = [_step(step) for step in steps]
        hit_points = [to for _, to, hit in read if hit]
        if len(set(hit_points)) != len(hit_points):
            raise InvalidPlayError(f"a play hits at most once on a point: {read}")
        object.__setattr__(self, "steps", _in_order(read))

    @classmethod
    def against_rules(cls, moves: Iterable[tuple[int, int]]) -> "Play":
        """Return moves (from, to) that were made though no rule allows them, backwards too.

        For `bgcore.actions.Irregular`. Hits are for the board to say.

        Parameters
        ----------
        moves : iterable of (from, to)
            In any order; they are made from high to low points.

        Raises
        ------
        InvalidPlayError
            Points out of range.
        """
        moves = list(moves)
        if all(to < start for start, to in moves):
            return cls(moves)
        if not all(1 <= start <= BAR and 0 <= to <= 24 and start != to for start, to in moves):
            raise InvalidPlayError(f"moves go from 1-25 to 0-24, and elsewhere: {moves}")
        play = cls()
        steps = tuple((start, to, False) for start, to in sorted(moves, reverse=True))
        object.__setattr__(play, "steps", steps)
        return play

    @property
    def hits(self) -> tuple[int, ...]:
        """Points on which a blot is hit, from high to low."""
        return tuple(sorted((to for _, to, hit in self.steps if hit), reverse=True))

    def __repr__(self) -> str:
        return f"Play({list(self.steps)})"

    def __str__(self) -> str:
        """Return the play in standard notation; `(no play)` if it is empty."""
        if not self.steps:
            return NO_PLAY
        groups: dict[tuple[int, ...], tuple[int, set[int]]] = {}
        for path, hits in _chains(self.steps):
            count, known = groups.get(path, (0, set()))
            groups[path] = (count + 1, known | hits)
        return " ".join(_group_text(path, hits, count) for path, (count, hits) in groups.items())


def _step(step: Sequence[int]) -> Step:
    try:
        if len(step) not in (2, 3):
            raise TypeError
        start, to = whole_number(step[0]), whole_number(step[1])
        hit = bool(whole_number(step[2])) if len(step) == 3 else False
    except TypeError:
        raise InvalidPlayError(
            f"a step is (from, to) or (from, to, hit) in whole numbers, not {shown(step)}"
        ) from None
    if not (1 <= start <= BAR and 0 <= to <= 24):
        raise InvalidPlayError(
            f"a step goes from 1-25 (25 the bar) to 0-24 (0 off), not {shown(step)}"
        )
    if to >= start:
        raise InvalidPlayError(f"a step goes from a higher to a lower point, not {shown(step)}")
    if hit and to == OFF:
        raise InvalidPlayError(f"a checker that is borne off hits nothing: {shown(step)}")
    return start, to, hit


def _in_order(steps: list[Step]) -> tuple[Step, ...]:
    """Sort steps from high to low and note each hit at the first that lands on its point."""
    steps = sorted(steps, reverse=True)
    hit_points = {to for _, to, hit in steps if hit}
    if not hit_points:
        return tuple(steps)
    kept = []
    for start, to, _ in steps:
        kept.append((start, to, to in hit_points))
        hit_points.discard(to)
    return tuple(kept)


def _chains(steps: Sequence[Step]) -> list[tuple[tuple[int, ...], set[int]]]:
    """Join steps that one checker can have made: (all its points, those where it hits)."""
    left = list(steps)
    chains = []
    while left:
        start, to, hit = left.pop(0)
        path = [start, to]
        hits = {to} if hit else set()
        while (following := next((s for s in left if s[0] == path[-1]), None)) is not None:
            left.remove(following)
            path.append(following[1])
            if following[2]:
                hits.add(following[1])
        chains.append((tuple(path), hits))
    return chains


def _group_text(path: tuple[int, ...], hits: set[int], count: int) -> str:
    last = len(path) - 1
    shown = [
        _NAMES.get(point, str(point)) + ("*" if i > 0 and point in hits else "")
        for i, point in enumerate(path)
        if i in (0, last) or point in hits
    ]
    return "/".join(shown) + (f"({count})" if count > 1 else "")


def read_moves(text: str) -> list[tuple[int, int]] | None:
    """Return the moves of a text as (from, to); None if it says that nothing is played.

    A checker that touches down on its way makes a move from each point to the next. Whether the
    moves are legal is not looked at.

    Raises
    ------
    InvalidPlayError
        The text cannot be read.
    """
    if not isinstance(text, str):
        raise InvalidPlayError(f"a play is a text or a Play, not {type(text).__name__}")
    plain = " ".join(re.sub(r"[,;]", " ", text).lower().split())
    if plain.removesuffix(".").strip(" ()") in _PASSES:
        return None
    plain = re.sub(r" ?([/-]) ?", r"\1", plain.removesuffix(" ."))
    plain = re.sub(r" ?\( ?([0-9]) ?\)", r"(\1)", plain)
    paths: list[tuple[list[int], int]] = []
    for word in plain.split(" "):
        match = _GROUP.fullmatch(word)
        if match is None:
            raise InvalidPlayError(
                f"cannot read {shown(word)} in the play {shown(text)};"
                " right are forms such as '8/5 6/5', 'bar/20', '6/off', '13/7*(2)', '8-5 6-5'"
            )
        names = re.split("[/-]", match[1])
        path = [_read_point(name, i, len(names) - 1, text) for i, name in enumerate(names)]
        paths.append((path, int(match[2] or 1)))
    moves = [move for path, count in paths for move in list(itertools.pairwise(path)) * count]
    if len(moves) > 4:
        raise InvalidPlayError(f"the play {shown(text)} has {len(moves)} moves; a roll allows four")
    if "/" not in plain and all(_is_rising(start, to) for start, to in moves):
        return [
            (start if start == BAR else 25 - start, to if to == OFF else 25 - to)
            for start, to in moves
        ]
    return moves


def _read_point(name: str, place: int, last: int, text: str) -> int:
    if place == 0 and name.endswith("*"):
        raise InvalidPlayError(f"the play {shown(text)} has a hit where a checker starts")
    name = name.rstrip("*")
    if name in _BARS:
        point = BAR
    elif name in _OFFS:
        point = OFF
    else:
        point = int(name)
    if point > BAR or (point == BAR and place != 0) or (point == OFF and place != last):
        raise InvalidPlayError(f"{shown(name)} cannot stand there in the play {shown(text)}")
    return point


def _is_rising(start: int, to: int) -> bool:
    """Tell whether a move can only be one of a player who counts his points from 24 down to 1."""
    if start == BAR:
        return 1 <= to <= 6
    return start >= 19 if to == OFF else start < to


class Plays(Sequence[Play]):
    """All distinct legal plays of one roll.

    A sequence of `Play`, made as they are asked for. Two plays are distinct if they lead to
    different boards. If there is no legal play it holds one empty `Play`, and `boards` the
    unchanged board. `in`, `index` and `find` take a `Play` or a text; texts are read leniently:
    moves in any order, merged or apart, `*` missing or too many, bar or 25, off or 0, `(2)`,
    capital letters, commas, and as FIBS writes them.

    Parameters
    ----------
    board : BoardBase
        Seen by the player on roll. The game is not over.
    dice : str or iterable of two int
        The roll, see `parse_dice`.
    **house : bool or int
        House rules: `own_limit`, `any_number`, `finish_early`, see `Rules`.

    Raises
    ------
    BoardError
        It is no `Board`, the board is impossible, or the game is over.
    DiceError
        The dice cannot be read.

    Attributes
    ----------
    board : BoardBase
        As given.
    dice : (int, int)
        As given.
    house : dict
        As given.
    boards : (M, 26) int8 array, read-only
        The boards after the plays, still seen by the mover.
    """

    __slots__ = ("_n_steps", "_steps", "board", "boards", "dice", "house", "is_dance")

    board: BoardBase
    dice: tuple[int, int]
    boards: NDArray[np.int8]

    def __init__(self, board: BoardBase, dice: Dice, **house: Any) -> None:
        if not isinstance(board, BoardBase):
            raise BoardError(f"plays are those of a Board, not of {type(board).__name__}")
        self.board = board
        self.dice = parse_dice(dice)
        self.house = house
        if house:
            boards, self._steps, self._n_steps = house_plays(
                board, *self.dice, n_checkers=board.n_checkers, **house
            )
        else:
            boards, self._steps, n_steps = legal_plays(board, *self.dice)
            # by the standard rules all plays of a roll use as many dice
            self._n_steps = np.full(len(boards), n_steps, np.int8)
        #: Whether there is no legal play.
        self.is_dance = len(boards) == 0
        self.boards = np.asarray(board)[np.newaxis] if self.is_dance else boards
        self.boards.flags.writeable = False

    def __len__(self) -> int:
        return len(self.boards)

    @overload
    def __getitem__(self, index: int) -> Play: ...
    @overload
    def __getitem__(self, index: slice) -> list[Play]: ...
    def __getitem__(self, index: int | slice) -> Play | list[Play]:
        chosen = range(len(self))[index]
        if isinstance(chosen, range):
            return [self._play(i) for i in chosen]
        return self._play(chosen)

    def _play(self, i: int) -> Play:
        if self.is_dance:
            return Play()
        play = Play.__new__(Play)  # steps from the core need no checks
        steps = [
            (start, to, hit == 1) for start, to, hit in self._steps[i, : self._n_steps[i]].tolist()
        ]
        object.__setattr__(play, "steps", _in_order(steps))
        return play

    def __contains__(self, play: object) -> bool:
        """Tell whether `find` would return a play."""
        try:
            self.index(play)
        except (InvalidPlayError, IllegalPlayError, AmbiguousPlayError):
            return False
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        # made again from the board and the dice: smaller, and `boards` stays read-only
        return partial(Plays, **self.house), (self.board, self.dice)

    def __repr__(self) -> str:
        house = "".join(f", {name}={value!r}" for name, value in self.house.items())
        return f"Plays({self.board!r}, {self.dice}{house})"

    def __str__(self) -> str:
        return " | ".join(str(play) for play in self)

    def find(self, play: Play | str) -> Play:
        """Return the legal play that a text (or another `Play`) means.

        Parameters
        ----------
        play : str or Play
            See the class.

        Raises
        ------
        InvalidPlayError
            The text cannot be read.
        IllegalPlayError
            No legal play is meant.
        AmbiguousPlayError
            Several legal plays are: a move that leaves out where a checker touched down can
            hit on one way and not on the other.
        """
        return self[self.index(play)]

    def index(self, play: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the number of a legal play, see `find`."""
        is_play = isinstance(play, Play)
        found = self._index_of_play(play) if is_play else self._index_of_text(play)
        if found not in range(len(self))[start:stop]:
            raise IllegalPlayError(
                f"{shown(str(play))} is play {found}, not from {start} to {stop}"
            )
        return found

    def count(self, play: Any) -> int:
        """Return 1 if the play is legal, else 0."""
        return int(play in self)

    def _index_of_play(self, play: Play) -> int:
        if self.is_dance and not play.steps:
            return 0
        moves = [(start, to) for start, to, _ in play.steps]
        if self.is_dance:
            raise self._illegal(str(play), "there is no legal play")
        if len(moves) not in self._n_steps:
            wanted = counted(int(self._n_steps[0]), "die", "dice")
            raise self._illegal(str(play), f"{wanted} must be played")
        found = self._candidates(moves, str(play))
        hits = self._blots_hit(moves)
        if hits != set(play.hits):
            raise self._illegal(str(play), f"it hits on {sorted(hits)}, not {sorted(play.hits)}")
        for i in found:
            if self._hits(i) == hits:
                return i
        raise self._illegal(str(play))

    def _index_of_text(self, text: str) -> int:
        moves = read_moves(text)
        if moves is None:
            if not self.is_dance:
                raise self._illegal(text, "there are legal plays")
            return 0
        if self.is_dance:
            raise self._illegal(text, "there is no legal play")
        if len(moves) == 1 and "/" not in text and moves[0][1] == OFF:
            start = moves[0][0]
            if start <= 6 and self.board[25 - start] > 0:
                # nobody bears off from here with a checker back there: that one has come home
                moves = [(25 - start, OFF)]
        found = self._candidates(moves, text)
        # A landing on a blot is a hit whether it is marked or not. What is left open is a
        # touch-down that the text leaves out: without a hit if there is such a play.
        named = self._blots_hit(moves)
        for i in found:
            if self._hits(i) == named:
                return i
        found = [i for i in found if self._hits(i) >= named]
        if len(found) > 1:
            raise AmbiguousPlayError(
                f"{shown(text)} can mean {' or '.join(str(self._play(i)) for i in found)}"
            )
        if not found:
            raise self._illegal(text)
        return found[0]

    def _candidates(self, moves: list[tuple[int, int]], text: str) -> list[int]:
        """Return the legal plays that put the mover's own checkers where these moves do."""
        own = np.maximum(np.asarray(self.board), 0)
        own[0] = 0
        for start, to in moves:
            if to >= start:
                raise self._illegal(text, f"{start}/{to} does not go forward")
            if to != OFF and self.board[to] < -1:
                raise self._illegal(text, f"the opponent holds point {to}")
            own[start] -= 1
            if to != OFF:
                own[to] += 1
        if not _fit_dice(moves, self.dice):
            raise self._illegal(text, "the moves do not fit the dice")
        if own.min() < 0:
            start = int(own.argmin())
            raise self._illegal(text, f"too few checkers on {_NAMES.get(start, start)}")
        found: list[int] = np.flatnonzero(
            (np.maximum(self.boards, 0)[:, 1:] == own[1:]).all(axis=1)
        ).tolist()
        if not found:
            raise self._illegal(text)
        return found

    def _blots_hit(self, moves: list[tuple[int, int]]) -> set[int]:
        """Return where these moves touch down on a blot."""
        return {to for _, to in moves if to != OFF and self.board[to] == -1}

    def _hits(self, i: int) -> set[int]:
        """Return where a legal play hits."""
        before = np.asarray(self.board)
        return set(np.flatnonzero((before == -1) & (self.boards[i] >= 0)).tolist()) - {0}

    def _illegal(self, text: str, reason: str = "") -> IllegalPlayError:
        die1, die2 = self.dice
        message = f"{shown(text)} is not legal with {die1}-{die2}"
        return IllegalPlayError(f"{message}: {reason}" if reason else message)


def _fit_dice(moves: list[tuple[int, int]], dice: tuple[int, int]) -> bool:
    """Tell whether moves of one or several dice each can have been made with this roll."""
    die1, die2 = dice
    if die1 == die2:
        # How many dice are used follows from the boards before and after, so it needs no check:
        # the sum of ceil(point / die) falls by one with each.
        return all((start - to) % die1 == 0 or to == OFF for start, to in moves)
    if len(moves) == 1:
        start, to = moves[0]
        return start - to in (die1, die2, die1 + die2) or (to == OFF and start < die1 + die2)
    if len(moves) > 2:
        return False
    return any(
        all(
            start - to == die or (to == OFF and start < die)
            for (start, to), die in zip(moves, order, strict=True)
        )
        for order in ((die1, die2), (die2, die1))
    )
