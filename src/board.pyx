"""Boards as numbers: one board (`BoardBase`) and batches of boards ((N, 26) int8 arrays)."""
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES, PyBUF_WRITABLE
from libc.string cimport memcmp, memcpy, memset

from bgcore._core.types cimport (
    BAR, N_CELLS, N_CHECKERS, N_PUBLIC, OFF, OPP_BAR, OPP_OFF, bit_low, board_t, int8_t, int32_t,
    uint8_t, uint32_t,
)

import operator

import numpy as np

from bgcore.errors import BoardError, IdError

MAX_CHECKERS = N_CHECKERS
STATUS_TEXTS = {
    STATUS_TOO_MANY: "too many checkers of the player on roll",
    STATUS_OPP_TOO_MANY: "too many checkers of the opponent",
    STATUS_BAR_SIGN: "the opponent's checkers on the bar of the player on roll (index 25 is < 0)",
    STATUS_OPP_BAR_SIGN: "checkers of the player on roll on the opponent's bar (index 0 is > 0)",
    STATUS_BOTH_OFF: "both sides have borne everything off",
    STATUS_BOTH_CLOSED_OUT: "both sides are on the bar behind closed boards",
}

cdef enum:
    KEY_BYTES = 10
    KEY_BITS = 80
    KEY_TOO_LONG = -1
    KEY_TRAILING = -2

# the buffer fields that every exported board shares
cdef Py_ssize_t _shape = N_PUBLIC
cdef Py_ssize_t _stride = 1
cdef char[2] _format = [98, 0]  # "b"


# ---- arrays ----

cdef object _as_int8(object cells, str name):
    """Turn what numpy can read into an int8 array where that is exact."""
    if isinstance(cells, np.ndarray):
        array = cells
        if isinstance(cells, np.ma.MaskedArray):
            raise BoardError(f"{name} is a masked array; fill in the masked cells first")
    else:
        try:
            array = np.asarray(cells)
        except (ValueError, TypeError, OverflowError) as error:
            raise BoardError(f"{name} cannot be read as an array of numbers: {error}") from None
    if array.dtype.kind not in "iuf":
        raise BoardError(
            f"{name} has dtype {array.dtype};"
            " right are int8, or other whole numbers from -128 to 127"
        )
    if array.ndim == 0 or array.shape[array.ndim - 1] != N_PUBLIC:
        raise BoardError(
            f"{name} has shape {array.shape}; the last dimension must be 26"
            " (0 the opponent's bar, 1-24 the points, 25 the own bar)"
        )
    if array.dtype != np.int8:
        bad = ~((array >= -128) & (array <= 127))
        if array.dtype.kind == "f":
            bad |= np.floor(array) != array
        if bad.any():
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            place = ", ".join(
                [f"row {i}" for i in where[:len(where) - 1]] + [f"index {where[len(where) - 1]}"]
            )
            raise BoardError(
                f"{name} holds {array[where]} at {place};"
                " a cell is a whole number of checkers from -128 to 127"
            )
    return np.ascontiguousarray(array, dtype=np.int8)


def as_boards(boards, *, str name="boards"):
    """Return boards as a C-contiguous (N, 26) int8 array.

    The array itself comes back if it has that form already; otherwise a new one is made if
    that is exact: other integers, floats that are whole numbers, other byte orders, strides
    and lists of boards. Only the form is checked, not the rules: see `check_boards`.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by the player on roll. N may be 0.
    name : str, default "boards"
        What error messages call them.

    Returns
    -------
    (N, 26) int8 array, C-contiguous

    Raises
    ------
    BoardError
        Wrong shape or dtype, or a cell that int8 cannot hold exactly; names the first.
    """
    if type(boards) is np.ndarray and boards.dtype == np.int8 and boards.flags.c_contiguous:
        array = boards
        if array.ndim == 2 and array.shape[1] == N_PUBLIC:
            return array
    array = _as_int8(boards, name)
    if array.ndim != 2:
        raise BoardError(
            f"{name} has {array.ndim} dimension(s), shape {array.shape}; (N, 26) is right"
        )
    return array


def _status_message(int flags):
    return "; ".join([text for flag, text in STATUS_TEXTS.items() if flags & flag])


