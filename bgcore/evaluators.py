"""Evaluators: what gives the five outcome probabilities of a board.

`Evaluator` is the face that everything in bgcore accepts: one method, a batch of boards in, an
(N, 5) array out. `NetEvaluator` and `PipCountEvaluator` run in the compiled core and can also
choose plays there; a model of your own needs only `evaluate`.

The five probabilities are win, win gammon, win backgammon, lose gammon and lose backgammon of the
side seen, **cumulative**: a backgammon is also a gammon, and a gammon is also a win.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore._core.evaluator import MOST_PLIES
from bgcore._core.evaluator import Evaluator as CoreEvaluator
from bgcore.bearoff import tables
from bgcore.checks import are_chances, whole_number
from bgcore.errors import EvaluatorError, NetError
from bgcore.nets import SHIPPED, NetFile, load_net, shipped_net

__all__ = [
    "Evaluator",
    "NetEvaluator",
    "PipCountEvaluator",
    "Probabilities",
    "check_game",
    "checked_probabilities",
    "checkers_of",
    "core_of",
    "equity_cubeless",
    "flip",
]


@runtime_checkable
class Evaluator(Protocol):
    """Anything that evaluates boards."""

    def evaluate(self, boards: NDArray[np.int8], /) -> NDArray[np.float32]:
        """Evaluate boards before the roll.

        Parameters
        ----------
        boards : (n, 26) int8 array, C-contiguous
            The side seen is on roll and has not rolled: index 1-24 points, 25 its bar, 0 the
            opponent's bar; own checkers > 0, the opponent's < 0.

        Returns
        -------
        (n, 5) float32 array
            Win, win gammon, win backgammon, lose gammon, lose backgammon of the side seen.
        """


@dataclass(frozen=True)
class Probabilities:
    """The five outcome probabilities of one board, cumulative, each in [0, 1].

    Attributes
    ----------
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon : float
    """

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @classmethod
    def from_array(cls, values: ArrayLike) -> "Probabilities":
        """Make the record from five numbers.

        Raises
        ------
        EvaluatorError
            If they are not five numbers.
        """
        five = _real_numbers(values, np.float64)
        if five.shape != (5,):
            raise EvaluatorError(f"five probabilities are needed, not an array {five.shape}")
        return cls(*five.tolist())

    @property
    def equity_cubeless(self) -> float:
        """Expected points of the side seen without a cube, in [-3, 3]."""
        return (
            2 * self.win
            - 1
            + (self.win_gammon - self.lose_gammon)
            + (self.win_backgammon - self.lose_backgammon)
        )

    def flip(self) -> "Probabilities":
        """Return the same probabilities seen by the other side."""
        return Probabilities(
            1 - self.win,
            self.lose_gammon,
            self.lose_backgammon,
            self.win_gammon,
            self.win_backgammon,
        )


def _real_numbers(values: object, dtype: type[np.floating[Any]]) -> NDArray[Any]:
    """Read an array of whole or floating-point numbers as `dtype`."""
    try:
        array = np.asarray(values)
        # only real numbers: a complex one would lose a part, a text be read as a number
        if array.dtype.kind not in "iuf":
            raise TypeError(f"they are {array.dtype}")
    except (TypeError, ValueError, OverflowError) as error:
        raise EvaluatorError(f"probabilities are an array of real numbers: {error}") from error
    with np.errstate(over="ignore"):  # infinity is out of range too
        return array.astype(dtype, copy=False)


def equity_cubeless(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return the cubeless money equity 2 win - 1 + (wg - lg) + (wbg - lbg).

    Parameters
    ----------
    probabilities : (..., 5) array_like
        Cumulative probabilities.

    Returns
    -------
    (...) float64 array
        Expected points of the side seen, in [-3, 3].

    Raises
    ------
    EvaluatorError
        If they are no real numbers, or the last axis is not five long.
    """
    p = _real_numbers(probabilities, np.float64)
    if p.ndim == 0 or p.shape[-1] != 5:
        raise EvaluatorError(f"probabilities have shape {p.shape}; the last axis must be 5 long")
    equity: NDArray[np.float64] = (
        2 * p[..., 0] - 1 + (p[..., 1] - p[..., 3]) + (p[..., 2] - p[..., 4])
    )
    return equity


