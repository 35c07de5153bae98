"""XGIDs: one line for a whole position, board, cube, dice and score.

`XGID=` and ten fields separated by colons; the first holds 26 letters from the view of the
bottom player, whoever is to act: the bar of the top player, the points 1-24 as the bottom player
counts them, the bar of the bottom player. `A`-`O` are 1-15 checkers of the bottom player, `a`-`o`
of the top player, `-` is empty.

No official description exists; this is what XG and BGBlitz write and what GNU Backgammon reads.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import BoardBase
from bgcore.checks import counted
from bgcore.errors import IdError
from bgcore.ids.position_id import check_cells

PREFIX = "XGID="
#: GNU Backgammon reads cubes up to 2**12.
MAX_CUBE_LOG2 = 12
#: A bound against nonsense; GNU Backgammon plays matches up to 64 points, XG up to 99.
MAX_POINTS = 99_999

_FIELDS = (
    "board",
    "cube",
    "cube owner",
    "turn",
    "dice",
    "score of the bottom player",
    "score of the top player",
    "rules",
    "match length",
    "largest cube",
)


@dataclass(frozen=True, slots=True)
class Xgid:
    """All fields of one XGID. "Bottom" and "top" are the two players as XG draws them.

    Attributes
    ----------
    cells : tuple of int
        The 26 cells seen by the bottom player: his checkers are positive.
    cube_log2 : int
        0 for a cube of 1, 1 for 2 and so on. With `action` it is the cube before the double.
    cube_owner : int
        1 bottom, -1 top, 0 in the middle.
    turn : int
        The player to act on the dice: 1 bottom, -1 top. With `action` it is the player whose
        double (or beaver, or raccoon) waits for the answer.
    dice : (int, int) or None
        As written; None if nothing is rolled.
    action : str
        "" or "D" doubled, "B" beavered, "R" raccooned.
    score_bottom, score_top : int
        Points won so far.
    rules : int
        In a match 1 in the Crawford game; for money 1 Jacoby + 2 beavers.
    length : int
        Match length in points, 0 for money.
    max_cube_log2 : int or None
        The largest cube; None if the field is missing.
    """

    cells: tuple[int, ...]
    cube_log2: int
    cube_owner: int
    turn: int
    dice: tuple[int, int] | None
    action: str
    score_bottom: int
    score_top: int
    rules: int
    length: int
    max_cube_log2: int | None

    @property
    def is_crawford(self) -> bool:
        """Whether this is the Crawford game of a match."""
        return self.length > 0 and self.rules == 1

    @property
    def has_jacoby(self) -> bool:
        """Whether the Jacoby rule holds (money only)."""
        return self.length == 0 and self.rules & 1 == 1

    @property
    def has_beavers(self) -> bool:
        """Whether beavers are allowed (money only)."""
        return self.length == 0 and self.rules & 2 == 2

    @property
    def cells_on_roll(self) -> tuple[int, ...]:
        """The 26 cells seen by the player of `turn`."""
        if self.turn == 1:
            return self.cells
        return tuple(-count for count in reversed(self.cells))

    def __str__(self) -> str:
        dice = self.action or ("00" if self.dice is None else f"{self.dice[0]}{self.dice[1]}")
        fields = [
            encode_xgid_board(self.cells),
            self.cube_log2,
            self.cube_owner,
            self.turn,
            dice,
            self.score_bottom,
            self.score_top,
            self.rules,
            self.length,
        ]
        if self.max_cube_log2 is not None:
            fields.append(self.max_cube_log2)
        return PREFIX + ":".join(str(field) for field in fields)


def encode_xgid_board(cells: BoardBase | tuple[int, ...]) -> str:
    """Return the 26 letters of a board; the player it is seen by is the bottom player.

    Parameters
    ----------
    cells : BoardBase or tuple of int
        26 cells from -15 to 15.
    """
    return "".join(
        "-" if count == 0 else chr((64 if count > 0 else 96) + abs(count)) for count in cells
    )


def decode_xgid_board(text: str, *, n_checkers: int = 15) -> NDArray[np.int8]:
    """Return the 26 cells of the first field of an XGID, seen by the bottom player.

    Parameters
    ----------
    text : str
        26 letters.
    n_checkers : int, default 15
        Checkers of one side by the rules; what is missing is borne off.

    Returns
    -------
    (26,) int8 array

    Raises
    ------
    IdError
        Wrong length or letter, or an impossible board.
    """
    if not isinstance(text, str):
        raise IdError(f"the board of an XGID is a text of 26 letters, not {type(text).__name__}")
    if len(text) != 26:
        raise IdError(
            f"the board {text!r} has {counted(len(text), 'letter')}; the board of an XGID has 26"
        )
    cells = np.zeros(26, dtype=np.int8)
    for i, letter in enumerate(text):
        if "A" <= letter <= "O":
            cells[i] = ord(letter) - 64
        elif "a" <= letter <= "o":
            cells[i] = 96 - ord(letter)
        elif letter != "-":
            raise IdError(
                f"the board {text!r} has {letter!r} at index {i}; right are A-O, a-o and -"
            )
    check_cells(cells, text, n_checkers)
    return cells


def _number(text: str, field: str, low: int, high: int, xgid: str) -> int:
    # one way of writing each number: no leading zeros, no plus, no -0
    if re.fullmatch(r"0|-?[1-9][0-9]{0,5}", text) is None or not low <= int(text) <= high:
        raise IdError(f"{xgid!r}: {field} is {text!r}; it is a number from {low} to {high}")
    return int(text)


def parse_xgid(text: str, *, n_checkers: int = 15) -> Xgid:
    """Read an XGID.

    Each field is checked alone and the scores against the match length. Whether the others agree
    (a cube of 1 that is owned, a Crawford game in which nobody needs one point) is not.

    Parameters
    ----------
    text : str
        With or without `XGID=`; the tenth field (largest cube) may be missing.
    n_checkers : int, default 15
        Checkers of one side by the rules.

    Returns
    -------
    Xgid

    Raises
    ------
    IdError
        A field is missing, too many, or out of its range; the board is impossible; a score is
        not below the match length. The message names the field.
    """
    if not isinstance(text, str):
        raise IdError(f"an XGID is a text, not {type(text).__name__}")
    fields = text.removeprefix(PREFIX).split(":")
    if len(fields) not in (9, 10):
        raise IdError(
            f"{text!r} has {counted(len(fields), 'field')}; an XGID has 9 or 10 ({', '.join(_FIELDS)})"
        )
    try:
        cells = decode_xgid_board(fields[0], n_checkers=n_checkers)
    except IdError as error:
        raise IdError(f"{text!r}: {error}") from None
    cube_log2 = _number(fields[1], "the cube (log2)", 0, MAX_CUBE_LOG2, text)
    cube_owner = _number(fields[2], "the cube owner", -1, 1, text)
    turn = _number(fields[3], "the turn", -1, 1, text)
    if turn == 0:
        raise IdError(f"{text!r}: the turn is 0; it is 1 (bottom player) or -1 (top player)")
    dice, action = _dice(fields[4], text)
    length = _number(fields[8], "the match length", 0, MAX_POINTS, text)
    rules = _number(fields[7], "the rules field", 0, 1 if length else 3, text)
    most = length - 1 if length else MAX_POINTS
    score_bottom = _number(fields[5], "the score of the bottom player", 0, most, text)
    score_top = _number(fields[6], "the score of the top player", 0, most, text)
    max_cube_log2 = None
    if len(fields) == 10:
        max_cube_log2 = _number(fields[9], "the largest cube (log2)", 0, MAX_CUBE_LOG2, text)
    return Xgid(
        cells=tuple(cells.tolist()),
        cube_log2=cube_log2,
        cube_owner=cube_owner,
        turn=turn,
        dice=dice,
        action=action,
        score_bottom=score_bottom,
        score_top=score_top,
        rules=rules,
        length=length,
        max_cube_log2=max_cube_log2,
    )


def _dice(field: str, xgid: str) -> tuple[tuple[int, int] | None, str]:
    if field in ("D", "B", "R"):
        return None, field
    if field == "00":
        return None, ""
    if re.fullmatch(r"[1-6][1-6]", field) is None:
        raise IdError(
            f"{xgid!r}: the dice are {field!r}; right are 00, two digits from 1 to 6, D, B or R"
        )
    return (int(field[0]), int(field[1])), ""
