"""The nets of the core: the value net and the roll net.

The value net gives the five probabilities of a board **after a play, seen by the mover**; the
siblings of one roll share the hidden sums of the board before the play. The roll net ("luck net")
gives, from the board before the roll, the five probabilities after the best play of each of the
21 rolls; rollouts use it as a control variate, so it need not be exact.

Layout and arithmetic: kernels.h. Nothing here checks its input: boards hold at most fifteen
checkers a side, and a game that is over is never asked about.
"""
from bgcore._core.board cimport board_opp, board_own
from bgcore._core.types cimport board_t, int16_t, int32_t, int64_t, uint16_t, uint32_t

cdef extern from "kernels.h" nogil:
    enum:
        NET_CELLS
        NET_VALUES
        NET_HIDDEN
        NET_HEADS
        LUCK_HIDDEN
        LUCK_HEADS
        LUCK_OUTPUTS
        LUCK_WIDTH
        LUCK_PAIRS
        LUCK_PAIRS_MOST
        LUCK_PAIR_BITS
        NET_Z_BITS
        LUCK_Z_BITS
        SIGMOID_SIZE
    ctypedef struct net_t:
        int16_t *rows
        int16_t *bias
        int16_t *out
        int32_t *out_bias
        int32_t *sigmoid
        int32_t wide
    ctypedef struct luck_t:
        int16_t *rows
        int16_t *bias
        int16_t *pair_rows
        int16_t *pair_out
        int16_t *out
        int32_t *out_bias
        int16_t *pair_luck
        int16_t *out_luck
        int32_t *bias_luck
    ctypedef struct net_sums_t:
        int16_t h[128]
    int net_head(uint32_t own, uint32_t opp) noexcept
    int five_impossible(const board_t *b, uint32_t own, uint32_t opp) noexcept
    void five_clamp(int impossible, int32_t *five) noexcept
    int64_t five_equity(const int32_t *five) noexcept
    void five_finished(int value, int32_t *five) noexcept
    void five_flip(const int32_t *given, int32_t *flipped) noexcept
    int32_t sigmoid_fixed(const int32_t *table, int32_t z) noexcept
    void sigmoid_fill(int32_t *table) noexcept
    void net_refresh(const net_t *net, const board_t *b, net_sums_t *sums) noexcept
    void net_child_five(
        const net_t *net, const net_sums_t *sums, const board_t *parent, const board_t *child,
        uint32_t own, uint32_t opp, int32_t *five) noexcept
    void luck_evaluate(
        const luck_t *luck, const board_t *b, uint32_t own, int race, int32_t *values) noexcept

cdef extern from "rolls.h" nogil:
    enum:
        ROLLS_HIDDEN_BLOCK
        ROLLS_HIDDEN_MOST
        ROLLS_KINDS
        ROLLS_TOTALS
        ROLLS_FURTHER
        ROLLS_MAKES
        ROLLS_EACH
        ROLLS_ROWS
    ctypedef struct rolls_t:
        int32_t hidden
        int32_t wide
        int16_t *rows
        int16_t *bias
        int16_t *moves
        int16_t *out
        int32_t *out_bias
    ctypedef struct roll_net_t:
        const luck_t *pairs
        const rolls_t *rolls
    void roll_net_luck(
        const roll_net_t *net, const board_t *b, uint32_t own, uint32_t opp,
        int32_t *luck) noexcept
    void roll_net_luck_of(
        const roll_net_t *net, const board_t *b, uint32_t own, uint32_t opp, int roll,
        int32_t *five) noexcept

cdef extern from "deep.h" nogil:
    enum:
        DEEP_HIDDEN_MOST
        DEEP_SECOND_MOST
        DEEP_THIRD
        DEEP_Z_BITS
        DEEP_UNIT_BITS
        DEEP_WEIGHT_BITS
        DEEP_SHOT_REACH
        DEEP_BLOCK_REACH
        DEEP_RELATIONS
    ctypedef struct deep_t:
        int32_t hidden
        int32_t second
        int32_t wide
        int32_t reach
        int16_t *rows
        int16_t *bias
        int16_t *relations
        int16_t *second_rows
        int32_t *second_bias
        int16_t *third_rows
        int32_t *third_bias
        int16_t *out
        int32_t *out_bias
    ctypedef struct deep_sums_t:
        int16_t h[1024]
        int16_t related[1024]
        uint16_t near[144]
    void deep_fill(deep_t *net) noexcept
    int deep_relations(const board_t *b, uint32_t own, uint32_t opp, uint16_t *list) noexcept
    void deep_refresh(
        const deep_t *net, const board_t *b, uint32_t own, uint32_t opp,
        deep_sums_t *sums) noexcept
    void deep_child_five(
        const deep_t *net, const deep_sums_t *sums, const board_t *parent, const board_t *child,
        uint32_t own, uint32_t opp, int32_t *five) noexcept


cdef void net_values_after(
    const net_t *net, const board_t *parent, const board_t *children, int n, int32_t *five
) noexcept nogil
cdef void net_equities_after(
    const net_t *net, const board_t *parent, const board_t *children, int n, int64_t *equity
) noexcept nogil
cdef void luck_values(const luck_t *luck, const board_t *before, int32_t *values) noexcept nogil


cdef class ValueNet:
    cdef void *memory
    cdef net_t *net


cdef class DeepNet:
    cdef void *memory
    cdef deep_t net


cdef class AnyRollNet:
    cdef roll_net_t net
    cdef int check(self) except -1


cdef class LuckNet(AnyRollNet):
    cdef void *memory
    cdef luck_t *luck


cdef class RollNet(AnyRollNet):
    cdef void *memory
    cdef rolls_t rolls
