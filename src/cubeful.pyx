"""The cubeful model, cube decisions and plays with a cube, and the rows' face for Python."""
from libc.string cimport memset

from bgcore._core.bearoff cimport (
    BEAROFF_OPPONENT, bearoff_money, bearoff_opp_rank, bearoff_own_rank,
)
from bgcore._core.board cimport (
    MASK_HOME, MASK_OPP_HOME, board_from_public, board_opp, board_opp_pips, board_own, board_pips,
    board_swap, board_value,
)
from bgcore._core.evaluator cimport (
    AHEAD_PLAYS, FILTER_MARGIN, ahead_candidates, evaluator_ahead, evaluator_child,
    evaluator_chooses_first, evaluator_family, evaluator_first_child, family_t,
    first_choice_bound,
)
from bgcore._core.network cimport five_flip
from bgcore._core.types cimport (
    N_CHECKERS, PLAYS_BUFFER, UNIT, bit_high, bit_low, int8_t, uint32_t,
)

import numpy as np

from bgcore._core.board import check_boards
from bgcore.errors import RolloutError

#: Most values that the cube can have in a trial.
LEVELS = CUBE_LEVELS
#: Ways a trial can end: won and lost single, gammon, backgammon; cashed, passed, valued.
ENDS = CUBE_ENDS
#: How a take point is found, see cubeful.pxd.
MONEY_TAKE = TAKE_MONEY
DEAD_TAKE = TAKE_DEAD
LIVE_TAKE = TAKE_LIVE
#: Planes of the two-sided table.
PLANES = ("cubeless", "owned", "centred", "opponent")

cdef:
    double ONE_UNIT = 1.0 / UNIT
    # Below this chance of either side the cube is as good as dead.
    double CERTAIN = 1e-7
    # A double that gains less is none.
    double EQUAL = 1e-9
    # A play that is worse than another one by more than this share of what lies between winning
    # and losing the cube, by a cube that is never turned again, is not looked at with the cube.
    double FAR_WORSE = 0.2
    # cube life: contact, bear-off
    double LIFE_CONTACT = 0.68
    double LIFE_BEAROFF = 0.6


cdef int64_t cube_units(double utility) noexcept nogil:
    """The nearest unit, halves away from zero."""
    if utility >= 0:
        return <int64_t>(utility * UNIT + 0.5)
    return -<int64_t>(0.5 - utility * UNIT)


cdef int64_t cube_total(const cube_t *c) noexcept nogil:
    """Utility of both sides together in units."""
    return UNIT if c.total != 0 else 0


cdef inline double _race_life(int pips) noexcept nogil:
    return min(max(0.55 + 0.00125 * pips, 0.6), 0.7)


cdef inline double _life(const board_t *b, bint seen_rolls) noexcept nogil:
    """Cube life as GNU Backgammon 1.07 has it; seen_rolls: the side seen is on roll."""
    cdef uint32_t own = board_own(b), opp = board_opp(b)
    if own == 0 or opp == 0 or bit_high(own) > bit_low(opp):
        return LIFE_CONTACT
    if (own & ~<uint32_t>MASK_HOME) == 0 and (opp & ~<uint32_t>MASK_OPP_HOME) == 0:
        return LIFE_BEAROFF
    return _race_life(board_pips(b) if seen_rolls else board_opp_pips(b))


cdef inline void _rates(double part, double more, double whole, double *rate) noexcept nogil:
    # a control variate may see chances that do not fit together
    rate[0] = min(part / whole, 1.0) if whole > 0 else 0.0
    rate[1] = min(more / whole, rate[0]) if whole > 0 else 0.0


cdef inline void _chances(int side, const int32_t *five, chances_t *chances) noexcept nogil:
    cdef double win = five[0] * ONE_UNIT
    chances.win = win
    _rates(five[1] * ONE_UNIT, five[2] * ONE_UNIT, win, chances.rate[side])
    _rates(five[3] * ONE_UNIT, five[4] * ONE_UNIT, 1.0 - win, chances.rate[1 - side])


cdef void cube_chances(
    const board_t *before, int side, const int32_t *five, chances_t *chances
) noexcept nogil:
    """Chances of a board whose side on roll, `side`, has not rolled and has these five."""
    _chances(side, five, chances)
    chances.life = _life(before, True)


cdef inline double _stake(const double *stake, const double *rate) noexcept nogil:
    return stake[0] + rate[0] * stake[1] + rate[1] * stake[2]


