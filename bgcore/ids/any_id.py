"""Reading a position from whatever ID a user has; the shape of the text tells which it is."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from bgcore.errors import IdError
from bgcore.ids.fibs import PREFIX as FIBS_PREFIX
from bgcore.ids.fibs import parse_fibs_board
from bgcore.ids.match_id import MatchState, parse_match_id
from bgcore.ids.ogid import PREFIX as OGID_PREFIX
from bgcore.ids.ogid import SHAPE as OGID_SHAPE
from bgcore.ids.ogid import parse_ogid
from bgcore.ids.position_id import decode_key_letters, decode_position_id
from bgcore.ids.xgid import PREFIX as XGID_PREFIX
from bgcore.ids.xgid import parse_xgid

IdKind = Literal["xgid", "position ID", "position and match ID", "ogid", "fibs board", "key"]

_FORMS: Final = (
    "an XGID, a GNU position ID, positionID:matchID, an OGID, a FIBS board line, or a key of 20"
    " letters"
)
_KEY = re.compile(r"[A-P]{20}")
_MATCH_ID = re.compile(r"[A-Za-z0-9+/]{12}")


@dataclass(frozen=True, slots=True)
class ReadId:
    """A position as an ID told it.

    Attributes
    ----------
    text : str
        The ID as it was given.
    kind : str
        "xgid", "position ID", "position and match ID", "ogid", "fibs board" or "key".
    cells : tuple of int
        26 cells seen by the side to act on the dice.
    dice : (int, int) or None
        The dice in the ID; None if it has none.
    """

    text: str
    kind: IdKind
    cells: tuple[int, ...]
    dice: tuple[int, int] | None

    @property
    def is_bare(self) -> bool:
        """Whether only the checkers were told.

        Money, a centred cube on 1, no Jacoby rule and no beavers are then assumed.
        """
        return self.kind in ("position ID", "key")

    @property
    def assumed(self) -> str | None:
        """What an ID of the checkers alone leaves open, in words; None of other IDs."""
        return "money, centred 1-cube, no Jacoby, no beavers" if self.is_bare else None


def id_kind(text: str) -> IdKind:
    """Tell what kind of ID a text is by its shape alone; it may still be a wrong one.

    Parameters
    ----------
    text : str
        Without white space around it.

    Raises
    ------
    IdError
        The text is empty, no text at all, or half an ID.
    """
    if not isinstance(text, str):
        raise IdError(f"an ID is a text, not {type(text).__name__}")
    if not text.strip():
        raise IdError(f"an empty ID: {text!r}; right is {_FORMS}")
    if text.startswith(FIBS_PREFIX):
        return "fibs board"
    if text.startswith(OGID_PREFIX) or OGID_SHAPE.fullmatch(text):
        return "ogid"
    colons = text.count(":")
    if text.startswith(XGID_PREFIX) or colons > 1 or "-" in text:
        return "xgid"
    if colons == 1:
        return "position and match ID"
    if _KEY.fullmatch(text):
        return "key"
    if _MATCH_ID.fullmatch(text):
        raise IdError(
            f"{text!r} has 12 letters, as a match ID has: the position ID before it is missing;"
            " right is positionID:matchID"
        )
    return "position ID"


def split_gnubg_id(text: str, *, n_checkers: int = 15) -> tuple[tuple[int, ...], MatchState]:
    """Read a position ID, a colon and a match ID: the 26 cells and the rest.

    Raises
    ------
    IdError
        Either half cannot be read.
    """
    first, _, second = text.partition(":")
    match = parse_match_id(second)
    return tuple(decode_position_id(first, n_checkers=n_checkers).tolist()), match


def read_id(text: str) -> ReadId:
    """Read a position from an ID; the shape of the text tells its kind.

    Parameters
    ----------
    text : str
        XGID with or without `XGID=`, GNU position ID, position ID, a colon and match ID, OGID with
        or without `OGID=`, FIBS board line, or GNU's older key of 20 letters. White space around
        it does not count.

    Returns
    -------
    ReadId

    Raises
    ------
    IdError
        The text is none of these, or what it says is impossible.

    Examples
    --------
    >>> read_id("4HPwATDgc/ABMA:MIEFAAAAAAAA").dice
    (3, 1)
    """
    given = text
    text = text.strip() if isinstance(text, str) else text
    kind = id_kind(text)
    cells: tuple[int, ...]
    dice = None
    if kind == "xgid":
        xgid = parse_xgid(text)
        cells, dice = xgid.cells_on_roll, xgid.dice
    elif kind == "position and match ID":
        cells, match = split_gnubg_id(text)
        dice = match.dice
    elif kind == "ogid":
        ogid = parse_ogid(text)
        cells, dice = ogid.cells_on_roll, ogid.dice
    elif kind == "fibs board":
        line = parse_fibs_board(text)
        cells, dice = line.cells_on_roll, line.dice_on_roll
    elif kind == "key":
        cells = tuple(decode_key_letters(text).tolist())
    else:
        cells = tuple(decode_position_id(text).tolist())
    return ReadId(given, kind, cells, dice)