def flip(probabilities: ArrayLike) -> NDArray[np.float32]:
    """Return (..., 5) probabilities seen by the other side.

    Raises
    ------
    EvaluatorError
        If they are no real numbers, or the last axis is not five long.
    """
    p = _real_numbers(probabilities, np.float32)
    if p.ndim == 0 or p.shape[-1] != 5:
        raise EvaluatorError(f"probabilities have shape {p.shape}; the last axis must be 5 long")
    flipped = p[..., [0, 3, 4, 1, 2]]
    flipped[..., 0] = 1 - p[..., 0]
    return flipped


def checked_probabilities(values: object, n: int) -> NDArray[np.float32]:
    """Check what an evaluator returned for n boards and return it as float32.

    Raises
    ------
    EvaluatorError
        If it is not an (n, 5) array of numbers in [0, 1] with backgammon <= gammon <= win on both
        sides. A slack of 1e-4 is allowed and clipped away.
    """
    p: NDArray[np.float32] = _real_numbers(values, np.float32)
    if p.shape != (n, 5):
        raise EvaluatorError(f"the evaluator returned shape {p.shape}, not ({n}, 5)")
    nested = are_chances(p)
    if not nested.all():  # also where a value is not a number
        row = int(np.flatnonzero(~nested)[0])
        raise EvaluatorError(
            f"the evaluator returned {p[row].tolist()} for board {row}; the five must lie in "
            "[0, 1], a backgammon not above a gammon, a gammon not above a win or a loss"
        )
    p = np.clip(p, 0, 1)
    p[:, 1] = np.minimum(p[:, 1], p[:, 0])
    p[:, 2] = np.minimum(p[:, 2], p[:, 1])
    p[:, 3] = np.minimum(p[:, 3], 1 - p[:, 0])
    p[:, 4] = np.minimum(p[:, 4], p[:, 3])
    return p


def core_of(evaluator: object) -> CoreEvaluator | None:
    """Return the evaluator of the core behind one in Python, if there is one."""
    inner = getattr(evaluator, "core", None)
    return inner if isinstance(inner, CoreEvaluator) else None


def checkers_of(evaluator: object) -> int:
    """Return how many checkers a side has in the game that an evaluator knows.

    That is its attribute `n_checkers`, or 15 if it has none.
    """
    return int(getattr(evaluator, "n_checkers", 15))


def check_game(evaluator: object, n_checkers: int) -> None:
    """Refuse an evaluator of a game with fewer checkers than backgammon for any other game.

    What was made for 15 checkers may judge boards of fewer, as if the others were borne off.

    Raises
    ------
    EvaluatorError
    """
    known = checkers_of(evaluator)
    if known not in (15, n_checkers):
        raise EvaluatorError(
            f"{evaluator!r} knows {_number(known)} a side, and here are {n_checkers}: it is the"
            " evaluator of another game"
        )


def _number(n: int) -> str:
    return f"{n} checker{'s' if n > 1 else ''}"