cdef double _take_point(
    const cube_t *c, int row, int side, const chances_t *chances
) noexcept nogil:
    """Chance that a side needs to take a double of the other one, with a live cube."""
    cdef const cube_side_t *s = &c.rows[row].side[side]
    cdef const cube_side_t *after
    cdef double drop, loss, won, lost
    if s.take == TAKE_MONEY:
        won = 1.0 + (chances.rate[side][0] + chances.rate[side][1])
        lost = 1.0 + (chances.rate[1 - side][0] + chances.rate[1 - side][1])
        return (lost - 0.5) / (won + lost + 0.5)
    after = &c.rows[s.take_row].side[side]
    drop = s.loss[0]
    loss = _stake(after.loss, chances.rate[1 - side])
    if s.take == TAKE_DEAD:
        return (drop - loss) / (_stake(after.win, chances.rate[side]) - loss)
    return ((1.0 - _take_point(c, s.take_row, 1 - side, chances))
            * (drop - loss) / (after.win[0] - loss))


cdef inline double _on_line(
    double x, double left, double low, double right, double high
) noexcept nogil:
    if right - left > 0:
        return low + (x - left) / (right - left) * (high - low)
    return high


cdef double cube_equity(
    const cube_t *c, int row, int side, const chances_t *chances
) noexcept nogil:
    """Utility of the side on roll if it does not double now."""
    cdef const cube_side_t *s = &c.rows[row].side[side]
    cdef bint other_doubles = c.rows[row].side[1 - side].doubles != 0
    cdef double x = chances.win
    cdef double win = _stake(s.win, chances.rate[side])
    cdef double loss = _stake(s.loss, chances.rate[1 - side])
    cdef double dead = x * win + (1.0 - x) * loss
    cdef double left = 0.0, low = loss, point, live
    cdef bint found = False
    if x < CERTAIN or x > 1.0 - CERTAIN or not (s.doubles or other_doubles):
        return dead
    live = 0.0
    if other_doubles:
        point = _take_point(c, row, side, chances)
        if x <= point:
            live = _on_line(x, left, low, point, s.loss[0])
            found = True
        left = point
        low = s.loss[0]
    if s.doubles and not found:
        point = 1.0 - _take_point(c, row, 1 - side, chances)
        if x <= point:
            live = _on_line(x, left, low, point, s.win[0])
            found = True
        left = point
        low = s.win[0]
    if not found:
        live = _on_line(x, left, low, 1.0, win)
    return (1.0 - chances.life) * dead + chances.life * live


cdef int cube_choice(
    const cube_t *c, int row, int side, const chances_t *chances, double *utility
) noexcept nogil:
    """What the side on roll and then the other one do with the cube by the model: CUBE_....

    A raccoon is never right by one model: it doubles an equity that made the beaver right.
    """
    cdef const cube_side_t *s = &c.rows[row].side[side]
    cdef double hold = cube_equity(c, row, side, chances)
    cdef double answer, beaver, dropped
    cdef bint is_dropped
    cdef int choice = CUBE_TAKE
    utility[0] = hold
    if not s.doubles:
        return CUBE_NO_DOUBLE
    answer = cube_equity(c, s.after_take, side, chances)
    if s.after_beaver >= 0 and answer < s.win[0]:
        beaver = cube_equity(c, s.after_beaver, side, chances)
        dropped = c.rows[s.after_take].side[side].loss[0]
        is_dropped = c.beaver_drop and beaver < dropped
        if is_dropped:
            beaver = dropped
        # a beaver that is dropped can bring less than the take
        if beaver < answer:
            choice = CUBE_BEAVER_DROPPED if is_dropped else CUBE_BEAVER
            answer = beaver
    if s.win[0] < answer:
        choice = CUBE_PASS
        answer = s.win[0]
    if answer > hold + EQUAL:
        utility[0] = answer
        return choice
    return CUBE_NO_DOUBLE


cdef int cube_next_row(const cube_t *c, int row, int side, int choice) noexcept nogil:
    """The row in which the side on roll plays on after a choice that does not end the game."""
    if choice == CUBE_TAKE:
        return c.rows[row].side[side].after_take
    if choice == CUBE_BEAVER:
        return c.rows[row].side[side].after_beaver
    return row


cdef inline double _after(
    const cube_t *c, int row, int mover, const int32_t *five, double life
) noexcept nogil:
    cdef chances_t chances
    cdef int32_t theirs[5]
    cdef double utility
    five_flip(five, theirs)
    _chances(1 - mover, theirs, &chances)
    chances.life = life
    cube_choice(c, row, 1 - mover, &chances, &utility)
    return c.total - utility


