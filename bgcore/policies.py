"""Policies: who chooses the plays of a rollout.

A policy is one of the names below, an evaluator, whose best play is made, or an object of your own
with a method `choose`.

* ``"net"``: the best play of a net: the evaluator's if that is one, else the one that comes with
  bgcore
* ``"table"``: the same, and the exact two-sided table chooses where it applies
* ``"pips"``: the play with the best lead in pips, of equals the one with the fewest blots
* ``"random"``: uniform over the distinct boards

The best play is the one of largest cubeless equity, the first of equals (0-ply play).
"""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import swap_boards, values
from bgcore.checks import takes
from bgcore.errors import EvaluatorError
from bgcore.evaluators import Evaluator, check_game, checked_probabilities, checkers_of

__all__ = ["POLICY_NAMES", "BestPlay", "Policy", "ask", "is_policy", "values_after"]

#: What a policy may be called.
POLICY_NAMES = ("net", "table", "pips", "random")

_UNIT = 2.0**30


@runtime_checkable
class Policy(Protocol):
    """Anything that chooses plays for many boards at once."""

    def choose(
        self, boards: NDArray[np.int8], plays: NDArray[np.int8], offsets: NDArray[np.int64], /
    ) -> NDArray[np.integer]:
        """Choose one play for each board.

        Parameters
        ----------
        boards : (N, 26) int8 array
            Before the play, seen by the side on roll. Each has at least one legal play.
        plays : (M, 26) int8 array, read-only
            The distinct boards after every legal play, still seen by the mover.
        offsets : (N + 1,) int64 array
            The plays of board i are ``plays[offsets[i]:offsets[i + 1]]``.

        Returns
        -------
        (N,) integer array
            Which of its plays each board gets, from 0.
        """


def is_policy(thing: object) -> bool:
    """Tell whether an object chooses plays in the way of `Policy`; a class does not."""
    return takes(thing, "choose", 3)


class BestPlay:
    """The play that an evaluator likes best: the largest cubeless equity, the first of equals.

    Values are compared after rounding to 2**-30. Finished games are valued exactly and are never
    shown to the evaluator.

    Parameters
    ----------
    evaluator : Evaluator
    n_checkers : int, optional
        Of each side by the rules; what the evaluator says, or 15, if not given.
    to_win : bool, default False
        Take the largest win probability instead, as where one game decides the match.

    Raises
    ------
    EvaluatorError
        It is none.
    """

    def __init__(
        self, evaluator: Evaluator, *, n_checkers: int | None = None, to_win: bool = False
    ) -> None:
        if not takes(evaluator, "evaluate", 1):
            raise EvaluatorError(
                f"an evaluator has a method evaluate(boards); {evaluator!r} has not"
            )
        self.evaluator = evaluator
        self.n_checkers = checkers_of(evaluator) if n_checkers is None else n_checkers
        self.to_win = bool(to_win)

    def __repr__(self) -> str:
        return f"BestPlay({self.evaluator!r}{', to_win=True' if self.to_win else ''})"

    def choose(
        self, boards: NDArray[np.int8], plays: NDArray[np.int8], offsets: NDArray[np.int64], /
    ) -> NDArray[np.int64]:
        """Choose the best plays; see `Policy.choose`.

        Raises
        ------
        EvaluatorError
            The evaluator returned something that cannot be used.
        """
        counts = np.diff(offsets)
        chosen = np.zeros(len(boards), np.int64)
        open_boards = counts > 1
        if not open_boards.any():
            return chosen
        wanted = np.repeat(open_boards, counts)
        fives = values_after(self.evaluator, plays[wanted], n_checkers=self.n_checkers)
        worth = fives[:, 0] if self.to_win else equities_of(fives)
        chosen[open_boards] = first_best(worth, counts[open_boards])
        return chosen


