"""Self-play and gradient steps of the trainer. See bgcore/training.py for the whole of it.

A game depends on (seed, game number, net, lambda) alone and games are stored in the order of their
numbers, so how they are spread over threads changes nothing. Gradients are summed in the order of
the samples by one thread.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from bgcore._core.bearoff cimport bearoff_five_after
from bgcore._core.board cimport (
    board_from_public, board_opp, board_own, board_swap, board_value,
)
from bgcore._core.dice cimport dice_bits, dice_init, dice_roll, dice_t
from bgcore._core.evaluator cimport (
    Evaluator, evaluator_best_fives, evaluator_best_play, evaluator_five_after, evaluator_t,
)
from bgcore._core.movegen cimport generate_boards
from bgcore._core.network cimport (
    AnyRollNet, LUCK_HEADS, LUCK_HIDDEN, LUCK_OUTPUTS, LUCK_PAIRS, LUCK_WIDTH, NET_CELLS, NET_HEADS,
    NET_HIDDEN, NET_VALUES, ROLLS_KINDS, ROLLS_ROWS, SIGMOID_SIZE, five_flip, roll_net_luck_of,
    roll_net_t, sigmoid_fill,
)
from bgcore._core.types cimport (
    PLAYS_BUFFER, N_PUBLIC, N_CHECKERS, bit_high, bit_low, board_t, boards_alloc, boards_free,
    int8_t, int32_t, int64_t, uint32_t, uint64_t,
)

import numpy as np

from bgcore._core.network import check_deep_shape, check_rolls_hidden, unfinished_boards
from bgcore.errors import TrainingError

cdef extern from "learning.h" nogil:
    enum:
        CELL_FEATURES
        FEATURE_ROWS
        CELL_ROWS
        VALUE_ROUNDED
    int cell_features(int cell, int n, float *coefficient) noexcept
    float value_sample(
        const float *rows, const float *bias, int joined, float *gradient, const int32_t *sigmoid,
        const board_t *b, uint32_t own, uint32_t opp, const float *target) noexcept
    void value_rounded(const float *parameters, int bits, float *rounded) noexcept
    float luck_sample(
        const float *parameters, float *gradient, const board_t *b, uint32_t own, int race,
        const float *target) noexcept
    void adam_step(
        float *x, float *m, float *v, float *gradient, int64_t n, float scale, float rate,
        float correction1, float correction2) noexcept

cdef extern from "deep_learning.h" nogil:
    enum:
        DEEP_HIDDEN_MOST
        DEEP_RELATIONS
    float DEEP_RELATION_LIMIT
    ctypedef struct deep_input_t:
        pass
    ctypedef struct deep_shape_t:
        int64_t tail
        int64_t all
    ctypedef struct deep_seen_t:
        pass
    void deep_shape(int hidden, int second, int relations, deep_shape_t *shape) noexcept
    void deep_hidden_floats(
        const deep_shape_t *s, const deep_seen_t *seen, const board_t *b, uint32_t own,
        uint32_t opp, deep_input_t *input, float *uncut, float *h) noexcept
    void deep_join(const deep_shape_t *s, const float *parameters, float *tails) noexcept
    void deep_gather(const deep_shape_t *s, float *gradient) noexcept
    deep_seen_t deep_floats(
        const deep_shape_t *s, const float *parameters, const float *tails) noexcept
    int64_t deep_rounded_size(const deep_shape_t *s) noexcept
    deep_seen_t deep_rounded(
        const deep_shape_t *s, const float *parameters, int bits, float *rounded,
        float *tails) noexcept
    float deep_sample(
        const deep_shape_t *s, const deep_seen_t *seen, float *gradient, const int32_t *sigmoid,
        const board_t *b, uint32_t own, uint32_t opp, const float *target) noexcept
    int net_head(uint32_t own, uint32_t opp) noexcept

cdef extern from "rolls_learning.h" nogil:
    ctypedef struct rolls_floats_t:
        pass
    float rolls_sample(
        int n, const float *parameters, float *gradient, const board_t *b, uint32_t own,
        uint32_t opp, const float *target, rolls_floats_t *sums, rolls_floats_t *back) noexcept

cdef enum:
    MAX_PLIES = 1024    # a longer game ends here, and its last value stands for the result
    # purposes of the random bits of a game
    EXPLORE_LENGTH = 11
    EXPLORE_PLAY = 12

#: The opening position of backgammon.
OPENING = np.array(
    [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0], np.int8
)
#: Floats before the output layers of a net with H hidden units: (FEATURES + 1) * H.
FEATURES = FEATURE_ROWS
#: Relations that a strong net may see beside the features of cells, one more row for each.
RELATIONS = DEEP_RELATIONS
#: Where the sum of the relations of a hidden unit is cut, on either side.
RELATION_LIMIT = DEEP_RELATION_LIMIT
#: Parameters of the two kinds of nets.
VALUE_PARAMETERS = (FEATURE_ROWS + 1 + NET_HEADS * 5) * NET_HIDDEN + NET_HEADS * 5
LUCK_PARAMETERS = (
    (FEATURE_ROWS + 1 + LUCK_PAIRS + LUCK_HEADS * LUCK_OUTPUTS) * LUCK_HIDDEN
    + LUCK_PAIRS * LUCK_WIDTH + LUCK_HEADS * LUCK_OUTPUTS
)


def rolls_parameters(int hidden):
    """Return the number of parameters of a `RollNet`; rolls_learning.h has their order."""
    check_rolls_hidden(hidden)
    return (
        (FEATURE_ROWS + 1 + ROLLS_ROWS + NET_HEADS * ROLLS_KINDS * 5) * hidden
        + NET_HEADS * LUCK_OUTPUTS
    )


def deep_parameters(int hidden, int second, bint relations=False):
    """Return the number of parameters of a strong net, and of one of its eleven tails.

    deep_learning.h has their order.
    """
    cdef deep_shape_t shape
    check_deep_shape(hidden, second)
    deep_shape(hidden, second, relations, &shape)
    return shape.all, shape.tail


def feature_matrix():
    """Return the coefficients that turn weights of features into rows of cells.

    Returns
    -------
    (28, 31, 2, 4) float32 array
        Row of value v of cell c = sum over sides s and features f of
        ``matrix[c, v + 15, s, f]`` x weights of (c, s, f).
    """
    result = np.zeros((NET_CELLS, NET_VALUES, 2, CELL_FEATURES), np.float32)
    cdef float[:, :, :, ::1] m = result
    cdef float coefficient[4]
    cdef int cell, n, k, count
    for cell in range(NET_CELLS):
        for n in range(1, 16):
            count = cell_features(cell, n, coefficient)
            for k in range(count):
                m[cell, 15 + n, 0, k] = coefficient[k]
                m[cell, 15 - n, 1, k] = coefficient[k]
    return result


cdef void _look_ahead(
    const evaluator_t *e, const board_t *after, board_t *scratch, float *target,
) noexcept nogil:
    """The mean over the opponent's 21 rolls of the value of his best play, mover's view."""
    cdef board_t before
    cdef int32_t fives[105]
    cdef int64_t sums[5]
    cdef float t[5]
    cdef int large, small, k, i = 0
    board_swap(after, &before)
    evaluator_best_fives(e, &before, scratch, fives)
    for k in range(5):
        sums[k] = 0
    for large in range(1, 7):
        for small in range(1, large + 1):
            for k in range(5):
                sums[k] += <int64_t>fives[i + k] * (1 if large == small else 2)
            i += 5
    for k in range(5):
        t[k] = <float>(sums[k] // 36) * <float>9.313225746154785e-10
    target[0] = 1 - t[0]
    target[1] = t[3]
    target[2] = t[4]
    target[3] = t[1]
    target[4] = t[2]


cdef void _follow(
    float *target, const float *next_target, const int32_t *next_five, float trace
) noexcept nogil:
    """Add trace x what the next board's target differs from its value, seen by this mover."""
    cdef float d[5]
    cdef int k
    for k in range(5):
        d[k] = trace * (next_target[k] - <float>next_five[k] * <float>9.313225746154785e-10)
    target[0] -= d[0]
    target[1] += d[3]
    target[2] += d[4]
    target[3] += d[1]
    target[4] += d[2]


