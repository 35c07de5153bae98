"""Evaluation of boards and choice of plays, and its face for Python."""
from libc.math cimport ldexp
from libc.string cimport memcpy

from bgcore._core.bearoff cimport BearoffTables, bearoff_five_after
from bgcore._core.board cimport (
    MASK_HOME, MASK_OPP_HOME, board_from_public, board_opp, board_opp_pips, board_own, board_pips,
    board_swap, board_value,
)
from bgcore._core.movegen cimport generate_boards
from bgcore._core.network cimport (
    DeepNet, ValueNet, deep_child_five, deep_refresh, five_equity, five_finished, five_flip,
    net_child_five, net_refresh,
)
from bgcore._core.types cimport (
    N_CELLS, N_CHECKERS, N_PUBLIC, N_ROLLS, PLAYS_BUFFER, UNIT, boards_alloc, boards_free, int8_t,
    uint8_t, uint32_t,
)

import numpy as np

from bgcore._core.board import check_boards
from bgcore._core.network import unfinished_boards
from bgcore.errors import DiceError, NetError


cdef extern from *:
    """
    /* Below what any play is worth. */
    #define NOT_CHOSEN (-((int64_t)1 << 33))
    """
    int64_t NOT_CHOSEN


cdef void _pips_five(const board_t *after, int32_t *five) noexcept nogil:
    """Win probability from the pip counts alone; no gammons.

    With L = lead of the mover in pips, less the 4 pips that the move is worth to the opponent,
    and T = all pips: win = 1/2 + L / (2 |L| + (208 + 2 T) / 13). Near L = 0 its slope is that of
    a normal race (standard deviation of a roll 4.3 pips).
    """
    cdef int64_t own = board_pips(after), opp = board_opp_pips(after)
    cdef int64_t lead = opp - own - 4
    cdef int64_t size = lead if lead >= 0 else -lead
    five[0] = <int32_t>(UNIT // 2 + 13 * lead * (UNIT // 2) // (13 * size + 104 + own + opp))
    five[1] = five[2] = five[3] = five[4] = 0


cdef void evaluator_family(
    const evaluator_t *e, const board_t *parent, family_t *family
) noexcept nogil:
    """Prepare for evaluating boards that differ from `parent` in few cells."""
    family.parent = parent
    if e.net != NULL:
        net_refresh(e.net, parent, &family.sums)
    if e.deep != NULL:
        deep_refresh(e.deep, parent, board_own(parent), board_opp(parent), &family.deep)


cdef inline void _child_of_kind(
    const evaluator_t *e, const family_t *family, const board_t *after, int kind, int32_t *five
) noexcept nogil:
    cdef uint32_t own = board_own(after)
    cdef uint32_t opp = board_opp(after)
    cdef int i
    if own == 0 or opp == 0:
        five_finished(board_value(after), five)
        return
    if (e.tables != NULL and (own & ~<uint32_t>MASK_HOME) == 0
            and (opp & ~<uint32_t>MASK_OPP_HOME) == 0
            and bearoff_five_after(e.tables, after, five) != 0):
        pass
    elif kind == EVALUATOR_NET:
        net_child_five(e.net, &family.sums, family.parent, after, own, opp, five)
    elif kind == EVALUATOR_DEEP:
        deep_child_five(e.deep, &family.deep, family.parent, after, own, opp, five)
    else:
        _pips_five(after, five)
    for i in range(5):
        five[i] &= EVALUATOR_GRID


cdef inline void _child(
    const evaluator_t *e, const family_t *family, const board_t *after, int32_t *five
) noexcept nogil:
    _child_of_kind(e, family, after, e.kind, five)


cdef bint evaluator_chooses_first(const evaluator_t *e, int n) noexcept nogil:
    """Whether the fast net beside a strong one looks at n plays first."""
    return e.kind == EVALUATOR_DEEP and e.net != NULL and n > FILTER_LEAST


cdef void evaluator_first_child(
    const evaluator_t *e, const family_t *family, const board_t *after, int32_t *five
) noexcept nogil:
    """The same as `evaluator_child`, by the net of the first choice."""
    _child_of_kind(e, family, after, EVALUATOR_NET, five)


cdef int64_t first_choice_bound(const int64_t *values, int n, int64_t margin) noexcept nogil:
    """What a play must be worth by the fast net for the strong one to look at it.

    values: what each of n > 0 plays is worth by the fast net.
    """
    cdef int64_t top[FILTER_PLAYS]  # the largest, falling
    cdef int count = 0, i, k
    for i in range(n):
        if count < FILTER_PLAYS:
            k = count
            count += 1
        elif values[i] > top[FILTER_PLAYS - 1]:
            k = FILTER_PLAYS - 1
        else:
            continue
        while k > 0 and top[k - 1] < values[i]:
            top[k] = top[k - 1]
            k -= 1
        top[k] = values[i]
    return max(top[0] - margin, top[count - 1])


cdef inline int64_t _worth(const evaluator_t *e, const int32_t *five) noexcept nogil:
    """What a player plays for: the cubeless equity, or in games for a win alone 2 win - 1."""
    if e.to_win:
        return 2 * <int64_t>five[0] - UNIT
    return five_equity(five)


cdef int _look(
    const evaluator_t *e, const family_t *family, const board_t *plays, int n, int64_t *values,
    int32_t *best_five
) noexcept nogil:
    """Index of the play that is best as it stands, the first of equals, and its probabilities.

    n must not be 0. values: what each play is worth. With a fast net beside the strong one, plays
    that the fast one finds far worse than its best get NOT_CHOSEN.
    """
    cdef bint filtered = evaluator_chooses_first(e, n)
    cdef int64_t best = NOT_CHOSEN, bound = NOT_CHOSEN
    cdef int32_t five[5]
    cdef int i, k, chosen = 0
    if filtered:
        for i in range(n):
            evaluator_first_child(e, family, &plays[i], five)
            values[i] = _worth(e, five)
        bound = first_choice_bound(values, n, FILTER_MARGIN)
    for i in range(n):
        if filtered and values[i] < bound:
            values[i] = NOT_CHOSEN
            continue
        _child(e, family, &plays[i], five)
        values[i] = _worth(e, five)
        if values[i] > best:
            best = values[i]
            chosen = i
            for k in range(5):
                best_five[k] = five[k]
    return chosen


cdef int _best(
    const evaluator_t *e, const family_t *family, const board_t *plays, int n, int32_t *best_five
) noexcept nogil:
    cdef int64_t values[PLAYS_BUFFER]
    return _look(e, family, plays, n, values, best_five)


cdef void evaluator_child(
    const evaluator_t *e, const family_t *family, const board_t *after, int32_t *five
) noexcept nogil:
    """Five probabilities of a board after a play from the family's parent, mover's view."""
    _child(e, family, after, five)


cdef void evaluator_static(
    const evaluator_t *e, const board_t *after, int32_t *five
) noexcept nogil:
    """Five probabilities of a board after a play without looking ahead, mover's view."""
    cdef family_t family
    evaluator_family(e, after, &family)
    _child(e, &family, after, five)


cdef bint _is_exact(const evaluator_t *e, const board_t *after, int32_t *five) noexcept nogil:
    """Whether nothing can be gained by looking ahead; then the five probabilities as well."""
    cdef uint32_t own = board_own(after), opp = board_opp(after)
    if own != 0 and opp != 0 and (
            e.tables == NULL or (own & ~<uint32_t>MASK_HOME) != 0
            or (opp & ~<uint32_t>MASK_OPP_HOME) != 0
            or bearoff_five_after(e.tables, after, five) == 0):
        return False
    evaluator_static(e, after, five)
    return True


cdef void _ahead(
    const evaluator_t *e, const board_t *after, int plies, board_t *scratch, int32_t *five
) noexcept nogil:
    cdef board_t before, child
    cdef family_t family
    cdef int64_t sums[5]
    cdef int32_t best[5]
    cdef int large, small, weight, k, n
    if plies <= 0:
        evaluator_static(e, after, five)
        return
    if _is_exact(e, after, five):
        return
    board_swap(after, &before)
    evaluator_family(e, &before, &family)
    for k in range(5):
        sums[k] = 0
    for large in range(1, 7):
        for small in range(1, large + 1):
            n = generate_boards(&before, large, small, scratch)
            if n > 0:
                child = scratch[_best(e, &family, scratch, n, best)]
            else:
                child = before
                _child(e, &family, &before, best)
            if plies > 1:
                _ahead(e, &child, plies - 1, scratch, best)
            weight = 1 if large == small else 2
            for k in range(5):
                sums[k] += weight * <int64_t>best[k]
    for k in range(5):
        best[k] = <int32_t>(sums[k] // 36) & EVALUATOR_GRID
    five_flip(best, five)


cdef void evaluator_ahead(
    const evaluator_t *e, const board_t *after, int plies, int32_t *five
) noexcept nogil:
    """Five probabilities of a board after a play, some plies deep, mover's view.

    0 plies: as the board stands. Else the exact mean over the opponent's 21 rolls, each played in
    the way that is best as the boards stand, one ply less deep.
    """
    cdef board_t scratch[PLAYS_BUFFER]
    _ahead(e, after, plies, scratch, five)


cdef int ahead_candidates(
    const int64_t *values, int n, int plies, int64_t unit, int32_t *chosen
) noexcept nogil:
    """Numbers of the plays that deserve to be looked at `plies` deep, in their order.

    values: what each is worth one ply less deep; unit: what a point is worth there. Returns how
    many there are, at most AHEAD_PLAYS.
    """
    cdef int most = AHEAD_PLAYS if plies == 1 else FARTHER_PLAYS
    cdef int64_t margin = AHEAD_MARGIN if plies == 1 else FARTHER_MARGIN
    cdef int64_t best = values[0], bound
    cdef int count = 0, i, k, worst
    for i in range(1, n):
        if values[i] > best:
            best = values[i]
    bound = best - <int64_t>(<double>margin * <double>unit / UNIT)
    for i in range(n):
        if values[i] < bound:
            continue
        if count < most:
            chosen[count] = i
            count += 1
            continue
        worst = 0
        for k in range(1, count):
            if values[chosen[k]] <= values[chosen[worst]]:
                worst = k
        if values[i] > values[chosen[worst]]:
            for k in range(worst, count - 1):
                chosen[k] = chosen[k + 1]
            chosen[count - 1] = i
    return count


cdef int _best_ahead(
    const evaluator_t *e, const family_t *family, const board_t *plays, int n
) noexcept nogil:
    """Index of the best of n plays, looking ahead at the best of the ply before."""
    cdef int64_t values[PLAYS_BUFFER]
    cdef int32_t chosen[AHEAD_PLAYS]
    cdef int32_t places[AHEAD_PLAYS]
    cdef int32_t five[5]
    cdef int64_t best
    cdef int i, count, ply, kept
    _look(e, family, plays, n, values, five)
    count = ahead_candidates(values, n, 1, UNIT, chosen)
    for ply in range(1, e.plies + 1):
        if count == 1:
            return chosen[0]
        for i in range(count):
            evaluator_ahead(e, &plays[chosen[i]], ply, five)
            values[i] = _worth(e, five)
        if ply < e.plies:
            kept = ahead_candidates(values, count, ply + 1, UNIT, places)
            for i in range(kept):
                chosen[i] = chosen[places[i]]
            count = kept
    best = values[0]
    ply = 0
    for i in range(1, count):
        if values[i] > best:
            best = values[i]
            ply = i
    return chosen[ply]


cdef void evaluator_five_after(
    const evaluator_t *e, const board_t *after, int32_t *five
) noexcept nogil:
    """Five probabilities of a board after a play, as deep as the evaluator looks, mover's view."""
    if e.plies == 0:
        evaluator_static(e, after, five)
    else:
        evaluator_ahead(e, after, e.plies, five)


cdef void evaluator_equities_after(
    const evaluator_t *e, const board_t *parent, const board_t *plays, int n, int64_t *equity
) noexcept nogil:
    """Cubeless equity of each of n boards after a play, mover's view."""
    cdef family_t family
    cdef int32_t five[5]
    cdef int i
    evaluator_family(e, parent, &family)
    for i in range(n):
        if e.plies == 0:
            _child(e, &family, &plays[i], five)
        else:
            evaluator_ahead(e, &plays[i], e.plies, five)
        equity[i] = five_equity(five)


cdef int evaluator_best_play(
    const evaluator_t *e, const board_t *parent, const board_t *plays, int n
) noexcept nogil:
    """Index of the play that is worth most; the first of equals. n must not be 0."""
    cdef family_t family
    cdef int32_t five[5]
    if n == 1:
        return 0
    evaluator_family(e, parent, &family)
    if e.plies == 0:
        return _best(e, &family, plays, n, five)
    return _best_ahead(e, &family, plays, n)


cdef void evaluator_best_fives(
    const evaluator_t *e, const board_t *board, board_t *scratch, int32_t *fives
) noexcept nogil:
    """Five probabilities after the best play of each of the 21 rolls, view of the roller.

    Rolls in the order 1-1, 2-1, 2-2, ..., 6-6; a roll without a play leaves the board as it is.
    The game must not be over. scratch: PLAYS_BUFFER boards.
    """
    cdef family_t family
    cdef int large, small, n
    evaluator_family(e, board, &family)
    for large in range(1, 7):
        for small in range(1, large + 1):
            n = generate_boards(board, large, small, scratch)
            if n == 0:
                _child(e, &family, board, fives)
            else:
                _best(e, &family, scratch, n, fives)
            fives += 5


cdef int64_t mean_best_equity(
    const evaluator_t *e, const board_t *board, board_t *scratch
) noexcept nogil:
    """36 times the mean over all rolls of the equity after the best play, view of the roller."""
    cdef int32_t fives[105]
    cdef int64_t total = 0
    cdef int large, small, i = 0
    evaluator_best_fives(e, board, scratch, fives)
    for large in range(1, 7):
        for small in range(1, large + 1):
            total += five_equity(fives + i) * (1 if large == small else 2)
            i += 5
    return total


#: How far an evaluator can look ahead.
MOST_PLIES = _MOST_PLIES

_ROLL_WEIGHTS = np.array([1 if a == b else 2 for a in range(6) for b in range(a + 1)], np.int64)


def _checked_dice(dice, n):
    rolls = np.asarray(dice)
    if rolls.shape != (n, 2) or rolls.dtype.kind not in "iu":
        raise DiceError(
            f"dice must be integers of shape ({n}, 2), not {rolls.dtype} of shape {rolls.shape}"
        )
    if rolls.size and (rolls.min() < 1 or rolls.max() > 6):
        raise DiceError("dice must show 1 to 6")
    return rolls.astype(np.int64)


cdef _float_five(fixed):
    return (fixed * ldexp(1.0, -30)).astype(np.float32)


cdef class Evaluator:
    """An evaluator of the core: a net, or the pip counts.

    Parameters
    ----------
    net : ValueNet, DeepNet or None
        None evaluates by the pip counts alone.
    tables : BearoffTables, optional
        Used wherever they cover a board.
    first_choice : ValueNet, optional
        With a strong net only: where plays are chosen, the strong net looks at those alone that
        this fast net finds best, at most 14 and none that is more than 0.44 points worse.
    plies : int, default 0
        How far it looks ahead, 0 to 3, see `evaluator_ahead`. Where a play is chosen, only the
        best plays of each ply are looked at one ply deeper. `best_fives` and `luck` do not look
        ahead.
    n_checkers : int, default 15
        Of each side by the rules: what is missing from a board is borne off.
    """

    def __init__(self, net, tables=None, first_choice=None, plies=0, *, n_checkers=N_CHECKERS):
        self.core.net = NULL
        self.core.deep = NULL
        if net is None:
            self.core.kind = EVALUATOR_PIPS
        elif isinstance(net, ValueNet):
            self.core.kind = EVALUATOR_NET
            self.core.net = (<ValueNet>net).net
        elif isinstance(net, DeepNet):
            if (<DeepNet>net).memory == NULL:
                raise NetError("this net has no weights")
            self.core.kind = EVALUATOR_DEEP
            self.core.deep = &(<DeepNet>net).net
        else:
            raise NetError(f"an evaluator needs a net or None, not {type(net).__name__}")
        if tables is None:
            self.core.tables = NULL
        elif isinstance(tables, BearoffTables):
            self.core.tables = &(<BearoffTables>tables).tables
        else:
            raise NetError(f"tables must be BearoffTables, not {type(tables).__name__}")
        if first_choice is not None:
            if not isinstance(first_choice, ValueNet) or not isinstance(net, DeepNet):
                raise NetError("only a ValueNet makes the first choice, and only for a DeepNet")
            self.core.net = (<ValueNet>first_choice).net
        self.net = net
        self.tables = tables
        self.first_choice = first_choice
        if isinstance(plies, bool) or not isinstance(plies, int) or not 0 <= plies <= _MOST_PLIES:
            raise NetError(f"plies must be 0 to {_MOST_PLIES}, not {plies!r}")
        self.core.plies = plies
        self.core.to_win = False
        if isinstance(n_checkers, bool) or not isinstance(n_checkers, int) \
                or not 1 <= n_checkers <= N_CHECKERS:
            raise NetError(f"a side has 1 to {N_CHECKERS} checkers, not {n_checkers!r}")
        self.n_checkers = n_checkers

    @property
    def plies(self):
        """How far it looks ahead."""
        return self.core.plies

    def evaluate_fixed(self, boards, *, after):
        """Evaluate boards as integers.

        Parameters
        ----------
        boards : (n, 26) int8 array
        after : bool
            True: the side seen has just played. False: it is on roll and has not rolled.

        Returns
        -------
        (n, 5) int32 array
            The five probabilities of the side seen, unit 2**-30.

        Raises
        ------
        BoardError
        """
        boards = check_boards(boards, n_checkers=self.n_checkers)
        result = np.empty((boards.shape[0], 5), np.int32)
        cdef const int8_t[:, ::1] given = boards
        cdef int32_t[:, ::1] fives = result
        cdef bint played = after
        cdef board_t b, swapped
        cdef Py_ssize_t i
        with nogil:
            for i in range(given.shape[0]):
                board_from_public(&given[i, 0], self.n_checkers, &b)
                if played:
                    evaluator_five_after(&self.core, &b, &fives[i, 0])
                else:
                    board_swap(&b, &swapped)
                    evaluator_five_after(&self.core, &swapped, &fives[i, 0])
                    five_flip(&fives[i, 0], &fives[i, 0])
        return result

    def evaluate_core(self, const int8_t[:, ::1] boards not None):
        """Evaluate boards after a play that are in the core's layout, as integers.

        So boards of games whose sides do not travel as in backgammon can be evaluated.

        Parameters
        ----------
        boards : (n, 32) int8 array
            After a play of the side seen, -15 to 15 in each cell.

        Returns
        -------
        (n, 5) int32 array
            The five probabilities of the side seen, unit 2**-30.

        Raises
        ------
        NetError
            Another shape, or a count is out of range.
        """
        cells = np.asarray(boards)
        if cells.shape[1] != sizeof(board_t) or (
                cells.size and (cells.min() < -N_CHECKERS or cells.max() > N_CHECKERS
                                or cells[:, N_CELLS:].any())):
            raise NetError("boards must be in the core's layout, at most 15 checkers a cell")
        result = np.empty((boards.shape[0], 5), np.int32)
        cdef int32_t[:, ::1] fives = result
        cdef board_t b
        cdef Py_ssize_t i
        with nogil:
            for i in range(boards.shape[0]):
                memcpy(&b, &boards[i, 0], sizeof(board_t))
                evaluator_static(&self.core, &b, &fives[i, 0])
        return result

    def evaluate(self, boards):
        """Evaluate boards before the roll.

        Parameters
        ----------
        boards : (n, 26) int8 array
            The side seen is on roll and has not rolled.

        Returns
        -------
        (n, 5) float32 array
            Win, win gammon, win backgammon, lose gammon, lose backgammon of the side seen,
            cumulative.

        Raises
        ------
        BoardError
        """
        return _float_five(self.evaluate_fixed(boards, after=False))

    def evaluate_after(self, boards):
        """Evaluate boards after a play: the side seen has just played.

        Parameters, result and errors as for `evaluate`.
        """
        return _float_five(self.evaluate_fixed(boards, after=True))

    def equities_after(self, board, boards):
        """Evaluate the boards that plays from one board lead to.

        Parameters
        ----------
        board : (26,) int8 array
            Before the play.
        boards : (n, 26) int8 array
            After the plays, still seen by the mover.

        Returns
        -------
        (n,) int64 array
            Cubeless equity of the mover, unit 2**-30.

        Raises
        ------
        BoardError
        """
        parent = unfinished_boards(np.asarray(board)[None], self.n_checkers)
        boards = check_boards(boards, n_checkers=self.n_checkers)
        result = np.empty(boards.shape[0], np.int64)
        cdef const int8_t[:, ::1] given = boards, before = parent
        cdef int64_t[::1] equities = result
        cdef board_t b, start
        cdef family_t family
        cdef int32_t five[5]
        cdef Py_ssize_t i
        with nogil:
            board_from_public(&before[0, 0], self.n_checkers, &start)
            evaluator_family(&self.core, &start, &family)
            for i in range(given.shape[0]):
                board_from_public(&given[i, 0], self.n_checkers, &b)
                if self.core.plies == 0:
                    _child(&self.core, &family, &b, five)
                else:
                    evaluator_ahead(&self.core, &b, self.core.plies, five)
                equities[i] = five_equity(five)
        return result

    def best_plays(self, boards, dice, *, to_win=False):
        """Play each board's roll in the best way.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games, the side seen is on roll.
        dice : (n, 2) uint8 array
            The rolls, 1-6.
        to_win : bool, default False
            Both sides play for the largest win probability, as where one game ends a match;
            otherwise for the largest cubeless equity.

        Returns
        -------
        boards : (n, 26) int8 array
            After the best play (the first of equals), still seen by the mover; unchanged where
            there is no legal play.
        indices : (n,) int32 array
            Index of the play in the generator's order; -1 where there is none.

        Raises
        ------
        BoardError, DiceError
        """
        boards = unfinished_boards(boards, self.n_checkers)
        rolls = _checked_dice(dice, boards.shape[0])
        chosen = boards.copy()
        indices = np.full(boards.shape[0], -1, np.int32)
        cdef const int8_t[:, ::1] given = boards
        cdef const uint8_t[:, ::1] d = np.ascontiguousarray(rolls, dtype=np.uint8)
        cdef int8_t[:, ::1] out = chosen
        cdef int32_t[::1] index = indices
        cdef board_t *plays = boards_alloc(PLAYS_BUFFER)
        cdef evaluator_t core = self.core
        cdef board_t b
        cdef Py_ssize_t i
        cdef int n, k, best
        if plays == NULL:
            raise MemoryError
        core.to_win = to_win
        with nogil:
            for i in range(given.shape[0]):
                board_from_public(&given[i, 0], self.n_checkers, &b)
                n = generate_boards(&b, d[i, 0], d[i, 1], plays)
                if n == 0:
                    continue
                best = evaluator_best_play(&core, &b, plays, n)
                index[i] = best
                for k in range(N_PUBLIC):
                    out[i, k] = plays[best].c[k]
        boards_free(plays)
        return chosen, indices

    def best_fives(self, boards, *, to_win=False):
        """Evaluate the best play of every roll, as the boards stand after it.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games, the side seen is on roll.
        to_win : bool, default False
            What the best play is, see `best_plays`.

        Returns
        -------
        (n, 21, 5) int32 array
            The five probabilities after the best play of each roll 1-1, 2-1, 2-2, ..., 6-6, view
            of the roller, unit 2**-30.

        Raises
        ------
        BoardError
        """
        boards = unfinished_boards(boards, self.n_checkers)
        result = np.empty((boards.shape[0], N_ROLLS, 5), np.int32)
        cdef const int8_t[:, ::1] given = boards
        cdef int32_t[:, :, ::1] fives = result
        cdef board_t *plays = boards_alloc(PLAYS_BUFFER)
        cdef evaluator_t core = self.core
        cdef board_t b
        cdef Py_ssize_t i
        if plays == NULL:
            raise MemoryError
        core.to_win = to_win
        with nogil:
            for i in range(given.shape[0]):
                board_from_public(&given[i, 0], self.n_checkers, &b)
                evaluator_best_fives(&core, &b, plays, &fives[i, 0, 0])
        boards_free(plays)
        return result

    def luck(self, boards, dice, *, opening, to_win=False):
        """Measure how lucky rolls were: worth of the best play less its mean over all rolls.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games, the side seen is on roll.
        dice : (n, 2) integer array
            The rolls, 1-6.
        opening : bool
            Whether the first board's roll opens a game, so that it cannot be a double.
        to_win : bool, default False
            False: plays are worth their cubeless equity. True: 2 win - 1, see `best_plays`.

        Returns
        -------
        (n,) float64 array
            Points, view of the roller.

        Raises
        ------
        BoardError, DiceError
            Also for a double as an opening roll.
        """
        rolls = _checked_dice(dice, len(boards))
        equities = self.best_equities(boards, to_win=to_win)
        large, small = rolls.max(axis=1), rolls.min(axis=1)
        index = large * (large - 1) // 2 + small - 1
        weights = np.broadcast_to(_ROLL_WEIGHTS, equities.shape).copy()
        if opening and len(rolls):
            if large[0] == small[0]:
                raise DiceError(f"a game does not open with the double {large[0]}-{small[0]}")
            weights[0, _ROLL_WEIGHTS == 1] = 0
        # Integers: 36 equities below 2**32 fit into 64 bits
        sums = (equities * weights).sum(axis=1)
        best = equities[np.arange(len(rolls)), index]
        return (best - sums / weights.sum(axis=1)) * ldexp(1.0, -30)

    def best_equities(self, boards, *, to_win=False):
        """Evaluate the best play of every roll.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games, the side seen is on roll.
        to_win : bool, default False
            What plays are worth, see `luck`.

        Returns
        -------
        (n, 21) int64 array
            Worth of the best play of each roll 1-1, 2-1, 2-2, ..., 6-6, view of the roller, unit
            2**-30.

        Raises
        ------
        BoardError
        """
        fives = self.best_fives(boards, to_win=to_win).astype(np.int64)
        if to_win:
            return 2 * fives[..., 0] - UNIT
        return (2 * fives[..., 0] - UNIT + (fives[..., 1] - fives[..., 3])
                + (fives[..., 2] - fives[..., 4]))
