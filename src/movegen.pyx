"""Legal plays of backgammon.

Rules. A step moves one checker by one die to a point that does not hold two or more opposing
checkers; a lone one there is hit. Checkers on the bar enter first. With all his checkers home a
player bears off: the checker on the point of the die, or, if nothing of his stands there or
higher, his highest one. A play uses as many dice as possible; if only one of two different dice
can be used, and either could, it is the larger. Doublets are played four times. The turn ends
when the last checker is off.

Results. Each distinct board once, in an order that is the same on every machine:

* doublets: by the points that the checkers leave, taken from the highest to the lowest and
  compared in that way, lower first;
* different dice, checkers on the bar: first the plays that enter with the larger die, then those
  that can only enter with the smaller one; each by the other checker, lower first;
* different dice otherwise: (1) the plays of two checkers in which the larger die can go first, by
  the checker that plays the larger die, then by the other, lower first; (2) those in which the
  smaller die must go first, by the checker that plays the smaller die, then by the other; (3) the
  plays of one checker that hit nothing on the way; (4) those that hit on the way and play the
  larger die first; (5) those that hit on the way and play the smaller die first; each of the last
  three by the checker, lower first;
* if only one die can be played: by the checker, lower first.

Method. The points that a side can use are bits of a word, and a step adds 32 bytes from a table
to the board. The last step of a play is written four at a time from the set of its starting
points, so that short sets cost no branch. Nothing is ever compared to find doubles:

* With doublets a play is a set of steps, and steps are only taken from the highest point down.
  Any legal order can be sorted so, and two different sets never give the same board.
* With different dice two plays give the same board only if one checker runs through a point
  where it meets a checker of its own (its steps are then shared out in two ways), if it runs
  over two points without hitting, or if both checkers are borne off. The first two kinds are
  left out of the pairs of checkers and written once as runs; the third is tested for.
"""
import numpy as np

from bgcore._core.board import as_boards, check_boards
from bgcore.errors import BoardError, DiceError, IllegalPlayError, OutputBufferError

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from bgcore._core.board cimport (
    MASK_HOME, MASK_ON_BOARD, MASK_POINTS, board_can_move, board_from_public, board_opp, board_own,
    board_swap, BoardBase,
)
from bgcore._core.types cimport (
    BAR, MAX_PLAYS, N_CHECKERS, N_PUBLIC, N_ROLLS, N_STEPS, OFF, OPP_BAR, PLAYS_BUFFER, bit_count,
    bit_high, bit_low, bit_low_or_none, board_t, boards_alloc, boards_free, int8_t, uint8_t,
    uint32_t, vec32,
    vec32_add, vec32_equal, vec32_fill, vec32_greater, vec32_load, vec32_store,
)

cdef extern from *:
    """
    /* STEP[distance][from][hit]: what a step adds to a board. Distances up to 12 serve a checker
       that plays both dice. The steps from 0 and from 26 and up are empty, also those of the
       row behind the last distance. */
    static BGCORE_ALIGN32 int8_t STEP[14][32][2][32];
    """
    int8_t STEP[14][32][2][32]


cdef void _fill_steps() noexcept:
    cdef int distance, start, hit, to
    memset(&STEP[0][0][0][0], 0, sizeof(STEP))
    for distance in range(1, 13):
        for start in range(1, BAR + 1):
            for hit in range(2):
                to = start - distance
                STEP[distance][start][hit][start] = -1
                if to <= 0:
                    STEP[distance][start][hit][OFF] = 1
                elif hit:
                    STEP[distance][start][hit][to] = 2
                    STEP[distance][start][hit][OPP_BAR] = -1
                else:
                    STEP[distance][start][hit][to] = 1


_fill_steps()


cdef inline uint32_t _bit(int i) noexcept nogil:
    return <uint32_t>1 << i


cdef inline vec32 _step(vec32 board, const int8_t *table, int start, uint32_t hits) noexcept nogil:
    """The board after a step from `start`; `table` is STEP[die], bit `start` of hits says hit.

    `start` 32 is the empty step: bit 0 of hits is never set. The mask costs no instruction.
    """
    return vec32_add(board, vec32_load(table + 64 * start + 32 * ((hits >> (start & 31)) & 1)))


cdef inline int8_t *_write(vec32 board, uint32_t starts, uint32_t hits, const int8_t *table,
                           int8_t *out, int stride) noexcept nogil:
    """Write the boards after one more step from each of `starts`, lower first.

    Writes up to three boards beyond the last one: they are overwritten or ignored.
    """
    cdef int8_t *end = out + stride * bit_count(starts)
    while starts:
        # When nothing is left the index is 31 or 32, and the step there is empty.
        vec32_store(out, _step(board, table, bit_low(starts), hits))
        starts &= starts - 1
        vec32_store(out + stride, _step(board, table, bit_low_or_none(starts), hits))
        starts &= starts - 1
        vec32_store(out + 2 * stride, _step(board, table, bit_low_or_none(starts), hits))
        starts &= starts - 1
        vec32_store(out + 3 * stride, _step(board, table, bit_low_or_none(starts), hits))
        starts &= starts - 1
        out += 4 * stride
    return end


# ---- doublets ----

cdef inline uint32_t _starts(uint32_t own, uint32_t movable, int die, bint bearing) noexcept nogil:
    """Points from which a checker can play the die, none being on the bar.

    `movable` holds the points whose target on the board is open.
    """
    cdef uint32_t starts = own & movable
    cdef int high
    if bearing and own != 0 and (own & ~<uint32_t>MASK_HOME) == 0:
        high = bit_high(own)
        starts |= _bit(high) if high < die else own & _bit(die)
    return starts


