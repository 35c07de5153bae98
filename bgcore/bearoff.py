"""Exact bear-off tables, made on first use in about a second and kept in a cache folder.

One-sided: for up to 15 checkers on the points 1-6 the distribution of the number of rolls to bear
all of them off, and for 15 checkers to bear the first one off (the gammon part). Both sides are
taken to play for the fewest rolls on average, which is almost, not quite, best play in a race.

Two-sided: for up to 6 checkers on each side exact money equities, without a cube and with it.

The numbers come from `src/bearoff.pyx`, where the method is described.
"""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore import table_files
from bgcore._core.bearoff import BearoffTables, build_one_sided, build_two_sided
from bgcore._core.board import check_boards
from bgcore.errors import BoardError

__all__ = [
    "BearoffTables",
    "MoneyEquities",
    "OneSided",
    "TwoSided",
    "one_sided",
    "tables",
    "two_sided",
]

N_POINTS = 6
N_CHECKERS = 15
N_CELLS = 26
#: Ranks of up to 15 checkers, the first rank with 15, and ranks of up to 6 checkers.
N_RANKS, FIRST_FULL, N_PAIR = 54_264, 38_760, 924
#: Pips that an average roll is worth: EPC = mean number of rolls times this.
PIPS_PER_ROLL = 49 / 6

# The number in the name changes whenever the contents do.
ONE_SIDED_FILE = "bearoff-one-sided-15x6-1.bin"
ONE_SIDED_LAYOUT: table_files.Layout = {
    "index": ("u4", (N_RANKS + N_RANKS - FIRST_FULL, 3)),
    "rows": ("u4", (None,)),
    "mean": ("f8", (N_RANKS,)),
    "sd": ("f8", (N_RANKS,)),
    "first_mean": ("f8", (N_RANKS - FIRST_FULL,)),
    "first_sd": ("f8", (N_RANKS - FIRST_FULL,)),
}
TWO_SIDED_FILE = "bearoff-two-sided-6x6-1.bin"
TWO_SIDED_LAYOUT: table_files.Layout = {"equities": ("f8", (4, N_PAIR, N_PAIR))}

_lock = threading.Lock()
_loaded: dict[str, Any] = {}


class MoneyEquities(NamedTuple):
    """Money equities of the side on roll, per unit of the cube as it stands.

    The first four roll this turn without doubling; the cube is used perfectly later on.
    """

    #: No cube in play.
    cubeless: float
    #: The side on roll owns the cube.
    owned: float
    #: The cube is in the middle.
    centred: float
    #: The other side owns the cube.
    opponent_owned: float

    @property
    def doubled(self) -> float:
        """After a double now: the better answer of take and pass, for the other side."""
        return min(2.0 * self.opponent_owned, 1.0)

    @property
    def owned_with_double(self) -> float:
        """The side on roll owns the cube and may double now."""
        return max(self.owned, self.doubled)

    @property
    def centred_with_double(self) -> float:
        """The cube is in the middle and the side on roll may double now."""
        return max(self.centred, self.doubled)


