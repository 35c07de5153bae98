/* The strong net: layout in memory and the kernels that evaluate it.
 *
 *     cells -> hidden (512 or so, one row for each value of each cell, as in kernels.h; in some nets
 *              one more for each relation of two cells)
 *           -> second layer (32 or a multiple) -> third layer (32) -> five probabilities
 *
 * The layers behind the hidden one exist once for each head (net_head). Everything is integer
 * arithmetic: the hidden units have a unit that the file may choose, 2**-b; weights of the second
 * layer have 2**-(20 - b). Activations of the second and third layer have unit 2**-12 and end at
 * 32767 / 4096. The loader proves that no sum leaves its type on any board (network.pyx), so all
 * builds give the same bits. */
#ifndef BGCORE_DEEP_H
#define BGCORE_DEEP_H

#include "kernels.h"

enum {
    DEEP_HIDDEN_MOST = 1024, /* hidden units come in blocks of 128 */
    DEEP_SECOND_MOST = 128,  /* the second layer in blocks of 32 */
    DEEP_THIRD = 32,
    DEEP_Z_BITS = 20,        /* sums of the second layer have unit 2**-20 */
    DEEP_UNIT_BITS = 12,     /* activations of the second and third layer 2**-12 */
    DEEP_WEIGHT_BITS = 10,   /* weights of the third layer and of the outputs 2**-10 */
    DEEP_SHOT_REACH = 12,
    DEEP_BLOCK_REACH = 6,
    /* where the kinds of relations begin, 24 points each, and how many there are */
    DEEP_OPP_SHOTS = 24 * DEEP_SHOT_REACH,
    DEEP_BLOCKS = 2 * DEEP_OPP_SHOTS,
    DEEP_OPP_BLOCKS = DEEP_BLOCKS + 24 * DEEP_BLOCK_REACH,
    DEEP_GUARDS = DEEP_OPP_BLOCKS + 24 * DEEP_BLOCK_REACH,
    DEEP_OPP_GUARDS = DEEP_GUARDS + 24 * DEEP_BLOCK_REACH,
    DEEP_RELATIONS = DEEP_OPP_GUARDS + 24 * DEEP_BLOCK_REACH
};

typedef struct {
    int32_t hidden;
    int32_t second;
    int32_t reach;         /* where the sum of the relations is cut, on either side */
    int16_t *rows;         /* [28][31][hidden] */
    int16_t *bias;         /* [hidden] */
    int16_t *relations;    /* [DEEP_RELATIONS][hidden], or NULL */
    int16_t *second_rows;  /* [heads][hidden / 2][second][2]: two inputs side by side */
    int32_t *second_bias;  /* [heads][second] */
    int16_t *third_rows;   /* [heads][second / 2][32][2] */
    int32_t *third_bias;   /* [heads][32] */
    int16_t *out;          /* [heads][5][32] */
    int32_t *out_bias;     /* [heads][5] */
    int32_t sigmoid[SIGMOID_SIZE];
    uint16_t places[256][8]; /* the set bits of a byte, as a list */
} deep_t; /* part of a Python object, whose memory is not aligned for vectors */

/* Adds a relation for each bit that is set in `near`. */
static inline int deep_relate(uint32_t near, int first, uint16_t *list, int count) {
    for (; near; near &= near - 1) list[count++] = (uint16_t)(first + bit_low(near));
    return count;
}

/* The relations of a board; returns how many there are. Each belongs to a point and to a cell, bar
 * included, at some distance from it.
 *
 *     shot:  a blot and a checker of the other side 1 to 12 pips before it
 *     block: two made points of one side, 1 to 6 pips apart
 *     guard: a made point and a checker of the other side 1 to 6 pips before it
 *
 * Of each kind the mover's come first, then the other side's. */