cdef void _luck_of_opponent(
    const roll_net_t *luck, const board_t *board, int roll, float *five
) noexcept nogil:
    """What the roll net thinks a roll is better than the mean, seen by the roller's opponent."""
    cdef int large = roll // 6, small = roll % 6
    cdef int32_t values[5]
    cdef float t[5]
    cdef int k
    if large < small:
        large, small = small, large
    roll_net_luck_of(luck, board, board_own(board), board_opp(board),
                     large * (large + 1) // 2 + small, values)
    for k in range(5):
        t[k] = <float>values[k] * <float>2.384185791015625e-07
    five[0] = -t[0]
    five[1] = t[3]
    five[2] = t[4]
    five[3] = t[1]
    five[4] = t[2]


cdef inline void _count_at_most(int most, float *target) noexcept nogil:
    """Leave out what does not count: backgammons where a game counts 2 at most, then gammons."""
    if most < 3:
        target[2] = target[4] = 0
    if most < 2:
        target[1] = target[3] = 0


cdef int _random_plays(const dice_t *dice, uint64_t game, int most) noexcept nogil:
    """Number of random plays that begin a game: none in half of the games, else 1 to most."""
    cdef uint64_t bits
    if most == 0:
        return 0
    bits = dice_bits(dice, game, 0, EXPLORE_LENGTH)
    return 0 if bits & 1 else 1 + <int>((bits >> 1) % <uint64_t>most)


cdef int _play_game(
    const evaluator_t *e, const roll_net_t *luck, const dice_t *dice, uint64_t game, float trace,
    bint lookahead, int explore, const board_t *start, int most, board_t *scratch,
    board_t *positions, float *targets, int32_t *fives, float *lucks,
) noexcept nogil:
    """Play one game; store the unfinished boards after each play, with their targets.

    A board that the evaluator's bear-off tables cover ends the game: its value is the result.
    most: the most points that a game counts.
    lucks[5 * i ...]: the luck of the roll that led to position i, view of its opponent.
    Boards before the last random play are not stored: what follows them is not the net's play.
    """
    cdef board_t board = start[0]
    cdef board_t after
    cdef int turn = 0, ply = 0, count, roll, i, k
    cdef int n_random = _random_plays(dice, game, explore)
    cdef float g[5]
    cdef float t
    cdef int value
    cdef bint covered = False
    cdef int32_t last[5]
    while True:
        roll = dice_roll(dice, game, turn)
        if luck != NULL:
            _luck_of_opponent(luck, &board, roll, &lucks[5 * ply])
        count = generate_boards(&board, roll // 6 + 1, roll % 6 + 1, scratch)
        if count == 0:
            after = board
        elif turn < n_random:
            after = scratch[dice_bits(dice, game, turn, EXPLORE_PLAY) % <uint64_t>count]
        else:
            after = scratch[evaluator_best_play(e, &board, scratch, count)]
        turn += 1
        value = board_value(&after)
        if value != 0 or ply == MAX_PLIES:
            break
        if e.tables != NULL and bearoff_five_after(e.tables, &after, last) != 0:
            covered = True
            break
        if turn >= n_random:
            positions[ply] = after
            evaluator_five_after(e, &after, &fives[5 * ply])
            ply += 1
        board_swap(&after, &board)
    if ply == 0:
        return 0
    if lookahead:
        for i in range(ply - 1, -1, -1):
            _look_ahead(e, &positions[i], scratch, targets + 5 * i)
            if i + 1 < ply and trace > 0:
                _follow(&targets[5 * i], &targets[5 * i + 5], &fives[5 * i + 5], trace)
            _count_at_most(most, targets + 5 * i)
        return ply
    # The result, seen by the player of the last stored board (the other side of the last play)
    if covered:
        five_flip(last, last)
        for k in range(5):
            g[k] = <float>last[k] * <float>9.313225746154785e-10
    elif value != 0:
        g[0] = 1.0 if value < 0 else 0.0
        g[1] = 1.0 if value < -1 else 0.0
        g[2] = 1.0 if value < -2 else 0.0
        g[3] = 1.0 if value > 1 else 0.0
        g[4] = 1.0 if value > 2 else 0.0
    else:
        for k in range(5):
            g[k] = <float>fives[5 * (ply - 1) + k] * <float>9.313225746154785e-10
    _count_at_most(most, g)
    for i in range(ply - 1, -1, -1):
        if luck != NULL:
            for k in range(5):
                g[k] -= lucks[5 * (i + 1) + k]
        for k in range(5):
            targets[5 * i + k] = g[k]
        # lambda-return of the board before, which the other side has left
        for k in range(5):
            g[k] = trace * g[k] + (1 - trace) * (
                <float>fives[5 * i + k] * <float>9.313225746154785e-10)
        g[0] = 1 - g[0]
        t = g[1]
        g[1] = g[3]
        g[3] = t
        t = g[2]
        g[2] = g[4]
        g[4] = t
    return ply


def self_play(Evaluator evaluator not None, uint64_t key0, uint64_t key1, uint64_t first_game,
              int n_games, float trace, *, bint lookahead=False, AnyRollNet roll_net=None,
              int explore=0, layout=None, bint opening=True, int most=3):
    """Play games of an evaluator against itself, without the GIL.

    Parameters
    ----------
    evaluator : Evaluator
        Chooses the plays and gives the values that the targets are made of. If it has bear-off
        tables, a game ends with the first board that they cover.
    key0, key1 : int
        The seed, two times 64 bits.
    first_game, n_games : int
        The games' numbers are first_game, first_game + 1, ...
    trace : float
        lambda of TD(lambda), in [0, 1].
    lookahead : bool, default False
        Look one roll ahead: the lambda-returns are made of the mean over the 21 rolls of the value
        of the best play, so that the luck of the rolls is not in them. About twenty times the work
        for a position.
    roll_net : LuckNet or RollNet, optional
        Take what it thinks of the luck of each roll out of the lambda-returns. Its luck has mean
        0 over the rolls, so their mean stays as it is; a value can then lie outside [0, 1].
    explore : int, default 0
        Half of the games begin with 1 to so many random plays, so that positions come up that the
        evaluator would not get into; the boards before the last of them are left out. At most
        1,000.
    layout : (26,) int8 array, optional
        Where games begin, seen by who begins; the opening position if not given. The number of
        checkers is the evaluator's.
    opening : bool, default True
        Whether the first roll is an opening roll, which is never a double.
    most : int, default 3
        The most points that a game counts: 2 knows no backgammons, 1 no gammons either.

    Returns
    -------
    boards : (n, 32) int8 array
        Unfinished boards after a play, seen by the mover, in the core's layout, game after game.
    targets : (n, 5) float32 array
        lambda-returns: the five probabilities, mover's view.

    Raises
    ------
    TrainingError
        If n_games, trace or most is out of range.
    BoardError
        If no game begins with the layout.
    """
    if not 1 <= most <= 3:
        raise TrainingError(f"a game counts 1 to 3 points at most, not {most}")
    if not 0 <= trace <= 1:
        raise TrainingError(f"lambda is {trace}; it must lie in [0, 1]")
    if n_games < 0:
        raise TrainingError(f"{n_games} games cannot be played")
    if not 0 <= explore <= 1000:
        raise TrainingError(f"explore is {explore}; it must lie in [0, 1000]")
    cdef dice_t dice
    dice_init(&dice, key0, key1, 0, opening)
    cdef evaluator_t core = evaluator.core
    core.to_win = most == 1
    cdef board_t start
    cdef const int8_t[:, ::1] begin = unfinished_boards(
        np.asarray(OPENING if layout is None else layout, np.int8)[None], evaluator.n_checkers)
    board_from_public(&begin[0, 0], evaluator.n_checkers, &start)
    cdef board_t *scratch = boards_alloc(PLAYS_BUFFER)
    cdef board_t *positions = boards_alloc(MAX_PLIES + 1)
    cdef float *targets = <float *>malloc((MAX_PLIES + 1) * 5 * sizeof(float))
    cdef int32_t *fives = <int32_t *>malloc((MAX_PLIES + 1) * 5 * sizeof(int32_t))
    cdef float *lucks = <float *>malloc((MAX_PLIES + 1) * 5 * sizeof(float))
    if roll_net is not None:
        roll_net.check()
    cdef const roll_net_t *luck = NULL if roll_net is None else &roll_net.net
    cdef Py_ssize_t capacity = 80 * <Py_ssize_t>n_games + MAX_PLIES, used = 0
    cdef int8_t[:, ::1] b
    cdef float[:, ::1] t
    cdef int game = 0, plies
    boards = np.empty((capacity, 32), np.int8)
    values = np.empty((capacity, 5), np.float32)
    try:
        if scratch == NULL or positions == NULL or targets == NULL or fives == NULL \
                or lucks == NULL:
            raise MemoryError
        while game < n_games:
            if used + MAX_PLIES > capacity:
                capacity *= 2
                boards = np.concatenate([boards[:used], np.empty((capacity - used, 32), np.int8)])
                values = np.concatenate([values[:used], np.empty((capacity - used, 5), np.float32)])
            b = boards
            t = values
            with nogil:
                while game < n_games and used + MAX_PLIES <= capacity:
                    plies = _play_game(&core, luck, &dice, first_game + <uint64_t>game, trace,
                                       lookahead, explore, &start, most, scratch, positions,
                                       targets, fives, lucks)
                    memcpy(&b[used, 0], positions, plies * sizeof(board_t))
                    memcpy(&t[used, 0], targets, plies * 5 * sizeof(float))
                    used += plies
                    game += 1
    finally:
        boards_free(scratch)
        boards_free(positions)
        free(targets)
        free(fives)
        free(lucks)
    return boards[:used], values[:used]


def shuffled(uint64_t key0, uint64_t key1, uint64_t index, Py_ssize_t n):
    """Return a random order of 0 ... n - 1 that depends on (seed, index, n) alone."""
    cdef dice_t dice
    dice_init(&dice, key0, key1, 0, 0)
    order = np.arange(n, dtype=np.int64)
    cdef int64_t[::1] o = order
    cdef Py_ssize_t i, k
    with nogil:
        for i in range(n - 1, 0, -1):
            # 64 random bits: the bias of the remainder is below 2**-40
            k = <Py_ssize_t>(dice_bits(&dice, index, <int>i, 7) % <uint64_t>(i + 1))
            o[i], o[k] = o[k], o[i]
    return order


cdef _check_bits(int bits):
    if bits != 0 and not 5 <= bits <= 12:
        raise TrainingError(f"hidden_bits is {bits}; it must be 0, or 5 to 12")


cdef _check(parameters, first, second, boards, targets, order, n_parameters, n_targets, batch):
    for name, array in (("parameters", parameters), ("first", first), ("second", second)):
        if array.shape != (n_parameters,):
            raise TrainingError(f"{name} has shape {array.shape}, not ({n_parameters},)")
    if boards.ndim != 2 or boards.shape[1] != 32 or targets.shape != (boards.shape[0], n_targets):
        raise TrainingError(f"boards {boards.shape} and targets {targets.shape} do not fit")
    if order.size and (order.min() < 0 or order.max() >= boards.shape[0]):
        raise TrainingError("the order points outside the samples")
    if boards.size and (boards.min() < -15 or boards.max() > 15 or boards[:, 28:].any()):
        raise TrainingError("boards must be in the core's layout, at most 15 checkers a cell")
    if batch < 1:
        raise TrainingError(f"a batch of {batch} samples cannot be used")


cdef void _step(
    float *parameters, float *first, float *second, float *gradient, int64_t n, double *powers,
    Py_ssize_t samples, float rate
) noexcept nogil:
    """One step of Adam by the gradient of so many samples, which is cleared."""
    powers[0] *= 0.9
    powers[1] *= 0.999
    adam_step(parameters, first, second, gradient, n, <float>(1.0 / samples), rate,
              <float>(1 / (1 - powers[0])), <float>(1 / (1 - powers[1])))


def train(float[::1] parameters, float[::1] first, float[::1] second, double[::1] powers,
          const int8_t[:, ::1] boards, const float[:, ::1] targets, const int64_t[::1] order,
          int batch, float rate, *, kind, int hidden_bits=0):
    """Take one step of Adam for each batch of samples, without the GIL. Changes its arguments.

    Parameters
    ----------
    parameters, first, second : (VALUE_PARAMETERS or LUCK_PARAMETERS,) float32 arrays
        The weights, and Adam's moments.
    powers : (2,) float64 array
        beta1 ** step and beta2 ** step.
    boards : (n, 32) int8 array
        In the core's layout: after a play ("value"), before a roll ("luck"); unfinished.
    targets : (n, 5 or 105) float32 array
    order : (m,) int64 array
        The samples to use, in this order.
    batch : int
    rate : float
    kind : {"value", "luck"}
    hidden_bits : int, default 0
        0: the passes see the float weights. Else, 5 to 12 and for kind "value": they see the
        weights rounded as a file has them whose hidden sums have unit ``2**-hidden_bits``, cut
        where 16 bits end, and the float weights take the step (straight-through estimator).

    Returns
    -------
    float
        Mean over the samples of the sum of squared errors before each step.

    Raises
    ------
    TrainingError
    """
    cdef bint luck = kind == "luck"
    if luck and hidden_bits:
        raise TrainingError("hidden_bits is for the value net")
    _check_bits(hidden_bits)
    cdef int64_t n = LUCK_PARAMETERS if luck else VALUE_PARAMETERS
    _check(np.asarray(parameters), np.asarray(first), np.asarray(second), np.asarray(boards),
           np.asarray(targets), np.asarray(order), n, LUCK_OUTPUTS if luck else 5, batch)
    cdef int64_t n_rounded = VALUE_ROUNDED if hidden_bits else 0
    cdef float *gradient = <float *>malloc((n + n_rounded) * sizeof(float))
    cdef float *rounded = gradient + n
    cdef const float *rows = &parameters[0]
    cdef const float *bias = rows + FEATURE_ROWS * NET_HIDDEN
    cdef int32_t sigmoid[SIGMOID_SIZE]
    cdef Py_ssize_t i, start, stop, n_samples = order.shape[0]
    cdef double loss = 0
    cdef board_t b
    cdef uint32_t own, opp
    if gradient == NULL:
        raise MemoryError
    if hidden_bits:
        rows = rounded
        bias = rounded + CELL_ROWS * NET_HIDDEN
    sigmoid_fill(sigmoid)
    with nogil:
        memset(gradient, 0, n * sizeof(float))
        start = 0
        while start < n_samples:
            stop = start + batch if start + batch < n_samples else n_samples
            if hidden_bits:
                value_rounded(&parameters[0], hidden_bits, rounded)
            for i in range(start, stop):
                memcpy(&b, &boards[order[i], 0], sizeof(board_t))
                own = board_own(&b)
                opp = board_opp(&b)
                if own == 0 or opp == 0:
                    continue
                if luck:
                    loss += luck_sample(&parameters[0], gradient, &b, own,
                                        bit_high(own) < bit_low(opp), &targets[order[i], 0])
                else:
                    loss += value_sample(rows, bias, hidden_bits, gradient, sigmoid, &b, own, opp,
                                         &targets[order[i], 0])
            _step(&parameters[0], &first[0], &second[0], gradient, n, &powers[0], stop - start,
                  rate)
            start = stop
    free(gradient)
    return loss / n_samples if n_samples else 0.0


def hidden_active(int hidden, int second, bint relations, const float[::1] parameters,
                  const int8_t[:, ::1] boards):
    """Count on how many boards each hidden unit of a strong net is active.

    Parameters
    ----------
    hidden, second, relations
        The shape of the net, see `deep_parameters`.
    parameters : float32 array
        All its weights.
    boards : (n, 32) int8 array
        In the core's layout.

    Returns
    -------
    (H,) int64 array

    Raises
    ------
    TrainingError
    """
    cdef deep_shape_t shape
    cdef int64_t n = deep_parameters(hidden, second, relations)[0]
    if parameters.shape[0] != n:
        raise TrainingError(f"parameters has shape ({parameters.shape[0]},), not ({n},)")
    if boards.shape[1] != 32:
        raise TrainingError(f"boards have 32 cells, not {boards.shape[1]}")
    deep_shape(hidden, second, relations, &shape)
    counts = np.zeros(hidden, np.int64)
    cdef int64_t[::1] active = counts
    cdef deep_seen_t seen = deep_floats(&shape, &parameters[0], NULL)
    cdef deep_input_t input
    cdef float uncut[DEEP_HIDDEN_MOST]
    cdef float units[DEEP_HIDDEN_MOST]
    cdef board_t b
    cdef Py_ssize_t i
    cdef int k
    with nogil:
        for i in range(boards.shape[0]):
            memcpy(&b, &boards[i, 0], sizeof(board_t))
            deep_hidden_floats(&shape, &seen, &b, board_own(&b), board_opp(&b), &input,
                               uncut, units)
            for k in range(hidden):
                active[k] += units[k] > 0
    return counts


cdef void _by_head(
    const int8_t[:, ::1] boards, const int64_t *order, int n, int64_t *sorted_order,
    int32_t *heads,
) noexcept nogil:
    """Sort samples by their heads, which keeps the weights of one in the cache; stable."""
    cdef int starts[NET_HEADS + 1]
    cdef board_t b
    cdef int i, head
    for head in range(NET_HEADS + 1):
        starts[head] = 0
    for i in range(n):
        memcpy(&b, &boards[order[i], 0], sizeof(board_t))
        heads[i] = net_head(board_own(&b), board_opp(&b)) if board_own(&b) and board_opp(&b) else 0
        starts[heads[i] + 1] += 1
    for head in range(NET_HEADS):
        starts[head + 1] += starts[head]
    for i in range(n):
        sorted_order[starts[heads[i]]] = order[i]
        starts[heads[i]] += 1


def train_deep(int hidden, int second, bint relations, float[::1] parameters, float[::1] first,
               float[::1] second_moment, double[::1] powers, const int8_t[:, ::1] boards,
               const float[:, ::1] targets, const int64_t[::1] order, int batch, float rate, *,
               int hidden_bits=0):
    """Take one step of Adam of a strong net for each batch; as `train`, which see.

    Parameters
    ----------
    hidden, second : int
        The numbers of units; `deep_parameters` gives the length of the next three arrays.
    relations : bool
        Whether the net sees relations of cells.
    parameters, first, second_moment : float32 arrays
    powers, boards, targets, order, batch, rate, hidden_bits
        As in `train`, for kind "value".

    Returns
    -------
    float
        Mean over the samples of the sum of squared errors before each step.

    Raises
    ------
    TrainingError
    """
    cdef deep_shape_t shape
    cdef int64_t n = deep_parameters(hidden, second, relations)[0]
    _check(np.asarray(parameters), np.asarray(first), np.asarray(second_moment),
           np.asarray(boards), np.asarray(targets), np.asarray(order), n, 5, batch)
    _check_bits(hidden_bits)
    deep_shape(hidden, second, relations, &shape)
    cdef int64_t n_tails = NET_HEADS * shape.tail
    cdef int64_t n_rounded = deep_rounded_size(&shape) if hidden_bits else 0
    cdef float *gradient = <float *>malloc(n * sizeof(float))
    cdef float *tails = <float *>malloc((n_tails + n_rounded) * sizeof(float))
    cdef deep_seen_t seen = deep_floats(&shape, &parameters[0], tails)
    cdef int64_t *samples = <int64_t *>malloc(batch * sizeof(int64_t))
    cdef int32_t *heads = <int32_t *>malloc(batch * sizeof(int32_t))
    cdef int32_t sigmoid[SIGMOID_SIZE]
    cdef Py_ssize_t start = 0, n_samples = order.shape[0]
    cdef int i, size
    cdef double loss = 0
    cdef board_t b
    cdef uint32_t own, opp
    try:
        if gradient == NULL or tails == NULL or samples == NULL or heads == NULL:
            raise MemoryError
        sigmoid_fill(sigmoid)
        with nogil:
            memset(gradient, 0, n * sizeof(float))
            while start < n_samples:
                size = batch if start + batch < n_samples else <int>(n_samples - start)
                _by_head(boards, &order[start], size, samples, heads)
                deep_join(&shape, &parameters[0], tails)
                if hidden_bits:
                    seen = deep_rounded(&shape, &parameters[0], hidden_bits, tails + n_tails,
                                        tails)
                for i in range(size):
                    memcpy(&b, &boards[samples[i], 0], sizeof(board_t))
                    own = board_own(&b)
                    opp = board_opp(&b)
                    if own == 0 or opp == 0:
                        continue
                    loss += deep_sample(&shape, &seen, gradient, sigmoid, &b, own, opp,
                                        &targets[samples[i], 0])
                deep_gather(&shape, gradient)
                _step(&parameters[0], &first[0], &second_moment[0], gradient, n, &powers[0], size,
                      rate)
                start += size
    finally:
        free(gradient)
        free(tails)
        free(samples)
        free(heads)
    return loss / n_samples if n_samples else 0.0


def train_rolls(int hidden, float[::1] parameters, float[::1] first, float[::1] second,
                double[::1] powers, const int8_t[:, ::1] boards, const float[:, ::1] targets,
                const int64_t[::1] order, int batch, float rate):
    """Take one step of Adam of a `RollNet` for each batch; as `train`, which see.

    Parameters
    ----------
    hidden : int
        The number of hidden units; `rolls_parameters` gives the length of the next three arrays.
    parameters, first, second : float32 arrays
    powers, boards, targets, order, batch, rate
        As in `train`, for kind "luck".

    Returns
    -------
    float
        Mean over the samples of the sum of squared errors before each step.

    Raises
    ------
    NetError
        If no net has so many hidden units.
    TrainingError
    """
    cdef int64_t n = rolls_parameters(hidden)
    _check(np.asarray(parameters), np.asarray(first), np.asarray(second), np.asarray(boards),
           np.asarray(targets), np.asarray(order), n, LUCK_OUTPUTS, batch)
    cdef float *gradient = <float *>malloc(n * sizeof(float))
    cdef rolls_floats_t *sums = <rolls_floats_t *>malloc(sizeof(rolls_floats_t))
    cdef rolls_floats_t *back = <rolls_floats_t *>malloc(sizeof(rolls_floats_t))
    cdef Py_ssize_t i, start = 0, stop, n_samples = order.shape[0]
    cdef double loss = 0
    cdef board_t b
    cdef uint32_t own, opp
    try:
        if gradient == NULL or sums == NULL or back == NULL:
            raise MemoryError
        with nogil:
            memset(gradient, 0, n * sizeof(float))
            while start < n_samples:
                stop = start + batch if start + batch < n_samples else n_samples
                for i in range(start, stop):
                    memcpy(&b, &boards[order[i], 0], sizeof(board_t))
                    own = board_own(&b)
                    opp = board_opp(&b)
                    if own == 0 or opp == 0:
                        continue
                    loss += rolls_sample(hidden, &parameters[0], gradient, &b, own, opp,
                                         &targets[order[i], 0], sums, back)
                _step(&parameters[0], &first[0], &second[0], gradient, n, &powers[0],
                      stop - start, rate)
                start = stop
    finally:
        free(gradient)
        free(sums)
        free(back)
    return loss / n_samples if n_samples else 0.0


def core_boards(const int8_t[:, ::1] boards):
    """Turn public boards of fifteen checkers a side into the core's layout: (n, 32) int8."""
    if boards.shape[1] != N_PUBLIC:
        raise TrainingError(f"a board has {N_PUBLIC} cells, not {boards.shape[1]}")
    result = np.empty((boards.shape[0], 32), np.int8)
    cdef int8_t[:, ::1] out = result
    cdef board_t b
    cdef Py_ssize_t i
    for i in range(boards.shape[0]):
        board_from_public(&boards[i, 0], N_CHECKERS, &b)
        memcpy(&out[i, 0], &b, sizeof(board_t))
    return result
