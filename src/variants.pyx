"""Legal plays of all the games on this board: one generator, told the rules by numbers.

`movegen` is the fast generator of standard backgammon; this one knows house rules and other
games. A rule is a field of `rules_t`, so games differ in data only.

State. Each side has 32 bytes (`side_t`), in its OWN numbering: 24 is where its road begins, 1
where it ends. `across` tells the opponent's number of a point of mine; nothing else depends on
whether the sides travel in opposite directions or in the same one.

Method. Level k of the search holds the distinct states after k of the numbers, each once, found
by a hash table; a state remembers the first way in which it was reached. Numbers are tried from
the larger to the smaller, checkers from the highest to the lowest, so that this is also the
first in that order. The last level that holds a lawful state gives the legal plays.

Memory is the caller's. A search that runs out of it says so and is made again with twice as much;
the search itself allocates nothing.
"""
import operator

import numpy as np

from bgcore._core.board import as_boards, check_boards
from bgcore.errors import BoardError, DiceError, VariantError

from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from bgcore._core.types cimport (
    BAR, N_CHECKERS, N_PUBLIC, N_STEPS, OPP_BAR, bit_high, board_t, boards_alloc, boards_free,
    int8_t, int32_t, uint8_t, uint32_t, uint64_t, vec32_fill, vec32_greater, vec32_load,
)

cdef enum:
    # cells of a side beside its points 1-24 and BAR = 25
    HOME_OFF = 0
    HAND = 26
    HEAD = 24  # where a side's road begins

    HIT = 0
    BLOCK_ONE = 1
    PIN = 2

    # effects of a landing
    CLOSED = -1
    NOTHING = 0
    HITS = 1
    PINS = 2

    MASK_ROAD = 0x01FFFFFE  # points 1-24

    MAX_NUMBERS = 4  # numbers of one play
    FIRST_CAPACITY = 1024

    NO_LIMIT = 127


cdef struct side_t:
    int8_t n[27]      # 0 borne off, 1-24 points, 25 bar, 26 in hand (never entered)
    uint8_t flags     # what the rules need to remember
    uint32_t pinned   # bit p: a checker of this side lies pinned on its point p


cdef struct state_t:
    side_t own
    side_t opp


cdef struct rules_t:
    int8_t across[32]  # the opponent's number of my point; 0 where there is none
    int contact        # HIT, BLOCK_ONE or PIN
    int n_checkers
    int own_limit      # most checkers of one side on a point
    int hit_stays      # a checker that hits at home does not move again in that turn
    int any_number     # no duty to play the larger of two numbers
    int finish_early   # bearing the last checker off with fewer numbers is a legal play too


cdef struct numbers_t:
    int n              # how many
    int n_values       # how many different ones, from the largest to the smallest:
    int8_t value[MAX_NUMBERS]
    uint32_t left      # how often each of them: four bits each


cdef struct node_t:
    state_t s
    uint64_t hash      # of s
    uint32_t left      # numbers left, as in numbers_t
    uint32_t stay      # bit p: a checker on point p may not move again in this turn
    uint32_t key       # place among the results, see _key
    uint32_t slot
    int32_t parent
    int8_t start
    int8_t to
    int8_t die
    int8_t effect


cdef struct search_t:
    node_t *nodes
    uint32_t *slots    # hash table: number of the node + 1
    int capacity
    uint32_t mask
    int n_nodes
    int level[MAX_NUMBERS + 2]  # the first node of each level; the next one's is its end
    int n_levels
    int32_t *plays     # nodes of the legal plays
    int n_plays


# What a checker on a cell of either side adds to the hash of a state: filled at import.
cdef uint64_t OWN_HASH[32]
cdef uint64_t OPP_HASH[32]


cdef void _fill_hashes() noexcept:
    """SplitMix64 (Steele, Lea and Flood, 2014) from seed 0."""
    cdef uint64_t x = 0
    cdef uint64_t z
    cdef int i
    for i in range(64):
        x += <uint64_t>0x9E3779B97F4A7C15
        z = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
        z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
        z = z ^ (z >> 31)
        if i < 32:
            OWN_HASH[i] = z
        else:
            OPP_HASH[i - 32] = z


