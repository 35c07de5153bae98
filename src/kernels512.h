/* The kernels of the value net with AVX-512, and what the other nets' share with them.
 *
 * They give the same bits as those of kernels.h, whose sums are taken in any order. They are part
 * of the x86-64-v3 build, each compiled for a processor that has more; a net whose `wide` is set
 * when it is laid out takes them, so who asks the processor is bgcore/_core/__init__.py alone.
 *
 * What makes lists does so without a branch that depends on the board: a mask of lanes is
 * compressed and stored whole, and the next store begins behind what counts. A list therefore has
 * room for WIDE_LANES numbers more than it may hold. */
#ifndef BGCORE_KERNELS512_H
#define BGCORE_KERNELS512_H

/* cpu.pyx asks for the same. */
#define BGCORE_512 \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vbmi," \
                          "avx512vbmi2,avx512bitalg")))
#define BGCORE_512_PART BGCORE_512 __attribute__((always_inline))

/* A compiler that knows how rows follow from each other keeps an address for each of their vectors,
 * on the stack; this makes it forget. */
#define WIDE_ADDRESS(p) __asm__("" : "+r"(p))

enum {
    WIDE_LANES = 32, /* of int16 */
    WIDE_MOST = 16   /* vectors that stay in registers while rows are added to them */
};

static const uint16_t wide_numbers[WIDE_LANES] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

BGCORE_512_PART static inline __m512i wide_load(const void *p) { return _mm512_loadu_si512(p); }
BGCORE_512_PART static inline void wide_store(void *p, __m512i v) { _mm512_storeu_si512(p, v); }

/* a number + b of each lane */
BGCORE_512_PART static inline __m512i wide_line(int a, int b) {
    const __m512i lanes = wide_load(wide_numbers);
    return _mm512_add_epi16(_mm512_mullo_epi16(lanes, _mm512_set1_epi16((short)a)),
                            _mm512_set1_epi16((short)b));
}

/* Numbers of the rows of cells that are not empty; returns how many there are. */
BGCORE_512_PART static inline int wide_cells(const board_t *b, uint16_t *list) {
    const __m256i cells = vec32_load(b->c);
    const __mmask32 full = _mm256_mask_test_epi8_mask(CELLS_ALL, cells, cells);
    wide_store(list, _mm512_maskz_compress_epi16(
        full, _mm512_add_epi16(wide_line(NET_VALUES, 15), _mm512_cvtepi8_epi16(cells))));
    return bit_count(full);
}

/* The same of cells that differ, on either board. */
BGCORE_512_PART static inline int wide_changes(const board_t *parent, const board_t *child,
                                               uint16_t *before, uint16_t *after) {
    const __m256i x = vec32_load(parent->c), y = vec32_load(child->c);
    const __mmask32 differ = _mm256_mask_cmpneq_epi8_mask(CELLS_ALL, x, y);
    const __m512i first = wide_line(NET_VALUES, 15);
    wide_store(before, _mm512_maskz_compress_epi16(
        differ, _mm512_add_epi16(first, _mm512_cvtepi8_epi16(x))));
    wide_store(after, _mm512_maskz_compress_epi16(
        differ, _mm512_add_epi16(first, _mm512_cvtepi8_epi16(y))));
    return bit_count(differ);
}

/* Adds n vectors of each listed row to those of `a`. */
BGCORE_512_PART static inline void wide_add(__m512i *a, const int n, const int16_t *rows,
                                            const uint16_t *list, int count, int hidden) {
    for (int i = 0; i < count; i++) {
        const int16_t *row = rows + list[i] * hidden;
        WIDE_ADDRESS(row);
        for (int k = 0; k < n; k++) a[k] = _mm512_add_epi16(a[k], wide_load(row + 32 * k));
    }
}

BGCORE_512_PART static inline void wide_sub(__m512i *a, const int n, const int16_t *rows,
                                            const uint16_t *list, int count, int hidden) {
    for (int i = 0; i < count; i++) {
        const int16_t *row = rows + list[i] * hidden;
        WIDE_ADDRESS(row);
        for (int k = 0; k < n; k++) a[k] = _mm512_sub_epi16(a[k], wide_load(row + 32 * k));
    }
}

