/* The kernels of the strong net with AVX-512; see kernels512.h. */
#ifndef BGCORE_DEEP512_H
#define BGCORE_DEEP512_H

enum {
    /* Words of relations, a vector for each kind: own shots, the other side's, own blocks (the low
     * bits of a word) and guards (behind them), the other side's. 24 of 32 words are points. */
    DEEP512_KINDS = 4,
    DEEP512_WORDS = DEEP512_KINDS * WIDE_LANES,
    /* what lies between a guard's number and that of a block one bit lower */
    DEEP512_GUARDS = DEEP_GUARDS - DEEP_BLOCKS - DEEP_BLOCK_REACH
};

/* For each point in `points`: the bits of x that begin at a number, as many as `mask` has. `at`
 * has the numbers of the two bytes of a word. */
BGCORE_512_PART static inline __m512i deep512_bits(uint64_t x, __m512i at, int mask,
                                                   uint32_t points) {
    const __m512i bits = _mm512_multishift_epi64_epi8(at, _mm512_set1_epi64((long long)x));
    return _mm512_maskz_mov_epi16(points >> 1,
                                  _mm512_and_si512(bits, _mm512_set1_epi16((short)mask)));
}

/* The relations of a board, see deep_near. */
BGCORE_512_PART static inline void deep512_near(const board_t *b, uint32_t own, uint32_t opp,
                                                __m512i *near) {
    const deep_marks_t m = deep_marks(b, own, opp);
    const __m512i at = wide_line(0x0101, 0x0901), behind = wide_line(0x0101, 0x0A02);
    const uint64_t shots = (uint64_t)opp << DEEP_SHOT_REACH;
    const uint64_t guards = (uint64_t)opp << DEEP_BLOCK_REACH;
    near[0] = deep512_bits(shots, at, DEEP_SHOTS, m.own_blots);
    near[1] = deep512_bits(own, behind, DEEP_SHOTS, m.opp_blots);
    near[2] = _mm512_or_si512(
        deep512_bits(m.own_made, behind, DEEP_NEXT, m.own_made),
        _mm512_slli_epi16(deep512_bits(guards, at, DEEP_NEXT, m.own_made), DEEP_BLOCK_REACH));
    near[3] = _mm512_or_si512(
        deep512_bits(m.opp_made, behind, DEEP_NEXT, m.opp_made),
        _mm512_slli_epi16(deep512_bits(own, behind, DEEP_NEXT, m.opp_made), DEEP_BLOCK_REACH));
}

/* The number of the first relation of each word. */
BGCORE_512_PART static inline __m512i deep512_first(int kind) {
    return kind < 2 ? wide_line(DEEP_SHOT_REACH, kind * DEEP_OPP_SHOTS)
                    : wide_line(DEEP_BLOCK_REACH, kind == 2 ? DEEP_BLOCKS : DEEP_OPP_BLOCKS);
}

/* Lists the relation of the lowest bit of each word, and takes the bit away; returns how many there
 * are. blocks: the words of blocks and guards. */
BGCORE_512_PART static inline int deep512_lowest(__m512i *words, __m512i first, __mmask32 blocks,
                                                 uint16_t *list) {
    const __m512i w = *words, less = _mm512_sub_epi16(w, _mm512_set1_epi16(1));
    const __m512i bit = _mm512_popcnt_epi16(_mm512_andnot_si512(w, less));
    const __mmask32 some = _mm512_test_epi16_mask(w, w);
    const __mmask32 guards = _mm512_mask_cmpge_epu16_mask(
        blocks, bit, _mm512_set1_epi16(DEEP_BLOCK_REACH));
    const __m512i number = _mm512_add_epi16(first, bit);
    wide_store(list, _mm512_maskz_compress_epi16(
        some, _mm512_mask_add_epi16(number, guards, number, _mm512_set1_epi16(DEEP512_GUARDS))));
    *words = _mm512_and_si512(w, less);
    return bit_count(some);
}

/* Lists what is in `after` and not in `before`, and the other way round. */
BGCORE_512_PART static inline void deep512_changes(const __m512i *before, const __m512i *after,
                                                   uint16_t *in, int *n_in, uint16_t *out,
                                                   int *n_out) {
    uint16_t come[DEEP512_WORDS + WIDE_LANES], go[DEEP512_WORDS + WIDE_LANES];
    uint16_t first[DEEP512_WORDS + WIDE_LANES];
    int n = 0, i = 0, o = 0;
    for (int kind = 0; kind < DEEP512_KINDS; kind++) {
        const __m512i b = before[kind], a = after[kind];
        const __mmask32 differ = _mm512_cmpneq_epu16_mask(a, b);
        wide_store(come + n, _mm512_maskz_compress_epi16(differ, _mm512_andnot_si512(b, a)));
        wide_store(go + n, _mm512_maskz_compress_epi16(differ, _mm512_andnot_si512(a, b)));
        wide_store(first + n, _mm512_maskz_compress_epi16(differ, deep512_first(kind)));
        n += bit_count(differ);
    }
    for (int k = 0; k < n; k += WIDE_LANES) {
        const __mmask32 have = n - k < WIDE_LANES ? (1u << (n - k)) - 1 : ~0u;
        const __m512i f = wide_load(first + k);
        const __mmask32 blocks = _mm512_cmpge_epu16_mask(f, _mm512_set1_epi16(DEEP_BLOCKS));
        __m512i x = _mm512_maskz_loadu_epi16(have, come + k);
        __m512i y = _mm512_maskz_loadu_epi16(have, go + k), both;
        do {
            /* hardly ever more than three bits of a word change */
            for (int times = 0; times < 3; times++) {
                i += deep512_lowest(&x, f, blocks, in + i);
                o += deep512_lowest(&y, f, blocks, out + o);
            }
            both = _mm512_or_si512(x, y);
        } while (_mm512_test_epi16_mask(both, both));
    }
    *n_in = i;
    *n_out = o;
}