cdef int _as_n_checkers(object n_checkers) except -1:
    """Check the rules' number of checkers of one side."""
    try:
        if isinstance(n_checkers, (bool, np.bool_)):
            raise TypeError
        number = operator.index(n_checkers)
    except TypeError:
        raise BoardError(
            f"n_checkers is {n_checkers!r}; it is a whole number from 1 to {MAX_CHECKERS}"
        ) from None
    if not 1 <= number <= MAX_CHECKERS:
        raise BoardError(f"n_checkers is {number}; it may be 1 to {MAX_CHECKERS}")
    return number


def check_boards(boards, *, n_checkers=N_CHECKERS, str name="boards"):
    """Return boards as `as_boards` does, after a check that each of them is possible.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by the player on roll.
    n_checkers : int, default 15
        Checkers of one side by the rules.
    name : str, default "boards"
        What error messages call them.

    Returns
    -------
    (N, 26) int8 array, C-contiguous

    Raises
    ------
    BoardError
        As `as_boards`; or a board is impossible: names the first and everything wrong with it.
    """
    array = as_boards(boards, name=name)
    cdef const int8_t[:, ::1] cells = array
    cdef Py_ssize_t i, n = cells.shape[0]
    cdef int limit = _as_n_checkers(n_checkers)
    cdef int flags = 0
    with nogil:
        for i in range(n):
            flags = board_status(&cells[i, 0], limit)
            if flags != 0:
                break
    if flags != 0:
        raise BoardError(f"{name}, row {i}: {_status_message(flags)}")
    return array


def statuses(boards, *, n_checkers=N_CHECKERS):
    """Tell what is wrong with each board.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by the player on roll.
    n_checkers : int, default 15
        Checkers of one side by the rules.

    Returns
    -------
    (N,) int32 array
        Sums of `bgcore.Status` flags; 0 where nothing is wrong.
    """
    cdef const int8_t[:, ::1] cells = as_boards(boards)
    cdef Py_ssize_t i, n = cells.shape[0]
    cdef int limit = _as_n_checkers(n_checkers)
    result = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] flags = result
    with nogil:
        for i in range(n):
            flags[i] = board_status(&cells[i, 0], limit)
    return result


def swap_boards(boards):
    """Return the boards seen by the other side.

    Index i goes to 25 - i and every sign changes. The form is checked, not the rules.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by one side.

    Returns
    -------
    (N, 26) int8 array
        A new array.

    Raises
    ------
    BoardError
        As `as_boards`; or a cell is -128, which has no opposite in int8.
    """
    cdef const int8_t[:, ::1] cells = as_boards(boards)
    cdef Py_ssize_t i, n = cells.shape[0]
    cdef int j, lowest = 0
    result = np.empty((n, N_PUBLIC), dtype=np.int8)
    cdef int8_t[:, ::1] out = result
    with nogil:
        for i in range(n):
            for j in range(N_PUBLIC):
                lowest = min(lowest, <int>cells[i, j])
                out[i, j] = <int8_t>-cells[i, N_PUBLIC - 1 - j]
    if lowest == -128:
        raise BoardError("a cell is -128; the other side cannot have 128 checkers in int8")
    return result


def pips(boards):
    """Return the pip counts of both sides.

    The form of the boards is checked, not the rules.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by the player on roll.

    Returns
    -------
    (N, 2) int32 array
        Pips to bear everything off: the player on roll, the opponent. A checker on the bar
        counts 25, a checker borne off 0.
    """
    cdef const int8_t[:, ::1] cells = as_boards(boards)
    cdef Py_ssize_t i, n = cells.shape[0]
    cdef int j, count, own, opp
    result = np.empty((n, 2), dtype=np.int32)
    cdef int32_t[:, ::1] out = result
    with nogil:
        for i in range(n):
            own = opp = 0
            for j in range(N_PUBLIC):
                count = cells[i, j]
                own += j * max(count, 0)
                opp -= (BAR - j) * min(count, 0)
            out[i, 0] = own
            out[i, 1] = opp
    return result


def phases(boards):
    """Return the phase of each board.

    The form of the boards is checked, not the rules.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by the player on roll.

    Returns
    -------
    (N,) int8 array
        Values of `bgcore.Phase`: 0 over, 1 bear-off, 2 race, 3 contact.
    """
    cdef const int8_t[:, ::1] cells = as_boards(boards)
    cdef Py_ssize_t i, n = cells.shape[0]
    cdef board_t b
    result = np.empty(n, dtype=np.int8)
    cdef int8_t[::1] out = result
    with nogil:
        for i in range(n):
            board_from_public(&cells[i, 0], N_CHECKERS, &b)
            out[i] = <int8_t>board_phase(&b)
    return result


