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
    DEEP_SHOTS = (1 << DEEP_SHOT_REACH) - 1, /* a bit for each distance */
    DEEP_NEXT = (1 << DEEP_BLOCK_REACH) - 1,
    /* where the kinds of relations begin, 24 points each, and how many there are */
    DEEP_OPP_SHOTS = 24 * DEEP_SHOT_REACH,
    DEEP_BLOCKS = 2 * DEEP_OPP_SHOTS,
    DEEP_OPP_BLOCKS = DEEP_BLOCKS + 24 * DEEP_BLOCK_REACH,
    DEEP_GUARDS = DEEP_OPP_BLOCKS + 24 * DEEP_BLOCK_REACH,
    DEEP_OPP_GUARDS = DEEP_GUARDS + 24 * DEEP_BLOCK_REACH,
    DEEP_RELATIONS = DEEP_OPP_GUARDS + 24 * DEEP_BLOCK_REACH,
    DEEP_KINDS = 6,
    DEEP_NEAR = DEEP_KINDS * 24 /* a multiple of 16 */
};

typedef struct {
    int32_t hidden;
    int32_t second;
    int32_t wide;          /* whether its kernels are those of deep512.h */
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

/* Blots and made points of both sides. */
typedef struct { uint32_t own_blots, opp_blots, own_made, opp_made; } deep_marks_t;

static inline deep_marks_t deep_marks(const board_t *b, uint32_t own, uint32_t opp) {
    const vec32 cells = vec32_load(b->c);
    const uint32_t points = 0x01FFFFFE;
    deep_marks_t m;
    m.own_blots = vec32_equal(cells, vec32_fill(1)) & points;
    m.opp_blots = vec32_equal(cells, vec32_fill(-1)) & points;
    m.own_made = own & points & ~m.own_blots;
    m.opp_made = opp & points & ~m.opp_blots;
    return m;
}

/* The relations of a board. Each belongs to a point and to a cell, bar included, at some distance
 * from it.
 *
 *     shot:  a blot and a checker of the other side 1 to 12 pips before it
 *     block: two made points of one side, 1 to 6 pips apart
 *     guard: a made point and a checker of the other side 1 to 6 pips before it
 *
 * Of each kind the mover's come first, then the other side's, point after point: near[k] has a bit
 * for each relation of the k-th of these points, whose first relation is number deep_first(k). */
#if defined(__AVX2__)
/* All ones in lane k if bit shift[k] of points is set. */
static inline __m256i deep_lanes(uint32_t points, __m256i shift) {
    const __m256i bit = _mm256_srlv_epi32(_mm256_set1_epi32((int)points), shift);
    return _mm256_sub_epi32(_mm256_setzero_si256(),
                            _mm256_and_si256(bit, _mm256_set1_epi32(1)));
}

/* Eight points at a time; a shift by 32 or more, as by a negative number, gives 0. */
static inline void deep_near(const board_t *b, uint32_t own, uint32_t opp, uint16_t *near) {
    const deep_marks_t m = deep_marks(b, own, opp);
    const __m256i x = _mm256_set1_epi32((int)own), y = _mm256_set1_epi32((int)opp);
    const __m256i u = _mm256_set1_epi32((int)m.own_made), v = _mm256_set1_epi32((int)m.opp_made);
    const __m256i shots = _mm256_set1_epi32(DEEP_SHOTS), blocks = _mm256_set1_epi32(DEEP_NEXT);
    const __m256i shot = _mm256_set1_epi32(DEEP_SHOT_REACH);
    const __m256i block = _mm256_set1_epi32(DEEP_BLOCK_REACH);
    __m256i r[DEEP_KINDS][3];
    __m256i point = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8);
    for (int part = 0; part < 3; part++) {
        const __m256i next = _mm256_add_epi32(point, _mm256_set1_epi32(1));
        const __m256i o = deep_lanes(m.own_made, point), p = deep_lanes(m.opp_made, point);
        const __m256i before = _mm256_or_si256(
            _mm256_srlv_epi32(y, _mm256_sub_epi32(point, shot)),
            _mm256_sllv_epi32(y, _mm256_sub_epi32(shot, point)));
        const __m256i close = _mm256_or_si256(
            _mm256_srlv_epi32(y, _mm256_sub_epi32(point, block)),
            _mm256_sllv_epi32(y, _mm256_sub_epi32(block, point)));
        const __m256i behind = _mm256_srlv_epi32(x, next);
        const __m256i all[DEEP_KINDS] = {
            _mm256_and_si256(_mm256_and_si256(before, shots), deep_lanes(m.own_blots, point)),
            _mm256_and_si256(_mm256_and_si256(behind, shots), deep_lanes(m.opp_blots, point)),
            _mm256_and_si256(_mm256_and_si256(_mm256_srlv_epi32(u, next), blocks), o),
            _mm256_and_si256(_mm256_and_si256(_mm256_srlv_epi32(v, next), blocks), p),
            _mm256_and_si256(_mm256_and_si256(close, blocks), o),
            _mm256_and_si256(_mm256_and_si256(behind, blocks), p)};
        for (int kind = 0; kind < DEEP_KINDS; kind++) r[kind][part] = all[kind];
        point = _mm256_add_epi32(point, _mm256_set1_epi32(8));
    }
    for (int kind = 0; kind < DEEP_KINDS; kind++) {
        const __m256i first = _mm256_packus_epi32(r[kind][0], r[kind][1]);
        const __m256i last = _mm256_packus_epi32(r[kind][2], r[kind][2]);
        _mm256_storeu_si256((__m256i *)(near + 24 * kind),
                            _mm256_permute4x64_epi64(first, 0xD8));
        _mm_storeu_si128((__m128i *)(near + 24 * kind + 16),
                         _mm256_castsi256_si128(_mm256_permute4x64_epi64(last, 0xD8)));
    }
}
#else
static inline void deep_near(const board_t *b, uint32_t own, uint32_t opp, uint16_t *near) {
    const deep_marks_t m = deep_marks(b, own, opp);
    const uint64_t shifted = opp;
    uint32_t points;
    memset(near, 0, DEEP_NEAR * sizeof(uint16_t));
    for (points = m.own_blots; points; points &= points - 1) {
        const int i = bit_low(points);
        near[i - 1] = (uint16_t)((shifted << DEEP_SHOT_REACH >> i) & DEEP_SHOTS);
    }
    for (points = m.opp_blots; points; points &= points - 1) {
        const int i = bit_low(points);
        near[24 + i - 1] = (uint16_t)(own >> (i + 1) & DEEP_SHOTS);
    }
    for (points = m.own_made; points; points &= points - 1) {
        const int i = bit_low(points);
        near[48 + i - 1] = (uint16_t)(m.own_made >> (i + 1) & DEEP_NEXT);
        near[96 + i - 1] = (uint16_t)((shifted << DEEP_BLOCK_REACH >> i) & DEEP_NEXT);
    }
    for (points = m.opp_made; points; points &= points - 1) {
        const int i = bit_low(points);
        near[72 + i - 1] = (uint16_t)(m.opp_made >> (i + 1) & DEEP_NEXT);
        near[120 + i - 1] = (uint16_t)(own >> (i + 1) & DEEP_NEXT);
    }
}
#endif