/* What comes to the hidden sums of a parent, and what goes. */
typedef struct {
    int n_cells, n_in, n_out;
    uint16_t before[WIDE_LANES], after[WIDE_LANES];
    uint16_t in[DEEP_RELATIONS + WIDE_LANES], out[DEEP_RELATIONS + WIDE_LANES];
} deep512_changes_t;

/* Rectified hidden units of a child from number `part` on, 32 n of them, and the numbers of those
 * pairs of them that are not both 0. */
BGCORE_512_PART static inline int deep512_hidden(const deep_t *net, const int n, int part,
                                                 const deep_sums_t *sums,
                                                 const deep512_changes_t *c, int32_t *units,
                                                 uint16_t *pairs) {
    const int hidden = net->hidden;
    __m512i number = wide_line(1, part / 2), a[WIDE_MOST];
    int count = 0;
    if (net->relations != NULL) {
        const __m512i high = _mm512_set1_epi16((short)net->reach);
        const __m512i low = _mm512_set1_epi16((short)-net->reach);
        for (int k = 0; k < n; k++) a[k] = wide_load(sums->related + part + 32 * k);
        wide_add(a, n, net->relations + part, c->in, c->n_in, hidden);
        wide_sub(a, n, net->relations + part, c->out, c->n_out, hidden);
        for (int k = 0; k < n; k++)
            a[k] = _mm512_add_epi16(_mm512_max_epi16(_mm512_min_epi16(a[k], high), low),
                                    wide_load(sums->h + part + 32 * k));
    } else {
        for (int k = 0; k < n; k++) a[k] = wide_load(sums->h + part + 32 * k);
    }
    for (int i = 0; i < c->n_cells; i++)
        wide_change(a, n, net->rows + part, c->before[i], c->after[i], hidden);
    for (int k = 0; k < n; k += 2) {
        const __m512i x = _mm512_max_epi16(a[k], _mm512_setzero_si512());
        const __m512i y = _mm512_max_epi16(a[k + 1], _mm512_setzero_si512());
        const __mmask32 some = _mm512_kunpackw(_mm512_test_epi32_mask(y, y),
                                               _mm512_test_epi32_mask(x, x));
        wide_store(units + part / 2 + 16 * k, x);
        wide_store(units + part / 2 + 16 * k + 16, y);
        wide_store(pairs + count, _mm512_maskz_compress_epi16(some, number));
        count += bit_count(some);
        number = _mm512_add_epi16(number, _mm512_set1_epi16(WIDE_LANES));
    }
    return count;
}

/* One pair of inputs of 32 outputs. */
BGCORE_512_PART static inline void deep512_pair(__m512i *s, int32_t pair, const int16_t *w) {
    const __m512i x = _mm512_set1_epi32(pair);
    s[0] = _mm512_dpwssd_epi32(s[0], wide_load(w), x);
    s[1] = _mm512_dpwssd_epi32(s[1], wide_load(w + 32), x);
}

/* deep_layer. Four sums for each output, as one would wait for the product before. */
BGCORE_512_PART static inline void deep512_layer(const int32_t *units, const uint16_t *pairs,
                                                 int count, const int16_t *rows, int width,
                                                 const int32_t *bias, int shift, int16_t *out) {
    __m512i s[4][2];
    int i = 0;
    for (int k = 0; k < 2; k++) {
        s[0][k] = _mm512_add_epi32(_mm512_set1_epi32(1 << (shift - 1)), wide_load(bias + 16 * k));
        s[1][k] = s[2][k] = s[3][k] = _mm512_setzero_si512();
    }
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) {
            const int pair = pairs != NULL ? pairs[i + k] : i + k;
            deep512_pair(s[k], units[pair], rows + 2 * pair * width);
        }
    for (; i < count; i++) {
        const int pair = pairs != NULL ? pairs[i] : i;
        deep512_pair(s[0], units[pair], rows + 2 * pair * width);
    }
    for (int k = 0; k < 2; k++) {
        const __m512i z = _mm512_add_epi32(_mm512_add_epi32(s[0][k], s[1][k]),
                                           _mm512_add_epi32(s[2][k], s[3][k]));
        const __m256i cut = _mm512_cvtsepi32_epi16(_mm512_srai_epi32(z, shift));
        _mm256_storeu_si256((__m256i *)(out + 16 * k),
                            _mm256_max_epi16(cut, _mm256_setzero_si256()));
    }
}