cdef double cube_after(
    const cube_t *c, int row, int mover, const board_t *after, const int32_t *five
) noexcept nogil:
    """Utility of the mover by the model after a play; the other side may double and then rolls.

    after: seen by the mover; or any board of about the same race, for the cube life alone.
    """
    return _after(c, row, mover, five, _life(after, False))


cdef inline double _rank(
    const cube_side_t *s, const int32_t *five
) noexcept nogil:
    cdef double win = five[0] * ONE_UNIT
    return (win * s.win[0] + five[1] * ONE_UNIT * s.win[1] + five[2] * ONE_UNIT * s.win[2]
            + (1.0 - win) * s.loss[0] + five[3] * ONE_UNIT * s.loss[1]
            + five[4] * ONE_UNIT * s.loss[2])


cdef inline double _of_play(
    const cube_t *c, int row, int mover, const int32_t *five, const board_t *after
) noexcept nogil:
    """Utility by the model of a board after a play."""
    if c.rows[row].is_over != 0:
        return _rank(&c.rows[row].side[mover], five)
    return _after(c, row, mover, five, _life(after, False))


# The best play so far.
cdef struct pick_t:
    double margin           # a play that is so much worse by the stakes is left out
    double rank             # the best by the stakes
    double utility          # the best by the model
    int chosen              # its index, -1: none


cdef inline pick_t _no_pick(const cube_t *c, int row, int mover) noexcept nogil:
    cdef const cube_side_t *stakes = &c.rows[c.rows[row].rank_row].side[mover]
    cdef pick_t pick
    pick.margin = FAR_WORSE * (stakes.win[0] - stakes.loss[0])
    pick.rank = pick.utility = 0.0
    pick.chosen = -1
    return pick


cdef inline void _consider(
    const cube_t *c, int row, int mover, const board_t *play, const int32_t *five, int i,
    pick_t *pick, int32_t *best_five
) noexcept nogil:
    """Take a play, number i, with five probabilities of the mover, if it is the best so far."""
    cdef double rank = _rank(&c.rows[c.rows[row].rank_row].side[mover], five)
    cdef double utility
    cdef int k
    if pick.chosen >= 0 and rank < pick.rank - pick.margin:
        return
    utility = _of_play(c, row, mover, five, play)
    if pick.chosen < 0 or rank > pick.rank:
        pick.rank = rank
    if pick.chosen < 0 or utility > pick.utility:
        pick.utility = utility
        pick.chosen = i
        for k in range(5):
            best_five[k] = five[k]


cdef inline int64_t _points(const cube_side_t *stakes, int64_t points) noexcept nogil:
    """Points of a single game, unit 2**-30, in units of utility."""
    return cube_units(0.5 * (stakes.win[0] - stakes.loss[0]) * (points * ONE_UNIT))


cdef int _first_choice(
    const cube_t *c, const evaluator_t *e, const family_t *family, int row, int mover,
    const board_t *plays, int n, int32_t *chosen
) noexcept nogil:
    """Numbers of the plays, in their order, that the strong net is to look at; their count.

    The best by the fast net, as without a cube, but by the stakes.
    """
    cdef const cube_side_t *stakes = &c.rows[c.rows[row].rank_row].side[mover]
    cdef int64_t ranks[PLAYS_BUFFER]
    cdef int32_t five[5]
    cdef int64_t bound
    cdef int i, count = 0
    if not evaluator_chooses_first(e, n):
        for i in range(n):
            chosen[i] = i
        return n
    for i in range(n):
        evaluator_first_child(e, family, &plays[i], five)
        ranks[i] = cube_units(_rank(stakes, five))
    bound = first_choice_bound(ranks, n, _points(stakes, FILTER_MARGIN))
    for i in range(n):
        if ranks[i] >= bound:
            chosen[count] = i
            count += 1
    return count


cdef int cube_best_play(
    const cube_t *c, const evaluator_t *e, int row, int mover, const board_t *parent,
    const board_t *plays, int n, int32_t *best_five
) noexcept nogil:
    """Index of the play with the largest utility by the model, the first of equals.

    best_five: five probabilities of the mover after it. A play that is far worse (FAR_WORSE) than
    one before it is left out.
    """
    cdef family_t family
    cdef int32_t five[5]
    cdef int32_t chosen[PLAYS_BUFFER]
    cdef pick_t pick = _no_pick(c, row, mover)
    cdef int i, k
    if e.plies > 0 and n > 1:
        return _best_play_ahead(c, e, row, mover, parent, plays, n, best_five)
    evaluator_family(e, parent, &family)
    for k in range(_first_choice(c, e, &family, row, mover, plays, n, chosen)):
        i = chosen[k]
        evaluator_child(e, &family, &plays[i], five)
        _consider(c, row, mover, &plays[i], five, i, &pick, best_five)
    return pick.chosen