_fill_hashes()


cdef inline uint32_t _bit(int i) noexcept nogil:
    return <uint32_t>1 << i


cdef uint64_t _hash(const state_t *s) noexcept nogil:
    cdef uint64_t h = 0
    cdef int i
    for i in range(27):
        h += OWN_HASH[i] * <uint64_t>s.own.n[i] + OPP_HASH[i] * <uint64_t>s.opp.n[i]
    return h


# ---- one step ----

cdef inline uint32_t _points(const side_t *side) noexcept nogil:
    """Bits of the points on which a side has checkers."""
    return vec32_greater(vec32_load(side.n), vec32_fill(0)) & MASK_ROAD


cdef inline int _landing(const rules_t *r, const node_t *node, int to) noexcept nogil:
    """What happens to a checker of the mover that lands on a point."""
    cdef int there = node.s.opp.n[r.across[to]]
    if node.s.own.n[to] >= r.own_limit:
        return CLOSED
    if there == 0:
        return NOTHING
    if there > 1:
        return CLOSED
    return HITS


cdef inline int _target(const rules_t *r, const node_t *node, uint32_t points, int start, int die,
                        int *effect) noexcept nogil:
    """Where a checker from a point of the road or from the bar goes, or -1 if it may not.

    The caller looks after what comes first: the bar.
    """
    cdef int to = start - die
    if start <= HEAD and node.s.own.n[start] == 1 and node.stay & _bit(start):
        return -1
    effect[0] = NOTHING
    if to > 0:
        effect[0] = _landing(r, node, to)
        return -1 if effect[0] == CLOSED else to
    if points >> 7:
        return -1
    if to < 0 and points >> (start + 1):
        return -1
    return 0


cdef inline void _step(const rules_t *r, node_t *node, int start, int to, int die,
                       int effect) noexcept nogil:
    """Move a checker; `node` is changed from its parent into the child."""
    cdef int across
    node.s.own.n[start] -= 1
    node.s.own.n[to] += 1
    node.hash += OWN_HASH[to] - OWN_HASH[start]
    if effect == HITS:
        across = r.across[to]
        node.s.opp.n[across] -= 1
        node.s.opp.n[BAR] += 1
        node.hash += OPP_HASH[BAR] - OPP_HASH[across]
        if r.hit_stays and to <= 6:
            node.stay |= _bit(to)
    node.start = <int8_t>start
    node.to = <int8_t>to
    node.die = <int8_t>die
    node.effect = <int8_t>effect


# ---- the order of results ----

cdef uint32_t _key(const search_t *s, const node_t *node, const numbers_t *d) noexcept nogil:
    """The place of a play among the results, from the way in which it was found.

    The order is that of movegen (see there). Doublets: the starting points, from the highest to
    the lowest. Two numbers: the kind of play, then the checkers. Of several ways to one state
    the smallest key counts; the kind `run without a hit` is therefore 0 here and goes behind the
    pairs of checkers in _place.
    """
    cdef const node_t *first
    cdef const node_t *up
    cdef int starts[MAX_NUMBERS]
    cdef int n = 0
    cdef int i, j, swap
    cdef uint32_t key = 0
    cdef int large = d.value[0]
    if d.n_values == 1:
        up = node
        while up.parent >= 0:
            starts[n] = up.start
            j = n
            while j > 0 and starts[j - 1] < starts[j]:
                swap = starts[j]
                starts[j] = starts[j - 1]
                starts[j - 1] = swap
                j -= 1
            n += 1
            up = &s.nodes[up.parent]
        for i in range(MAX_NUMBERS):
            key = (key << 5) | <uint32_t>(starts[i] if i < n else 0)
        return key
    first = &s.nodes[node.parent]
    if first.parent < 0:
        return (<uint32_t>(6 if node.die == large else 7) << 10) | <uint32_t>node.start
    if first.start == BAR:
        return (<uint32_t>(1 if first.die == large or (node.start == BAR and node.die == large)
                           else 2) << 10) | <uint32_t>node.start
    if node.start == first.to:
        if first.effect != HITS:
            return <uint32_t>first.start
        return (<uint32_t>(4 if first.die == large else 5) << 10) | <uint32_t>first.start
    return (<uint32_t>(1 if first.die == large else 2) << 10
            | <uint32_t>first.start << 5 | <uint32_t>node.start)