/* One part of deep_refresh, 32 n units. */
BGCORE_512_PART static inline void deep512_rows(const deep_t *net, const int n, int part,
                                                const uint16_t *cells, int n_cells,
                                                const uint16_t *list, int count,
                                                deep_sums_t *sums) {
    __m512i a[WIDE_MOST];
    for (int k = 0; k < n; k++) a[k] = wide_load(net->bias + part + 32 * k);
    wide_add(a, n, net->rows + part, cells, n_cells, net->hidden);
    for (int k = 0; k < n; k++) wide_store(sums->h + part + 32 * k, a[k]);
    if (net->relations == NULL) return;
    for (int k = 0; k < n; k++) a[k] = _mm512_setzero_si512();
    wide_add(a, n, net->relations + part, list, count, net->hidden);
    for (int k = 0; k < n; k++) wide_store(sums->related + part + 32 * k, a[k]);
}

BGCORE_512 static void deep_refresh_512(const deep_t *net, const board_t *b, uint32_t own,
                                        uint32_t opp, deep_sums_t *sums) {
    uint16_t cells[WIDE_LANES], list[DEEP_RELATIONS + WIDE_LANES], none[WIDE_LANES];
    const int n_cells = wide_cells(b, cells);
    int count = 0, n_none = 0, part = 0;
    if (net->relations != NULL) {
        const __m512i zero = _mm512_setzero_si512();
        const __m512i nothing[DEEP512_KINDS] = {zero, zero, zero, zero};
        __m512i near[DEEP512_KINDS];
        deep512_near(b, own, opp, near);
        for (int k = 0; k < DEEP512_KINDS; k++) wide_store(sums->near + WIDE_LANES * k, near[k]);
        deep512_changes(nothing, near, list, &count, none, &n_none);
    }
    for (; part + 512 <= net->hidden; part += 512)
        deep512_rows(net, 16, part, cells, n_cells, list, count, sums);
    for (; part < net->hidden; part += 128)
        deep512_rows(net, 4, part, cells, n_cells, list, count, sums);
}

BGCORE_512 static void deep_child_five_512(const deep_t *net, const deep_sums_t *sums,
                                           const board_t *parent, const board_t *child,
                                           uint32_t own, uint32_t opp, int32_t *five) {
    BGCORE_ALIGN64 int32_t units[DEEP_HIDDEN_MOST / 2];
    BGCORE_ALIGN64 int16_t second[DEEP_SECOND_MOST];
    BGCORE_ALIGN64 int16_t third[DEEP_THIRD];
    uint16_t pairs[DEEP_HIDDEN_MOST / 2 + WIDE_LANES];
    const int head = net_head(own, opp), width = net->second;
    const int16_t *w = net->second_rows + (int64_t)head * net->hidden * width;
    int count = 0, part = 0;
    deep512_changes_t c;
    __m512i s[5];
    c.n_cells = wide_changes(parent, child, c.before, c.after);
    if (net->relations != NULL) {
        __m512i before[DEEP512_KINDS], after[DEEP512_KINDS];
        for (int k = 0; k < DEEP512_KINDS; k++)
            before[k] = wide_load(sums->near + WIDE_LANES * k);
        deep512_near(child, own, opp, after);
        deep512_changes(before, after, c.in, &c.n_in, c.out, &c.n_out);
    }
    for (; part + 512 <= net->hidden; part += 512)
        count += deep512_hidden(net, 16, part, sums, &c, units, pairs + count);
    for (; part < net->hidden; part += 128)
        count += deep512_hidden(net, 4, part, sums, &c, units, pairs + count);
    for (int k = 0; k < width; k += 32)
        deep512_layer(units, pairs, count, w + 2 * k, width, net->second_bias + head * width + k,
                      DEEP_Z_BITS - DEEP_UNIT_BITS, second + k);
    deep512_layer((const int32_t *)(const void *)second, NULL, width / 2,
                  net->third_rows + head * width * DEEP_THIRD, DEEP_THIRD,
                  net->third_bias + head * DEEP_THIRD, DEEP_WEIGHT_BITS, third);
    for (int k = 0; k < 5; k++)
        s[k] = _mm512_madd_epi16(wide_load(third),
                                 wide_load(net->out + (head * 5 + k) * DEEP_THIRD));
    wide_sigmoids(net->sigmoid,
                  _mm256_srai_epi32(
                      _mm256_add_epi32(wide_sums(s),
                                       _mm256_maskz_loadu_epi32(31, net->out_bias + 5 * head)),
                      DEEP_UNIT_BITS + DEEP_WEIGHT_BITS - NET_Z_BITS),
                  five);
    five_clamp(five_impossible(child, own, opp), five);
}

#endif
