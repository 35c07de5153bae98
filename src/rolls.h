/* The roll net that looks at one roll at a time: layout in memory and the kernels that evaluate it.
 *
 *     cells and what a roll can do -> hidden units, once for each of the 21 rolls -> five outputs
 *
 * The hidden sums of a roll are those of the cells (one row for each value of each cell, as in
 * kernels.h), which all rolls share, and a row for each thing that the roll can do:
 *
 *     step    a checker of a point or the bar moves by one die: start, die, how many stand there
 *             (1, 2, more), what stands on the target
 *     total   it reaches a blot of either side by both dice, or by two to four steps of a double,
 *             over no opposing point
 *     make    both dice bring a checker from two points to one that is not made yet
 *     roll    the roll itself
 *
 * With checkers on the bar what cannot be played is left out: everything but the bar while two of
 * them are there, and what needs an entry that is blocked.
 *
 * The luck of a roll is its five outputs less their mean over all rolls, in whole numbers whose
 * weighted sum is exactly 0. All sums are integers, and the loader proves that none leaves its type
 * on any board (network.pyx). */
#ifndef BGCORE_ROLLS_H
#define BGCORE_ROLLS_H

#include "kernels.h"

enum {
    ROLLS_HIDDEN_BLOCK = 128, /* hidden units come in blocks of 128 */
    ROLLS_HIDDEN_MOST = 256,
    ROLLS_KINDS = 2,          /* output layers of a head: doubles, other rolls */
    ROLLS_STEPS = 25 * 6 * 3 * 6,             /* start, die, checkers, target */
    ROLLS_TOTALS = ROLLS_STEPS,               /* where totals begin: start, 2-12, whose blot */
    ROLLS_FURTHER = ROLLS_TOTALS + 25 * 11 * 2,   /* of doubles: start, die, 2-4 steps, whose */
    ROLLS_MAKES = ROLLS_FURTHER + 25 * 6 * 3 * 2, /* point; own blot, nothing, opposing blot */
    ROLLS_EACH = ROLLS_MAKES + 24 * 3,        /* rolls */
    ROLLS_ROWS = ROLLS_EACH + 21,
    ROLLS_LIST = 48           /* rows of one roll beside those of its dice, at most */
};

typedef struct {
    int32_t hidden;
    int32_t wide;       /* whether its kernel is that of rolls512.h */
    int16_t *rows;      /* [28][31][hidden] */
    int16_t *bias;      /* [hidden] */
    int16_t *moves;     /* [ROLLS_ROWS][hidden] */
    int16_t *out;       /* [heads][kinds][5][hidden] */
    int32_t *out_bias;  /* [heads][21][5] */
} rolls_t;

/* Numbers of the rows that a board has: of each die, and of each roll alone.
 * dice[r]: bit 0, the larger die's count for roll r; bit 1, the smaller die's. */
typedef struct {
    int32_t n_die[6], n_roll[21];
    uint16_t die[6][16], roll[21][ROLLS_LIST];
    uint8_t dice[21];
} rolls_seen_t;

/* Row of the step of one of n checkers. */
static inline int rolls_step(int start, int die, int n, int kind) {
    return (((start - 1) * 6 + die - 1) * 3 + (n > 3 ? 3 : n) - 1) * 6 + kind;
}