class OneSided:
    """The one-sided table: how many rolls a side needs.

    A position is given as six numbers, the checkers on the points 1 to 6, or as a board of
    26 cells, of which the side on roll is taken.

    Attributes
    ----------
    arrays : dict of arrays
        As `bgcore._core.bearoff.build_one_sided` makes them; read-only.
    core : BearoffTables
        For the compiled code.
    """

    def __init__(self, arrays: table_files.Arrays) -> None:
        self.arrays = _frozen(arrays)
        self.core = BearoffTables(one_sided=self.arrays)

    def rank(self, position: ArrayLike) -> int:
        """Give the number of a position, 0 (no checkers) to 54,263 (15 on the 6-point)."""
        return self.core.rank(_points(position))

    def distribution(self, position: ArrayLike) -> NDArray[np.float64]:
        """Give the chances to need exactly 0, 1, 2 ... rolls to bear everything off.

        Returns
        -------
        (n,) float64 array
            Index: number of rolls. The sum is 1; each is a multiple of 2**-31.

        Raises
        ------
        BoardError
            Checkers outside the home board, more than 15, or not a position at all.
        """
        return self._row(self.rank(position))

    def mean(self, position: ArrayLike) -> float:
        """Give the mean number of rolls to bear everything off."""
        return float(self.arrays["mean"][self.rank(position)])

    def sd(self, position: ArrayLike) -> float:
        """Give the standard deviation of the number of rolls to bear everything off."""
        return float(self.arrays["sd"][self.rank(position)])

    def epc(self, position: ArrayLike) -> float:
        """Give the effective pip count: 49/6 pips for each roll of the mean (Trice)."""
        return self.mean(position) * PIPS_PER_ROLL

    def first_distribution(self, position: ArrayLike) -> NDArray[np.float64]:
        """Give the chances that the first of 15 checkers is off in exactly 0, 1, 2 ... rolls.

        The plays are those that bear the first checker off soonest: the gammon part.

        Raises
        ------
        BoardError
            Not 15 checkers, or as in `distribution`.
        """
        return self._row(self._first_rank(position) + N_RANKS)

    def first_mean(self, position: ArrayLike) -> float:
        """Give the mean number of rolls until the first of 15 checkers is off."""
        return float(self.arrays["first_mean"][self._first_rank(position)])

    def first_sd(self, position: ArrayLike) -> float:
        """Give the standard deviation of the number of rolls until the first of 15 is off."""
        return float(self.arrays["first_sd"][self._first_rank(position)])

    def probabilities(self, board: ArrayLike) -> NDArray[np.float64]:
        """Give the five probabilities of a race between the two sides of a board.

        The side seen is on roll. He wins if his number of rolls is not larger than the other
        side's; gammons come from the gammon part; there are no backgammons with both at home.

        Returns
        -------
        (5,) float64 array
            Win, win gammon, win backgammon, lose gammon, lose backgammon, cumulative.

        Raises
        ------
        BoardError
            A side has no checker left, or one outside his home board.
        """
        cells = _board(board)
        five, source = self.core.probabilities(cells[None])
        if source[0] == 0:
            raise BoardError(_outside(cells, N_CHECKERS))
        probabilities: NDArray[np.float64] = five[0] / 2.0**30
        return probabilities

    def _first_rank(self, position: ArrayLike) -> int:
        rank = self.rank(position)
        if rank < FIRST_FULL:
            raise BoardError("the first checker is off already: the gammon part has 15 checkers")
        return rank - FIRST_FULL

    def _row(self, row: int) -> NDArray[np.float64]:
        start, first, length = (int(value) for value in self.arrays["index"][row])
        chances = np.zeros(first + length)
        chances[first:] = self.arrays["rows"][start : start + length] / 2.0**31
        return chances

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return one_sided, ()


class TwoSided:
    """The two-sided table: exact money equities with up to 6 checkers on each side.

    Attributes
    ----------
    arrays : dict of arrays
        equities, (4, 924, 924) float64: [cubeless, owned, centred, opponent owns], rank of the
        side on roll, rank of the other; read-only.
    core : BearoffTables
        For the compiled code.
    """

    def __init__(self, arrays: table_files.Arrays) -> None:
        self.arrays = _frozen(arrays)
        self.core = BearoffTables(two_sided=self.arrays)

    def rank(self, position: ArrayLike) -> int:
        """Give the number of a side's position, 0 (no checkers) to 923 (6 on the 6-point)."""
        points = _points(position)
        if points.sum() > N_POINTS:
            raise BoardError(f"the two-sided table has up to 6 checkers a side, not {points.sum()}")
        return self.core.rank(points)

    def equities(self, own: ArrayLike, opponent: ArrayLike | None = None) -> MoneyEquities:
        """Give the money equities of the side on roll.

        Parameters
        ----------
        own : (26,) or (6,) array_like
            A board, the side seen on roll; or his checkers on the points 1 to 6.
        opponent : (6,) array_like, optional
            With six numbers: the other side's checkers on his own points 1 to 6.

        Returns
        -------
        MoneyEquities

        Raises
        ------
        BoardError
            A side has no checker left, more than 6, or one outside his home board.
        """
        if opponent is None:
            cells = _board(own)
            real, _ = self.core.equities(cells[None])
            if np.isnan(real[0]):
                raise BoardError(_outside(cells, N_POINTS))
            own, opponent = cells[1:7], -cells[24:18:-1]
        first, second = self.rank(own), self.rank(opponent)
        if first == 0 or second == 0:
            raise BoardError("the game is over: a side has no checker left")
        return MoneyEquities(*(float(value) for value in self.arrays["equities"][:, first, second]))

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return two_sided, ()


