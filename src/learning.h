/* Float kernels of the trainer.
 *
 * Every sum has a fixed order that does not depend on the width of a vector register (sixteen
 * partial sums, then a fixed tree), and exp() is not used, so both builds give the same bits.
 *
 * The weights that are trained are not the rows of the net but those of a few features of a cell;
 * a row is their sum. For n checkers of one side on a point or bar the four features are
 *     n >= 1, n >= 2, n >= 3, (n - 3) / 2 for n > 3          (Tesauro 1992),
 * and for n checkers borne off
 *     n >= 1, the first five / 5, the next five / 5, the last five / 5.
 *
 * Passes may see the weights rounded, as the file has them: rows of cells, which are then joined of
 * the features before each batch, and the layers behind. The gradient is taken there and goes to
 * the float weights as it is (the straight-through estimator: Bengio et al., "Estimating or
 * propagating gradients through stochastic neurons", 2013). Biases behind the hidden units stay as
 * they are: their units, 2**-20 and 2**-22, are below what can be seen. */
#ifndef BGCORE_LEARNING_H
#define BGCORE_LEARNING_H

#include <math.h>

#include "kernels.h"

enum {
    CELL_FEATURES = 4,
    /* floats of the parameters of a net with H hidden units, before the output layers:
     * features [28][2 sides: own, opponent][4][H], bias [H] */
    FEATURE_ROWS = NET_CELLS * 2 * CELL_FEATURES,
    CELL_ROWS = NET_CELLS * NET_VALUES /* rows of a net, as kernels.h has them */
};

/* Coefficients of the four features for n checkers on a cell; returns how many lead the list
 * with a value that is not zero (they are filled from the front). */
static inline int cell_features(int cell, int n, float *coefficient) {
    int count = 0;
    if (n <= 0) return 0;
    coefficient[count++] = 1.0f;
    if (cell >= 26) {
        coefficient[count++] = (float)(n < 5 ? n : 5) * 0.2f;
        if (n > 5) coefficient[count++] = (float)(n < 10 ? n - 5 : 5) * 0.2f;
        if (n > 10) coefficient[count++] = (float)(n - 10) * 0.2f;
        return count;
    }
    if (n >= 2) coefficient[count++] = 1.0f;
    if (n >= 3) coefficient[count++] = 1.0f;
    if (n > 3) coefficient[count++] = (float)(n - 3) * 0.5f;
    return count;
}

/* Features of a board: numbers of rows and coefficients, at most 4 * 28. */
static inline int board_features(const board_t *b, int *row, float *coefficient) {
    int count = 0;
    for (int i = 0; i < NET_CELLS; i++) {
        int v = b->c[i];
        int first = (2 * i + (v < 0)) * CELL_FEATURES;
        int n = cell_features(i, v < 0 ? -v : v, coefficient + count);
        for (int k = 0; k < n; k++) row[count + k] = first + k;
        count += n;
    }
    return count;
}

/* The same for rows of cells in place of features. */
static inline int board_rows(const board_t *b, int *row, float *coefficient) {
    int count = 0;
    for (int i = 0; i < NET_CELLS; i++) {
        row[count] = i * NET_VALUES + b->c[i] + 15;
        coefficient[count] = 1.0f;
        count += b->c[i] != 0;
    }
    return count;
}

/* ---- 8 lanes of float, each an IEEE single; written out because compilers do not always see
 * through loops over arrays that may overlap ---- */
