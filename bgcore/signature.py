"""One number over what bgcore computes: it changes when a play, an evaluation or a rollout does."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from bgcore._core.movegen import legal_boards_all_rolls, perft
from bgcore.board import Board
from bgcore.corpus import contact_boards, walked_boards
from bgcore.evaluators import NetEvaluator
from bgcore.rollout import rollout

_WALKS = 20


def signature() -> dict[str, int]:
    """Hash plays, evaluations and rollouts of a fixed corpus.

    Returns
    -------
    dict of str to int
        `signature`, the number over everything, and the number of each part: `plays`,
        `evaluations`, `rollouts`. Each is below 2**52, so that it passes through JSON anywhere.

    Notes
    -----
    The same on every CPU level and for any number of jobs.

    * `plays`: weighted perft counts of the opening to depth 2, and all boards that follow the
      corpus with all 21 rolls, in the order in which they are generated
    * `evaluations`: the shipped net's five probabilities of the corpus, before the roll and after
      a play, and its best play of every roll
    * `rollouts`: the exact sums of the values of trials, of their squares and of their plies, for
      some boards, policies and kinds of luck
    """
    parts = {"plays": _plays(), "evaluations": _evaluations(), "rollouts": _rollouts()}
    return {"signature": _number(repr(parts).encode()), **parts}


def _number(*data: bytes) -> int:
    digest = hashlib.sha256(b"".join(data)).digest()
    return int.from_bytes(digest[:8], "little") >> 12


def _corpus() -> NDArray[np.int8]:
    return np.concatenate([contact_boards(), walked_boards(_WALKS)])


def _plays() -> int:
    opening = Board.opening()
    counts = [perft(opening, depth, weighted=True) for depth in range(3)]
    boards, offsets = legal_boards_all_rolls(_corpus())
    return _number(repr(counts).encode(), boards.tobytes(), offsets.astype("<i8").tobytes())


def _evaluations() -> int:
    net = NetEvaluator().core
    boards = _corpus()
    rolls = np.array([(large, small) for large in range(1, 7) for small in range(1, large + 1)])
    every, dice = np.repeat(boards, len(rolls), axis=0), np.tile(rolls, (len(boards), 1))
    return _number(
        net.evaluate_fixed(boards, after=False).astype("<i4").tobytes(),
        net.evaluate_fixed(boards, after=True).astype("<i4").tobytes(),
        net.best_plays(every, dice)[1].astype("<i4").tobytes(),
    )


def _rollouts() -> int:
    opening = Board.opening()
    boards = contact_boards()[::250]
    results = [
        rollout(opening, trials=75),
        rollout(opening, trials=60, opening=True, truncate=5, luck="player"),
        rollout(opening, "31", trials=36, truncate=7, plays=3),
        rollout(opening, trials=36, policy="random", stratified=False),
        *(rollout(board, trials=36, policy="pips", stop_at_tables=True) for board in boards),
        *(rollout(board, trials=36, policy="table", luck="table") for board in boards),
    ]
    sums = [
        [result.totals.sums.tolist(), result.totals.squares.tolist(), result.totals.plies.tolist()]
        for result in results
    ]
    return _number(repr(sums).encode())