static inline int deep_first(int k) {
    return k < 48 ? k * DEEP_SHOT_REACH : DEEP_BLOCKS + (k - 48) * DEEP_BLOCK_REACH;
}

/* Lists the numbers of relations; returns how many there are. The order is that in which the trainer
 * adds them up: blocks and guards of a point together. */
static inline int deep_list(const uint16_t *near, uint16_t *list) {
    int count = 0;
    for (int n = 0; n < DEEP_KINDS * 24; n++) {
        const int k = n < 48 ? n : 48 + (n - 48) / 48 * 24 + (n - 48) % 48 / 2 + n % 2 * 48;
        for (uint32_t bits = near[k]; bits; bits &= bits - 1)
            list[count++] = (uint16_t)(deep_first(k) + bit_low(bits));
    }
    return count;
}

/* The same of a board. */
static inline int deep_relations(const board_t *b, uint32_t own, uint32_t opp, uint16_t *list) {
    uint16_t near[DEEP_NEAR];
    deep_near(b, own, opp, near);
    return deep_list(near, list);
}

/* What differs between the relations of two boards: rows that come in are listed from the front of
 * `in`, those that go from the front of `out`. */
static inline void deep_related_changes(const deep_t *net, const uint16_t *before,
                                        const uint16_t *after, const int16_t **in, int *n_in,
                                        const int16_t **out, int *n_out) {
    *n_in = *n_out = 0;
    for (int block = 0; block < DEEP_NEAR; block += 16) {
        uint32_t same = vec32_equal(vec32_load(before + block), vec32_load(after + block));
        uint32_t bytes = ~same;
        while (bytes) {
            const int k = block + (bit_low(bytes) >> 1);
            const int16_t *row = net->relations + deep_first(k) * net->hidden;
            for (uint32_t come = after[k] & ~before[k]; come; come &= come - 1)
                in[(*n_in)++] = row + bit_low(come) * net->hidden;
            for (uint32_t go = before[k] & ~after[k]; go; go &= go - 1)
                out[(*n_out)++] = row + bit_low(go) * net->hidden;
            bytes &= ~(3u << (bit_low(bytes) & ~1));
        }
    }
}

/* Hidden sums of one board: of its cells, and of its relations before they are cut. */
typedef struct {
    BGCORE_ALIGN64 int16_t h[DEEP_HIDDEN_MOST];
    BGCORE_ALIGN64 int16_t related[DEEP_HIDDEN_MOST];
    BGCORE_ALIGN64 uint16_t near[DEEP_NEAR]; /* the kernels of deep512.h have another order */
} deep_sums_t;

#if defined(BGCORE_512)
#include "deep512.h"
#endif