#if defined(__AVX__)
typedef __m256 float8;
static inline float8 float8_load(const float *p) { return _mm256_loadu_ps(p); }
static inline void float8_store(float *p, float8 v) { _mm256_storeu_ps(p, v); }
static inline float8 float8_fill(float x) { return _mm256_set1_ps(x); }
static inline float8 float8_add(float8 a, float8 b) { return _mm256_add_ps(a, b); }
static inline float8 float8_sub(float8 a, float8 b) { return _mm256_sub_ps(a, b); }
static inline float8 float8_mul(float8 a, float8 b) { return _mm256_mul_ps(a, b); }
static inline float8 float8_div(float8 a, float8 b) { return _mm256_div_ps(a, b); }
static inline float8 float8_sqrt(float8 a) { return _mm256_sqrt_ps(a); }
/* a where x > 0, else 0 */
static inline float8 float8_where(float8 x, float8 a) {
    return _mm256_and_ps(a, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ));
}
/* x, or 0 where |x| < limit */
static inline float8 float8_flush(float8 x, float limit) {
    const float8 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
    return _mm256_and_ps(x, _mm256_cmp_ps(size, _mm256_set1_ps(limit), _CMP_GE_OQ));
}
/* x, cut at limit on either side */
static inline float8 float8_cut(float8 x, float limit) {
    return _mm256_max_ps(_mm256_min_ps(x, _mm256_set1_ps(limit)), _mm256_set1_ps(-limit));
}
#elif defined(__SSE2__) || defined(_M_X64)
typedef struct { __m128 lo, hi; } float8;
static inline float8 float8_load(const float *p) {
    float8 v = {_mm_loadu_ps(p), _mm_loadu_ps(p + 4)};
    return v;
}
static inline void float8_store(float *p, float8 v) {
    _mm_storeu_ps(p, v.lo);
    _mm_storeu_ps(p + 4, v.hi);
}
static inline float8 float8_fill(float x) {
    float8 v = {_mm_set1_ps(x), _mm_set1_ps(x)};
    return v;
}
#define FLOAT8_OPERATION(name, instruction)                                                \
    static inline float8 name(float8 a, float8 b) {                                        \
        float8 v = {instruction(a.lo, b.lo), instruction(a.hi, b.hi)};                     \
        return v;                                                                          \
    }
FLOAT8_OPERATION(float8_add, _mm_add_ps)
FLOAT8_OPERATION(float8_sub, _mm_sub_ps)
FLOAT8_OPERATION(float8_mul, _mm_mul_ps)
FLOAT8_OPERATION(float8_div, _mm_div_ps)
static inline float8 float8_sqrt(float8 a) {
    float8 v = {_mm_sqrt_ps(a.lo), _mm_sqrt_ps(a.hi)};
    return v;
}
static inline float8 float8_where(float8 x, float8 a) {
    float8 v = {_mm_and_ps(a.lo, _mm_cmpgt_ps(x.lo, _mm_setzero_ps())),
                _mm_and_ps(a.hi, _mm_cmpgt_ps(x.hi, _mm_setzero_ps()))};
    return v;
}
static inline float8 float8_flush(float8 x, float limit) {
    const __m128 sign = _mm_set1_ps(-0.0f), least = _mm_set1_ps(limit);
    float8 v = {_mm_and_ps(x.lo, _mm_cmpge_ps(_mm_andnot_ps(sign, x.lo), least)),
                _mm_and_ps(x.hi, _mm_cmpge_ps(_mm_andnot_ps(sign, x.hi), least))};
    return v;
}
static inline float8 float8_cut(float8 x, float limit) {
    const __m128 most = _mm_set1_ps(limit), least = _mm_set1_ps(-limit);
    float8 v = {_mm_max_ps(_mm_min_ps(x.lo, most), least),
                _mm_max_ps(_mm_min_ps(x.hi, most), least)};
    return v;
}
#else
typedef struct { float x[8]; } float8;
static inline float8 float8_load(const float *p) { float8 v; memcpy(v.x, p, 32); return v; }
static inline void float8_store(float *p, float8 v) { memcpy(p, v.x, 32); }
static inline float8 float8_fill(float x) {
    float8 v;
    for (int k = 0; k < 8; k++) v.x[k] = x;
    return v;
}
#define FLOAT8_OPERATION(name, operation)                                                  \
    static inline float8 name(float8 a, float8 b) {                                        \
        for (int k = 0; k < 8; k++) a.x[k] = a.x[k] operation b.x[k];                      \
        return a;                                                                          \
    }
FLOAT8_OPERATION(float8_add, +)
FLOAT8_OPERATION(float8_sub, -)
FLOAT8_OPERATION(float8_mul, *)
FLOAT8_OPERATION(float8_div, /)
static inline float8 float8_sqrt(float8 a) {
    for (int k = 0; k < 8; k++) a.x[k] = sqrtf(a.x[k]);
    return a;
}
static inline float8 float8_where(float8 x, float8 a) {
    for (int k = 0; k < 8; k++) a.x[k] = x.x[k] > 0.0f ? a.x[k] : 0.0f;
    return a;
}
static inline float8 float8_flush(float8 x, float limit) {
    for (int k = 0; k < 8; k++) x.x[k] = fabsf(x.x[k]) >= limit ? x.x[k] : 0.0f;
    return x;
}
static inline float8 float8_cut(float8 x, float limit) {
    for (int k = 0; k < 8; k++) {
        const float y = x.x[k] < limit ? x.x[k] : limit;
        x.x[k] = y > -limit ? y : -limit;
    }
    return x;
}
#endif

