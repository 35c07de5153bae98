"""Making the bear-off tables, and the object that holds them.

Both sides bear off past each other, so a side's plays do not depend on the other's checkers and
every die can be played as long as a checker is left. A play is found step by step: the best of
two steps is the best first step followed by its best second step, so no play is ever listed for
the one-sided table.

One-sided: for each of the 54,264 ranks the play with the smallest expected number of rolls is
taken for each roll, the first found of equals, and the distribution of the number of rolls
follows. For 15 checkers the same is done once more for the rolls until the first checker is off,
with the plays that are best for that: the gammon part. Work is done in float64; rows are stored
in units of 2**-31, each with the sum 1.

Two-sided: money equities of all pairs of up to 6 checkers, each of the side on roll who does not
double now but uses the cube perfectly later. With S the mean over the rolls of the best play,

    cubeless = S(-cubeless)               owned   = S(-opponent)
    opponent = S(-max(owned, d))          centred = S(-max(centred, d)),   d = min(2 opponent, 1)

where the values inside S belong to the other side, who is then on roll. No gammons are possible.
Sums run in a fixed order and nothing is fused, so every processor makes the same bits.
"""
import numpy as np

from libc.string cimport memset

from bgcore._core.board cimport board_from_public
from bgcore._core.types cimport (
    N_CHECKERS, board_t, int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
)

from bgcore._core.board import check_boards
from bgcore.errors import TableError

cdef enum:
    DICE = 6
    LONGEST = 40            # columns of the working distributions; longer games: below 1e-30
    MOST_SUCCESSORS = 40    # distinct plays of a roll, or of a part of it, with 6 checkers: 35


# ---- steps ----

cdef void bearoff_init(bearoff_t *t) noexcept nogil:
    """No tables yet; the numbers that ranks are made of."""
    cdef int k, s
    memset(t, 0, sizeof(bearoff_t))
    for s in range(16):
        t.choose[0][s] = s
    for k in range(1, BEAROFF_POINTS):
        for s in range(1, 16):
            t.choose[k][s] = t.choose[k][s - 1] + t.choose[k - 1][s]


cdef inline int _rank(const bearoff_t *t, const int *s) noexcept nogil:
    cdef int k, rank = 0
    for k in range(BEAROFF_POINTS):
        rank += t.choose[k][s[k]]
    return rank


cdef void _fill_steps(const bearoff_t *t, int n_ranks, int32_t *steps) noexcept nogil:
    """steps[rank][die - 1][...]: ranks after each legal step, from the highest point down; -1 ends.

    Ranks are visited in order: s is the next non-decreasing sequence each time.
    """
    cdef int s[7]
    cdef int after[6]
    cdef int rank, die, point, k, n, to
    cdef int32_t *out
    memset(s, 0, sizeof(s))
    for rank in range(n_ranks):
        for die in range(1, DICE + 1):
            out = steps + (rank * DICE + die - 1) * BEAROFF_POINTS
            n = 0
            for point in range(BEAROFF_POINTS, 0, -1):
                # checkers on the point; s[6 - point] counts it and those above
                if s[6 - point] == (s[5 - point] if point < 6 else 0):
                    continue
                # a die too large for the point moves the highest checker only
                if point < die and n > 0:
                    break
                to = max(point - die, 0)
                for k in range(BEAROFF_POINTS):
                    after[k] = s[k] - (to < 6 - k <= point)
                out[n] = _rank(t, after)
                n += 1
            while n < BEAROFF_POINTS:
                out[n] = -1
                n += 1
        k = 0
        while k < 5 and s[k] == s[k + 1]:
            s[k] = 0
            k += 1
        s[k] += 1


cdef inline const int32_t *_steps_of(const int32_t *steps, int rank, int die) noexcept nogil:
    return steps + (rank * DICE + die) * BEAROFF_POINTS


# ---- one-sided ----