def values(boards, *, n_checkers=N_CHECKERS):
    """Return the points of finished games.

    The form of the boards is checked, not the rules.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by the player on roll.
    n_checkers : int, default 15
        Checkers of one side by the rules: a loser who still has all of them lost a gammon.

    Returns
    -------
    (N,) int8 array
        Points won by the player on roll: 1 single game, 2 gammon, 3 backgammon, negative if
        the opponent won; 0 while the game goes on.
    """
    cdef const int8_t[:, ::1] cells = as_boards(boards)
    cdef Py_ssize_t i, n = cells.shape[0]
    cdef int limit = _as_n_checkers(n_checkers)
    cdef board_t b
    result = np.empty(n, dtype=np.int8)
    cdef int8_t[::1] out = result
    with nogil:
        for i in range(n):
            board_from_public(&cells[i, 0], limit, &b)
            out[i] = <int8_t>board_value(&b)
    return result


# ---- position keys ----

cdef int _write_key(const int8_t *cells, uint8_t *key) noexcept nogil:
    """Fill the 10 bytes of GNU's key. Returns 0 if the board needs more than 80 bits."""
    cdef int side, point, count, bit = 0
    memset(key, 0, KEY_BYTES)
    for side in range(2):
        for point in range(1, BAR + 1):
            # the side that is not on roll comes first, in its own numbering
            count = -cells[BAR - point] if side == 0 else cells[point]
            while count > 0 and bit < KEY_BITS:
                key[bit >> 3] |= <uint8_t>(1 << (bit & 7))
                count -= 1
                bit += 1
            bit += 1
    return bit <= KEY_BITS


cdef int _read_key(const uint8_t *key, int8_t *cells) noexcept nogil:
    """Read the 10 bytes of GNU's key into 26 cells.

    Returns 0; or KEY_TOO_LONG, KEY_TRAILING; or a point (1-24) that both sides hold.
    """
    cdef int side, point, bit = 0
    memset(cells, 0, N_PUBLIC)
    for side in range(2):
        for point in range(1, BAR + 1):
            while bit < KEY_BITS and key[bit >> 3] >> (bit & 7) & 1:
                if side == 0:
                    cells[BAR - point] -= 1
                elif cells[point] < 0:
                    return point
                else:
                    cells[point] += 1
                bit += 1
            if bit >= KEY_BITS:
                return KEY_TOO_LONG
            bit += 1
    while bit < KEY_BITS:
        if key[bit >> 3] >> (bit & 7) & 1:
            return KEY_TRAILING
        bit += 1
    return 0


def position_keys(boards):
    """Return GNU's position keys.

    Parameters
    ----------
    boards : (N, 26) array_like
        Boards seen by the player on roll.

    Returns
    -------
    (N, 10) uint8 array
        80 bits, low bit first: for the side not on roll and then the side on roll, for the
        points 1-24 and the bar in that side's own numbering, a 1 for each checker and a 0.

    Raises
    ------
    BoardError
        As `check_boards`.
    """
    cdef const int8_t[:, ::1] cells = check_boards(boards)
    cdef Py_ssize_t i, n = cells.shape[0]
    result = np.empty((n, KEY_BYTES), dtype=np.uint8)
    cdef uint8_t[:, ::1] keys = result
    with nogil:
        for i in range(n):
            _write_key(&cells[i, 0], &keys[i, 0])
    return result


def read_position_key(bytes key not None):
    """Return the 26 cells that a GNU position key tells of.

    Parameters
    ----------
    key : bytes
        The 10 bytes, see `position_keys`.

    Returns
    -------
    (26,) int8 array
        Seen by the player on roll. The numbers of checkers are not checked.

    Raises
    ------
    IdError
        The key has another length, ends too early or too late, or puts both sides on one point.
    """
    if len(key) != KEY_BYTES:
        raise IdError(f"the length of the position key is {len(key)}; {KEY_BYTES} bytes are right")
    result = np.empty(N_PUBLIC, dtype=np.int8)
    cdef int8_t[::1] cells = result
    cdef const uint8_t *raw = key
    cdef int fault = _read_key(raw, &cells[0])
    if fault == KEY_TOO_LONG:
        raise IdError("more checkers than 80 bits can hold: at most 15 of each side are right")
    if fault == KEY_TRAILING:
        raise IdError("bits are set behind the last field; they must be 0")
    if fault != 0:
        raise IdError(
            f"both sides have checkers on one point (point {fault} of the player on roll)"
        )
    return result


