"""Fixed boards that benchmarks and the signature work on."""

from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import swap_boards
from bgcore._core.dice import DiceStream
from bgcore._core.movegen import legal_boards
from bgcore.board import Board
from bgcore.ids.position_id import boards_from_position_ids

#: Legal plays of the contact positions with all 21 rolls, a dance counted as none.
CONTACT_PLAYS = 410_401


def contact_boards() -> NDArray[np.int8]:
    """Load 1,000 contact positions of seeded 0-ply self-play.

    Returns
    -------
    (1000, 26) int8 array
        Seen by the player on roll. How they were made stands in the file,
        `bgcore/data/contact.txt`.
    """
    text = files("bgcore").joinpath("data/contact.txt").read_text(encoding="utf-8")
    return boards_from_position_ids([line for line in text.splitlines() if line[:1] not in "#"])


def walked_boards(games: int) -> NDArray[np.int8]:
    """Play games to the end without any judgement and return all boards on the way.

    The dice are those of seed 0, not stratified; of the n plays of a ply the one with the index
    (7919 game + 104729 ply) mod n is played. The games go through every phase.

    Parameters
    ----------
    games : int

    Returns
    -------
    (N, 26) int8 array
        Each seen by the player on roll; no finished games.
    """
    dice = DiceStream(0, stratified=False)
    found = []
    for game in range(games):
        board = Board.opening().to_array()
        ply = 0
        while (board > 0).any() and (board < 0).any():
            found.append(board)
            plays = legal_boards(board, *dice.roll(game, ply))
            after = plays[(7919 * game + 104729 * ply) % len(plays)] if len(plays) else board
            board = swap_boards(after[np.newaxis])[0]
            ply += 1
    return np.array(found, dtype=np.int8)