cdef inline uint32_t _place(const node_t *node) noexcept nogil:
    return node.key if node.key >> 10 or not node.key else node.key | <uint32_t>3 << 10


cdef void _sort(search_t *s, const numbers_t *d) noexcept nogil:
    """Put the plays in the order of their keys: a merge sort, stable and without recursion.

    The hash table is not needed any more and lends the memory.
    """
    cdef int32_t *a = s.plays
    cdef int32_t *b = <int32_t *>s.slots
    cdef int32_t *other
    cdef int width = 1
    cdef int n = s.n_plays
    cdef int i, left, right, middle, end, at
    if d.n_values > 1:
        for i in range(n):
            s.nodes[a[i]].key = _place(&s.nodes[a[i]])
    while width < n:
        at = 0
        while at < n:
            left = at
            middle = right = min(at + width, n)
            end = min(at + 2 * width, n)
            while at < end:
                if right >= end or (left < middle
                                    and s.nodes[a[left]].key <= s.nodes[a[right]].key):
                    b[at] = a[left]
                    left += 1
                else:
                    b[at] = a[right]
                    right += 1
                at += 1
        other = a
        a = b
        b = other
        width *= 2
    if a != s.plays:
        memcpy(s.plays, a, n * sizeof(int32_t))
    # No node has a slot now.
    memset(s.slots, 0, (<size_t>s.mask + 1) * sizeof(uint32_t))
    s.n_nodes = 0


# ---- the search ----

cdef inline uint32_t _first_slot(const search_t *s, const node_t *node) noexcept nogil:
    cdef uint64_t h = (node.hash + <uint64_t>node.left * <uint64_t>0xD6E8FEB86659FD93
                       + <uint64_t>node.stay * <uint64_t>0xA0761D6478BD642F)
    h = (h ^ (h >> 29)) * <uint64_t>0xBF58476D1CE4E5B9
    return <uint32_t>(h >> 32) & s.mask


cdef inline bint _same(const node_t *a, const node_t *b) noexcept nogil:
    return (a.hash == b.hash and a.left == b.left and a.stay == b.stay
            and memcmp(&a.s, &b.s, sizeof(state_t)) == 0)


cdef inline void _enter(search_t *s, const numbers_t *d, bint keyed) noexcept nogil:
    """Take the node behind the last one in, unless its level holds the same already."""
    cdef node_t *node = &s.nodes[s.n_nodes]
    cdef uint32_t slot = _first_slot(s, node)
    cdef node_t *old
    if keyed:
        node.key = _key(s, node, d)
    while s.slots[slot]:
        old = &s.nodes[s.slots[slot] - 1]
        if _same(old, node):
            if keyed and node.key < old.key:
                old.key = node.key
            return
        slot = (slot + 1) & s.mask
    s.slots[slot] = <uint32_t>(s.n_nodes + 1)
    node.slot = slot
    s.n_nodes += 1


cdef void _forget(search_t *s) noexcept nogil:
    """Empty the hash table."""
    cdef int i
    for i in range(s.n_nodes):
        s.slots[s.nodes[i].slot] = 0


