/* The nets: layout in memory and the kernels that evaluate them.
 *
 * Everything is integer arithmetic, so the baseline and the x86-64-v3 build of the same text give
 * the same bits, and so do the kernels for AVX-512 in the latter (kernels512.h). Sums are taken
 * modulo 2**16 and 2**32. For the value net the loader proves that no board of fifteen checkers a
 * side leaves the range (network.pyx, hidden_range), so nothing ever wraps; the roll net only
 * estimates, and a sum that wrapped would be a bad estimate, no more. */
#ifndef BGCORE_KERNELS_H
#define BGCORE_KERNELS_H

#include "simd.h"

enum {
    NET_CELLS = 28,      /* cells of a board_t that carry a row */
    NET_VALUES = 31,     /* values -15 .. 15 of a cell */
    NET_HIDDEN = 128,    /* hidden units of the value net */
    NET_HEADS = 10,      /* output layers of the value net, see net_head */
    LUCK_HIDDEN = 128,   /* hidden units of the roll net */
    LUCK_HEADS = 2,      /* output layers of the roll net: race, contact */
    LUCK_OUTPUTS = 105,  /* five probabilities for each of 21 rolls */
    LUCK_WIDTH = 112,    /* the same, filled up to whole vectors */
    LUCK_SHORT = 2700,   /* 25 starts x 6 distances x 3 counts x 6 kinds of target */
    LUCK_PAIRS = 3150,   /* and 25 starts x 18 distances from 7 on, to blots */
    LUCK_PAIRS_MOST = 315,
    NET_Z_BITS = 20,     /* an output of the value net before its sigmoid has unit 2**-20 */
    LUCK_Z_BITS = 22,    /* an output of the roll net has unit 2**-22 */
    LUCK_PAIR_BITS = 13, /* what a pair adds to an output has unit 2**-13 */
    SIGMOID_SIZE = 1025  /* knots of the sigmoid at -16, -16 + 1/32, ..., 16 */
};

#define PROBABILITY_ONE (1 << 30)

/* Bits of the cells, as in board.pxd. */
#define CELLS_ON_BOARD 0x03FFFFFFu
#define CELLS_ALL 0x0FFFFFFFu
#define CELLS_HOME_AND_OPP_BAR 0x0000007Fu  /* cells 0-6 */
#define CELLS_OPP_HOME_AND_BAR 0x03F80000u  /* cells 19-25 */

typedef struct {
    BGCORE_ALIGN32 int16_t rows[NET_CELLS * NET_VALUES * NET_HIDDEN];
    BGCORE_ALIGN32 int16_t bias[NET_HIDDEN];
    BGCORE_ALIGN32 int16_t out[NET_HEADS * 5 * NET_HIDDEN];
    int32_t out_bias[NET_HEADS * 5];
    int32_t sigmoid[SIGMOID_SIZE];
    int32_t wide;        /* whether its kernels are those of kernels512.h */
} net_t;

typedef struct {
    BGCORE_ALIGN32 int16_t rows[NET_CELLS * NET_VALUES * LUCK_HIDDEN];
    BGCORE_ALIGN32 int16_t bias[LUCK_HIDDEN];
    BGCORE_ALIGN32 int16_t pair_rows[LUCK_PAIRS * LUCK_HIDDEN];
    BGCORE_ALIGN32 int16_t pair_out[LUCK_PAIRS * LUCK_WIDTH];
    BGCORE_ALIGN32 int16_t out[LUCK_HEADS * LUCK_OUTPUTS * LUCK_HIDDEN];
    int32_t out_bias[LUCK_HEADS * LUCK_OUTPUTS];
    /* The same three less their means over the 36 rolls: whole numbers whose weighted sum over the
     * rolls is exactly 0. pair_luck is ordered by roll, then pair, eight lanes each. */
    BGCORE_ALIGN32 int16_t pair_luck[21 * LUCK_PAIRS * 8];
    BGCORE_ALIGN32 int16_t out_luck[LUCK_HEADS * LUCK_OUTPUTS * LUCK_HIDDEN];
    int32_t bias_luck[LUCK_HEADS * LUCK_OUTPUTS];
} luck_t;