cdef int cube_best_of(
    const cube_t *c, int row, int mover, const board_t *plays, const int32_t *fives, int n,
    int32_t *best_five
) noexcept nogil:
    """The same by five probabilities of the mover after each play, which are given."""
    cdef pick_t pick = _no_pick(c, row, mover)
    cdef int i
    for i in range(n):
        _consider(c, row, mover, &plays[i], fives + 5 * i, i, &pick, best_five)
    return pick.chosen


cdef int _best_play_ahead(
    const cube_t *c, const evaluator_t *e, int row, int mover, const board_t *parent,
    const board_t *plays, int n, int32_t *best_five
) noexcept nogil:
    """`cube_best_play` of an evaluator that looks ahead: at the best plays of the ply before."""
    cdef const cube_side_t *stakes = &c.rows[c.rows[row].rank_row].side[mover]
    cdef int64_t point = _points(stakes, UNIT)
    cdef family_t family
    cdef int64_t values[PLAYS_BUFFER]
    cdef int32_t first[PLAYS_BUFFER]
    cdef int32_t chosen[AHEAD_PLAYS]
    cdef int32_t places[AHEAD_PLAYS]
    cdef int32_t fives[5 * AHEAD_PLAYS]
    cdef int i, k, count, ply, kept, best = 0
    evaluator_family(e, parent, &family)
    count = _first_choice(c, e, &family, row, mover, plays, n, first)
    for k in range(count):
        i = first[k]
        evaluator_child(e, &family, &plays[i], fives)
        values[k] = cube_units(_of_play(c, row, mover, fives, &plays[i]))
    count = ahead_candidates(values, count, 1, point, chosen)
    for k in range(count):
        chosen[k] = first[chosen[k]]
    for ply in range(1, e.plies + 1):
        for i in range(count):
            evaluator_ahead(e, &plays[chosen[i]], ply, fives + 5 * i)
            values[i] = cube_units(
                _of_play(c, row, mover, fives + 5 * i, &plays[chosen[i]]))
        if ply < e.plies:
            kept = ahead_candidates(values, count, ply + 1, point, places)
            for i in range(kept):
                chosen[i] = chosen[places[i]]
            count = kept
    for i in range(1, count):
        if values[i] > values[best]:
            best = i
    for k in range(5):
        best_five[k] = fives[5 * best + k]
    return chosen[best]


# ---- by the exact table ----

cdef inline double _by_table(
    const cube_t *c, const bearoff_t *t, int row, int side, const board_t *before
) noexcept nogil:
    cdef const cube_side_t *s = &c.rows[row].side[side]
    return s.offset + s.scale * bearoff_money(
        t, s.plane, bearoff_own_rank(t, before), bearoff_opp_rank(t, before))


cdef int64_t cube_table_rolls(
    const cube_t *c, const bearoff_t *t, int row, int side, const board_t *before
) noexcept nogil:
    """Exact utility, in units, of the side on roll if it rolls without doubling."""
    return cube_units(_by_table(c, t, row, side, before))


cdef int cube_table_choice(
    const cube_t *c, const bearoff_t *t, int row, int side, const board_t *before,
    int64_t *utility
) noexcept nogil:
    """The right choice before the roll by the exact table, and its utility."""
    cdef const cube_side_t *s = &c.rows[row].side[side]
    cdef int64_t hold = cube_table_rolls(c, t, row, side, before)
    cdef int64_t answer, cash
    cdef int choice = CUBE_TAKE
    utility[0] = hold
    if not s.doubles:
        return CUBE_NO_DOUBLE
    answer = cube_table_rolls(c, t, s.after_take, side, before)
    cash = cube_units(s.win[0])
    if cash < answer:
        choice = CUBE_PASS
        answer = cash
    if answer > hold:
        utility[0] = answer
        return choice
    return CUBE_NO_DOUBLE


