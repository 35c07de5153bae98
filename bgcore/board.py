"""The public board: checkers of both sides, seen by the player on roll."""

from enum import IntEnum, IntFlag
from typing import Self

import numpy as np

from bgcore._core.board import STATUS_TEXTS, BoardBase
from bgcore._core.movegen import legal_boards_all_rolls
from bgcore.errors import BoardError
from bgcore.ids.position_id import decode_position_id, encode_position_id
from bgcore.ids.xgid import decode_xgid_board, encode_xgid_board, parse_xgid
from bgcore.notation import Play, Plays
from bgcore.play_mistakes import index_of_play
from bgcore.rolls import Dice

_OPENING = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)


class Phase(IntEnum):
    """How far a game is. Contact until the two sides have passed each other."""

    #: One side has no checker left.
    OVER = 0
    #: Past each other, and all checkers of both sides in their home boards.
    BEAROFF = 1
    #: Past each other.
    RACE = 2
    #: A checker can still be hit or blocked. A checker on the bar always makes contact.
    CONTACT = 3


class Status(IntFlag):
    """Everything that can be wrong with a board.

    A finished game is a possible board: `Board.phase` is `Phase.OVER` then, and no flag is set.
    Both sides on one point cannot be said in the 26 cells.
    """

    VALID = 0
    #: More checkers of the player on roll than the rules give him.
    TOO_MANY = 1
    #: More checkers of the opponent than the rules give him.
    OPPONENT_TOO_MANY = 2
    #: Index 25 is negative.
    BAR_SIGN = 4
    #: Index 0 is positive.
    OPPONENT_BAR_SIGN = 8
    #: Neither side has a checker left.
    BOTH_OFF = 16
    #: Both sides have checkers on the bar and six made points at home: nobody can ever move.
    BOTH_CLOSED_OUT = 32

    def explain(self) -> str:
        """Return the meaning of the flags in words."""
        return "; ".join(STATUS_TEXTS[int(flag)] for flag in self) or "nothing is wrong"