static inline void rolls_see(const board_t *b, uint32_t own, uint32_t opp, rolls_seen_t *seen) {
    const uint32_t points = 0x01FFFFFE;
    const uint32_t opp_blots = vec32_equal(vec32_load(b->c), vec32_fill(-1)) & points;
    const uint32_t own_blots = vec32_equal(vec32_load(b->c), vec32_fill(1)) & points;
    const uint32_t open = ~(opp & points & ~opp_blots), blots = own_blots | opp_blots;
    const uint32_t made = own & points & ~own_blots;
    const int bar = b->c[25];
    /* who may go on: with checkers on the bar they alone, and not after one die if more wait */
    const uint32_t from = bar == 0 ? own : bar == 1 ? 1u << 25 : 0;
    uint8_t kind[32];
    int r = 0;
    for (int i = 0; i < 32; i++) {
        /* 0 a made point, 1 a blot, 2 nothing, 3 an opposing blot, 4 an opposing point */
        const int v = b->c[i];
        kind[i] = (uint8_t)((v < 2) + (v < 1) + (v < 0) + (v < -1));
    }
    for (int d = 0; d < 6; d++) seen->n_die[d] = 0;
    /* steps from the bar stand in the lists of the rolls, as not both dice may count for others */
    for (uint32_t starts = bar < 2 ? own & points : 0; starts; starts &= starts - 1) {
        const int start = bit_low(starts);
        for (int d = 1; d <= 6; d++)
            seen->die[d - 1][seen->n_die[d - 1]++] = (uint16_t)rolls_step(
                start, d, b->c[start], start > d ? kind[start - d] : 5);
    }
    for (int large = 1; large <= 6; large++) {
        for (int small = 1; small <= large; small++, r++) {
            uint16_t *list = seen->roll[r];
            int n = 0;
            list[n++] = (uint16_t)(ROLLS_EACH + r);
            seen->dice[r] = 3;
            if (bar) {
                list[n++] = (uint16_t)rolls_step(25, large, bar, kind[25 - large]);
                if (small != large)
                    list[n++] = (uint16_t)rolls_step(25, small, bar, kind[25 - small]);
                seen->dice[r] = (uint8_t)((kind[25 - small] != 4) | (kind[25 - large] != 4) << 1);
            }
            if (large == small) {
                /* those that can go on from where they are; a bit is the start */
                uint32_t going = from & open << large;
                for (int steps = 2; steps <= 4 && going; steps++) {
                    going &= open << steps * large;
                    for (uint32_t hits = going & blots << steps * large; hits; hits &= hits - 1) {
                        const int start = bit_low(hits);
                        list[n++] = (uint16_t)(
                            ROLLS_FURTHER + (((start - 1) * 6 + large - 1) * 3 + steps - 2) * 2 +
                            (kind[start - steps * large] == 3));
                    }
                }
            } else {
                uint32_t hits = from & blots << (large + small) &
                                (open << large | open << small);
                for (; hits; hits &= hits - 1) {
                    const int start = bit_low(hits);
                    list[n++] = (uint16_t)(ROLLS_TOTALS +
                                           ((start - 1) * 11 + large + small - 2) * 2 +
                                           (kind[start - large - small] == 3));
                }
                hits = bar ? 0 : own >> large & own >> small & points & open & ~made;
                for (; hits; hits &= hits - 1) {
                    const int point = bit_low(hits);
                    list[n++] = (uint16_t)(ROLLS_MAKES + (point - 1) * 3 + kind[point] - 1);
                }
            }
            seen->n_roll[r] = n;
        }
    }
}

/* sums[0 .. hidden) = the sum of the listed rows, and of `first` if it is not NULL. */
static inline void rolls_add(const int16_t *first, const int16_t *rows, const uint16_t *list,
                             int n, int hidden, int16_t *sums) {
    for (int part = 0; part < hidden; part += ROLLS_HIDDEN_BLOCK) {
        vec16 a[8];
        for (int k = 0; k < 8; k++)
            a[k] = first == NULL ? vec16_zero() : vec16_load(first + part + 16 * k);
        for (int i = 0; i < n; i++) {
            const int16_t *row = rows + list[i] * hidden + part;
            for (int k = 0; k < 8; k++) a[k] = vec16_add(a[k], vec16_load(row + 16 * k));
        }
        for (int k = 0; k < 8; k++) vec16_store(sums + part + 16 * k, a[k]);
    }
}

#if defined(BGCORE_512)
#include "rolls512.h"
#endif

/* values: LUCK_OUTPUTS numbers of unit 2**-LUCK_Z_BITS, five for each roll 1-1, 2-1, ..., 6-6. */
static inline void rolls_values(const rolls_t *net, const board_t *b, uint32_t own, uint32_t opp,
                                int32_t *values) {
    BGCORE_ALIGN32 int16_t cells[ROLLS_HIDDEN_MOST];
    BGCORE_ALIGN32 int16_t die[7][ROLLS_HIDDEN_MOST];
    const int hidden = net->hidden, head = net_head(own, opp);
    const int16_t *weights = net->out + head * (ROLLS_KINDS * 5) * hidden;
    const int32_t *bias = net->out_bias + head * LUCK_OUTPUTS;
    rolls_seen_t seen;
    uint16_t list[NET_CELLS];
    int n = 0, r = 0;
    rolls_see(b, own, opp, &seen);
#if defined(BGCORE_512)
    if (net->wide) {
        rolls_values_512(net, b, head, &seen, values);
        return;
    }
#endif
    uint32_t occupied = ~vec32_equal(vec32_load(b->c), vec32_fill(0)) & CELLS_ALL;
    for (; occupied; occupied &= occupied - 1) {
        const int i = bit_low(occupied);
        list[n++] = (uint16_t)(i * NET_VALUES + b->c[i] + 15);
    }
    rolls_add(net->bias, net->rows, list, n, hidden, cells);
    for (int d = 0; d < 6; d++)
        rolls_add(NULL, net->moves, seen.die[d], seen.n_die[d], hidden, die[d]);
    memset(die[6], 0, hidden * sizeof(int16_t));
    for (int large = 0; large < 6; large++) {
        for (int small = 0; small <= large; small++, r++) {
            const int16_t *x = die[seen.dice[r] & 1 ? large : 6];
            const int16_t *y = die[large != small && seen.dice[r] & 2 ? small : 6];
            const int16_t *w = weights + (large == small ? 0 : 5 * hidden);
            vec8 s0 = vec8_zero(), s1 = s0, s2 = s0, s3 = s0, s4 = s0;
            for (int part = 0; part < hidden; part += ROLLS_HIDDEN_BLOCK) {
                vec16 a[8];
                for (int k = 0; k < 8; k++)
                    a[k] = vec16_add(vec16_load(cells + part + 16 * k),
                                     vec16_add(vec16_load(x + part + 16 * k),
                                               vec16_load(y + part + 16 * k)));
                for (int i = 0; i < seen.n_roll[r]; i++) {
                    const int16_t *row = net->moves + seen.roll[r][i] * hidden + part;
                    for (int k = 0; k < 8; k++) a[k] = vec16_add(a[k], vec16_load(row + 16 * k));
                }
                for (int k = 0; k < 8; k++) {
                    const int16_t *at = w + part + 16 * k;
                    const vec16 u = vec16_relu(a[k]);
                    s0 = vec8_dot(s0, u, vec16_load(at));
                    s1 = vec8_dot(s1, u, vec16_load(at + hidden));
                    s2 = vec8_dot(s2, u, vec16_load(at + 2 * hidden));
                    s3 = vec8_dot(s3, u, vec16_load(at + 3 * hidden));
                    s4 = vec8_dot(s4, u, vec16_load(at + 4 * hidden));
                }
            }
            vec8_sums(s0, s1, s2, s3, s4, values + 5 * r);
            for (int k = 5 * r; k < 5 * r + 5; k++) values[k] += bias[k];
        }
    }
}