/* One cell that differs. */
BGCORE_512_PART static inline void wide_change(__m512i *a, const int n, const int16_t *rows,
                                               int before, int after, int hidden) {
    const int16_t *come = rows + after * hidden, *go = rows + before * hidden;
    WIDE_ADDRESS(come);
    WIDE_ADDRESS(go);
    for (int k = 0; k < n; k++)
        a[k] = _mm512_sub_epi16(_mm512_add_epi16(a[k], wide_load(come + 32 * k)),
                                wide_load(go + 32 * k));
}

BGCORE_512_PART static inline __m256i wide_half(__m512i s) {
    return _mm256_add_epi32(_mm512_castsi512_si256(s), _mm512_extracti64x4_epi64(s, 1));
}

/* The sums of all lanes of five vectors, in the first five lanes. */
BGCORE_512_PART static inline __m256i wide_sums(const __m512i *s) {
    const __m256i four = _mm256_hadd_epi32(
        _mm256_hadd_epi32(wide_half(s[0]), wide_half(s[1])),
        _mm256_hadd_epi32(wide_half(s[2]), wide_half(s[3])));
    const __m256i half = _mm256_hadd_epi32(wide_half(s[4]), _mm256_setzero_si256());
    const __m256i last = _mm256_hadd_epi32(half, half);
    return _mm256_add_epi32(_mm256_permute2x128_si256(four, last, 0x20),
                            _mm256_permute2x128_si256(four, last, 0x31));
}

/* sigmoid_fixed of the first five lanes. */
BGCORE_512_PART static inline void wide_sigmoids(const int32_t *table, __m256i z, int32_t *five) {
    const int limit = 1 << (NET_Z_BITS + 4), step = NET_Z_BITS - 5;
    z = _mm256_max_epi32(z, _mm256_set1_epi32(-limit));
    z = _mm256_add_epi32(_mm256_min_epi32(z, _mm256_set1_epi32(limit - 1)),
                         _mm256_set1_epi32(limit));
    /* a knot in the lower half of a lane, and the next one in the upper half */
    const __m512i knots = _mm512_mask_i32gather_epi64(
        _mm512_setzero_si512(), 31, _mm256_srli_epi32(z, step), table, 4);
    const __m512i rest =
        _mm512_cvtepu32_epi64(_mm256_and_si256(z, _mm256_set1_epi32((1 << step) - 1)));
    const __m512i rise = _mm512_sub_epi32(_mm512_srli_epi64(knots, 32), knots);
    const __m512i p = _mm512_add_epi64(
        knots, _mm512_srai_epi64(_mm512_mul_epi32(rise, rest), step));
    _mm256_mask_storeu_epi32(five, 31, _mm512_cvtepi64_epi32(p));
}

BGCORE_512 static void net_refresh_512(const net_t *net, const board_t *b, net_sums_t *sums) {
    uint16_t list[WIDE_LANES];
    const int n = wide_cells(b, list);
    __m512i a[4];
    for (int k = 0; k < 4; k++) a[k] = wide_load(net->bias + 32 * k);
    wide_add(a, 4, net->rows, list, n, NET_HIDDEN);
    for (int k = 0; k < 4; k++) wide_store(sums->h + 32 * k, a[k]);
}

BGCORE_512 static void net_child_five_512(const net_t *net, const net_sums_t *sums,
                                          const board_t *parent, const board_t *child,
                                          uint32_t own, uint32_t opp, int32_t *five) {
    uint16_t before[WIDE_LANES], after[WIDE_LANES];
    const int n = wide_changes(parent, child, before, after), head = net_head(own, opp);
    const int16_t *w = net->out + head * 5 * NET_HIDDEN;
    __m512i a[4], s[5];
    for (int k = 0; k < 4; k++) a[k] = wide_load(sums->h + 32 * k);
    for (int i = 0; i < n; i++) wide_change(a, 4, net->rows, before[i], after[i], NET_HIDDEN);
    for (int o = 0; o < 5; o++) s[o] = _mm512_setzero_si512();
    for (int k = 0; k < 4; k++) {
        const __m512i r = _mm512_max_epi16(a[k], _mm512_setzero_si512());
        for (int o = 0; o < 5; o++)
            s[o] = _mm512_dpwssd_epi32(s[o], r, wide_load(w + o * NET_HIDDEN + 32 * k));
    }
    wide_sigmoids(net->sigmoid,
                  _mm256_add_epi32(wide_sums(s),
                                   _mm256_maskz_loadu_epi32(31, net->out_bias + 5 * head)),
                  five);
    five_clamp(five_impossible(child, own, opp), five);
}

#endif
