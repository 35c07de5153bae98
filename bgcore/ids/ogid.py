"""OGIDs, the position IDs of OpenGammon: one line for board, cube, dice and score.

`WHITE:BLACK:CUBE:DICE:ACTED:STATE:SCORE W:SCORE B:LENGTH:MOVE[:CHECKERS]`, with or without `OGID=`.
The first two fields hold one letter for each checker: `0`-`9` and `a`-`p` are the points 0 to 25 as
Black counts them, whoever is on roll; 0 is White's bar and 25 Black's; `q` is a checker borne off.
ACTED names the player who reached the position, so the OTHER one is on roll; with an open double it
names the doubler. Only an unrolled start of a game (`IW`) has White on roll all the same.

The format belongs to HedgeHog (docs/OGID.md); here it is read as the MIT-licensed programs
AnkiGammon and GammonView read it, from whose tests the pairs of OGID and XGID come. Black is the
bottom player of the XGIDs there.
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from bgcore.errors import IdError
from bgcore.ids.position_id import check_cells

PREFIX: Final = "OGID="
#: Cubes up to 2**15.
MAX_CUBE_LOG2: Final = 15
#: A bound against nonsense, as for XGIDs.
MAX_POINTS: Final = 99_999
#: What tells an OGID from an XGID: two fields of points and a cube.
SHAPE: Final = re.compile(r"[0-9a-q]*:[0-9a-q]*:[WBND?][0-9]+[NOTP](?::.*)?", re.DOTALL)

_POINTS = "0123456789abcdefghijklmnop"
_OFF = "q"
_FIELDS = (
    "White's checkers",
    "Black's checkers",
    "cube",
    "dice",
    "who acted",
    "state",
    "White's score",
    "Black's score",
    "match length",
    "move number",
    "checkers of a side",
)
_COLOURS = {"W": "White", "B": "Black"}
#: States of a game or match that is over.
_OVER = frozenset(("G", "M", "P", "RG", "RM"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ogid:
    """All fields of one OGID.

    Attributes
    ----------
    cells : tuple of int
        The 26 cells seen by Black: his checkers are positive.
    cube_log2 : int
        0 for a cube of 1, 1 for 2 and so on.
    cube_owner : {"N", "W", "B", "D", "?"}
        Nobody, White, Black; D a cube that nobody may turn; ? not set.
    cube_action : {"N", "O", "T", "P"}
        Nothing, a double is offered, was taken, was passed.
    dice : (int, int) or None
        As written; None if nothing is rolled.
    acted : {"W", "B"}
        Who reached the position.
    state : str
        State of the game: up to two letters, such as R rolled, C before the roll, D doubled.
    scores : (int, int)
        Points won so far by White and by Black.
    length : int
        Match length in points, 0 for money.
    modifier : str
        "" or C for the Crawford game, L after it, G and a number of games for a series.
    move_number : int
    n_checkers : int
        Checkers of one side by the rules.
    """

    cells: tuple[int, ...]
    cube_log2: int = 0
    cube_owner: str = "N"
    cube_action: str = "N"
    dice: tuple[int, int] | None = None
    acted: str = "W"
    state: str = ""
    scores: tuple[int, int] = (0, 0)
    length: int = 0
    modifier: str = ""
    move_number: int = 0
    n_checkers: int = 15

    @property
    def on_roll(self) -> str:
        """W or B: whose turn it is, also while the other one has to answer a double."""
        if self.cube_action == "O":
            return self.acted
        if self.state == "IW" and self.dice is None:
            return "W"
        return "B" if self.acted == "W" else "W"

    @property
    def cells_on_roll(self) -> tuple[int, ...]:
        """The 26 cells seen by the player on roll."""
        if self.on_roll == "B":
            return self.cells
        return tuple(-count for count in reversed(self.cells))

    def __str__(self) -> str:
        """Return the OGID as HedgeHog writes it: letters and dice in rising order, no prefix."""
        black = "".join(_POINTS[i] * max(count, 0) for i, count in enumerate(self.cells))
        white = "".join(_POINTS[i] * max(-count, 0) for i, count in enumerate(self.cells))
        dice = "" if self.dice is None else "".join(map(str, sorted(self.dice)))
        fields = [
            white,
            black,
            f"{self.cube_owner}{self.cube_log2}{self.cube_action}",
            dice,
            self.acted,
            self.state,
            *self.scores,
            f"{self.length}{self.modifier}",
            self.move_number,
        ]
        if self.n_checkers != 15:
            fields.append(self.n_checkers)
        return ":".join(map(str, fields))


def parse_ogid(text: str) -> Ogid:
    """Read an OGID.

    Parameters
    ----------
    text : str
        With or without `OGID=`; the fields after the fifth may be missing.

    Returns
    -------
    Ogid

    Raises
    ------
    IdError
        A field is missing, too many, or out of its range; the board is impossible; a score is not
        below the match length; the game is over by a pass or resignation. The message names the
        field.

    Examples
    --------
    >>> parse_ogid("11ccccchhhjjjjj:66666888dddddoo:N0N:31:B:R:0:0:0").on_roll
    'W'
    """
    if not isinstance(text, str):
        raise IdError(f"an OGID is a text, not {type(text).__name__}")
    fields = text.removeprefix(PREFIX).split(":")
    if not 5 <= len(fields) <= len(_FIELDS):
        raise IdError(
            f"{text!r} has {len(fields)} fields; an OGID has 5 to {len(_FIELDS)}"
            f" ({', '.join(_FIELDS)})"
        )
    given = fields + ["", "0", "0", "0", "0", "15"][len(fields) - 5 :]
    cube = re.fullmatch(r"([WBND?])([0-9]{1,2})([NOTP])", given[2])
    if cube is None or int(cube[2]) > MAX_CUBE_LOG2:
        raise IdError(
            f"{text!r}: the cube is {given[2]!r}; right is an owner (W, B, N, D), the cube as a"
            f" power of 2 (0 to {MAX_CUBE_LOG2}) and an action (N, O, T, P), such as N0N"
        )
    length = re.fullmatch(r"([0-9]{0,5})(C|L|G[0-9]{1,4}|)", given[8])
    if length is None:
        raise IdError(
            f"{text!r}: the match length is {given[8]!r}; right are forms such as 7, 7C, 7L or 0"
        )
    if given[4] not in _COLOURS:
        raise IdError(f"{text!r}: who acted is {given[4]!r}; right are W and B")
    if re.fullmatch(r"[A-Z]{0,2}", given[5]) is None:
        raise IdError(f"{text!r}: the state is {given[5]!r}; it has up to two capital letters")
    points = int(length[1] or 0)
    most = points - 1 if points else MAX_POINTS
    n_checkers = _number(given[10], _FIELDS[10], 1, 15, text)
    ogid = Ogid(
        cells=_cells(given[0], given[1], n_checkers, text),
        cube_log2=int(cube[2]),
        cube_owner=cube[1],
        cube_action=cube[3],
        dice=_dice(given[3], text),
        acted=given[4],
        state=given[5],
        scores=(
            _number(given[6] or "0", _FIELDS[6], 0, most, text),
            _number(given[7] or "0", _FIELDS[7], 0, most, text),
        ),
        length=points,
        modifier=length[2],
        move_number=_number(given[9] or "0", _FIELDS[9], 0, MAX_POINTS, text),
        n_checkers=n_checkers,
    )
    if wrong := _what_is_wrong(ogid):
        raise IdError(f"{text!r}: {wrong}")
    return ogid


def _number(text: str, field: str, low: int, high: int, ogid: str) -> int:
    if re.fullmatch(r"0|[1-9][0-9]{0,5}", text) is None or not low <= int(text) <= high:
        raise IdError(f"{ogid!r}: {field} is {text!r}; it is a number from {low} to {high}")
    return int(text)


def _dice(text: str, ogid: str) -> tuple[int, int] | None:
    if not text:
        return None
    if re.fullmatch(r"[1-6][1-6]", text) is None:
        raise IdError(f"{ogid!r}: the dice are {text!r}; right are two digits from 1 to 6, or none")
    return int(text[0]), int(text[1])


def _cells(white: str, black: str, n_checkers: int, ogid: str) -> tuple[int, ...]:
    """Return the cells seen by Black."""
    cells = np.zeros(26, dtype=np.int8)
    for name, letters, sign, foreign in (("White", white, -1, 25), ("Black", black, 1, 0)):
        if len(letters) > n_checkers:
            raise IdError(
                f"{ogid!r}: {name} has {len(letters)} checkers; a side has {n_checkers} at most"
            )
        for letter in letters:
            if letter == _OFF:
                continue
            point = _POINTS.find(letter)
            if point < 0:
                raise IdError(
                    f"{ogid!r}: {letter!r} among the checkers of {name}; right are 0-9 and a-q"
                )
            if point == foreign:
                raise IdError(f"{ogid!r}: {name} has a checker on the bar of the other side")
            if cells[point] * sign < 0:
                raise IdError(f"{ogid!r}: both sides have checkers on point {point}")
            cells[point] += sign
    check_cells(cells, ogid, n_checkers)
    return tuple(cells.tolist())


def _what_is_wrong(ogid: Ogid) -> str:
    """Name the first thing that fields tell against each other; empty if there is none."""
    if ogid.modifier == "C" and not ogid.length:
        return "a Crawford game without a match length"
    if ogid.cube_action == "O" and ogid.dice is not None:
        return "a double is offered, and the dice are rolled already"
    is_played_out = min(ogid.cells) >= 0 or max(ogid.cells) <= 0
    if ogid.cube_action == "P" or (ogid.state in _OVER and not is_played_out):
        return "the game is over by a pass or a resignation; such an end is no position"
    return ""
