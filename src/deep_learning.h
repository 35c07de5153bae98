/* Float kernels of the trainer of the strong net (deep.h), in the manner of learning.h.
 *
 * Parameters, with H hidden units and S units in the second layer:
 *     features [28][2][4][H], relations [DEEP_RELATIONS][H] if the net has them, bias [H], then
 *     1 + NET_HEADS tails, the first of which is common to
 *     all heads and is added to each of the others:
 *     tail: second [H][S], second_bias [S], third [S][32], third_bias [32], out [32][8],
 *     out_bias [8]; of the eight outputs five are used. */
#ifndef BGCORE_DEEP_LEARNING_H
#define BGCORE_DEEP_LEARNING_H

#include "deep.h"
#include "learning.h"

typedef struct {
    int hidden, second, rows;                                    /* rows: before the bias */
    int64_t second_bias, third, third_bias, out, out_bias, tail; /* places in a tail, its size */
    int64_t tails, all;                                          /* where tails begin, everything */
} deep_shape_t;

static inline void deep_shape(int hidden, int second, int relations, deep_shape_t *s) {
    s->hidden = hidden;
    s->second = second;
    s->rows = FEATURE_ROWS + (relations ? DEEP_RELATIONS : 0);
    s->second_bias = (int64_t)hidden * second;
    s->third = s->second_bias + second;
    s->third_bias = s->third + second * DEEP_THIRD;
    s->out = s->third_bias + DEEP_THIRD;
    s->out_bias = s->out + DEEP_THIRD * 8;
    s->tail = s->out_bias + 8;
    s->tails = (s->rows + 1) * (int64_t)hidden;
    s->all = s->tails + (NET_HEADS + 1) * s->tail;
}

/* Sum of the eight lanes, in the order of vector_dot. */
static inline float float8_sum(float8 a) {
#if defined(__AVX__)
    __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_shuffle_ps(x, x, 1)));
#else
    float s[8];
    float8_store(s, a);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
#endif
}

/* Where the activations of the second and third layer end, as those of deep.h do. */
#define DEEP_LIMIT (32767.0f / 4096.0f)

/* y[0..32) = bias + sum over the listed inputs of x[i] * rows[i][0..32), then rectified and cut at
 * DEEP_LIMIT; a row has `width` floats. */
static inline void deep_forward(const float *x, const int *list, int count, const float *rows,
                                int width, const float *bias, float *y) {
    float8 s[4];
    for (int k = 0; k < 4; k++) s[k] = float8_load(bias + 8 * k);
    for (int i = 0; i < count; i++) {
        const float8 factor = float8_fill(x[list[i]]);
        const float *row = rows + (int64_t)list[i] * width;
        for (int k = 0; k < 4; k++)
            s[k] = float8_add(s[k], float8_mul(factor, float8_load(row + 8 * k)));
    }
    for (int k = 0; k < 4; k++) float8_store(y + 8 * k, float8_where(s[k], s[k]));
    for (int k = 0; k < 32; k++) y[k] = y[k] < DEEP_LIMIT ? y[k] : DEEP_LIMIT;
}

/* Nothing flows back through an activation that was cut. */
static inline void deep_uncut(const float *x, int n, float *back) {
    for (int k = 0; k < n; k++) back[k] = x[k] < DEEP_LIMIT ? back[k] : 0.0f;
}

/* For each listed input: gradient row += x * d, back = row . d; width is a multiple of 32. */
static inline void deep_backward(const float *x, const int *list, int count, const float *rows,
                                 float *gradient, int width, const float *d, float *back) {
    for (int i = 0; i < count; i++) {
        const int64_t at = (int64_t)list[i] * width;
        const float8 factor = float8_fill(x[list[i]]);
        float8 sum = float8_fill(0.0f);
        for (int k = 0; k < width; k += 8) {
            const float8 error = float8_load(d + k);
            float *g = gradient + at + k;
            sum = float8_add(sum, float8_mul(float8_load(rows + at + k), error));
            float8_store(g, float8_add(float8_load(g), float8_mul(factor, error)));
        }
        back[list[i]] = float8_sum(sum);
    }
}

/* Where the sum of the relations of a hidden unit is cut, on either side. */
#define DEEP_RELATION_LIMIT 8.0f

/* What the passes see: the parameters themselves and the joined tails, or, with `joined` not 0,
 * what the file has, rounded, and rows of cells in place of features. */
typedef struct {
    const float *rows, *relations, *bias, *tails;
    int joined;
} deep_seen_t;

