"""Value net and roll net in memory: construction from arrays, and evaluation."""
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from bgcore._core.board cimport board_from_public
from bgcore._core.types cimport (
    BAR, N_CHECKERS, N_ROLLS, OFF, OPP_BAR, OPP_OFF, bit_high, bit_low, int8_t,
    uint8_t,
)

import numpy as np

from bgcore._core import CPU_LEVEL as _CPU_LEVEL
from bgcore._core.board import check_boards
from bgcore.errors import BoardError, NetError

#: Shape of the nets, for the code that stores and trains them.
CELLS = NET_CELLS
VALUES = NET_VALUES
HIDDEN = NET_HIDDEN
HEADS = NET_HEADS
ROLL_HIDDEN = LUCK_HIDDEN
ROLL_HEADS = LUCK_HEADS
ROLL_OUTPUTS = LUCK_OUTPUTS
ROLL_WIDTH = LUCK_WIDTH
ROLL_PAIRS = LUCK_PAIRS
Z_BITS = NET_Z_BITS
ROLL_Z_BITS = LUCK_Z_BITS
ROLL_PAIR_BITS = LUCK_PAIR_BITS
DEEP_THIRD_UNITS = DEEP_THIRD
DEEP_SUM_BITS = DEEP_Z_BITS
DEEP_LAYER_BITS = DEEP_UNIT_BITS
DEEP_LAYER_WEIGHT_BITS = DEEP_WEIGHT_BITS
RELATIONS = DEEP_RELATIONS
ROLL_MOVES = ROLLS_ROWS
ROLL_STEPS = ROLLS_TOTALS
ROLL_KINDS = ROLLS_KINDS

# Whether nets take the AVX-512 kernels, see kernels512.h.
cdef bint _WIDE = _CPU_LEVEL == "avx512"


cdef void net_values_after(
    const net_t *net, const board_t *parent, const board_t *children, int n, int32_t *five
) noexcept nogil:
    """Five probabilities of each of n unfinished boards after a play, mover's view."""
    cdef net_sums_t sums
    cdef int i
    net_refresh(net, parent, &sums)
    for i in range(n):
        net_child_five(net, &sums, parent, &children[i], board_own(&children[i]),
                       board_opp(&children[i]), five + 5 * i)


cdef void net_equities_after(
    const net_t *net, const board_t *parent, const board_t *children, int n, int64_t *equity
) noexcept nogil:
    """Cubeless equity of each of n unfinished boards after a play, mover's view."""
    cdef net_sums_t sums
    cdef int32_t five[5]
    cdef int i
    net_refresh(net, parent, &sums)
    for i in range(n):
        net_child_five(net, &sums, parent, &children[i], board_own(&children[i]),
                       board_opp(&children[i]), five)
        equity[i] = five_equity(five)


cdef void luck_values(const luck_t *luck, const board_t *before, int32_t *values) noexcept nogil:
    """Five probabilities after the best play of each of the 21 rolls, view of the roller.

    values: LUCK_OUTPUTS numbers, roll after roll in the order 1-1, 2-1, 2-2, ..., 6-6. The game
    must not be over.
    """
    cdef uint32_t own = board_own(before)
    luck_evaluate(luck, before, own, bit_high(own) < bit_low(board_opp(before)), values)


def unfinished_boards(boards, n_checkers=N_CHECKERS):
    """Return boards as `check_boards` does, after a check that no game is over.

    Raises
    ------
    BoardError
        As `check_boards`, or a side has no checker left.
    """
    array = check_boards(boards, n_checkers=n_checkers)
    over = ~((array > 0).any(axis=1) & (array < 0).any(axis=1))
    if over.any():
        row = int(over.argmax())
        raise BoardError(f"boards, row {row}: the game is finished: {array[row].tolist()}")
    return array


cdef void *_aligned(void *memory) noexcept nogil:
    return <void *>((<uintptr_t>memory + 63) & ~<uintptr_t>63)