cdef inline int _best(
    const int32_t *steps, const int32_t *then, const double *value,
) noexcept nogil:
    """Where the turn ends with the best step followed by the best rest (NULL: no rest)."""
    cdef int i, end, best = -1
    for i in range(BEAROFF_POINTS):
        if steps[i] < 0:
            break
        end = then[steps[i]] if then != NULL else steps[i]
        if best < 0 or value[end] < value[best]:
            best = end
    return best


cdef void _solve(
    const int32_t *steps, int first, int32_t *ends, double *mean, double *square, double *rows,
) noexcept nogil:
    """Means, means of squares and distributions of the number of rolls to a rank below `first`.

    ends[3][DICE][BEAROFF_RANKS] is scratch: where one, two and three steps with a die lead.
    """
    cdef int32_t *once
    cdef int32_t *twice
    cdef int32_t *thrice
    cdef int targets[21]
    cdef int rank, die, other, roll, n, end
    cdef double weight, sum1, sum2
    cdef double *row
    for rank in range(BEAROFF_RANKS):
        row = rows + <int64_t>rank * LONGEST
        for n in range(LONGEST):
            row[n] = 0.0
        if rank < first:
            # The aim is reached; further steps change nothing.
            mean[rank] = 0.0
            square[rank] = 0.0
            row[0] = 1.0
            for n in range(3 * DICE):
                ends[<int64_t>n * BEAROFF_RANKS + rank] = rank
            continue
        roll = 0
        for die in range(DICE):
            once = ends + <int64_t>die * BEAROFF_RANKS
            twice = once + DICE * BEAROFF_RANKS
            thrice = twice + DICE * BEAROFF_RANKS
            once[rank] = _best(_steps_of(steps, rank, die), NULL, mean)
            twice[rank] = _best(_steps_of(steps, rank, die), once, mean)
            thrice[rank] = _best(_steps_of(steps, rank, die), twice, mean)
            for other in range(die):
                targets[roll] = _best(
                    _steps_of(steps, rank, die), ends + <int64_t>other * BEAROFF_RANKS, mean)
                end = _best(_steps_of(steps, rank, other), once, mean)
                if mean[end] < mean[targets[roll]]:
                    targets[roll] = end
                roll += 1
            targets[roll] = _best(_steps_of(steps, rank, die), thrice, mean)
            roll += 1
        sum1 = 0.0
        sum2 = 0.0
        roll = 0
        for die in range(DICE):
            for other in range(die + 1):
                end = targets[roll]
                roll += 1
                weight = 1.0 if die == other else 2.0
                sum1 += weight * mean[end]
                sum2 += weight * (square[end] + 2.0 * mean[end])
                for n in range(1, LONGEST):
                    row[n] += weight * rows[<int64_t>end * LONGEST + n - 1]
        mean[rank] = 1.0 + sum1 / 36.0
        square[rank] = 1.0 + sum2 / 36.0
        for n in range(LONGEST):
            row[n] /= 36.0


cdef int64_t _pack(
    const double *rows, int n_rows, int64_t at, uint32_t *index, uint32_t *packed,
) noexcept nogil:
    """Round rows to units of 2**-31 with the sum 1, and cut the zeros off both ends."""
    cdef int i, n, first, last, largest
    cdef int64_t total
    cdef int64_t units[LONGEST]
    cdef const double *row
    for i in range(n_rows):
        row = rows + <int64_t>i * LONGEST
        total = 0
        largest = 0
        for n in range(LONGEST):
            units[n] = <int64_t>(row[n] * <double>BEAROFF_ONE + 0.5)
            total += units[n]
            if units[n] > units[largest]:
                largest = n
        units[largest] += BEAROFF_ONE - total
        first = 0
        while units[first] == 0:
            first += 1
        last = LONGEST - 1
        while units[last] == 0:
            last -= 1
        index[3 * i] = <uint32_t>at
        index[3 * i + 1] = <uint32_t>first
        index[3 * i + 2] = <uint32_t>(last - first + 1)
        for n in range(first, last + 1):
            packed[at] = <uint32_t>units[n]
            at += 1
    return at