def first_best(equities: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each run of `counts` equities (none empty) the place of its first maximum."""
    starts = np.cumsum(counts) - counts
    best = np.repeat(np.maximum.reduceat(equities, starts), counts)
    places = np.flatnonzero(equities == best)
    runs = np.repeat(np.arange(len(counts)), counts)[places]
    _, first = np.unique(runs, return_index=True)
    best_places: NDArray[np.int64] = places[first] - starts
    return best_places


def equities_of(fives: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cubeless equities, unit 2**-30, of (N, 5) probabilities of unit 2**-30."""
    win, wg, wbg, lg, lbg = fives.T
    equities: NDArray[np.int64] = 2 * win - (1 << 30) + (wg - lg) + (wbg - lbg)
    return equities


def fixed_values(evaluator: Evaluator, boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Evaluate boards whose side on roll has not rolled: (N, 5), unit 2**-30.

    Raises
    ------
    EvaluatorError
        What the evaluator returned cannot be used; the message names the evaluator.
    """
    if len(boards) == 0:
        return np.empty((0, 5), np.int64)
    returned = evaluator.evaluate(boards)
    try:
        probabilities = checked_probabilities(returned, len(boards))
    except EvaluatorError as error:
        raise EvaluatorError(f"{type(evaluator).__name__}: {error}") from None
    fixed: NDArray[np.int64] = np.rint(probabilities.astype(np.float64) * _UNIT).astype(np.int64)
    return fixed


def values_after(
    evaluator: Evaluator, boards: NDArray[np.int8], *, n_checkers: int | None = None
) -> NDArray[np.int64]:
    """Evaluate boards after a play: the five probabilities of the mover, unit 2**-30.

    Parameters
    ----------
    evaluator : Evaluator
    boards : (N, 26) int8 array
        Seen by the mover. Finished games are valued exactly.
    n_checkers : int, optional
        Of each side by the rules; what the evaluator says, or 15, if not given.

    Returns
    -------
    (N, 5) int64 array

    Raises
    ------
    EvaluatorError
        What the evaluator returned cannot be used, or it is one of a game with another number of
        checkers; the message names the evaluator.
    """
    known = checkers_of(evaluator) if n_checkers is None else n_checkers
    check_game(evaluator, known)
    points = values(boards, n_checkers=known)
    going_on = points == 0
    result = np.zeros((len(boards), 5), np.int64)
    swapped = np.ascontiguousarray(swap_boards(boards[going_on]))
    result[going_on] = flip_fixed(fixed_values(evaluator, swapped))
    for column, reached in enumerate(
        (points > 0, points > 1, points > 2, points < -1, points < -2)
    ):
        result[reached, column] = 1 << 30
    return result


def flip_fixed(fives: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (N, 5) probabilities of unit 2**-30 seen by the other side."""
    flipped = fives[:, [0, 3, 4, 1, 2]]
    flipped[:, 0] = (1 << 30) - fives[:, 0]
    return flipped


def ask(
    policy: Policy,
    boards: NDArray[np.int8],
    plays: NDArray[np.int8],
    offsets: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Ask a policy about boards of which some may have no legal play.

    Returns
    -------
    (N,) int64 array
        Which of its plays each board gets, from 0; -1 where there is none.

    Raises
    ------
    EvaluatorError
        What the policy returned cannot be used; the message names the policy.
    """
    counts = np.diff(offsets)
    can_play = counts > 0
    chosen = np.full(len(boards), -1, np.int64)
    if not can_play.any():
        return chosen
    counts = counts[can_play]
    own_offsets = np.concatenate(([0], np.cumsum(counts)))
    returned = policy.choose(boards[can_play], plays, own_offsets)
    name = type(policy).__name__
    try:
        indices = np.asarray(returned)
    except (TypeError, ValueError) as error:
        raise EvaluatorError(f"the policy {name} returned no array: {error}") from None
    if indices.shape != counts.shape or indices.dtype.kind not in "iu":
        raise EvaluatorError(
            f"the policy {name} returned {indices.dtype} of shape {indices.shape}; right are"
            f" whole numbers of shape {counts.shape}"
        )
    bad = (indices < 0) | (indices >= counts)
    if bad.any():
        where = int(np.flatnonzero(bad)[0])
        raise EvaluatorError(
            f"the policy {name} chose play {indices[where]} for board {where}, which has the"
            f" plays 0 to {counts[where] - 1}"
        )
    chosen[can_play] = indices
    return chosen
