"""GNU position IDs: 14 letters for the checkers of both sides.

An ID is the Base64 text of a 10-byte key. For the side that is NOT on roll and then the side on
roll, for the points 1-24 and the bar in that side's own numbering, the key holds a 1 for each
checker and a 0, low bit first. (GNU's manual names the sides the other way round; its program
and all real IDs do it like this.) Checkers that are missing from the rules' number are borne off.
"""

import base64
import binascii
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore._core.board import (
    STATUS_TEXTS,
    BoardBase,
    position_keys,
    read_position_key,
    read_position_keys,
    statuses,
)
from bgcore.checks import counted
from bgcore.errors import IdError

LENGTH = 14
#: Letters of the older key of the same boards.
KEY_LENGTH = 20
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

_LETTERS = np.frombuffer(ALPHABET.encode(), dtype=np.uint8)


def check_cells(cells: NDArray[np.int8], text: str, n_checkers: int = 15) -> None:
    """Raise IdError if the cells that an ID tells of are an impossible board.

    Parameters
    ----------
    cells : (26,) int8 array
        Seen by the player on roll.
    text : str
        The ID, for the message.
    n_checkers : int, default 15
        Checkers of one side by the rules.
    """
    flags = int(statuses(cells[np.newaxis], n_checkers=n_checkers)[0])
    if flags:
        wrong = "; ".join(words for flag, words in STATUS_TEXTS.items() if flags & flag)
        raise IdError(f"{text!r}: {wrong}")


def decode_position_id(text: str, *, n_checkers: int = 15) -> NDArray[np.int8]:
    """Return the 26 cells of a GNU position ID, seen by the player on roll.

    Parameters
    ----------
    text : str
        Exactly 14 letters of the Base64 alphabet.
    n_checkers : int, default 15
        Checkers of one side by the rules; what is missing is borne off.

    Returns
    -------
    (26,) int8 array

    Raises
    ------
    IdError
        Wrong length or letter, bits set where there must be none, or an impossible board: more
        than `n_checkers`, both sides on one point, both on the bar behind closed boards, or
        both without a checker.
    """
    if not isinstance(text, str):
        raise IdError(f"a position ID is a text of {LENGTH} letters, not {type(text).__name__}")
    if len(text) != LENGTH:
        raise IdError(f"{text!r} has {counted(len(text), 'letter')}; a position ID has {LENGTH}")
    for i, letter in enumerate(text):
        if letter not in ALPHABET:
            raise IdError(
                f"{text!r}: {letter!r} (letter {i + 1}) is not one of A-Z, a-z, 0-9, + and /"
            )
    if ALPHABET.index(text[-1]) & 15:
        raise IdError(f"{text!r}: the last letter must be A, Q, g or w (four unused bits are 0)")
    try:
        cells = read_position_key(base64.b64decode(text + "=="))
    except IdError as error:
        raise IdError(f"{text!r}: {error}") from None
    check_cells(cells, text, n_checkers)
    return cells


def encode_position_id(board: BoardBase) -> str:
    """Return the GNU position ID of a board.

    Raises
    ------
    BoardError
        The board is impossible.
    """
    return base64.b64encode(board.position_key())[:LENGTH].decode("ascii")


def decode_key_letters(text: str, *, n_checkers: int = 15) -> NDArray[np.int8]:
    """Return the 26 cells of GNU Backgammon's older key of 20 letters, seen by the player on roll.

    It holds the same 10 bytes as a position ID, two letters for each byte: A-P are 0-15, the higher
    half first.

    Parameters
    ----------
    text : str
        Exactly 20 letters from A to P.
    n_checkers : int, default 15
        Checkers of one side by the rules; what is missing is borne off.

    Returns
    -------
    (26,) int8 array

    Raises
    ------
    IdError
        Wrong length or letter, bits set where there must be none, or an impossible board.

    Examples
    --------
    >>> decode_key_letters("OAHDPAABDAOAHDPAABDA")[6].item()
    5
    """
    if not isinstance(text, str):
        raise IdError(f"a key is a text of {KEY_LENGTH} letters, not {type(text).__name__}")
    if len(text) != KEY_LENGTH:
        raise IdError(f"{text!r} has {len(text)} letters; a key has {KEY_LENGTH}")
    for i, letter in enumerate(text):
        if not "A" <= letter <= "P":
            raise IdError(f"{text!r}: {letter!r} (letter {i + 1}) is not one of A-P")
    halves = [ord(letter) - ord("A") for letter in text]
    key = bytes(16 * high + low for high, low in zip(halves[::2], halves[1::2], strict=True))
    try:
        cells = read_position_key(key)
    except IdError as error:
        raise IdError(f"{text!r}: {error}") from None
    check_cells(cells, text, n_checkers)
    return cells