/* y += c x; n is a multiple of 8. */
static inline void vector_add(float *y, const float *x, float c, int n) {
    const float8 factor = float8_fill(c);
    for (int k = 0; k < n; k += 8)
        float8_store(y + k, float8_add(float8_load(y + k), float8_mul(factor, float8_load(x + k))));
}

/* y = y where x > 0, else 0. */
static inline void vector_where(float *y, const float *x, int n) {
    for (int k = 0; k < n; k += 8)
        float8_store(y + k, float8_where(float8_load(x + k), float8_load(y + k)));
}

/* n is a multiple of 16. */
static inline float vector_dot(const float *x, const float *y, int n) {
    float8 a = float8_fill(0.0f), b = a;
    float s[8];
    for (int k = 0; k < n; k += 16) {
        a = float8_add(a, float8_mul(float8_load(x + k), float8_load(y + k)));
        b = float8_add(b, float8_mul(float8_load(x + k + 8), float8_load(y + k + 8)));
    }
    float8_store(s, float8_add(a, b));
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* x as a whole number of units, the nearest (the even one of two), that 16 bits can hold. Adding and
 * taking away 1.5 * 2**23 rounds a float. */
static inline float8 float8_rounded(float8 x, float per_unit, float unit) {
    const float8 magic = float8_fill(0x1.8p23f);
    const float8 n = float8_cut(float8_mul(x, float8_fill(per_unit)), 32767.0f);
    return float8_mul(float8_sub(float8_add(n, magic), magic), float8_fill(unit));
}

/* y = x in units of 2**-bits; n is a multiple of 8. */
static inline void vector_rounded(float *y, const float *x, int bits, int64_t n) {
    const float per_unit = (float)(1 << bits), unit = 1.0f / per_unit;
    for (int64_t k = 0; k < n; k += 8)
        float8_store(y + k, float8_rounded(float8_load(x + k), per_unit, unit));
}

/* Rows of cells [28][31][n] in units of 2**-bits; those of empty cells are left out. */
static inline void rounded_rows(const float *features, int bits, int n, float *rows) {
    const float per_unit = (float)(1 << bits), unit = 1.0f / per_unit;
    for (int cell = 0; cell < NET_CELLS; cell++) {
        for (int v = -15; v <= 15; v++) {
            const float *x = features + (2 * cell + (v < 0)) * CELL_FEATURES * n;
            float *y = rows + (cell * NET_VALUES + v + 15) * n;
            float c[CELL_FEATURES];
            const int count = cell_features(cell, v < 0 ? -v : v, c);
            if (count == 0) continue;
            for (int k = 0; k < n; k += 8) {
                float8 sum = float8_load(x + k); /* the first coefficient is 1 */
                for (int i = 1; i < count; i++)
                    sum = float8_add(sum, float8_mul(float8_fill(c[i]),
                                                     float8_load(x + i * n + k)));
                float8_store(y + k, float8_rounded(sum, per_unit, unit));
            }
        }
    }
}

/* Hidden layer of a board: rectified sums of features. */
static inline void hidden_layer(const float *parameters, const float *bias, const int *row,
                                const float *coefficient, int count, int n, float *hidden) {
    for (int part = 0; part < n; part += 64) {
        float8 s[8];
        for (int k = 0; k < 8; k++) s[k] = float8_load(bias + part + 8 * k);
        for (int i = 0; i < count; i++) {
            const float *x = parameters + row[i] * n + part;
            const float8 factor = float8_fill(coefficient[i]);
            for (int k = 0; k < 8; k++)
                s[k] = float8_add(s[k], float8_mul(factor, float8_load(x + 8 * k)));
        }
        for (int k = 0; k < 8; k++) float8_store(hidden + part + 8 * k, float8_where(s[k], s[k]));
    }
}

/* One sample of the value net: adds its gradient of the cross-entropy to `gradient` and returns
 * the loss measure, the sum of squared errors. Parameters: features, bias, out [heads][5][H],
 * out_bias [heads][5]. Outputs that the rules fix at zero take no part.
 *
 * rows, bias: what the pass sees; the outputs lie behind the bias. The rows are those of the
 * features, or of cells if joined is not 0. */
static inline float value_sample(const float *rows, const float *bias, int joined, float *gradient,
                                 const int32_t *sigmoid, const board_t *b, uint32_t own,
                                 uint32_t opp, const float *target) {
    enum { H = NET_HIDDEN };
    const float *out = bias + H;
    const float *out_bias = out + NET_HEADS * 5 * H;
    float *g_bias = gradient + FEATURE_ROWS * H;
    float *g_out = g_bias + H;
    float *g_out_bias = g_out + NET_HEADS * 5 * H;
    int row[NET_CELLS * CELL_FEATURES];
    float coefficient[NET_CELLS * CELL_FEATURES];
    float hidden[H], back[H];
    float loss = 0.0f;
    const int count = board_features(b, row, coefficient);
    const int head = net_head(own, opp);
    const int impossible = five_impossible(b, own, opp);
    if (joined) {
        int cell_row[NET_CELLS];
        float one[NET_CELLS];
        const int cells = board_rows(b, cell_row, one);
        hidden_layer(rows, bias, cell_row, one, cells, H, hidden);
    } else {
        hidden_layer(rows, bias, row, coefficient, count, H, hidden);
    }
    for (int k = 0; k < H; k++) back[k] = 0.0f;
    for (int o = 0; o < 5; o++) {
        const int at = head * 5 + o;
        float z, error;
        if (impossible & (1 << o)) continue;
        z = vector_dot(hidden, out + at * H, H) + out_bias[at];
        if (z > 15.99f) z = 15.99f;
        if (z < -15.99f) z = -15.99f;
        error = (float)sigmoid_fixed(sigmoid, (int32_t)(z * 1048576.0f)) * 0x1p-30f - target[o];
        loss += error * error;
        vector_add(back, out + at * H, error, H);
        vector_add(g_out + at * H, hidden, error, H);
        g_out_bias[at] += error;
    }
    vector_where(back, hidden, H);
    vector_add(g_bias, back, 1.0f, H);
    for (int i = 0; i < count; i++) vector_add(gradient + row[i] * H, back, coefficient[i], H);
    return loss;
}

enum {
    VALUE_BEHIND = (1 + NET_HEADS * 5) * NET_HIDDEN + NET_HEADS * 5, /* bias and outputs */
    VALUE_ROUNDED = CELL_ROWS * NET_HIDDEN + VALUE_BEHIND
};

/* The value net as the file has it, hidden sums in units of 2**-bits: rows of cells, then what lies
 * behind the features in the parameters; VALUE_ROUNDED floats. */
static inline void value_rounded(const float *parameters, int bits, float *rounded) {
    enum { H = NET_HIDDEN };
    const float *bias = parameters + FEATURE_ROWS * H;
    float *to = rounded + CELL_ROWS * H;
    rounded_rows(parameters, bits, H, rounded);
    memcpy(to, bias, VALUE_BEHIND * sizeof(float));
    vector_rounded(to, bias, bits, H);
    vector_rounded(to + H, bias + H, NET_Z_BITS - bits, NET_HEADS * 5 * H);
}

/* One sample of the roll net: weighted squared error of LUCK_OUTPUTS linear outputs. A roll that is
 * not a double counts twice. Only the differences between rolls are used, so nine tenths of the
 * error that all rolls have in common are left out. Parameters: features, bias,
 * pair_rows [LUCK_PAIRS][H], pair_out [LUCK_PAIRS][LUCK_WIDTH], out [heads][LUCK_OUTPUTS][H],
 * out_bias [heads][LUCK_OUTPUTS]. */
static inline float luck_sample(const float *parameters, float *gradient, const board_t *b,
                                uint32_t own, int race, const float *target) {
    enum {
        H = LUCK_HIDDEN,
        BIAS = FEATURE_ROWS * H,
        PAIR_ROWS = BIAS + H,
        PAIR_OUT = PAIR_ROWS + LUCK_PAIRS * H,
        OUT = PAIR_OUT + LUCK_PAIRS * LUCK_WIDTH,
        OUT_BIAS = OUT + LUCK_HEADS * LUCK_OUTPUTS * H
    };
    const float *out = parameters + OUT + (race ? 0 : LUCK_OUTPUTS * H);
    const float *out_bias = parameters + OUT_BIAS + (race ? 0 : LUCK_OUTPUTS);
    float *g_out = gradient + OUT + (race ? 0 : LUCK_OUTPUTS * H);
    float *g_out_bias = gradient + OUT_BIAS + (race ? 0 : LUCK_OUTPUTS);
    int row[NET_CELLS * CELL_FEATURES];
    float coefficient[NET_CELLS * CELL_FEATURES];
    int32_t pairs[LUCK_PAIRS_MOST];
    float hidden[H], back[H], error[LUCK_WIDTH];
    float common[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    float loss = 0.0f;
    const int count = board_features(b, row, coefficient);
    const int n_pairs = luck_pairs(b, own, pairs);
    for (int k = 0; k < H; k++) hidden[k] = parameters[BIAS + k];
    for (int k = 0; k < LUCK_WIDTH; k++) error[k] = 0.0f;
    for (int i = 0; i < count; i++)
        vector_add(hidden, parameters + row[i] * H, coefficient[i], H);
    for (int i = 0; i < n_pairs; i++) {
        vector_add(hidden, parameters + PAIR_ROWS + pairs[i] * H, 1.0f, H);
        vector_add(error, parameters + PAIR_OUT + pairs[i] * LUCK_WIDTH, 1.0f, LUCK_WIDTH);
    }
    vector_where(hidden, hidden, H);
    for (int o = 0; o < LUCK_OUTPUTS; o++)
        error[o] += vector_dot(hidden, out + o * H, H) + out_bias[o] - target[o];
    for (int large = 1, o = 0; large <= 6; large++)
        for (int small = 1; small <= large; small++)
            for (int k = 0; k < 5; k++, o++)
                common[k] += error[o] * (small == large ? 1.0f / 36.0f : 2.0f / 36.0f);
    for (int large = 1, o = 0; large <= 6; large++)
        for (int small = 1; small <= large; small++)
            for (int k = 0; k < 5; k++, o++)
                error[o] = (error[o] - 0.9f * common[k]) * (small == large ? 1.0f : 2.0f);
    for (int k = 0; k < H; k++) back[k] = 0.0f;
    for (int o = 0; o < LUCK_OUTPUTS; o++) {
        loss += error[o] * error[o];
        vector_add(back, out + o * H, error[o], H);
        vector_add(g_out + o * H, hidden, error[o], H);
        g_out_bias[o] += error[o];
    }
    for (int k = LUCK_OUTPUTS; k < LUCK_WIDTH; k++) error[k] = 0.0f;
    vector_where(back, hidden, H);
    vector_add(gradient + BIAS, back, 1.0f, H);
    for (int i = 0; i < count; i++) vector_add(gradient + row[i] * H, back, coefficient[i], H);
    for (int i = 0; i < n_pairs; i++) {
        vector_add(gradient + PAIR_ROWS + pairs[i] * H, back, 1.0f, H);
        vector_add(gradient + PAIR_OUT + pairs[i] * LUCK_WIDTH, error, 1.0f, LUCK_WIDTH);
    }
    return loss;
}

/* Moments smaller than these are taken as 0. Those of weights that get no gradient would shrink to
 * subnormal numbers and stay there, which made a step of Adam ten times as long. No weight can see
 * it: such a step is below the last bit of a weight, such a second moment below that of 1e-8. */
#define ADAM_LEAST_FIRST 0x1p-100f
#define ADAM_LEAST_SECOND 0x1p-120f

/* One step of Adam (Kingma and Ba 2015, algorithm 1); clears the gradient.
 * scale: 1 / samples; correction1, correction2: 1 / (1 - beta ** step). */
static inline void adam_step(float *x, float *m, float *v, float *gradient, int64_t n,
                             float scale, float rate, float correction1, float correction2) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const float8 g = float8_mul(float8_load(gradient + i), float8_fill(scale));
        const float8 m1 = float8_add(float8_mul(float8_fill(0.9f), float8_load(m + i)),
                                     float8_mul(float8_fill(0.1f), g));
        const float8 v1 = float8_add(float8_mul(float8_fill(0.999f), float8_load(v + i)),
                                     float8_mul(float8_fill(0.001f), float8_mul(g, g)));
        const float8 size = float8_add(
            float8_sqrt(float8_mul(v1, float8_fill(correction2))), float8_fill(1e-8f));
        const float8 step = float8_mul(float8_fill(rate), float8_mul(m1, float8_fill(correction1)));
        float8_store(m + i, float8_flush(m1, ADAM_LEAST_FIRST));
        float8_store(v + i, float8_flush(v1, ADAM_LEAST_SECOND));
        float8_store(x + i, float8_sub(float8_load(x + i), float8_div(step, size)));
        float8_store(gradient + i, float8_fill(0.0f));
    }
    for (; i < n; i++) {
        const float g = gradient[i] * scale;
        m[i] = 0.9f * m[i] + 0.1f * g;
        v[i] = 0.999f * v[i] + 0.001f * (g * g);
        x[i] -= rate * (m[i] * correction1) / (sqrtf(v[i] * correction2) + 1e-8f);
        if (!(fabsf(m[i]) >= ADAM_LEAST_FIRST)) m[i] = 0.0f;
        if (!(v[i] >= ADAM_LEAST_SECOND)) v[i] = 0.0f;
        gradient[i] = 0.0f;
    }
}

#endif