def read_position_keys(keys):
    """Return the boards that many GNU position keys tell of.

    Parameters
    ----------
    keys : (N, 10) uint8 array
        See `position_keys`.

    Returns
    -------
    boards : (N, 26) int8 array
        Seen by the players on roll. The numbers of checkers are not checked.
    is_bad : (N,) bool array
        The keys that `read_position_key` would refuse; their boards mean nothing.

    Raises
    ------
    IdError
        The array has another shape or dtype.
    """
    array = np.ascontiguousarray(keys)
    if array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != KEY_BYTES:
        raise IdError(
            f"the keys have shape {array.shape} and dtype {array.dtype}; right are"
            f" (N, {KEY_BYTES}) and uint8"
        )
    cdef const uint8_t[:, ::1] raw = array
    cdef Py_ssize_t i, n = raw.shape[0]
    boards = np.empty((n, N_PUBLIC), dtype=np.int8)
    is_bad = np.empty(n, dtype=np.bool_)
    cdef int8_t[:, ::1] cells = boards
    cdef uint8_t[::1] bad = is_bad.view(np.uint8)
    with nogil:
        for i in range(n):
            bad[i] = _read_key(&raw[i, 0], &cells[i, 0]) != 0
    return boards, is_bad


# ---- one board ----

cdef object _RAW = object()