cdef void *_laid_out(tuple parts, void **places) except NULL:
    """Copy arrays of one axis into memory of their own, each to a multiple of 64 bytes.

    places: where each begins. The caller frees what is returned.
    """
    # nothing may fail once there is memory to free
    cdef list flat = [np.ascontiguousarray(part).view(np.uint8) for part in parts]
    cdef void *memory = malloc(sum(part.nbytes + 64 for part in parts) + 64)
    cdef char *at
    cdef const uint8_t[::1] given
    cdef int i
    if memory == NULL:
        raise MemoryError
    at = <char *>_aligned(memory)
    for i in range(len(flat)):
        places[i] = at
        given = flat[i]
        memcpy(at, &given[0], given.shape[0])
        at = <char *>_aligned(at + given.shape[0])
    return memory


def hidden_range(const int16_t[:, :, ::1] rows, const int16_t[::1] bias):
    """Bound the hidden sums over every board of at most fifteen checkers a side.

    The bounds are reached: they are the largest and the smallest sum over all ways to spread the
    checkers over the cells (a point may hold only one side), found cell by cell.

    Parameters
    ----------
    rows : (28, 31, H) int16 array
        One row for each value -15..15 of each cell.
    bias : (H,) int16 array

    Returns
    -------
    low, high : (H,) int32 arrays
    """
    cdef Py_ssize_t n_hidden = bias.shape[0]
    if rows.shape[0] != NET_CELLS or rows.shape[1] != NET_VALUES or rows.shape[2] != n_hidden:
        raise NetError("rows and bias do not belong together")
    best = np.zeros((2, 2, 16, 16, n_hidden), np.int32)
    cdef int32_t[:, :, :, :, ::1] s = best
    cdef int cell, own, opp, v, to = 0
    cdef Py_ssize_t k
    cdef int32_t x
    # best[., 0 or 1, a, b] holds the extreme with a own and b opposing checkers still to place
    with nogil:
        for cell in range(NET_CELLS):
            to = 1 - to
            for own in range(16):
                for opp in range(16):
                    for k in range(n_hidden):
                        s[to, 0, own, opp, k] = s[1 - to, 0, own, opp, k]
                        s[to, 1, own, opp, k] = s[1 - to, 1, own, opp, k]
                    for v in range(-opp, own + 1):
                        if v == 0:
                            continue
                        if v < 0 and (cell == BAR or cell == OFF):
                            continue
                        if v > 0 and (cell == OPP_BAR or cell == OPP_OFF):
                            continue
                        for k in range(n_hidden):
                            if v > 0:
                                x = s[1 - to, 0, own - v, opp, k] + rows[cell, v + 15, k]
                            else:
                                x = s[1 - to, 0, own, opp + v, k] + rows[cell, v + 15, k]
                            if x < s[to, 0, own, opp, k]:
                                s[to, 0, own, opp, k] = x
                            if v > 0:
                                x = s[1 - to, 1, own - v, opp, k] + rows[cell, v + 15, k]
                            else:
                                x = s[1 - to, 1, own, opp + v, k] + rows[cell, v + 15, k]
                            if x > s[to, 1, own, opp, k]:
                                s[to, 1, own, opp, k] = x
    shift = np.asarray(bias, dtype=np.int32)
    return best[to, 0].min(axis=(0, 1)) + shift, best[to, 1].max(axis=(0, 1)) + shift


def _checked(name, array, dtype, shape):
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array)
        raise NetError(f"{name} must be an array of {np.dtype(dtype).name} {shape}, not {found}")
    return np.ascontiguousarray(array)


def _check_ranges(rows, bias, out, out_bias):
    """Refuse a net whose sums could leave their integer type on some board."""
    if rows[:, 15].any():
        raise NetError("the rows of empty cells must be zero")
    low, high = hidden_range(rows, bias)
    if low.min() < -32768 or high.max() > 32767:
        raise NetError("the hidden sums of some board do not fit into 16 bits")
    largest = np.maximum(high, 0).astype(np.int64)
    reach = np.abs(out.astype(np.int64)) @ largest + np.abs(out_bias.astype(np.int64))
    if reach.max() >= 2**31:
        raise NetError("the output sums of some board do not fit into 32 bits")


