"""Both sides of a game and what must be remembered, as bytes, as values and as text."""

from dataclasses import dataclass
from typing import NamedTuple, Self

from bgcore.board import Board
from bgcore.errors import BoardError, VariantError

__all__ = ["Side", "State"]

#: Bytes of a side.
SIDE_BYTES = 32
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

    @property
    def n_checkers(self) -> int:
        """All checkers of this side, also those borne off."""
        return sum(self.points) + self.bar + self.hand + self.off

    @property
    def pips(self) -> int:
        """Pips to bear off everything; a checker on the bar or in hand has 25."""
        return sum(p * n for p, n in enumerate(self.points, 1)) + 25 * (self.bar + self.hand)

    def to_bytes(self) -> bytes:
        """Return the 32 bytes of this side, see `State`."""
        flags = self.was_home * WAS_HOME | self.turns * TURNS | self.began * BEGAN
        counts = (self.off, *self.points, self.bar, self.hand)
        pins = sum(1 << point for point in self.pinned)
        return bytes(counts) + bytes([flags]) + pins.to_bytes(4, "little")

    @classmethod
    def from_bytes(cls, cells: bytes) -> Self:
        """Return the side that 32 bytes describe."""
        flags = cells[FLAGS_CELL]
        pins = int.from_bytes(cells[28:32], "little")
        return cls(
            tuple(cells[1:25]),
            bar=cells[BAR],
            hand=cells[HAND],
            off=cells[0],
            pinned=tuple(point for point in range(24, 0, -1) if pins >> point & 1),
            turns=flags // TURNS & 3,
            was_home=bool(flags & WAS_HOME),
            began=bool(flags & BEGAN),
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
            )
            if count
        ]
        words += ["home"] * self.was_home + ["began"] * self.began
        return " ".join(words)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` writes, such as ``24:13 18:pin bar:1 hand:2 off:3 turns:1 home``.

        Raises
        ------
        VariantError
        """
        points = [0] * 24
        counts = {"bar": 0, "hand": 0, "off": 0, "turns": 0}
        marks = {"home": False, "began": False}
        pinned: list[int] = []
        seen = set()
        for word in text.split():
            name, _, value = word.partition(":")
            if name in seen:
                raise VariantError(f"{name!r} stands twice in {text!r}")
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
                    f"{word!r} in a state; right are 13:5, 13:pin, bar:1, hand:15, off:2, "
                    "turns:1, home and began"
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
        )


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

    Raises
    ------
    VariantError
        Not 64 bytes. Whether a state fits the rules of a game: `VariantRules.check`.
    """

    cells: bytes

    def __post_init__(self) -> None:
        if not isinstance(self.cells, bytes) or len(self.cells) != 2 * SIDE_BYTES:
            raise VariantError(f"a state is made of {2 * SIDE_BYTES} bytes; see State.of and parse")

    @classmethod
    def of(cls, own: Side, opponent: Side) -> Self:
        """Return the state with these sides, the player on roll first."""
        for side in (own, opponent):
            if len(side.points) != 24 or not all(
                isinstance(n, int) and 0 <= n <= 99
                for n in (*side.points, side.bar, side.hand, side.off)
            ):
                raise VariantError(f"a side has counts from 0 to 99 for 24 points: {side!r}")
            if side.turns not in range(MOST_TURNS + 1) or not set(side.pinned) <= set(range(1, 25)):
                raise VariantError(f"pins are on points 1-24, turns go from 0 to 3: {side!r}")
        return cls(own.to_bytes() + opponent.to_bytes())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` writes.

        Raises
        ------
        VariantError
        """
        own, slash, opponent = text.partition("/")
        if not slash:
            raise VariantError(f"{text!r} needs a slash between the two sides")
        return cls.of(Side.parse(own), Side.parse(opponent))

    @classmethod
    def from_board(cls, board: Board) -> Self:
        """Return the state of a standard board."""
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
        return Side.from_bytes(self.cells[:SIDE_BYTES])

    @property
    def opponent(self) -> Side:
        """The side of the opponent."""
        return Side.from_bytes(self.cells[SIDE_BYTES:])

    def swapped(self) -> Self:
        """Return the same state seen by the other side."""
        return type(self)(self.cells[SIDE_BYTES:] + self.cells[:SIDE_BYTES])

    def __str__(self) -> str:
        return f"{self.own} / {self.opponent}"
