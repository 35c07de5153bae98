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

cimport cython
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from bgcore._core.types cimport (
    BAR, N_CHECKERS, N_PUBLIC, N_STEPS, OPP_BAR, bit_count, bit_high, board_t, boards_alloc,
    boards_free, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
    vec32_fill, vec32_greater, vec32_load,
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
    MASK_HAND = 0x04000000

    # flags of a side
    WAS_HOME = 1       # one of its checkers has come home; kept for rules with that gate only

    # hit_gate: before a checker has ever come home, or unless one is there now, nobody is hit
    GATE_WAS_HOME = 1
    GATE_IS_HOME = 2

    CORNER = 13        # rest_corner: a side's twelfth point from its start
    OPP_CORNER = 12    # the opponent's, as the mover counts

    PASSED = 11        # pass_gate: the first checker is past the opponent's start from here on

    # prime_rule, about six or more points in a row
    PRIME_AHEAD = 1    # an opposing checker must be ahead of them
    PRIME_FORBIDDEN = 2

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
    int single_low     # from here ...
    int single_high    # ... to here no two own checkers on a point
    int enter_first    # as long as fewer have entered, those in hand go before all others
    int hit_gate
    int pass_gate      # the first checker passes the opponent's start before another leaves 24
    int half_gate      # nothing goes beyond the first half of the road while some are in hand
    int off_zone       # bearing off needs all checkers on this point and below
    int off_exact      # a larger number bears nothing off
    int quarter_limit[4]  # most points held on 24-19, 18-13, 12-7, 6-1
    int prime_rule
    int prime_stack    # no prime right before an opponent who has everything on one point
    int prime_each_step   # the rules about primes hold after each step, not only at the end
    int rest_corner    # trictrac: two by two into the corner, not where the opponent can fill
    int has_primes     # whether there is any rule about the points that are held
    int hit_stays      # a checker that hits at home does not move again in that turn
    int any_number     # no duty to play the larger of two numbers
    int finish_early   # bearing the last checker off with fewer numbers is a legal play too


cdef struct numbers_t:
    int n              # how many
    int n_values       # how many different ones, from the largest to the smallest:
    int8_t value[MAX_NUMBERS]
    uint16_t left      # how often each of them: four bits each


cdef struct node_t:
    state_t s
    uint64_t hash      # of s
    uint16_t left      # numbers left, as in numbers_t
    int16_t heads      # checkers that have left 24 in this turn, where that is limited
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
    int head_limit     # most checkers that leave 24 in this turn


# What a checker on a cell of either side adds to the hash of a state: filled at import. The four
# numbers behind them are for the flags and the pins.
cdef uint64_t OWN_HASH[32]
cdef uint64_t OPP_HASH[32]
cdef uint64_t FLAGS_HASH, OPP_FLAGS_HASH, PINNED_HASH, OPP_PINNED_HASH


cdef void _fill_hashes() noexcept:
    """SplitMix64 (Steele, Lea and Flood, 2014) from seed 0."""
    global FLAGS_HASH, OPP_FLAGS_HASH, PINNED_HASH, OPP_PINNED_HASH
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
    FLAGS_HASH = OWN_HASH[31]
    OPP_FLAGS_HASH = OPP_HASH[31]
    PINNED_HASH = OWN_HASH[30]
    OPP_PINNED_HASH = OPP_HASH[30]


_fill_hashes()


cdef inline uint32_t _bit(int i) noexcept nogil:
    return <uint32_t>1 << i


cdef uint64_t _hash(const state_t *s) noexcept nogil:
    cdef uint64_t h = 0
    cdef int i
    for i in range(27):
        h += OWN_HASH[i] * <uint64_t>s.own.n[i] + OPP_HASH[i] * <uint64_t>s.opp.n[i]
    h += FLAGS_HASH * s.own.flags + OPP_FLAGS_HASH * s.opp.flags
    return h + PINNED_HASH * s.own.pinned + OPP_PINNED_HASH * s.opp.pinned


# ---- one step ----

cdef inline uint32_t _points(const side_t *side) noexcept nogil:
    """Bits of the points on which a side has checkers."""
    return vec32_greater(vec32_load(side.n), vec32_fill(0)) & MASK_ROAD


cdef inline bint _may_hit(const rules_t *r, const side_t *own) noexcept nogil:
    """Whether the gate for hitting is open."""
    if r.hit_gate == GATE_WAS_HOME:
        return own.flags & WAS_HOME
    if r.hit_gate == GATE_IS_HOME:
        return _points(own) & 0x7E != 0
    return True


cdef inline int _landing(const rules_t *r, const state_t *s, int to) noexcept nogil:
    """What happens when a checker of the mover lands on a point."""
    cdef int across = r.across[to]
    cdef int there = s.opp.n[across]
    if s.own.n[to] >= r.own_limit:
        return CLOSED
    if r.single_low <= to <= r.single_high and s.own.n[to] > 0:
        return CLOSED
    if there == 0:
        return NOTHING
    if there > 1 or r.contact == BLOCK_ONE:
        return CLOSED
    if r.contact == HIT:
        return HITS if _may_hit(r, &s.own) else CLOSED
    if s.opp.pinned & _bit(across):
        return NOTHING
    return CLOSED if s.own.pinned & _bit(to) else PINS


cdef inline uint32_t _starts(const rules_t *r, const search_t *search, const node_t *node,
                             uint32_t points) noexcept nogil:
    """Bits of the cells from which checkers may move at all: points, BAR, HAND."""
    cdef const side_t *own = &node.s.own
    cdef uint32_t starts = points & ~own.pinned
    if own.n[BAR] > 0:
        return _bit(BAR)
    if own.n[HAND] > 0:
        if r.n_checkers - own.n[HAND] < r.enter_first:
            return MASK_HAND
        starts |= MASK_HAND
    if r.pass_gate and own.n[HEAD] < r.n_checkers and own.n[HOME_OFF] == 0 and not (
            points & (_bit(PASSED + 1) - 1)):
        starts &= ~_bit(HEAD)
    if node.heads >= search.head_limit:
        starts &= ~_bit(HEAD)
    return starts


cdef inline int _target(const rules_t *r, const node_t *node, uint32_t points, int start, int die,
                        int *effect) noexcept nogil:
    """Where a checker goes, or -1 if it may not."""
    cdef const side_t *own = &node.s.own
    cdef int to = (start if start < BAR else BAR) - die
    if own.n[start] == 1 and node.stay & _bit(start):
        return -1
    effect[0] = NOTHING
    if r.half_gate and to <= 12 and own.n[HAND] > 0:
        return -1
    if to > 0:
        effect[0] = _landing(r, &node.s, to)
        return -1 if effect[0] == CLOSED else to
    if points >> (r.off_zone + 1) or own.n[HAND] > 0 or own.pinned:
        return -1
    if to < 0 and (r.off_exact or points >> (start + 1)):
        return -1
    return 0


cdef inline void _step(const rules_t *r, node_t *node, int start, int to, int die,
                       int effect) noexcept nogil:
    """Move a checker; `node` is changed from its parent into the child."""
    cdef side_t *own = &node.s.own
    cdef side_t *opp = &node.s.opp
    cdef int across = r.across[to]
    own.n[start] -= 1
    own.n[to] += 1
    node.hash += OWN_HASH[to] - OWN_HASH[start]
    if effect == HITS:
        opp.n[across] -= 1
        opp.n[BAR] += 1
        node.hash += OPP_HASH[BAR] - OPP_HASH[across]
        if r.hit_stays and to <= 6:
            node.stay |= _bit(to)
    elif effect == PINS:
        opp.pinned |= _bit(across)
        node.hash += OPP_PINNED_HASH << across
    if r.contact == PIN and own.n[start] == 0 and opp.pinned & _bit(r.across[start]):
        opp.pinned ^= _bit(r.across[start])
        node.hash -= OPP_PINNED_HASH << r.across[start]
    if r.hit_gate == GATE_WAS_HOME and to <= 6 and not own.flags & WAS_HOME:
        own.flags |= WAS_HOME
        node.hash += FLAGS_HASH * WAS_HOME
    if start == HEAD:
        node.heads += 1
    node.start = <int8_t>start
    node.to = <int8_t>to
    node.die = <int8_t>die
    node.effect = <int8_t>effect


# ---- points that are held ----

cdef bint _may_fill(const side_t *side, int high) noexcept nogil:
    """Whether a side has enough checkers for two on each of six points, `high` and below."""
    cdef int above = 0
    cdef int i
    for i in range(HEAD, high, -1):
        above += side.n[i]
    for i in range(6):
        above += side.n[high - i]
        if above < 2 * (i + 1):
            return False
    return True


cdef bint _lawful_rest(const state_t *s) noexcept nogil:
    """Whether a turn of trictrac may end here: corners, and six points that are the opponent's."""
    cdef uint32_t points = _points(&s.own)
    if s.own.n[CORNER] == 1 or s.own.n[OPP_CORNER] > 0:
        return False
    if points & 0x1F80 and _may_fill(&s.opp, 18):
        return False
    return not (points & 0x7E and _may_fill(&s.opp, 24))


cdef bint _lawful_primes(const rules_t *r, const state_t *s) noexcept nogil:
    """Whether a turn may end here, or go on where each step counts."""
    cdef uint32_t points = _points(&s.own)
    cdef uint32_t held = 0
    cdef uint32_t six
    cdef int i, low, high
    if r.rest_corner and not _lawful_rest(s):
        return False
    for i in range(4):
        if bit_count(points >> (19 - 6 * i) & 63) > r.quarter_limit[i]:
            return False
    if r.prime_rule == 0 and not r.prime_stack:
        return True
    # The points that the opponent finds held, on his road; it has a beginning and an end.
    while points:
        i = bit_high(points)
        points ^= _bit(i)
        held |= _bit(r.across[i])
    while True:
        six = held & held >> 1
        six &= six >> 2 & held >> 4 & held >> 5
        if six == 0:
            return True
        if r.prime_rule == PRIME_FORBIDDEN:
            return False
        high = bit_high(six) + 5
        low = bit_high(six)
        while held & _bit(low - 1):
            low -= 1
        if r.prime_rule == PRIME_AHEAD and s.opp.n[HOME_OFF] == 0 and not (
                _points(&s.opp) & (_bit(low) - 1)):
            return False
        if r.prime_stack and s.opp.n[high + 1] == r.n_checkers:
            return False
        held &= _bit(low) - 1


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
                       + <uint64_t>node.stay * <uint64_t>0xA0761D6478BD642F
                       + <uint64_t>node.heads * <uint64_t>0xE7037ED1A0B428DB)
    h = (h ^ (h >> 29)) * <uint64_t>0xBF58476D1CE4E5B9
    return <uint32_t>(h >> 32) & s.mask


