"""Games written as text, followed at the speed of reading: the fast way through files of matches.

A game that is written plainly, and in which nothing at all is wrong, is followed here: every play
is looked up among those that the generator makes. Whatever is out of the ordinary ends it, and the
game is read again in Python, which knows all spellings and says what is wrong.

Plainly written: two columns of cells `31: 8/5 6/5`, `Doubles => 2`, `Takes`, `Drops`, and a last
line `Wins 2 points`; see bgcore/formats/mat.py.
"""
from libc.string cimport memchr, memcmp

from bgcore._core.board cimport BoardBase, board_value
from bgcore._core.movegen cimport generate_boards
from bgcore._core.types cimport (
    BAR, N_CELLS, N_CHECKERS, OFF, OPP_BAR, PLAYS_BUFFER, board_t, boards_alloc, boards_free,
)

cdef extern from "simd.h" nogil:
    void board_swap(const board_t *b, board_t *out) noexcept

cdef enum:
    WORD_NONE = 0
    WORD_DICE = 1
    WORD_DOUBLE = 2
    WORD_TAKE = 3
    WORD_DROP = 4
    WORD_WINS = 5
    WORD_RETURN = 6
    # a cell alone in its line is one of the right column if it begins so far after the number
    GAP = 8
    RIGHT = 20
    # no number of the files is larger
    MOST = 99999999


ctypedef struct cell_t:
    int word
    int player
    int die1
    int die2
    int n_moves
    int start[4]
    int to[4]
    int number


ctypedef struct game_t:
    board_t board       # seen by the player on roll
    int on_roll         # -1 before the opening roll
    int cube
    int owner           # -1 while it is in the middle
    int limit           # 0: nobody may double
    int offer           # what the cube will show if the double on offer is taken; else 0
    int returns         # beavers and raccoons since the double
    int most_returns
    int is_rolled       # 1 after a roll with which nothing was played though something could be
    int danced          # 1 if the last action was a roll with which nothing could be played
    int over            # 1 played to the end, 2 dropped
    int winner
    int kind
    int told_winner     # -1 without the last line
    int told_points
    int n_actions


cdef bint is_digit(char c) noexcept nogil:
    return c'0' <= c <= c'9'


cdef bint has_word(const char *at, const char *end, const char *word, int length) noexcept nogil:
    return end - at >= length and memcmp(at, word, length) == 0


cdef const char *read_number(const char *at, const char *end, int *number) noexcept nogil:
    """Read digits; NULL if there are none or too many."""
    cdef int value = 0
    if at == end or not is_digit(at[0]):
        return NULL
    while at < end and is_digit(at[0]):
        value = 10 * value + (at[0] - c'0')
        if value > MOST:
            return NULL
        at += 1
    number[0] = value
    return at


cdef const char *read_point(const char *at, const char *end, int *point) noexcept nogil:
    """Read a point, `bar` or `off`; NULL if it is something else."""
    cdef const char *stop
    if has_word(at, end, b"bar", 3):
        point[0] = BAR
        return at + 3
    if has_word(at, end, b"off", 3):
        point[0] = 0
        return at + 3
    stop = read_number(at, end, point)
    if stop == NULL or stop - at > 2 or point[0] > BAR:
        return NULL
    return stop


cdef const char *read_play(const char *at, const char *end, cell_t *cell) noexcept nogil:
    """Read moves such as `24/18*/13 6/5(2)`; NULL if they are not plain."""
    cdef int start, to, first, count, i, j
    while at < end and is_digit(at[0]) or has_word(at, end, b"bar", 3):
        if end - at > 2 and is_digit(at[1]) and at[2] == c':':
            break
        first = cell.n_moves
        at = read_point(at, end, &start)
        if at == NULL:
            return NULL
        if at == end or at[0] != c'/':
            return NULL
        while at < end and at[0] == c'/':
            at = read_point(at + 1, end, &to)
            if at == NULL or to >= start or to > 24 or start == 0 or cell.n_moves == 4:
                return NULL
            cell.start[cell.n_moves] = start
            cell.to[cell.n_moves] = to
            cell.n_moves += 1
            start = to
            if at < end and at[0] == c'*':
                at += 1
        if at < end and at[0] == c'(':
            if end - at < 3 or at[2] != c')' or not (c'1' <= at[1] <= c'4'):
                return NULL
            count = at[1] - c'0'
            if cell.n_moves + (count - 1) * (cell.n_moves - first) > 4:
                return NULL
            j = cell.n_moves - first
            for i in range(j * (count - 1)):
                cell.start[cell.n_moves] = cell.start[first + i % j]
                cell.to[cell.n_moves] = cell.to[first + i % j]
                cell.n_moves += 1
            at += 3
        if at < end and at[0] != c' ':
            return NULL
        while at < end and at[0] == c' ':
            at += 1
    return at