cdef inline int8_t *_doublet_1(vec32 board, uint32_t own, uint32_t blots, uint32_t movable,
                               uint32_t allowed, int die, const int8_t *table, bint bearing,
                               int8_t *out, int stride) noexcept nogil:
    return _write(board, _starts(own, movable, die, bearing) & allowed, blots << die, table, out,
                  stride)


cdef inline int8_t *_doublet_2(vec32 board, uint32_t own, uint32_t own2, uint32_t blots,
                               uint32_t movable, uint32_t allowed, int die, const int8_t *table,
                               bint bearing, int8_t *out, int stride) noexcept nogil:
    cdef uint32_t starts = _starts(own, movable, die, bearing) & allowed
    cdef uint32_t bit, to
    cdef int start
    while starts:
        start = bit_low(starts)
        bit = _bit(start)
        starts &= starts - 1
        to = (bit >> die) & MASK_POINTS
        out = _doublet_1(_step(board, table, start, blots << die), (own & ~bit) | (own2 & bit) | to,
                         blots & ~to, movable, allowed & (2 * bit - 1), die, table, bearing, out,
                         stride)
    return out


cdef inline int8_t *_doublet_3(vec32 board, uint32_t own, uint32_t own2, uint32_t own3,
                               uint32_t blots, uint32_t movable, uint32_t allowed, int die,
                               const int8_t *table, bint bearing, int8_t *out,
                               int stride) noexcept nogil:
    cdef uint32_t starts = _starts(own, movable, die, bearing) & allowed
    cdef uint32_t bit, to
    cdef int start
    while starts:
        start = bit_low(starts)
        bit = _bit(start)
        starts &= starts - 1
        to = (bit >> die) & MASK_POINTS
        out = _doublet_2(_step(board, table, start, blots << die), (own & ~bit) | (own2 & bit) | to,
                         (own2 & ~bit) | (own3 & bit) | (own & to), blots & ~to, movable,
                         allowed & (2 * bit - 1), die, table, bearing, out, stride)
    return out


cdef inline int8_t *_doublet_4(vec32 board, uint32_t own, uint32_t own2, uint32_t own3,
                               uint32_t own4, uint32_t blots, uint32_t movable, int die,
                               const int8_t *table, bint bearing, int8_t *out,
                               int stride) noexcept nogil:
    cdef uint32_t starts = _starts(own, movable, die, bearing)
    cdef uint32_t bit, to
    cdef int start
    while starts:
        start = bit_low(starts)
        bit = _bit(start)
        starts &= starts - 1
        to = (bit >> die) & MASK_POINTS
        out = _doublet_3(_step(board, table, start, blots << die), (own & ~bit) | (own2 & bit) | to,
                         (own2 & ~bit) | (own3 & bit) | (own & to),
                         (own3 & ~bit) | (own4 & bit) | (own2 & to), blots & ~to, movable,
                         2 * bit - 1, die, table, bearing, out, stride)
    return out


cdef int8_t *_doublet_bearing(vec32 board, uint32_t own, uint32_t own2, uint32_t own3,
                              uint32_t own4, uint32_t blots, uint32_t movable, int die, int steps,
                              int8_t *out, int stride) noexcept nogil:
    """Plays of `steps` steps, or of as many as can be made."""
    cdef const int8_t *table = &STEP[die][0][0][0]
    cdef int8_t *end
    if steps == 4:
        end = _doublet_4(board, own, own2, own3, own4, blots, movable, die, table, True, out,
                         stride)
        if end != out:
            return end
    if steps >= 3:
        end = _doublet_3(board, own, own2, own3, blots, movable, MASK_ON_BOARD, die, table, True,
                         out, stride)
        if end != out:
            return end
    if steps >= 2:
        end = _doublet_2(board, own, own2, blots, movable, MASK_ON_BOARD, die, table, True, out,
                         stride)
        if end != out:
            return end
    return _doublet_1(board, own, blots, movable, MASK_ON_BOARD, die, table, True, out, stride)


cdef inline int8_t *_doublet(const board_t *b, int die, int8_t *out, int stride) noexcept nogil:
    cdef vec32 board = vec32_load(b.c)
    cdef vec32 zero = vec32_fill(0)
    cdef uint32_t own = vec32_greater(board, zero) & MASK_ON_BOARD
    cdef uint32_t open_points = ~vec32_greater(vec32_fill(-1), board) & MASK_POINTS
    cdef uint32_t blots = vec32_greater(zero, board) & open_points
    cdef uint32_t movable = open_points << die
    cdef const int8_t *table = &STEP[die][0][0][0]
    cdef uint32_t own2, own3, own4, outside, entry
    cdef int steps = N_STEPS
    cdef int entering, _more
    cdef int8_t *end

    entering = b.c[BAR]
    if entering > 0:
        entry = _bit(BAR - die)
        if not open_points & entry:
            return out
        # Every step that the bar demands is the same: enter, hitting at most once.
        if entering > N_STEPS:
            entering = N_STEPS
        board = _step(board, table, BAR, blots << die)
        blots &= ~entry
        for _more in range(1, entering):
            board = _step(board, table, BAR, 0)
        steps -= entering
        if steps == 0:
            vec32_store(out, board)
            return out + stride
        own = vec32_greater(board, zero) & MASK_ON_BOARD
    own2 = vec32_greater(board, vec32_fill(1))
    own3 = vec32_greater(board, vec32_fill(2))
    own4 = vec32_greater(board, vec32_fill(3))
    outside = MASK_ON_BOARD & ~<uint32_t>MASK_HOME
    # With four checkers outside none can be borne off.
    if steps == 4 and (bit_count(own & outside) + bit_count(own2 & outside)
                       + bit_count(own3 & outside) + bit_count(own4 & outside)) >= 4:
        end = _doublet_4(board, own, own2, own3, own4, blots, movable, die, table, False, out,
                         stride)
        if end != out:
            return end
        steps = 3
    end = _doublet_bearing(board, own, own2, own3, own4, blots, movable, die, steps, out, stride)
    if end == out and entering > 0:
        vec32_store(out, board)
        end = out + stride
    return end