static inline int deep_relations(const board_t *b, uint32_t own, uint32_t opp, uint16_t *list) {
    enum {
        POINTS = 0x01FFFFFE,
        SHOTS = (1 << DEEP_SHOT_REACH) - 1,
        BLOCKS = (1 << DEEP_BLOCK_REACH) - 1
    };
    const vec32 cells = vec32_load(b->c);
    const uint32_t own_blots = vec32_equal(cells, vec32_fill(1)) & POINTS;
    const uint32_t opp_blots = vec32_equal(cells, vec32_fill(-1)) & POINTS;
    const uint32_t own_made = own & POINTS & ~own_blots, opp_made = opp & POINTS & ~opp_blots;
    const uint64_t shifted = opp;
    uint32_t points;
    int count = 0;
    for (points = own_blots; points; points &= points - 1) {
        const int i = bit_low(points);
        count = deep_relate((uint32_t)(shifted << DEEP_SHOT_REACH >> i) & SHOTS,
                            (i - 1) * DEEP_SHOT_REACH, list, count);
    }
    for (points = opp_blots; points; points &= points - 1) {
        const int i = bit_low(points);
        count = deep_relate(own >> (i + 1) & SHOTS, DEEP_OPP_SHOTS + (i - 1) * DEEP_SHOT_REACH,
                            list, count);
    }
    for (points = own_made; points; points &= points - 1) {
        const int i = bit_low(points), first = (i - 1) * DEEP_BLOCK_REACH;
        count = deep_relate(own_made >> (i + 1) & BLOCKS, DEEP_BLOCKS + first, list, count);
        count = deep_relate((uint32_t)(shifted << DEEP_BLOCK_REACH >> i) & BLOCKS,
                            DEEP_GUARDS + first, list, count);
    }
    for (points = opp_made; points; points &= points - 1) {
        const int i = bit_low(points), first = (i - 1) * DEEP_BLOCK_REACH;
        count = deep_relate(opp_made >> (i + 1) & BLOCKS, DEEP_OPP_BLOCKS + first, list, count);
        count = deep_relate(own >> (i + 1) & BLOCKS, DEEP_OPP_GUARDS + first, list, count);
    }
    return count;
}

/* Hidden sums of the cells of one board before the rectifier. */
typedef struct { BGCORE_ALIGN32 int16_t h[DEEP_HIDDEN_MOST]; } deep_sums_t;

static inline void deep_refresh(const deep_t *net, const board_t *b, deep_sums_t *sums) {
    const uint32_t occupied = ~vec32_equal(vec32_load(b->c), vec32_fill(0)) & CELLS_ALL;
    const int hidden = net->hidden;
    for (int part = 0; part < hidden; part += 128) {
        uint32_t cells = occupied;
        vec16 a[8];
        for (int k = 0; k < 8; k++) a[k] = vec16_load(net->bias + part + 16 * k);
        while (cells) {
            const int i = bit_low(cells);
            const int16_t *row = net->rows + (i * NET_VALUES + b->c[i] + 15) * hidden + part;
            cells &= cells - 1;
            for (int k = 0; k < 8; k++) a[k] = vec16_add(a[k], vec16_load(row + 16 * k));
        }
        for (int k = 0; k < 8; k++) vec16_store(sums->h + part + 16 * k, a[k]);
    }
}

/* Everything in a net that does not depend on its weights. */
static inline void deep_fill(deep_t *net) {
    sigmoid_fill(net->sigmoid);
    memset(net->places, 0, sizeof net->places);
    for (int byte = 0; byte < 256; byte++)
        for (int k = 0, n = 0; k < 8; k++)
            if (byte >> k & 1) net->places[byte][n++] = (uint16_t)k;
}

/* deep_hidden: rectified hidden units of `child` from the hidden sums of `parent`, a board with few
 * cells that differ; n_related relations of the child are in `related`; pairs: the numbers of those
 * pairs of units that are not both 0. Returns how many pairs there are.
 *
 * deep_layer: 32 rectified outputs of a layer from pairs of inputs (all of them if pairs is NULL);
 * width: outputs of the whole layer, of which `rows` points at the first of these 32. */
