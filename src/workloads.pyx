"""Loops that `bgcore bench` times: generation in the core's own form and the limit of writing."""
import numpy as np

from libc.stdint cimport int64_t

from bgcore._core.board cimport board_from_public
from bgcore._core.movegen cimport generate_boards
from bgcore._core.types cimport (
    N_CHECKERS, PLAYS_BUFFER, board_t, boards_alloc, boards_free, int8_t, vec32, vec32_load,
    vec32_store,
)


def generate_all_rolls(const int8_t[:, ::1] boards, int repeats):
    """Generate the plays of each board with all 21 rolls, `repeats` times, and count them.

    The boards must be possible ones: nothing is checked. One buffer takes the plays of a roll,
    as in a rollout. Runs without the GIL.

    Returns
    -------
    int
        Boards written, over all repeats.
    """
    cdef int64_t total = 0
    cdef int64_t i
    cdef int large, small, _repeat
    cdef int64_t n = boards.shape[0]
    cdef board_t *own = boards_alloc(n + 1)
    cdef board_t *plays = boards_alloc(PLAYS_BUFFER)
    if own == NULL or plays == NULL:
        boards_free(own)
        boards_free(plays)
        raise MemoryError("no memory for the boards")
    with nogil:
        for i in range(n):
            board_from_public(&boards[i, 0], N_CHECKERS, &own[i])
        for _repeat in range(repeats):
            for i in range(n):
                for large in range(1, 7):
                    for small in range(1, large + 1):
                        total += generate_boards(&own[i], large, small, plays)
    boards_free(own)
    boards_free(plays)
    return total


def write_boards(const int8_t[::1] board, int64_t n_boards, int n_plays):
    """Write a board of 32 bytes with five byte-edits `n_boards` times and do nothing else.

    This is the limit that generation is measured against. The boards go, `n_plays` in a row,
    into one buffer again and again, as the plays of a roll do.

    Returns
    -------
    int
        A sum over the last buffer, so that no compiler can leave the work out.
    """
    cdef board_t base
    cdef board_t *plays = boards_alloc(PLAYS_BUFFER)
    cdef int8_t *p
    cdef vec32 v
    cdef int64_t done = 0
    cdef int i, at
    if plays == NULL:
        raise MemoryError("no memory for the boards")
    board_from_public(&board[0], N_CHECKERS, &base)
    with nogil:
        while done < n_boards:
            v = vec32_load(base.c)
            for i in range(n_plays):
                p = plays[i].c
                at = i & 15
                vec32_store(p, v)
                p[at + 9] -= 1
                p[at + 3] += 1
                p[at + 7] -= 1
                p[at + 6] += 1
                p[0] -= 1
            done += n_plays
    checksum = int(np.frombuffer((<char *>plays)[:32 * n_plays], dtype=np.int8).sum())
    boards_free(plays)
    return checksum