cdef class ValueNet:
    """A value net in memory: 28 x 31 rows of hidden weights and ten output layers of five.

    Parameters
    ----------
    rows : (28, 31, 128) int16 array
        What value v of cell c adds to the hidden sums is ``rows[c, v + 15]``; zero for v = 0.
    bias : (128,) int16 array
    out : (10, 5, 128) int16 array
        Output weights; hidden unit x output unit = 2**-20.
    out_bias : (10, 5) int32 array
        Unit 2**-20.

    Raises
    ------
    NetError
        If an array has another shape or type, or if sums could overflow on some board.
    """

    def __cinit__(self):
        self.memory = calloc(1, sizeof(net_t) + 64)
        if self.memory == NULL:
            raise MemoryError
        self.net = <net_t *>_aligned(self.memory)

    def __init__(self, rows, bias, out, out_bias):
        rows = _checked("rows", rows, np.int16, (NET_CELLS, NET_VALUES, NET_HIDDEN))
        bias = _checked("bias", bias, np.int16, (NET_HIDDEN,))
        out = _checked("out", out, np.int16, (NET_HEADS, 5, NET_HIDDEN))
        out_bias = _checked("out_bias", out_bias, np.int32, (NET_HEADS, 5))
        _check_ranges(rows, bias, out, out_bias)
        cdef const int16_t[:, :, ::1] a = rows
        cdef const int16_t[::1] b = bias
        cdef const int16_t[:, :, ::1] c = out
        cdef const int32_t[:, ::1] d = out_bias
        memcpy(<void *>self.net.rows, &a[0, 0, 0], rows.nbytes)
        memcpy(<void *>self.net.bias, &b[0], bias.nbytes)
        memcpy(<void *>self.net.out, &c[0, 0, 0], out.nbytes)
        memcpy(<void *>self.net.out_bias, &d[0, 0], out_bias.nbytes)
        sigmoid_fill(self.net.sigmoid)
        self.net.wide = _WIDE

    def __dealloc__(self):
        free(self.memory)


def relations_of(boards):
    """List the relations of boards after a play, see deep.h.

    Parameters
    ----------
    boards : (n, 26) int8 array
        Unfinished, seen by the mover.

    Returns
    -------
    list of n lists of int

    Raises
    ------
    BoardError
    """
    cdef const int8_t[:, ::1] given = unfinished_boards(boards)
    cdef uint16_t related[DEEP_RELATIONS]
    cdef board_t b
    cdef Py_ssize_t i
    cdef int k, count
    result = []
    for i in range(given.shape[0]):
        board_from_public(&given[i, 0], N_CHECKERS, &b)
        count = deep_relations(&b, board_own(&b), board_opp(&b), related)
        result.append([related[k] for k in range(count)])
    return result


def check_deep_shape(hidden, second):
    """Refuse numbers of units that the kernels of the strong net cannot handle.

    Raises
    ------
    NetError
        Unless hidden is a multiple of 128 up to 1024 and second one of 32 up to 128.
    """
    for name, number, block, most in (("hidden", hidden, 128, DEEP_HIDDEN_MOST),
                                      ("second", second, 32, DEEP_SECOND_MOST)):
        if not isinstance(number, int) or number % block or not block <= number <= most:
            raise NetError(f"{name} is {number!r}; it must be a multiple of {block} up to {most}")