def build_one_sided():
    """Make the one-sided table: 15 checkers on 6 points. About a third of a second.

    Returns
    -------
    dict of arrays
        index : (69768, 3) uint32, where each row starts in `rows`, its first number of rolls, its
        length; 54,264 rows for the last checker, then 15,504 for the first checker of 15.
        rows : (n,) uint32, probabilities in units of 2**-31.
        mean, sd : (54264,) float64, of the number of rolls until all checkers are off.
        first_mean, first_sd : (15504,) float64, until the first of 15 is off.
    """
    cdef bearoff_t t
    cdef int64_t used
    steps_array = np.empty((BEAROFF_RANKS, DICE, BEAROFF_POINTS), dtype=np.int32)
    ends_array = np.empty((3, DICE, BEAROFF_RANKS), dtype=np.int32)
    work_array = np.empty((BEAROFF_RANKS, LONGEST), dtype=np.float64)
    moments_array = np.empty((4, BEAROFF_RANKS), dtype=np.float64)
    index_array = np.empty((BEAROFF_ROWS, 3), dtype=np.uint32)
    packed_array = np.empty(BEAROFF_ROWS * LONGEST, dtype=np.uint32)
    cdef int32_t[:, :, ::1] steps = steps_array
    cdef int32_t[:, :, ::1] ends = ends_array
    cdef double[:, ::1] work = work_array
    cdef double[:, ::1] moments = moments_array
    cdef uint32_t[:, ::1] index = index_array
    cdef uint32_t[::1] packed = packed_array
    with nogil:
        bearoff_init(&t)
        _fill_steps(&t, BEAROFF_RANKS, &steps[0, 0, 0])
        _solve(&steps[0, 0, 0], 1, &ends[0, 0, 0], &moments[0, 0], &moments[1, 0], &work[0, 0])
        used = _pack(&work[0, 0], BEAROFF_RANKS, 0, &index[0, 0], &packed[0])
        _solve(&steps[0, 0, 0], BEAROFF_FULL, &ends[0, 0, 0], &moments[2, 0], &moments[3, 0],
               &work[0, 0])
        used = _pack(&work[BEAROFF_FULL, 0], BEAROFF_ROWS - BEAROFF_RANKS, used,
                     &index[BEAROFF_RANKS, 0], &packed[0])
    mean, square, first_mean, first_square = moments_array
    first_mean, first_square = first_mean[BEAROFF_FULL:], first_square[BEAROFF_FULL:]
    return {
        "index": index_array,
        "rows": packed_array[:used].copy(),
        "mean": mean.copy(),
        # a variance of 0 may come out as -1e-16
        "sd": np.sqrt(np.maximum(square - mean * mean, 0.0)),
        "first_mean": first_mean.copy(),
        "first_sd": np.sqrt(np.maximum(first_square - first_mean * first_mean, 0.0)),
    }


# ---- two-sided ----

cdef int _add(uint16_t *list_, int n, int rank) noexcept nogil:
    cdef int i
    for i in range(n):
        if list_[i] == rank:
            return n
    list_[n] = <uint16_t>rank
    return n + 1


cdef int _step_all(
    const int32_t *steps, const uint16_t *from_, int n_from, int die, uint16_t *to, int n,
) noexcept nogil:
    """Add to a list every rank one step after those of another list; return its new length."""
    cdef const int32_t *next_
    cdef int i, j
    for i in range(n_from):
        next_ = _steps_of(steps, from_[i], die)
        if from_[i] == 0:
            n = _add(to, n, 0)
            continue
        for j in range(BEAROFF_POINTS):
            if next_[j] < 0:
                break
            n = _add(to, n, next_[j])
    return n


