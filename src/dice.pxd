"""Dice as a pure function of (seed, trial, ply).

The generator is Philox4x64-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
1, 2, 3", SC11): 256 bits of counter and 128 bits of key give 256 random bits, with no state.
The seed is the key. The counter is (index, ply, attempt, domain), so no two uses share bits.

A roll is a number r of 0-35: first die r // 6 + 1, second die r % 6 + 1.

Plain dice: every roll of every trial is an independent draw.

Stratified dice: P0 ... P127 are random permutations of 0-35 made from the seed. A trial t is
written in base 36, t = i + 36 k + 1296 m + 46656 n + ..., and + and * below are those of the ring
GF(4) x GF(9), which has 36 elements:

    ply p <= 3  rp = Pp[i + c(p) k + c(p)**2 m + c(p)**3 n], c(0) ... c(3) = 0, 1 and two more
                whose differences all have inverses; c(0) = 0, so r0 = P0[i]
    ply p >= 4  rp = P(p % 128)[(i + s) % 36], s random for each (t // 36, p)

This is a randomised orthogonal array (Bush, "Orthogonal arrays of index unity", 1952; Owen,
"Orthogonal arrays for computer experiments", 1992). A block, 36 trials from a multiple of 36,
shows every roll once at every ply. 1,296 trials from a multiple of 1,296 show every pair of rolls
at any two of the first four plies; 46,656 every triple at any three; 1,679,616 every quadruple.
The rolls of one trial alone are uniform and independent of each other, and blocks draw their
shifts independently. (Nested strata alone, r2 = P2[t // 1296 + r1], would make the third roll a
function of the second throughout the first 1,296 trials.)

Opening: the first roll is never a double. A block is then 30 trials from a multiple of 30,
t = i + 30 (k + 36 m + 1296 n + ...), and stratified r0 = Q[i] with Q a random order of the 30 rolls
that are not doubles. 1,080 trials from a multiple of 1,080 show every pair of the first roll and
one of the next three, 38,880 every triple with the first roll; at later plies a block shows
30 different rolls.

Nothing here checks its input: trial < 2**63, 0 <= ply < 2**31.
"""
from bgcore._core.types cimport int32_t, mul_high64, uint8_t, uint32_t, uint64_t


cdef enum:
    DICE_TABLES = 128
    DICE_ARRAY_PLIES = 4    # plies of the orthogonal array

    # what a counter is for (its last word)
    DICE_ORDER = 0      # the permutations
    DICE_ROLL = 1       # plain rolls
    DICE_SHIFT = 2      # shifts of stratified rolls, one for each (block, ply)
    DICE_OPENING = 3    # plain first rolls that are not doubles
    DICE_BITS = 4       # bits for other purposes; the purpose is added


ctypedef struct philox_t:
    uint64_t w[4]


ctypedef struct dice_t:
    uint64_t key[2]
    int32_t stratified
    int32_t opening
    int32_t block               # 36, 30 for an opening, 1 for plain dice
    uint8_t first[36]           # rolls of ply 0, `block` of them, if stratified
    uint8_t order[128][36]      # [DICE_TABLES]
    uint8_t sum[36][36]         # x + y in the ring
    uint8_t product[4][36]      # c(p) * x in the ring, [DICE_ARRAY_PLIES]


cdef inline void philox(
    uint64_t c0, uint64_t c1, uint64_t c2, uint64_t c3, uint64_t k0, uint64_t k1, philox_t *out,
) noexcept nogil:
    """Philox4x64-10 of one counter."""
    cdef uint64_t h0, h1
    cdef int _round
    for _round in range(10):
        h0 = mul_high64(0xD2E7470EE14C6C93ULL, c0)
        h1 = mul_high64(0xCA5A826395121157ULL, c2)
        c0 = c0 * 0xD2E7470EE14C6C93ULL
        c2 = c2 * 0xCA5A826395121157ULL
        # the low products go to the odd words of the next round
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, c2, h0 ^ c3 ^ k1, c0
        k0 = k0 + 0x9E3779B97F4A7C15ULL
        k1 = k1 + 0xBB67AE8584CAA73BULL
    out.w[0] = c0
    out.w[1] = c1
    out.w[2] = c2
    out.w[3] = c3


