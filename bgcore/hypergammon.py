"""Hypergammon solved: backgammon with one, two or three checkers a side on 24, 23 and 22.

The table holds, for every position of such a game, the chances of all outcomes when both sides
play best without a cube, and the exact money equities with it: owned by the side on roll, by the
other one, in the middle, and in the middle with the Jacoby rule, with and without beavers. The
cube has no limit. It comes by value iteration (`src/hypergammon.pyx`), which takes minutes with
three checkers and less than a second with fewer, and is then kept in the cache folder: 430 MB
that are mapped into memory. What is left out of account by stopping is less than 1e-8 points.

The rules are those of backgammon: a gammon counts double if the loser has borne off none of his
one, two or three checkers.
"""

import threading
import time
from collections.abc import Callable
from math import log
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore import table_files
from bgcore._core.board import swap_boards
from bgcore._core.hypergammon import EQUITY_UNIT, PROBABILITY_UNIT, Solver, ranks
from bgcore.board import Board
from bgcore.checks import whole_number
from bgcore.cube_decision import CubeDecision, decision_of
from bgcore.cube_model import CubeContext, Owner
from bgcore.errors import BoardError, TableError
from bgcore.evaluators import Probabilities
from bgcore.hints import RankedPlay
from bgcore.rolls import Dice

__all__ = ["HypergammonTable", "hypergammon_table"]

Progress = Callable[[int, int], None]
Floats = NDArray[np.float64]
CubePlace = Owner | Literal["none"]

#: Most checkers of a side.
MOST = 3
#: Positions of one side, by the number of its checkers.
N_RANKS: Final = {1: 26, 2: 351, 3: 3276}
#: The largest change of a sweep that ends the work, in points and in chances.
SMALL = 1e-9
_MOST_SWEEPS = 1000
#: Seconds between two checkpoints.
_SAVE_AFTER = 60.0
#: The shares of the two parts of the work, for who looks at its progress.
_EQUITIES, _CHANCES = 800, 200
#: Blocks of a piece of a sweep.
_STEP = 4

#: The tables of money equities; see `Solver.finish`.
_OWNED, _CENTRED, _OPPONENT, _JACOBY, _BEAVER = range(5)
_NEVER_LIMITED = 1 << 10

_lock = threading.Lock()
_loaded: dict[int, "HypergammonTable"] = {}