cdef inline bint _same(const node_t *a, const node_t *b) noexcept nogil:
    return (a.hash == b.hash and a.left == b.left and a.stay == b.stay and a.heads == b.heads
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
    cdef uint32_t points, movable, starts
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
            if s.n_nodes + MAX_NUMBERS * 26 >= s.capacity:
                return -1
            points = _points(&node.s.own)
            movable = _starts(r, s, node, points)
            for v in range(d.n_values):
                if not (node.left >> (4 * v)) & 15:
                    continue
                starts = movable
                while starts:
                    start = bit_high(starts)
                    starts ^= _bit(start)
                    to = _target(r, node, points, start, d.value[v], &effect)
                    if to < 0:
                        continue
                    child = &s.nodes[s.n_nodes]
                    child[0] = node[0]
                    child.left -= <uint16_t>(1 << (4 * v))
                    child.parent = i
                    _step(r, child, start, to, d.value[v], effect)
                    if s.head_limit == NO_LIMIT:
                        child.heads = 0
                    if r.prime_each_step and not _lawful_primes(r, &child.s):
                        continue
                    _enter(s, d, keyed)
        if s.n_nodes == s.level[level + 1]:
            break
        s.n_levels = level + 2
        s.level[level + 2] = s.n_nodes
    return 0


cdef inline bint _done(const rules_t *r, const node_t *node) noexcept nogil:
    return node.s.own.n[HOME_OFF] == r.n_checkers


cdef inline bint _lawful(const rules_t *r, const node_t *node) noexcept nogil:
    """Whether a turn may end with this node, as far as the points that are held matter."""
    return not r.has_primes or _lawful_primes(r, &node.s)


cdef int _last_lawful_level(const rules_t *r, const search_t *s) noexcept nogil:
    """How many numbers can be played, or -1 if even the beginning is not lawful."""
    cdef int level, i
    if not r.has_primes:
        return s.n_levels - 1
    level = s.n_levels - 1
    while level >= 0:
        for i in range(s.level[level], s.level[level + 1]):
            if _lawful_primes(r, &s.nodes[i].s):
                break
        else:
            level -= 1
            continue
        break
    return level


cdef void _take(search_t *s, int i, bint unique) noexcept nogil:
    """Make a node a play, unless one that was taken before has the same state."""
    cdef node_t *node = &s.nodes[i]
    cdef uint32_t slot
    if not unique:
        # All states are compared as if nothing but the state counted.
        node.left = 0
        node.stay = 0
        node.heads = 0
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
    cdef int most = _last_lawful_level(r, s)
    cdef bint all_lawful = not r.has_primes
    cdef int must = 0
    cdef int level, i
    cdef bint unique
    if most < 0:
        # What stands there may not stay, but no play changes that.
        most = s.n_levels - 1
        all_lawful = True
    unique = most == d.n and not r.finish_early and s.head_limit == NO_LIMIT
    s.n_plays = 0
    if most == 0:
        return
    if most == 1 and d.n == 2 and d.n_values == 2 and not r.any_number:
        # One of two numbers can be played: it is the larger, if that is possible.
        for i in range(s.level[1], s.level[2]):
            if s.nodes[i].die == d.value[0] and (all_lawful or _lawful(r, &s.nodes[i])):
                must = d.value[0]
    if not unique:
        _forget(s)
    for i in range(s.level[most], s.level[most + 1]):
        if (must == 0 or s.nodes[i].die == must) and (all_lawful or _lawful(r, &s.nodes[i])):
            _take(s, i, unique)
    if r.finish_early:
        level = most - 1
        while level > 0:
            for i in range(s.level[level], s.level[level + 1]):
                if _done(r, &s.nodes[i]) and (all_lawful or _lawful(r, &s.nodes[i])):
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
    cdef int head_limit = s.head_limit
    _release(s)
    s.head_limit = head_limit
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


cdef list _next_steps(const rules_t *r, const node_t *root, const numbers_t *d, search_t *s):
    """Every (start, to, number, effect, child) that a legal play can begin with.

    The child is the node after the step, as bytes. Frees the memory of the search.
    """
    cdef numbers_t rest = d[0]
    cdef node_t child
    cdef int i, level, found
    cdef int most = 0
    cdef bint ends
    cdef bint filtered = r.has_primes
    try:
        _allocate(s, FIRST_CAPACITY)
        _find_plays(r, root, d, s, False)
        if s.n_plays == 0:
            return []
        # No play is lawful: then the primes do not matter.
        filtered = filtered and _last_lawful_level(r, s) >= 0
        # The first level of a search is every single step; each is searched on from.
        children = []
        for i in range(s.level[1], s.level[2]):
            child = s.nodes[i]
            child.parent = -1
            children.append((<char *>&child)[:sizeof(node_t)])
        rest.n = d.n - 1
        firsts = []
        for kept in children:
            memcpy(&child, <const char *>kept, sizeof(node_t))
            while _search(r, &child, &rest, s, False) < 0:
                _allocate(s, 2 * s.capacity)
            found = s.n_levels
            ends = False
            if filtered:
                found = 1 + _last_lawful_level(r, s)
            for level in range(s.n_levels):
                for i in range(s.level[level], s.level[level + 1]):
                    ends = ends or (_done(r, &s.nodes[i])
                                    and not (filtered and not _lawful(r, &s.nodes[i])))
            most = max(most, found)
            firsts.append((found, r.finish_early and ends, child.die,
                           (child.start, child.to, child.die, child.effect, kept)))
    finally:
        _release(s)
    if most == 1 and d.n == 2 and d.n_values == 2 and not r.any_number:
        # One of two numbers can be played: it is the larger, if that is possible.
        large = max(die for found, _, die, _ in firsts if found == 1)
        return [step for found, _, die, step in firsts if found == 1 and die == large]
    return [step for found, ends_early, _, step in firsts if found == most or ends_early]


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
        d.left += <uint16_t>(1 << (4 * (d.n_values - 1)))
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
    r.off_zone = 6
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
    search.head_limit = NO_LIMIT
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
    cdef numbers_t numbers
    cdef node_t root
    cdef search_t search
    cdef int i
    cdef int limit = _whole(own_limit, "own_limit", 0, NO_LIMIT)
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
    search.head_limit = NO_LIMIT
    steps = [(start, to, die, effect == HITS)
             for start, to, die, effect, _ in _next_steps(&rules, &root, &numbers, &search)]
    return steps, not steps


# ---- Python: all games ----

cdef int _read_state(bytes state, node_t *root) except -1:
    if len(state) != sizeof(state_t):
        raise VariantError(f"a state has {sizeof(state_t)} bytes, not {len(state)}")
    memset(root, 0, sizeof(node_t))
    memcpy(&root.s, <const char *>state, sizeof(state_t))
    root.hash = _hash(&root.s)
    root.parent = -1
    return 0


@cython.final
cdef class Kernel:
    """The rules of one game as numbers. Immutable; threads may share it.

    Parameters
    ----------
    across : sequence of 24 int
        The opponent's numbers of a player's points 1 to 24.
    contact : int
        0: a lone opposing checker is hit; 1: it closes the point; 2: it is pinned.
    n_checkers : int
        Checkers of one side.
    own_limit : int, default 0
        Most checkers of one side on a point; 0 is no limit.
    singles : (int, int), default (0, 0)
        From the first to the second of these points no two own checkers stand together.
    enter_first : int, default 0
        As long as fewer checkers than this have entered, those in hand go before all others.
    hit_gate : int, default 0
        1: nobody hits before a checker of his has come home; 2: ... unless one is at home now.
    pass_gate : bool, default False
        The first checker passes the opponent's start, 12, before another one leaves 24.
    half_gate : bool, default False
        Nothing goes beyond 13 while checkers are in hand.
    off_zone : int, default 6
        Bearing off needs all checkers on this point and below.
    off_exact : bool, default False
        A number bears off from its own point only.
    quarter_limits : (int, int, int, int), default (6, 6, 6, 6)
        Most points that a side may hold on 24-19, 18-13, 12-7 and 6-1 at the end of a turn.
    prime_rule : int, default 0
        1: six or more points in a row need an opposing checker ahead of them; 2: none are allowed.
    prime_stack : bool, default False
        No six points in a row right before an opponent who has all his checkers on one point.
        Where they stand already, they must be opened if that is possible.
    prime_each_step : bool, default False
        The rules about points held and primes count after each step.
    rest_corner : bool, default False
        A turn ends with no checker or at least two on 13, with none on 12, with none on 12-7 or on
        6-1 as long as the opponent, who travels in the opposite direction, has enough checkers
        for two on each of these points.
    hit_stays : bool, default False
        A checker that hits on 6-1 does not move again in that turn.
    any_number : bool, default False
        No duty to play the larger of two numbers.
    finish_early : bool, default False
        Bearing off the last checker with fewer numbers than possible is legal.

    Notes
    -----
    A state is 64 bytes: 32 of the mover, 32 of the opponent, each in its own numbering. Bytes 0-26
    of a side are counts: 0 borne off, 1-24 the points, 25 the bar, 26 in hand. Byte 27 holds flags
    (bit 0: a checker has come home; the others are the caller's), bytes 28-31 the points on which
    a checker of this side is pinned, as bits of a little-endian number.
    """

    cdef rules_t rules

    def __cinit__(self, *, across, contact, n_checkers, own_limit=0, singles=(0, 0),
                  enter_first=0, hit_gate=0, bint pass_gate=False, bint half_gate=False,
                  off_zone=6, bint off_exact=False, quarter_limits=(6, 6, 6, 6), prime_rule=0,
                  bint prime_stack=False, bint prime_each_step=False, bint rest_corner=False,
                  bint hit_stays=False, bint any_number=False, bint finish_early=False):
        cdef rules_t *r = &self.rules
        cdef int i
        memset(r, 0, sizeof(rules_t))
        if sorted(across) != list(range(1, 25)):
            raise VariantError("across holds the numbers 1 to 24, each once")
        for i in range(24):
            r.across[i + 1] = across[i]
        r.contact = _whole(contact, "contact", 0, 2)
        r.n_checkers = _whole(n_checkers, "n_checkers", 1, N_CHECKERS)
        r.own_limit = _whole(own_limit, "own_limit", 0, N_CHECKERS) or NO_LIMIT
        r.single_low = _whole(singles[0], "singles", 0, 24)
        r.single_high = _whole(singles[1], "singles", 0, 24)
        r.enter_first = _whole(enter_first, "enter_first", 0, N_CHECKERS)
        r.hit_gate = _whole(hit_gate, "hit_gate", 0, 2)
        r.pass_gate = pass_gate
        r.half_gate = half_gate
        r.off_zone = _whole(off_zone, "off_zone", 1, 24)
        r.off_exact = off_exact
        r.has_primes = prime_stack
        for i in range(4):
            r.quarter_limit[i] = _whole(quarter_limits[i], "quarter_limits", 0, 6)
            r.has_primes |= r.quarter_limit[i] < 6
        r.prime_rule = _whole(prime_rule, "prime_rule", 0, 2)
        r.has_primes |= r.prime_rule > 0
        r.prime_stack = prime_stack
        r.prime_each_step = prime_each_step
        r.rest_corner = rest_corner
        r.has_primes |= rest_corner
        r.hit_stays = hit_stays
        r.any_number = any_number
        r.finish_early = finish_early

    cdef int _begin(self, bytes state, numbers, head_limit, heads, stay, node_t *root,
                    numbers_t *d, search_t *s) except -1:
        """Read what describes a turn, and the memory for its search."""
        cdef int point
        values = [_die(value, "a number") for value in numbers]
        if len(values) > MAX_NUMBERS:
            raise DiceError(f"{len(values)} numbers; one play has at most {MAX_NUMBERS}")
        _read_state(state, root)
        _set_numbers(values, d)
        root.left = d.left
        memset(s, 0, sizeof(search_t))
        s.head_limit = NO_LIMIT
        if head_limit is not None:
            s.head_limit = _whole(head_limit, "head_limit", 0, N_CHECKERS)
            root.heads = <int16_t>_whole(heads, "heads", 0, N_CHECKERS)
        for value in stay:
            point = _whole(value, "a point of stay", 1, 24)
            root.stay |= _bit(point)
        return 0

    def plays(self, bytes state not None, numbers, *, head_limit=None, heads=0, stay=()):
        """List every legal play of some numbers.

        Parameters
        ----------
        state : bytes
            64 bytes, seen by the mover; not checked against the rules.
        numbers : sequence of int
            Up to four, in any order.
        head_limit : int, optional
            Most checkers that may leave 24 in this turn.
        heads : int, default 0
            Checkers that have left 24 in this turn already, where that is limited.
        stay : iterable of int, default ()
            Points with a checker that may not move again in this turn.

        Returns
        -------
        states : (M, 64) uint8 array
            The distinct states after the play, seen by the mover; M is 0 if nothing can be played.
            In the order in which they are found: larger numbers first, then higher cells.
        steps : (M, 4, 4) int8 array
            For each play up to four steps (from, to, number, effect). From 25 is the bar, 26 the
            hand; to 0 is off; effect 1 is a hit, 2 a pin.
        n_steps : (M,) int8 array

        Raises
        ------
        DiceError, VariantError
        """
        cdef numbers_t d
        cdef node_t root
        cdef search_t search
        cdef uint8_t[:, ::1] states
        cdef int8_t[:, :, ::1] steps
        cdef int8_t[::1] n_steps
        cdef int i, j, n
        cdef const node_t *node
        self._begin(state, numbers, head_limit, heads, stay, &root, &d, &search)
        try:
            _allocate(&search, FIRST_CAPACITY)
            _find_plays(&self.rules, &root, &d, &search, False)
            states_array = np.empty((search.n_plays, sizeof(state_t)), dtype=np.uint8)
            steps_array = np.zeros((search.n_plays, MAX_NUMBERS, 4), dtype=np.int8)
            n_array = np.zeros(search.n_plays, dtype=np.int8)
            states = states_array
            steps = steps_array
            n_steps = n_array
            for i in range(search.n_plays):
                node = &search.nodes[search.plays[i]]
                memcpy(&states[i, 0], &node.s, sizeof(state_t))
                n = 0
                j = search.plays[i]
                while search.nodes[j].parent >= 0:
                    n += 1
                    j = search.nodes[j].parent
                n_steps[i] = <int8_t>n
                while node.parent >= 0:
                    n -= 1
                    steps[i, n, 0] = node.start
                    steps[i, n, 1] = node.to
                    steps[i, n, 2] = node.die
                    steps[i, n, 3] = node.effect
                    node = &search.nodes[node.parent]
            return states_array, steps_array, n_array
        finally:
            _release(&search)

    def next_steps(self, bytes state not None, numbers, *, head_limit=None, heads=0, stay=()):
        """List the steps that may be made now so that the play can still be completed.

        Parameters
        ----------
        state, numbers, head_limit, heads, stay
            As in `plays`, as they stand after the steps made so far.

        Returns
        -------
        list of (from, to, number, effect, state)
            The state after the step, seen by the mover. Larger numbers first, then higher cells.
            Empty when the play is complete.

        Raises
        ------
        DiceError, VariantError
        """
        cdef numbers_t d
        cdef node_t root
        cdef search_t search
        self._begin(state, numbers, head_limit, heads, stay, &root, &d, &search)
        return [(start, to, die, effect, kept[:sizeof(state_t)])
                for start, to, die, effect, kept in _next_steps(&self.rules, &root, &d, &search)]

    def can_move(self, bytes state not None):
        """Tell whether the mover could make a step with any number.

        Duties that look at more than one step, limits of a turn and rules about primes do not
        count: where this is False for both sides nothing will ever move again.

        Returns
        -------
        bool
        """
        cdef node_t root
        cdef search_t search
        cdef uint32_t points, starts, left
        cdef int die, start
        cdef int effect = NOTHING
        _read_state(state, &root)
        memset(&search, 0, sizeof(search_t))
        search.head_limit = NO_LIMIT
        points = _points(&root.s.own)
        starts = _starts(&self.rules, &search, &root, points)
        for die in range(1, 7):
            left = starts
            while left:
                start = bit_high(left)
                left ^= _bit(start)
                if _target(&self.rules, &root, points, start, die, &effect) >= 0:
                    return True
        return False

    def count_plays(self, const uint8_t[:, ::1] states not None):
        """Count the distinct legal plays of N states with each of the 21 rolls of two dice.

        Doublets are played four times; there is no limit for checkers that leave 24. Runs without
        the GIL.

        Parameters
        ----------
        states : (N, 64) uint8 array
            Each seen by the mover; not checked against the rules.

        Returns
        -------
        (N, 21) int32 array
            Rolls in the order 1-1, 2-1, 2-2, 3-1, ... 6-6; 0 means no legal play.
        """
        if states.shape[1] != sizeof(state_t):
            raise VariantError(f"states have {sizeof(state_t)} bytes, not {states.shape[1]}")
        counts_array = np.zeros((states.shape[0], 21), dtype=np.int32)
        cdef int32_t[:, ::1] counts = counts_array
        cdef node_t root
        cdef numbers_t d
        cdef search_t search
        cdef int64_t i
        cdef int large, small
        cdef int roll = 0
        memset(&search, 0, sizeof(search_t))
        search.head_limit = NO_LIMIT
        memset(&d, 0, sizeof(d))
        memset(&root, 0, sizeof(root))
        root.parent = -1
        try:
            _allocate(&search, FIRST_CAPACITY)
            with nogil:
                for i in range(states.shape[0]):
                    memcpy(&root.s, &states[i, 0], sizeof(state_t))
                    root.hash = _hash(&root.s)
                    roll = 0
                    for large in range(1, 7):
                        for small in range(1, large + 1):
                            d.n_values = 1 if large == small else 2
                            d.n = 4 if large == small else 2
                            d.value[0] = <int8_t>large
                            d.value[1] = <int8_t>small
                            d.left = 4 if large == small else 0x11
                            root.left = d.left
                            while _search(&self.rules, &root, &d, &search, False) < 0:
                                with gil:
                                    _allocate(&search, 2 * search.capacity)
                            _choose(&self.rules, &d, &search)
                            counts[i, roll] = search.n_plays
                            roll += 1
        finally:
            _release(&search)
        return counts_array