cdef inline int dice_bounded(uint32_t x, uint32_t n) noexcept nogil:
    """Map 16 random bits to 0 ... n - 1 without bias, n <= 256; -1: draw again.

    Lemire, "Fast random integer generation in an interval", 2019.
    """
    cdef uint32_t m = x * n
    if (m & 0xFFFF) < 65536 % n:
        return -1
    return <int>(m >> 16)


cdef inline uint32_t dice_lane(const philox_t *bits, int i) noexcept nogil:
    """The i-th of the 16 pieces of 16 bits."""
    return <uint32_t>(bits.w[i >> 2] >> (16 * (i & 3))) & 0xFFFF


# A rejected draw, about one of 4,096: whole blocks of its own until one of 16 pieces will do.
cdef int dice_draw_again(
    const dice_t *d, uint64_t index, int ply, int domain, uint32_t n,
) noexcept nogil


cdef inline int dice_draw(
    const dice_t *d, uint64_t index, int ply, int domain, uint32_t n,
) noexcept nogil:
    """Uniform 0 ... n - 1 for (index, ply, domain). Sixteen plies share one Philox block."""
    cdef philox_t bits
    cdef int r
    philox(index, <uint64_t>(ply >> 4), 0, <uint64_t>domain, d.key[0], d.key[1], &bits)
    r = dice_bounded(dice_lane(&bits, ply & 15), n)
    return r if r >= 0 else dice_draw_again(d, index, ply, domain, n)


cdef inline int dice_not_double(int i) noexcept nogil:
    """The i-th (0-29) of the rolls that are not doubles."""
    cdef int a = i // 5
    cdef int b = i % 5
    return 6 * a + b + (b >= a)


cdef inline int dice_opening_roll(const dice_t *d, uint64_t trial) noexcept nogil:
    """The first roll of a trial, never a double. Only for d.opening."""
    if d.stratified:
        return d.first[trial % 30]
    return dice_not_double(dice_draw(d, trial, 0, DICE_OPENING, 30))


cdef inline int dice_array_roll(const dice_t *d, uint64_t trial, int ply) noexcept nogil:
    """Stratified roll of ply 0-3."""
    cdef uint64_t block = trial // <uint64_t>d.block
    cdef int place = <int>(trial % <uint64_t>d.block)
    cdef const uint8_t *times = d.product[ply]
    cdef int x
    if ply == 0:
        return d.first[place]
    x = d.sum[times[(block // 1296) % 36]][(block // 36) % 36]
    x = d.sum[times[x]][block % 36]
    x = d.sum[times[x]][place]
    return d.order[ply][x]


cdef inline int dice_roll(const dice_t *d, uint64_t trial, int ply) noexcept nogil:
    """The roll of a ply of a trial: 0-35."""
    cdef uint64_t block
    cdef int shift
    if d.stratified:
        if ply < DICE_ARRAY_PLIES:
            return dice_array_roll(d, trial, ply)
        block = <uint64_t>d.block
        shift = dice_draw(d, trial // block, ply, DICE_SHIFT, 36)
        return d.order[ply % DICE_TABLES][(trial % block + <uint64_t>shift) % 36]
    if d.opening and ply == 0:
        return dice_opening_roll(d, trial)
    return dice_draw(d, trial, ply, DICE_ROLL, 36)


cdef inline uint64_t dice_bits(
    const dice_t *d, uint64_t trial, int ply, int purpose,
) noexcept nogil:
    """64 random bits of a ply of a trial, one set for each purpose (0, 1, ...)."""
    cdef philox_t bits
    philox(trial, <uint64_t>ply, 0, <uint64_t>DICE_BITS + <uint64_t>purpose,
           d.key[0], d.key[1], &bits)
    return bits.w[0]


# The rolls of plies ply ... ply + n - 1, the same as n calls of dice_roll but faster.
cdef void dice_rolls(
    const dice_t *d, uint64_t trial, int ply, int n, uint8_t *rolls,
) noexcept nogil

cdef void dice_init(
    dice_t *d, uint64_t key0, uint64_t key1, int stratified, int opening,
) noexcept nogil


cdef class DiceStream:
    cdef dice_t dice