cdef int _search(const rules_t *r, const node_t *root, const numbers_t *d, search_t *s,
                 bint keyed) noexcept nogil:
    """Fill the levels of a search; -1 if the memory is too small."""
    cdef const node_t *node
    cdef node_t *child
    cdef uint32_t points, starts
    cdef int level, i, v, start, to
    cdef int effect = NOTHING
    _forget(s)
    s.nodes[0] = root[0]
    s.n_nodes = 0
    s.level[0] = 0
    _enter(s, d, False)
    s.level[1] = 1
    s.n_levels = 1
    for level in range(d.n):
        for i in range(s.level[level], s.level[level + 1]):
            node = &s.nodes[i]
            # At most one child for each value and start.
            if s.n_nodes + MAX_NUMBERS * 25 >= s.capacity:
                return -1
            points = _points(&node.s.own)
            for v in range(d.n_values):
                if not (node.left >> (4 * v)) & 15:
                    continue
                starts = points
                if node.s.own.n[BAR] > 0:
                    starts = _bit(BAR)
                while starts:
                    start = bit_high(starts)
                    starts ^= _bit(start)
                    to = _target(r, node, points, start, d.value[v], &effect)
                    if to < 0:
                        continue
                    child = &s.nodes[s.n_nodes]
                    child[0] = node[0]
                    child.left -= <uint32_t>1 << (4 * v)
                    child.parent = i
                    _step(r, child, start, to, d.value[v], effect)
                    _enter(s, d, keyed)
        if s.n_nodes == s.level[level + 1]:
            break
        s.n_levels = level + 2
        s.level[level + 2] = s.n_nodes
    return 0


cdef inline bint _done(const rules_t *r, const node_t *node) noexcept nogil:
    return node.s.own.n[HOME_OFF] == r.n_checkers


cdef int _larger(const numbers_t *d, const search_t *s) noexcept nogil:
    """The number that must be played if one of two can be; 0 if there is no such duty."""
    cdef int i
    for i in range(s.level[1], s.level[2]):
        if s.nodes[i].die == d.value[0]:
            return d.value[0]
    return 0


cdef void _take(search_t *s, int i, bint unique) noexcept nogil:
    """Make a node a play, unless one that was taken before has the same state."""
    cdef node_t *node = &s.nodes[i]
    cdef uint32_t slot
    if not unique:
        # All states are compared as if nothing but the state counted.
        node.left = 0
        node.stay = 0
        slot = _first_slot(s, node)
        while s.slots[slot]:
            if _same(&s.nodes[s.slots[slot] - 1], node):
                return
            slot = (slot + 1) & s.mask
        s.slots[slot] = <uint32_t>(i + 1)
        node.slot = slot
    s.plays[s.n_plays] = i
    s.n_plays += 1


cdef void _choose(const rules_t *r, const numbers_t *d, search_t *s) noexcept nogil:
    """Apply the obligations: which nodes are legal plays. None: the player dances."""
    cdef int most = s.n_levels - 1
    cdef int must = 0
    cdef int level, i
    cdef bint unique = most == d.n and not r.finish_early
    s.n_plays = 0
    if most == 0:
        return
    if most == 1 and d.n == 2 and d.n_values == 2 and not r.any_number:
        must = _larger(d, s)
    if not unique:
        _forget(s)
    for i in range(s.level[most], s.level[most + 1]):
        if must == 0 or s.nodes[i].die == must:
            _take(s, i, unique)
    if r.finish_early:
        level = most - 1
        while level > 0:
            for i in range(s.level[level], s.level[level + 1]):
                if _done(r, &s.nodes[i]):
                    _take(s, i, unique)
            level -= 1


# ---- memory ----

cdef void _release(search_t *s) noexcept:
    boards_free(<board_t *>s.nodes)
    free(s.slots)
    free(s.plays)
    memset(s, 0, sizeof(search_t))


