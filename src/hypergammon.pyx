"""Solving Hypergammon: backgammon with one to three checkers a side, by value iteration.

A side's checkers are a sorted triple of places a >= b >= c, 0 (off) to 25 (bar); with fewer than
three checkers in the game the last ones are always 0. The triples in the order of (a, b, c) are
numbered from 0 (all off): the rank. No play raises the rank of the mover; a hit raises that of the
other side, whose checker goes to the bar.

The plays of a triple depend on the other side by the one point that two of his checkers block,
and by the blots that are hit on the way. So for each triple and each blocked point the plays of
all rolls are listed once, each as the rank that it reaches and the bits of the points that it
touches: three of these bits tell in which row of the table the value of the play stands.

A value belongs to a pair of ranks, the side on roll first. With S the mean over the rolls of the
least value of the other side, who is then on roll, and b(x) = max(x, min(2 opponent, 1)) the
choice to double now,

    cubeless = -S(cubeless)        owned   = -S(opponent)        opponent = -S(b(owned))
    centred  = -S(b(centred))

With the Jacoby rule "centred" is the same, but finished games count 1 as long as the cube is in
the middle. With beavers too, a side that is worth less than 0 after being taken gets 4 opponent
instead of 2 opponent; elsewhere beavers change nothing, because there nobody doubles who is worth
less than 0 then.

Pairs are swept in blocks by the larger of their two ranks, first those in which the side on roll
has it, and written at once where they stand. Nearly all values that a play without a hit needs are
then of the same sweep, and only hits look back to the last one. Each change is stretched by
RELAXATION, which saves a third of the sweeps. Sums run in a fixed order and nothing is fused, so
every processor makes the same bits.

The five probabilities are those of the best cubeless plays, the first of equals, and come by the
same sweeps from those plays once the equities are known.
"""
import numpy as np

cimport cython
from libc.math cimport fabs, floor
from libc.string cimport memset

from bgcore._core.types cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t

from bgcore._core.board import check_boards
from bgcore.errors import TableError

cdef enum:
    MEN = 3
    PLACES = 26             # 0 off, the points, 25 the bar
    TRIPLES = 3276          # of three checkers
    ROLLS = 21
    PLANES = 8              # doubles of a value: one cache line
    MOST_PLAYS = 16         # of one roll that differ: 15 with a doublet, fewer without
    MOST_LEAVES = 128       # ends of all orders of the steps of one roll: 3 ** 4
    BLOCK = 64              # ranks that are swept together
    N_FIVE = 5
    N_MONEY = 5

    CUBELESS = 0
    OWNED = 1
    OPPONENT = 2
    CENTRED = 3
    JACOBY = 4
    BEAVER = 5

    PROBABILITY_ONE = 1073741824
    EQUITY_ONE = 536870912

# Found by trying: 1 takes half as many sweeps again, 1.3 does not settle with two checkers.
cdef double RELAXATION = 1.2

#: The tables that are kept hold whole numbers: this many are a probability of 1, or a point.
PROBABILITY_UNIT = PROBABILITY_ONE
EQUITY_UNIT = EQUITY_ONE

ctypedef struct play_t:
    uint32_t touched        # bits of the points where a step ended
    uint32_t after          # rank

ctypedef struct leaf_t:
    int men[MEN]
    uint32_t touched
    int used                # dice
    int first               # the die of a play that uses one


# ---- plays of one triple ----

cdef inline void _sort(int *men) noexcept nogil:
    if men[0] < men[1]:
        men[0], men[1] = men[1], men[0]
    if men[1] < men[2]:
        men[1], men[2] = men[2], men[1]
    if men[0] < men[1]:
        men[0], men[1] = men[1], men[0]


