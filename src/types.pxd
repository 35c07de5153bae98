"""Sizes, index names and the layout of a board inside the core.

One board is 32 signed bytes (`board_t`), seen by the player on roll:

| index | meaning                                             | sign        |
|-------|-----------------------------------------------------|-------------|
| 0     | the opponent's checkers on the bar                  | <= 0        |
| 1-24  | the points, numbered by the player on roll          | own > 0     |
| 25    | his own checkers on the bar                         | >= 0        |
| 26    | his own checkers borne off                          | >= 0        |
| 27    | the opponent's checkers borne off                   | <= 0        |
| 28-31 | always 0                                            |             |

Every step of a play is one addition of 32 bytes: the table of `movegen` holds the addends.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "simd.h" nogil:
    ctypedef struct board_t:
        int8_t c[32]
    ctypedef struct vec32:
        pass
    board_t *boards_alloc(size_t n) noexcept
    void boards_free(board_t *boards) noexcept
    int bit_low(uint32_t x) noexcept
    int bit_low_or_none(uint32_t x) noexcept
    int bit_high(uint32_t x) noexcept
    int bit_count(uint32_t x) noexcept
    uint64_t mul_high64(uint64_t a, uint64_t b) noexcept
    vec32 vec32_load(const void *p) noexcept
    void vec32_store(void *p, vec32 v) noexcept
    vec32 vec32_fill(int x) noexcept
    vec32 vec32_add(vec32 a, vec32 b) noexcept
    uint32_t vec32_greater(vec32 a, vec32 b) noexcept
    uint32_t vec32_equal(vec32 a, vec32 b) noexcept
    int vec32_sum_positive(vec32 v) noexcept


cdef enum:
    OPP_BAR = 0
    BAR = 25
    OFF = 26
    OPP_OFF = 27
    N_CELLS = 28        # cells of a board that can be non-zero
    N_PUBLIC = 26       # cells of a board outside the core
    N_CHECKERS = 15     # of one side in backgammon
    N_ROLLS = 21        # distinct rolls
    N_STEPS = 4         # most steps of one play

    # No roll has more distinct plays: 18C4 + 17C3 + 16C2 + 15C1 bounds even the incomplete ones
    # of a 1-1 with fifteen spread checkers; 2,220 is the largest count known.
    MAX_PLAYS = 3875
    # Boards that a buffer for one roll must hold: the generator writes up to four boards at once.
    PLAYS_BUFFER = 3880

    # Probabilities and equities inside the core are integers, one unit = 2**-30.
    UNIT = 1073741824

    PHASE_OVER = 0
    PHASE_BEAROFF = 1
    PHASE_RACE = 2
    PHASE_CONTACT = 3