class HypergammonTable:
    """The solution of a game with one to three checkers a side.

    Positions are boards of 26 cells, seen by the side on roll, who has not rolled; a finished game
    is worth what it brings. As an evaluator (`evaluate`) it can stand wherever bgcore takes one;
    the player "hypergammon-exact" uses the cube by it too.

    Parameters
    ----------
    n_checkers : int
    arrays : dict of arrays
        As `build` makes them, or as they come from the cache folder.
    """

    def __init__(self, n_checkers: int, arrays: table_files.Arrays) -> None:
        self.n_checkers = n_checkers
        self._five = arrays["five"]
        self._money = arrays["money"]

    def __repr__(self) -> str:
        return f"HypergammonTable(n_checkers={self.n_checkers})"

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        if not table_files.is_kept(_name(self.n_checkers)):
            raise TableError(
                "this table is in memory alone and is not sent to other processes: set"
                " BGCORE_CACHE to a folder that can be written"
            )
        return hypergammon_table, (self.n_checkers,)

    @classmethod
    def build(
        cls, n_checkers: int = MOST, *, progress: Progress | None = None
    ) -> "HypergammonTable":
        """Solve a game anew and keep the table in the cache folder.

        Parameters
        ----------
        n_checkers : int, default 3
        progress : callable, optional
            Gets what is done and all there is to do, now and then.

        Warns
        -----
        BgcoreWarning
            The folder cannot be used: the table stays in memory.

        Notes
        -----
        With three checkers it takes about ten minutes and 1.5 GB of memory. Work that is broken
        off goes on where it was a minute before: a file of 690 MB in the cache folder keeps it
        until then.
        """
        n = _checked_number(n_checkers)
        arrays = table_files.build_anew(_name(n), lambda: _solve(n, progress))
        return cls(n, arrays)

    # -- without a cube --

    def probabilities(self, boards: ArrayLike) -> Floats:
        """Give the chances of the outcomes when both sides play best without a cube.

        Where several plays are worth the same, the chances are those of one of them.

        Parameters
        ----------
        boards : (N, 26) array_like

        Returns
        -------
        (N, 5) float64 array
            Win, win gammon, win backgammon, lose gammon, lose backgammon, cumulative.

        Raises
        ------
        BoardError
            An impossible board, or one with more checkers than this game has.
        """
        own, other = self._ranks(boards)
        chances: Floats = self._five[own, other] / PROBABILITY_UNIT
        return chances

    def evaluate(self, boards: NDArray[np.int8], /) -> NDArray[np.float32]:
        """Evaluate boards before the roll; see `bgcore.Evaluator`."""
        return self.probabilities(boards).astype(np.float32)

    def equity(self, boards: ArrayLike) -> Floats:
        """Give the equity without a cube.

        Returns
        -------
        (N,) float64 array
            Points of the side on roll, within 1e-8.
        """
        own, other = self._ranks(boards)
        win, wg, wbg, lg, lbg = self._five[own, other].astype(np.int64).T
        units = 2 * win - PROBABILITY_UNIT + (wg - lg) + (wbg - lbg)
        equities: Floats = units / PROBABILITY_UNIT
        return equities

    # -- with the cube --

    def money(
        self,
        boards: ArrayLike,
        cube: CubePlace = "centred",
        *,
        jacoby: bool = False,
        beavers: bool = False,
        may_double: bool = True,
    ) -> Floats:
        """Give the money equity with a cube that both sides use perfectly.

        Parameters
        ----------
        boards : (N, 26) array_like
        cube : {"centred", "own", "opponent", "none"}, default "centred"
            Who owns it, seen by the side on roll; "none": no cube, see `equity`.
        jacoby : bool, default False
            Gammons count single while the cube is in the middle.
        beavers : bool, default False
            A double may be turned back. That changes something with the Jacoby rule alone: without
            it nobody doubles who is worth less than 0 then.
        may_double : bool, default True
            False: the side on roll rolls now without doubling.

        Returns
        -------
        (N,) float64 array
            Points of the side on roll for each point of the cube as it is, within 1e-8.

        Raises
        ------
        BoardError
            See `probabilities`.
        TableError
            There is no such owner.
        """
        if cube == "none":
            return self.equity(boards)
        if cube not in _OWNERS:
            raise TableError(f"the cube is centred, own, opponent or none, not {cube!r}")
        own, other = self._ranks(boards)
        owners = np.full(len(own), _OWNERS[cube])
        return self._equities(own, other, owners, jacoby, beavers, may_double)

    def money_after(
        self,
        boards: NDArray[np.int8],
        owners: NDArray[np.integer],
        *,
        jacoby: bool | NDArray[np.bool_] = False,
        beavers: bool = False,
    ) -> Floats:
        """Give the money equity of the side that has just played.

        Parameters
        ----------
        boards : (N, 26) int8 array
            After the play, seen by the mover.
        owners : (N,) integer array
            1 the mover owns the cube, -1 the other side, 0 it is in the middle.
        jacoby : bool or (N,) bool array
        beavers : bool
            See `money`.

        Returns
        -------
        (N,) float64 array
        """
        own, other = self._ranks(swap_boards(boards))
        return -self._equities(own, other, -np.asarray(owners), jacoby, beavers, True)

    def decision(self, board: ArrayLike, context: CubeContext | None = None) -> CubeDecision:
        """Give the cube decision of the side on roll in a money game.

        Parameters
        ----------
        board : Board or (26,) array_like
        context : CubeContext, optional
            A cube on 1 in the middle, no Jacoby rule and no beavers if not given.

        Raises
        ------
        BoardError
            See `probabilities`; or the game is over.
        TableError
            It is a match, or the cube has a limit below 1,024.
        """
        at = CubeContext() if context is None else context
        _check_context(at)
        cells = np.asarray(board, np.int8)[np.newaxis]
        own, other = self._ranks(cells)
        if not (own[0] and other[0]):
            raise BoardError("the game is over; there is nothing to decide")
        rules = {"jacoby": at.jacoby, "beavers": at.beavers > 0}
        place = at.owner if at.has_cube else "none"
        return decision_of(
            self.probabilities(cells)[0],
            float(self.equity(cells)[0]),
            float(self.money(cells, place, may_double=False, **rules)[0]),
            2 * float(self.money(cells, "opponent")[0]),
            at,
            is_exact=True,
        )

    def rank_plays(
        self, board: Board, dice: Dice, context: CubeContext | None = None
    ) -> tuple[RankedPlay, ...]:
        """Rank the legal plays of a roll in a money game, the best first.

        Parameters
        ----------
        board : Board
            Its rules must have as many checkers as this game.
        dice : str or iterable of two int
        context : CubeContext, optional
            As for `decision`.

        Returns
        -------
        tuple of RankedPlay
            By the equity with the cube, of equals the first of `Board.legal_plays`.

        Raises
        ------
        BoardError, DiceError
            See `probabilities` and `Board.legal_plays`.
        TableError
            As `decision`.
        """
        at = CubeContext() if context is None else context
        _check_context(at)
        plays = Board(board, n_checkers=self.n_checkers).legal_plays(dice)
        boards = np.ascontiguousarray(plays.boards)
        swapped = swap_boards(boards)
        chances = self.probabilities(swapped)[:, [0, 3, 4, 1, 2]]
        chances[:, 0] = 1 - chances[:, 0]
        cubeless = -self.equity(swapped)
        cubeful = cubeless
        if at.has_cube:
            owners = np.full(len(boards), _OWNERS[at.owner])
            rules = {"jacoby": at.jacoby, "beavers": at.beavers > 0}
            cubeful = self.money_after(boards, owners, **rules)
        order = np.argsort(-cubeful, kind="stable").tolist()
        return tuple(
            RankedPlay(
                plays[i],
                Board(boards[i], n_checkers=self.n_checkers),
                Probabilities.from_array(chances[i]),
                float(cubeless[i]),
                float(cubeful[i]),
                float(cubeful[order[0]] - cubeful[i]),
            )
            for i in order
        )

    def _equities(
        self,
        own: NDArray[np.int32],
        other: NDArray[np.int32],
        owners: NDArray[np.integer],
        jacoby: bool | NDArray[np.bool_],
        beavers: bool,
        may_double: bool,
    ) -> Floats:
        """Equities by ranks; owners are 1 the side on roll, -1 the other one, 0 nobody."""
        centred = np.where(jacoby, _BEAVER if beavers else _JACOBY, _CENTRED)
        kinds = np.where(owners == 0, centred, np.where(owners > 0, _OWNED, _OPPONENT))
        held: Floats = self._money[own, other, kinds] / EQUITY_UNIT
        if not may_double:
            return held
        taken = 2 * (self._money[own, other, _OPPONENT] / EQUITY_UNIT)
        if beavers:
            taken = np.minimum(taken, 2 * taken)
        doubled = np.maximum(held, np.minimum(taken, 1.0))
        return np.where(owners < 0, held, doubled)

    def _ranks(self, boards: ArrayLike) -> NDArray[np.int32]:
        try:
            found = ranks(boards, men=self.n_checkers)
        except BoardError as error:
            raise BoardError(
                f"the table of Hypergammon has up to {self.n_checkers} checkers a side: {error}"
            ) from None
        return np.ascontiguousarray(found.T)


