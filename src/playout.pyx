"""Trials: the loop in the core, the lockstep form for players in Python, and random games."""
from libc.stdint cimport uint8_t
from libc.string cimport memset

from bgcore._core.bearoff cimport BearoffTables, bearoff_equity_before, bearoff_exact
from bgcore._core.board cimport (
    MASK_POINTS, board_from_public, board_opp, board_opp_pips, board_own, board_pips, board_swap,
    board_value,
)
from bgcore._core.cubeful cimport (
    CUBE_BEAVER_DROPPED, CUBE_ENDS, CUBE_LEVELS, CUBE_NO_DOUBLE, CUBE_PASS, CUBE_WEIGHT,
    END_CASHED, END_LOST, END_PASSED, END_VALUED, CubeRows, chances_t, cube_after,
    cube_best_of, cube_best_play,
    cube_chances, cube_choice, cube_next_row, cube_table_choice, cube_table_play,
    cube_table_rolls, cube_total, cube_units,
)
from bgcore._core.dice cimport DiceStream, dice_bits, dice_rolls
from bgcore._core.evaluator cimport (
    Evaluator, evaluator_best_fives, evaluator_best_play, evaluator_five_after,
)
from bgcore._core.movegen cimport generate_boards
from bgcore._core.network cimport (
    AnyRollNet, LUCK_Z_BITS, five_finished, five_flip, five_impossible, roll_net_luck,
    roll_net_luck_of,
)
from bgcore._core.types cimport (
    N_CHECKERS, N_PUBLIC, N_ROLLS, PLAYS_BUFFER, UNIT, bit_count, boards_alloc,
    boards_free, int8_t, uint32_t, mul_high64, vec32_equal, vec32_fill, vec32_load,
)

import numpy as np

from bgcore._core.movegen import legal_boards_batch
from bgcore.errors import EvaluatorError, RolloutError

#: What `luck` may hold, see playout.pxd.
NO_LUCK = LUCK_NONE
TABLE_LUCK = LUCK_TABLE
NET_LUCK = LUCK_NET
PLAYER_LUCK = LUCK_PLAYER
#: What `policy` may be.
BEST_PLAY = POLICY_BEST
RANDOM_PLAY = POLICY_RANDOM
TABLE_PLAY = POLICY_TABLE
PIPS_PLAY = POLICY_PIPS
#: Values of a trial: five probabilities and the equity; with a cube the utility too.
VALUES = TRIAL_VALUES
VALUES_WITH_CUBE = CUBE_VALUES

# What the roll net counts in, in units.
cdef int64_t NET_UNIT = 1 << (30 - LUCK_Z_BITS)
# The same times a weight of the cube, in parts of a unit: a whole number.
cdef int64_t NET_STAKE = LUCK_PARTS * NET_UNIT // CUBE_WEIGHT

cdef:
    uint8_t ROLL_INDEX[36]          # of the 21 rolls 1-1, 2-1, 2-2, ..., 6-6
    int64_t LUCK_WEIGHT[2][21]      # parts of 180 of each roll; row 1: an opening roll


cdef void _fill_tables() noexcept:
    cdef int large, small, i = 0
    for large in range(6):
        for small in range(large + 1):
            ROLL_INDEX[6 * large + small] = ROLL_INDEX[6 * small + large] = <uint8_t>i
            LUCK_WEIGHT[0][i] = 5 if large == small else 10
            LUCK_WEIGHT[1][i] = 0 if large == small else 12
            i += 1


_fill_tables()


# ---- one trial ----

cdef inline int32_t _table_win(const playout_t *p, const board_t *b) noexcept nogil:
    """Exact win probability of the side on roll, where the two-sided table applies."""
    return <int32_t>((bearoff_equity_before(p.tables, b) + UNIT) >> 1)


cdef int _pips_best(const board_t *plays, int n) noexcept nogil:
    """Index of the play after which the mover leads by most pips, with fewest blots of equals.

    Without the count of blots two such players can hit each other for thousands of turns.
    """
    cdef int score, best = -(1 << 30), i, chosen = 0
    for i in range(n):
        score = 32 * (board_opp_pips(&plays[i]) - board_pips(&plays[i])) - bit_count(
            vec32_equal(vec32_load(plays[i].c), vec32_fill(1)) & MASK_POINTS)
        if score > best:
            best = score
            chosen = i
    return chosen


cdef int _table_best(
    const playout_t *p, const board_t *plays, int n, int32_t *win
) noexcept nogil:
    """Index of the play with the best exact win probability, the first of equals."""
    cdef board_t swapped
    cdef int32_t value
    cdef int i, chosen = 0
    win[0] = -1
    for i in range(n):
        if board_value(&plays[i]) != 0:
            value = UNIT
        else:
            board_swap(&plays[i], &swapped)
            value = UNIT - _table_win(p, &swapped)
        if value > win[0]:
            win[0] = value
            chosen = i
    return chosen


cdef inline bint _in_table(const playout_t *p, const board_t *b) noexcept nogil:
    return p.tables != NULL and bearoff_exact(p.tables, b)


cdef inline void _end(live_t *live, int mover_first) noexcept nogil:
    """End the trial; live.five is the mover's view and becomes that of the side that began."""
    live.done = DONE
    if not mover_first:
        five_flip(live.five, live.five)


cdef inline bint _table_counts(const playout_t *p, const live_t *live) noexcept nogil:
    """Whether the table knows all that is wanted of the board: with a cube not at every score."""
    return _in_table(p, &live.board) and (
        p.cube == NULL or p.cube.rows[live.row].side[0].plane >= 0)


cdef inline int _end_seen_by(int side, int end) noexcept nogil:
    """The end of a trial as the other side sees it, if `side` is 1."""
    if side == 0 or end == END_VALUED:
        return end
    return (end + END_LOST) % END_CASHED if end < END_CASHED else END_CASHED + END_PASSED - end


cdef void _end_with_utility(
    const playout_t *p, live_t *live, int side, int64_t utility, int end
) noexcept nogil:
    """Set utility and end, which are those of `side`, the mover's."""
    live.utility = utility if side == 0 else cube_total(p.cube) - utility
    live.end = _end_seen_by(side, end)


cdef void _end_by_table(const playout_t *p, live_t *live, bint rolls) noexcept nogil:
    """Exact utility before the double, or before the roll if there is no double any more."""
    cdef int side = live.ply & 1
    cdef int64_t utility
    if rolls:
        utility = cube_table_rolls(p.cube, p.tables, live.row, side, &live.board)
    else:
        cube_table_choice(p.cube, p.tables, live.row, side, &live.board, &utility)
    _end_with_utility(p, live, side, utility, END_VALUED)