/* What a board switches on: features of cells with their coefficients, and relations. */
typedef struct {
    int row[NET_CELLS * CELL_FEATURES];
    float coefficient[NET_CELLS * CELL_FEATURES];
    uint16_t related[DEEP_RELATIONS];
    int count, n_related;
} deep_input_t;

/* Hidden units h of a board; uncut: 1 for each unit whose relations were not cut, else 0. */
static inline void deep_hidden_floats(const deep_shape_t *s, const deep_seen_t *seen,
                                      const board_t *b, uint32_t own, uint32_t opp,
                                      deep_input_t *input, float *uncut, float *h) {
    const int hidden = s->hidden;
    const float *bias = seen->bias;
    float sums[DEEP_HIDDEN_MOST];
    input->count = board_features(b, input->row, input->coefficient);
    input->n_related = 0;
    if (s->rows > FEATURE_ROWS) {
        input->n_related = deep_relations(b, own, opp, input->related);
        for (int k = 0; k < hidden; k++) sums[k] = 0.0f;
        for (int i = 0; i < input->n_related; i++)
            vector_add(sums, seen->relations + input->related[i] * (int64_t)hidden, 1.0f, hidden);
        for (int k = 0; k < hidden; k++) {
            float x = sums[k];
            uncut[k] = x > -DEEP_RELATION_LIMIT && x < DEEP_RELATION_LIMIT ? 1.0f : 0.0f;
            x = x < DEEP_RELATION_LIMIT ? x : DEEP_RELATION_LIMIT;
            sums[k] = bias[k] + (x > -DEEP_RELATION_LIMIT ? x : -DEEP_RELATION_LIMIT);
        }
        bias = sums;
    }
    if (seen->joined) {
        int row[NET_CELLS];
        float one[NET_CELLS];
        const int cells = board_rows(b, row, one);
        hidden_layer(seen->rows, bias, row, one, cells, hidden, h);
    } else {
        hidden_layer(seen->rows, bias, input->row, input->coefficient, input->count, hidden, h);
    }
}

static inline int deep_positive(const float *x, int n, int *list) {
    int count = 0;
    for (int k = 0; k < n; k++) {
        list[count] = k;
        count += x[k] > 0.0f;
    }
    return count;
}

/* tails[h] = common tail + tail of head h */
static inline void deep_join(const deep_shape_t *s, const float *parameters, float *tails) {
    const float *common = parameters + s->tails;
    for (int head = 0; head < NET_HEADS; head++) {
        const float *own = common + (head + 1) * s->tail;
        float *to = tails + head * s->tail;
        for (int64_t k = 0; k < s->tail; k += 8)
            float8_store(to + k, float8_add(float8_load(common + k), float8_load(own + k)));
    }
}

/* The weights as they are; tails: from deep_join. */
static inline deep_seen_t deep_floats(const deep_shape_t *s, const float *parameters,
                                      const float *tails) {
    deep_seen_t seen;
    seen.rows = parameters;
    seen.relations = parameters + FEATURE_ROWS * (int64_t)s->hidden;
    seen.bias = parameters + s->rows * (int64_t)s->hidden;
    seen.tails = tails;
    seen.joined = 0;
    return seen;
}

/* Floats that deep_rounded fills. */
static inline int64_t deep_rounded_size(const deep_shape_t *s) {
    return (CELL_ROWS + s->rows + 1 - FEATURE_ROWS) * (int64_t)s->hidden;
}

/* The weights as the file has them, hidden sums in units of 2**-bits. Rounds the tails, too, once
 * they are joined. */
static inline deep_seen_t deep_rounded(const deep_shape_t *s, const float *parameters, int bits,
                                       float *rounded, float *tails) {
    deep_seen_t seen;
    float *relations = rounded + CELL_ROWS * (int64_t)s->hidden;
    const int64_t n = (s->rows - FEATURE_ROWS) * (int64_t)s->hidden;
    rounded_rows(parameters, bits, s->hidden, rounded);
    vector_rounded(relations, parameters + FEATURE_ROWS * (int64_t)s->hidden, bits, n + s->hidden);
    for (float *tail = tails; tail < tails + NET_HEADS * s->tail; tail += s->tail) {
        vector_rounded(tail, tail, DEEP_Z_BITS - bits, s->second_bias);
        vector_rounded(tail + s->third, tail + s->third, DEEP_WEIGHT_BITS,
                       s->third_bias - s->third);
        vector_rounded(tail + s->out, tail + s->out, DEEP_WEIGHT_BITS, s->out_bias - s->out);
    }
    seen.rows = rounded;
    seen.relations = relations;
    seen.bias = relations + n;
    seen.tails = tails;
    seen.joined = 1;
    return seen;
}

