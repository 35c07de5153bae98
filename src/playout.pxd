"""Trials: games played from a board to their end, in the core's integers.

A trial starts from a board whose side on roll has not rolled. The dice of trial t, ply p are
`dice_roll(dice, t, p)`; a policy chooses among the distinct boards of `generate_boards`. The trial
ends when the game is over, after `truncate` plies with the evaluator's five probabilities, or, if
wanted, where the exact two-sided table knows the rest.

Luck. For every roll the trial may subtract how lucky it was: X(roll) - mean of X over all rolls, X
being any five numbers that depend on the board and the roll alone. The mean of what is subtracted
is zero whatever X is, so no choice of X moves the mean of the trials; a good X takes out most of
their variance (Montgomery, "Variance Reduction", GammOnLine 2000).

Units. Luck is added up in units of 2**-30 / 180, so that the means over 36 rolls and over the 15
rolls of an opening are whole numbers, and is divided and rounded once, when the trial ends. The
five values of a trial are numbers of unit 2**-30, the sixth is the equity that they make. A trial
with a cube has a seventh, its utility (cubeful.pxd), and ends with a pass too.

With a cube the luck of a roll in utility is measured by the same X: the model's utility with the
five numbers of X, before the other side doubles or rolls. By the exact table it is exact.

Nothing here checks its input.
"""
from bgcore._core.bearoff cimport bearoff_t
from bgcore._core.cubeful cimport CubeRows, cube_t
from bgcore._core.dice cimport dice_t
from bgcore._core.evaluator cimport evaluator_t
from bgcore._core.network cimport roll_net_t
from bgcore._core.types cimport board_t, int32_t, int64_t, uint64_t

cdef enum:
    TRIAL_VALUES = 6        # five probabilities and the equity
    CUBE_VALUES = 7         # and the utility
    TRIAL_COUNTS = 2        # plies of all trials, of the longest
    CUBE_COUNTS = 110       # and [CUBE_LEVELS][CUBE_ENDS]: how trials ended
    LUCK_PARTS = 180        # parts of a unit in which luck is added up
    DICE_AHEAD = 16         # plies whose dice are drawn at once

    POLICY_BEST = 0         # the player's best play, the first of equals
    POLICY_RANDOM = 1       # uniform over the distinct boards
    POLICY_TABLE = 2        # by the exact two-sided table where it applies, else POLICY_BEST
    POLICY_PIPS = 3         # the best lead in pips, of equals the fewest blots, then the first

    # what X is; of several that apply the first
    LUCK_NONE = 0
    LUCK_TABLE = 1          # the exact two-sided table, where it applies
    LUCK_NET = 2            # the roll net
    LUCK_PLAYER = 4         # the evaluator's value after its best play, from all 21 rolls

    # live_t.done
    DONE = 1
    DONE_CUT_OFF = 2        # by `truncate`, and the value must come from outside


ctypedef struct playout_t:
    const dice_t *dice
    const evaluator_t *player       # chooses the plays, unless they are random
    const evaluator_t *evaluator    # values where a trial is cut off, and LUCK_PLAYER
    const roll_net_t *roll_net
    const bearoff_t *tables
    int32_t policy
    int32_t luck
    int32_t truncate                # plies; 0: play to the end
    int32_t stop_at_tables
    int32_t max_plies
    const cube_t *cube              # NULL: no cube


# Where a trial begins.
ctypedef struct start_t:
    board_t board
    int32_t row                     # of the cube
    int32_t rolls                   # the side on roll does not double at once


ctypedef struct live_t:
    board_t board           # seen by the side on roll
    int64_t luck[5]         # view of the side that rolled first
    int32_t five[5]         # the same view; valid when done
    int32_t ply
    int32_t done
    # with a cube
    int64_t utility_luck    # view of the side that began, as luck
    int64_t utility         # the same view; valid when done
    int32_t row
    int32_t end             # END_..., the same view
    int32_t now[5]          # the player's five of the side on roll, where is_known
    int32_t is_known
    int32_t best[5]         # the player's five after the play that it chose, where best_known
    int32_t best_known
    int32_t asks            # the cube comes before the roll, and the five come from outside


ctypedef struct block_t:
    int64_t sums[7]         # [CUBE_VALUES]
    uint64_t squares[7][2]  # of the values of single trials: low and high word
    int64_t plies
    int64_t longest
    int64_t ends[12][9]     # [CUBE_LEVELS][CUBE_ENDS], the view that the values have


cdef void trial_begin(const playout_t *p, const start_t *start, live_t *live) noexcept nogil
cdef void trial_cube(const playout_t *p, live_t *live) noexcept nogil
cdef void trial_luck_before(
    const playout_t *p, live_t *live, int roll, board_t *scratch
) noexcept nogil
cdef void trial_luck_plays(
    const playout_t *p, live_t *live, const board_t *plays, int n
) noexcept nogil
cdef void trial_advance(const playout_t *p, const board_t *after, live_t *live) noexcept nogil
cdef void trial_values(
    const playout_t *p, const live_t *live, int view, int64_t *values
) noexcept nogil
cdef int trial_choice(
    const playout_t *p, live_t *live, uint64_t trial, const board_t *plays, int n
) noexcept nogil
cdef int playout_trial(
    const playout_t *p, const start_t *start, uint64_t trial, board_t *plays, live_t *live
) noexcept nogil
cdef int64_t playout_block(
    const playout_t *p, const start_t *start, int view, uint64_t first, int n, board_t *plays,
    block_t *block, int64_t *values, int64_t stride
) noexcept nogil