def encode_key_letters(board: BoardBase) -> str:
    """Return GNU Backgammon's older key of a board, 20 letters.

    Raises
    ------
    BoardError
        The board is impossible.
    """
    return "".join(
        chr(ord("A") + half) for byte in board.position_key() for half in (byte >> 4, byte & 15)
    )


def position_ids(boards: ArrayLike) -> list[str]:
    """Return the GNU position IDs of a batch of boards.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by the player on roll, with at most 15 checkers a side.

    Returns
    -------
    list of str
        N IDs.

    Raises
    ------
    BoardError
        Wrong form, or an impossible board; the message names the row.
    """
    keys = position_keys(boards)
    # Base64 of all rows at once: 12 bytes are four groups of 3 bytes or 4 letters
    padded = np.zeros((len(keys), 12), dtype=np.uint32)
    padded[:, :10] = keys
    groups = padded[:, 0::3] << 16 | padded[:, 1::3] << 8 | padded[:, 2::3]
    digits = groups[:, :, np.newaxis] >> np.array([18, 12, 6, 0], dtype=np.uint32) & 63
    letters = _LETTERS[digits.reshape(len(keys), 16)]
    text = letters[:, :LENGTH].tobytes().decode("ascii")
    return [text[i : i + LENGTH] for i in range(0, len(text), LENGTH)]


def boards_from_position_ids(texts: Iterable[str], *, n_checkers: int = 15) -> NDArray[np.int8]:
    """Return the boards of many GNU position IDs, seen by the players on roll.

    Parameters
    ----------
    texts : iterable of str
        N IDs: a list, an array of texts, or whatever gives texts.
    n_checkers : int, default 15
        Checkers of one side by the rules.

    Returns
    -------
    (N, 26) int8 array

    Raises
    ------
    IdError
        As `decode_position_id`; the message names the row.
    """
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise IdError(f"many position IDs are a list of texts, not {texts!r}")
    rows = texts.tolist() if isinstance(texts, np.ndarray) and texts.ndim == 1 else list(texts)
    boards, is_bad = _read_together(rows)
    if len(rows) and not is_bad.all():
        is_bad |= statuses(boards, n_checkers=n_checkers) != 0
    for row in np.flatnonzero(is_bad).tolist():
        try:
            boards[row] = decode_position_id(rows[row], n_checkers=n_checkers)
        except IdError as error:
            raise IdError(f"row {row}: {error}") from None
    return boards


def _read_together(texts: list[str]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Return the boards of many IDs, and which of them must be looked at one by one."""
    n = len(texts)
    try:
        joined = "".join(texts).encode("ascii")
        if set(map(len, texts)) - {LENGTH}:
            raise ValueError
        letters = np.full((n, 16), ord("A"), dtype=np.uint8)
        letters[:, :LENGTH] = np.frombuffer(joined, dtype=np.uint8).reshape(n, LENGTH)
        # two letters A complete each row to 12 bytes
        raw = binascii.a2b_base64(letters.tobytes(), strict_mode=True)
    except (TypeError, ValueError):
        return np.zeros((n, 26), dtype=np.int8), np.ones(n, dtype=np.bool_)
    keys = np.frombuffer(raw, dtype=np.uint8).reshape(n, 12)
    boards, is_bad = read_position_keys(keys[:, :10])
    return boards, is_bad | (keys[:, 10] != 0)