# ---- two different dice ----

cdef int8_t *_from_bar(vec32 board, int on_bar, uint32_t own, uint32_t open_points,
                       uint32_t blots, int large, int small, int8_t *out,
                       int stride) noexcept nogil:
    cdef const int8_t *table_large = &STEP[large][0][0][0]
    cdef const int8_t *table_small = &STEP[small][0][0][0]
    cdef uint32_t entry_large = open_points & _bit(BAR - large)
    cdef uint32_t entry_small = open_points & _bit(BAR - small)
    cdef uint32_t starts
    cdef vec32 entered
    cdef int8_t *end = out

    if on_bar > 1:
        entered = board
        if entry_large:
            entered = _step(entered, table_large, BAR, blots << large)
        if entry_small:
            entered = _step(entered, table_small, BAR, blots << small)
        if entry_large | entry_small:
            vec32_store(out, entered)
            end = out + stride
        return end

    own &= ~_bit(BAR)
    if entry_large:
        entered = _step(board, table_large, BAR, blots << large)
        starts = (own | entry_large) & (open_points << small)
        end = _write(entered, starts, (blots & ~entry_large) << small, table_small, end, stride)
    if entry_small:
        entered = _step(board, table_small, BAR, blots << small)
        starts = (own | entry_small) & (open_points << large)
        # Running on over two points without a hit has been written above.
        if entry_large and not blots & (entry_large | entry_small):
            starts &= ~entry_small
        end = _write(entered, starts, (blots & ~entry_small) << large, table_large, end, stride)
    if end == out:
        if entry_large:
            vec32_store(out, _step(board, table_large, BAR, blots << large))
            end = out + stride
        elif entry_small:
            vec32_store(out, _step(board, table_small, BAR, blots << small))
            end = out + stride
    return end


cdef inline int8_t *_write_runs(vec32 board, uint32_t starts, int first, uint32_t first_hits,
                                int second, uint32_t second_hits, int8_t *out,
                                int stride) noexcept nogil:
    """Write the plays of one checker that plays `first` and goes on with `second`, lower first."""
    cdef const int8_t *first_table = &STEP[first][0][0][0]
    cdef const int8_t *second_table = &STEP[second][0][0][0]
    cdef int start
    while starts:
        start = bit_low(starts)
        starts &= starts - 1
        vec32_store(out, _step(_step(board, first_table, start, first_hits), second_table,
                               start - first, second_hits))
        out += stride
    return out


cdef inline int8_t *_outside(vec32 board, uint32_t own, uint32_t open_points, uint32_t blots,
                             int large, int small, int8_t *out, int stride) noexcept nogil:
    """Nothing on the bar and at least two checkers outside: no checker can be borne off."""
    cdef const int8_t *table_large = &STEP[large][0][0][0]
    cdef const int8_t *table_small = &STEP[small][0][0][0]
    cdef const int8_t *table_both = &STEP[large + small][0][0][0]
    cdef uint32_t own2 = vec32_greater(board, vec32_fill(1))
    cdef uint32_t by_large = own & (open_points << large)
    cdef uint32_t by_small = own & (open_points << small)
    cdef uint32_t by_both = own & (open_points << (large + small))
    cdef uint32_t hits_large = blots << large
    cdef uint32_t hits_small = blots << small
    cdef uint32_t hits_both = blots << (large + small)
    cdef uint32_t starts, others, bit, to
    cdef int8_t *end = out
    cdef int start

    starts = by_large
    while starts:
        start = bit_low(starts)
        bit = _bit(start)
        starts &= starts - 1
        to = bit >> large
        # Without the pairs that a run of one checker equals.
        others = by_small & ~((bit & ~own2) | to | (bit << small))
        end = _write(_step(board, table_large, start, hits_large), others,
                     (blots & ~to) << small, table_small, end, stride)

    starts = by_both & ((by_large & ~hits_large) | (by_small & ~hits_small))
    end = _write(board, starts, hits_both, table_both, end, stride)
    end = _write_runs(board, by_both & by_large & hits_large, large, hits_large, small, hits_small,
                      end, stride)
    end = _write_runs(board, by_both & by_small & hits_small, small, hits_small, large, hits_large,
                      end, stride)

    if end != out:
        return end
    # Only one die can be played: the larger if either could.
    if by_large:
        return _write(board, by_large, hits_large, table_large, out, stride)
    return _write(board, by_small, hits_small, table_small, out, stride)


cdef inline uint32_t _own_after(uint32_t own, uint32_t own2, int start, int die) noexcept nogil:
    """The points of a side after a step; own2: those that hold two or more before it."""
    return (own & ~(_bit(start) & ~own2)) | ((_bit(start) >> die) & MASK_POINTS)