_OWNERS: Final[dict[str, int]] = {"own": 1, "centred": 0, "opponent": -1}


def hypergammon_table(
    n_checkers: int = MOST, *, progress: Progress | None = None
) -> HypergammonTable:
    """Give the table of a game, the same object each time in a process.

    It is read from the cache folder (BGCORE_CACHE, or the user's cache folder); the first time it
    is solved, see `HypergammonTable.build`.

    Parameters
    ----------
    n_checkers : int, default 3
        Of each side, 1 to 3.
    progress : callable, optional
        See `HypergammonTable.build`.

    Raises
    ------
    TableError
        There is no such table.

    Warns
    -----
    BgcoreWarning
        The stored table was damaged, or the folder cannot be used.

    Examples
    --------
    >>> table = hypergammon_table(1)
    >>> start = np.zeros((1, 26), np.int8)
    >>> start[0, 24], start[0, 1] = 1, -1
    >>> table.equity(start).round(4).tolist()
    [0.4528]
    """
    n = _checked_number(n_checkers)
    with _lock:
        if n not in _loaded:
            arrays = table_files.load_or_build(_name(n), _layout(n), lambda: _solve(n, progress))
            _loaded[n] = HypergammonTable(n, arrays)
        return _loaded[n]


def _checked_number(n_checkers: int) -> int:
    return whole_number(n_checkers, "the number of checkers of a side", 1, MOST, TableError)


