"""One number over what bgcore computes: it changes when a play, an evaluation or a rollout does."""

import hashlib

import numpy as np

from bgcore._core.movegen import legal_boards_all_rolls, perft
from bgcore.board import Board
from bgcore.corpus import contact_boards, walked_boards

_WALKS = 20


def signature() -> dict[str, int]:
    """Hash plays, evaluations and rollouts of a fixed corpus.

    Returns
    -------
    dict of str to int
        `signature`, the number over everything, and the number of each part: `plays`. Each is
        below 2**52, so that it passes through JSON anywhere.

    Notes
    -----
    The same on every CPU level and for any number of jobs. `plays`: weighted perft counts of the
    opening to depth 2, and all boards that follow the corpus with all 21 rolls, in the order in
    which they are generated.
    """
    parts = {"plays": _plays()}
    return {"signature": _number(repr(parts).encode()), **parts}


def _number(*data: bytes) -> int:
    digest = hashlib.sha256(b"".join(data)).digest()
    return int.from_bytes(digest[:8], "little") >> 12


def _plays() -> int:
    opening = Board.opening()
    counts = [perft(opening, depth, weighted=True) for depth in range(3)]
    boards, offsets = legal_boards_all_rolls(
        np.concatenate([contact_boards(), walked_boards(_WALKS)])
    )
    return _number(repr(counts).encode(), boards.tobytes(), offsets.astype("<i8").tobytes())