cdef inline bint _step(leaf_t *at, int i, int die, int block, leaf_t *out) noexcept nogil:
    """Move checker i of a sorted triple; False if that is illegal or a step from the same point."""
    cdef int point = at.men[i]
    cdef int goal = point - die
    if point == 0 or (i > 0 and point == at.men[i - 1]) or (at.men[0] == 25 and i > 0):
        return False
    if goal > 0:
        if goal == block:
            return False
    elif at.men[0] > 6 or (goal < 0 and i > 0):
        return False
    out[0] = at[0]
    out.men[i] = goal if goal > 0 else 0
    if goal > 0:
        out.touched |= <uint32_t>1 << goal
    _sort(out.men)
    if at.used == 0:
        out.first = die
    out.used += 1
    return True


cdef int _ends(leaf_t *start, const int *dice, int n_dice, int block, leaf_t *out) noexcept nogil:
    """All ends of playing dice in their order as far as that goes; MOST_LEAVES places."""
    # A stack that holds, for each depth, the position and the next checker to try.
    cdef leaf_t path[5]
    cdef int tried[5]
    cdef bint moved[5]
    cdef int depth = 0, n = 0
    path[0] = start[0]
    tried[0] = 0
    moved[0] = False
    while depth >= 0:
        if depth < n_dice and tried[depth] < MEN:
            tried[depth] += 1
            if _step(&path[depth], tried[depth] - 1, dice[depth], block, &path[depth + 1]):
                moved[depth] = True
                depth += 1
                tried[depth] = 0
                moved[depth] = False
            continue
        if not moved[depth]:
            out[n] = path[depth]
            n += 1
        depth -= 1
    return n


cdef int _plays(
    const int16_t *ranks, const uint8_t *men, int die1, int die2, int block, play_t *out
) noexcept nogil:
    """The distinct legal plays of a roll with die1 >= die2; one that changes nothing if none is."""
    cdef leaf_t leaves[2 * MOST_LEAVES]
    cdef leaf_t start
    cdef int dice[4]
    cdef int i, j, n, count = 0, most = 0, die = 0
    cdef play_t play
    memset(&start, 0, sizeof(leaf_t))
    for i in range(MEN):
        start.men[i] = men[i]
    if die1 == die2:
        dice[0] = dice[1] = dice[2] = dice[3] = die1
        n = _ends(&start, dice, 4, block, leaves)
    else:
        dice[0], dice[1] = die1, die2
        n = _ends(&start, dice, 2, block, leaves)
        dice[0], dice[1] = die2, die1
        n += _ends(&start, dice, 2, block, &leaves[n])
    for i in range(n):
        most = max(most, leaves[i].used)
    if most == 1 and die1 != die2:
        # only one of the dice can be played: the larger one if possible
        for i in range(n):
            die = max(die, leaves[i].first)
    for i in range(n):
        if leaves[i].used != most or (die and leaves[i].first != die):
            continue
        play.touched = leaves[i].touched
        play.after = ranks[
            (leaves[i].men[0] * PLACES + leaves[i].men[1]) * PLACES + leaves[i].men[2]]
        for j in range(count):
            if out[j].after == play.after and out[j].touched == play.touched:
                break
        else:
            out[count] = play
            count += 1
    return count


# ---- the solver ----

cdef inline void _least(double *best, const double *value) noexcept nogil:
    cdef int k
    for k in range(PLANES):
        best[k] = value[k] if value[k] < best[k] else best[k]


cdef inline int _hits(const play_t *play, const uint8_t *blots) noexcept nogil:
    """Bits of the blots that a play hits."""
    cdef uint32_t touched = play.touched
    return ((touched >> blots[0] & 1) | (touched >> blots[1] & 1) << 1
            | (touched >> blots[2] & 1) << 2)


cdef inline int32_t _fixed(double value, double one) noexcept nogil:
    return <int32_t>floor(value * one + 0.5)


cdef inline double _doubled(double equity, double opponent, bint beaver) noexcept nogil:
    """The value of a side that may double now."""
    cdef double taken = 2.0 * opponent
    if beaver and opponent < 0.0:
        taken = 4.0 * opponent
    if taken > 1.0:
        taken = 1.0
    return taken if taken > equity else equity


