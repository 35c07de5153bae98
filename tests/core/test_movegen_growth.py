"""Batches whose results outgrow the first guess of their size."""

import numpy as np

from bgcore._core.movegen import legal_boards, legal_boards_all_rolls

#: Fifteen spread checkers against one far behind them: about 120 plays for a roll, not 20.
SPREAD = np.array([0, *[0, 0, 1, 0] * 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0], dtype=np.int8)


def test_batch_that_outgrows_its_buffer_gives_what_single_calls_give():
    board = SPREAD.copy()
    board[1] = -1
    assert board[1:26].clip(0).sum() == 15
    boards = np.tile(board, (80, 1))
    after, offsets = legal_boards_all_rolls(boards)
    assert len(after) > 20 * 21 * len(boards) + 3880  # the first guess
    one = [
        legal_boards(board, large, small) for large in range(1, 7) for small in range(1, large + 1)
    ]
    assert np.array_equal(after, np.concatenate(one * len(boards)))
    assert np.diff(offsets).tolist() == [len(plays) for plays in one] * len(boards)