#if defined(__AVX2__)
static inline int deep_hidden(const deep_t *net, const deep_sums_t *sums, const board_t *parent,
                              const board_t *child, const uint16_t *related, int n_related,
                              int16_t *units, uint16_t *pairs) {
    uint32_t cells = ~vec32_equal(vec32_load(parent->c), vec32_load(child->c)) & CELLS_ALL;
    const int hidden = net->hidden;
    const int16_t *change[NET_CELLS][2];
    int n = 0, count = 0;
    __m128i base = _mm_setzero_si128();
    while (cells) {
        const int i = bit_low(cells);
        const int16_t *cell = net->rows + (i * NET_VALUES + 15) * hidden;
        change[n][0] = cell + parent->c[i] * hidden;
        change[n++][1] = cell + child->c[i] * hidden;
        cells &= cells - 1;
    }
    for (int part = 0; part < hidden; part += 128) {
        vec16 a[8];
        for (int k = 0; k < 8; k++) a[k] = vec16_zero();
        for (int i = 0; i < n_related; i++) {
            const int16_t *row = net->relations + related[i] * hidden + part;
            for (int k = 0; k < 8; k++) a[k] = vec16_add(a[k], vec16_load(row + 16 * k));
        }
        for (int k = 0; k < 8; k++)
            a[k] = vec16_add(vec16_cut(a[k], net->reach), vec16_load(sums->h + part + 16 * k));
        for (int i = 0; i < n; i++) {
            const int16_t *before = change[i][0] + part, *after = change[i][1] + part;
            for (int k = 0; k < 8; k++)
                a[k] = vec16_add(a[k], vec16_sub(vec16_load(after + 16 * k),
                                                 vec16_load(before + 16 * k)));
        }
        for (int k = 0; k < 8; k++) {
            const vec16 r = vec16_relu(a[k]);
            const unsigned bits = (unsigned)_mm256_movemask_ps(
                _mm256_castsi256_ps(_mm256_cmpgt_epi32(r, _mm256_setzero_si256())));
            vec16_store(units + part + 16 * k, r);
            _mm_storeu_si128(
                (__m128i *)(pairs + count),
                _mm_add_epi16(base, _mm_loadu_si128((const __m128i *)net->places[bits])));
            count += bit_count(bits);
            base = _mm_add_epi16(base, _mm_set1_epi16(8));
        }
    }
    return count;
}

static inline void deep_layer(const int16_t *units, const uint16_t *pairs, int count,
                              const int16_t *rows, int width, const int32_t *bias, int shift,
                              int16_t *out) {
    const int32_t *input = (const int32_t *)(const void *)units;
    const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
    __m256i s[4];
    for (int k = 0; k < 4; k++)
        s[k] = _mm256_add_epi32(half, _mm256_loadu_si256((const __m256i *)(bias + 8 * k)));
    for (int i = 0; i < count; i++) {
        const int pair = pairs != NULL ? pairs[i] : i;
        const __m256i x = _mm256_set1_epi32(input[pair]);
        const int16_t *w = rows + 2 * pair * width;
        for (int k = 0; k < 4; k++)
            s[k] = _mm256_add_epi32(s[k], _mm256_madd_epi16(x, vec16_load(w + 16 * k)));
    }
    for (int k = 0; k < 4; k++) s[k] = _mm256_srai_epi32(s[k], shift);
    for (int k = 0; k < 2; k++)
        vec16_store(out + 16 * k,
                    vec16_relu(_mm256_permute4x64_epi64(
                        _mm256_packs_epi32(s[2 * k], s[2 * k + 1]), 0xD8)));
}
#else
static inline int deep_hidden(const deep_t *net, const deep_sums_t *sums, const board_t *parent,
                              const board_t *child, const uint16_t *related, int n_related,
                              int16_t *units, uint16_t *pairs) {
    uint32_t cells = ~vec32_equal(vec32_load(parent->c), vec32_load(child->c)) & CELLS_ALL;
    const int hidden = net->hidden;
    int count = 0;
    memset(units, 0, (size_t)hidden * sizeof(int16_t));
    for (int i = 0; i < n_related; i++) {
        const int16_t *row = net->relations + related[i] * hidden;
        for (int k = 0; k < hidden; k += 16)
            vec16_store(units + k, vec16_add(vec16_load(units + k), vec16_load(row + k)));
    }
    for (int k = 0; k < hidden; k += 16)
        vec16_store(units + k, vec16_add(vec16_cut(vec16_load(units + k), net->reach),
                                         vec16_load(sums->h + k)));
    while (cells) {
        const int i = bit_low(cells);
        const int16_t *cell = net->rows + (i * NET_VALUES + 15) * hidden;
        const int16_t *before = cell + parent->c[i] * hidden, *after = cell + child->c[i] * hidden;
        cells &= cells - 1;
        for (int k = 0; k < hidden; k += 16)
            vec16_store(units + k, vec16_add(vec16_load(units + k),
                                             vec16_sub(vec16_load(after + k),
                                                       vec16_load(before + k))));
    }
    for (int k = 0; k < hidden; k += 2) {
        if (units[k] < 0) units[k] = 0;
        if (units[k + 1] < 0) units[k + 1] = 0;
        pairs[count] = (uint16_t)(k >> 1);
        count += (units[k] | units[k + 1]) != 0;
    }
    return count;
}

