"""Dice streams: the tables, rolls in bulk, and the Python type."""
import operator

import numpy as np

from bgcore.errors import DiceError

from bgcore._core.types cimport int64_t, uint8_t, uint32_t, uint64_t

cdef enum:
    LANES = 16  # draws of 16 bits in one Philox block

cdef uint8_t FACES[36][2]
for _r in range(36):
    FACES[_r][0] = <uint8_t>(_r // 6 + 1)
    FACES[_r][1] = <uint8_t>(_r % 6 + 1)


cdef int dice_draw_again(
    const dice_t *d, uint64_t index, int ply, int domain, uint32_t n,
) noexcept nogil:
    cdef philox_t bits
    cdef uint64_t attempt = 1
    cdef int i, r
    while True:
        philox(index, <uint64_t>ply, attempt, <uint64_t>domain, d.key[0], d.key[1], &bits)
        for i in range(LANES):
            r = dice_bounded(dice_lane(&bits, i), n)
            if r >= 0:
                return r
        attempt += 1


cdef void dice_rolls(
    const dice_t *d, uint64_t trial, int ply, int n, uint8_t *rolls,
) noexcept nogil:
    cdef philox_t bits
    cdef int64_t at = ply  # the end may be 2**31
    cdef int domain = DICE_SHIFT if d.stratified else DICE_ROLL
    cdef int64_t first_drawn = DICE_ARRAY_PLIES if d.stratified else (1 if d.opening else 0)
    cdef uint64_t index = trial // <uint64_t>d.block
    cdef uint64_t place = trial % <uint64_t>d.block
    cdef int64_t end = at + n
    cdef int64_t stop
    cdef int r
    while at < end and at < first_drawn:
        rolls[0] = <uint8_t>dice_roll(d, trial, <int>at)
        rolls += 1
        at += 1
    while at < end:
        philox(index, <uint64_t>(at >> 4), 0, <uint64_t>domain, d.key[0], d.key[1], &bits)
        stop = min(end, (at | (LANES - 1)) + 1)
        while at < stop:
            r = dice_bounded(dice_lane(&bits, <int>(at & (LANES - 1))), 36)
            if r < 0:
                r = dice_draw_again(d, index, <int>at, domain, 36)
            if d.stratified:
                r = d.order[at % DICE_TABLES][(place + <uint64_t>r) % 36]
            rolls[0] = <uint8_t>r
            rolls += 1
            at += 1


cdef void _shuffle(const dice_t *d, uint64_t table, uint8_t *values, int n) noexcept nogil:
    """Fisher-Yates. Table numbers 0-127 are the permutations, 128 the opening rolls."""
    cdef philox_t bits
    cdef int i, j
    for i in range(n - 1, 0, -1):
        if i == n - 1 or (i & (LANES - 1)) == LANES - 1:
            philox(table, <uint64_t>(i >> 4), 0, DICE_ORDER, d.key[0], d.key[1], &bits)
        j = dice_bounded(dice_lane(&bits, i & (LANES - 1)), <uint32_t>(i + 1))
        if j < 0:
            j = dice_draw_again(d, table, i, DICE_ORDER, <uint32_t>(i + 1))
        values[i], values[j] = values[j], values[i]


cdef inline int _ring_sum(int x, int y) noexcept nogil:
    """Element x = 9 a + 3 b1 + b0: a of GF(4), two bits; b1 i + b0 of GF(9), with i * i = -1."""
    cdef int b = x % 9
    cdef int e = y % 9
    return 9 * (x // 9 ^ y // 9) + 3 * ((b // 3 + e // 3) % 3) + (b + e) % 3


cdef inline int _ring_product(int x, int y) noexcept nogil:
    cdef int a = x // 9
    cdef int d = y // 9
    cdef int b1 = x % 9 // 3
    cdef int b0 = x % 3
    cdef int e1 = y % 9 // 3
    cdef int e0 = y % 3
    cdef int high = 0
    # GF(4): the non-zero elements 1, 2, 3 are powers 0, 1, 2 of 2
    if a and d:
        high = (a + d - 2) % 3 + 1
    return 9 * high + 3 * ((b1 * e0 + b0 * e1) % 3) + (b0 * e0 + 2 * b1 * e1) % 3


cdef void dice_init(
    dice_t *d, uint64_t key0, uint64_t key1, int stratified, int opening,
) noexcept nogil:
    """Fill the struct. Key 0 is the low word of the seed."""
    cdef int i, table
    d.key[0] = key0
    d.key[1] = key1
    d.stratified = stratified
    d.opening = opening
    d.block = 1 if not stratified else 30 if opening else 36
    for table in range(DICE_TABLES):
        for i in range(36):
            d.order[table][i] = <uint8_t>i
        _shuffle(d, <uint64_t>table, d.order[table], 36)
    for i in range(36):
        d.first[i] = d.order[0][i]
        for table in range(36):
            d.sum[table][i] = <uint8_t>_ring_sum(table, i)
        # c(p): 0, 1, 2 and 3 of GF(4) with 0, 1, 2 and i of GF(9)
        for table in range(DICE_ARRAY_PLIES):
            d.product[table][i] = <uint8_t>_ring_product(10 * table, i)
    if opening:
        for i in range(30):
            d.first[i] = <uint8_t>dice_not_double(i)
        _shuffle(d, DICE_TABLES, d.first, 30)


cdef object _integer(object value, object limit, str what):
    """A whole number of 0 ... limit - 1, or DiceError. Booleans and floats are refused."""
    if isinstance(value, (bool, np.bool_)):
        raise DiceError(f"the {what} must be a whole number, not {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise DiceError(f"the {what} must be a whole number, not {value!r}") from None
    if not 0 <= number < limit:
        raise DiceError(f"the {what} must be 0 to 2**{limit.bit_length() - 1} - 1, not {number}")
    return number


cdef object _numbers(object value, object limit, str what):
    """A count, or a range or sequence of whole numbers, as an int64 array."""
    if isinstance(value, range) and len(value) > 0:
        _integer(value[0], limit, what)
        _integer(value[-1], limit, what)
        return np.arange(value.start, value.stop, value.step, dtype=np.int64)
    if not isinstance(value, (bool, np.bool_)) and hasattr(value, "__index__") \
            and not isinstance(value, np.ndarray):
        return np.arange(_integer(value, limit, f"number of {what} numbers"), dtype=np.int64)
    array = np.asarray(value)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise DiceError(
            f"{what} numbers must be a count or a one-dimensional sequence of whole numbers"
        )
    if array.size:
        _integer(array.min(), limit, what)
        _integer(array.max(), limit, what)
    return np.ascontiguousarray(array, dtype=np.int64)


cdef object _pairs(object plies, Py_ssize_t n):
    """Ply numbers, one for each of n trials, as an int64 array."""
    numbers = _numbers(plies, 1 << 31, "ply")
    if len(numbers) != n:
        raise DiceError(f"{n} trials need as many plies, not {len(numbers)}")
    return numbers


cdef class DiceStream:
    """Dice that depend on the seed, the trial and the ply, and on nothing else.

    Parameters
    ----------
    seed : int or numpy.random.SeedSequence
        0 <= seed < 2**128. A SeedSequence gives 128 bits of its state.
    stratified : bool, default True
        Spread the rolls evenly: 36 trials from a multiple of 36 show every roll once at every
        ply, 1,296 every pair of rolls at any two of the first four plies, 46,656 every triple at
        any three of them. False: independent draws.
    opening : bool, default False
        The first roll is never a double, as at the start of a game. Stratified, 30 trials from
        a multiple of 30 show each of the 30 first rolls once, 1,080 every pair of it and the
        roll of ply 1, 2 or 3, 38,880 every triple of it and two of them; at later plies 30 trials
        show 30 different rolls.

    Raises
    ------
    DiceError
        The seed is not such a number.

    Notes
    -----
    The rolls of one trial are uniform and independent of each other, stratified or not.
    Generator: Philox4x64-10 with the seed as key, no bias in the draws (`src/dice.pxd`).
    Trials are 0 to 2**63 - 1, plies 0 to 2**31 - 1. Immutable, picklable.

    Examples
    --------
    >>> dice = DiceStream(1)
    >>> dice.roll(0, 0) == dice.roll(0, 0)
    True
    >>> sorted({dice.roll(t, 7) for t in range(36)})[:3]
    [(1, 1), (1, 2), (1, 3)]
    """

    def __cinit__(self, seed, stratified=True, opening=False):
        if isinstance(seed, np.random.SeedSequence):
            low, high = (int(word) for word in seed.generate_state(2, np.uint64))
            seed = low | high << 64
        for name, flag in (("stratified", stratified), ("opening", opening)):
            if not isinstance(flag, (bool, np.bool_)):
                raise DiceError(f"{name} must be True or False, not {flag!r}")
        number = _integer(seed, 1 << 128, "seed")
        cdef uint64_t low_word = number & 0xFFFFFFFFFFFFFFFF
        cdef uint64_t high_word = number >> 64
        dice_init(&self.dice, low_word, high_word, bool(stratified), bool(opening))

    @property
    def seed(self):
        """The seed, an int: 0 <= seed < 2**128."""
        return int(self.dice.key[0]) | int(self.dice.key[1]) << 64

    @property
    def stratified(self):
        """Whether the rolls are spread evenly over the trials."""
        return bool(self.dice.stratified)

    @property
    def opening(self):
        """Whether the first roll is never a double."""
        return bool(self.dice.opening)

    @property
    def block(self):
        """Trials that share a stratum, from a multiple of it: 36, 30 (opening) or 1 (plain)."""
        return self.dice.block

    def roll(self, trial, ply):
        """Give the two dice of a ply of a trial.

        Parameters
        ----------
        trial : int
            0 <= trial < 2**63.
        ply : int
            0 <= ply < 2**31; 0 is the first roll.

        Returns
        -------
        (int, int)
            1 to 6 each.

        Raises
        ------
        DiceError
            A number is out of range or not a whole number.
        """
        cdef uint64_t t = _integer(trial, 1 << 63, "trial")
        cdef int p = _integer(ply, 1 << 31, "ply")
        cdef int r = dice_roll(&self.dice, t, p)
        return r // 6 + 1, r % 6 + 1

    def rolls(self, trials, plies):
        """Give the dice of many trials and plies.

        Parameters
        ----------
        trials, plies : int, range or one-dimensional integer array
            Which ones; a count n means 0 to n - 1.

        Returns
        -------
        (T, P, 2) uint8 array
            Dice 1 to 6; `rolls(trials, plies)[i, j]` is `roll(trials[i], plies[j])`.

        Raises
        ------
        DiceError
            A number is out of range or not a whole number.

        Notes
        -----
        Plies that follow each other cost least: 16 of them share one call of the generator.
        """
        cdef const int64_t[::1] t = _numbers(trials, 1 << 63, "trial")
        cdef const int64_t[::1] p = _numbers(plies, 1 << 31, "ply")
        cdef Py_ssize_t n_trials = t.shape[0]
        cdef Py_ssize_t n_plies = p.shape[0]
        faces = np.empty((n_trials, n_plies, 2), dtype=np.uint8)
        if n_trials == 0 or n_plies == 0:
            return faces
        cdef uint8_t[:, :, ::1] out = faces
        cdef uint8_t rolls[64]
        cdef Py_ssize_t i, j, k, run
        with nogil:
            for i in range(n_trials):
                j = 0
                while j < n_plies:
                    run = 1
                    while j + run < n_plies and run < 64 and p[j + run] == p[j] + run:
                        run += 1
                    dice_rolls(&self.dice, <uint64_t>t[i], <int>p[j], <int>run, rolls)
                    for k in range(run):
                        out[i, j + k, 0] = FACES[rolls[k]][0]
                        out[i, j + k, 1] = FACES[rolls[k]][1]
                    j += run
        return faces

    def bits(self, trial, ply, purpose=0):
        """Give 64 random bits of a ply of a trial that have nothing to do with the dice.

        Parameters
        ----------
        trial, ply : int
            As in `roll`.
        purpose : int, default 0
            0 <= purpose < 2**30; each has bits of its own.

        Returns
        -------
        int
            0 to 2**64 - 1.
        """
        cdef uint64_t t = _integer(trial, 1 << 63, "trial")
        cdef int p = _integer(ply, 1 << 31, "ply")
        cdef int what = _integer(purpose, 1 << 30, "purpose")
        return dice_bits(&self.dice, t, p, what)

    def rolls_at(self, trials, plies):
        """Give the dice of many pairs of a trial and a ply.

        Parameters
        ----------
        trials, plies : (N,) integer array_like
            Pair i is (trials[i], plies[i]).

        Returns
        -------
        (N, 2) uint8 array
            Dice 1 to 6; row i is `roll(trials[i], plies[i])`.

        Raises
        ------
        DiceError
            A number is out of range or not a whole number, or there are not as many plies as
            trials.
        """
        cdef const int64_t[::1] t = _numbers(trials, 1 << 63, "trial")
        cdef const int64_t[::1] p = _pairs(plies, t.shape[0])
        cdef Py_ssize_t i, n = t.shape[0]
        cdef int r
        faces = np.empty((n, 2), dtype=np.uint8)
        cdef uint8_t[:, ::1] out = faces
        with nogil:
            for i in range(n):
                r = dice_roll(&self.dice, <uint64_t>t[i], <int>p[i])
                out[i, 0] = FACES[r][0]
                out[i, 1] = FACES[r][1]
        return faces

    def bits_at(self, trials, plies, purpose=0):
        """Give 64 random bits for each of many pairs of a trial and a ply.

        Parameters
        ----------
        trials, plies : (N,) integer array_like
            Pair i is (trials[i], plies[i]).
        purpose : int, default 0
            As in `bits`.

        Returns
        -------
        (N,) uint64 array
            Entry i is `bits(trials[i], plies[i], purpose)`.

        Raises
        ------
        DiceError
            As `rolls_at`.
        """
        cdef const int64_t[::1] t = _numbers(trials, 1 << 63, "trial")
        cdef const int64_t[::1] p = _pairs(plies, t.shape[0])
        cdef int what = _integer(purpose, 1 << 30, "purpose")
        cdef Py_ssize_t i, n = t.shape[0]
        words = np.empty(n, dtype=np.uint64)
        cdef uint64_t[::1] out = words
        with nogil:
            for i in range(n):
                out[i] = dice_bits(&self.dice, <uint64_t>t[i], <int>p[i], what)
        return words

    def __eq__(self, other):
        if not isinstance(other, DiceStream):
            return NotImplemented
        return self._key() == (<DiceStream>other)._key()

    def __hash__(self):
        return hash(self._key())

    def _key(self):
        return self.seed, self.stratified, self.opening

    def __reduce__(self):
        return DiceStream, self._key()

    def __repr__(self):
        return (
            f"DiceStream({self.seed}, stratified={self.stratified}, opening={self.opening})"
        )


def philox_words(counter, key):
    """Give the four output words of Philox4x64-10, for comparison with other libraries.

    Parameters
    ----------
    counter : int
        0 <= counter < 2**256.
    key : int
        0 <= key < 2**128.

    Returns
    -------
    tuple of 4 int
    """
    counter = _integer(counter, 1 << 256, "counter")
    key = _integer(key, 1 << 128, "key")
    cdef uint64_t words[6]
    cdef philox_t out
    for i in range(4):
        words[i] = (counter >> (64 * i)) & 0xFFFFFFFFFFFFFFFF
    for i in range(2):
        words[4 + i] = (key >> (64 * i)) & 0xFFFFFFFFFFFFFFFF
    philox(words[0], words[1], words[2], words[3], words[4], words[5], &out)
    return out.w[0], out.w[1], out.w[2], out.w[3]


def bounded(bits, n):
    """Map 16 random bits to 0 ... n - 1 as the streams do; None: they would draw again.

    Parameters
    ----------
    bits : int
        0 <= bits < 2**16.
    n : int
        1 <= n <= 256.

    Returns
    -------
    int or None
    """
    number = _integer(n, 257, "bound")
    if number == 0:
        raise DiceError("the bound must be at least 1")
    cdef int r = dice_bounded(_integer(bits, 1 << 16, "16 bits"), number)
    return None if r < 0 else r
