"""FIBS board lines: what the First Internet Backgammon Server sends as `board:` with style 3.

53 fields separated by colons: `board`, the names of the player and of the opponent, the match
length (9999 is unlimited: money), their points; 26 numbers for the bars and points, O positive and
X negative; whose turn it is (1 O, -1 X, 0 the game is over); two dice of the player and two of the
opponent; the cube; who may double, the player and the opponent; whether the opponent has just
doubled; the player's colour; his direction (-1 plays from 24 to 1); home and bar (0 and 25 or 25
and 0); checkers borne off by both; on the bar of both; how many checkers can be moved; three fields
whose meaning FIBS does not give away: forced moves, the Crawford game is past, instant redoubles.

Sources: FIBS Client Protocol Detailed Specification (E. McLean), and for what it leaves out GNU
Backgammon's reader of such lines: after the player's own double both "may double" are 0; in a match
in which somebody needs one point the 52nd field is 0 in the Crawford game alone (3 if the match is
played without that rule). A double that waits shows the cube before it.
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from bgcore.errors import IdError
from bgcore.ids.position_id import check_cells

PREFIX: Final = "board:"
UNLIMITED: Final = 9999
#: FIBS plays matches up to 99 points; longer ones fit the format.
MAX_LENGTH: Final = 9998
MAX_CUBE: Final = 1 << 15

_NAME = re.compile(r"[^:\s]{1,64}")
_N_FIELDS = 53
_N_CHECKERS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class FibsBoard:
    """What a FIBS board line tells. The "player" is the one named first.

    Attributes
    ----------
    cells : tuple of int
        The 26 cells seen by the player: his checkers are positive.
    player, opponent : str
        Their names; FIBS writes You for the reader.
    length : int
        Match length in points, 0 for unlimited.
    scores : (int, int)
        Points of the player and of the opponent.
    turn : {1, -1, 0}
        1 the player, -1 the opponent, 0 the game is over. A double does not change it.
    dice, opponent_dice : (int, int) or None
        What each of them rolled last; None if nothing is shown.
    cube : int
    may_double : (bool, bool)
        The player, the opponent.
    was_doubled : bool
        The opponent has just doubled.
    colour : {1, -1}
        The player is O or X.
    direction : {-1, 1}
        -1 if the player goes from 24 to 1 in the numbers of the line.
    can_move : int
        How many checkers the player can move, 0 to 4.
    forced_move, did_crawford, redoubles : int
        As written.
    """

    cells: tuple[int, ...]
    player: str = "You"
    opponent: str = "Opponent"
    length: int = 0
    scores: tuple[int, int] = (0, 0)
    turn: int = 1
    dice: tuple[int, int] | None = None
    opponent_dice: tuple[int, int] | None = None
    cube: int = 1
    may_double: tuple[bool, bool] = (True, True)
    was_doubled: bool = False
    colour: int = 1
    direction: int = -1
    can_move: int = 0
    forced_move: int = 0
    did_crawford: int = 0
    redoubles: int = 0

    @property
    def cells_on_roll(self) -> tuple[int, ...]:
        """The 26 cells seen by the player whose turn it is; by the player if the game is over."""
        if self.turn >= 0:
            return self.cells
        return tuple(-count for count in reversed(self.cells))

    @property
    def dice_on_roll(self) -> tuple[int, int] | None:
        """The dice of the player whose turn it is."""
        return {1: self.dice, -1: self.opponent_dice}.get(self.turn)

    def __str__(self) -> str:
        cells = self.cells if self.direction == -1 else tuple(reversed(self.cells))
        own = [max(count, 0) for count in self.cells]
        other = [max(-count, 0) for count in self.cells]
        fields = [
            "board",
            self.player,
            self.opponent,
            self.length or UNLIMITED,
            *self.scores,
            *(self.colour * count for count in cells),
            self.colour * self.turn,
            *(self.dice or (0, 0)),
            *(self.opponent_dice or (0, 0)),
            self.cube,
            *map(int, self.may_double),
            int(self.was_doubled),
            self.colour,
            self.direction,
            *((0, 25) if self.direction == -1 else (25, 0)),
            _N_CHECKERS - sum(own),
            _N_CHECKERS - sum(other),
            own[25],
            other[0],
            self.can_move,
            self.forced_move,
            self.did_crawford,
            self.redoubles,
        ]
        return ":".join(map(str, fields))


def parse_fibs_board(text: str) -> FibsBoard:
    """Read a FIBS board line.

    Parameters
    ----------
    text : str
        53 fields, from `board:` on.

    Returns
    -------
    FibsBoard

    Raises
    ------
    IdError
        A field is missing, too many, or out of its range; the board is impossible; fields tell
        different things. The message names the field.

    Examples
    --------
    >>> line = (
    ...     "board:You:someplayer:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:"
    ...     "1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
    ... )
    >>> parse_fibs_board(line).dice
    (6, 2)
    """
    if not isinstance(text, str):
        raise IdError(f"a FIBS board line is a text, not {type(text).__name__}")
    fields = text.split(":")
    if fields[0] != "board" or len(fields) != _N_FIELDS:
        raise IdError(
            f"{text!r} has {len(fields)} fields; a FIBS board line has {_N_FIELDS}, the first is"
            " 'board'"
        )
    read = _Fields(fields, text)
    player, opponent = read.name(1, "the player's name"), read.name(2, "the opponent's name")
    length = read.number(3, "the match length", 1, UNLIMITED)
    length = 0 if length == UNLIMITED else length
    most = length - 1 if length else 99_999
    scores = (
        read.number(4, "the player's score", 0, most),
        read.number(5, "the opponent's score", 0, most),
    )
    turn = read.number(32, "the turn", -1, 1)
    colour = read.sign(41, "the colour")
    direction = read.sign(42, "the direction")
    cube = read.number(37, "the cube", 1, MAX_CUBE)
    if cube & (cube - 1):
        raise IdError(f"{text!r}: the cube is {cube}; it is a power of 2")
    board = FibsBoard(
        cells=read.cells(colour, direction),
        player=player,
        opponent=opponent,
        length=length,
        scores=scores,
        turn=turn * colour,
        dice=read.dice(33, "the player's dice"),
        opponent_dice=read.dice(35, "the opponent's dice"),
        cube=cube,
        may_double=(
            bool(read.number(38, "whether the player may double", 0, 1)),
            bool(read.number(39, "whether the opponent may double", 0, 1)),
        ),
        was_doubled=bool(read.number(40, "whether the opponent has doubled", 0, 1)),
        colour=colour,
        direction=direction,
        can_move=read.number(49, "how many checkers can move", 0, 4),
        forced_move=read.number(50, "the forced moves", 0, 99),
        did_crawford=read.number(51, "whether the Crawford game is past", 0, 9),
        redoubles=read.number(52, "the instant redoubles", 0, 999),
    )
    read.check_counts(board)
    if board.was_doubled and turn * colour != -1:
        raise IdError(f"{text!r}: the opponent has doubled, but it is not his turn")
    if board.was_doubled and board.opponent_dice is not None:
        raise IdError(f"{text!r}: the opponent has doubled, and his dice are rolled already")
    return board


class _Fields:
    """The fields of one line, with messages that name them."""

    __slots__ = ("fields", "text")

    def __init__(self, fields: list[str], text: str) -> None:
        self.fields = fields
        self.text = text

    def name(self, i: int, what: str) -> str:
        if _NAME.fullmatch(self.fields[i]) is None:
            raise IdError(
                f"{self.text!r}: {what} is {self.fields[i]!r}; it has 1 to 64 letters, no space"
            )
        return self.fields[i]

    def number(self, i: int, what: str, low: int, high: int) -> int:
        field = self.fields[i]
        if re.fullmatch(r"0|-?[1-9][0-9]{0,5}", field) is None or not low <= int(field) <= high:
            raise IdError(
                f"{self.text!r}: {what} (field {i + 1}) is {field!r}; it is a number from {low} to"
                f" {high}"
            )
        return int(field)

    def sign(self, i: int, what: str) -> int:
        number = self.number(i, what, -1, 1)
        if number == 0:
            raise IdError(f"{self.text!r}: {what} (field {i + 1}) is 0; it is 1 or -1")
        return number

    def dice(self, i: int, what: str) -> tuple[int, int] | None:
        die1, die2 = self.number(i, what, 0, 6), self.number(i + 1, what, 0, 6)
        if (die1 == 0) != (die2 == 0):
            raise IdError(f"{self.text!r}: {what} are {die1} and {die2}; both are rolled or none")
        return (die1, die2) if die1 else None

    def cells(self, colour: int, direction: int) -> tuple[int, ...]:
        written = [self.number(6 + i, f"point {i}", -15, 15) for i in range(26)]
        if direction == 1:
            written.reverse()
        cells = np.array([colour * count for count in written], dtype=np.int8)
        check_cells(cells, self.text, _N_CHECKERS)
        return tuple(cells.tolist())

    def check_counts(self, board: FibsBoard) -> None:
        """Compare what the line says twice. Some programs leave the numbers on the bar at 0."""
        home, bar = (0, 25) if board.direction == -1 else (25, 0)
        own = [max(count, 0) for count in board.cells]
        other = [max(-count, 0) for count in board.cells]
        for i, what, right in (
            (43, "the player's home", (home,)),
            (44, "the player's bar", (bar,)),
            (45, "the checkers the player has borne off", (_N_CHECKERS - sum(own),)),
            (46, "the checkers the opponent has borne off", (_N_CHECKERS - sum(other),)),
            (47, "the player's checkers on the bar", (own[25], 0)),
            (48, "the opponent's checkers on the bar", (other[0], 0)),
        ):
            number = self.number(i, what, 0, 25)
            if number not in right:
                raise IdError(
                    f"{self.text!r}: {what} (field {i + 1}) is {number}; by the board it is"
                    f" {right[0]}"
                )