@cython.final
cdef class Solver:
    """All positions of a game, their plays and their values.

    `begin`, then `sweep` over all blocks until the changes are small, then `finish`; then
    `begin_five`, `sweep_five` until the changes are small, `finish_five`.

    Parameters
    ----------
    men : int
        Checkers of a side, 1 to 3.
    values : (n, n, 8) float64 array
        Zeros, or what another solver left; it is worked on in place. n is 26, 351 or 3,276.
        Indices: rank of the side on roll, rank of the other side, kind: cubeless, owned, opponent
        owned, centred, centred with the Jacoby rule, and with beavers too, all after the best
        choice to double or not; 6 and 7 are of no use.

    Raises
    ------
    TableError
        The number or the shape of the array is wrong.
    """
    cdef readonly int men
    cdef readonly int n
    cdef double[:, :, ::1] _values
    cdef int16_t _ranks[26 * 26 * 26]
    cdef uint8_t _men[3276][3]
    cdef uint32_t _own[3276]            # bits of the points that a triple holds
    cdef uint32_t _seen[3276]           # the same as the other side counts them
    cdef int _block[3276]               # the point, so counted, that two checkers hold; or 0
    cdef uint8_t _blots[3276][3]        # the points, so counted, of its blots; 0: no blot
    cdef int16_t _hit[3276][8]          # rank after the blots of three bits have been hit
    cdef uint8_t _worth[3276]           # points that the other side wins if it is off now
    cdef object _plays_array
    cdef play_t *_plays                 # all lists, one after the other
    cdef int64_t[:, ::1] _starts        # [block][rank]
    cdef uint8_t[:, :, ::1] _counts     # [block][rank][roll]
    cdef double _weights[21]

    def __cinit__(self, int men, double[:, :, ::1] values not None):
        if not 1 <= men <= MEN:
            raise TableError(f"Hypergammon is solved with 1 to 3 checkers a side, not {men}")
        self.men = men
        self._number()
        if values.shape[0] != self.n or values.shape[1] != self.n or values.shape[2] != PLANES:
            raise TableError(f"the values have the shape ({self.n}, {self.n}, {PLANES})")
        self._values = values
        self._list_plays()

    cdef void _number(self) noexcept:
        """Give the triples their ranks, and note what the other side sees of them."""
        cdef int a, b, c, i, h, rank = 0, off, n_blots
        cdef int men[3]
        for a in range(PLACES):
            for b in range(a + 1 if self.men > 1 else 1):
                for c in range(b + 1 if self.men > 2 else 1):
                    self._men[rank][0], self._men[rank][1], self._men[rank][2] = a, b, c
                    # any order finds the rank
                    self._ranks[(a * PLACES + b) * PLACES + c] = rank
                    self._ranks[(a * PLACES + c) * PLACES + b] = rank
                    self._ranks[(b * PLACES + a) * PLACES + c] = rank
                    self._ranks[(b * PLACES + c) * PLACES + a] = rank
                    self._ranks[(c * PLACES + a) * PLACES + b] = rank
                    self._ranks[(c * PLACES + b) * PLACES + a] = rank
                    rank += 1
        self.n = rank
        for rank in range(self.n):
            self._own[rank] = self._seen[rank] = 0
            self._block[rank] = 0
            off = n_blots = 0
            for i in range(MEN):
                self._blots[rank][i] = 0
            for i in range(MEN):
                a = self._men[rank][i]
                off += i < self.men and a == 0
                if not 0 < a < 25:
                    continue
                self._own[rank] |= <uint32_t>1 << a
                self._seen[rank] |= <uint32_t>1 << (25 - a)
                b = 0
                for c in range(MEN):
                    b += self._men[rank][c] == a
                if b > 1:
                    self._block[rank] = 25 - a
                else:
                    self._blots[rank][n_blots] = <uint8_t>(25 - a)
                    n_blots += 1
            for h in range(8):
                for i in range(MEN):
                    men[i] = self._men[rank][i]
                for c in range(MEN):
                    if h >> c & 1 and self._blots[rank][c]:
                        for i in range(MEN):
                            if men[i] == 25 - self._blots[rank][c]:
                                men[i] = 25
                self._hit[rank][h] = self._ranks[(men[0] * PLACES + men[1]) * PLACES + men[2]]
            self._worth[rank] = 1 if off else 3 if self._men[rank][0] > 18 else 2

    cdef int _list_plays(self) except -1:
        """List the plays of every triple, roll and blocked point."""
        cdef play_t found[MOST_PLAYS]
        cdef int block, rank, die1, die2, roll, i, n
        cdef int64_t total = 0, room
        cdef uint32_t[:, ::1] plays
        self._starts = np.zeros((25, self.n), np.int64)
        self._counts = np.zeros((25, self.n, ROLLS), np.uint8)
        room = <int64_t>25 * self.n * ROLLS * MOST_PLAYS
        self._plays_array = np.empty((room, 2), np.uint32)
        plays = self._plays_array
        self._plays = <play_t *>&plays[0, 0]
        roll = 0
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                self._weights[roll] = (1.0 if die1 == die2 else 2.0) / 36.0
                roll += 1
        with nogil:
            for block in range(25):
                for rank in range(self.n):
                    self._starts[block, rank] = total
                    if block and self._own[rank] >> block & 1:
                        continue
                    roll = 0
                    for die1 in range(1, 7):
                        for die2 in range(1, die1 + 1):
                            n = _plays(self._ranks, self._men[rank], die1, die2, block, found)
                            self._counts[block, rank, roll] = <uint8_t>n
                            roll += 1
                            for i in range(n):
                                self._plays[total] = found[i]
                                total += 1
        return 0

    @property
    def n_positions(self):
        """How many pairs of ranks are positions of unfinished games."""
        cdef int own, other
        cdef int64_t n = 0
        for own in range(1, self.n):
            for other in range(1, self.n):
                n += not self._own[own] & self._seen[other]
        return n

    @property
    def n_blocks(self):
        """How many blocks of pairs a sweep has."""
        return (self.n + BLOCK - 1) // BLOCK

    def begin(self):
        """Write the values of finished games."""
        cdef int own, k
        for own in range(1, self.n):
            for k in range(BEAVER + 1):
                self._values[own, 0, k] = -1.0 if k >= JACOBY else -<double>self._worth[own]

    def sweep(self, int first, int end):
        """Bring the values of the blocks first to end - 1 up to date.

        Returns
        -------
        float
            The largest change.
        """
        cdef int block
        cdef double change = 0.0
        self._check(first, end)
        with nogil:
            for block in range(first, end):
                change = max(change, self._sweep(block, NULL))
        return change

    cdef int _check(self, int first, int end) except -1:
        if not 0 <= first <= end <= self.n_blocks:
            raise TableError(f"blocks are 0 to {self.n_blocks - 1}, not {first} to {end - 1}")
        return 0

    cdef double _sweep(self, int block, const uint8_t *chosen) noexcept nogil:
        """Renew the pairs of a block, by chosen plays the probabilities; the largest change."""
        cdef int low = max(1, block * BLOCK)
        cdef int high = min(self.n, (block + 1) * BLOCK)
        cdef int own, other
        cdef double change = 0.0
        for other in range(1, high):
            for own in range(low, high):
                change = max(change, self._renew(own, other, chosen))
        for other in range(low, high):
            for own in range(1, low):
                change = max(change, self._renew(own, other, chosen))
        return change

    cdef inline double _renew(self, int own, int other, const uint8_t *chosen) noexcept nogil:
        """Give a pair its new value; the largest change."""
        cdef double new[PLANES]
        cdef double *old = &self._values[own, other, 0]
        cdef double change = 0.0
        cdef int k
        if self._own[own] & self._seen[other]:
            return 0.0
        if chosen != NULL:
            self._five_of(own, other, chosen + (<int64_t>own * self.n + other) * ROLLS, new)
        else:
            self._roll(own, other, new, NULL)
            new[OWNED] = _doubled(new[OWNED], new[OPPONENT], False)
            new[CENTRED] = _doubled(new[CENTRED], new[OPPONENT], False)
            new[JACOBY] = _doubled(new[JACOBY], new[OPPONENT], False)
            new[BEAVER] = _doubled(new[BEAVER], new[OPPONENT], True)
        for k in range(BEAVER + 1):
            change = max(change, fabs(new[k] - old[k]))
            old[k] += RELAXATION * (new[k] - old[k])
        return change

    cdef inline void _rows(self, int other, const double **rows) noexcept nogil:
        """Where the values begin after the other side's blots of three bits have been hit."""
        cdef int h
        for h in range(8):
            rows[h] = &self._values[self._hit[other][h], 0, 0]

    cdef inline void _roll(
        self, int own, int other, double *mean, uint8_t *chosen
    ) noexcept nogil:
        """What the side on roll has who does not double now; and the best cubeless plays."""
        cdef const play_t *play
        cdef const double *rows[8]
        cdef const double *value
        cdef double best[PLANES]
        cdef double total[PLANES]
        cdef int block = self._block[other]
        cdef const uint8_t *blots = self._blots[other]
        cdef int roll, i, k
        self._rows(other, rows)
        for k in range(PLANES):
            total[k] = 0.0
        play = self._plays + self._starts[block, own]
        for roll in range(ROLLS):
            for k in range(PLANES):
                best[k] = 4.0
            for i in range(self._counts[block, own, roll]):
                value = rows[_hits(play, blots)] + <int64_t>play.after * PLANES
                if chosen != NULL and value[CUBELESS] < best[CUBELESS]:
                    chosen[roll] = <uint8_t>i
                _least(best, value)
                play += 1
            for k in range(PLANES):
                total[k] += self._weights[roll] * best[k]
        for k in range(PLANES):
            mean[k] = -total[k]
        mean[OWNED], mean[OPPONENT] = mean[OPPONENT], mean[OWNED]

    cdef inline void _five_of(
        self, int own, int other, const uint8_t *chosen, double *five
    ) noexcept nogil:
        """The probabilities of the side on roll by chosen plays."""
        cdef const play_t *play
        cdef const play_t *best
        cdef const double *rows[8]
        cdef const double *value
        cdef double total[PLANES]
        cdef int block = self._block[other]
        cdef int roll, k
        self._rows(other, rows)
        for k in range(PLANES):
            total[k] = 0.0
        play = self._plays + self._starts[block, own]
        for roll in range(ROLLS):
            best = play + chosen[roll]
            value = rows[_hits(best, self._blots[other])] + <int64_t>best.after * PLANES
            for k in range(PLANES):
                total[k] += self._weights[roll] * value[k]
            play += self._counts[block, own, roll]
        five[0] = 1.0 - total[0]
        five[1], five[2], five[3], five[4] = total[3], total[4], total[1], total[2]
        five[5] = 0.0

    def finish(self, int32_t[:, :, ::1] money not None, uint8_t[:, :, ::1] chosen not None):
        """Write the equities of sides that do not double now, and the best cubeless plays.

        Parameters
        ----------
        money : (n, n, 5) int32 array
            Gets equities in units of 1 / EQUITY_UNIT: owned, centred, opponent owned, centred with
            the Jacoby rule, and with beavers too. Finished games too.
        chosen : (n, n, 21) uint8 array
            Gets the number of the best play of each roll.
        """
        cdef int own, other, k
        cdef double mean[PLANES]
        cdef const double *value
        cdef int *kept = [OWNED, CENTRED, OPPONENT, JACOBY, BEAVER]
        self._check_shape(money.shape[0], money.shape[1], money.shape[2], N_MONEY)
        self._check_shape(chosen.shape[0], chosen.shape[1], chosen.shape[2], ROLLS)
        with nogil:
            for other in range(self.n):
                for own in range(self.n):
                    if own and other and not self._own[own] & self._seen[other]:
                        self._roll(own, other, mean, &chosen[own, other, 0])
                        for k in range(N_MONEY):
                            money[own, other, k] = _fixed(mean[kept[k]], EQUITY_ONE)
                    elif own and not other:
                        value = &self._values[own, 0, 0]
                        for k in range(N_MONEY):
                            money[own, 0, k] = _fixed(value[kept[k]], EQUITY_ONE)
                            money[0, own, k] = _fixed(-value[kept[k]], EQUITY_ONE)

    def begin_five(self):
        """Write the probabilities of finished games, and 0 for all others, in place of values."""
        cdef int own
        self._values[:] = 0.0
        for own in range(1, self.n):
            self._values[own, 0, 3] = self._worth[own] > 1
            self._values[own, 0, 4] = self._worth[own] > 2

    def sweep_five(self, const uint8_t[:, :, ::1] chosen not None, int first, int end):
        """Bring the probabilities of the blocks first to end - 1 up to date.

        Parameters
        ----------
        chosen : (n, n, 21) uint8 array
            From `finish`.

        Returns
        -------
        float
            The largest change.
        """
        cdef int block
        cdef double change = 0.0
        self._check(first, end)
        self._check_shape(chosen.shape[0], chosen.shape[1], chosen.shape[2], ROLLS)
        with nogil:
            for block in range(first, end):
                change = max(change, self._sweep(block, &chosen[0, 0, 0]))
        return change

    def finish_five(self, int32_t[:, :, ::1] five not None):
        """Write the probabilities, those of finished games too.

        Parameters
        ----------
        five : (n, n, 5) int32 array
            Gets win, win gammon, win backgammon, lose gammon, lose backgammon of the side on roll,
            in units of 1 / PROBABILITY_UNIT.
        """
        cdef int own, other, k
        self._check_shape(five.shape[0], five.shape[1], five.shape[2], N_FIVE)
        with nogil:
            for own in range(self.n):
                for other in range(self.n):
                    for k in range(N_FIVE):
                        five[own, other, k] = _fixed(
                            self._values[own, other, k], PROBABILITY_ONE)
            for other in range(1, self.n):
                five[0, other, 0] = PROBABILITY_ONE
                five[0, other, 1], five[0, other, 2] = five[other, 0, 3], five[other, 0, 4]

    cdef int _check_shape(self, int64_t a, int64_t b, int64_t c, int last) except -1:
        if a != self.n or b != self.n or c != last:
            raise TableError(
                f"an array has the shape {(a, b, c)}; right is {(self.n, self.n, last)}")
        return 0


