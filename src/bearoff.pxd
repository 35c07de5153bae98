"""Exact tables for races in which both sides bear off. How they are made: bearoff.pyx.

Rank of a side: with s(k) his checkers on the k highest of the points 1-6, the sum over k of
C(s(k) + k - 1, k). No checkers is 0; up to 6 checkers are the ranks below 924, 15 checkers the
ranks from 38,760; every step lowers the rank.

Nothing here is called for finished games, and nothing checks its input, unless it says so.
"""
from bgcore._core.board cimport MASK_HOME, MASK_OPP_HOME, board_opp, board_own
from bgcore._core.types cimport (
    OFF, OPP_OFF, UNIT, board_t, int32_t, int64_t, uint32_t, uint64_t,
)


cdef enum:
    BEAROFF_POINTS = 6
    BEAROFF_RANKS = 54264       # positions of up to 15 checkers
    BEAROFF_FULL = 38760        # first rank with 15 checkers
    BEAROFF_ROWS = 69768        # rows of the one-sided table: all ranks, then those with 15 again
    BEAROFF_PAIR = 924          # ranks of each side in the two-sided table
    BEAROFF_ONE = 2147483648    # probability 1 in the one-sided table

    # planes of the two-sided table
    BEAROFF_CUBELESS = 0
    BEAROFF_OWNED = 1
    BEAROFF_CENTRED = 2
    BEAROFF_OPPONENT = 3


# A pointer that is NULL: that table is not there.
ctypedef struct bearoff_t:
    const uint32_t *index       # [BEAROFF_ROWS][3]: start in `rows`, first number of rolls, length
    const uint32_t *rows        # probability of each number of rolls, unit 1 / BEAROFF_ONE
    const double *equities      # [4][BEAROFF_PAIR on roll][BEAROFF_PAIR other side]
    int32_t choose[6][16]       # C(s + k, k + 1) for k = 0-5


cdef inline int bearoff_own_rank(const bearoff_t *t, const board_t *b) noexcept nogil:
    """Rank of the side seen; he has no checker outside his home board."""
    cdef int k, s = 0, rank = 0
    for k in range(BEAROFF_POINTS):
        s += b.c[6 - k]
        rank += t.choose[k][s]
    return rank


cdef inline int bearoff_opp_rank(const bearoff_t *t, const board_t *b) noexcept nogil:
    """Rank of the other side; he has no checker outside his home board."""
    cdef int k, s = 0, rank = 0
    for k in range(BEAROFF_POINTS):
        s -= b.c[19 + k]
        rank += t.choose[k][s]
    return rank


cdef inline bint bearoff_home(const board_t *b) noexcept nogil:
    """Whether both sides have all their checkers in their home boards, so past each other."""
    return ((board_own(b) & ~<uint32_t>MASK_HOME) == 0
            and (board_opp(b) & ~<uint32_t>MASK_OPP_HOME) == 0)


cdef inline int bearoff_exact(const bearoff_t *t, const board_t *b) noexcept nogil:
    """1 if the two-sided table covers the board: both home, 1-6 checkers each, both have some off.

    May be called for every board; 0 for finished games.
    """
    cdef int own, opp
    if t.equities == NULL or b.c[OFF] == 0 or b.c[OPP_OFF] == 0 or not bearoff_home(b):
        return 0
    own = bearoff_own_rank(t, b)
    opp = bearoff_opp_rank(t, b)
    return 0 < own < BEAROFF_PAIR and 0 < opp < BEAROFF_PAIR


cdef inline bint _bearoff_counted(int rank, int off) noexcept nogil:
    # Gammons are known for 15 checkers; with another number some must be off already.
    return rank > 0 and (off != 0 or rank >= BEAROFF_FULL)


cdef inline int bearoff_race(const bearoff_t *t, const board_t *b) noexcept nogil:
    """1 if the one-sided table covers the board: both home. 0 for finished games."""
    return (t.index != NULL and bearoff_home(b)
            and _bearoff_counted(bearoff_own_rank(t, b), b.c[OFF])
            and _bearoff_counted(bearoff_opp_rank(t, b), b.c[OPP_OFF]))


# ---- two-sided: exact ----

cdef inline double bearoff_money(
    const bearoff_t *t, int plane, int on_roll, int other,
) noexcept nogil:
    """Equity of the side on roll, who rolls without doubling; by ranks below BEAROFF_PAIR."""
    return t.equities[(plane * BEAROFF_PAIR + on_roll) * BEAROFF_PAIR + other]


cdef inline double bearoff_real_before(const bearoff_t *t, const board_t *b) noexcept nogil:
    """Exact cubeless equity of the side seen, who is on roll. Only where bearoff_exact."""
    return bearoff_money(t, BEAROFF_CUBELESS, bearoff_own_rank(t, b), bearoff_opp_rank(t, b))


cdef inline double bearoff_real_after(const bearoff_t *t, const board_t *b) noexcept nogil:
    """The same for the side seen when he has just played and the opponent is on roll."""
    return -bearoff_money(t, BEAROFF_CUBELESS, bearoff_opp_rank(t, b), bearoff_own_rank(t, b))