/* ---- 16 lanes of int16, 8 lanes of int32 ---- */
#if defined(__AVX2__)
typedef __m256i vec16;
typedef __m256i vec8;
static inline vec16 vec16_load(const int16_t *p) { return _mm256_load_si256((const __m256i *)p); }
static inline vec16 vec16_zero(void) { return _mm256_setzero_si256(); }
static inline void vec16_store(int16_t *p, vec16 v) { _mm256_store_si256((__m256i *)p, v); }
static inline vec16 vec16_add(vec16 a, vec16 b) { return _mm256_add_epi16(a, b); }
static inline vec16 vec16_sub(vec16 a, vec16 b) { return _mm256_sub_epi16(a, b); }
static inline vec16 vec16_relu(vec16 a) { return _mm256_max_epi16(a, _mm256_setzero_si256()); }
/* each number cut at -limit and limit */
static inline vec16 vec16_cut(vec16 a, int limit) {
    return _mm256_max_epi16(_mm256_min_epi16(a, _mm256_set1_epi16((int16_t)limit)),
                            _mm256_set1_epi16((int16_t)-limit));
}
static inline vec8 vec8_zero(void) { return _mm256_setzero_si256(); }
static inline vec8 vec8_dot(vec8 s, vec16 a, vec16 b) {
    return _mm256_add_epi32(s, _mm256_madd_epi16(a, b));
}
static inline void vec8_sums(vec8 s0, vec8 s1, vec8 s2, vec8 s3, vec8 s4, int32_t *out) {
    __m256i h = _mm256_hadd_epi32(_mm256_hadd_epi32(s0, s1), _mm256_hadd_epi32(s2, s3));
    _mm_storeu_si128((__m128i *)out,
                     _mm_add_epi32(_mm256_castsi256_si128(h), _mm256_extracti128_si256(h, 1)));
    __m128i t = _mm_add_epi32(_mm256_castsi256_si128(s4), _mm256_extracti128_si256(s4, 1));
    t = _mm_add_epi32(t, _mm_shuffle_epi32(t, 0x4E));
    t = _mm_add_epi32(t, _mm_shuffle_epi32(t, 0xB1));
    out[4] = _mm_cvtsi128_si32(t);
}
#elif defined(__SSE2__) || defined(_M_X64)
typedef struct { __m128i lo, hi; } vec16;
typedef __m128i vec8; /* only the sum of all lanes is ever used: four lanes do */
static inline vec16 vec16_zero(void) {
    vec16 v = {_mm_setzero_si128(), _mm_setzero_si128()};
    return v;
}
static inline vec16 vec16_load(const int16_t *p) {
    vec16 v;
    v.lo = _mm_load_si128((const __m128i *)p);
    v.hi = _mm_load_si128((const __m128i *)p + 1);
    return v;
}
static inline void vec16_store(int16_t *p, vec16 v) {
    _mm_store_si128((__m128i *)p, v.lo);
    _mm_store_si128((__m128i *)p + 1, v.hi);
}
static inline vec16 vec16_add(vec16 a, vec16 b) {
    a.lo = _mm_add_epi16(a.lo, b.lo);
    a.hi = _mm_add_epi16(a.hi, b.hi);
    return a;
}
static inline vec16 vec16_sub(vec16 a, vec16 b) {
    a.lo = _mm_sub_epi16(a.lo, b.lo);
    a.hi = _mm_sub_epi16(a.hi, b.hi);
    return a;
}
static inline vec16 vec16_relu(vec16 a) {
    a.lo = _mm_max_epi16(a.lo, _mm_setzero_si128());
    a.hi = _mm_max_epi16(a.hi, _mm_setzero_si128());
    return a;
}
static inline vec16 vec16_cut(vec16 a, int limit) {
    const __m128i high = _mm_set1_epi16((int16_t)limit), low = _mm_set1_epi16((int16_t)-limit);
    a.lo = _mm_max_epi16(_mm_min_epi16(a.lo, high), low);
    a.hi = _mm_max_epi16(_mm_min_epi16(a.hi, high), low);
    return a;
}
static inline vec8 vec8_zero(void) { return _mm_setzero_si128(); }
static inline vec8 vec8_dot(vec8 s, vec16 a, vec16 b) {
    return _mm_add_epi32(s, _mm_add_epi32(_mm_madd_epi16(a.lo, b.lo), _mm_madd_epi16(a.hi, b.hi)));
}
static inline int32_t vec8_sum(vec8 t) {
    t = _mm_add_epi32(t, _mm_shuffle_epi32(t, 0x4E));
    t = _mm_add_epi32(t, _mm_shuffle_epi32(t, 0xB1));
    return _mm_cvtsi128_si32(t);
}
static inline void vec8_sums(vec8 s0, vec8 s1, vec8 s2, vec8 s3, vec8 s4, int32_t *out) {
    out[0] = vec8_sum(s0);
    out[1] = vec8_sum(s1);
    out[2] = vec8_sum(s2);
    out[3] = vec8_sum(s3);
    out[4] = vec8_sum(s4);
}
#else
typedef struct { int16_t x[16]; } vec16;
typedef int32_t vec8;
static inline vec16 vec16_load(const int16_t *p) { vec16 v; memcpy(v.x, p, 32); return v; }
static inline vec16 vec16_zero(void) { vec16 v; memset(v.x, 0, 32); return v; }
static inline void vec16_store(int16_t *p, vec16 v) { memcpy(p, v.x, 32); }
static inline vec16 vec16_add(vec16 a, vec16 b) {
    for (int i = 0; i < 16; i++) a.x[i] = (int16_t)(uint16_t)((uint16_t)a.x[i] + (uint16_t)b.x[i]);
    return a;
}
static inline vec16 vec16_sub(vec16 a, vec16 b) {
    for (int i = 0; i < 16; i++) a.x[i] = (int16_t)(uint16_t)((uint16_t)a.x[i] - (uint16_t)b.x[i]);
    return a;
}
static inline vec16 vec16_relu(vec16 a) {
    for (int i = 0; i < 16; i++) a.x[i] = (int16_t)(a.x[i] > 0 ? a.x[i] : 0);
    return a;
}
static inline vec16 vec16_cut(vec16 a, int limit) {
    for (int i = 0; i < 16; i++) {
        if (a.x[i] > limit) a.x[i] = (int16_t)limit;
        if (a.x[i] < -limit) a.x[i] = (int16_t)-limit;
    }
    return a;
}
static inline vec8 vec8_zero(void) { return 0; }
static inline vec8 vec8_dot(vec8 s, vec16 a, vec16 b) {
    for (int i = 0; i < 16; i++) s = (int32_t)((uint32_t)s + (uint32_t)((int32_t)a.x[i] * b.x[i]));
    return s;
}
static inline void vec8_sums(vec8 s0, vec8 s1, vec8 s2, vec8 s3, vec8 s4, int32_t *out) {
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
    out[3] = s3;
    out[4] = s4;
}
#endif

