/* Vector and bit primitives: one 32-byte board in registers.
 *
 * Every function has the same meaning on every CPU level; only integers are used, so results
 * are the same to the last bit. The hot modules are compiled twice from the same text: for the
 * baseline of the platform and for x86-64-v3. */
#ifndef BGCORE_SIMD_H
#define BGCORE_SIMD_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define BGCORE_ALIGN32 __declspec(align(32))
#define BGCORE_ALIGN64 __declspec(align(64))
#else
#define BGCORE_ALIGN32 __attribute__((aligned(32)))
#define BGCORE_ALIGN64 __attribute__((aligned(64)))
#endif

/* See types.pxd for the meaning of the 32 bytes. */
typedef struct BGCORE_ALIGN32 { int8_t c[32]; } board_t;

/* Memory for n boards, aligned as board_t is; NULL if there is none. */
static inline board_t *boards_alloc(size_t n) {
#if defined(_MSC_VER)
    return (board_t *)_aligned_malloc(n * sizeof(board_t), sizeof(board_t));
#else
    return (board_t *)aligned_alloc(sizeof(board_t), n * sizeof(board_t));
#endif
}
static inline void boards_free(board_t *boards) {
#if defined(_MSC_VER)
    _aligned_free(boards);
#else
    free(boards);
#endif
}

/* ---- bits ---- */
#if defined(_MSC_VER) && !defined(__clang__)
static inline int bit_low(uint32_t x) { unsigned long i; _BitScanForward(&i, x); return (int)i; }
static inline int bit_high(uint32_t x) { unsigned long i; _BitScanReverse(&i, x); return (int)i; }
static inline int bit_count(uint32_t x) { return (int)__popcnt(x); }
static inline uint64_t mul_high64(uint64_t a, uint64_t b) { return __umulh(a, b); }
#else
static inline int bit_low(uint32_t x) { return __builtin_ctz(x); }
static inline int bit_high(uint32_t x) { return 31 ^ __builtin_clz(x); }
static inline int bit_count(uint32_t x) { return __builtin_popcount(x); }
static inline uint64_t mul_high64(uint64_t a, uint64_t b) {
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}
#endif

/* The lowest bit, or 31 or 32 if there is none. */
static inline int bit_low_or_none(uint32_t x) {
#if defined(__BMI__)
    return (int)_tzcnt_u32(x);
#else
    return bit_low(x | 0x80000000u);
#endif
}

/* ---- 32 signed bytes ---- */
#if defined(__AVX2__)
typedef __m256i vec32;
static inline vec32 vec32_load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void vec32_store(void *p, vec32 v) { _mm256_storeu_si256((__m256i *)p, v); }
static inline vec32 vec32_fill(int x) { return _mm256_set1_epi8((char)x); }
static inline vec32 vec32_add(vec32 a, vec32 b) { return _mm256_add_epi8(a, b); }
static inline uint32_t vec32_greater(vec32 a, vec32 b) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(a, b));
}
static inline uint32_t vec32_equal(vec32 a, vec32 b) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b));
}
/* Sum of the bytes that are greater than 0. */
static inline int vec32_sum_positive(vec32 v) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i s = _mm256_sad_epu8(_mm256_and_si256(v, _mm256_cmpgt_epi8(v, zero)), zero);
    __m128i t = _mm_add_epi64(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    return _mm_cvtsi128_si32(t) + _mm_extract_epi32(t, 2);
}
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
typedef struct { __m128i lo, hi; } vec32;
static inline vec32 vec32_load(const void *p) {
    vec32 v;
    v.lo = _mm_loadu_si128((const __m128i *)p);
    v.hi = _mm_loadu_si128((const __m128i *)p + 1);
    return v;
}
static inline void vec32_store(void *p, vec32 v) {
    _mm_storeu_si128((__m128i *)p, v.lo);
    _mm_storeu_si128((__m128i *)p + 1, v.hi);
}
static inline vec32 vec32_fill(int x) {
    vec32 v;
    v.lo = v.hi = _mm_set1_epi8((char)x);
    return v;
}
static inline vec32 vec32_add(vec32 a, vec32 b) {
    a.lo = _mm_add_epi8(a.lo, b.lo);
    a.hi = _mm_add_epi8(a.hi, b.hi);
    return a;
}
static inline uint32_t vec32_greater(vec32 a, vec32 b) {
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a.lo, b.lo)) |
           ((uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a.hi, b.hi)) << 16);
}
static inline uint32_t vec32_equal(vec32 a, vec32 b) {
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a.lo, b.lo)) |
           ((uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a.hi, b.hi)) << 16);
}
static inline int vec32_sum_positive(vec32 v) {
    const __m128i zero = _mm_setzero_si128();
    __m128i s = _mm_add_epi64(_mm_sad_epu8(_mm_and_si128(v.lo, _mm_cmpgt_epi8(v.lo, zero)), zero),
                              _mm_sad_epu8(_mm_and_si128(v.hi, _mm_cmpgt_epi8(v.hi, zero)), zero));
    return _mm_cvtsi128_si32(s) + _mm_cvtsi128_si32(_mm_srli_si128(s, 8));
}
#else
typedef struct { int8_t c[32]; } vec32;
static inline vec32 vec32_load(const void *p) { vec32 v; memcpy(v.c, p, 32); return v; }
static inline void vec32_store(void *p, vec32 v) { memcpy(p, v.c, 32); }
static inline vec32 vec32_fill(int x) { vec32 v; memset(v.c, x, 32); return v; }
static inline vec32 vec32_add(vec32 a, vec32 b) {
    for (int i = 0; i < 32; i++) a.c[i] = (int8_t)(a.c[i] + b.c[i]);
    return a;
}
static inline uint32_t vec32_greater(vec32 a, vec32 b) {
    uint32_t m = 0;
    for (int i = 0; i < 32; i++) m |= (uint32_t)(a.c[i] > b.c[i]) << i;
    return m;
}
static inline uint32_t vec32_equal(vec32 a, vec32 b) {
    uint32_t m = 0;
    for (int i = 0; i < 32; i++) m |= (uint32_t)(a.c[i] == b.c[i]) << i;
    return m;
}
static inline int vec32_sum_positive(vec32 v) {
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += v.c[i] > 0 ? v.c[i] : 0;
    return sum;
}
#endif

/* The same board seen by the other side: index i <-> 25 - i, 26 <-> 27, all signs changed. */
static inline void board_swap(const board_t *b, board_t *out) {
#if defined(__AVX2__)
    const __m256i stay = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 15, 14, 13, 12, 11, 10,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 11, 10, -1, -1, -1, -1);
    const __m256i cross = _mm256_setr_epi8(9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1,
                                           9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1);
    __m256i v = vec32_load(b);
    __m256i other = _mm256_permute4x64_epi64(v, 0x4E);
    v = _mm256_or_si256(_mm256_shuffle_epi8(v, stay), _mm256_shuffle_epi8(other, cross));
    vec32_store(out, _mm256_sub_epi8(_mm256_setzero_si256(), v));
#else
    board_t r;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < 26; i++) r.c[i] = (int8_t)-b->c[25 - i];
    r.c[26] = (int8_t)-b->c[27];
    r.c[27] = (int8_t)-b->c[26];
    *out = r;
#endif
}

#endif
