"""Reading a position from whatever ID a user has: XGID, position ID, position and match ID."""

from dataclasses import dataclass

from bgcore.errors import IdError
from bgcore.ids.match_id import parse_match_id
from bgcore.ids.position_id import decode_position_id
from bgcore.ids.xgid import PREFIX, parse_xgid

_FORMS = "an XGID, a GNU position ID, or positionID:matchID"


@dataclass(frozen=True, slots=True)
class ReadId:
    """A position as an ID told it.

    Attributes
    ----------
    text : str
        The ID as it was given.
    kind : str
        "xgid", "position ID" or "position and match ID".
    cells : tuple of int
        26 cells seen by the side to act on the dice.
    dice : (int, int) or None
        The dice in the ID; None if it has none.
    """

    text: str
    kind: str
    cells: tuple[int, ...]
    dice: tuple[int, int] | None

    @property
    def is_bare(self) -> bool:
        """Whether only the checkers were told.

        Money, a centred cube on 1, no Jacoby rule and no beavers are then assumed.
        """
        return self.kind == "position ID"


def read_id(text: str) -> ReadId:
    """Read a position from an ID; the shape of the text tells its kind.

    Parameters
    ----------
    text : str
        XGID with or without `XGID=`, GNU position ID, or position ID, a colon and match ID.

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
    if not isinstance(text, str):
        raise IdError(f"an ID is a text, not {type(text).__name__}")
    if not text.strip():
        raise IdError(f"an empty ID: {text!r}; right is {_FORMS}")
    colons = text.count(":")
    if text.startswith(PREFIX) or colons > 1 or "-" in text:
        xgid = parse_xgid(text)
        return ReadId(text, "xgid", xgid.cells_on_roll, xgid.dice)
    if colons == 1:
        first, second = text.split(":")
        match = parse_match_id(second)
        cells = tuple(decode_position_id(first).tolist())
        return ReadId(text, "position and match ID", cells, match.dice)
    return ReadId(text, "position ID", tuple(decode_position_id(text).tolist()), None)