/* gradient of the common tail = sum of those of all heads */
static inline void deep_gather(const deep_shape_t *s, float *gradient) {
    float *common = gradient + s->tails;
    for (int64_t k = 0; k < s->tail; k += 8) {
        float8 sum = float8_load(common + s->tail + k);
        for (int head = 1; head < NET_HEADS; head++)
            sum = float8_add(sum, float8_load(common + (head + 1) * s->tail + k));
        float8_store(common + k, sum);
    }
}

/* One sample, as value_sample does it. */
static inline float deep_sample(const deep_shape_t *s, const deep_seen_t *seen, float *gradient,
                                const int32_t *sigmoid, const board_t *b, uint32_t own,
                                uint32_t opp, const float *target) {
    const int hidden = s->hidden, width = s->second, head = net_head(own, opp);
    const int impossible = five_impossible(b, own, opp);
    const float *tail = seen->tails + head * s->tail;
    float *g = gradient + s->tails + (head + 1) * s->tail;
    deep_input_t input;
    float h[DEEP_HIDDEN_MOST], back[DEEP_HIDDEN_MOST], uncut[DEEP_HIDDEN_MOST];
    float x2[DEEP_SECOND_MOST], d2[DEEP_SECOND_MOST], x3[DEEP_THIRD], d3[DEEP_THIRD];
    int list[DEEP_HIDDEN_MOST + 1], list2[DEEP_SECOND_MOST + 1], list3[DEEP_THIRD + 1];
    int n1, n2, n3;
    float z[8], error[8];
    float loss = 0.0f;
    float8 sum;
    deep_hidden_floats(s, seen, b, own, opp, &input, uncut, h);
    n1 = deep_positive(h, hidden, list);
    for (int k = 0; k < width; k += 32)
        deep_forward(h, list, n1, tail + k, width, tail + s->second_bias + k, x2 + k);
    n2 = deep_positive(x2, width, list2);
    deep_forward(x2, list2, n2, tail + s->third, DEEP_THIRD, tail + s->third_bias, x3);
    n3 = deep_positive(x3, DEEP_THIRD, list3);
    sum = float8_load(tail + s->out_bias);
    for (int i = 0; i < n3; i++)
        sum = float8_add(sum, float8_mul(float8_fill(x3[list3[i]]),
                                         float8_load(tail + s->out + 8 * list3[i])));
    float8_store(z, sum);
    for (int o = 0; o < 8; o++) {
        float y = z[o];
        error[o] = 0.0f;
        if (o >= 5 || impossible & (1 << o)) continue;
        if (y > 15.99f) y = 15.99f;
        if (y < -15.99f) y = -15.99f;
        error[o] = (float)sigmoid_fixed(sigmoid, (int32_t)(y * 1048576.0f)) * 0x1p-30f - target[o];
        loss += error[o] * error[o];
    }
    for (int k = 0; k < DEEP_THIRD; k++) d3[k] = 0.0f;
    for (int k = 0; k < width; k++) d2[k] = 0.0f;
    for (int k = 0; k < hidden; k++) back[k] = 0.0f;
    vector_add(g + s->out_bias, error, 1.0f, 8);
    deep_backward(x3, list3, n3, tail + s->out, g + s->out, 8, error, d3);
    deep_uncut(x3, DEEP_THIRD, d3);
    vector_add(g + s->third_bias, d3, 1.0f, DEEP_THIRD);
    deep_backward(x2, list2, n2, tail + s->third, g + s->third, DEEP_THIRD, d3, d2);
    deep_uncut(x2, width, d2);
    vector_add(g + s->second_bias, d2, 1.0f, width);
    deep_backward(h, list, n1, tail, g, width, d2, back);
    vector_add(gradient + s->rows * (int64_t)hidden, back, 1.0f, hidden);
    for (int i = 0; i < input.count; i++)
        vector_add(gradient + input.row[i] * (int64_t)hidden, back, input.coefficient[i], hidden);
    if (input.n_related > 0) {
        float *rows = gradient + FEATURE_ROWS * (int64_t)hidden;
        for (int k = 0; k < hidden; k++) back[k] *= uncut[k];
        for (int i = 0; i < input.n_related; i++)
            vector_add(rows + input.related[i] * (int64_t)hidden, back, 1.0f, hidden);
    }
    return loss;
}

#endif