static inline void deep_refresh(const deep_t *net, const board_t *b, uint32_t own, uint32_t opp,
                                deep_sums_t *sums) {
#if defined(BGCORE_512)
    if (net->wide) {
        deep_refresh_512(net, b, own, opp, sums);
        return;
    }
#endif
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
    if (net->relations != NULL) {
        uint16_t list[DEEP_RELATIONS];
        int count;
        deep_near(b, own, opp, sums->near);
        count = deep_list(sums->near, list);
        for (int part = 0; part < hidden; part += 128) {
            vec16 a[8];
            for (int k = 0; k < 8; k++) a[k] = vec16_zero();
            for (int i = 0; i < count; i++) {
                const int16_t *row = net->relations + list[i] * hidden + part;
                for (int k = 0; k < 8; k++) a[k] = vec16_add(a[k], vec16_load(row + 16 * k));
            }
            for (int k = 0; k < 8; k++) vec16_store(sums->related + part + 16 * k, a[k]);
        }
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
 * cells that differ; near: the child's relations; pairs: the numbers of those pairs of units that
 * are not both 0. Returns how many pairs there are.
 *
 * deep_layer: 32 rectified outputs of a layer from pairs of inputs (all of them if pairs is NULL);
 * width: outputs of the whole layer, of which `rows` points at the first of these 32. */
#if defined(__AVX2__)
static inline int deep_hidden(const deep_t *net, const deep_sums_t *sums, const board_t *parent,
                              const board_t *child, const uint16_t *near, int16_t *units,
                              uint16_t *pairs) {
    uint32_t cells = ~vec32_equal(vec32_load(parent->c), vec32_load(child->c)) & CELLS_ALL;
    const int hidden = net->hidden;
    const int16_t *change[NET_CELLS][2], *in[DEEP_RELATIONS], *out[DEEP_RELATIONS];
    int n = 0, n_in = 0, n_out = 0, count = 0;
    __m128i base = _mm_setzero_si128();
    if (near != NULL) deep_related_changes(net, sums->near, near, in, &n_in, out, &n_out);
    while (cells) {
        const int i = bit_low(cells);
        const int16_t *cell = net->rows + (i * NET_VALUES + 15) * hidden;
        change[n][0] = cell + parent->c[i] * hidden;
        change[n++][1] = cell + child->c[i] * hidden;
        cells &= cells - 1;
    }
    for (int part = 0; part < hidden; part += 128) {
        vec16 a[8];
        if (near != NULL) {
            for (int k = 0; k < 8; k++) a[k] = vec16_load(sums->related + part + 16 * k);
            for (int i = 0; i < n_in; i++)
                for (int k = 0; k < 8; k++)
                    a[k] = vec16_add(a[k], vec16_load(in[i] + part + 16 * k));
            for (int i = 0; i < n_out; i++)
                for (int k = 0; k < 8; k++)
                    a[k] = vec16_sub(a[k], vec16_load(out[i] + part + 16 * k));
            for (int k = 0; k < 8; k++)
                a[k] = vec16_add(vec16_cut(a[k], net->reach), vec16_load(sums->h + part + 16 * k));
        } else {
            for (int k = 0; k < 8; k++) a[k] = vec16_load(sums->h + part + 16 * k);
        }
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
                              const board_t *child, const uint16_t *near, int16_t *units,
                              uint16_t *pairs) {
    uint32_t cells = ~vec32_equal(vec32_load(parent->c), vec32_load(child->c)) & CELLS_ALL;
    const int hidden = net->hidden;
    int count = 0;
    memcpy(units, sums->h, (size_t)hidden * sizeof(int16_t));
    if (near != NULL) {
        const int16_t *in[DEEP_RELATIONS], *out[DEEP_RELATIONS];
        int n_in, n_out;
        deep_related_changes(net, sums->near, near, in, &n_in, out, &n_out);
        for (int k = 0; k < hidden; k += 16) {
            vec16 a = vec16_load(sums->related + k);
            for (int i = 0; i < n_in; i++) a = vec16_add(a, vec16_load(in[i] + k));
            for (int i = 0; i < n_out; i++) a = vec16_sub(a, vec16_load(out[i] + k));
            vec16_store(units + k, vec16_add(vec16_load(units + k), vec16_cut(a, net->reach)));
        }
    }
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
#if defined(BGCORE_512)
    if (net->wide) {
        deep_child_five_512(net, sums, parent, child, own, opp, five);
        return;
    }
#endif
    BGCORE_ALIGN32 int16_t units[DEEP_HIDDEN_MOST];
    BGCORE_ALIGN32 int16_t second[DEEP_SECOND_MOST];
    BGCORE_ALIGN32 int16_t third[DEEP_THIRD];
    BGCORE_ALIGN32 uint16_t near[DEEP_NEAR];
    uint16_t pairs[DEEP_HIDDEN_MOST / 2 + 8];
    const int head = net_head(own, opp), width = net->second;
    int count;
    if (net->relations != NULL) deep_near(child, own, opp, near);
    count = deep_hidden(net, sums, parent, child, net->relations != NULL ? near : NULL, units,
                        pairs);
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