cdef int cube_table_play(
    const cube_t *c, const bearoff_t *t, int row, int mover, const board_t *plays, int n,
    int64_t *utility
) noexcept nogil:
    """Index of the best of n > 0 plays by the exact table, the first of equals, and its utility.
    """
    cdef board_t swapped
    cdef int64_t value, total = cube_total(c)
    cdef int i, chosen = -1
    for i in range(n):
        if board_value(&plays[i]) != 0:
            value = cube_units(c.rows[row].side[mover].win[0])
        else:
            board_swap(&plays[i], &swapped)
            cube_table_choice(c, t, row, 1 - mover, &swapped, &value)
            value = total - value
        if chosen < 0 or value > utility[0]:
            utility[0] = value
            chosen = i
    return chosen


# ---- the face for Python ----

cdef class CubeRows:
    """What the cube and the score come to, row by row, for trials. Immutable.

    Row 3 * level + owner: the cube is at 2**level times its first value; owner 0: in the middle,
    1: side 0, who rolls first in a trial, 2: side 1. Everything is indexed by [row, side].

    Parameters
    ----------
    stakes : (R, 2, 6) float64 array
        Utility of the side for winning a single game, gammon, backgammon and losing them.
    doubles : (R, 2) bool array
        Whether the side may turn the cube and can gain by it.
    takes : (R, 2) int array
        How its live take point is found: MONEY_TAKE, DEAD_TAKE or LIVE_TAKE.
    take_rows : (R, 2) int array
        The row whose stakes count for it.
    planes : (R, 2) int array
        Index in PLANES of the exact equity with the side on roll; -1: not to be used.
    beavers : (R, 2) bool array
        Whether the other side may beaver its double.
    lines : (R, 2, 2) float64 array
        Utility by the exact table: the first number + the second one times its equity.
    rank_rows : (R,) int array
        The row whose stakes say which plays get a closer look.
    total : {0, 1}
        Utility of both sides together: 0 money, 1 match.
    beaver_drop : bool
        Whether a beaver may be refused.
    close_level : int
        From this level on luck by the roll net gives way to luck by the evaluator.

    Raises
    ------
    RolloutError
        Shapes or rows do not fit together.
    """

    def __init__(
        self, stakes, doubles, takes, take_rows, planes, beavers, lines, rank_rows, int total,
        bint beaver_drop, int close_level,
    ):
        cdef int64_t n = len(stakes)
        if n == 0 or n % 3 or n > CUBE_ROWS or np.shape(stakes) != (n, 2, 6):
            raise RolloutError(f"stakes of shape {np.shape(stakes)} are no rows of a cube")
        if np.shape(lines) != (n, 2, 2) or len(rank_rows) != n or total not in (0, 1):
            raise RolloutError("lines, rows to rank by or the total do not fit the stakes")
        cdef double[:, :, ::1] stake = np.array(stakes, np.float64)
        cdef double[:, :, ::1] line = np.array(lines, np.float64)
        cdef int64_t[:, ::1] may = _numbers(doubles, n, 0, 1)
        cdef int64_t[:, ::1] take = _numbers(takes, n, TAKE_MONEY, TAKE_LIVE)
        cdef int64_t[:, ::1] take_row = _numbers(take_rows, n, 0, n - 1)
        cdef int64_t[:, ::1] plane = _numbers(planes, n, -1, BEAROFF_OPPONENT)
        cdef int64_t[:, ::1] beaver = _numbers(beavers, n, 0, 1)
        cdef int64_t[::1] rank_row = np.array(rank_rows, np.int64)
        cdef int64_t i
        cdef int s, k, owner, level
        cdef cube_row_t *row
        cdef cube_side_t *side
        memset(&self.core, 0, sizeof(cube_t))
        self.core.total = total
        self.core.n_levels = <int32_t>(n // 3)
        self.core.beaver_drop = beaver_drop
        self.core.close_level = close_level
        for i in range(n):
            level = <int>(i // 3)
            row = &self.core.rows[i]
            row.level = level
            if not 0 <= rank_row[i] < n:
                raise RolloutError(f"there is no row {rank_row[i]}")
            row.rank_row = <int32_t>rank_row[i]
            for k in range(6):
                if not -1e6 < stake[i, 0, k] < 1e6:
                    raise RolloutError(f"a stake of {stake[i, 0, k]} is too large")
                row.ends[k] = cube_units(stake[i, 0, k])
            for s in range(2):
                side = &row.side[s]
                for k in range(3):
                    side.win[k] = stake[i, s, k] - (stake[i, s, k - 1] if k else 0.0)
                    side.loss[k] = stake[i, s, 3 + k] - (stake[i, s, 2 + k] if k else 0.0)
                side.doubles = <int32_t>may[i, s]
                side.take = <int32_t>take[i, s]
                side.take_row = <int32_t>take_row[i, s]
                if take[i, s] != TAKE_MONEY and take_row[i, s] // 3 <= level and may[i, 1 - s]:
                    raise RolloutError("a take point comes from a larger cube")
                side.plane = <int32_t>plane[i, s]
                side.offset = line[i, s, 0]
                side.scale = line[i, s, 1]
                owner = 2 - s
                side.after_take = 3 * (level + 1) + owner
                side.after_beaver = 3 * (level + 2) + owner if beaver[i, s] else -1
                if max(side.after_take if may[i, s] else 0, side.after_beaver) >= n:
                    raise RolloutError("a double leads to a cube that is not among the rows")
        for i in range(n):
            row = &self.core.rows[i]
            row.is_over = not (row.side[0].doubles or row.side[1].doubles)
            for s in range(2):
                _fill_weights(&self.core.rows[row.rank_row].side[s], row.side[s].weights)
        self.arguments = (
            stakes, doubles, takes, take_rows, planes, beavers, lines, rank_rows, total,
            beaver_drop, close_level,
        )

    def __reduce__(self):
        return CubeRows, self.arguments

    @property
    def n_levels(self):
        """Values that the cube can have."""
        return self.core.n_levels

    @property
    def total(self):
        """Utility of both sides together: 0 or 1."""
        return int(self.core.total)

    def stake(self, int row, int kind):
        """Utility of side 0 in units: won single, gammon, backgammon, then lost."""
        self._check_row(row, 0)
        if not 0 <= kind < 6:
            raise RolloutError(f"there is no way {kind} to win or lose")
        return self.core.rows[row].ends[kind]

    def equity(self, boards, fives, int row, int side):
        """Utility of the side on roll if it does not double, by the model.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Seen by the side on roll.
        fives : (n, 5) int32 array
            Its probabilities, unit 2**-30.
        row, side : int
            The cube, and which side is on roll.

        Returns
        -------
        (n,) float64 array
        """
        return self._model(boards, fives, row, side)[0]

    def choices(self, boards, fives, int row, int side):
        """Choices with the cube before the roll, by the model.

        Parameters as for `equity`.

        Returns
        -------
        choices : (n,) int8 array
            0 no double; double and 1 take, 2 pass, 3 beaver, 4 a beaver that is dropped.
        utilities : (n,) float64 array
        """
        return self._model(boards, fives, row, side)[1:]

    def _model(self, boards, fives, int row, int side):
        self._check_row(row, side)
        cdef const int8_t[:, ::1] given = check_boards(boards)
        cdef const int32_t[:, ::1] five = np.ascontiguousarray(fives, np.int32)
        cdef Py_ssize_t i, n = given.shape[0]
        cdef board_t b
        cdef chances_t chances
        if five.shape[0] != n or five.shape[1] != 5:
            raise RolloutError("five probabilities for each board are needed")
        equities = np.empty(n)
        choices = np.empty(n, np.int8)
        utilities = np.empty(n)
        cdef double[::1] equity = equities, utility = utilities
        cdef int8_t[::1] choice = choices
        for i in range(n):
            board_from_public(&given[i, 0], N_CHECKERS, &b)
            cube_chances(&b, side, &five[i, 0], &chances)
            equity[i] = cube_equity(&self.core, row, side, &chances)
            choice[i] = <int8_t>cube_choice(&self.core, row, side, &chances, &utility[i])
        return equities, choices, utilities

    def _check_row(self, int row, int side):
        if not 0 <= row < 3 * self.core.n_levels or side not in (0, 1):
            raise RolloutError(f"there is no row {row} or side {side}")


cdef void _fill_weights(const cube_side_t *stakes, int32_t *weights) noexcept:
    cdef double parts[5]
    cdef int i
    parts[0] = stakes.win[0] - stakes.loss[0]
    parts[1] = stakes.win[1]
    parts[2] = stakes.win[2]
    parts[3] = stakes.loss[1]
    parts[4] = stakes.loss[2]
    for i in range(5):
        weights[i] = <int32_t>(cube_units(parts[i]) // (UNIT // CUBE_WEIGHT))


cdef _numbers(array, int64_t n, int64_t low, int64_t high):
    numbers = np.array(array, np.int64)
    if numbers.shape != (n, 2) or numbers.min() < low or numbers.max() > high:
        raise RolloutError(f"({n}, 2) numbers from {low} to {high} are needed")
    return numbers