def _check_context(context: CubeContext) -> None:
    if context.is_match:
        raise TableError("the tables of Hypergammon are for money games, not for matches")
    if context.has_cube and context.limit < _NEVER_LIMITED:
        raise TableError(f"the tables know no limit of the cube, here it is {context.limit}")


# ---- solving ----


def _name(n_checkers: int) -> str:
    # The number at the end changes whenever the contents do.
    return f"hypergammon-{n_checkers}-1.bin"


def _layout(n_checkers: int) -> table_files.Layout:
    n = N_RANKS[n_checkers]
    return {"five": ("i4", (n, n, 5)), "money": ("i4", (n, n, 5))}


def _solve(n_checkers: int, progress: Progress | None) -> table_files.Arrays:
    """Solve a game; go on with what a run that was broken off has left."""
    n = N_RANKS[n_checkers]
    layout: table_files.Layout = {"values": ("f8", (n, n, 8)), "change": ("f8", (1,))}
    kept = f"hypergammon-{n_checkers}-1.part"
    values = np.zeros((n, n, 8))
    solver = Solver(n_checkers, values)
    found = table_files.kept_part(kept, layout)
    change = 1.0
    if found is None:
        solver.begin()
    else:
        values[:] = found["values"]
        change = float(found["change"][0])

    def save(change: float) -> None:
        table_files.keep_part(kept, {"values": values, "change": np.array([change])})

    _sweep(solver.sweep, solver.n_blocks, change, save, _part(progress, 0, _EQUITIES))
    money = np.zeros((n, n, 5), np.int32)
    chosen = np.zeros((n, n, 21), np.uint8)
    solver.finish(money, chosen)
    solver.begin_five()
    _sweep(
        lambda first, end: solver.sweep_five(chosen, first, end),
        solver.n_blocks,
        1.0,
        lambda change: None,
        _part(progress, _EQUITIES, _CHANCES),
    )
    five = np.empty((n, n, 5), np.int32)
    solver.finish_five(five)
    table_files.drop_part(kept)
    return {"five": five, "money": money}


def _part(progress: Progress | None, before: int, share: int) -> Callable[[float], None]:
    """Return what tells the progress of a part of the work, 0 to 1."""

    def tell(done: float) -> None:
        if progress is not None:
            progress(before + int(share * done), _EQUITIES + _CHANCES)

    return tell


def _sweep(
    sweep: Callable[[int, int], float],
    n_blocks: int,
    change: float,
    save: Callable[[float], None],
    tell: Callable[[float], None],
) -> None:
    """Sweep until the changes are small; `change` is that of the last sweep."""
    saved = time.monotonic()
    for _ in range(_MOST_SWEEPS):
        if change < SMALL:
            return
        done = max(0.0, log(change) / log(SMALL))
        change = 0.0
        for first in range(0, n_blocks, _STEP):
            # in pieces, so that Ctrl-C is heard
            change = max(change, sweep(first, min(first + _STEP, n_blocks)))
            tell(done)
        if change < SMALL or time.monotonic() - saved > _SAVE_AFTER:
            save(change)
            saved = time.monotonic()
    raise TableError(f"Hypergammon: changes of {change:g} are left after {_MOST_SWEEPS} sweeps")