/* ---- what a board tells without a net ---- */

/* 0 for none, 1 for one, 2 for more bits. */
static inline int net_few(uint32_t bits) { return (bits != 0) + ((bits & (bits - 1)) != 0); }

/* Which output layer sees this board: 0 a race; 1 + 3 a + b with contact, where a counts the
 * points (bar included, two at most) that own checkers hold in the opponent's home board, and b
 * those that the opponent's checkers hold in the own one. */
static inline int net_head(uint32_t own, uint32_t opp) {
    if (bit_high(own) < bit_low(opp)) return 0;
    return 1 + 3 * net_few(own & CELLS_OPP_HOME_AND_BAR) + net_few(opp & CELLS_HOME_AND_OPP_BAR);
}

/* Bits 1-4 are set for the outputs that the rules fix at zero; own and opp as in board.pxd.
 * Who has borne off a checker cannot lose a gammon; in a race a backgammon needs a checker on the
 * wrong side of the board now. */
static inline int five_impossible(const board_t *b, uint32_t own, uint32_t opp) {
    int m = 0;
    if (b->c[27] != 0) m |= 6;
    if (b->c[26] != 0) m |= 24;
    if (bit_high(own) < bit_low(opp)) {
        if ((opp & CELLS_HOME_AND_OPP_BAR) == 0) m |= 4;
        if ((own & CELLS_OPP_HOME_AND_BAR) == 0) m |= 16;
    }
    return m;
}

static inline void five_clamp(int impossible, int32_t *five) {
    int32_t lose = PROBABILITY_ONE - five[0];
    if (impossible & 2) five[1] = 0;
    if (impossible & 4) five[2] = 0;
    if (impossible & 8) five[3] = 0;
    if (impossible & 16) five[4] = 0;
    if (five[1] > five[0]) five[1] = five[0];
    if (five[2] > five[1]) five[2] = five[1];
    if (five[3] > lose) five[3] = lose;
    if (five[4] > five[3]) five[4] = five[3];
}

