/* The kernel of the roll net with AVX-512; see kernels512.h. */
#ifndef BGCORE_ROLLS512_H
#define BGCORE_ROLLS512_H

enum { ROLLS512_PART = ROLLS_HIDDEN_BLOCK / 32 };

/* rolls_add */
BGCORE_512_PART static inline void rolls512_add(const int16_t *first, const int16_t *rows,
                                                const uint16_t *list, int n, int hidden,
                                                int16_t *sums) {
    for (int part = 0; part < hidden; part += ROLLS_HIDDEN_BLOCK) {
        __m512i a[ROLLS512_PART];
        for (int k = 0; k < ROLLS512_PART; k++)
            a[k] = first == NULL ? _mm512_setzero_si512() : wide_load(first + part + 32 * k);
        wide_add(a, ROLLS512_PART, rows + part, list, n, hidden);
        for (int k = 0; k < ROLLS512_PART; k++) wide_store(sums + part + 32 * k, a[k]);
    }
}

/* rolls_values, of what rolls_see has seen. */
BGCORE_512 static void rolls_values_512(const rolls_t *net, const board_t *b, int head,
                                        const rolls_seen_t *seen, int32_t *values) {
    BGCORE_ALIGN64 int16_t cells[ROLLS_HIDDEN_MOST];
    BGCORE_ALIGN64 int16_t die[7][ROLLS_HIDDEN_MOST];
    const int hidden = net->hidden;
    const int16_t *weights = net->out + head * (ROLLS_KINDS * 5) * hidden;
    const int32_t *bias = net->out_bias + head * LUCK_OUTPUTS;
    uint16_t list[WIDE_LANES];
    const int n = wide_cells(b, list);
    int r = 0;
    rolls512_add(net->bias, net->rows, list, n, hidden, cells);
    for (int d = 0; d < 6; d++)
        rolls512_add(NULL, net->moves, seen->die[d], seen->n_die[d], hidden, die[d]);
    memset(die[6], 0, hidden * sizeof(int16_t));
    for (int large = 0; large < 6; large++) {
        for (int small = 0; small <= large; small++, r++) {
            const int16_t *x = die[seen->dice[r] & 1 ? large : 6];
            const int16_t *y = die[large != small && seen->dice[r] & 2 ? small : 6];
            const int16_t *w = weights + (large == small ? 0 : 5 * hidden);
            __m512i s[5];
            for (int o = 0; o < 5; o++) s[o] = _mm512_setzero_si512();
            for (int part = 0; part < hidden; part += ROLLS_HIDDEN_BLOCK) {
                __m512i a[ROLLS512_PART];
                for (int k = 0; k < ROLLS512_PART; k++)
                    a[k] = _mm512_add_epi16(wide_load(cells + part + 32 * k),
                                            _mm512_add_epi16(wide_load(x + part + 32 * k),
                                                             wide_load(y + part + 32 * k)));
                wide_add(a, ROLLS512_PART, net->moves + part, seen->roll[r], seen->n_roll[r],
                         hidden);
                for (int k = 0; k < ROLLS512_PART; k++) {
                    const __m512i u = _mm512_max_epi16(a[k], _mm512_setzero_si512());
                    for (int o = 0; o < 5; o++)
                        s[o] = _mm512_dpwssd_epi32(
                            s[o], u, wide_load(w + o * hidden + part + 32 * k));
                }
            }
            _mm256_mask_storeu_epi32(
                values + 5 * r, 31,
                _mm256_add_epi32(wide_sums(s), _mm256_maskz_loadu_epi32(31, bias + 5 * r)));
        }
    }
}

#endif
