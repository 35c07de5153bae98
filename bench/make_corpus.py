"""Write bgcore/data/contact.txt: 1,000 contact positions of 0-ply self-play.

usage: python bench/make_corpus.py

Each game gives every eighth position from ply 3 + (game mod 8) on, as long as the sides are in
contact. A position that was there before is left out. The file is part of the repository and
stays as it is when the net is replaced: the counts in bgcore/corpus.py and the signature depend
on it.
"""

from pathlib import Path

import numpy as np

from bgcore import Board, Phase, swap_boards
from bgcore.dice import DiceStream
from bgcore.evaluators import NetEvaluator

SEED = 2026
N_POSITIONS = 1000
TARGET = Path(__file__).parents[1] / "bgcore" / "data" / "contact.txt"
HEADER = f"""\
# GNU position IDs of {N_POSITIONS:,} contact positions, the player on roll has not rolled.
# Source: games of the first net against itself at 0-ply, best cubeless equity, dice seed {SEED}
# (plain), every eighth position in contact; written by bench/make_corpus.py.
"""


def main():
    net = NetEvaluator()
    dice = DiceStream(SEED, stratified=False)
    found = {}
    game = 0
    while len(found) < N_POSITIONS:
        board = Board.opening()
        ply = 0
        while board.phase is Phase.CONTACT and len(found) < N_POSITIONS:
            if ply % 8 == (3 + game) % 8:
                found.setdefault(board.position_id, None)
            after, _ = net.best_plays(
                board.to_array()[np.newaxis], np.array([dice.roll(game, ply)])
            )
            board = Board(swap_boards(after)[0])
            ply += 1
        game += 1
    TARGET.write_text(HEADER + "".join(f"{text}\n" for text in found), encoding="utf-8")


if __name__ == "__main__":
    main()