cdef int _successors(
    const int32_t *steps, int rank, int die, int other, uint16_t *out,
) noexcept nogil:
    """The distinct ranks after a roll; their number."""
    cdef uint16_t lists[2][MOST_SUCCESSORS]
    cdef int n, turn
    lists[0][0] = <uint16_t>rank
    n = 1
    if die == other:
        for turn in range(3):
            n = _step_all(steps, lists[turn & 1], n, die, lists[1 - (turn & 1)], 0)
        return _step_all(steps, lists[1], n, die, out, 0)
    n = _step_all(steps, lists[0], 1, die, lists[1], 0)
    turn = _step_all(steps, lists[1], n, other, out, 0)
    n = _step_all(steps, lists[0], 1, other, lists[1], 0)
    return _step_all(steps, lists[1], n, die, out, turn)


cdef void _roll_out(
    int rank, int other, const int64_t *starts, const uint16_t *successors, double *later,
    double *now,
) noexcept nogil:
    """Equities of the pair (rank on roll, other), rolled without a double, and what they are later.

    later[on roll][other][4]: what the side on roll has before he decides on a double, each lane
    where the other side looks for it: cubeless, opponent, centred, owned.
    """
    cdef double sums[4]
    cdef double least[4]
    cdef const double *value
    cdef const double *rows = later + <int64_t>other * (4 * BEAROFF_PAIR)
    cdef const uint16_t *at
    cdef const uint16_t *end
    cdef double weight, double_
    cdef int die, second, lane, roll
    for lane in range(4):
        sums[lane] = 0.0
    roll = rank * 21
    for die in range(DICE):
        for second in range(die + 1):
            at = successors + starts[roll]
            end = successors + starts[roll + 1]
            roll += 1
            value = rows + 4 * at[0]
            for lane in range(4):
                least[lane] = value[lane]
            at += 1
            while at != end:
                value = rows + 4 * at[0]
                for lane in range(4):
                    least[lane] = value[lane] if value[lane] < least[lane] else least[lane]
                at += 1
            weight = 1.0 if die == second else 2.0
            for lane in range(4):
                sums[lane] -= weight * least[lane]
    for lane in range(4):
        sums[lane] /= 36.0
        now[lane * (BEAROFF_PAIR * BEAROFF_PAIR)] = sums[lane]
    later += (<int64_t>rank * BEAROFF_PAIR + other) * 4
    double_ = min(2.0 * sums[BEAROFF_OPPONENT], 1.0)
    later[0] = sums[BEAROFF_CUBELESS]
    later[1] = sums[BEAROFF_OPPONENT]
    later[2] = max(sums[BEAROFF_CENTRED], double_)
    later[3] = max(sums[BEAROFF_OWNED], double_)