cdef int8_t *_home(vec32 board, uint32_t own, uint32_t open_points, uint32_t blots,
                   int large, int small, int8_t *out, int stride) noexcept nogil:
    """Nothing on the bar and at most one checker outside: checkers may be borne off."""
    cdef const int8_t *table_large = &STEP[large][0][0][0]
    cdef const int8_t *table_small = &STEP[small][0][0][0]
    cdef const int8_t *table_both = &STEP[large + small][0][0][0]
    cdef uint32_t own2 = vec32_greater(board, vec32_fill(1))
    cdef uint32_t movable_large = open_points << large
    cdef uint32_t movable_small = open_points << small
    cdef uint32_t by_large = _starts(own, movable_large, large, True)
    cdef uint32_t by_small = _starts(own, movable_small, small, True)
    cdef uint32_t hits_large = blots << large
    cdef uint32_t hits_small = blots << small
    cdef uint32_t hits_both = blots << (large + small)
    cdef uint32_t starts, others, bit, to, after, quiet, hit_large, hit_small
    cdef uint32_t larger_first[26]
    cdef int8_t *end = out
    cdef int start, other

    quiet = hit_large = hit_small = 0
    memset(larger_first, 0, sizeof(larger_first))
    starts = by_large
    while starts:
        start = bit_low(starts)
        bit = _bit(start)
        starts &= starts - 1
        to = (bit >> large) & MASK_POINTS
        after = _own_after(own, own2, start, large)
        others = _starts(after, movable_small, small, True)
        larger_first[start] = others
        if others & to:
            if blots & to:
                hit_large |= bit
            else:
                quiet |= bit
        others &= ~(to | (bit << small))
        end = _write(_step(board, table_large, start, hits_large), others,
                     (blots & ~to) << small, table_small, end, stride)

    starts = by_small
    while starts:
        start = bit_low(starts)
        bit = _bit(start)
        starts &= starts - 1
        to = (bit >> small) & MASK_POINTS
        after = _own_after(own, own2, start, small)
        others = _starts(after, movable_large, large, True)
        if others & to:
            if blots & to:
                hit_small |= bit
            else:
                quiet |= bit
        others &= ~(to | (bit << large))
        while others:
            other = bit_low(others)
            others &= others - 1
            if larger_first[other] & bit:
                continue
            # Two checkers borne off, each with the other's die.
            if to == 0 and other <= small and larger_first[start] & _bit(other):
                continue
            vec32_store(end, _step(_step(board, table_small, start, hits_small), table_large,
                                   other, (blots & ~to) << large))
            end += stride

    end = _write(board, quiet, hits_both, table_both, end, stride)
    end = _write_runs(board, hit_large, large, hits_large, small, hits_small, end, stride)
    end = _write_runs(board, hit_small, small, hits_small, large, hits_large, end, stride)

    if end != out:
        return end
    # Only one die can be played: the larger if either could.
    if by_large:
        return _write(board, by_large, hits_large, table_large, out, stride)
    return _write(board, by_small, hits_small, table_small, out, stride)


cdef inline int8_t *_two_dice(const board_t *b, int large, int small, int8_t *out,
                              int stride) noexcept nogil:
    cdef vec32 board = vec32_load(b.c)
    cdef vec32 zero = vec32_fill(0)
    cdef uint32_t own = vec32_greater(board, zero) & MASK_ON_BOARD
    cdef uint32_t open_points = ~vec32_greater(vec32_fill(-1), board) & MASK_POINTS
    cdef uint32_t blots = vec32_greater(zero, board) & open_points
    cdef uint32_t outside = own & ~<uint32_t>MASK_HOME
    if b.c[BAR] > 0:
        return _from_bar(board, b.c[BAR], own, open_points, blots, large, small, out, stride)
    if outside & (outside - 1) or outside & vec32_greater(board, vec32_fill(1)):
        return _outside(board, own, open_points, blots, large, small, out, stride)
    return _home(board, own, open_points, blots, large, small, out, stride)


