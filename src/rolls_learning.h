/* Float kernels of the trainer of the roll net that looks at one roll at a time (rolls.h), in the
 * manner of learning.h.
 *
 * Parameters, with H hidden units: features [28][2][4][H], bias [H], moves [ROLLS_ROWS][H],
 * out [heads][kinds][5][H], out_bias [heads][21][5]. */
#ifndef BGCORE_ROLLS_LEARNING_H
#define BGCORE_ROLLS_LEARNING_H

#include "learning.h"
#include "rolls.h"

/* Sums of rows and the hidden units of all rolls, or the gradients that belong to the sums. */
typedef struct {
    float cells[ROLLS_HIDDEN_MOST], die[6][ROLLS_HIDDEN_MOST];
    float units[21][ROLLS_HIDDEN_MOST];
} rolls_floats_t;

/* Add x to the listed rows; add the listed rows to x. */
static inline void rolls_spread(float *rows, const uint16_t *list, int count, const float *x,
                                int n) {
    for (int i = 0; i < count; i++) vector_add(rows + (int64_t)list[i] * n, x, 1.0f, n);
}

static inline void rolls_gather(const float *rows, const uint16_t *list, int count, float *x,
                                int n) {
    for (int i = 0; i < count; i++) vector_add(x, rows + (int64_t)list[i] * n, 1.0f, n);
}

/* One sample: weighted squared error of the five outputs of each roll, and as much again of the
 * equity that they make, which is what a rollout is after. A roll that is not a double counts
 * twice. Only the differences between rolls are used, so nine tenths of the error that all rolls
 * have in common are left out. Adds its gradient to `gradient`; returns the weighted sum of squared
 * errors of the outputs. */
static inline float rolls_sample(int n, const float *parameters, float *gradient, const board_t *b,
                                 uint32_t own, uint32_t opp, const float *target,
                                 rolls_floats_t *sums, rolls_floats_t *back) {
    static const float sign[5] = {2.0f, 1.0f, 1.0f, -1.0f, -1.0f};
    const int64_t bias = (int64_t)FEATURE_ROWS * n, moves = bias + n;
    const int64_t out = moves + (int64_t)ROLLS_ROWS * n;
    const int64_t out_bias = out + (int64_t)NET_HEADS * ROLLS_KINDS * 5 * n;
    const int head = net_head(own, opp);
    const int64_t head_out = out + (int64_t)head * ROLLS_KINDS * 5 * n;
    const int64_t head_bias = out_bias + head * LUCK_OUTPUTS;
    const size_t size = n * sizeof(float);
    int row[NET_CELLS * CELL_FEATURES];
    float coefficient[NET_CELLS * CELL_FEATURES];
    float error[LUCK_OUTPUTS], common[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, loss = 0.0f;
    const int count = board_features(b, row, coefficient);
    rolls_seen_t seen;
    rolls_see(b, own, opp, &seen);
    memcpy(sums->cells, parameters + bias, size);
    for (int i = 0; i < count; i++)
        vector_add(sums->cells, parameters + (int64_t)row[i] * n, coefficient[i], n);
    memset(back->cells, 0, size);
    for (int d = 0; d < 6; d++) {
        memset(sums->die[d], 0, size);
        memset(back->die[d], 0, size);
        rolls_gather(parameters + moves, seen.die[d], seen.n_die[d], sums->die[d], n);
    }
    for (int large = 0, r = 0; large < 6; large++) {
        for (int small = 0; small <= large; small++, r++) {
            const float weight = large == small ? 1.0f / 36.0f : 2.0f / 36.0f;
            const float *w = parameters + head_out + (large == small ? 0 : 5 * n);
            float *u = sums->units[r];
            memcpy(u, sums->cells, size);
            if (seen.dice[r] & 1) vector_add(u, sums->die[large], 1.0f, n);
            if (large != small && seen.dice[r] & 2) vector_add(u, sums->die[small], 1.0f, n);
            rolls_gather(parameters + moves, seen.roll[r], seen.n_roll[r], u, n);
            vector_where(u, u, n);
            for (int k = 0; k < 5; k++) {
                error[5 * r + k] = vector_dot(u, w + k * n, n) + parameters[head_bias + 5 * r + k] -
                                   target[5 * r + k];
                common[k] += weight * error[5 * r + k];
            }
        }
    }
    for (int large = 0, r = 0; large < 6; large++) {
        for (int small = 0; small <= large; small++, r++) {
            const float weight = large == small ? 1.0f : 2.0f;
            const int64_t at = head_out + (large == small ? 0 : 5 * n);
            float *u = sums->units[r];
            float equity = 0.0f, own_back[ROLLS_HIDDEN_MOST];
            memset(own_back, 0, size);
            for (int k = 0; k < 5; k++) {
                error[5 * r + k] -= 0.9f * common[k];
                loss += weight * error[5 * r + k] * error[5 * r + k];
                equity += sign[k] * error[5 * r + k];
            }
            for (int k = 0; k < 5; k++) {
                const float slope = weight * (error[5 * r + k] + sign[k] * equity);
                vector_add(own_back, parameters + at + k * n, slope, n);
                vector_add(gradient + at + k * n, u, slope, n);
                gradient[head_bias + 5 * r + k] += slope;
            }
            vector_where(own_back, u, n);
            vector_add(back->cells, own_back, 1.0f, n);
            if (seen.dice[r] & 1) vector_add(back->die[large], own_back, 1.0f, n);
            if (large != small && seen.dice[r] & 2) vector_add(back->die[small], own_back, 1.0f, n);
            rolls_spread(gradient + moves, seen.roll[r], seen.n_roll[r], own_back, n);
        }
    }
    vector_add(gradient + bias, back->cells, 1.0f, n);
    for (int i = 0; i < count; i++)
        vector_add(gradient + (int64_t)row[i] * n, back->cells, coefficient[i], n);
    for (int d = 0; d < 6; d++)
        rolls_spread(gradient + moves, seen.die[d], seen.n_die[d], back->die[d], n);
    return loss;
}

#endif