def build_two_sided():
    """Make the two-sided table: up to 6 checkers a side. About half a second.

    Returns
    -------
    dict of arrays
        equities : (4, 924, 924) float64, [plane, rank on roll, rank of the other side]: money
        equities of the side on roll, who rolls without doubling, per unit of the cube: cubeless,
        he owns the cube, it is centred, the opponent owns it. A finished game is 1 where the side
        on roll has nothing left, -1 where the other side has, 0 where both have (impossible).

    Notes
    -----
    float64 throughout: the equity of a pair is the mean of the equities that follow to 1e-15, so
    that a rollout can use differences of them as exact control variates, with or without a cube.
    """
    cdef bearoff_t t
    cdef int rank, other, die, second
    cdef int64_t used = 0
    cdef int roll = 0
    steps_array = np.empty((BEAROFF_PAIR, DICE, BEAROFF_POINTS), dtype=np.int32)
    starts_array = np.empty(BEAROFF_PAIR * 21 + 1, dtype=np.int64)
    successors_array = np.empty(BEAROFF_PAIR * 21 * MOST_SUCCESSORS, dtype=np.uint16)
    later_array = np.empty((BEAROFF_PAIR, BEAROFF_PAIR, 4), dtype=np.float64)
    equities_array = np.empty((4, BEAROFF_PAIR, BEAROFF_PAIR), dtype=np.float64)
    cdef int32_t[:, :, ::1] steps = steps_array
    cdef int64_t[::1] starts = starts_array
    cdef uint16_t[::1] successors = successors_array
    cdef double[:, :, ::1] later = later_array
    cdef double[:, :, ::1] equities = equities_array
    later_array[:, 0] = -1.0
    later_array[0, :] = 1.0
    later_array[0, 0] = 0.0
    equities_array[:, :, 0] = -1.0
    equities_array[:, 0, :] = 1.0
    equities_array[:, 0, 0] = 0.0
    with nogil:
        bearoff_init(&t)
        _fill_steps(&t, BEAROFF_PAIR, &steps[0, 0, 0])
        for rank in range(BEAROFF_PAIR):
            for die in range(DICE):
                for second in range(die + 1):
                    starts[roll] = used
                    roll += 1
                    if rank > 0:
                        used += _successors(&steps[0, 0, 0], rank, die, second, &successors[used])
        starts[roll] = used
        # A pair needs pairs (other, lower rank) only.
        for rank in range(1, BEAROFF_PAIR):
            for other in range(1, rank + 1):
                _roll_out(rank, other, &starts[0], &successors[0], &later[0, 0, 0],
                          &equities[0, rank, other])
                if other < rank:
                    _roll_out(other, rank, &starts[0], &successors[0], &later[0, 0, 0],
                              &equities[0, other, rank])
    return {"equities": equities_array}


# ---- Python ----

cdef object _checked(object array, object dtype, tuple shape, str name):
    if array.dtype != dtype or not array.flags.c_contiguous or not array.flags.aligned:
        raise TableError(f"array {name} must be C-contiguous {np.dtype(dtype)}, not {array.dtype}")
    if len(array.shape) != len(shape) or any(
        want is not None and want != got for want, got in zip(shape, array.shape)
    ):
        raise TableError(f"array {name} must have the shape {shape}, not {array.shape}")
    return array