cdef int _allocate(search_t *s, int capacity) except -1:
    cdef uint32_t n_slots = 1
    _release(s)
    while n_slots < 2 * <uint32_t>capacity:
        n_slots *= 2
    s.nodes = <node_t *>boards_alloc(<size_t>capacity * sizeof(node_t) // sizeof(board_t))
    s.slots = <uint32_t *>malloc(n_slots * sizeof(uint32_t))
    s.plays = <int32_t *>malloc(capacity * sizeof(int32_t))
    if s.nodes == NULL or s.slots == NULL or s.plays == NULL:
        _release(s)
        raise MemoryError("no memory for the plays of a roll")
    memset(s.slots, 0, n_slots * sizeof(uint32_t))
    s.capacity = capacity
    s.mask = n_slots - 1
    return 0


cdef int _find_plays(const rules_t *r, const node_t *root, const numbers_t *d, search_t *s,
                     bint keyed) except -1:
    """Search with as much memory as it takes."""
    while _search(r, root, d, s, keyed) < 0:
        _allocate(s, 2 * s.capacity)
    _choose(r, d, s)
    return 0


# ---- Python: input ----

cdef int _die(object value, str where) except -1:
    cdef object number = -1
    if type(value) is int:
        number = value
    elif isinstance(value, np.integer):
        number = int(value)
    if 1 <= number <= 6:
        return number
    raise DiceError(f"{where} is {value!r}; a die is a whole number from 1 to 6")


cdef int _whole(object value, str name, int low, int high) except -1:
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or not low <= number <= high:
        raise VariantError(f"{name} is {value!r}; it is a whole number from {low} to {high}")
    return number


cdef int _set_numbers(values, numbers_t *d) except -1:
    """Sort numbers from the largest to the smallest and count them."""
    memset(d, 0, sizeof(numbers_t))
    d.n = len(values)
    for value in sorted(values, reverse=True):
        if d.n_values == 0 or d.value[d.n_values - 1] != value:
            d.value[d.n_values] = value
            d.n_values += 1
        d.left += <uint32_t>1 << (4 * (d.n_values - 1))
    return 0


# ---- Python: house rules on the standard board ----

cdef int _house_root(object board, int n_checkers, bint may_be_done, node_t *root) except -1:
    """Read a board of 26 cells as a state."""
    cdef const int8_t[:, ::1] rows
    cdef const int8_t *cells
    cdef int i, open_points
    cdef int own = 0
    cdef int opp = 0
    single = board[None] if isinstance(board, np.ndarray) else (board,)
    rows = check_boards(as_boards(single, name="board"), n_checkers=n_checkers, name="board")
    cells = &rows[0, 0]
    memset(root, 0, sizeof(node_t))
    for i in range(N_PUBLIC):
        if cells[i] > 0:
            root.s.own.n[i] = cells[i]
            own += cells[i]
        elif cells[i] < 0:
            root.s.opp.n[25 - i] = -cells[i]
            opp -= cells[i]
    root.s.own.n[HOME_OFF] = <int8_t>(n_checkers - own)
    root.s.opp.n[HOME_OFF] = <int8_t>(n_checkers - opp)
    if opp == 0 or (own == 0 and not may_be_done):
        raise BoardError(
            "the board is the end of a game, so it has no plays; both sides need a checker that "
            "is not borne off"
        )
    if cells[BAR] > 0 and cells[OPP_BAR] < 0:
        open_points = 0
        for i in range(1, 7):
            open_points += cells[i] < 2 or cells[25 - i] > -2
        if open_points == 0:
            raise BoardError("both sides are closed out, so no game can come to this board")
    root.hash = _hash(&root.s)
    root.parent = -1
    return 0


cdef void _house_rules(int n_checkers, int own_limit, bint any_number, bint finish_early,
                       bint no_hit_and_run, rules_t *r) noexcept:
    cdef int i
    memset(r, 0, sizeof(rules_t))
    for i in range(1, 25):
        r.across[i] = <int8_t>(25 - i)
    r.contact = HIT
    r.n_checkers = n_checkers
    r.own_limit = own_limit if own_limit > 0 else NO_LIMIT
    r.hit_stays = no_hit_and_run
    r.any_number = any_number
    r.finish_early = finish_early


cdef void _write_board(const state_t *s, int8_t *cells) noexcept nogil:
    cdef int i
    cells[OPP_BAR] = -s.opp.n[BAR]
    for i in range(1, 25):
        cells[i] = s.own.n[i] - s.opp.n[25 - i]
    cells[BAR] = s.own.n[BAR]


cdef int _write_steps(const search_t *s, int i, int8_t *steps) noexcept nogil:
    """Write (from, to, hit) of the way to a node and return how many steps it has."""
    cdef int n = 0
    cdef int up = i
    while s.nodes[up].parent >= 0:
        n += 1
        up = s.nodes[up].parent
    up = n
    while s.nodes[i].parent >= 0:
        up -= 1
        steps[3 * up] = s.nodes[i].start
        steps[3 * up + 1] = s.nodes[i].to
        steps[3 * up + 2] = s.nodes[i].effect == HITS
        i = s.nodes[i].parent
    return n


def house_plays(board, die1, die2, *, own_limit=0, bint any_number=False,
                bint finish_early=False, bint no_hit_and_run=False, n_checkers=N_CHECKERS):
    """List every legal play of one roll under house rules.

    With all switches off these are the rules of standard backgammon, and the results are those
    of `movegen.legal_plays` in the same order.

    Parameters
    ----------
    board : (26,) int8 array_like
        Seen by the player on roll.
    die1, die2 : int
        The roll, in any order.
    own_limit : int, default 0
        A step, also one from the bar, may not end on an own point that already holds so many
        checkers; 0 is no limit. (Formerly an option of GNU Backgammon: five, "Egyptian" rule.)
    any_number : bool, default False
        When only one of two different numbers can be played and either could be, the player
        chooses; otherwise it is the larger.
    finish_early : bool, default False
        A play that bears off the last checker is legal also where more numbers could be played.
    no_hit_and_run : bool, default False
        A checker that hits in the mover's own home may not move again in that turn (Tavla). This
        goes before the duty to play as many numbers as possible.
    n_checkers : int, default 15
        Checkers of one side by the rules.

    Returns
    -------
    boards : (M, 26) int8 array
        The distinct boards after the play, seen by the mover; M is 0 if there is no legal play.
        In the order of `movegen`; plays of the smaller of two numbers (`any_number`) stand behind
        those of the larger one, early finishes (`finish_early`) of two different numbers last.
    steps : (M, 4, 3) int8 array
        For each play up to four steps (from, to, hit); 25 is the bar, to 0 is off. Where one
        board can be reached in several ways: with more numbers first, then the larger number
        first, then the higher checker.
    n_steps : (M,) int8 array
        Steps in each play; the rows of `steps` behind them are 0.

    Raises
    ------
    BoardError, DiceError, VariantError
    """
    cdef rules_t rules
    cdef numbers_t numbers
    cdef node_t root
    cdef search_t search
    cdef int8_t[:, ::1] boards
    cdef int8_t[:, :, ::1] steps
    cdef int8_t[::1] n_steps
    cdef int i
    cdef int d1 = _die(die1, "the first die")
    cdef int d2 = _die(die2, "the second die")
    cdef int limit = _whole(own_limit, "own_limit", 0, NO_LIMIT)
    _house_root(board, n_checkers, False, &root)
    _house_rules(n_checkers, limit, any_number, finish_early, no_hit_and_run, &rules)
    _set_numbers([d1] * N_STEPS if d1 == d2 else [d1, d2], &numbers)
    root.left = numbers.left
    memset(&search, 0, sizeof(search))
    try:
        _allocate(&search, FIRST_CAPACITY)
        _find_plays(&rules, &root, &numbers, &search, True)
        _sort(&search, &numbers)
        boards_array = np.empty((search.n_plays, N_PUBLIC), dtype=np.int8)
        steps_array = np.zeros((search.n_plays, N_STEPS, 3), dtype=np.int8)
        n_array = np.zeros(search.n_plays, dtype=np.int8)
        boards = boards_array
        steps = steps_array
        n_steps = n_array
        for i in range(search.n_plays):
            _write_board(&search.nodes[search.plays[i]].s, &boards[i, 0])
            n_steps[i] = <int8_t>_write_steps(&search, search.plays[i], &steps[i, 0, 0])
        return boards_array, steps_array, n_array
    finally:
        _release(&search)


cdef int _left(dice_left, numbers_t *d) except -1:
    try:
        values = list(dice_left)
    except TypeError:
        raise DiceError(f"the dice left are {dice_left!r}; pass a sequence of numbers") from None
    if len(values) > N_STEPS:
        raise DiceError(f"{len(values)} dice left; a roll has at most {N_STEPS} steps")
    values = [_die(value, f"die {i + 1} of the dice left") for i, value in enumerate(values)]
    if len(set(values)) > 1 and len(values) > 2:
        raise DiceError(f"dice left {values}; more than two dice are left only of a doublet")
    return _set_numbers(values, d)


def house_next_steps(board, dice_left, *, hit_points=(), own_limit=0, bint any_number=False,
                     bint finish_early=False, bint no_hit_and_run=False,
                     n_checkers=N_CHECKERS):
    """List the steps that may be made now so that the play can still be completed by the rules.

    Parameters
    ----------
    board : (26,) int8 array_like
        As it stands after the steps made so far, seen by the mover.
    dice_left : sequence of int
        The dice not used yet: two of a roll, up to four of a doublet.
    hit_points : iterable of int, default ()
        The points at home (1-6) on which the mover has hit in this turn; only `no_hit_and_run`
        needs them.
    own_limit, any_number, finish_early, no_hit_and_run, n_checkers
        As in `house_plays`.

    Returns
    -------
    steps : list of (from, to, die, hit)
        Higher dice first, then higher checkers; from 25 is the bar, to 0 is off, hit is a bool.
    may_end : bool
        Whether the turn may end now. A turn that may end has no steps left, and one that may not
        has some.

    Raises
    ------
    BoardError, DiceError, VariantError
    """
    cdef rules_t rules
    cdef numbers_t numbers, rest
    cdef node_t root
    cdef node_t child
    cdef search_t search
    cdef int i, j, level, found
    cdef int most = 0
    cdef int limit = _whole(own_limit, "own_limit", 0, NO_LIMIT)
    cdef bint ends
    _left(dice_left, &numbers)
    _house_root(board, n_checkers, True, &root)
    _house_rules(n_checkers, limit, any_number, finish_early, no_hit_and_run, &rules)
    for point in hit_points:
        i = _whole(point, "a point of hit_points", 1, 6)
        if no_hit_and_run:
            if root.s.own.n[i] == 0:
                raise VariantError(f"hit_points holds {i}, where the mover has no checker")
            root.stay |= _bit(i)
    root.left = numbers.left
    memset(&search, 0, sizeof(search))
    firsts = []
    try:
        _allocate(&search, FIRST_CAPACITY)
        # The first level of a search is every single step; each is searched on from.
        rest = numbers
        rest.n = min(numbers.n, 1)
        _search(&rules, &root, &rest, &search, False)
        children = []
        for i in range(search.level[1], search.n_nodes):
            child = search.nodes[i]
            child.parent = -1
            children.append((<char *>&child)[:sizeof(node_t)])
        rest = numbers
        rest.n = numbers.n - 1
        for kept in children:
            memcpy(&child, <const char *>kept, sizeof(node_t))
            while _search(&rules, &child, &rest, &search, False) < 0:
                _allocate(&search, 2 * search.capacity)
            found = search.n_levels
            ends = False
            for level in range(search.n_levels):
                for j in range(search.level[level], search.level[level + 1]):
                    ends = ends or _done(&rules, &search.nodes[j])
            most = max(most, found)
            step = (child.start, child.to, child.die, child.effect == HITS)
            firsts.append((found, finish_early and ends, step))
    finally:
        _release(&search)
    if most == 1 and numbers.n == 2 and not any_number and firsts:
        # One of two dice can be played: it is the larger.
        large = firsts[0][2][2]
        steps = [step for _, _, step in firsts if step[2] == large]
    else:
        steps = [step for found, ends_early, step in firsts if found == most or ends_early]
    return steps, not steps