cdef inline int _generate(const board_t *b, int die1, int die2, int8_t *out,
                          int stride) noexcept nogil:
    cdef int8_t *end
    if die1 == die2:
        end = _doublet(b, die1, out, stride)
    elif die1 > die2:
        end = _two_dice(b, die1, die2, out, stride)
    else:
        end = _two_dice(b, die2, die1, out, stride)
    return <int>((end - out) // stride)


cdef int generate_boards(const board_t *b, int die1, int die2, board_t *out) noexcept nogil:
    return _generate(b, die1, die2, <int8_t *>out, sizeof(board_t))


cdef int generate_public(const board_t *b, int die1, int die2, int8_t *out) noexcept nogil:
    return _generate(b, die1, die2, out, N_PUBLIC)


# ---- the steps of a play ----

cdef inline int _take_step(board_t *b, int start, int die, int8_t *step) noexcept nogil:
    """Make a step that is known to be legal and write (from, to, hit)."""
    cdef int to = start - die
    cdef int hit = to > 0 and b.c[to] < 0
    if to < 0:
        to = 0
    step[0] = <int8_t>start
    step[1] = <int8_t>to
    step[2] = <int8_t>hit
    vec32_store(b.c, vec32_add(vec32_load(b.c), vec32_load(&STEP[die][start][hit][0])))
    return hit


cdef inline uint32_t _legal_starts(const board_t *b, int die) noexcept nogil:
    """Points (25: the bar) from which one checker can play the die, looking at this step alone."""
    cdef vec32 board = vec32_load(b.c)
    cdef uint32_t own = vec32_greater(board, vec32_fill(0)) & MASK_ON_BOARD
    cdef uint32_t open_points = ~vec32_greater(vec32_fill(-1), board) & MASK_POINTS
    if b.c[BAR] > 0:
        return _bit(BAR) if open_points & _bit(BAR - die) else 0
    return _starts(own, open_points << die, die, True)


cdef inline bint _same(const board_t *a, const board_t *b) noexcept nogil:
    return vec32_equal(vec32_load(a.c), vec32_load(b.c)) == <uint32_t>0xFFFFFFFF


cdef int _find_two_steps(const board_t *before, const board_t *after, int first, int second,
                         int8_t *steps) noexcept nogil:
    """Find a checker for `first` and then one for `second` that lead to `after`."""
    cdef board_t once, twice
    cdef uint32_t starts = _legal_starts(before, first)
    cdef uint32_t others
    cdef int start, other
    while starts:
        start = bit_high(starts)
        starts ^= _bit(start)
        once = before[0]
        _take_step(&once, start, first, steps)
        others = _legal_starts(&once, second)
        while others:
            other = bit_high(others)
            others ^= _bit(other)
            twice = once
            _take_step(&twice, other, second, steps + 3)
            if _same(&twice, after):
                return 2
    return 0


cdef int _find_one_step(const board_t *before, const board_t *after, int die,
                        int8_t *steps) noexcept nogil:
    cdef board_t once
    cdef uint32_t starts = _legal_starts(before, die)
    cdef int start
    while starts:
        start = bit_high(starts)
        starts ^= _bit(start)
        once = before[0]
        _take_step(&once, start, die, steps)
        if _same(&once, after):
            return 1
    return 0


cdef int find_steps(const board_t *before, const board_t *after, int die1, int die2,
                    int8_t *steps) noexcept nogil:
    cdef board_t b
    cdef int large = die1 if die1 > die2 else die2
    cdef int small = die1 + die2 - large
    cdef int start, n
    if large == small:
        # The highest point where too many stand must be left, until the boards agree.
        b = before[0]
        n = 0
        start = BAR
        while start > 0 and n < N_STEPS:
            if b.c[start] > 0 and b.c[start] > after.c[start]:
                if not _legal_starts(&b, large) & _bit(start):
                    return 0
                _take_step(&b, start, large, steps + 3 * n)
                n += 1
            else:
                start -= 1
        return n if _same(&b, after) else 0
    n = _find_two_steps(before, after, large, small, steps)
    if n == 0:
        n = _find_two_steps(before, after, small, large, steps)
    if n == 0:
        n = _find_one_step(before, after, large, steps)
    if n == 0:
        n = _find_one_step(before, after, small, steps)
    return n


# ---- one checker at a time ----

cdef int _most_dice(const board_t *b, const int *dice, int n_dice) noexcept nogil:
    """How many of the dice left can be played."""
    cdef board_t after
    cdef int8_t step[3]
    cdef int rest[4]
    cdef uint32_t starts
    cdef int i, j, start, found, best = 0
    for i in range(n_dice):
        if i > 0 and dice[i] == dice[i - 1]:
            continue
        for j in range(n_dice - 1):
            rest[j] = dice[j if j < i else j + 1]
        starts = _legal_starts(b, dice[i])
        while starts:
            start = bit_high(starts)
            starts ^= _bit(start)
            after = b[0]
            _take_step(&after, start, dice[i], step)
            found = 1 + _most_dice(&after, rest, n_dice - 1)
            if found > best:
                best = found
            if best == n_dice:
                return best
    return best


# ---- Python ----

cdef object _empty = np.empty
cdef object _ndarray = np.ndarray
cdef object _int8 = np.dtype(np.int8)


cdef int _die(object value, str where) except -1:
    """One die as a C integer; bools and floats are not dice."""
    cdef object number = -1
    if type(value) is int:
        number = value
    elif isinstance(value, np.integer):
        number = int(value)
    if 1 <= number <= 6:
        return number
    raise DiceError(f"{where} is {value!r}; a die is a whole number from 1 to 6")


cdef object _refuse(const int8_t[:, ::1] boards, int64_t row):
    """Raise for a board that board_can_move() refuses."""
    check_boards(boards)
    raise BoardError(
        f"board {row} is the end of a game, so it has no plays: "
        f"{np.asarray(boards[row]).tolist()}; both sides need a checker that is not borne off"
    )


cdef int _one_board(object board, board_t *out, bint may_be_done=False) except -1:
    """Read one board; may_be_done: the player on roll may have borne off his last checker."""
    cdef const int8_t[:, ::1] row
    cdef Py_buffer view
    if isinstance(board, BoardBase):
        board_from_public((<BoardBase>board)._cells, N_CHECKERS, out)
    elif type(board) is _ndarray and board.dtype is _int8 and board.shape == (N_PUBLIC,):
        if not board.flags.c_contiguous:
            board = board.copy()
        PyObject_GetBuffer(board, &view, PyBUF_SIMPLE)
        board_from_public(<const int8_t *>view.buf, N_CHECKERS, out)
        PyBuffer_Release(&view)
    else:
        row = as_boards(board[None] if isinstance(board, _ndarray) else (board,), name="board")
        board_from_public(&row[0, 0], N_CHECKERS, out)
    if not board_can_move(out):
        row = np.array(board, dtype=np.int8)[None]
        if may_be_done and board_own(out) == 0 and board_opp(out) != 0:
            check_boards(row)
        else:
            _refuse(row, 0)
    return 0


cdef board_t *_plays_buffer() except NULL:
    """Room for the plays of one roll; the caller frees it."""
    cdef board_t *buffer = boards_alloc(PLAYS_BUFFER)
    if buffer == NULL:
        raise MemoryError("no memory for the plays of a roll")
    return buffer


cdef object _public_boards(const board_t *plays, int count):
    """Copy boards into a new (count, 26) array."""
    cdef Py_buffer view
    cdef int i
    array = _empty((count, N_PUBLIC), _int8)
    PyObject_GetBuffer(array, &view, PyBUF_SIMPLE | PyBUF_WRITABLE)
    for i in range(count):
        memcpy(<char *>view.buf + N_PUBLIC * i, plays[i].c, N_PUBLIC)
    PyBuffer_Release(&view)
    return array


def legal_boards(board, die1, die2):
    """List the distinct boards after every legal play of one roll.

    Parameters
    ----------
    board : (26,) int8 array_like
        Seen by the player on roll: index 1-24 points, 25 his bar, 0 the opponent's bar; his
        checkers > 0, the opponent's < 0.
    die1, die2 : int
        The roll, in any order.

    Returns
    -------
    (M, 26) int8 array
        The boards after the play, still seen by the mover; M is 0 if there is no legal play. The
        order is that of `legal_plays` and the same on every machine.

    Raises
    ------
    BoardError, DiceError
    """
    cdef int d1 = _die(die1, "the first die")
    cdef int d2 = _die(die2, "the second die")
    cdef board_t before
    _one_board(board, &before)
    cdef board_t *plays = _plays_buffer()
    try:
        return _public_boards(plays, generate_boards(&before, d1, d2, plays))
    finally:
        boards_free(plays)


def legal_plays(board, die1, die2):
    """List every legal play of one roll with its steps.

    Parameters
    ----------
    board : (26,) int8 array_like
        Seen by the player on roll.
    die1, die2 : int
        The roll, in any order.

    Returns
    -------
    boards : (M, 26) int8 array
        The distinct boards after the play, seen by the mover; M is 0 if there is no legal play.
    steps : (M, 4, 3) int8 array
        For each play up to four steps (from, to, hit); 25 is the bar, to 0 is off. Where one
        board can be reached in several ways: the larger die first, then the higher checker.
    n_steps : int
        Steps in each play; the rows of `steps` behind them are 0.

    Raises
    ------
    BoardError, DiceError
    """
    cdef int d1 = _die(die1, "the first die")
    cdef int d2 = _die(die2, "the second die")
    cdef board_t before
    _one_board(board, &before)
    cdef board_t *plays = _plays_buffer()
    cdef int i, count, n_steps = 0
    cdef int8_t[:, :, ::1] steps
    try:
        count = generate_boards(&before, d1, d2, plays)
        steps_array = np.zeros((count, N_STEPS, 3), dtype=np.int8)
        steps = steps_array
        for i in range(count):
            n_steps = find_steps(&before, &plays[i], d1, d2, &steps[i, 0, 0])
        return _public_boards(plays, count), steps_array, n_steps
    finally:
        boards_free(plays)


cdef struct _progress:
    int64_t row      # the next pair of board and roll
    int64_t plays    # boards written so far
    int64_t refused  # the board that cannot be played on, or -1


cdef void _generate_many(const int8_t[:, ::1] boards, const uint8_t[:, ::1] dice, bint all_rolls,
                         int8_t *out, int64_t capacity, int64_t[::1] offsets, board_t *spare,
                         _progress *progress) noexcept nogil:
    """Go on until everything is written or the next roll may not fit."""
    cdef int64_t n_rows = boards.shape[0] * (N_ROLLS if all_rolls else 1)
    cdef int64_t row = progress.row
    cdef int64_t plays = progress.plays
    cdef int64_t index
    cdef int roll, large, count, i
    cdef board_t board
    while row < n_rows:
        if all_rolls:
            index = row // N_ROLLS
            roll = <int>(row - index * N_ROLLS)
        else:
            index = row
            roll = 0
        # A buffer that was full may have stopped this loop in the middle of a board's rolls.
        if roll == 0 or row == progress.row:
            board_from_public(&boards[index, 0], N_CHECKERS, &board)
            if not board_can_move(&board):
                progress.refused = index
                break
            large = 1
        if all_rolls:
            # Roll (large, small) has the number large (large - 1) / 2 + small - 1.
            while roll >= large * (large + 1) // 2:
                large += 1
            i = roll - large * (large - 1) // 2 + 1
        else:
            large = dice[index, 0]
            i = dice[index, 1]
        if capacity - plays >= PLAYS_BUFFER:
            count = generate_public(&board, large, i, out + N_PUBLIC * plays)
        else:
            count = generate_boards(&board, large, i, spare)
            if count > capacity - plays:
                break
            for i in range(count):
                memcpy(out + N_PUBLIC * (plays + i), spare[i].c, N_PUBLIC)
        plays += count
        row += 1
        offsets[row] = plays
    progress.row = row
    progress.plays = plays


cdef _many(boards, dice, out, offsets):
    cdef const int8_t[:, ::1] rows = as_boards(boards)
    cdef const uint8_t[:, ::1] rolls
    cdef bint all_rolls = dice is None
    cdef int64_t n_rows = rows.shape[0] * (N_ROLLS if all_rolls else 1)
    cdef int64_t capacity
    cdef int8_t[:, ::1] out_view
    cdef int64_t[::1] offsets_view
    cdef _progress progress
    if all_rolls:
        rolls = np.zeros((0, 2), dtype=np.uint8)
    else:
        rolls = _dice(dice, rows.shape[0])
    if offsets is None:
        offsets = np.empty(n_rows + 1, dtype=np.int64)
    else:
        _check_buffer(offsets, "offsets", np.int64, (n_rows + 1,))
        _check_apart(offsets, "offsets", (rows, rolls))
    own_out = out is None
    if own_out:
        out = np.empty((n_rows * 20 + PLAYS_BUFFER, N_PUBLIC), dtype=np.int8)
    else:
        _check_buffer(out, "out", np.int8, (None, N_PUBLIC))
        _check_apart(out, "out", (rows, rolls, offsets))
    offsets_view = offsets
    offsets_view[0] = 0
    progress.row = progress.plays = 0
    progress.refused = -1
    cdef board_t *spare = _plays_buffer()
    try:
        while True:
            out_view = out
            capacity = out.shape[0]
            with nogil:
                _generate_many(rows, rolls, all_rolls,
                               &out_view[0, 0] if capacity else NULL, capacity, offsets_view,
                               spare, &progress)
            if progress.refused >= 0:
                _refuse(rows, progress.refused)
            if progress.row == n_rows:
                break
            if not own_out:
                raise OutputBufferError(
                    f"out has room for {capacity} boards, which is too little: row "
                    f"{progress.row} of {n_rows} did not fit; plays of one roll number 20 on "
                    f"average and at most {MAX_PLAYS}"
                )
            bigger = np.empty((2 * capacity, N_PUBLIC), dtype=np.int8)
            bigger[:progress.plays] = out[:progress.plays]
            out = bigger
    finally:
        boards_free(spare)
    return (out[:progress.plays].copy() if own_out else out[:progress.plays]), offsets


cdef _dice(dice, int64_t n_boards):
    """Dice as a C-contiguous (N, 2) uint8 array with values 1 to 6."""
    try:
        array = np.asarray(dice)
    except (ValueError, TypeError, OverflowError) as error:
        raise DiceError(f"the dice cannot be read as an array of numbers: {error}") from None
    if array.shape != (n_boards, 2):
        raise DiceError(f"dice have shape {array.shape}; right is ({n_boards}, 2)")
    if array.dtype.kind not in "iu":
        raise DiceError(f"dice have dtype {array.dtype}; they are whole numbers from 1 to 6")
    wrong = np.flatnonzero(((array < 1) | (array > 6)).any(axis=1))
    if wrong.size:
        raise DiceError(
            f"dice {array[wrong[0]].tolist()} in row {wrong[0]}; a die is a number from 1 to 6"
        )
    return np.ascontiguousarray(array, dtype=np.uint8)


cdef _check_buffer(array, str name, dtype, shape):
    """Refuse a caller's buffer that cannot be written into as it is."""
    if not isinstance(array, np.ndarray):
        raise OutputBufferError(f"{name} is a {type(array).__name__}; it must be a numpy array")
    if array.dtype != dtype or not array.dtype.isnative:
        raise OutputBufferError(f"{name} has dtype {array.dtype}; it must be {np.dtype(dtype)}")
    if array.ndim != len(shape) or any(
        want is not None and have != want for have, want in zip(array.shape, shape, strict=True)
    ):
        wanted = tuple("M" if want is None else want for want in shape)
        raise OutputBufferError(f"{name} has shape {array.shape}; it must be {wanted}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise OutputBufferError(f"{name} must be C-contiguous and writeable")


cdef _check_apart(array, str name, others):
    """Refuse a caller's buffer that would overwrite another argument."""
    if any(np.shares_memory(array, other) for other in others):
        raise OutputBufferError(
            f"{name} shares memory with another argument; pass a separate array"
        )


def legal_boards_batch(boards, dice, out=None, offsets=None):
    """List the boards after every legal play of N boards with one roll each.

    Runs without the GIL.

    Parameters
    ----------
    boards : (N, 26) int8 array_like
        Each seen by the player on roll.
    dice : (N, 2) array_like of int
        One roll for each board.
    out : (M, 26) int8 array, optional
        Where the boards go. It may be larger than needed; 20 boards a roll are usual, and with
        room for 3,880 boards more than needed no board is copied. Calls are fastest when it
        stays in the processor's second cache: some 2,000 rolls at a time into the same array.
    offsets : (N + 1,) int64 array, optional
        Where the offsets go.

    Returns
    -------
    boards : (M, 26) int8 array
        All boards after the play, seen by the mover. A view of `out` if that was given, else a
        new array.
    offsets : (N + 1,) int64 array
        The plays of board i are rows ``offsets[i]`` to ``offsets[i + 1]``; none: no legal play.

    Raises
    ------
    BoardError, DiceError, OutputBufferError
    """
    return _many(boards, dice if dice is not None else (), out, offsets)


def legal_boards_all_rolls(boards, out=None, offsets=None):
    """List the boards after every legal play of N boards with each of the 21 rolls.

    Runs without the GIL.

    Parameters
    ----------
    boards : (N, 26) int8 array_like
        Each seen by the player on roll.
    out, offsets
        As in `legal_boards_batch`, with ``21 * N + 1`` offsets.

    Returns
    -------
    boards : (M, 26) int8 array
        All boards after the play, seen by the mover.
    offsets : (21 * N + 1,) int64 array
        Board i with roll r has rows ``offsets[21 * i + r]`` to ``offsets[21 * i + r + 1]``. The
        rolls are 1-1, 2-1, 2-2, 3-1, 3-2, 3-3, ... 6-6.

    Raises
    ------
    BoardError, OutputBufferError
    """
    return _many(boards, None, out, offsets)


def count_plays(boards):
    """Count the distinct legal plays of N boards with each of the 21 rolls.

    Parameters
    ----------
    boards : (N, 26) int8 array_like
        Each seen by the player on roll.

    Returns
    -------
    (N, 21) int32 array
        Rolls in the order 1-1, 2-1, 2-2, 3-1, ... 6-6; 0 means no legal play.
    """
    offsets = legal_boards_all_rolls(boards)[1]
    return np.diff(offsets).astype(np.int32).reshape(-1, N_ROLLS)


cdef int _left(dice_left, int *dice) except -1:
    """Dice left as C integers, the same numbers side by side; returns how many."""
    try:
        values = list(dice_left)
    except TypeError:
        raise DiceError(f"the dice left are {dice_left!r}; pass a sequence of numbers") from None
    if len(values) > N_STEPS:
        raise DiceError(f"{len(values)} dice left; a roll has at most {N_STEPS} steps")
    for i, value in enumerate(values):
        dice[i] = _die(value, f"die {i + 1} of the dice left")
    values = sorted(values, reverse=True)
    if len(set(values)) > 1 and len(values) > 2:
        raise DiceError(f"dice left {values}; more than two dice are left only of a doublet")
    for i, value in enumerate(values):
        dice[i] = value
    return len(values)


def next_steps(board, dice_left):
    """List the steps that may be made now so that the play can still be completed by the rules.

    Parameters
    ----------
    board : (26,) int8 array_like
        As it stands after the steps made so far, seen by the mover.
    dice_left : sequence of int
        The dice not used yet: two of a roll, up to four of a doublet.

    Returns
    -------
    list of (from, to, die, hit)
        Higher dice first, then higher checkers; from 25 is the bar, to 0 is off, hit is a bool.
        Empty when the play is complete, also because the last checker is off.

    Raises
    ------
    BoardError, DiceError
    """
    cdef int dice[4]
    cdef int rest[4]
    cdef int8_t step[3]
    cdef board_t before, after
    cdef uint32_t starts
    cdef int i, j, start, most
    cdef int n_dice = _left(dice_left, dice)
    _one_board(board, &before, True)
    most = _most_dice(&before, dice, n_dice)
    steps = []
    for i in range(n_dice):
        if i > 0 and dice[i] == dice[i - 1]:
            continue
        if most == 1 and steps:
            # One of two dice can be played: it is the larger.
            break
        for j in range(n_dice - 1):
            rest[j] = dice[j if j < i else j + 1]
        starts = _legal_starts(&before, dice[i])
        while starts:
            start = bit_high(starts)
            starts ^= _bit(start)
            after = before
            _take_step(&after, start, dice[i], step)
            if 1 + _most_dice(&after, rest, n_dice - 1) == most:
                steps.append((step[0], step[1], dice[i], bool(step[2])))
    return steps


def apply_step(board, start, die):
    """Move one checker by one die.

    Looks at this step alone: `next_steps` tells which steps the rules of the whole play allow.

    Parameters
    ----------
    board : (26,) int8 array_like
        Seen by the mover.
    start : int
        The checker's point, 25 for the bar.
    die : int

    Returns
    -------
    (26,) int8 array
        The board after the step, still seen by the mover.

    Raises
    ------
    IllegalPlayError
        No checker may make this step.
    """
    cdef board_t b
    cdef int8_t step[3]
    cdef int d = _die(die, "the die")
    cdef int point
    _one_board(board, &b)
    if isinstance(start, bool) or not isinstance(start, (int, np.integer)) or not 1 <= start <= BAR:
        raise IllegalPlayError(
            f"a step from {start!r}: it must start on a point 1-24 or 25, the bar"
        )
    point = start
    if not _legal_starts(&b, d) & _bit(point):
        raise IllegalPlayError(
            f"no step from {point} with a {d} on board {np.asarray(board).tolist()}"
        )
    _take_step(&b, point, d, step)
    result = np.empty(N_PUBLIC, dtype=np.int8)
    cdef int8_t[::1] view = result
    memcpy(&view[0], b.c, N_PUBLIC)
    return result


# ---- perft ----

cdef int64_t _perft(const board_t *b, int depth, bint weighted, board_t *buffers) noexcept nogil:
    cdef int64_t nodes = 0
    cdef int64_t below
    cdef board_t next_board
    cdef int large, small, count, i, weight
    for large in range(1, 7):
        for small in range(1, large + 1):
            weight = 2 if weighted and small != large else 1
            count = generate_boards(b, large, small, buffers)
            if count == 0:
                buffers[0] = b[0]
                count = 1
            if depth == 1:
                nodes += weight * count
                continue
            below = 0
            for i in range(count):
                if buffers[i].c[OFF] == N_CHECKERS:
                    continue
                board_swap(&buffers[i], &next_board)
                below += _perft(&next_board, depth - 1, weighted, buffers + PLAYS_BUFFER)
            nodes += weight * below
    return nodes


def perft(board, depth, *, weighted=False):
    """Count the nodes of the tree of rolls and distinct plays.

    A roll without a legal play counts one child, the unchanged board. A finished game has no
    children.

    Parameters
    ----------
    board : (26,) int8 array_like
        Seen by the player on roll.
    depth : int
        Plies, 0 to 8; depth 0 is one node.
    weighted : bool, default False
        Count a roll of two different dice twice (36 rolls), else once (21 rolls).

    Returns
    -------
    int

    Raises
    ------
    BoardError
    """
    cdef board_t root
    cdef int plies
    cdef bint twice = weighted
    cdef int64_t nodes
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or not 0 <= depth <= 8:
        raise BoardError(f"depth is {depth!r}; it must be a whole number of plies from 0 to 8")
    plies = depth
    _one_board(board, &root)
    if plies == 0:
        return 1
    cdef board_t *buffers = boards_alloc(plies * PLAYS_BUFFER)
    if buffers == NULL:
        raise MemoryError("no memory for perft")
    with nogil:
        nodes = _perft(&root, plies, twice, buffers)
    boards_free(buffers)
    return nodes
