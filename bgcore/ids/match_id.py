"""GNU Backgammon's match ID: cube, score, dice and whose turn it is, in 12 characters.

A match ID goes with a position ID. Player 0 is the upper player of a diagram ("O"), player 1 the
lower one ("X").

Source: GNU Backgammon manual, "A technical description of the Match ID". Newer programs write
bit 66, "Jacoby rule off"; older IDs lack it, which means "on".
"""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bgcore.errors import IdError

_SHAPE = re.compile(r"[A-Za-z0-9+/]{12}")
_N_BITS = 67
_LARGEST_EXPONENT = 12
#: Field, first bit, number of bits.
_LAYOUT = (
    ("exponent", 0, 4),
    ("owner", 4, 2),
    ("roller", 6, 1),
    ("crawford", 7, 1),
    ("game_state", 8, 3),
    ("decider", 11, 1),
    ("doubled", 12, 1),
    ("resigned", 13, 2),
    ("die1", 15, 3),
    ("die2", 18, 3),
    ("length", 21, 15),
    ("score0", 36, 15),
    ("score1", 51, 15),
    ("no_jacoby", 66, 1),
)
_CENTRED = 3


@dataclass(frozen=True, slots=True)
class MatchState:
    """What a match ID holds.

    Attributes
    ----------
    cube : int
        Value of the cube, 1 to 4096.
    cube_owner : int or None
        0 or 1; None when the cube is in the middle.
    roller : int
        0 or 1: whose turn it is, who rolls or has rolled.
    decider : int
        0 or 1: who must decide now; not the roller while a double or a resignation is open.
    dice : (int, int) or None
        As written; None before the roll.
    crawford : bool
    game_state : int
        0 not started, 1 playing, 2 over, 3 resigned, 4 ended by a pass.
    doubled : bool
        A double is offered and not answered.
    resigned : int
        Resignation offered: 0 none, 1 single, 2 gammon, 3 backgammon.
    length : int
        Points of the match, 0 for money.
    score : (int, int)
        Points of player 0 and player 1.
    jacoby : bool
        The Jacoby rule is on (money only).
    """

    cube: int = 1
    cube_owner: int | None = None
    roller: int = 1
    decider: int = 1
    dice: tuple[int, int] | None = None
    crawford: bool = False
    game_state: int = 1
    doubled: bool = False
    resigned: int = 0
    length: int = 0
    score: tuple[int, int] = (0, 0)
    jacoby: bool = True


def parse_match_id(text: str) -> MatchState:
    """Read a match ID.

    Parameters
    ----------
    text : str
        12 characters, without the position ID.

    Returns
    -------
    MatchState

    Raises
    ------
    IdError
        Not a match ID, or a state that cannot be: a die above 6, one die without the other, a
        score above the length, a Crawford game without a length, a cube above 4096.

    Examples
    --------
    >>> parse_match_id("QYkqASAAIAAA").dice
    (5, 2)
    """
    if not isinstance(text, str) or not _SHAPE.fullmatch(text):
        raise IdError(f"not a match ID: {text!r}; it has 12 letters, digits, '+' or '/'")
    bits = int.from_bytes(base64.b64decode(text), "little")
    if bits >> _N_BITS:
        raise IdError(f"match ID {text!r} sets bits that have no meaning")
    field = {name: bits >> start & (1 << width) - 1 for name, start, width in _LAYOUT}
    state = MatchState(
        cube=1 << field["exponent"],
        cube_owner=None if field["owner"] == _CENTRED else field["owner"],
        roller=field["roller"],
        decider=field["decider"],
        dice=(field["die1"], field["die2"]) if field["die1"] or field["die2"] else None,
        crawford=bool(field["crawford"]),
        game_state=field["game_state"],
        doubled=bool(field["doubled"]),
        resigned=field["resigned"],
        length=field["length"],
        score=(field["score0"], field["score1"]),
        jacoby=not field["no_jacoby"],
    )
    wrong = _what_is_wrong(state)
    if wrong:
        raise IdError(f"match ID {text!r} cannot be: {wrong}")
    return state


def format_match_id(state: MatchState) -> str:
    """Write a match ID.

    Parameters
    ----------
    state : MatchState

    Returns
    -------
    str
        12 characters.

    Raises
    ------
    IdError
        The state cannot be, or a number does not fit into its field.
    """
    wrong = _what_is_wrong(state)
    if wrong:
        raise IdError(f"no match ID for this state: {wrong}")
    die1, die2 = state.dice or (0, 0)
    field = {
        "exponent": int(state.cube).bit_length() - 1,
        "owner": _CENTRED if state.cube_owner is None else state.cube_owner,
        "roller": state.roller,
        "crawford": state.crawford,
        "game_state": state.game_state,
        "decider": state.decider,
        "doubled": state.doubled,
        "resigned": state.resigned,
        "die1": die1,
        "die2": die2,
        "length": state.length,
        "score0": state.score[0],
        "score1": state.score[1],
        "no_jacoby": not state.jacoby,
    }
    bits = 0
    for name, start, width in _LAYOUT:
        if not 0 <= field[name] < 1 << width:
            raise IdError(f"no match ID for this state: {name} is {field[name]}")
        bits |= int(field[name]) << start
    return binascii.b2a_base64(bits.to_bytes(9, "little"), newline=False).decode("ascii")


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_pair(value: object) -> bool:
    return isinstance(value, Sequence) and len(value) == 2 and all(map(_is_whole, value))


def _what_is_wrong(state: object) -> str:
    """Name the first thing that no game can show; empty if there is none."""
    if not isinstance(state, MatchState):
        return f"it is {state!r}, not a MatchState"
    for name in ("roller", "decider", "game_state", "resigned", "length", "cube"):
        if not _is_whole(getattr(state, name)):
            return f"{name} is {getattr(state, name)!r}; it must be a whole number"
    for name in ("crawford", "doubled", "jacoby"):
        if not isinstance(getattr(state, name), (bool, np.bool_)):
            return f"{name} is {getattr(state, name)!r}; it must be True or False"
    if not _is_pair(state.score):
        return f"the score is {state.score!r}; it must be a pair of whole numbers"
    if state.dice is not None and not _is_pair(state.dice):
        return f"the dice are {state.dice!r}; they must be a pair of whole numbers or None"
    if state.cube < 1 or state.cube & state.cube - 1 or state.cube > 1 << _LARGEST_EXPONENT:
        return f"the cube is {state.cube}; it must be a power of 2 up to {1 << _LARGEST_EXPONENT}"
    if state.cube_owner is not None and not (
        _is_whole(state.cube_owner) and state.cube_owner in (0, 1)
    ):
        return f"player {state.cube_owner!r} owns the cube; it must be 0, 1 or None"
    if state.dice is not None and not all(1 <= die <= 6 for die in state.dice):
        return f"the dice are {state.dice[0]} and {state.dice[1]}"
    if state.game_state > 4:
        return f"the game's state is {state.game_state}; it must be 0 to 4"
    if state.crawford and not state.length:
        return "a Crawford game without a match length"
    if state.length and max(state.score) > state.length:
        return f"the score is {state.score[0]}-{state.score[1]} in a match to {state.length}"
    return ""