cdef const char *read_cell(const char *at, const char *end, cell_t *cell) noexcept nogil:
    """Read one cell and the blanks after it; NULL if it is not plain."""
    cell.word = WORD_NONE
    cell.n_moves = 0
    cell.number = 0
    if end - at >= 3 and at[2] == c':' and c'1' <= at[0] <= c'6' and c'1' <= at[1] <= c'6':
        cell.word = WORD_DICE
        cell.die1 = at[0] - c'0'
        cell.die2 = at[1] - c'0'
        at += 3
        while at < end and at[0] == c' ':
            at += 1
        at = read_play(at, end, cell)
        if at == NULL:
            return NULL
    elif has_word(at, end, b"Doubles => ", 11):
        cell.word = WORD_DOUBLE
        at = read_number(at + 11, end, &cell.number)
    elif has_word(at, end, b"Beavers => ", 11):
        cell.word = WORD_RETURN
        at = read_number(at + 11, end, &cell.number)
    elif has_word(at, end, b"Raccoons => ", 12):
        cell.word = WORD_RETURN
        at = read_number(at + 12, end, &cell.number)
    elif has_word(at, end, b"Takes", 5):
        cell.word = WORD_TAKE
        at += 5
    elif has_word(at, end, b"Drops", 5):
        cell.word = WORD_DROP
        at += 5
    elif has_word(at, end, b"Wins ", 5):
        cell.word = WORD_WINS
        at = read_number(at + 5, end, &cell.number)
        if at == NULL or not has_word(at, end, b" point", 6):
            return NULL
        at += 6
        if at < end and at[0] == c's':
            at += 1
        if has_word(at, end, b" and the match", 14):
            at += 14
    if cell.word == WORD_NONE or at == NULL:
        return NULL
    if cell.word != WORD_DICE and at < end and at[0] != c' ':
        return NULL
    while at < end and at[0] == c' ':
        at += 1
    return at


cdef bint fits_dice(const cell_t *cell) noexcept nogil:
    """Whether moves of one or several dice each can have been made with the roll."""
    cdef int die1 = cell.die1, die2 = cell.die2
    cdef int i, way
    if die1 == die2:
        for i in range(cell.n_moves):
            if cell.to[i] != 0 and (cell.start[i] - cell.to[i]) % die1 != 0:
                return False
        return True
    if cell.n_moves == 1:
        way = cell.start[0] - cell.to[0]
        return (way == die1 or way == die2 or way == die1 + die2
                or (cell.to[0] == 0 and cell.start[0] < die1 + die2))
    if cell.n_moves != 2:
        return False
    return ((fits_die(cell, 0, die1) and fits_die(cell, 1, die2))
            or (fits_die(cell, 0, die2) and fits_die(cell, 1, die1)))


cdef bint fits_die(const cell_t *cell, int i, int die) noexcept nogil:
    return (cell.start[i] - cell.to[i] == die or (cell.to[i] == 0 and cell.start[i] < die))


cdef bint move_all(const cell_t *cell, const board_t *before, board_t *after) noexcept nogil:
    """Make the moves; False if a checker is missing or a point is held."""
    cdef int own[32]
    cdef int i, start, to
    after[0] = before[0]
    for i in range(BAR + 1):
        own[i] = before.c[i] if i > 0 and before.c[i] > 0 else 0
    for i in range(cell.n_moves):
        start = cell.start[i]
        to = cell.to[i]
        own[start] -= 1
        if to == 0:
            after.c[OFF] += 1
            continue
        if before.c[to] < -1:
            return False
        own[to] += 1
        if after.c[to] == -1:
            after.c[to] = 0
            after.c[OPP_BAR] -= 1
    for i in range(1, BAR + 1):
        if own[i] < 0:
            return False
        if own[i] > 0 or before.c[i] > 0:
            after.c[i] = own[i]
    return True


