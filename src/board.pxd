"""Numbers read off one board. Layout: types.pxd. Nothing here checks its input."""
from libc.string cimport memcpy, memset

from bgcore._core.types cimport (
    BAR, N_CHECKERS, N_PUBLIC, OFF, OPP_BAR, OPP_OFF, PHASE_BEAROFF, PHASE_CONTACT, PHASE_OVER,
    PHASE_RACE, bit_high, bit_low, board_t, int8_t, uint32_t, vec32, vec32_equal, vec32_fill,
    vec32_greater, vec32_load, vec32_sum_positive,
)

cdef extern from "simd.h" nogil:
    void board_swap(const board_t *b, board_t *out) noexcept

cdef enum:
    MASK_POINTS = 0x01FFFFFE    # indices 1-24
    MASK_ON_BOARD = 0x03FFFFFF  # indices 0-25
    MASK_HOME = 0x0000007E      # indices 1-6
    MASK_OPP_HOME = 0x01F80000  # indices 19-24


cdef inline void board_from_public(const int8_t *cells, int n_checkers,
                                   board_t *out) noexcept nogil:
    """Copy the 26 public cells; what is missing from n_checkers is borne off.

    Of a side with too many checkers -1 is borne off, so that no sum wraps round.
    """
    cdef int own, opp, i
    memset(out, 0, sizeof(board_t))
    memcpy(out.c, cells, N_PUBLIC)
    own = vec32_sum_positive(vec32_load(out.c))
    opp = own
    for i in range(N_PUBLIC):
        opp -= out.c[i]
    out.c[OFF] = <int8_t>(n_checkers - own if own <= n_checkers else -1)
    out.c[OPP_OFF] = <int8_t>(opp - n_checkers if opp <= n_checkers else 1)


cdef inline bint board_can_move(const board_t *b) noexcept nogil:
    """Whether a board that came from outside can be played on; statuses() says what is wrong."""
    cdef int i
    if (b.c[OFF] < 0 or b.c[OFF] >= N_CHECKERS or b.c[OPP_OFF] > 0 or b.c[OPP_OFF] <= -N_CHECKERS
            or b.c[BAR] < 0 or b.c[OPP_BAR] > 0):
        return False
    if b.c[BAR] > 0 and b.c[OPP_BAR] < 0:
        for i in range(1, 7):
            if b.c[i] < 2 or b.c[25 - i] > -2:
                return True
        return False
    return True


cdef inline uint32_t board_own(const board_t *b) noexcept nogil:
    """Bits of the points, and of the bar (25), that hold checkers of the player on roll."""
    return vec32_greater(vec32_load(b.c), vec32_fill(0)) & MASK_ON_BOARD


cdef inline uint32_t board_opp(const board_t *b) noexcept nogil:
    """Bits of the points, and of the bar (0), that hold the opponent's checkers."""
    return vec32_greater(vec32_fill(0), vec32_load(b.c)) & MASK_ON_BOARD


cdef inline int board_pips(const board_t *b) noexcept nogil:
    """Pips that the player on roll needs to bear off."""
    cdef int i, total = 0
    for i in range(1, BAR + 1):
        total += i * (b.c[i] if b.c[i] > 0 else 0)
    return total


cdef inline int board_opp_pips(const board_t *b) noexcept nogil:
    """Pips that the opponent needs to bear off."""
    cdef int i, total = 0
    for i in range(BAR):
        total -= (25 - i) * (b.c[i] if b.c[i] < 0 else 0)
    return total


cdef inline int board_phase(const board_t *b) noexcept nogil:
    """PHASE_OVER, _BEAROFF (both sides home and past each other), _RACE or _CONTACT."""
    cdef uint32_t own = board_own(b)
    cdef uint32_t opp = board_opp(b)
    if own == 0 or opp == 0:
        return PHASE_OVER
    if bit_high(own) > bit_low(opp):
        return PHASE_CONTACT
    if (own & ~<uint32_t>MASK_HOME) == 0 and (opp & ~<uint32_t>MASK_OPP_HOME) == 0:
        return PHASE_BEAROFF
    return PHASE_RACE


cdef inline int board_value(const board_t *b) noexcept nogil:
    """Points of a finished game for the player on roll: 1, 2, 3, -1, -2, -3; 0 while it goes on.

    Backgammon: the loser has borne off nothing and has a checker on the bar or in the winner's
    home board; gammon: he has borne off nothing.
    """
    cdef uint32_t own = board_own(b)
    cdef uint32_t opp = board_opp(b)
    if own == 0:
        if b.c[OPP_OFF] != 0:
            return 1
        return 3 if opp & (MASK_HOME | (1 << OPP_BAR)) else 2
    if opp == 0:
        if b.c[OFF] != 0:
            return -1
        return -3 if own & (MASK_OPP_HOME | (<uint32_t>1 << BAR)) else -2
    return 0


cdef enum:
    STATUS_TOO_MANY = 1
    STATUS_OPP_TOO_MANY = 2
    STATUS_BAR_SIGN = 4
    STATUS_OPP_BAR_SIGN = 8
    STATUS_BOTH_OFF = 16
    STATUS_BOTH_CLOSED_OUT = 32


cdef inline int board_status(const int8_t *cells, int n_checkers) noexcept nogil:
    """STATUS_ flags of 26 public cells; 0 if they make a possible board."""
    cdef int i, own = 0, opp = 0, flags = 0, own_home = 0, opp_home = 0
    for i in range(N_PUBLIC):
        if cells[i] > 0:
            own += cells[i]
        else:
            opp -= cells[i]
    if own > n_checkers:
        flags |= STATUS_TOO_MANY
    if opp > n_checkers:
        flags |= STATUS_OPP_TOO_MANY
    if cells[BAR] < 0:
        flags |= STATUS_BAR_SIGN
    if cells[OPP_BAR] > 0:
        flags |= STATUS_OPP_BAR_SIGN
    if own == 0 and opp == 0:
        flags |= STATUS_BOTH_OFF
    if cells[BAR] > 0 and cells[OPP_BAR] < 0:
        for i in range(1, 7):
            own_home += cells[i] > 1
            opp_home += cells[25 - i] < -1
        if own_home == 6 and opp_home == 6:
            flags |= STATUS_BOTH_CLOSED_OUT
    return flags


cdef inline uint32_t board_blots(const board_t *b) noexcept nogil:
    """Bits of the points (not the bar) that hold one checker of the player on roll."""
    return vec32_equal(vec32_load(b.c), vec32_fill(1)) & MASK_POINTS


cdef inline uint32_t board_opp_blots(const board_t *b) noexcept nogil:
    """Bits of the points (not the bar) that hold one checker of the opponent."""
    return vec32_equal(vec32_load(b.c), vec32_fill(-1)) & MASK_POINTS


cdef inline uint32_t board_made(const board_t *b) noexcept nogil:
    """Bits of the points (not the bar) that hold two or more checkers of the player on roll."""
    return vec32_greater(vec32_load(b.c), vec32_fill(1)) & MASK_POINTS


cdef class BoardBase:
    # Bytes and not a board_t: Python's allocator does not align to 32.
    cdef int8_t _cells[28]
    cdef readonly int n_checkers
    cdef bytes _bytes(self)
    cdef void load(self, board_t *out) noexcept nogil