static inline void deep_layer(const int16_t *units, const uint16_t *pairs, int count,
                              const int16_t *rows, int width, const int32_t *bias, int shift,
                              int16_t *out) {
    int32_t s[32];
    for (int k = 0; k < 32; k++) s[k] = bias[k];
    for (int i = 0; i < count; i++) {
        const int pair = pairs != NULL ? pairs[i] : i;
        const int16_t *w = rows + 2 * pair * width;
        const int32_t x = units[2 * pair], y = units[2 * pair + 1];
        for (int k = 0; k < 32; k++) s[k] += x * w[2 * k] + y * w[2 * k + 1];
    }
    for (int k = 0; k < 32; k++) {
        int32_t x = (s[k] + (1 << (shift - 1))) >> shift;
        out[k] = (int16_t)(x < 0 ? 0 : x > 32767 ? 32767 : x);
    }
}
#endif

/* The five probabilities of `child`, an unfinished game after a play, from the hidden sums of
 * `parent`. own, opp: the occupied cells of the child. */
static inline void deep_child_five(const deep_t *net, const deep_sums_t *sums,
                                   const board_t *parent, const board_t *child, uint32_t own,
                                   uint32_t opp, int32_t *five) {
    BGCORE_ALIGN32 int16_t units[DEEP_HIDDEN_MOST];
    BGCORE_ALIGN32 int16_t second[DEEP_SECOND_MOST];
    BGCORE_ALIGN32 int16_t third[DEEP_THIRD];
    uint16_t pairs[DEEP_HIDDEN_MOST / 2 + 8], related[DEEP_RELATIONS];
    const int head = net_head(own, opp), width = net->second;
    const int n_related = net->relations != NULL ? deep_relations(child, own, opp, related) : 0;
    const int count = deep_hidden(net, sums, parent, child, related, n_related, units, pairs);
    const int16_t *w = net->second_rows + (int64_t)head * net->hidden * width;
    vec8 s[5];
    for (int k = 0; k < width; k += 32)
        deep_layer(units, pairs, count, w + 2 * k, width, net->second_bias + head * width + k,
                   DEEP_Z_BITS - DEEP_UNIT_BITS, second + k);
    deep_layer(second, NULL, width / 2, net->third_rows + head * width * DEEP_THIRD, DEEP_THIRD,
               net->third_bias + head * DEEP_THIRD, DEEP_WEIGHT_BITS, third);
    for (int k = 0; k < 5; k++) {
        const int16_t *o = net->out + (head * 5 + k) * DEEP_THIRD;
        s[k] = vec8_dot(vec8_dot(vec8_zero(), vec16_load(third), vec16_load(o)),
                        vec16_load(third + 16), vec16_load(o + 16));
    }
    vec8_sums(s[0], s[1], s[2], s[3], s[4], five);
    for (int k = 0; k < 5; k++)
        five[k] = sigmoid_fixed(
            net->sigmoid, (five[k] + net->out_bias[head * 5 + k]) >>
                              (DEEP_UNIT_BITS + DEEP_WEIGHT_BITS - NET_Z_BITS));
    five_clamp(five_impossible(child, own, opp), five);
}

#endif