cdef void take(game_t *game) noexcept nogil:
    game.cube = game.offer
    game.owner = 1 - game.on_roll
    game.offer = 0
    game.returns = 0


cdef bint turn(game_t *game, const cell_t *cell, board_t *plays) noexcept nogil:
    """Do a roll and its play; False if anything is wrong."""
    cdef board_t after, mine
    cdef int n, i
    if game.is_rolled or game.over:
        return False
    if game.offer:
        # after a beaver the take is often left out: the roll shows it
        if game.returns == 0 or cell.player != game.on_roll:
            return False
        take(game)
    if game.on_roll < 0:
        if cell.die1 == cell.die2:
            return False
        if cell.player == 1:
            board_swap(&game.board, &mine)
            game.board = mine
        game.on_roll = cell.player
    elif game.on_roll != cell.player:
        return False
    n = generate_boards(&game.board, cell.die1, cell.die2, plays)
    game.danced = n == 0
    if cell.n_moves == 0:
        if n > 0:
            game.is_rolled = 1
            return True
        after = game.board
    else:
        if n == 0 or not fits_dice(cell) or not move_all(cell, &game.board, &after):
            return False
        for i in range(n):
            if memcmp(&plays[i], &after, N_CELLS) == 0:
                break
        else:
            return False
    i = board_value(&after)
    if i != 0:
        game.over = 1
        game.winner = cell.player
        game.kind = i
        game.board = after
        return i > 0
    board_swap(&after, &mine)
    game.board = mine
    game.on_roll = 1 - cell.player
    return True


cdef bint do_cell(game_t *game, const cell_t *cell, board_t *plays) noexcept nogil:
    """Do what a cell says; False if anything is wrong."""
    if game.told_winner >= 0:
        return False
    if cell.word == WORD_WINS:
        game.told_winner = cell.player
        game.told_points = cell.number
        return True
    game.n_actions += 1
    if cell.word == WORD_DICE:
        return turn(game, cell, plays)
    game.danced = 0
    if game.over or game.is_rolled or game.on_roll < 0 or game.n_actions == 1:
        return False
    if cell.word == WORD_DOUBLE:
        if (game.offer or cell.player != game.on_roll or 2 * game.cube > game.limit
                or game.owner == 1 - cell.player or cell.number != 2 * game.cube):
            return False
        game.offer = 2 * game.cube
        return True
    if not game.offer or (cell.player == game.on_roll) != (game.returns % 2 == 1):
        return False
    if cell.word == WORD_TAKE:
        take(game)
    elif cell.word == WORD_DROP:
        game.over = 2
        game.winner = 1 - cell.player
        game.kind = 1
        # who drops pays the stake before the double, beaver or raccoon
        game.cube = game.offer // 2
        game.offer = 0
    else:
        if (game.returns == game.most_returns or 2 * game.offer > game.limit
                or cell.number != 2 * game.offer):
            return False
        game.offer *= 2
        game.returns += 1
    return True


cdef bint follow_lines(game_t *game, const char *at, const char *end,
                       board_t *plays) noexcept nogil:
    """Do what all lines say; False at the first that is not plain or right."""
    cdef const char *stop
    cdef const char *begin
    cdef const char *cells
    cdef cell_t cell
    cdef int gap, n_cells, number
    cdef bint is_numbered, is_right
    while at < end:
        stop = at
        while stop < end and stop[0] != c'\n':
            stop += 1
        begin = at
        at = stop + 1
        while stop > begin and (stop[-1] == c' ' or stop[-1] == c'\r'):
            stop -= 1
        cells = begin
        while cells < stop and cells[0] == c' ':
            cells += 1
        if cells == stop:
            continue
        is_numbered = is_digit(cells[0])
        if is_numbered:
            cells = read_number(cells, stop, &number)
            if cells == NULL or cells == stop or cells[0] != c')':
                return False
            cells += 1
            begin = cells
            while cells < stop and cells[0] == c' ':
                cells += 1
        gap = <int>(cells - begin)
        is_right = gap >= (GAP if is_numbered else RIGHT)
        n_cells = 0
        while cells < stop:
            if n_cells == 2 or (n_cells == 1 and is_right):
                return False
            cells = read_cell(cells, stop, &cell)
            if cells == NULL:
                return False
            cell.player = 1 if is_right or n_cells == 1 else 0
            if not is_numbered and cell.word != WORD_WINS:
                return False
            if not do_cell(game, &cell, plays):
                return False
            n_cells += 1
    return True