static inline int64_t five_equity(const int32_t *five) {
    return 2 * (int64_t)five[0] - PROBABILITY_ONE + five[1] + five[2] - five[3] - five[4];
}

/* The five probabilities of a finished game; value as board_value, not 0. */
static inline void five_finished(int value, int32_t *five) {
    five[0] = value > 0 ? PROBABILITY_ONE : 0;
    five[1] = value > 1 ? PROBABILITY_ONE : 0;
    five[2] = value > 2 ? PROBABILITY_ONE : 0;
    five[3] = value < -1 ? PROBABILITY_ONE : 0;
    five[4] = value < -2 ? PROBABILITY_ONE : 0;
}

/* The same probabilities seen by the other side; in and out may be the same. */
static inline void five_flip(const int32_t *in, int32_t *out) {
    int32_t wg = in[1], wbg = in[2], lg = in[3], lbg = in[4];
    out[0] = PROBABILITY_ONE - in[0];
    out[1] = lg;
    out[2] = lbg;
    out[3] = wg;
    out[4] = wbg;
}

/* z in units of 2**-20 -> probability; linear between knots 1/32 apart, constant beyond +-16. */
static inline int32_t sigmoid_fixed(const int32_t *table, int32_t z) {
    const int32_t limit = 1 << (NET_Z_BITS + 4);
    int32_t i, rest;
    if (z < -limit) z = -limit;
    if (z > limit - 1) z = limit - 1;
    z += limit;
    i = z >> (NET_Z_BITS - 5);
    rest = z & ((1 << (NET_Z_BITS - 5)) - 1);
    return table[i] +
           (int32_t)(((int64_t)(table[i + 1] - table[i]) * rest) >> (NET_Z_BITS - 5));
}

/* The knots: 1 / (1 + exp(-k / 32)), from products of one constant, so that every machine gets the
 * same table whatever its exp() does. */
static inline void sigmoid_fill(int32_t *table) {
    const int half = SIGMOID_SIZE / 2;
    double power = 1.0;
    for (int k = 0; k <= half; k++) {
        int32_t p = (int32_t)(1073741824.0 / (1.0 + power) + 0.5);
        table[half + k] = p;
        table[half - k] = PROBABILITY_ONE - p;
        power *= 0.96923323447634413; /* exp(-1/32) */
    }
}

/* ---- the value net ---- */

/* Hidden sums of one board before the rectifier. */
typedef struct { BGCORE_ALIGN64 int16_t h[NET_HIDDEN]; } net_sums_t;

#if defined(__AVX2__) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include "kernels512.h"
#endif

static inline void net_refresh(const net_t *net, const board_t *b, net_sums_t *sums) {
#if defined(BGCORE_512)
    if (net->wide) {
        net_refresh_512(net, b, sums);
        return;
    }
#endif
    uint32_t cells = ~vec32_equal(vec32_load(b->c), vec32_fill(0)) & CELLS_ALL;
    vec16 a[8];
    for (int k = 0; k < 8; k++) a[k] = vec16_load(net->bias + 16 * k);
    while (cells) {
        int i = bit_low(cells);
        const int16_t *row = net->rows + (i * NET_VALUES + b->c[i] + 15) * NET_HIDDEN;
        cells &= cells - 1;
        for (int k = 0; k < 8; k++) a[k] = vec16_add(a[k], vec16_load(row + 16 * k));
    }
    for (int k = 0; k < 8; k++) vec16_store(sums->h + 16 * k, a[k]);
}

/* Outputs of one head before the sigmoid. */
static inline void net_head_sums(const net_t *net, const vec16 *a, int head, int32_t *z) {
    const int16_t *w = net->out + head * 5 * NET_HIDDEN;
    vec8 s0 = vec8_zero(), s1 = s0, s2 = s0, s3 = s0, s4 = s0;
    for (int k = 0; k < 8; k++) {
        vec16 r = vec16_relu(a[k]);
        s0 = vec8_dot(s0, r, vec16_load(w + 16 * k));
        s1 = vec8_dot(s1, r, vec16_load(w + NET_HIDDEN + 16 * k));
        s2 = vec8_dot(s2, r, vec16_load(w + 2 * NET_HIDDEN + 16 * k));
        s3 = vec8_dot(s3, r, vec16_load(w + 3 * NET_HIDDEN + 16 * k));
        s4 = vec8_dot(s4, r, vec16_load(w + 4 * NET_HIDDEN + 16 * k));
    }
    vec8_sums(s0, s1, s2, s3, s4, z);
    for (int k = 0; k < 5; k++) z[k] += net->out_bias[head * 5 + k];
}