class Board(BoardBase):
    """A backgammon board, seen by the player on roll. Immutable and hashable.

    `numpy.asarray(board)` is a read-only (26,) int8 view, `board[i]` one cell, `list(board)` all
    of them. Boards are equal if all cells and the rules' numbers of checkers are.

    Parameters
    ----------
    cells : BoardBase or (26,) array_like
        Index 1-24 the points as the player on roll counts them, 25 his bar, 0 the opponent's
        bar; his checkers are positive, the opponent's negative (index 0 too).
    n_checkers : int, default 15
        Checkers of one side by the rules, 1 to 15; what is missing is borne off.
    check : bool, default True
        Refuse impossible boards. With False they can be made, and `status` tells what is wrong.

    Raises
    ------
    BoardError
        Wrong shape, dtype or number; or an impossible board, naming everything wrong with it.

    Examples
    --------
    >>> board = Board.opening()
    >>> board.pips, board.made_points
    (167, (6, 8, 13, 24))
    >>> board
    Board.from_position_id('4HPwATDgc/ABMA')
    """

    __slots__ = ()

    # -- from other forms --

    @classmethod
    def opening(cls) -> Self:
        """Return the board at the start of a game."""
        return cls(_OPENING)

    @classmethod
    def from_position_id(cls, text: str, *, n_checkers: int = 15) -> Self:
        """Return the board of a GNU position ID.

        Parameters
        ----------
        text : str
            14 letters. The side that is not on roll comes first in it.
        n_checkers : int, default 15
            Checkers of one side by the rules.

        Raises
        ------
        IdError
            The text is no position ID, or its board is impossible.
        """
        return cls(decode_position_id(text, n_checkers=n_checkers), n_checkers=n_checkers)

    @classmethod
    def from_xgid(cls, text: str, *, n_checkers: int = 15) -> Self:
        """Return the board of an XGID, seen by the player whose turn it is.

        Parameters
        ----------
        text : str
            A whole XGID, with or without `XGID=`; or the 26 letters of its board alone, and then
            the bottom player (capital letters) is on roll.
        n_checkers : int, default 15
            Checkers of one side by the rules.

        Raises
        ------
        IdError
            The text is no XGID, or its board is impossible.
        """
        if isinstance(text, str) and len(text) == 26 and ":" not in text:
            return cls(decode_xgid_board(text, n_checkers=n_checkers), n_checkers=n_checkers)
        cells = parse_xgid(text, n_checkers=n_checkers).cells_on_roll
        return cls(cells, n_checkers=n_checkers)

    # -- to other forms --

    @property
    def position_id(self) -> str:
        """GNU position ID, 14 letters. An impossible board has none (BoardError)."""
        return encode_position_id(self)

    @property
    def xgid_board(self) -> str:
        """First field of an XGID with the player on roll as bottom player, 26 letters.

        An impossible board has none (BoardError).
        """
        if self.status_flags():
            raise BoardError(f"an impossible board has no XGID: {self.status().explain()}")
        return encode_xgid_board(self)

    def __repr__(self) -> str:
        name = type(self).__name__
        number = "" if self.n_checkers == 15 else f", n_checkers={self.n_checkers}"
        if self.status_flags():
            return f"{name}({self.to_list()}{number}, check=False)"
        return f"{name}.from_position_id({self.position_id!r}{number})"

    def text(self, *, home: str = "right") -> str:
        """Return a picture in plain letters; the player on roll is X, at the bottom.

        Parameters
        ----------
        home : {"right", "left"}
            Where the home boards are drawn.
        """
        # pictures are rarely wanted: their module is loaded when the first one is
        from bgcore.drawing import board_text

        return board_text(self, home=home)

    def svg(self, *, home: str = "right") -> str:
        """Return a picture as an SVG document; the player on roll is light, at the bottom.

        Parameters
        ----------
        home : {"right", "left"}
            Where the home boards are drawn.
        """
        from bgcore.drawing import board_svg

        return board_svg(self, home=home)

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg()

    # -- what the board shows --

    @property
    def phase(self) -> Phase:
        """`Phase.OVER`, `BEAROFF`, `RACE` or `CONTACT`."""
        return Phase(self.phase_number())

    def status(self) -> Status:
        """Return everything that is wrong with the board as flags; `Status.VALID` is none."""
        return Status(self.status_flags())

    def is_valid(self) -> bool:
        """Tell whether the board is possible."""
        return self.status_flags() == 0

    @property
    def primes(self) -> tuple[tuple[int, int], ...]:
        """Runs of two or more consecutive made points: (lowest, highest), from low to high."""
        return tuple((low, high) for low, high in self._runs() if high > low)

    @property
    def longest_prime(self) -> int:
        """Points of the longest run of made points; 0 if no point is made."""
        return max((high - low + 1 for low, high in self._runs()), default=0)

    def _runs(self) -> list[tuple[int, int]]:
        runs: list[tuple[int, int]] = []
        for point in self.made_points:
            if runs and runs[-1][1] == point - 1:
                runs[-1] = (runs[-1][0], point)
            else:
                runs.append((point, point))
        return runs

    # -- what can happen --

    def legal_plays(self, dice: Dice) -> Plays:
        """Return all distinct legal plays of a roll.

        Parameters
        ----------
        dice : str or iterable of two int
            Such as "31", "3-1" or (3, 1).

        Returns
        -------
        Plays
            A sequence of `Play`; one empty `Play` if nothing can be played.

        Raises
        ------
        BoardError
            The game is over, or the board is impossible.
        DiceError
            The dice cannot be read.
        """
        if self.status_flags():
            raise BoardError(f"no plays on an impossible board: {self.status().explain()}")
        if self.phase is Phase.OVER:
            raise BoardError("the game is over; there is nothing to play")
        return Plays(self, dice)

    def after(self, play: Play | str, dice: Dice) -> Self:
        """Return the board after a legal play, still seen by the mover.

        `board.after(play, dice).swapped()` is what the opponent sees.

        Parameters
        ----------
        play : str or Play
            Texts are read leniently, see `Plays`.
        dice : str or iterable of two int
            The roll.

        Raises
        ------
        InvalidPlayError, IllegalPlayError, AmbiguousPlayError
            See `Plays.find`.
        BoardError, DiceError
            See `legal_plays`.
        """
        plays = self.legal_plays(dice)
        return type(self)(plays.boards[index_of_play(plays, play)], n_checkers=self.n_checkers)

    def shots(self, point: int | None = None) -> int:
        """Return how many of the 36 rolls hit a blot of the opponent.

        A roll counts if at least one legal whole play of it hits. For shots at one's own blots
        ask `board.swapped()`.

        Parameters
        ----------
        point : int, optional
            A blot of the opponent, see `opponent_blots`. Without it any blot counts.

        Returns
        -------
        int
            0 to 36.

        Raises
        ------
        BoardError
            There is no blot of the opponent on `point`; or the board is impossible.
        """
        blots = self.opponent_blots
        if point is not None:
            if point not in blots:
                raise BoardError(
                    f"the opponent has no blot on point {point!r}; his blots: {list(blots)}"
                )
            blots = (point,)
        if not self.is_valid():
            raise BoardError(f"no shots on an impossible board: {self.status().explain()}")
        if not blots or self.phase is Phase.OVER:
            return 0
        boards, offsets = legal_boards_all_rolls(self.to_array()[np.newaxis])
        # a blot is hit exactly when it is no longer there
        is_hit = (boards[:, list(blots)] >= 0).any(axis=1)
        roll_of_play = np.repeat(np.arange(len(_ROLL_WEIGHTS)), np.diff(offsets))
        return int(_ROLL_WEIGHTS[np.unique(roll_of_play[is_hit])].sum())


def _roll_weights() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Ways to throw each of the 21 rolls, in the core's order 1-1, 2-1, 2-2, 3-1 ... 6-6."""
    weights = [1 if a == b else 2 for a in range(1, 7) for b in range(1, a + 1)]
    return np.array(weights, dtype=np.int64)


_ROLL_WEIGHTS = _roll_weights()
