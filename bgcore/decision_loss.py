"""What a player loses by its plays, on a fixed set of decisions whose answers were rolled out.

A duel needs tens of thousands of games to tell two good players apart; a set of decisions with
known losses needs a second, and tells in which phase of the game a player is weak.
"""

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import check_boards
from bgcore._core.movegen import legal_boards_batch
from bgcore.checks import shown
from bgcore.errors import BgcoreError, EvaluatorError
from bgcore.nets import read_npz, write_npz
from bgcore.players import Turns, player

__all__ = [
    "PHASES",
    "DecisionLoss",
    "DecisionSet",
    "PhaseLoss",
    "decision_loss",
    "load_decisions",
    "phases_of",
]

#: Phases of the game, by the board before the play; the first that fits.
PHASES = (
    "race",
    "bearing off",
    "on the bar",
    "back game",
    "prime",
    "opening",
    "holding",
    "other",
)

#: Version of the file format.
FORMAT = 1
#: Losses and errors are kept in steps of so many points.
_STEP = 1e-4
#: From a backgammon won to one lost.
_MOST = 6
_OPENING_PIPS = 290
#: A mistake loses more than this, a blunder more than that.
_MISTAKE, _BLUNDER = 0.02, 0.08


def phases_of(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Tell the phases of boards as places in `PHASES`.

    race: past each other. bearing off: one side has all its checkers at home, and there is
    contact. on the bar: the side on roll has a checker there. back game: one side holds two
    points or more in the other's home board. prime: one side holds four points in a row or more,
    with a checker of the other side behind them. opening: both sides together have 290 pips or
    more. holding: one side holds one point in the other's home board, or the other's bar point.

    Parameters
    ----------
    boards : (n, 26) int8 array
        Unfinished games, the side seen is on roll.

    Returns
    -------
    (n,) int64 array

    Raises
    ------
    BoardError
    """
    own = check_boards(boards).astype(np.int64)
    other = -own[:, ::-1]
    result = np.full(len(own), PHASES.index("other"))
    highest = np.where(own > 0, np.arange(26), -1).max(axis=1)
    lowest = np.where(own < 0, np.arange(26), 99).min(axis=1)
    pips = sum((np.maximum(side, 0) * np.arange(26)).sum(axis=1) for side in (own, other))

    def held(side: NDArray[np.int64], low: int) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = (side[:, low:25] >= 2).sum(axis=1)
        return counts

    def primed(side: NDArray[np.int64]) -> NDArray[np.bool_]:
        found = np.zeros(len(side), bool)
        for start in range(1, 22):
            four = (side[:, start : start + 4] >= 2).all(axis=1)
            found |= four & (side[:, :start] < 0).any(axis=1)
        return found

    tests: dict[str, NDArray[np.bool_]] = {
        "holding": (held(own, 18) > 0) | (held(other, 18) > 0),
        "opening": pips >= _OPENING_PIPS,
        "prime": primed(own) | primed(other),
        "back game": (held(own, 19) >= 2) | (held(other, 19) >= 2),
        "on the bar": own[:, 25] > 0,
        "bearing off": np.logical_or(
            (own[:, 7:] <= 0).all(axis=1), (other[:, 7:] <= 0).all(axis=1)
        ),
        "race": highest < lowest,
    }
    for name, fits in tests.items():  # the first of PHASES last, so that it stays
        result[fits] = PHASES.index(name)
    return result


@dataclass(frozen=True, eq=False)
class DecisionSet:
    """Decisions with what each of their plays loses.

    Attributes
    ----------
    boards : (n, 26) int8 array
        Cubeless money games, the side seen is on roll.
    dice : (n, 2) uint8 array
    offsets : (n + 1,) int64 array
        The plays of decision i, in the generator's order, are ``offsets[i]`` to
        ``offsets[i + 1]``.
    plays : (m, 26) int8 array
        The boards after the plays, seen by the mover.
    losses : (m,) float64 array
        Points that a play loses against the best one.
    errors : (m,) float64 array
        Standard error of a loss that was rolled out; 0 for the best play, NaN where the loss is
        an estimate of the net, one ply ahead, for a play too bad to be rolled out.
    meta : dict
        How they were found.
    """

    boards: NDArray[np.int8]
    dice: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    plays: NDArray[np.int8]
    losses: NDArray[np.float64]
    errors: NDArray[np.float64]
    meta: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        boards: NDArray[np.int8],
        dice: NDArray[np.uint8],
        losses: NDArray[np.float64],
        errors: NDArray[np.float64],
        meta: Mapping[str, Any],
    ) -> "DecisionSet":
        """Make a set from losses in the generator's order.

        Raises
        ------
        BgcoreError
            If there is no decision, there are more or fewer losses than plays, a loss is not from
            0 to 6 points, the most that a play can lose, an error is below 0 or above 6, or
            a board or a roll is impossible.
        """
        plays, offsets = legal_boards_batch(boards, dice)
        for name, values in (("losses", losses), ("errors", errors)):
            if not isinstance(values, np.ndarray) or values.shape != (len(plays),):
                found = len(values) if isinstance(values, np.ndarray) and values.ndim else "other"
                raise BgcoreError(f"{found} {name} do not fit {len(plays)} plays")
        if not len(plays) or (np.diff(offsets) == 0).any():
            raise BgcoreError("a set holds one decision or more, each with a play or more")
        if not ((losses >= 0) & (losses <= _MOST)).all():
            raise BgcoreError(f"a loss is 0 to {_MOST} points")
        if not (np.isnan(errors) | ((errors >= 0) & (errors <= _MOST))).all():
            raise BgcoreError(f"the error of a loss is 0 to {_MOST} points, or NaN")
        return cls(boards, dice, offsets, plays, losses, errors, dict(meta))

    def __len__(self) -> int:
        return len(self.boards)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the set to a file, the whole of it or nothing.

        Raises
        ------
        NetError
            If it cannot be written.
        """
        rolled = ~np.isnan(self.errors)
        arrays: dict[str, NDArray[Any]] = {
            "boards": self.boards,
            "dice": self.dice,
            "losses": np.rint(self.losses / _STEP).astype(np.uint16),
            # 0 not rolled out, else the error and one step more
            "errors": np.where(rolled, np.rint(np.where(rolled, self.errors, 0) / _STEP) + 1, 0)
            .clip(0, 65535)
            .astype(np.uint16),
        }
        meta = {**self.meta, "decisions": FORMAT, "plays": zlib.crc32(self.plays.tobytes())}
        write_npz(path, arrays, meta)


def load_decisions(path: str | os.PathLike[str] | None = None) -> DecisionSet:
    """Read a set of decisions; the one that comes with bgcore if no path is given.

    Raises
    ------
    NetError
        If the file cannot be read.
    BgcoreError
        If it is no set of decisions, or was made with another order of plays.
    """
    if path is None:
        with as_file(files("bgcore").joinpath("data/decisions.npz")) as place:
            return load_decisions(place)
    arrays, meta = read_npz(path)
    shapes = {"boards": 2, "dice": 2, "losses": 1, "errors": 1}
    types = {"boards": np.int8, "dice": np.uint8, "losses": np.uint16, "errors": np.uint16}
    if meta.get("decisions") != FORMAT or set(arrays) != set(shapes):
        raise BgcoreError(f"{os.fspath(path)!r} is no set of decisions of format {FORMAT}")
    for name, axes in shapes.items():
        if arrays[name].ndim != axes or arrays[name].dtype != types[name]:
            found_type = f"{arrays[name].dtype} of {arrays[name].ndim} axes"
            right = f"{np.dtype(types[name]).name} of {axes}"
            raise BgcoreError(f"{os.fspath(path)!r}: {name} is {found_type}, not {right}")
    steps = arrays["errors"].astype(np.float64)
    try:
        found = DecisionSet.of(
            arrays["boards"],
            arrays["dice"],
            arrays["losses"] * _STEP,
            np.where(steps > 0, (steps - 1) * _STEP, np.nan),
            meta,
        )
    except BgcoreError as error:
        raise BgcoreError(f"{os.fspath(path)!r}: {error}") from error
    if zlib.crc32(found.plays.tobytes()) != meta.get("plays"):
        raise BgcoreError(f"{os.fspath(path)!r} was made for another order of plays")
    return found


@dataclass(frozen=True)
class PhaseLoss:
    """What a player loses in one phase.

    Attributes
    ----------
    phase : str
        One of `PHASES`, or "all".
    decisions : int
    loss, loss_se : float
        Mean loss of a decision in points, and the standard error of that mean over the decisions.
    mistakes, blunders : float
        Shares of decisions that lose more than 0.02 and 0.08 points.
    rolled_out : float
        Share of decisions whose chosen play has a loss from rollouts.
    """

    phase: str
    decisions: int
    loss: float
    loss_se: float
    mistakes: float
    blunders: float
    rolled_out: float


@dataclass(frozen=True)
class DecisionLoss:
    """What a player loses on a set of decisions.

    Attributes
    ----------
    total : PhaseLoss
    phases : tuple of PhaseLoss
        Those that occur, in the order of `PHASES`.
    """

    total: PhaseLoss
    phases: tuple[PhaseLoss, ...]


def decision_loss(who: object, decisions: DecisionSet | None = None) -> DecisionLoss:
    """Measure what a player's plays lose.

    Parameters
    ----------
    who
        A player, see `bgcore.players.player`.
    decisions : DecisionSet, optional
        Those that come with bgcore if not given.

    Returns
    -------
    DecisionLoss

    Raises
    ------
    EvaluatorError
        If there is no such player, or it breaks the rules.
    """
    chosen_by = player(who)
    given = load_decisions() if decisions is None else decisions
    if not isinstance(given, DecisionSet):
        raise EvaluatorError(f"decisions are a DecisionSet, not {shown(given)}")
    bits = np.arange(len(given), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    after = chosen_by.choose_plays(Turns.plain(given.boards, bits=bits), given.dice)
    decision = np.repeat(np.arange(len(given)), np.diff(given.offsets))
    same = (given.plays == after[decision]).all(axis=1)
    chosen = np.full(len(given), -1)
    chosen[decision[same]] = np.flatnonzero(same)
    if (chosen < 0).any():
        raise EvaluatorError(f"{who!r} made no legal play in decision {int(chosen.argmin())}")
    losses, rolled = given.losses[chosen], ~np.isnan(given.errors[chosen])
    phases = phases_of(given.boards)
    parts = [
        _part(name, losses[phases == number], rolled[phases == number])
        for number, name in enumerate(PHASES)
        if (phases == number).any()
    ]
    return DecisionLoss(_part("all", losses, rolled), tuple(parts))


def _part(phase: str, losses: NDArray[np.float64], rolled: NDArray[np.bool_]) -> PhaseLoss:
    n = len(losses)
    return PhaseLoss(
        phase,
        n,
        float(losses.mean()),
        float(losses.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan"),
        float((losses > _MISTAKE).mean()),
        float((losses > _BLUNDER).mean()),
        float(rolled.mean()),
    )