cdef inline void _stop_at_table(const playout_t *p, live_t *live, bint rolls) noexcept nogil:
    """End the trial before the roll if the table knows the rest."""
    if p.stop_at_tables and _table_counts(p, live):
        if p.cube != NULL:
            _end_by_table(p, live, rolls)
        memset(live.five, 0, sizeof(live.five))
        live.five[0] = _table_win(p, &live.board)
        _end(live, live.ply % 2 == 0)


cdef inline void _end_finished(
    const playout_t *p, live_t *live, int mover, int value
) noexcept nogil:
    """End a trial whose game is over; value: points for the mover."""
    cdef int end = value - 1 if value > 0 else END_LOST - 1 - value
    five_finished(value, live.five)
    if p.cube != NULL:
        live.end = _end_seen_by(mover, end)
        live.utility = p.cube.rows[live.row].ends[live.end]
    _end(live, mover == 0)


cdef inline void _cube_comes(const playout_t *p, live_t *live) noexcept nogil:
    """Play the cube before a roll, or let the trial ask for what its side thinks of the board."""
    if (
        p.evaluator == NULL and not live.is_known
        and p.cube.rows[live.row].side[live.ply & 1].doubles
        and not (p.policy == POLICY_TABLE and _table_counts(p, live))
    ):
        live.asks = 1
    else:
        trial_cube(p, live)


cdef void trial_begin(const playout_t *p, const start_t *start, live_t *live) noexcept nogil:
    """Set a trial to its start. The game may be over; the trial is done then."""
    cdef int value = board_value(&start.board)
    live.board = start.board
    live.ply = 0
    live.done = 0
    memset(live.luck, 0, sizeof(live.luck))
    if p.cube != NULL:
        live.utility_luck = 0
        live.row = start.row
        live.is_known = 0
        live.best_known = 0
        live.asks = 0
    if value != 0:
        _end_finished(p, live, 0, value)
    else:
        _stop_at_table(p, live, start.rolls)
        if p.cube != NULL and not live.done and not start.rolls:
            _cube_comes(p, live)


cdef void trial_cube(const playout_t *p, live_t *live) noexcept nogil:
    """Play the cube before a roll. A pass ends the trial."""
    cdef int side = live.ply & 1
    cdef int choice
    cdef const cube_t *c = p.cube
    cdef chances_t chances
    cdef board_t after
    cdef double utility
    cdef int64_t exact
    if not c.rows[live.row].side[side].doubles:
        return
    if p.policy == POLICY_TABLE and _table_counts(p, live):
        choice = cube_table_choice(c, p.tables, live.row, side, &live.board, &exact)
        memset(live.now, 0, sizeof(live.now))
        live.now[0] = _table_win(p, &live.board)
    else:
        if not live.is_known:
            board_swap(&live.board, &after)
            evaluator_five_after(p.evaluator, &after, live.now)
            five_flip(live.now, live.now)
        cube_chances(&live.board, side, live.now, &chances)
        choice = cube_choice(c, live.row, side, &chances, &utility)
    if choice == CUBE_NO_DOUBLE:
        return
    if choice == CUBE_PASS or choice == CUBE_BEAVER_DROPPED:
        if choice == CUBE_PASS:
            exact = cube_units(c.rows[live.row].side[side].win[0])
        else:
            live.row = c.rows[live.row].side[side].after_take
            exact = cube_units(c.rows[live.row].side[side].loss[0])
        _end_with_utility(p, live, side, exact,
                          END_CASHED if choice == CUBE_PASS else END_PASSED)
        for i in range(5):
            live.five[i] = live.now[i]
        _end(live, side == 0)
        return
    live.row = cube_next_row(c, live.row, side, choice)


cdef inline void _add_luck(live_t *live, const int64_t *luck) noexcept nogil:
    """Add luck of the mover to that of the side that began: its losses are the mover's wins."""
    if live.ply % 2 == 0:
        for i in range(5):
            live.luck[i] += luck[i]
    else:
        live.luck[0] -= luck[0]
        live.luck[1] += luck[3]
        live.luck[2] += luck[4]
        live.luck[3] += luck[1]
        live.luck[4] += luck[2]


cdef inline void _add_luck_of_roll(
    live_t *live, const int32_t *values, int64_t unit, int roll, bint opening
) noexcept nogil:
    """values: five for each of the 21 rolls, view of the mover; unit: of a value, in units."""
    cdef int64_t luck[5]
    cdef const int32_t *row = values
    cdef int64_t weight
    cdef int i, k
    # A net may see a chance where the rules allow none: that is no luck.
    cdef int impossible = five_impossible(
        &live.board, board_own(&live.board), board_opp(&live.board))
    for i in range(5):
        luck[i] = LUCK_PARTS * <int64_t>values[5 * ROLL_INDEX[roll] + i]
    for k in range(N_ROLLS):
        weight = LUCK_WEIGHT[opening][k]
        for i in range(5):
            luck[i] -= weight * row[i]
        row += 5
    for i in range(1, 5):
        if impossible >> i & 1:
            luck[i] = 0
    for i in range(5):
        luck[i] *= unit
    _add_luck(live, luck)


cdef inline void _add_utility_luck(live_t *live, int64_t luck) noexcept nogil:
    """Add luck of the mover, in parts of a unit."""
    if live.ply % 2 == 0:
        live.utility_luck += luck
    else:
        live.utility_luck -= luck


cdef void _add_utility_of_roll(
    const playout_t *p, live_t *live, const int32_t *values, int roll, bint opening
) noexcept nogil:
    """Luck in utility, by the model; values: five for each of the 21 rolls, the mover's view."""
    cdef int side = live.ply & 1
    cdef int64_t luck = 0, utility
    cdef int k
    for k in range(N_ROLLS):
        utility = cube_units(cube_after(p.cube, live.row, side, &live.board, values + 5 * k))
        luck -= LUCK_WEIGHT[opening][k] * utility
        if k == ROLL_INDEX[roll]:
            luck += LUCK_PARTS * utility
    _add_utility_luck(live, luck)


cdef inline bint _opening_ply(const playout_t *p, const live_t *live) noexcept nogil:
    return live.ply == 0 and p.dice.opening


cdef inline int64_t _stakes_of_net(
    const playout_t *p, const live_t *live, const int32_t *five
) noexcept nogil:
    """What the net's five are worth by the stakes of the cube as it is, unit NET_STAKE.

    Five whole weights keep the mean over the rolls at exactly 0. The model with its bends takes a
    little more variance out, but needs all 21 rolls: it costs more than it gives.
    """
    cdef const int32_t *weight = p.cube.rows[live.row].side[live.ply & 1].weights
    cdef int64_t total = 0
    for i in range(5):
        total += <int64_t>weight[i] * five[i]
    return total