def one_sided() -> OneSided:
    """Give the one-sided table, the same object each time in a process.

    It is read from the cache folder (BGCORE_CACHE, or the user's cache folder), or made in about
    a fifth of a second and stored there (4 MB).

    Warns
    -----
    BgcoreWarning
        The stored table was damaged, or the folder cannot be used.
    """
    with _lock:
        return _one_sided()


def two_sided() -> TwoSided:
    """Give the two-sided table, the same object each time in a process.

    As `one_sided`; it takes about a third of a second and 27 MB.
    """
    with _lock:
        return _two_sided()


def tables() -> BearoffTables:
    """Give both tables in the form that the compiled code uses, the same object each time."""
    with _lock:
        if "both" not in _loaded:
            _loaded["both"] = BearoffTables(_one_sided().arrays, _two_sided().arrays)
        both: BearoffTables = _loaded["both"]
        return both


def _one_sided() -> OneSided:
    if "one" not in _loaded:
        _loaded["one"] = OneSided(
            table_files.load_or_build(ONE_SIDED_FILE, ONE_SIDED_LAYOUT, build_one_sided)
        )
    table: OneSided = _loaded["one"]
    return table


def _two_sided() -> TwoSided:
    if "two" not in _loaded:
        _loaded["two"] = TwoSided(
            table_files.load_or_build(TWO_SIDED_FILE, TWO_SIDED_LAYOUT, build_two_sided)
        )
    table: TwoSided = _loaded["two"]
    return table


def _frozen(arrays: table_files.Arrays) -> table_files.Arrays:
    for array in arrays.values():
        array.flags.writeable = False
    return dict(arrays)


def _array(position: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(position)
    except (ValueError, TypeError, OverflowError) as error:
        raise BoardError(f"a position is an array of whole numbers: {error}") from None


def _board(board: ArrayLike) -> NDArray[np.int8]:
    cells = _array(board)
    if cells.shape != (N_CELLS,):
        raise BoardError(f"a board has the shape ({N_CELLS},), not {cells.shape}")
    checked: NDArray[np.int8] = check_boards(cells[None], name="board")[0]
    return checked


def _points(position: ArrayLike) -> NDArray[np.int8]:
    """The checkers on the points 1-6 of the side on roll, all of them at home."""
    values = _array(position)
    if values.shape == (N_CELLS,):
        cells = _board(values)
        if (cells[7:] > 0).any():
            raise BoardError("the side on roll has checkers outside his home board")
        return np.where(cells[1:7] > 0, cells[1:7], np.int8(0))
    if values.shape != (N_POINTS,) or values.dtype.kind not in "iu":
        raise BoardError(
            "a position is 6 whole numbers (points 1 to 6) or a board of 26 cells, "
            f"not an array of {values.dtype} with the shape {values.shape}"
        )
    if values.min() < 0 or values.max() > N_CHECKERS or values.sum() > N_CHECKERS:
        raise BoardError(f"a side has 0 to {N_CHECKERS} checkers, here are {values.tolist()}")
    return np.ascontiguousarray(values, dtype=np.int8)


def _outside(cells: NDArray[np.int8], most: int) -> str:
    own, other = cells[cells > 0].sum(), -cells[cells < 0].sum()
    return (
        f"the table covers 1 to {most} checkers on each side, all in the home boards and past "
        f"each other; here are {own} and {other}: {cells.tolist()}"
    )
