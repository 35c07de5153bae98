"""The doubling cube inside trials: the cubeful model, cube decisions and plays by both.

The core knows no score and no rule of the cube. What they come to is a table of rows, one for each
(value, owner) of the cube that a trial can meet, made in Python (`bgcore.cube_rows`): what the ways
to win and lose are worth, who gains by turning the cube, and which row follows.

Utility. Money: points for each point of the cube at the start, so that side 1 has the negative of
what side 0 has. Match: the chance to win it, so that the two make 1. `total` is their sum. Side 0
is the one that rolls first in a trial.

The model is that of `bgcore.cube_model` (Janowski; dead and live cube mixed by the cube life),
computed in doubles in one fixed order. Nothing here checks its input.
"""
from bgcore._core.bearoff cimport bearoff_t
from bgcore._core.evaluator cimport evaluator_t
from bgcore._core.types cimport board_t, int32_t, int64_t

cdef enum:
    CUBE_LEVELS = 12        # values of the cube: its first one and its doubles
    CUBE_ROWS = 36          # row = 3 * level + owner
    CUBE_WEIGHT = 1024      # unit of weights
    CUBE_CENTRED = 0        # owners; side s owns it: 1 + s

    # how the take point of a side against a double is found
    TAKE_MONEY = 0          # Janowski's live point
    TAKE_DEAD = 1           # the doubled cube is never turned again
    TAKE_LIVE = 2           # the taker cashes at his own point

    # what happens before a roll
    CUBE_NO_DOUBLE = 0
    CUBE_TAKE = 1
    CUBE_PASS = 2
    CUBE_BEAVER = 3
    CUBE_BEAVER_DROPPED = 4     # the doubler pays the doubled cube

    # how a trial ends; seen by one side
    END_WON = 0             # single game, gammon, backgammon
    END_LOST = 3
    END_CASHED = 6          # the other side passed a double
    END_PASSED = 7          # or a beaver was dropped
    END_VALUED = 8          # cut off, or by the two-sided table
    CUBE_ENDS = 9


# The view of one side. Stakes: a single game, what a gammon adds, what a backgammon adds to that.
ctypedef struct cube_side_t:
    double win[3]
    double loss[3]
    int32_t doubles         # may turn the cube, and it is not dead for him
    int32_t take            # TAKE_..., if the other side doubles
    int32_t take_row        # whose stakes count then; not for TAKE_MONEY
    int32_t after_take      # row after his double was taken
    int32_t after_beaver    # row after it was beavered; -1 if it cannot be
    int32_t plane           # of the two-sided table when he is on roll; -1: it does not count
    double scale            # utility by the table: offset + scale * its equity
    double offset
    int32_t weights[5]      # of the five probabilities in utility by the stakes


ctypedef struct cube_row_t:
    cube_side_t side[2]
    int64_t ends[6]         # utility of side 0 in units, by END_WON and END_LOST
    int32_t level
    int32_t rank_row        # its stakes say which plays are worth a closer look
    int32_t is_over         # neither side ever turns the cube: utility is linear


ctypedef struct cube_t:
    double total
    int32_t n_levels
    int32_t beaver_drop
    int32_t close_level     # from here on the luck of the roll net gives way to the player's
    cube_row_t rows[36]     # [CUBE_ROWS]


# Chances of a board, seen by its side on roll.
ctypedef struct chances_t:
    double win
    double rate[2][2]       # by the side that wins: share of gammons and of backgammons
    double life


cdef void cube_chances(
    const board_t *before, int side, const int32_t *five, chances_t *chances
) noexcept nogil
cdef double cube_equity(
    const cube_t *c, int row, int side, const chances_t *chances
) noexcept nogil
cdef int cube_choice(
    const cube_t *c, int row, int side, const chances_t *chances, double *utility
) noexcept nogil
cdef double cube_after(
    const cube_t *c, int row, int mover, const board_t *after, const int32_t *five
) noexcept nogil
cdef int cube_best_play(
    const cube_t *c, const evaluator_t *e, int row, int mover, const board_t *parent,
    const board_t *plays, int n, int32_t *best_five
) noexcept nogil
cdef int cube_best_of(
    const cube_t *c, int row, int mover, const board_t *plays, const int32_t *fives, int n,
    int32_t *best_five
) noexcept nogil
cdef int64_t cube_table_rolls(
    const cube_t *c, const bearoff_t *t, int row, int side, const board_t *before
) noexcept nogil
cdef int cube_table_choice(
    const cube_t *c, const bearoff_t *t, int row, int side, const board_t *before,
    int64_t *utility
) noexcept nogil
cdef int cube_table_play(
    const cube_t *c, const bearoff_t *t, int row, int mover, const board_t *plays, int n,
    int64_t *utility
) noexcept nogil
cdef int cube_next_row(const cube_t *c, int row, int side, int choice) noexcept nogil
cdef int64_t cube_units(double utility) noexcept nogil
cdef int64_t cube_total(const cube_t *c) noexcept nogil


cdef class CubeRows:
    cdef cube_t core
    cdef readonly tuple arguments
