"""Evaluation of boards and choice of plays.

An `evaluator_t` gives the five probabilities of a board **after a play, seen by the mover**:
exact for finished games; from the bear-off tables where both sides are home, if they are there;
otherwise from a net or the pip counts. Values are clamped to what the rules still allow.
Nothing here checks its input.
"""
from bgcore._core.bearoff cimport bearoff_t
from bgcore._core.network cimport deep_sums_t, deep_t, net_sums_t, net_t
from bgcore._core.types cimport board_t, int32_t, int64_t

cdef enum:
    EVALUATOR_NET = 0
    EVALUATOR_PIPS = 1
    EVALUATOR_DEEP = 2

    # A strong net looks at the best plays by the fast net: at most so many (more only if equal),
    # and none that is more than so much worse than the best, in units of 2**-30 points. Few plays
    # are not worth a first choice.
    FILTER_PLAYS = 14
    FILTER_MARGIN = 472446402   # 0.44 points
    FILTER_LEAST = 3

    # Looking ahead, a player looks at the best plays of the ply before: at most so many, and none
    # that is more than so much worse than the best.
    _MOST_PLIES = 3
    AHEAD_PLAYS = 8
    AHEAD_MARGIN = 171798692    # 0.16 points
    FARTHER_PLAYS = 4
    FARTHER_MARGIN = 85899346   # 0.08 points

    # Values are multiples of 2**-24, so that float32 holds them, and one minus them, exactly: who
    # goes through `evaluate` in Python compares the same numbers as the core.
    EVALUATOR_GRID = -64

ctypedef struct evaluator_t:
    int32_t kind
    const net_t *net            # of kind NET; of kind DEEP the fast net, or NULL
    const deep_t *deep
    const bearoff_t *tables     # NULL: not used
    int32_t plies               # how far it looks ahead
    int32_t to_win              # whether players play for a win, and not for points

# What the siblings of one roll share: the board before the play and its hidden sums.
ctypedef struct family_t:
    const board_t *parent
    net_sums_t sums
    deep_sums_t deep


cdef void evaluator_family(
    const evaluator_t *e, const board_t *parent, family_t *family
) noexcept nogil
cdef void evaluator_child(
    const evaluator_t *e, const family_t *family, const board_t *after, int32_t *five
) noexcept nogil
cdef bint evaluator_chooses_first(const evaluator_t *e, int n) noexcept nogil
cdef void evaluator_first_child(
    const evaluator_t *e, const family_t *family, const board_t *after, int32_t *five
) noexcept nogil
cdef int64_t first_choice_bound(const int64_t *values, int n, int64_t margin) noexcept nogil
cdef void evaluator_five_after(
    const evaluator_t *e, const board_t *after, int32_t *five
) noexcept nogil
cdef void evaluator_ahead(
    const evaluator_t *e, const board_t *after, int plies, int32_t *five
) noexcept nogil
cdef int ahead_candidates(
    const int64_t *values, int n, int plies, int64_t unit, int32_t *chosen
) noexcept nogil
cdef void evaluator_equities_after(
    const evaluator_t *e, const board_t *parent, const board_t *plays, int n, int64_t *equity
) noexcept nogil
cdef int evaluator_best_play(
    const evaluator_t *e, const board_t *parent, const board_t *plays, int n
) noexcept nogil
cdef void evaluator_best_fives(
    const evaluator_t *e, const board_t *board, board_t *scratch, int32_t *fives
) noexcept nogil
cdef int64_t mean_best_equity(
    const evaluator_t *e, const board_t *board, board_t *scratch
) noexcept nogil


cdef class Evaluator:
    cdef evaluator_t core
    cdef readonly object net
    cdef readonly object tables
    cdef readonly object first_choice
    cdef readonly int n_checkers