cdef class BoardBase:
    """Checkers of both sides, seen by the player on roll. Immutable.

    The cells are 26 numbers: index 1-24 the points as that player counts them, 25 his bar,
    0 the opponent's bar. His checkers are positive, the opponent's negative (index 0 too).
    What is missing from the rules' number of checkers is borne off.

    Parameters
    ----------
    cells : BoardBase or (26,) array_like
        The 26 numbers; converted to int8 where that is exact.
    n_checkers : int, default 15
        Checkers of one side by the rules, 1 to 15.
    check : bool, default True
        Refuse impossible boards. Without it `status` tells what is wrong.

    Raises
    ------
    BoardError
        Wrong shape, dtype or number; or an impossible board, naming everything wrong with it.
    """

    def __cinit__(self, cells, *, n_checkers=N_CHECKERS, bint check=True):
        if cells is _RAW:
            return
        cdef const int8_t[::1] view
        cdef int i, own = 0, opp = 0, flags
        self.n_checkers = _as_n_checkers(n_checkers)
        if isinstance(cells, BoardBase):
            memcpy(self._cells, (<BoardBase>cells)._cells, N_PUBLIC)
        else:
            array = _as_int8(cells, "the board")
            if array.ndim != 1:
                raise BoardError(f"the board has shape {array.shape}; (26,) is right")
            view = array
            memcpy(self._cells, &view[0], N_PUBLIC)
        if check:
            flags = board_status(self._cells, self.n_checkers)
            if flags != 0:
                raise BoardError(f"impossible board: {_status_message(flags)}")
        for i in range(N_PUBLIC):
            if self._cells[i] > 0:
                own += self._cells[i]
            else:
                opp -= self._cells[i]
        # an impossible board may hold too many; then nothing is borne off
        self._cells[OFF] = <int8_t>max(self.n_checkers - own, 0)
        self._cells[OPP_OFF] = <int8_t>min(opp - self.n_checkers, 0)

    cdef void load(self, board_t *out) noexcept nogil:
        memset(out, 0, sizeof(board_t))
        memcpy(out, self._cells, N_CELLS)

    # -- as a Python value --

    def __reduce__(self):
        return _restore, (type(self), self._bytes(), self.n_checkers)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __eq__(self, other):
        if not isinstance(other, BoardBase):
            return NotImplemented
        return (
            memcmp(self._cells, (<BoardBase>other)._cells, N_CELLS) == 0
            and self.n_checkers == (<BoardBase>other).n_checkers
        )

    def __hash__(self):
        return hash((self._bytes(), self.n_checkers))

    def __len__(self):
        return N_PUBLIC

    def __getitem__(self, index):
        try:
            i = operator.index(index)
        except TypeError:
            raise TypeError(f"the index of a cell is a whole number, not {index!r}") from None
        if not 0 <= i < N_PUBLIC:
            raise IndexError(f"there is no cell {i}; cells are 0 to {N_PUBLIC - 1}")
        return self._cells[<int>i]

    def __iter__(self):
        return iter(self.to_list())

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("a board is immutable; its buffer is read-only")
        buffer.buf = <void *>self._cells
        buffer.obj = self
        buffer.len = N_PUBLIC
        buffer.itemsize = 1
        buffer.readonly = 1
        buffer.ndim = 1
        buffer.format = _format if flags & PyBUF_FORMAT else NULL
        buffer.shape = &_shape if flags & PyBUF_ND else NULL
        buffer.strides = &_stride if flags & PyBUF_STRIDES == PyBUF_STRIDES else NULL
        buffer.suboffsets = NULL
        buffer.internal = NULL

    cdef bytes _bytes(self):
        return (<const char *>self._cells)[:N_PUBLIC]

    # -- other forms --

    def to_list(self):
        """Return the 26 cells as a list of int."""
        cdef int i
        return [self._cells[i] for i in range(N_PUBLIC)]

    def to_array(self):
        """Return the 26 cells as a new (26,) int8 array."""
        return np.array(self, dtype=np.int8)

    def position_key(self):
        """Return the 10 bytes of GNU's position key, see `position_keys`.

        Raises
        ------
        BoardError
            The board is impossible.
        """
        cdef uint8_t key[10]
        cdef int flags = board_status(self._cells, self.n_checkers)
        if flags != 0:
            raise BoardError(f"an impossible board has no key: {_status_message(flags)}")
        _write_key(self._cells, key)
        return (<const char *>key)[:KEY_BYTES]

    def swapped(self):
        """Return the same board seen by the other side.

        Raises
        ------
        BoardError
            A cell is -128, which has no opposite in int8.
        """
        cdef BoardBase result = type(self).__new__(type(self), _RAW)
        cdef int i
        for i in range(N_PUBLIC):
            if self._cells[i] == -128:
                raise BoardError("a cell is -128; the other side cannot have 128 checkers in int8")
            result._cells[i] = <int8_t>-self._cells[N_PUBLIC - 1 - i]
        result._cells[OFF] = <int8_t>-self._cells[OPP_OFF]
        result._cells[OPP_OFF] = <int8_t>-self._cells[OFF]
        result.n_checkers = self.n_checkers
        return result

    # -- numbers --

    @property
    def pips(self):
        """Pips that the player on roll needs to bear off everything."""
        cdef board_t b
        self.load(&b)
        return board_pips(&b)

    @property
    def opponent_pips(self):
        """Pips that the opponent needs to bear off everything."""
        cdef board_t b
        self.load(&b)
        return board_opp_pips(&b)

    @property
    def off(self):
        """Checkers that the player on roll has borne off."""
        return self._cells[OFF]

    @property
    def opponent_off(self):
        """Checkers that the opponent has borne off."""
        return -self._cells[OPP_OFF]

    @property
    def bar(self):
        """Checkers of the player on roll on the bar."""
        return self._cells[BAR]

    @property
    def opponent_bar(self):
        """Checkers of the opponent on the bar."""
        return -self._cells[OPP_BAR]

    @property
    def blots(self):
        """Points with a single checker of the player on roll, from low to high."""
        cdef board_t b
        self.load(&b)
        return _points(board_blots(&b))

    @property
    def opponent_blots(self):
        """Points with a single checker of the opponent, as the player on roll counts them."""
        cdef board_t b
        self.load(&b)
        return _points(board_opp_blots(&b))

    @property
    def made_points(self):
        """Points with two or more checkers of the player on roll, from low to high."""
        cdef board_t b
        self.load(&b)
        return _points(board_made(&b))

    @property
    def anchors(self):
        """Made points in the opponent's home board (19-24), from low to high."""
        cdef board_t b
        self.load(&b)
        return _points(board_made(&b) & MASK_OPP_HOME)

    @property
    def value(self):
        """Points of a finished game for the player on roll: 1, 2, 3, -1, -2, -3; else 0."""
        cdef board_t b
        self.load(&b)
        return board_value(&b)

    def phase_number(self):
        """Return the phase as a number, see `phases`."""
        cdef board_t b
        self.load(&b)
        return board_phase(&b)

    def status_flags(self):
        """Return what is wrong as a sum of flags, see `statuses`."""
        return board_status(self._cells, self.n_checkers)


cdef tuple _points(uint32_t bits):
    cdef list result = []
    while bits != 0:
        result.append(bit_low(bits))
        bits &= bits - 1
    return tuple(result)


def _restore(cls, bytes cells not None, n_checkers):
    # pickles may hold boards made with check=False
    if not issubclass(cls, BoardBase) or len(cells) != N_PUBLIC:
        raise BoardError("this is not a pickled board")
    return cls(np.frombuffer(cells, dtype=np.int8), n_checkers=n_checkers, check=False)