cdef bint is_of_game(const char *at, const char *stop) noexcept nogil:
    if stop - at > 3 and at[3] == c')':
        return True
    while at < stop and at[0] == c' ':
        at += 1
    if at == stop or (at[0] == c'\r' and at + 1 == stop):
        return True
    return has_word(at, stop, b"Wins ", 5)


def end_of_moves(bytes text not None, Py_ssize_t start):
    """Return where the lines end that are plainly part of a game.

    These are moves such as `12) ...`, results such as `Wins 2 points`, and blank lines.

    Parameters
    ----------
    text : bytes
    start : int
        Where a line of it begins.

    Returns
    -------
    end : int
        Where the first line begins that is another, or has no end.
    n_lines : int

    Raises
    ------
    ValueError
        The start is not in the text.
    """
    cdef const char *begin = text
    cdef const char *end = begin + len(text)
    cdef const char *at
    cdef const char *stop
    cdef Py_ssize_t n_lines = 0
    if not 0 <= start <= len(text):
        raise ValueError(f"the start is 0 to {len(text)}, not {start}")
    at = begin + start
    with nogil:
        while at < end:
            stop = <const char *>memchr(at, c'\n', end - at)
            if stop == NULL or not is_of_game(at, stop):
                break
            n_lines += 1
            at = stop + 1
    return at - begin, n_lines


cdef class Transcript:
    """Follows games one after the other; holds the memory for the plays of a roll.

    One object serves one thread.
    """
    cdef board_t *plays

    def __cinit__(self):
        self.plays = boards_alloc(PLAYS_BUFFER)
        if self.plays == NULL:
            raise MemoryError("no memory for the plays of a roll")

    def __dealloc__(self):
        boards_free(self.plays)

    def follow(
        self, bytes text not None, BoardBase layout not None, int cube_limit, int most_returns
    ):
        """Follow a game by the standard rules.

        Parameters
        ----------
        text : bytes
            Its lines, after the one with the score.
        layout : BoardBase
            At the start, before the opening roll, seen by player 0; 15 checkers a side.
        cube_limit : int
            The largest cube; 0 if nobody may double.
        most_returns : int
            Beavers and raccoons that a double may have.

        Returns
        -------
        tuple or None
            None if anything is out of the ordinary. Else how it ended (0 not, 1 played, 2
            dropped), the winner, the kind of the win, the stake, the owner of the cube (-1 in the
            middle), the winner and the points that the last line tells (-1, 0 without one), who is
            on roll (-1 before the opening roll), whether a double is open, whether the last roll
            could not be played, and the board as bytes, seen by the player on roll.

        Raises
        ------
        ValueError
            The layout is of another number of checkers.
        """
        cdef game_t game
        cdef const char *at = text
        cdef const char *end = at + len(text)
        cdef bint is_plain
        if layout.n_checkers != N_CHECKERS:
            raise ValueError(f"a side has {N_CHECKERS} checkers here, not {layout.n_checkers}")
        layout.load(&game.board)
        game.on_roll = -1
        game.cube = 1
        game.owner = -1
        game.limit = cube_limit
        game.offer = 0
        game.returns = 0
        game.most_returns = most_returns
        game.is_rolled = 0
        game.danced = 0
        game.over = 0
        game.winner = 0
        game.kind = 0
        game.told_winner = -1
        game.told_points = 0
        game.n_actions = 0
        with nogil:
            is_plain = follow_lines(&game, at, end, self.plays)
        if not is_plain:
            return None
        return (
            game.over, game.winner, game.kind, game.cube, game.owner, game.told_winner,
            game.told_points, game.on_roll, bool(game.offer), bool(game.danced),
            (<char *>&game.board)[:26],
        )