cdef void _add_stakes_of_opening(
    const playout_t *p, live_t *live, const int32_t *values, int roll
) noexcept nogil:
    """The luck of the roll of an opening, by the stakes; the mean over its 30 rolls is not 0."""
    cdef int64_t luck = LUCK_PARTS * _stakes_of_net(p, live, values + 5 * ROLL_INDEX[roll])
    cdef int k
    for k in range(N_ROLLS):
        luck -= LUCK_WEIGHT[1][k] * _stakes_of_net(p, live, values + 5 * k)
    # all weights are multiples of LUCK_PARTS / NET_STAKE
    _add_utility_luck(live, luck // (LUCK_PARTS // NET_STAKE))


cdef void _add_luck_of_net(const playout_t *p, live_t *live, int roll) noexcept nogil:
    """The roll net's luck has mean 0 over the 36 rolls, so one roll is enough.

    Not so over an opening's 30, where it takes all of them.
    """
    cdef int32_t values[5 * N_ROLLS]
    cdef int64_t luck[5]
    cdef uint32_t own = board_own(&live.board), opp = board_opp(&live.board)
    cdef int impossible, i
    if _opening_ply(p, live):
        roll_net_luck(p.roll_net, &live.board, own, opp, values)
        _add_luck_of_roll(live, values, NET_UNIT, roll, True)
        if p.cube != NULL:
            _add_stakes_of_opening(p, live, values, roll)
        return
    roll_net_luck_of(p.roll_net, &live.board, own, opp, ROLL_INDEX[roll], values)
    impossible = five_impossible(&live.board, own, opp)
    for i in range(5):
        if impossible >> i & 1:
            values[i] = 0
        luck[i] = LUCK_PARTS * NET_UNIT * values[i]
    _add_luck(live, luck)
    if p.cube != NULL:
        _add_utility_luck(live, NET_STAKE * _stakes_of_net(p, live, values))


cdef inline bint _net_counts(const playout_t *p, const live_t *live) noexcept nogil:
    """Whether the roll net measures the luck: with large cubes the evaluator does."""
    return p.luck & LUCK_NET and (
        p.cube == NULL or p.cube.rows[live.row].level < p.cube.close_level)


cdef void trial_luck_before(
    const playout_t *p, live_t *live, int roll, board_t *scratch
) noexcept nogil:
    """Add the luck of a roll as the roll net or the evaluator sees it. roll: 0-35.

    Without an evaluator in the core what it would see must come from outside.
    """
    cdef int32_t values[5 * N_ROLLS]
    if p.luck & LUCK_TABLE and _table_counts(p, live):
        return
    if _net_counts(p, live):
        _add_luck_of_net(p, live, roll)
        return
    if p.luck & (LUCK_NET | LUCK_PLAYER) and p.evaluator != NULL:
        evaluator_best_fives(p.evaluator, &live.board, scratch, values)
        _add_luck_of_roll(live, values, 1, roll, _opening_ply(p, live))
        if p.cube != NULL:
            _add_utility_of_roll(p, live, values, roll, _opening_ply(p, live))


cdef void trial_luck_plays(
    const playout_t *p, live_t *live, const board_t *plays, int n
) noexcept nogil:
    """Add the luck of a roll as the exact table sees it, from the roll's plays.

    The mean over all rolls is the table's value before the roll. So that it is exact to the last
    bit over a whole trial, this value is taken as it is, rounded to a unit, and not computed from
    the 21 rolls: with the table's own plays everything cancels but the value of the start. What
    the rounding may move is below half a unit a ply.
    """
    cdef int64_t luck[5]
    cdef int64_t utility
    cdef int32_t win
    cdef int side = live.ply & 1
    if not (p.luck & LUCK_TABLE and _table_counts(p, live)):
        return
    _table_best(p, plays, n, &win)
    memset(luck, 0, sizeof(luck))
    luck[0] = LUCK_PARTS * <int64_t>(win - _table_win(p, &live.board))
    _add_luck(live, luck)
    if p.cube != NULL:
        cube_table_play(p.cube, p.tables, live.row, side, plays, n, &utility)
        utility -= cube_table_rolls(p.cube, p.tables, live.row, side, &live.board)
        _add_utility_luck(live, LUCK_PARTS * utility)


cdef void trial_advance(const playout_t *p, const board_t *after, live_t *live) noexcept nogil:
    """Go on with the board after a play, seen by the mover.

    At the last ply of a truncated trial without an evaluator in the core the trial is done too,
    live.board is the board before the opponent's roll and live.five must be filled in.
    """
    cdef board_t played = after[0]      # after a dance `after` is live.board
    cdef int value = board_value(&played)
    cdef int mover_first = live.ply % 2 == 0
    cdef int side = 0 if mover_first else 1
    live.ply += 1
    if value != 0:
        _end_finished(p, live, side, value)
        return
    board_swap(&played, &live.board)
    _stop_at_table(p, live, False)
    if not live.done and live.ply == p.truncate:
        if p.evaluator != NULL:
            evaluator_five_after(p.evaluator, &played, live.five)
            if p.cube != NULL:
                _end_with_utility(
                    p, live, side,
                    cube_units(cube_after(p.cube, live.row, side, &played, live.five)), END_VALUED)
            _end(live, mover_first)
        else:
            live.done = DONE_CUT_OFF
    if p.cube != NULL and not live.done:
        live.is_known = live.best_known
        if live.is_known:
            five_flip(live.best, live.now)
        live.best_known = 0
        _cube_comes(p, live)


cdef inline int64_t _rounded(int64_t parts) noexcept nogil:
    """Divide by LUCK_PARTS, to the nearest, halves away from zero."""
    if parts >= 0:
        return (parts + LUCK_PARTS // 2) // LUCK_PARTS
    return -((LUCK_PARTS // 2 - parts) // LUCK_PARTS)


cdef void trial_values(
    const playout_t *p, const live_t *live, int view, int64_t *values
) noexcept nogil:
    """Values of a trial that is done. view 0: of the side that began; 1: of the other side."""
    cdef int64_t v[5]
    cdef int i
    for i in range(5):
        v[i] = _rounded(LUCK_PARTS * <int64_t>live.five[i] - live.luck[i])
    if view == 0:
        values[0] = v[0]
        values[1] = v[1]
        values[2] = v[2]
        values[3] = v[3]
        values[4] = v[4]
    else:
        values[0] = UNIT - v[0]
        values[1] = v[3]
        values[2] = v[4]
        values[3] = v[1]
        values[4] = v[2]
    values[5] = 2 * values[0] - UNIT + values[1] - values[3] + values[2] - values[4]
    if p.cube != NULL:
        values[6] = _rounded(LUCK_PARTS * live.utility - live.utility_luck)
        if view != 0:
            values[6] = cube_total(p.cube) - values[6]


cdef int trial_choice(
    const playout_t *p, live_t *live, uint64_t trial, const board_t *plays, int n
) noexcept nogil:
    """Index of the play that the policy makes, of n > 0."""
    cdef int32_t win
    cdef int64_t utility
    if n == 1:
        return 0
    if p.policy == POLICY_RANDOM:
        # a bias of n / 2**64 at most
        return <int>mul_high64(dice_bits(p.dice, trial, live.ply, 0), <uint64_t>n)
    if p.policy == POLICY_PIPS:
        return _pips_best(plays, n)
    if p.policy == POLICY_TABLE and _in_table(p, &live.board):
        if p.cube == NULL:
            return _table_best(p, plays, n, &win)
        if _table_counts(p, live):
            return cube_table_play(p.cube, p.tables, live.row, live.ply & 1, plays, n, &utility)
    if p.cube != NULL:
        live.best_known = p.player == p.evaluator
        return cube_best_play(p.cube, p.player, live.row, live.ply & 1, &live.board, plays, n,
                              live.best)
    return evaluator_best_play(p.player, &live.board, plays, n)


cdef int playout_trial(
    const playout_t *p, const start_t *start, uint64_t trial, board_t *plays, live_t *live
) noexcept nogil:
    """Play one trial to its end. plays: PLAYS_BUFFER boards. -1: no end within max_plies."""
    cdef uint8_t rolls[DICE_AHEAD]
    cdef const board_t *after
    cdef int roll, n
    trial_begin(p, start, live)
    while not live.done:
        if live.ply >= p.max_plies:
            return -1
        if live.ply % DICE_AHEAD == 0:
            dice_rolls(p.dice, trial, live.ply, DICE_AHEAD, rolls)
        roll = rolls[live.ply % DICE_AHEAD]
        if p.luck:
            trial_luck_before(p, live, roll, plays)
        n = generate_boards(&live.board, roll // 6 + 1, roll % 6 + 1, plays)
        if p.luck:
            trial_luck_plays(p, live, plays, n)
        after = &live.board if n == 0 else plays + trial_choice(p, live, trial, plays, n)
        trial_advance(p, after, live)
    return 0


# ---- sums ----

cdef inline int _n_values(const playout_t *p) noexcept nogil:
    return TRIAL_VALUES if p.cube == NULL else CUBE_VALUES


cdef inline void _add_trial(
    const playout_t *p, block_t *block, const live_t *live, int view, int64_t *values
) noexcept nogil:
    """Add a trial that is done; its own values go to `values`."""
    cdef uint64_t size, low
    cdef int i
    trial_values(p, live, view, values)
    for i in range(_n_values(p)):
        block.sums[i] += values[i]
        size = <uint64_t>(values[i] if values[i] >= 0 else -values[i])
        low = size * size
        block.squares[i][0] += low
        block.squares[i][1] += mul_high64(size, size) + (block.squares[i][0] < low)
    block.plies += live.ply
    block.longest = max(block.longest, <int64_t>live.ply)
    if p.cube != NULL:
        block.ends[p.cube.rows[live.row].level][_end_seen_by(view, live.end)] += 1


cdef int64_t playout_block(
    const playout_t *p, const start_t *start, int view, uint64_t first, int n, board_t *plays,
    block_t *block, int64_t *values, int64_t stride
) noexcept nogil:
    """Play trials first ... first + n - 1 and add them up.

    The values of the i-th of them go to values + i * stride.

    Returns
    -------
    int
        -1, or the number of a trial that did not end within max_plies.
    """
    cdef live_t live
    cdef int i
    memset(block, 0, sizeof(block_t))
    for i in range(n):
        if playout_trial(p, start, first + <uint64_t>i, plays, &live) < 0:
            return <int64_t>first + i
        _add_trial(p, block, &live, view, values + i * stride)
    return -1


# ---- the face for Python ----

cdef object _no_end(int64_t trial, int max_plies):
    return RolloutError(
        f"trial {trial} did not end within {max_plies} plies; such a policy may play for ever: "
        "truncate the trials or choose another policy"
    )


cdef class Playout:
    """Everything that a trial depends on, except its number and its first board.

    Parameters
    ----------
    dice : DiceStream
    policy : int
        BEST_PLAY: the play that `player` likes best, the first of equals. TABLE_PLAY: the same,
        but the exact two-sided table chooses where it applies. PIPS_PLAY: the play with the best
        lead in pips, of equals the one with the fewest blots, then the first. RANDOM_PLAY:
        uniform over the distinct boards, with bits from the dice's seed.
    player : Evaluator or None
    evaluator : Evaluator or None
        Values of truncated trials and of PLAYER_LUCK. None is allowed in a `Lockstep`.
    roll_net : LuckNet, RollNet or None
        For NET_LUCK.
    tables : BearoffTables or None
        For TABLE_LUCK and `stop_at_tables`; the two-sided table must be among them.
    luck : int
        NO_LUCK, or a sum of TABLE_LUCK, NET_LUCK and PLAYER_LUCK. The table goes first where it
        applies, then the net.
    truncate : int
        Plies after which a trial is cut off; 0: never.
    stop_at_tables : bool
        End a trial where the two-sided table gives the exact rest.
    max_plies : int, default 10000
        A longer trial is an error.
    cube : CubeRows, optional
        The cube is played, with decisions by the evaluator's values, or by the exact table where
        TABLE_PLAY has it. The plays of BEST_PLAY and TABLE_PLAY are those of largest utility.
    n_checkers : int, default 15
        Of each side by the rules, 1 to 15: what is missing is borne off.

    Raises
    ------
    RolloutError
        Something is asked for that is not there.
    """
    cdef playout_t core
    cdef readonly CubeRows cube
    cdef readonly int n_checkers
    cdef readonly DiceStream dice
    cdef readonly Evaluator player, evaluator
    cdef readonly AnyRollNet roll_net
    cdef readonly BearoffTables tables

    def __init__(
        self, DiceStream dice not None, int policy, *, Evaluator player=None,
        Evaluator evaluator=None, AnyRollNet roll_net=None, BearoffTables tables=None,
        int luck=LUCK_NONE, int truncate=0,
        bint stop_at_tables=False, int max_plies=10000, CubeRows cube=None,
        int n_checkers=N_CHECKERS,
    ):
        if policy not in (POLICY_BEST, POLICY_RANDOM, POLICY_TABLE, POLICY_PIPS):
            raise RolloutError(f"there is no policy {policy}")
        if luck & LUCK_NET and roll_net is None:
            raise RolloutError("luck by the roll net needs a roll net")
        if (luck & LUCK_TABLE or stop_at_tables or policy == POLICY_TABLE) and (
                tables is None or not tables.has_two_sided):
            raise RolloutError("luck or plays by the table, or stopping at it, need the table")
        if truncate < 0 or max_plies < 1:
            raise RolloutError(f"truncate {truncate} or max_plies {max_plies} is out of range")
        if not 1 <= n_checkers <= N_CHECKERS:
            raise RolloutError(f"a side has 1 to {N_CHECKERS} checkers, not {n_checkers}")
        self.n_checkers = n_checkers
        self.dice = dice
        self.player = player
        self.evaluator = evaluator
        self.roll_net = roll_net
        self.tables = tables
        self.core.dice = &dice.dice
        self.core.player = NULL if player is None else &player.core
        self.core.evaluator = NULL if evaluator is None else &evaluator.core
        if roll_net is not None:
            roll_net.check()
        self.core.roll_net = NULL if roll_net is None else &roll_net.net
        self.core.tables = NULL if tables is None else &tables.tables
        self.core.policy = policy
        self.core.luck = luck
        self.core.truncate = truncate
        self.core.stop_at_tables = stop_at_tables
        self.core.max_plies = max_plies
        self.cube = cube
        self.core.cube = NULL if cube is None else &cube.core

    def blocks(
        self, const int8_t[:, ::1] boards, bint swapped, int64_t first, int64_t n, int size, *,
        starts=None,
    ):
        """Play trials first ... first + n - 1 from each board, with the same dice, in blocks.

        The boards must be possible ones. Runs without the GIL.

        Parameters
        ----------
        boards : (M, 26) int8 array
            Seen by the side on roll, which has not rolled. Finished games give their value.
        swapped : bool
            Whether the values are those of the side that is not on roll at the start.
        first, n : int
            The trials; first is a multiple of `size`.
        size : int
            Trials of a block; the last block may hold fewer.
        starts : (M, 2) int array, optional
            With a cube: the row of the cube at the start of each board, and whether the side on
            roll rolls at once, without a double. Row 0 and no by default.

        Returns
        -------
        sums : (B, M, V) int64 array
            Sum over the trials of a block of the V values: five probabilities, the equity and,
            with a cube, the utility; unit 2**-30.
        squares : (B, M, V, 2) uint64 array
            Sum of their squares, low and high word, unit 2**-60.
        plies : (B, M, 2) int64 array
            Plies of all trials of the block, and of the longest one. With a cube (B, M, 2 + L E):
            then for each of the L values of the cube in how many of the E ways trials ended there.
        values : (n, M, V) int64 array
            The values of each trial.

        Raises
        ------
        RolloutError
            A trial did not end within `max_plies`, or an evaluator is missing.
        """
        cdef int64_t n_boards = boards.shape[0]
        cdef int64_t n_blocks = (n + size - 1) // size
        cdef int64_t i, k, bad = -1
        cdef int64_t trials
        cdef int n_values = _n_values(&self.core)
        cdef block_t block
        self._check_complete()
        sums = np.empty((n_blocks, n_boards, n_values), np.int64)
        squares = np.empty((n_blocks, n_boards, n_values, 2), np.uint64)
        plies = np.empty((n_blocks, n_boards, _n_counts(&self.core)), np.int64)
        values = np.empty((n, n_boards, n_values), np.int64)
        cdef const int64_t[:, ::1] begins = self._starts(starts, n_boards)
        if n_boards == 0 or n_blocks == 0:
            return sums, squares, plies, values
        cdef int64_t[:, :, ::1] s = sums
        cdef uint64_t[:, :, :, ::1] q = squares
        cdef int64_t[:, :, ::1] length = plies
        cdef int64_t[:, :, ::1] v = values
        cdef start_t *first_boards = <start_t *>boards_alloc(
            n_boards * (sizeof(start_t) // sizeof(board_t)))
        cdef board_t *buffer = boards_alloc(PLAYS_BUFFER)
        if first_boards == NULL or buffer == NULL:
            boards_free(<board_t *>first_boards)
            boards_free(buffer)
            raise MemoryError("no memory for the boards")
        with nogil:
            for k in range(n_boards):
                board_from_public(&boards[k, 0], self.n_checkers, &first_boards[k].board)
                first_boards[k].row = <int32_t>begins[k, 0]
                first_boards[k].rolls = <int32_t>begins[k, 1]
            for i in range(n_blocks):
                trials = min(<int64_t>size, n - i * size)
                for k in range(n_boards):
                    bad = playout_block(&self.core, &first_boards[k], swapped,
                                        <uint64_t>(first + i * size), <int>trials, buffer, &block,
                                        &v[i * size, k, 0], n_boards * n_values)
                    if bad >= 0:
                        break
                    _store(&self.core, &block, &s[i, k, 0], &q[i, k, 0, 0], &length[i, k, 0])
                if bad >= 0:
                    break
        boards_free(<board_t *>first_boards)
        boards_free(buffer)
        if bad >= 0:
            raise _no_end(bad, self.core.max_plies)
        return sums, squares, plies, values

    cdef _starts(self, starts, int64_t n):
        """Check the starts of n boards."""
        if starts is None:
            return np.zeros((n, 2), np.int64)
        if self.cube is None:
            raise RolloutError("rows of the cube need a cube")
        checked = np.array(starts, np.int64)
        if checked.shape != (n, 2) or not (
                (checked >= 0) & (checked < [3 * self.cube.n_levels, 2])).all():
            raise RolloutError(f"a row of the cube and 0 or 1 for each of {n} boards are needed")
        return checked

    cdef _check_complete(self):
        if self.core.evaluator == NULL and self.core.cube != NULL:
            raise RolloutError("trials with a cube need an evaluator")
        if self.core.evaluator == NULL and (self.core.truncate or self.core.luck & LUCK_PLAYER):
            raise RolloutError("truncated trials and the player's luck need an evaluator")
        if self.core.player == NULL and self.core.policy in (POLICY_BEST, POLICY_TABLE):
            raise RolloutError("the best play needs a player")

    def trial_values(
        self, const int8_t[::1] board, bint swapped, int64_t first, int64_t n, *,
        int row=0, bint rolls=False,
    ):
        """Play trials one by one and give the values of each, unit 2**-30.

        Parameters
        ----------
        row, rolls
            With a cube: as `starts` of `blocks`.

        Returns
        -------
        values : (n, V) int64 array
        plies : (n,) int64 array
        """
        self._check_complete()
        if row or rolls:
            self._starts([[row, rolls]], 1)
        values = np.empty((n, _n_values(&self.core)), np.int64)
        plies = np.empty(n, np.int64)
        cdef int64_t[:, ::1] v = values
        cdef int64_t[::1] length = plies
        cdef board_t *buffer = boards_alloc(PLAYS_BUFFER)
        cdef start_t start
        cdef live_t live
        cdef int64_t i, bad = -1
        if buffer == NULL:
            raise MemoryError("no memory for the boards")
        with nogil:
            board_from_public(&board[0], self.n_checkers, &start.board)
            start.row = row
            start.rolls = rolls
            for i in range(n):
                if playout_trial(&self.core, &start, <uint64_t>(first + i), buffer, &live) < 0:
                    bad = first + i
                    break
                trial_values(&self.core, &live, swapped, &v[i, 0])
                length[i] = live.ply
        boards_free(buffer)
        if bad >= 0:
            raise _no_end(bad, self.core.max_plies)
        return values, plies


cdef inline int _n_counts(const playout_t *p) noexcept nogil:
    return TRIAL_COUNTS if p.cube == NULL else CUBE_COUNTS


cdef inline void _store(
    const playout_t *p, const block_t *block, int64_t *sums, uint64_t *squares, int64_t *plies
) noexcept nogil:
    cdef int i, k
    for i in range(_n_values(p)):
        sums[i] = block.sums[i]
        squares[2 * i] = block.squares[i][0]
        squares[2 * i + 1] = block.squares[i][1]
    plies[0] = block.plies
    plies[1] = block.longest
    if p.cube != NULL:
        for i in range(CUBE_LEVELS):
            for k in range(CUBE_ENDS):
                plies[TRIAL_COUNTS + CUBE_ENDS * i + k] = block.ends[i][k]


# ---- lockstep ----

cdef class Lockstep:
    """Trials that go on ply by ply together, so that a player in Python is asked once a ply.

    Only choices of plays, values and luck may come from outside: dice, ends and sums are those of
    `Playout.blocks`. A turn is `play_cube()` if `cube_boards()` has any, then `roll()`, then
    `add_luck()` if `luck_wanted()` has any, then `play()`, perhaps with what `choose()` or
    `choose_by()` says; it returns the boards of trials that were cut off and have no value yet, if
    the playout has no evaluator, for `finish()`.

    Parameters
    ----------
    playout : Playout
        Its policy chooses only in `choose`.
    boards, swapped, first, n, starts : as for `Playout.blocks`
    """
    cdef readonly Playout playout
    cdef live_t *lives
    cdef int64_t n_lives, n_boards, n_trials, first
    cdef bint swapped
    cdef int ply
    cdef object turn        # None, or (numbers, boards, plays, offsets, rolls) after roll()
    cdef object waiting     # numbers of the trials that finish() must value

    def __cinit__(self):
        self.lives = NULL

    def __init__(
        self, Playout playout not None, const int8_t[:, ::1] boards, bint swapped, int64_t first,
        int64_t n, *, starts=None,
    ):
        cdef int64_t i, k
        cdef start_t start
        cdef const int64_t[:, ::1] begins = playout._starts(starts, boards.shape[0])
        memset(&start, 0, sizeof(start))
        self.playout = playout
        self.n_boards = boards.shape[0]
        self.n_trials = n
        self.n_lives = self.n_boards * n
        self.first = first
        self.swapped = swapped
        self.ply = 0
        self.turn = None
        self.waiting = np.empty(0, np.int64)
        boards_free(<board_t *>self.lives)
        self.lives = <live_t *>boards_alloc(
            (self.n_lives + 1) * (sizeof(live_t) // sizeof(board_t)))
        if self.lives == NULL:
            raise MemoryError("no memory for the trials")
        for k in range(self.n_boards):
            board_from_public(&boards[k, 0], playout.n_checkers, &start.board)
            start.row = <int32_t>begins[k, 0]
            start.rolls = <int32_t>begins[k, 1]
            for i in range(n):
                trial_begin(&playout.core, &start, &self.lives[k * n + i])

    def __dealloc__(self):
        boards_free(<board_t *>self.lives)

    cdef _asking(self):
        """Numbers of the trials whose cube waits for what its side thinks of the board."""
        cdef int64_t i, n = 0
        numbers = np.empty(self.n_lives, np.int64)
        cdef int64_t[::1] number = numbers
        if self.playout.cube is not None:
            for i in range(self.n_lives):
                if self.lives[i].asks and not self.lives[i].done:
                    number[n] = i
                    n += 1
        return numbers[:n]

    cdef _boards_of(self, numbers):
        cdef const int64_t[::1] number = numbers
        boards = np.empty((len(numbers), N_PUBLIC), np.int8)
        cdef int8_t[:, ::1] b = boards
        cdef int64_t i
        cdef int k
        for i in range(number.shape[0]):
            for k in range(N_PUBLIC):
                b[i, k] = self.lives[number[i]].board.c[k]
        return boards

    def cube_boards(self):
        """Return the boards of which `play_cube` must be told before the roll.

        Returns
        -------
        (A, 26) int8 array
            Seen by the side on roll, which may double.
        """
        return self._boards_of(self._asking())

    def play_cube(self, const int32_t[:, ::1] fives):
        """Play the cube of the trials that ask.

        Parameters
        ----------
        fives : (A, 5) int32 array
            Unit 2**-30, view of the side on roll, for the boards of `cube_boards`.
        """
        cdef const int64_t[::1] number = self._asking()
        cdef live_t *live
        cdef int64_t i
        cdef int k
        if fives.shape[0] != number.shape[0] or fives.shape[1] != 5:
            raise RolloutError("five probabilities for each board that asks are needed")
        for i in range(number.shape[0]):
            live = &self.lives[number[i]]
            for k in range(5):
                live.now[k] = fives[i, k]
            live.is_known = 1
            live.asks = 0
            trial_cube(&self.playout.core, live)

    def roll(self):
        """Roll for all trials that go on, and generate their plays.

        Returns
        -------
        boards : (L, 26) int8 array
            The live trials' boards, seen by the side on roll. L = 0: all trials are done.
        plays : (K, 26) int8 array
            Distinct boards after every legal play, seen by the mover.
        offsets : (L + 1,) int64 array
            The plays of board i are ``plays[offsets[i]:offsets[i + 1]]``; none: a dance.

        Raises
        ------
        RolloutError
            A trial did not end within `max_plies`, or the turn before is not finished.
        """
        if self.turn is not None or len(self.waiting):
            raise RolloutError("the turn before is not finished")
        if len(self._asking()):
            raise RolloutError("the cube comes before the roll")
        cdef int64_t n_live = 0, i
        numbers = np.empty(self.n_lives, np.int64)
        cdef int64_t[::1] number = numbers
        for i in range(self.n_lives):
            if not self.lives[i].done:
                number[n_live] = i
                n_live += 1
        numbers = numbers[:n_live]
        if n_live and self.ply >= self.playout.core.max_plies:
            raise _no_end(self.first + number[0] % self.n_trials, self.playout.core.max_plies)
        boards = np.empty((n_live, N_PUBLIC), np.int8)
        dice = np.empty((n_live, 2), np.uint8)
        cdef int8_t[:, ::1] b = boards
        cdef uint8_t[:, ::1] d = dice
        cdef uint8_t roll
        cdef live_t *live
        cdef int k
        cdef board_t *scratch = boards_alloc(PLAYS_BUFFER)
        if scratch == NULL:
            raise MemoryError("no memory for the plays")
        with nogil:
            for i in range(n_live):
                live = &self.lives[number[i]]
                dice_rolls(&self.playout.dice.dice,
                           <uint64_t>(self.first + number[i] % self.n_trials), self.ply, 1, &roll)
                d[i, 0] = roll // 6 + 1
                d[i, 1] = roll % 6 + 1
                for k in range(N_PUBLIC):
                    b[i, k] = live.board.c[k]
                if self.playout.core.luck:
                    trial_luck_before(&self.playout.core, live, roll, scratch)
                if self.playout.core.luck & LUCK_TABLE:
                    k = generate_boards(&live.board, d[i, 0], d[i, 1], scratch)
                    trial_luck_plays(&self.playout.core, live, scratch, k)
        boards_free(scratch)
        plays, offsets = legal_boards_batch(boards, dice)
        if n_live:
            self.turn = (numbers, dice, plays, offsets)
        return boards, plays, offsets

    def luck_wanted(self, bint all_of_them):
        """Tell which live trials need the luck of their rolls from outside.

        Parameters
        ----------
        all_of_them : bool
            The evaluator outside measures luck wherever the table does not; otherwise only where
            the roll net gives way to it, if the playout has no evaluator.

        Returns
        -------
        (W,) int64 array
            Rows of the boards that `roll` returned.
        """
        numbers, _, _, _ = self._turn()
        cdef const int64_t[::1] number = numbers
        cdef const playout_t *p = &self.playout.core
        cdef live_t *live
        cdef int64_t i, n = 0
        rows = np.empty(len(numbers), np.int64)
        cdef int64_t[::1] row = rows
        for i in range(number.shape[0]):
            live = &self.lives[number[i]]
            if p.luck & LUCK_TABLE and _table_counts(p, live):
                continue
            if all_of_them or (
                    p.evaluator == NULL and p.luck & LUCK_NET and not _net_counts(p, live)):
                row[n] = i
                n += 1
        return rows[:n]

    def add_luck(self, const int32_t[:, :, ::1] values, const int64_t[::1] rows):
        """Add the luck of the rolls from values of live trials.

        Parameters
        ----------
        values : (W, 21, 5) int32 array
            For each roll 1-1, 2-1, 2-2, ..., 6-6 five numbers of unit 2**-30, the mover's view.
        rows : (W,) int64 array
            Of which trials: `luck_wanted`.
        """
        numbers, dice, _, _ = self._turn()
        cdef const int64_t[::1] number = numbers
        cdef const uint8_t[:, ::1] d = dice
        cdef int64_t i
        cdef int roll
        cdef bint opening
        cdef live_t *live
        if values.shape[0] != rows.shape[0] or values.shape[1] != N_ROLLS or values.shape[2] != 5:
            raise RolloutError("one row of values for each of these trials is needed")
        for i in range(rows.shape[0]):
            if not 0 <= rows[i] < number.shape[0]:
                raise RolloutError(f"there is no live trial {rows[i]}")
        with nogil:
            for i in range(rows.shape[0]):
                live = &self.lives[number[rows[i]]]
                roll = 6 * d[rows[i], 0] + d[rows[i], 1] - 7
                opening = _opening_ply(&self.playout.core, live)
                _add_luck_of_roll(live, &values[i, 0, 0], 1, roll, opening)
                if self.playout.core.cube != NULL:
                    _add_utility_of_roll(
                        &self.playout.core, live, &values[i, 0, 0], roll, opening)

    def choose(self):
        """Choose the plays by the playout's own policy.

        Returns
        -------
        (L,) int64 array
            For `play`.
        """
        numbers, _, plays, offsets = self._turn()
        if self.playout.core.player == NULL \
                and self.playout.core.policy in (POLICY_BEST, POLICY_TABLE):
            raise RolloutError("the best play needs a player")
        chosen = np.full(len(numbers), -1, np.int64)
        cdef const int64_t[::1] number = numbers
        cdef const int8_t[:, ::1] given = plays
        cdef const int64_t[::1] start = offsets
        cdef int64_t[::1] index = chosen
        cdef int64_t i, k, n
        cdef board_t *scratch = boards_alloc(PLAYS_BUFFER)
        if scratch == NULL:
            raise MemoryError("no memory for the plays")
        with nogil:
            for i in range(number.shape[0]):
                n = start[i + 1] - start[i]
                if n == 0:
                    continue
                for k in range(n):
                    board_from_public(
                        &given[start[i] + k, 0], self.playout.n_checkers, &scratch[k])
                index[i] = trial_choice(
                    &self.playout.core, &self.lives[number[i]],
                    <uint64_t>(self.first + number[i] % self.n_trials), scratch, <int>n)
        boards_free(scratch)
        return chosen

    def choose_by(self, const int32_t[:, ::1] fives, bint is_judge):
        """Choose the plays of largest utility with the cube, as the core's best play does.

        Parameters
        ----------
        fives : (K, 5) int32 array
            Unit 2**-30, the mover's view, after each of the plays that `roll` returned.
        is_judge : bool
            Whether they are by the evaluator that decides about the cube, too.

        Returns
        -------
        (L,) int64 array
            For `play`.
        """
        numbers, _, plays, offsets = self._turn()
        if self.playout.cube is None:
            raise RolloutError("there is no cube to choose by")
        if fives.shape[0] != len(plays) or fives.shape[1] != 5:
            raise RolloutError("five probabilities for each play are needed")
        chosen = np.full(len(numbers), -1, np.int64)
        cdef const int64_t[::1] number = numbers
        cdef const int8_t[:, ::1] given = plays
        cdef const int64_t[::1] start = offsets
        cdef int64_t[::1] index = chosen
        cdef int64_t i, k, n
        cdef live_t *live
        cdef board_t *scratch = boards_alloc(PLAYS_BUFFER)
        if scratch == NULL:
            raise MemoryError("no memory for the plays")
        with nogil:
            for i in range(number.shape[0]):
                n = start[i + 1] - start[i]
                if n < 2:
                    index[i] = n - 1
                    continue
                for k in range(n):
                    board_from_public(
                        &given[start[i] + k, 0], self.playout.n_checkers, &scratch[k])
                live = &self.lives[number[i]]
                live.best_known = is_judge
                index[i] = cube_best_of(
                    self.playout.core.cube, live.row, live.ply & 1, scratch,
                    &fives[start[i], 0], <int>n, live.best)
        boards_free(scratch)
        return chosen

    def play(self, const int64_t[::1] indices):
        """Make plays, one for each live trial.

        Parameters
        ----------
        indices : (L,) int64 array
            Which of its plays each trial makes, from 0; -1 for a dance.

        Returns
        -------
        (T, 26) int8 array
            Boards of trials that were cut off here and wait for `finish`, seen by the side on
            roll.
        """
        numbers, _, plays, offsets = self._turn()
        cdef const int64_t[::1] number = numbers
        cdef const int8_t[:, ::1] p = plays
        cdef const int64_t[::1] start = offsets
        cdef int64_t i
        cdef live_t *live
        cdef board_t after
        if indices.shape[0] != number.shape[0]:
            raise RolloutError("one play for each live trial is needed")
        for i in range(number.shape[0]):
            if not (0 <= indices[i] < start[i + 1] - start[i]
                    or (indices[i] == -1 and start[i + 1] == start[i])):
                raise EvaluatorError(
                    f"play {indices[i]} was chosen of {start[i + 1] - start[i]} plays"
                )
        with nogil:
            for i in range(number.shape[0]):
                live = &self.lives[number[i]]
                if indices[i] >= 0:
                    board_from_public(
                        &p[start[i] + indices[i], 0], self.playout.n_checkers, &after)
                else:
                    after = live.board
                trial_advance(&self.playout.core, &after, live)
        self.ply += 1
        self.turn = None
        if self.playout.core.evaluator == NULL and self.ply == self.playout.core.truncate:
            self.waiting = self._cut_off(numbers)
        return self._boards_of(self.waiting)

    def finish(self, const int32_t[:, ::1] fives):
        """Give the trials that were cut off their values.

        Parameters
        ----------
        fives : (T, 5) int32 array
            Unit 2**-30, view of the side on roll, for the boards that `play` returned.
        """
        cdef const int64_t[::1] number = self.waiting
        cdef const playout_t *p = &self.playout.core
        cdef live_t *live
        cdef int64_t i
        cdef int k, side
        cdef board_t played
        if fives.shape[0] != number.shape[0] or fives.shape[1] != 5:
            raise RolloutError("five probabilities for each board that was cut off are needed")
        for i in range(number.shape[0]):
            live = &self.lives[number[i]]
            for k in range(5):
                live.five[k] = fives[i, k]
            if p.cube != NULL:
                # as the mover sees it, whose turn is over
                side = (live.ply - 1) & 1
                board_swap(&live.board, &played)
                five_flip(live.five, live.five)
                _end_with_utility(
                    p, live, side,
                    cube_units(cube_after(p.cube, live.row, side, &played, live.five)), END_VALUED)
                _end(live, side == 0)
            else:
                _end(live, live.ply % 2 == 0)
        self.waiting = np.empty(0, np.int64)

    def totals(self, int size):
        """Add up the trials, all of which must be done. Result as for `Playout.blocks`."""
        cdef int64_t n_blocks = (self.n_trials + size - 1) // size
        cdef int64_t i, k
        cdef block_t block
        if self.turn is not None or len(self.waiting):
            raise RolloutError("the turn is not finished")
        cdef int n_values = _n_values(&self.playout.core)
        sums = np.empty((n_blocks, self.n_boards, n_values), np.int64)
        squares = np.empty((n_blocks, self.n_boards, n_values, 2), np.uint64)
        plies = np.empty((n_blocks, self.n_boards, _n_counts(&self.playout.core)), np.int64)
        values = np.empty((self.n_trials, self.n_boards, n_values), np.int64)
        cdef int64_t[:, :, ::1] v = values
        cdef int64_t[:, :, ::1] s = sums
        cdef uint64_t[:, :, :, ::1] q = squares
        cdef int64_t[:, :, ::1] length = plies
        for k in range(self.n_boards):
            for i in range(self.n_trials):
                if not self.lives[k * self.n_trials + i].done:
                    raise RolloutError("a trial is not finished")
                if i % size == 0:
                    memset(&block, 0, sizeof(block))
                _add_trial(&self.playout.core, &block, &self.lives[k * self.n_trials + i],
                           self.swapped, &v[i, k, 0])
                if i % size == size - 1 or i == self.n_trials - 1:
                    _store(&self.playout.core, &block, &s[i // size, k, 0], &q[i // size, k, 0, 0],
                           &length[i // size, k, 0])
        return sums, squares, plies, values

    cdef _turn(self):
        if self.turn is None:
            raise RolloutError("the dice have not been rolled")
        return self.turn

    cdef _cut_off(self, numbers):
        """Which of the trials were ended by `truncate` and nothing else."""
        cdef const int64_t[::1] number = numbers
        cdef live_t *live
        cdef int64_t i
        found = []
        for i in range(number.shape[0]):
            live = &self.lives[number[i]]
            if live.done == DONE_CUT_OFF:
                found.append(number[i])
        return np.array(found, np.int64)


# ---- random games ----

def random_games(DiceStream dice not None, const int8_t[::1] board, int64_t first, int64_t n):
    """Play games with uniformly random plays (over the distinct boards) to the end and count.

    The board must be a possible one. Runs without the GIL.

    Parameters
    ----------
    dice : DiceStream
        Dice and choices of trial t are those of game t.
    board : (26,) int8 array
        The start, seen by the side on roll.
    first, n : int
        The games first ... first + n - 1.

    Returns
    -------
    plies : int
        Turns of all games, dances included.
    results : tuple of 6 int
        Games that the side on roll at the start won single, as a gammon, as a backgammon, and
        that it lost in these ways.

    Raises
    ------
    RolloutError
        A game did not end within 100,000 plies.
    """
    cdef playout_t p
    cdef live_t live
    cdef start_t start
    cdef int64_t counts[6]
    cdef int64_t plies = 0, bad = -1, i
    cdef int which
    cdef board_t *buffer = boards_alloc(PLAYS_BUFFER)
    if buffer == NULL:
        raise MemoryError("no memory for the plays")
    memset(&p, 0, sizeof(p))
    memset(counts, 0, sizeof(counts))
    p.dice = &dice.dice
    p.policy = POLICY_RANDOM
    p.max_plies = 100000
    with nogil:
        board_from_public(&board[0], N_CHECKERS, &start.board)
        start.row = start.rolls = 0
        for i in range(n):
            if playout_trial(&p, &start, <uint64_t>(first + i), buffer, &live) < 0:
                bad = first + i
                break
            plies += live.ply
            which = 0 if live.five[0] else 3
            which += (live.five[1] != 0) + (live.five[2] != 0) + (live.five[3] != 0) \
                + (live.five[4] != 0)
            counts[which] += 1
    boards_free(buffer)
    if bad >= 0:
        raise _no_end(bad, p.max_plies)
    return plies, tuple(counts[i] for i in range(6))