cdef inline int32_t _bearoff_win(double equity) noexcept nogil:
    # (1 + equity) / 2 in units, rounded
    return <int32_t>((1.0 + equity) * (UNIT // 2) + 0.5)


cdef inline int64_t bearoff_equity_before(const bearoff_t *t, const board_t *b) noexcept nogil:
    """bearoff_real_before in units, equal to 2 * win - 1 of bearoff_five."""
    return 2 * <int64_t>_bearoff_win(bearoff_real_before(t, b)) - UNIT


cdef inline int64_t bearoff_equity_after(const bearoff_t *t, const board_t *b) noexcept nogil:
    """bearoff_real_after in units, equal to 2 * win - 1 of bearoff_five_after."""
    return UNIT - 2 * <int64_t>_bearoff_win(-bearoff_real_after(t, b))


# ---- one-sided: both sides play to be off in the fewest rolls on average ----

cdef inline uint64_t _bearoff_later(
    const bearoff_t *t, int row, int other_row, int lead,
) noexcept nogil:
    """P(the row's number of rolls n comes with more than n - lead rolls in the other row)."""
    cdef const uint32_t *mine = t.rows + t.index[3 * row]
    cdef const uint32_t *theirs = t.rows + t.index[3 * other_row]
    cdef int n = <int>t.index[3 * row + 1]
    cdef int end = n + <int>t.index[3 * row + 2]
    cdef int m = <int>t.index[3 * other_row + 1]
    cdef int other_end = m + <int>t.index[3 * other_row + 2]
    cdef uint64_t left = BEAROFF_ONE
    cdef uint64_t total = 0
    while n < end:
        while m <= n - lead and m < other_end:
            left -= theirs[0]
            theirs += 1
            m += 1
        total += mine[0] * left
        mine += 1
        n += 1
    return total


cdef inline int32_t _bearoff_unit(uint64_t product) noexcept nogil:
    # BEAROFF_ONE ** 2 is 2**62
    return <int32_t>((product + 0x80000000u) >> 32)


cdef inline void bearoff_ranks_five(
    const bearoff_t *t, int own, int opp, int32_t *five,
) noexcept nogil:
    """bearoff_one_sided for a pair of ranks."""
    cdef int32_t lose
    five[0] = _bearoff_unit(_bearoff_later(t, own, opp, 1))
    lose = UNIT - five[0]
    # Both sides are at home: no backgammons, and gammons only if nothing is off yet.
    five[1] = 0
    five[2] = 0
    five[3] = 0
    five[4] = 0
    if opp >= BEAROFF_FULL:
        five[1] = min(five[0], _bearoff_unit(
            _bearoff_later(t, own, opp - BEAROFF_FULL + BEAROFF_RANKS, 1)))
    if own >= BEAROFF_FULL:
        five[3] = min(lose, _bearoff_unit(
            _bearoff_later(t, opp, own - BEAROFF_FULL + BEAROFF_RANKS, 0)))


cdef inline void bearoff_flip(int32_t *five) noexcept nogil:
    """The same five numbers for the other side."""
    five[0] = UNIT - five[0]
    five[1], five[3] = five[3], five[1]
    five[2], five[4] = five[4], five[2]


cdef inline void bearoff_one_sided(
    const bearoff_t *t, const board_t *b, int32_t *five,
) noexcept nogil:
    """The five probabilities of the side seen, who is on roll. Only where bearoff_race."""
    bearoff_ranks_five(t, bearoff_own_rank(t, b), bearoff_opp_rank(t, b), five)


cdef inline void bearoff_one_sided_after(
    const bearoff_t *t, const board_t *b, int32_t *five,
) noexcept nogil:
    """The same for the side seen when he has just played and the opponent is on roll."""
    bearoff_ranks_five(t, bearoff_opp_rank(t, b), bearoff_own_rank(t, b), five)
    bearoff_flip(five)


# ---- the best that is there ----

cdef inline int bearoff_five(
    const bearoff_t *t, const board_t *b, int32_t *five,
) noexcept nogil:
    """Five probabilities of the side seen, who is on roll: 2 if exact, 1 from the one-sided table.

    0 if neither table covers the board (then nothing is written). May be called for every board.
    """
    if bearoff_exact(t, b):
        five[0] = _bearoff_win(bearoff_real_before(t, b))
        five[1] = five[2] = five[3] = five[4] = 0
        return 2
    if bearoff_race(t, b):
        bearoff_one_sided(t, b, five)
        return 1
    return 0


cdef inline int bearoff_five_after(
    const bearoff_t *t, const board_t *b, int32_t *five,
) noexcept nogil:
    """The same for the side seen when he has just played and the opponent is on roll."""
    if bearoff_exact(t, b):
        five[0] = UNIT - _bearoff_win(-bearoff_real_after(t, b))
        five[1] = five[2] = five[3] = five[4] = 0
        return 2
    if bearoff_race(t, b):
        bearoff_one_sided_after(t, b, five)
        return 1
    return 0


cdef void bearoff_init(bearoff_t *t) noexcept nogil


cdef class BearoffTables:
    cdef bearoff_t tables
    cdef object _arrays