cdef class BearoffTables:
    """The bear-off tables for the compiled code, kept alive by this object.

    Parameters
    ----------
    one_sided : dict of arrays, optional
        As `build_one_sided` makes it.
    two_sided : dict of arrays, optional
        As `build_two_sided` makes it.

    Raises
    ------
    TableError
        An array has the wrong form, or a row lies outside the array of rows.

    Notes
    -----
    Other compiled modules take `&tables.tables` and keep a reference to the object. It cannot be
    pickled: each process loads its own (`bgcore.bearoff.tables`).
    """

    def __cinit__(self, one_sided=None, two_sided=None):
        cdef const uint32_t[:, ::1] index
        cdef const uint32_t[::1] rows
        cdef const double[:, :, ::1] equities
        bearoff_init(&self.tables)
        self._arrays = []
        if one_sided is not None:
            index_array = _checked(one_sided["index"], np.uint32, (BEAROFF_ROWS, 3), "index")
            rows_array = _checked(one_sided["rows"], np.uint32, (None,), "rows")
            ends = index_array[:, 0].astype(np.int64) + index_array[:, 2]
            if index_array[:, 2].min() == 0 or ends.max() > len(rows_array) \
                    or index_array[:, 1:].max() > LONGEST:
                raise TableError("the index of the one-sided table points outside its rows")
            index = index_array
            rows = rows_array
            self.tables.index = &index[0, 0]
            self.tables.rows = &rows[0]
            self._arrays += [index_array, rows_array]
        if two_sided is not None:
            equities_array = _checked(
                two_sided["equities"], np.float64, (4, BEAROFF_PAIR, BEAROFF_PAIR), "equities")
            equities = equities_array
            self.tables.equities = &equities[0, 0, 0]
            self._arrays.append(equities_array)

    def __reduce__(self):
        raise TypeError("bear-off tables are not pickled; call bgcore.bearoff.tables() instead")

    @property
    def has_one_sided(self):
        """Whether the one-sided table is there."""
        return self.tables.index != NULL

    @property
    def has_two_sided(self):
        """Whether the two-sided table is there."""
        return self.tables.equities != NULL

    def rank(self, const int8_t[::1] points):
        """Give the rank of a side's checkers on the points 1-6.

        Parameters
        ----------
        points : (6,) int8 array
            Each 0 or more, 15 at most in all; not checked here.

        Returns
        -------
        int
            0 to 54,263.
        """
        cdef board_t b
        cdef int i
        if points.shape[0] != BEAROFF_POINTS:
            raise TableError(f"there are 6 points, not {points.shape[0]}")
        memset(&b, 0, sizeof(board_t))
        for i in range(BEAROFF_POINTS):
            if not 0 <= points[i] <= N_CHECKERS:
                raise TableError(f"a point holds 0 to 15 checkers, not {points[i]}")
            b.c[i + 1] = points[i]
        if sum(points) > N_CHECKERS:
            raise TableError(f"a side has at most 15 checkers, not {sum(points)}")
        return bearoff_own_rank(&self.tables, &b)

    def probabilities(self, boards, *, after=False):
        """Look many boards up, exact where possible.

        Parameters
        ----------
        boards : (N, 26) array_like
            Possible boards; BoardError otherwise.
        after : bool, default False
            The side seen has just played and the opponent is on roll. False: he is on roll.

        Returns
        -------
        five : (N, 5) int32 array
            Win, win gammon, win backgammon, lose gammon, lose backgammon of the side seen, in
            units of 2**-30; 0 where no table covers the board.
        source : (N,) uint8 array
            2: two-sided table, exact. 1: one-sided table, both sides play for the fewest rolls.
            0: not covered.
        """
        cdef const int8_t[:, ::1] cells = check_boards(boards)
        cdef int64_t i
        cdef int64_t n = cells.shape[0]
        cdef bint after_play = after
        cdef board_t b
        five_array = np.zeros((n, 5), dtype=np.int32)
        source_array = np.zeros(n, dtype=np.uint8)
        cdef int32_t[:, ::1] five = five_array
        cdef uint8_t[::1] source = source_array
        with nogil:
            for i in range(n):
                board_from_public(&cells[i, 0], N_CHECKERS, &b)
                if after_play:
                    source[i] = <uint8_t>bearoff_five_after(&self.tables, &b, &five[i, 0])
                else:
                    source[i] = <uint8_t>bearoff_five(&self.tables, &b, &five[i, 0])
        return five_array, source_array

    def equities(self, boards, *, after=False):
        """Look the exact cubeless equity of many boards up.

        Parameters
        ----------
        boards : (N, 26) array_like
            Possible boards; BoardError otherwise.
        after : bool, default False
            The side seen has just played and the opponent is on roll. False: he is on roll.

        Returns
        -------
        real : (N,) float64 array
            Points for the side seen; NaN where the two-sided table does not cover the board.
        units : (N,) int64 array
            The same in units of 2**-30, 2 * win - 1 of `probabilities`; 0 where not covered.
        """
        cdef const int8_t[:, ::1] cells = check_boards(boards)
        cdef int64_t i
        cdef int64_t n = cells.shape[0]
        cdef bint after_play = after
        cdef board_t b
        real_array = np.full(n, np.nan)
        units_array = np.zeros(n, dtype=np.int64)
        cdef double[::1] real = real_array
        cdef int64_t[::1] units = units_array
        with nogil:
            for i in range(n):
                board_from_public(&cells[i, 0], N_CHECKERS, &b)
                if not bearoff_exact(&self.tables, &b):
                    continue
                if after_play:
                    real[i] = bearoff_real_after(&self.tables, &b)
                    units[i] = bearoff_equity_after(&self.tables, &b)
                else:
                    real[i] = bearoff_real_before(&self.tables, &b)
                    units[i] = bearoff_equity_before(&self.tables, &b)
        return real_array, units_array