/* The five probabilities of `child`, an unfinished game after a play, from the hidden sums of
 * `parent`, a board with few cells that differ. own, opp: the occupied cells of the child. */
static inline void net_child_five(const net_t *net, const net_sums_t *sums,
                                  const board_t *parent, const board_t *child, uint32_t own,
                                  uint32_t opp, int32_t *five) {
#if defined(BGCORE_512)
    if (net->wide) {
        net_child_five_512(net, sums, parent, child, own, opp, five);
        return;
    }
#endif
    uint32_t cells = ~vec32_equal(vec32_load(parent->c), vec32_load(child->c)) & CELLS_ALL;
    vec16 a[8];
    for (int k = 0; k < 8; k++) a[k] = vec16_load(sums->h + 16 * k);
    while (cells) {
        int i = bit_low(cells);
        const int16_t *cell = net->rows + (i * NET_VALUES + 15) * NET_HIDDEN;
        const int16_t *before = cell + parent->c[i] * NET_HIDDEN;
        const int16_t *after = cell + child->c[i] * NET_HIDDEN;
        cells &= cells - 1;
        for (int k = 0; k < 8; k++)
            a[k] = vec16_add(a[k], vec16_sub(vec16_load(after + 16 * k),
                                             vec16_load(before + 16 * k)));
    }
    net_head_sums(net, a, net_head(own, opp), five);
    for (int k = 0; k < 5; k++) five[k] = sigmoid_fixed(net->sigmoid, five[k]);
    five_clamp(five_impossible(child, own, opp), five);
}

/* ---- the roll net ---- */

/* Beside the cells the roll net sees pairs of a start, where the roller has checkers, and a target:
 * all targets within one die, with what stands there, and blots farther away. They tell which
 * checkers a number plays and what it hits. */
static inline int luck_pairs(const board_t *b, uint32_t own, int32_t *pairs) {
    uint8_t kind[32];
    uint32_t blots = vec32_equal(vec32_load(b->c), vec32_fill(-1)) & 0x01FFFFFEu;
    int count = 0;
    for (int i = 0; i < 32; i++) {
        /* 0 a made point, 1 a blot, 2 nothing, 3 an opposing blot, 4 an opposing point */
        int v = b->c[i];
        kind[i] = (uint8_t)((v < 2) + (v < 1) + (v < 0) + (v < -1));
    }
    while (own) {
        const int start = bit_low(own);
        const int n = b->c[start] > 3 ? 3 : b->c[start];
        uint32_t far = start > 7 ? blots & ((1u << (start - 6)) - 1) : 0;
        own &= own - 1;
        for (int d = 1; d <= 6; d++)
            pairs[count++] = (((start - 1) * 6 + d - 1) * 3 + n - 1) * 6 +
                             (start > d ? kind[start - d] : 5);
        while (far) {
            pairs[count++] = LUCK_SHORT + (start - 1) * 18 + start - bit_low(far) - 7;
            far &= far - 1;
        }
    }
    return count;
}

/* Hidden units of the roll net. */
static inline void luck_hidden(const luck_t *luck, const board_t *b, const int32_t *pairs,
                               int n_pairs, vec16 *a) {
    uint32_t cells = ~vec32_equal(vec32_load(b->c), vec32_fill(0)) & CELLS_ALL;
    for (int k = 0; k < 8; k++) a[k] = vec16_load(luck->bias + 16 * k);
    while (cells) {
        const int i = bit_low(cells);
        const int16_t *row = luck->rows + (i * NET_VALUES + b->c[i] + 15) * LUCK_HIDDEN;
        cells &= cells - 1;
        for (int k = 0; k < 8; k++) a[k] = vec16_add(a[k], vec16_load(row + 16 * k));
    }
    for (int i = 0; i < n_pairs; i++) {
        const int16_t *row = luck->pair_rows + pairs[i] * LUCK_HIDDEN;
        for (int k = 0; k < 8; k++) a[k] = vec16_add(a[k], vec16_load(row + 16 * k));
    }
    for (int k = 0; k < 8; k++) a[k] = vec16_relu(a[k]);
}