def ranks(boards, *, men=3):
    """Give the ranks of both sides of boards of a game with up to three checkers.

    Parameters
    ----------
    boards : (N, 26) array_like
        Possible boards; BoardError otherwise.
    men : int, default 3
        Checkers of a side, 1 to 3.

    Returns
    -------
    (N, 2) int32 array
        Of the side seen, and of the other one.
    """
    if not 1 <= men <= MEN:
        raise TableError(f"Hypergammon is solved with 1 to 3 checkers a side, not {men}")
    cdef const int8_t[:, ::1] cells = check_boards(boards, n_checkers=men)
    cdef int64_t row
    cdef int64_t n = cells.shape[0]
    cdef int n_men = men
    result = np.zeros((n, 2), np.int32)
    cdef int32_t[:, ::1] out = result
    with nogil:
        for row in range(n):
            out[row, 0] = _rank(&cells[row, 0], n_men, 1)
            out[row, 1] = _rank(&cells[row, 0], n_men, -1)
    return result


cdef int _rank(const int8_t *cells, int men, int side) noexcept nogil:
    """The rank of a side of a possible board: side 1 is the one seen, -1 the other."""
    cdef int place, left, rank = 0
    for place in range(25, 0, -1):
        left = side * cells[place if side > 0 else 25 - place]
        while left > 0:
            # how many triples begin with less: C(place + men - 1, men)
            if men == 3:
                rank += place * (place + 1) * (place + 2) // 6
            elif men == 2:
                rank += place * (place + 1) // 2
            else:
                rank += place
            men -= 1
            left -= 1
    return rank