def _paired(weights):
    """Order [heads][outputs][inputs] as the kernels read them: [heads][inputs / 2][outputs][2]."""
    heads, outputs, inputs = weights.shape
    pairs = weights.reshape(heads, outputs, inputs // 2, 2).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(pairs).ravel()


def _check_reach(name, weights, bias, largest):
    """Refuse a layer whose sums, of inputs from 0 to `largest`, could leave 32 bits."""
    wide = weights.astype(np.int64)
    reach = np.maximum((np.maximum(wide, 0) * largest).sum(axis=2),
                       (np.maximum(-wide, 0) * largest).sum(axis=2))
    reach += np.abs(bias.astype(np.int64)) + (1 << DEEP_WEIGHT_BITS)
    if reach.max() >= 2**31:
        raise NetError(f"the sums of the {name} of some board do not fit into 32 bits")


def relation_range(const int16_t[:, ::1] relations):
    """Bound what the relations of a board can add to the hidden sums.

    Of each kind, those that belong to one point are added up, and then those of the fifteen points
    (seven where the point is a made one) where they are most.

    Parameters
    ----------
    relations : (RELATIONS, H) int16 array
        The row of each relation, see deep.h.

    Returns
    -------
    low, high : (H,) int64 arrays
    """
    rows = np.asarray(relations, np.int64)
    if rows.shape[0] != DEEP_RELATIONS:
        raise NetError(f"there are {DEEP_RELATIONS} relations, not {rows.shape[0]}")
    low, high = np.zeros((2, rows.shape[1]), np.int64)
    at = 0
    for reach, points in (2 * [(DEEP_SHOT_REACH, N_CHECKERS)]
                          + 4 * [(DEEP_BLOCK_REACH, N_CHECKERS // 2)]):
        kind = rows[at:at + 24 * reach].reshape(24, reach, -1)
        at += 24 * reach
        high += np.sort(np.maximum(kind, 0).sum(axis=1), axis=0)[24 - points:].sum(axis=0)
        low += np.sort(np.minimum(kind, 0).sum(axis=1), axis=0)[:points].sum(axis=0)
    return low, high


cdef class DeepNet:
    """A strong net in memory: rows of cells, then two layers and five outputs for each head.

    The numbers of hidden units H (a multiple of 128) and of units of the second layer S (a
    multiple of 32) are those of the arrays. See deep.h for the arithmetic.

    Parameters
    ----------
    rows : (28, 31, H) int16 array
        What value v of cell c adds to the hidden sums is ``rows[c, v + 15]``; zero for v = 0.
    bias : (H,) int16 array
    second : (10, S, H) int16 array
        Hidden unit x weight = 2**-20.
    second_bias : (10, S) int32 array
        Unit 2**-20.
    third : (10, 32, S) int16 array
        Unit 2**-10.
    third_bias : (10, 32) int32 array
        Unit 2**-22.
    out : (10, 5, 32) int16 array
        Unit 2**-10.
    out_bias : (10, 5) int32 array
        Unit 2**-22.
    relations : (1152, H) int16 array, optional
        What each relation of two cells (deep.h) adds to the hidden sums.
    reach : (1,) int16 array, optional
        With relations: where their sum is cut, on either side of 0.

    Raises
    ------
    NetError
        If an array has another shape or type, or if sums could overflow on some board.
    """

    def __cinit__(self):
        self.memory = NULL

    def __init__(self, rows, bias, second, second_bias, third, third_bias, out, out_bias,
                 relations=None, reach=None):
        if self.memory != NULL:
            raise NetError("a net in memory cannot be changed")
        if not isinstance(bias, np.ndarray) or bias.ndim != 1:
            raise NetError("bias must be an array of one axis")
        if not isinstance(second_bias, np.ndarray) or second_bias.ndim != 2:
            raise NetError("second_bias must be an array of two axes")
        h, s = bias.shape[0], second_bias.shape[1]
        check_deep_shape(h, s)
        arrays = (
            _checked("rows", rows, np.int16, (NET_CELLS, NET_VALUES, h)),
            _checked("bias", bias, np.int16, (h,)),
            _checked("second", second, np.int16, (NET_HEADS, s, h)),
            _checked("second_bias", second_bias, np.int32, (NET_HEADS, s)),
            _checked("third", third, np.int16, (NET_HEADS, DEEP_THIRD, s)),
            _checked("third_bias", third_bias, np.int32, (NET_HEADS, DEEP_THIRD)),
            _checked("out", out, np.int16, (NET_HEADS, 5, DEEP_THIRD)),
            _checked("out_bias", out_bias, np.int32, (NET_HEADS, 5)),
        )
        rows, bias, second, second_bias, third, third_bias, out, out_bias = arrays
        if rows[:, 15].any():
            raise NetError("the rows of empty cells must be zero")
        low, high = hidden_range(rows, bias)
        if (relations is None) != (reach is None):
            raise NetError("relations and reach belong together")
        limit = 0
        if relations is not None:
            relations = _checked("relations", relations, np.int16, (DEEP_RELATIONS, h))
            limit = int(_checked("reach", reach, np.int16, (1,))[0])
            less, more = relation_range(relations)
            if limit < 0 or less.min() < -32768 or more.max() > 32767:
                raise NetError("the sums of the relations of some board do not fit into 16 bits")
            low, high = low - limit, high + limit
        if low.min() < -32768 or high.max() > 32767:
            raise NetError("the hidden sums of some board do not fit into 16 bits")
        _check_reach("second layer", second, second_bias, np.maximum(high, 0).astype(np.int64))
        _check_reach("third layer", third, third_bias, 32767)
        _check_reach("outputs", out, out_bias, 32767)
        parts = (rows.ravel(), bias, _paired(second), second_bias.ravel(), _paired(third),
                 third_bias.ravel(), out.ravel(), out_bias.ravel(),
                 *(() if relations is None else (relations.ravel(),)))
        cdef void *places[9]
        self.memory = _laid_out(parts, places)
        self.net.hidden = h
        self.net.second = s
        self.net.wide = _WIDE
        self.net.reach = limit
        self.net.rows = <int16_t *>places[0]
        self.net.bias = <int16_t *>places[1]
        self.net.second_rows = <int16_t *>places[2]
        self.net.second_bias = <int32_t *>places[3]
        self.net.third_rows = <int16_t *>places[4]
        self.net.third_bias = <int32_t *>places[5]
        self.net.out = <int16_t *>places[6]
        self.net.out_bias = <int32_t *>places[7]
        self.net.relations = NULL if relations is None else <int16_t *>places[8]
        deep_fill(&self.net)

    def __dealloc__(self):
        free(self.memory)

    @property
    def hidden(self):
        """Number of hidden units."""
        return self.net.hidden

    @property
    def second(self):
        """Number of units of the second layer."""
        return self.net.second

    @property
    def relations(self):
        """Whether it sees relations of cells."""
        return self.net.relations != NULL


def _less_mean(values):
    """Subtract the mean over the 36 rolls, so that the weighted sum is 0 in whole numbers.

    values: (21, ...) integers, rolls in the order 1-1, 2-1, 2-2, ...; doubles count once, the
    others twice. The rounding of the mean is spread over the rolls by one unit at most.
    """
    doubles = np.array([large == small for large in range(6) for small in range(large + 1)])
    weights = np.where(doubles, 1, 2).reshape(-1, *[1] * (values.ndim - 1))
    less = values.astype(np.int64)
    less = less - (2 * (weights * less).sum(axis=0) + 36) // 72
    rest = (weights * less).sum(axis=0)
    pairs = np.abs(rest) // 2
    for place, roll in enumerate(np.flatnonzero(~doubles)):
        less[roll] -= np.where(place < pairs, np.sign(rest), 0)
    less[0] -= np.where(np.abs(rest) % 2 == 1, np.sign(rest), 0)
    return less


cdef class AnyRollNet:
    """A roll net in memory, of either kind: `LuckNet` or `RollNet`."""

    def __init__(self):
        raise NetError("a roll net is a LuckNet or a RollNet")

    cdef int check(self) except -1:
        """Refuse a net that was made without weights, by `__new__` alone."""
        if self.net.pairs == NULL and self.net.rolls == NULL:
            raise NetError("this roll net has no weights")
        return 0

    def luck_of_rolls(self, boards):
        """Give how much better than the mean of all rolls each roll is, view of the roller.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games of fifteen checkers a side; the side seen is on roll.

        Returns
        -------
        (n, 21, 5) int32 array
            Rolls in the order 1-1, 2-1, 2-2, 3-1, ..., 6-6. Unit 2**-22, not clamped to what is
            possible. The sum over the 36 rolls is 0.

        Raises
        ------
        BoardError
            If a board is impossible or its game is over.
        NetError
            If the net has no weights.
        """
        self.check()
        boards = unfinished_boards(boards)
        cdef const int8_t[:, ::1] given = boards
        result = np.empty((len(boards), N_ROLLS, 5), np.int32)
        cdef int32_t[:, :, ::1] fives = result
        cdef board_t b
        cdef Py_ssize_t n
        with nogil:
            for n in range(given.shape[0]):
                board_from_public(&given[n, 0], N_CHECKERS, &b)
                roll_net_luck(&self.net, &b, board_own(&b), board_opp(&b), &fives[n, 0, 0])
        return result


cdef class LuckNet(AnyRollNet):
    """A roll net in memory: rows of cells and of pairs, and two output layers of 21 x 5.

    A pair is a start, where the roller has checkers, and a target that a die reaches; see
    kernels.h for their numbers.

    Parameters
    ----------
    rows : (28, 31, 128) int16 array
        As in `ValueNet`, for the board before the roll.
    bias : (128,) int16 array
    pair_rows : (3150, 128) int16 array
        What each pair on the board adds to the hidden sums.
    pair_out : (3150, 112) int16 array
        What it adds to the outputs, unit 2**-13; the last seven columns do not count.
    out : (2, 105, 128) int16 array
        Output weights for races and for contact; hidden unit x output unit = 2**-22.
    out_bias : (2, 105) int32 array
        Unit 2**-22.

    Raises
    ------
    NetError
        If an array has another shape or type.
    """

    def __cinit__(self):
        self.memory = calloc(1, sizeof(luck_t) + 64)
        if self.memory == NULL:
            raise MemoryError
        self.luck = <luck_t *>_aligned(self.memory)
        self.net.pairs = self.luck
        self.net.rolls = NULL

    def __init__(self, rows, bias, pair_rows, pair_out, out, out_bias):
        rows = _checked("rows", rows, np.int16, (NET_CELLS, NET_VALUES, LUCK_HIDDEN))
        bias = _checked("bias", bias, np.int16, (LUCK_HIDDEN,))
        pair_rows = _checked("pair_rows", pair_rows, np.int16, (LUCK_PAIRS, LUCK_HIDDEN))
        pair_out = _checked("pair_out", pair_out, np.int16, (LUCK_PAIRS, LUCK_WIDTH))
        out = _checked("out", out, np.int16, (LUCK_HEADS, LUCK_OUTPUTS, LUCK_HIDDEN))
        out_bias = _checked("out_bias", out_bias, np.int32, (LUCK_HEADS, LUCK_OUTPUTS))
        cdef const int16_t[:, :, ::1] a = rows
        cdef const int16_t[::1] b = bias
        cdef const int16_t[:, ::1] c = pair_rows
        cdef const int16_t[:, ::1] d = pair_out
        cdef const int16_t[:, :, ::1] e = out
        cdef const int32_t[:, ::1] f = out_bias
        memcpy(<void *>self.luck.rows, &a[0, 0, 0], rows.nbytes)
        memcpy(<void *>self.luck.bias, &b[0], bias.nbytes)
        memcpy(<void *>self.luck.pair_rows, &c[0, 0], pair_rows.nbytes)
        memcpy(<void *>self.luck.pair_out, &d[0, 0], pair_out.nbytes)
        memcpy(<void *>self.luck.out, &e[0, 0, 0], out.nbytes)
        memcpy(<void *>self.luck.out_bias, &f[0, 0], out_bias.nbytes)
        # what a roll is better than the mean of all
        pair_luck = np.zeros((N_ROLLS, LUCK_PAIRS, 8), np.int64)
        pair_luck[:, :, :5] = _less_mean(pair_out[:, :LUCK_OUTPUTS].reshape(-1, N_ROLLS, 5)
                                         .transpose(1, 0, 2))
        out_luck = _less_mean(out.reshape(LUCK_HEADS, N_ROLLS, 5, LUCK_HIDDEN)
                              .transpose(1, 0, 2, 3)).transpose(1, 0, 2, 3)
        bias_luck = _less_mean(out_bias.reshape(LUCK_HEADS, N_ROLLS, 5).transpose(1, 0, 2)) \
            .transpose(1, 0, 2)
        reach = (
            32767 * np.abs(out_luck).sum(axis=3)
            + (LUCK_PAIRS_MOST << (LUCK_Z_BITS - LUCK_PAIR_BITS)) * np.abs(pair_luck).max()
            + np.abs(bias_luck)
        )
        if reach.max() >= 2**31 \
                or max(np.abs(pair_luck).max(), np.abs(out_luck).max()) > 32767:
            raise NetError("the luck of a roll on some board does not fit into 32 bits")
        cdef const int16_t[:, :, ::1] g = np.ascontiguousarray(pair_luck, dtype=np.int16)
        cdef const int16_t[:, :, :, ::1] h = np.ascontiguousarray(out_luck, dtype=np.int16)
        cdef const int32_t[:, :, ::1] i = np.ascontiguousarray(bias_luck, dtype=np.int32)
        memcpy(<void *>self.luck.pair_luck, &g[0, 0, 0], 2 * pair_luck.size)
        memcpy(<void *>self.luck.out_luck, &h[0, 0, 0, 0], 2 * out_luck.size)
        memcpy(<void *>self.luck.bias_luck, &i[0, 0, 0], 4 * bias_luck.size)

    def __dealloc__(self):
        free(self.memory)

    def values(self, boards):
        """Give the five probabilities after the best play of each roll, view of the roller.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games of fifteen checkers a side; the side seen is on roll.

        Returns
        -------
        (n, 21, 5) float32 array
            Rolls in the order 1-1, 2-1, 2-2, 3-1, ..., 6-6.

        Raises
        ------
        BoardError
            If a board is impossible or its game is over.
        """
        boards = unfinished_boards(boards)
        cdef const int8_t[:, ::1] given = boards
        cdef Py_ssize_t n = given.shape[0], i
        fixed = np.empty((n, LUCK_OUTPUTS), np.int32)
        cdef int32_t[:, ::1] values = fixed
        cdef board_t b
        with nogil:
            for i in range(n):
                board_from_public(&given[i, 0], N_CHECKERS, &b)
                luck_values(self.luck, &b, &values[i, 0])
        return (fixed * np.float64(2.0**-30)).astype(np.float32).reshape(n, 21, 5)


def check_rolls_hidden(hidden):
    """Refuse a number of hidden units that no `RollNet` has.

    Raises
    ------
    NetError
    """
    if not ROLLS_HIDDEN_BLOCK <= hidden <= ROLLS_HIDDEN_MOST or hidden % ROLLS_HIDDEN_BLOCK:
        raise NetError(
            f"a roll net has a multiple of {ROLLS_HIDDEN_BLOCK} hidden units up to"
            f" {ROLLS_HIDDEN_MOST}, not {hidden}")


def _most(rows):
    """Bound a sum of at most one of the rows [starts][choices] of each of fifteen starts."""
    best = np.maximum(rows.max(axis=1), 0)
    return np.sort(best, axis=0)[-N_CHECKERS:].sum(axis=0)


def moves_range(const int16_t[:, ::1] moves):
    """Bound what the moves of one roll can add to the hidden sums, over all boards and rolls.

    Parameters
    ----------
    moves : (ROLL_MOVES, H) int16 array
        The row of each thing that a roll can do, see rolls.h.

    Returns
    -------
    low, high : (H,) int64 arrays
    """
    rows = np.asarray(moves, np.int64)
    if rows.shape[0] != ROLLS_ROWS:
        raise NetError(f"there are {ROLLS_ROWS} moves, not {rows.shape[0]}")
    h = rows.shape[1]
    found = []
    for x in (rows, -rows):
        steps = x[:ROLLS_TOTALS].reshape(25, 6, 18, h)
        totals = x[ROLLS_TOTALS:ROLLS_FURTHER].reshape(25, 11, 2, h)
        further = x[ROLLS_FURTHER:ROLLS_MAKES].reshape(25, 6, 3, 2, h)
        makes = _most(x[ROLLS_MAKES:ROLLS_EACH].reshape(24, 3, h))
        of_die = [_most(steps[:, die]) for die in range(6)]
        most = np.full(h, -2**31)
        for large in range(6):
            for small in range(large + 1):
                if large == small:
                    # the farther targets of a start belong together
                    far = np.maximum(further[:, large].max(axis=2), 0).sum(axis=1)
                    bound = of_die[large] + _most(far[:, None])
                else:
                    bound = of_die[large] + of_die[small] + makes + _most(totals[:, large + small])
                roll = x[ROLLS_EACH + large * (large + 1) // 2 + small]
                most = np.maximum(most, bound + roll)
        found.append(most)
    return -found[1], found[0]


cdef class RollNet(AnyRollNet):
    """A roll net that looks at one roll at a time: rows of cells and of what a roll can do.

    The number of hidden units H, 128 or 256, is that of the arrays. See rolls.h
    for the moves and the arithmetic.

    Parameters
    ----------
    rows : (28, 31, H) int16 array
        As in `ValueNet`, for the board before the roll.
    bias : (H,) int16 array
    moves : (ROLL_MOVES, H) int16 array
        What each thing that a roll can do adds to its hidden sums.
    out : (10, 2, 5, H) int16 array
        Output weights of each head, for doubles and for other rolls; hidden unit x output unit =
        2**-22.
    out_bias : (10, 21, 5) int32 array
        Unit 2**-22.

    Raises
    ------
    NetError
        If an array has another shape or type, or if sums could overflow on some board.
    """

    def __cinit__(self):
        self.memory = NULL

    def __init__(self, rows, bias, moves, out, out_bias):
        if self.memory != NULL:
            raise NetError("a net in memory cannot be changed")
        if not isinstance(bias, np.ndarray) or bias.ndim != 1:
            raise NetError("bias must be an array of one axis")
        h = bias.shape[0]
        check_rolls_hidden(h)
        rows = _checked("rows", rows, np.int16, (NET_CELLS, NET_VALUES, h))
        bias = _checked("bias", bias, np.int16, (h,))
        moves = _checked("moves", moves, np.int16, (ROLLS_ROWS, h))
        out = _checked("out", out, np.int16, (NET_HEADS, ROLLS_KINDS, 5, h))
        out_bias = _checked("out_bias", out_bias, np.int32, (NET_HEADS, N_ROLLS, 5))
        if rows[:, 15].any():
            raise NetError("the rows of empty cells must be zero")
        low, high = hidden_range(rows, bias)
        less, more = moves_range(moves)
        low, high = low + less, high + more
        if low.min() < -32768 or high.max() > 32767:
            raise NetError("the hidden sums of some board do not fit into 16 bits")
        wide = out.astype(np.int64)
        largest = np.maximum(high, 0)
        reach = np.maximum((np.maximum(wide, 0) * largest).sum(axis=3),
                           (np.maximum(-wide, 0) * largest).sum(axis=3)).max()
        # the difference of two outputs fits into 32 bits too
        if reach + np.abs(out_bias.astype(np.int64)).max() >= 2**30:
            raise NetError("the output sums of some board do not fit into 31 bits")
        parts = (rows.ravel(), bias, moves.ravel(), out.ravel(), out_bias.ravel())
        cdef void *places[5]
        self.memory = _laid_out(parts, places)
        self.rolls.hidden = h
        self.rolls.wide = _WIDE
        self.rolls.rows = <int16_t *>places[0]
        self.rolls.bias = <int16_t *>places[1]
        self.rolls.moves = <int16_t *>places[2]
        self.rolls.out = <int16_t *>places[3]
        self.rolls.out_bias = <int32_t *>places[4]
        self.net.pairs = NULL
        self.net.rolls = &self.rolls

    def __dealloc__(self):
        free(self.memory)

    @property
    def hidden(self):
        """Number of hidden units."""
        return self.rolls.hidden


def sigmoid_table():
    """Return the knots of the integer sigmoid at -16, -16 + 1/32, ..., 16; unit 2**-30."""
    table = np.empty(SIGMOID_SIZE, np.int32)
    cdef int32_t[::1] t = table
    sigmoid_fill(&t[0])
    return table


def sigmoid(const int32_t[::1] z):
    """Apply the integer sigmoid of the value net.

    Parameters
    ----------
    z : (n,) int32 array
        Unit 2**-20.

    Returns
    -------
    (n,) int32 array
        Unit 2**-30.
    """
    cdef int32_t table[SIGMOID_SIZE]
    cdef Py_ssize_t i
    result = np.empty(z.shape[0], np.int32)
    cdef int32_t[::1] p = result
    sigmoid_fill(table)
    for i in range(z.shape[0]):
        p[i] = sigmoid_fixed(table, z[i])
    return result