/* Five dot products of the hidden units. */
static inline void luck_five(const vec16 *a, const int16_t *w, int32_t *five) {
    vec8 s0 = vec8_zero(), s1 = s0, s2 = s0, s3 = s0, s4 = s0;
    for (int k = 0; k < 8; k++) {
        s0 = vec8_dot(s0, a[k], vec16_load(w + 16 * k));
        s1 = vec8_dot(s1, a[k], vec16_load(w + LUCK_HIDDEN + 16 * k));
        s2 = vec8_dot(s2, a[k], vec16_load(w + 2 * LUCK_HIDDEN + 16 * k));
        s3 = vec8_dot(s3, a[k], vec16_load(w + 3 * LUCK_HIDDEN + 16 * k));
        s4 = vec8_dot(s4, a[k], vec16_load(w + 4 * LUCK_HIDDEN + 16 * k));
    }
    vec8_sums(s0, s1, s2, s3, s4, five);
}

/* How much better than the mean over all rolls the net thinks a roll (0-20) is: five numbers of
 * unit 2**-LUCK_Z_BITS, not clamped. Their weighted sum over the rolls is exactly 0, whatever the board, so
 * one roll alone is enough for a control variate; a loader has proved that nothing wraps. */
static inline void luck_of_roll(const luck_t *luck, const board_t *b, uint32_t own, int race,
                                int roll, int32_t *five) {
    int32_t pairs[LUCK_PAIRS_MOST];
    int32_t direct[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    const int at = (race ? 0 : LUCK_OUTPUTS) + 5 * roll;
    const int16_t *rows = luck->pair_luck + roll * (LUCK_PAIRS * 8);
    const int n_pairs = luck_pairs(b, own, pairs);
    vec16 a[8];
    for (int i = 0; i < n_pairs; i++)
        for (int k = 0; k < 8; k++) direct[k] += rows[8 * pairs[i] + k];
    luck_hidden(luck, b, pairs, n_pairs, a);
    luck_five(a, luck->out_luck + at * LUCK_HIDDEN, five);
    for (int k = 0; k < 5; k++)
        five[k] += luck->bias_luck[at + k] + direct[k] * (1 << (LUCK_Z_BITS - LUCK_PAIR_BITS));
}

/* values: LUCK_OUTPUTS probabilities, five for each roll 1-1, 2-1, 2-2, 3-1, ..., 6-6. */
static inline void luck_evaluate(const luck_t *luck, const board_t *b, uint32_t own, int race,
                                 int32_t *values) {
    BGCORE_ALIGN32 int16_t direct[LUCK_WIDTH];
    int32_t pairs[LUCK_PAIRS_MOST];
    const int n_pairs = luck_pairs(b, own, pairs);
    const int16_t *w = luck->out + (race ? 0 : LUCK_OUTPUTS * LUCK_HIDDEN);
    const int32_t *bias = luck->out_bias + (race ? 0 : LUCK_OUTPUTS);
    vec16 a[8], s[7];
    for (int k = 0; k < 7; k++) s[k] = vec16_load(luck->pair_out + pairs[0] * LUCK_WIDTH + 16 * k);
    for (int i = 1; i < n_pairs; i++) {
        const int16_t *row = luck->pair_out + pairs[i] * LUCK_WIDTH;
        for (int k = 0; k < 7; k++) s[k] = vec16_add(s[k], vec16_load(row + 16 * k));
    }
    for (int k = 0; k < 7; k++) vec16_store(direct + 16 * k, s[k]);
    luck_hidden(luck, b, pairs, n_pairs, a);
    for (int o = 0; o < LUCK_OUTPUTS; o += 5, w += 5 * LUCK_HIDDEN) {
        luck_five(a, w, values + o);
        for (int k = o; k < o + 5; k++) {
            int32_t z = (int32_t)((uint32_t)values[k] + (uint32_t)bias[k] +
                                  ((uint32_t)direct[k] << (LUCK_Z_BITS - LUCK_PAIR_BITS)));
            if (z < 0) z = 0;
            if (z > 1 << LUCK_Z_BITS) z = 1 << LUCK_Z_BITS;
            values[k] = z << (30 - LUCK_Z_BITS);
        }
    }
}

#endif
