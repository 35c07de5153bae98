"""Both sides of a game and what must be remembered, as bytes, as values and as text."""

from dataclasses import dataclass
from typing import NamedTuple, Self

from bgcore.board import Board
from bgcore.checks import flag, shown
from bgcore.errors import BoardError, VariantError

__all__ = ["Side", "State"]

#: Bytes of a side, and of what it has marked.
SIDE_BYTES = 32
SCORE_BYTES = 3
#: Cells of a side behind its points: the bar, checkers in hand, flags.
BAR = 25
HAND = 26
FLAGS_CELL = 27
#: Flags: a checker has come home; the number of turns, times this; this side began.
WAS_HOME = 1
TURNS = 2
BEGAN = 8
#: Turns are counted up to this number.
MOST_TURNS = 3
#: Bits of a score.
BREDOUILLE = 1
FLAG = 2


class Side(NamedTuple):
    """One side of a state, in its own numbering: 24 is the beginning of its road, 1 the end."""

    #: Checkers on the points 1 to 24; `points[0]` is point 1.
    points: tuple[int, ...]
    #: Checkers that were hit and must enter again.
    bar: int = 0
    #: Checkers that have never entered.
    hand: int = 0
    #: Checkers borne off.
    off: int = 0
    #: Points on which a checker of this side lies pinned under opposing ones.
    pinned: tuple[int, ...] = ()
    #: Turns that this side has finished, up to 3; counted only where the rules ask for it.
    turns: int = 0
    #: Whether a checker has come home; remembered only where the rules ask for it.
    was_home: bool = False
    #: Whether this side began; remembered only where the rules ask for it.
    began: bool = False
    #: Trictrac: points marked towards the next hole.
    marked: int = 0
    #: Trictrac: holes won.
    holes: int = 0
    #: Trictrac: whether the opponent has marked nothing since this side's first of these points.
    bredouille: bool = False
    #: Trictrac: whether the opponent has won no hole since this side's first one.
    flag: bool = False

    @property
    def n_checkers(self) -> int:
        """All checkers of this side, also those borne off."""
        return sum(self.points) + self.bar + self.hand + self.off

    @property
    def pips(self) -> int:
        """Pips to bear off everything; a checker on the bar or in hand has 25."""
        return sum(p * n for p, n in enumerate(self.points, 1)) + 25 * (self.bar + self.hand)

    @property
    def score(self) -> bytes:
        """The 3 bytes of what this side has marked: zeros, but in trictrac; see `State`."""
        return bytes([self.marked, self.holes, self.bredouille * BREDOUILLE | self.flag * FLAG])

    def to_bytes(self) -> bytes:
        """Return the 32 bytes of this side without its score, see `State`."""
        flags = self.was_home * WAS_HOME | self.turns * TURNS | self.began * BEGAN
        counts = (self.off, *self.points, self.bar, self.hand)
        pins = sum(1 << point for point in self.pinned)
        return bytes(counts) + bytes([flags]) + pins.to_bytes(4, "little")

    @classmethod
    def from_bytes(cls, cells: bytes, score: bytes = b"") -> Self:
        """Return the side that 32 bytes, and 3 of a score, describe."""
        flags = cells[FLAGS_CELL]
        marked, holes, bits = score or (0, 0, 0)
        pins = int.from_bytes(cells[28:32], "little")
        return cls(
            tuple(cells[1:25]),
            bar=cells[BAR],
            hand=cells[HAND],
            off=cells[0],
            pinned=tuple(point for point in range(24, 0, -1) if pins >> point & 1) if pins else (),
            turns=flags // TURNS & 3,
            was_home=bool(flags & WAS_HOME),
            began=bool(flags & BEGAN),
            marked=marked,
            holes=holes,
            bredouille=bool(bits & BREDOUILLE),
            flag=bool(bits & FLAG),
        )

    def __str__(self) -> str:
        words = [
            f"{point}:{'pin' if point in self.pinned else self.points[point - 1]}"
            for point in range(24, 0, -1)
            if self.points[point - 1]
        ]
        words += [
            f"{name}:{count}"
            for name, count in (
                ("bar", self.bar),
                ("hand", self.hand),
                ("off", self.off),
                ("turns", self.turns),
                ("marked", self.marked),
                ("holes", self.holes),
            )
            if count
        ]
        marks = zip(_MARKS, (self.was_home, self.began, self.bredouille, self.flag), strict=True)
        return " ".join(words + [name for name, is_set in marks if is_set])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` writes, such as ``24:13 18:pin bar:1 hand:2 off:3 turns:1 home``.

        Raises
        ------
        VariantError
        """
        if not isinstance(text, str):
            raise VariantError(
                f"a side is read from a text such as '24:13 bar:2', not {shown(text)}"
            )
        points = [0] * 24
        counts = dict.fromkeys(("bar", "hand", "off", "turns", "marked", "holes"), 0)
        marks = dict.fromkeys(_MARKS, False)
        pinned: list[int] = []
        seen = set()
        for word in text.split():
            name, _, value = word.partition(":")
            if name in seen:
                raise VariantError(f"{shown(name)} stands twice in {shown(text)}")
            seen.add(name)
            is_pin = value == "pin"
            if name in marks and not value:
                marks[name] = True
            elif name in counts and is_count(value):
                counts[name] = int(value)
            elif (
                name.isascii()
                and name.isdigit()
                and 1 <= int(name) <= 24
                and (is_pin or is_count(value))
            ):
                points[int(name) - 1] = 1 if is_pin else int(value)
                pinned += [int(name)] * is_pin
            else:
                raise VariantError(
                    f"{shown(word)} in a state; right are 13:5, 13:pin, bar:1, hand:15, off:2, "
                    "turns:1, home and began, and in trictrac marked:4, holes:2, bredouille and flag"
                )
        return cls(
            tuple(points),
            bar=counts["bar"],
            hand=counts["hand"],
            off=counts["off"],
            pinned=tuple(sorted(pinned, reverse=True)),
            turns=counts["turns"],
            was_home=marks["home"],
            began=marks["began"],
            marked=counts["marked"],
            holes=counts["holes"],
            bredouille=marks["bredouille"],
            flag=marks["flag"],
        )


#: Words of the text of a side that stand alone.
_MARKS = ("home", "began", "bredouille", "flag")


def _check_side(side: Side) -> None:
    if not isinstance(side, Side):
        raise VariantError(f"a state has two sides, each a Side, not {shown(side)}")
    if not isinstance(side.points, tuple) or not isinstance(side.pinned, tuple):
        raise VariantError(f"points and pins of a side are tuples: {shown(side)}")
    counts = (*side.points, side.bar, side.hand, side.off, side.marked, side.holes)
    if len(side.points) != 24 or not all(type(n) is int and 0 <= n <= 99 for n in counts):
        raise VariantError(f"a side has counts from 0 to 99 for 24 points: {shown(side)}")
    if type(side.turns) is not int or not 0 <= side.turns <= MOST_TURNS:
        raise VariantError(f"the turns of a side go from 0 to 3: {shown(side)}")
    if not all(type(point) is int and 1 <= point <= 24 for point in side.pinned) or (
        len(set(side.pinned)) < len(side.pinned)
    ):
        raise VariantError(f"pins are on points 1-24, each once: {shown(side)}")
    for name, mark in zip(
        _MARKS, (side.was_home, side.began, side.bredouille, side.flag), strict=True
    ):
        flag(mark, f"the mark {name!r} of a side", VariantError)


def is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 2


@dataclass(frozen=True, slots=True)
class State:
    """Everything on the board and what must be remembered, seen by the player on roll.

    Immutable and hashable. Its text is both sides in their own numbering, the player on roll
    first: ``24:13 18:2 / 24:15``; `State.parse` reads it.

    Parameters
    ----------
    cells : bytes
        64 bytes: 32 of the player on roll, then 32 of the opponent. Of each: the number of
        checkers borne off, on the points 1 to 24, on the bar (25) and in hand (26); flags (27);
        the points with a pinned checker, as bits of a little-endian number (28-31).
    score : bytes, default b""
        Empty as long as nothing is marked, as in all games but trictrac; else 3 bytes of each side:
        points, holes, and bits (1: the hole can be won double, 2: all holes were won in a row).

    Raises
    ------
    VariantError
        Not so many bytes. Whether a state fits the rules of a game: `VariantRules.check`.
    """

    cells: bytes
    score: bytes = b""

    def __post_init__(self) -> None:
        if not isinstance(self.cells, bytes) or len(self.cells) != 2 * SIDE_BYTES:
            raise VariantError(f"a state is made of {2 * SIDE_BYTES} bytes; see State.of and parse")
        if not isinstance(self.score, bytes) or (
            self.score and (len(self.score) != 2 * SCORE_BYTES or not any(self.score))
        ):
            raise VariantError(f"a score is made of {2 * SCORE_BYTES} bytes, or empty for nothing")

    @classmethod
    def of(cls, own: Side, opponent: Side) -> Self:
        """Return the state with these sides, the player on roll first."""
        for side in (own, opponent):
            _check_side(side)
        score = own.score + opponent.score
        return cls(own.to_bytes() + opponent.to_bytes(), score if any(score) else b"")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` writes.

        Raises
        ------
        VariantError
        """
        if not isinstance(text, str):
            raise VariantError(f"a state is read from a text '24:15 / 24:15', not {shown(text)}")
        own, slash, opponent = text.partition("/")
        if not slash:
            raise VariantError(f"{shown(text)} needs a slash between the two sides")
        return cls.of(Side.parse(own), Side.parse(opponent))

    @classmethod
    def from_board(cls, board: Board) -> Self:
        """Return the state of a standard board.

        Raises
        ------
        VariantError
            It is no `Board`.
        """
        if not isinstance(board, Board):
            raise VariantError(f"a state is made from a Board, not {shown(board)}")
        cells = board.to_list()
        n = board.n_checkers
        own = [max(cells[i], 0) for i in range(26)]
        opp = [max(-cells[25 - i], 0) for i in range(26)]
        return cls.of(
            Side(tuple(own[1:25]), bar=own[25], off=n - sum(own)),
            Side(tuple(opp[1:25]), bar=opp[25], off=n - sum(opp)),
        )

    def to_board(self) -> Board:
        """Return the standard board: sides in opposite directions, no hands, no pins.

        Raises
        ------
        BoardError
            A board cannot hold this state.
        """
        own, opp = self.own, self.opponent
        shared = any(own.points[p - 1] and opp.points[24 - p] for p in range(1, 25))
        if own.hand or opp.hand or shared or own.n_checkers != opp.n_checkers:
            raise BoardError(f"a standard board cannot hold the state {self}")
        points = [own.points[p - 1] - opp.points[24 - p] for p in range(1, 25)]
        return Board([-opp.bar, *points, own.bar], n_checkers=own.n_checkers)

    @property
    def own(self) -> Side:
        """The side of the player on roll."""
        return Side.from_bytes(self.cells[:SIDE_BYTES], self.score[:SCORE_BYTES])

    @property
    def opponent(self) -> Side:
        """The side of the opponent."""
        return Side.from_bytes(self.cells[SIDE_BYTES:], self.score[SCORE_BYTES:])

    def swapped(self) -> Self:
        """Return the same state seen by the other side."""
        return type(self)(
            self.cells[SIDE_BYTES:] + self.cells[:SIDE_BYTES],
            self.score[SCORE_BYTES:] + self.score[:SCORE_BYTES],
        )

    def __str__(self) -> str:
        return f"{self.own} / {self.opponent}"