class _InCore:
    """What every evaluator of the core can do."""

    @property
    def core(self) -> CoreEvaluator:
        """The evaluator of the core, for code that plays without the GIL."""
        raise NotImplementedError

    def evaluate(self, boards: NDArray[np.int8], /) -> NDArray[np.float32]:
        """Evaluate boards before the roll; see `Evaluator.evaluate`.

        Raises
        ------
        BoardError
            If the array has the wrong form or a board is impossible.
        """
        return self.core.evaluate(boards)

    def evaluate_after(self, boards: NDArray[np.int8], /) -> NDArray[np.float32]:
        """Evaluate boards after a play: the side seen has just played, the values are its own.

        Parameters, result and errors as for `evaluate`.
        """
        return self.core.evaluate_after(boards)

    def best_plays(
        self, boards: NDArray[np.int8], dice: NDArray[np.integer], /, *, to_win: bool = False
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Play each board's roll in the best way.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games; the side seen is on roll.
        dice : (n, 2) integer array
            The rolls, 1-6.
        to_win : bool, default False
            Both sides play for the largest win probability, as where one game decides the match;
            otherwise for the largest cubeless equity.

        Returns
        -------
        boards : (n, 26) int8 array
            After the play, still seen by the mover; unchanged where no play is legal.
        indices : (n,) int32 array
            Index of the play among the legal plays; -1 where there is none.

        Raises
        ------
        BoardError, DiceError
        """
        return self.core.best_plays(boards, dice, to_win=to_win)


class NetEvaluator(_InCore):
    """Evaluates with a net: by default the one that comes with bgcore.

    Finished games are exact, races with both sides home come from the bear-off tables, and
    impossible outcomes have probability 0. The net is read, and the tables are read or built, when
    they are first needed. Instances can be pickled. A net that was trained for another layout of
    backgammon evaluates boards with the number of checkers of that.

    Parameters
    ----------
    path : path, optional
        A file of nets (see `bgcore.nets`), or the name of one that comes with bgcore, if there is
        no such file.
    use_tables : bool, default True
        Whether to use the bear-off tables (`bgcore.bearoff`).
    plies : int, default 0
        How far to look ahead, 0 to 3. 0: boards are judged as they stand. 1: the exact mean over
        the other side's 21 rolls, each played in the way that is best at 0 plies. 2 and 3: the
        same, one and two rolls farther. Where a play is chosen, only plays about as good as the
        best of a ply are looked at one ply deeper.

    Raises
    ------
    NetError
        If plies is out of range; on first use, if the file cannot be read, or its net cannot be
        used or is one of another game than layouts of backgammon.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        use_tables: bool = True,
        plies: int = 0,
    ) -> None:
        self.use_tables = bool(use_tables)
        self.plies = whole_number(plies, "plies", 0, MOST_PLIES, NetError)
        try:
            self.path = None if path is None else os.fspath(path)
            if isinstance(self.path, bytes):
                raise TypeError
        except TypeError:
            raise NetError(f"the path of a net is a text or a path, not {path!r}") from None

    def __repr__(self) -> str:
        settings = [] if self.path is None else [repr(self.path)]
        settings += [] if self.use_tables else ["use_tables=False"]
        settings += [f"plies={self.plies}"] if self.plies else []
        return f"NetEvaluator({', '.join(settings)})"

    def __reduce__(self) -> tuple[object, tuple[str | None, bool, int]]:
        return _net_evaluator, (self.path, self.use_tables, self.plies)

    @cached_property
    def file(self) -> NetFile:
        """The nets as they stand in the file."""
        if self.path is None:
            return shipped_net()
        if self.path in SHIPPED and not os.path.exists(self.path):
            return shipped_net(self.path)
        loaded = load_net(self.path)
        if loaded.game is not None and not loaded.game.is_layout:
            raise NetError(f"{self.path} is a net of {loaded.game.name}, no layout of backgammon")
        return loaded

    @property
    def n_checkers(self) -> int:
        """Checkers of one side in the game that the net knows."""
        return self.file.n_checkers

    @cached_property
    def _core(self) -> CoreEvaluator:
        nets = self.file
        first_choice = nets.value if nets.strong is not None else None
        table = tables() if self.use_tables else None
        return CoreEvaluator(nets.net, table, first_choice, self.plies, n_checkers=nets.n_checkers)

    @property
    def core(self) -> CoreEvaluator:
        """The evaluator of the core, for code that plays without the GIL."""
        return self._core


def _net_evaluator(path: str | None, use_tables: bool, plies: int) -> NetEvaluator:
    return NetEvaluator(path, use_tables=use_tables, plies=plies)


class PipCountEvaluator(_InCore):
    """Evaluates by the pip counts alone: crude, fast and easy to follow.

    With L the mover's lead in pips less 4 for the opponent's roll, and T the pips of both sides,
    the win probability after a play is 1/2 + L / (2 |L| + (208 + 2 T) / 13); there are no gammons
    before the game is over. It knows nothing of contact.

    Parameters
    ----------
    n_checkers : int, default 15
        Checkers of one side by the rules, 1 to 15; what is missing from a board is borne off.

    Raises
    ------
    NetError
        If the number is out of range.
    """

    def __init__(self, n_checkers: int = 15) -> None:
        self.n_checkers = whole_number(n_checkers, "n_checkers", 1, 15, NetError)
        self._core = CoreEvaluator(None, n_checkers=self.n_checkers)

    def __repr__(self) -> str:
        return f"PipCountEvaluator({'' if self.n_checkers == 15 else self.n_checkers})"

    def __reduce__(self) -> tuple[type["PipCountEvaluator"], tuple[int]]:
        return PipCountEvaluator, (self.n_checkers,)

    @property
    def core(self) -> CoreEvaluator:
        """The evaluator of the core, for code that plays without the GIL."""
        return self._core