/* The mean of the values over all rolls, rounded, and 36 times what it leaves: -18 .. 17. */
static inline void rolls_mean(const int32_t *values, int64_t *mean, int32_t *left) {
    int64_t sums[5] = {0, 0, 0, 0, 0};
    for (int large = 0, r = 0; large < 6; large++)
        for (int small = 0; small <= large; small++, r++)
            for (int k = 0; k < 5; k++)
                sums[k] += large == small ? values[5 * r + k] : 2 * (int64_t)values[5 * r + k];
    for (int k = 0; k < 5; k++) {
        mean[k] = (sums[k] + 18) / 36;
        if (sums[k] + 18 < mean[k] * 36) mean[k]--;
        left[k] = (int32_t)(sums[k] - 36 * mean[k]);
    }
}

/* How much better than the mean roll r of the larger die `large` (1-6) is: five numbers, unit
 * 2**-LUCK_Z_BITS, whose weighted sum over the rolls is exactly 0. What the rounded mean leaves
 * goes, a unit each, to the first rolls that are no doubles, and the last odd one to 1-1. */
static inline void rolls_less(const int32_t *values, const int64_t *mean, const int32_t *left,
                              int r, int large, int32_t *five) {
    /* which of those that are no doubles it is: one double is before it for each smaller die */
    const int place = r + 1 == large * (large + 1) / 2 ? 15 : r + 1 - large;
    for (int k = 0; k < 5; k++) {
        const int unit = left[k] < 0 ? -1 : 1, size = unit * left[k];
        five[k] = (int32_t)(values[5 * r + k] - mean[k]);
        if (place < size / 2 || (r == 0 && size & 1)) five[k] -= unit;
    }
}

/* ---- a roll net of either kind ---- */

/* One of the two is not NULL. */
typedef struct {
    const luck_t *pairs;
    const rolls_t *rolls;
} roll_net_t;

/* The luck of all rolls. */
static inline void roll_net_luck(const roll_net_t *net, const board_t *b, uint32_t own,
                                 uint32_t opp, int32_t *luck) {
    if (net->rolls != NULL) {
        int32_t values[LUCK_OUTPUTS], left[5];
        int64_t mean[5];
        rolls_values(net->rolls, b, own, opp, values);
        rolls_mean(values, mean, left);
        for (int large = 1, r = 0; large <= 6; large++)
            for (int small = 1; small <= large; small++, r++)
                rolls_less(values, mean, left, r, large, luck + 5 * r);
        return;
    }
    for (int roll = 0; roll < 21; roll++)
        luck_of_roll(net->pairs, b, own, bit_high(own) < bit_low(opp), roll, luck + 5 * roll);
}

/* The same of one roll (0-20). */
static inline void roll_net_luck_of(const roll_net_t *net, const board_t *b, uint32_t own,
                                    uint32_t opp, int roll, int32_t *five) {
    if (net->rolls != NULL) {
        int32_t values[LUCK_OUTPUTS], left[5];
        int64_t mean[5];
        int large = 1;
        rolls_values(net->rolls, b, own, opp, values);
        rolls_mean(values, mean, left);
        while (large * (large + 1) / 2 <= roll) large++;
        rolls_less(values, mean, left, roll, large, five);
        return;
    }
    luck_of_roll(net->pairs, b, own, bit_high(own) < bit_low(opp), roll, five);
}

#endif
