/* SPDX-License-Identifier: MIT
 * What the blocks of timedReduction read, what they write down, and whether that can be. */
#pragma once
#include "options.h"

enum { MAX_UNITS = 4096 };
static const float minimum = -1; /* of the numbers that each block reads */

/* Written by thread 0 of a block, or work-item 0 of a work-group. `unit`: its SM, or its core. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns, unit;
};

/* The minimum is the last number in run 0, then an earlier one each time: so a reduction that skips
 * many numbers is wrong in some run. */
static inline void fill_input(float *input, size_t count, size_t run, size_t runs) {
    for (size_t i = 0; i < count; i++)
        input[i] = (float)(i * 37 % 1000);
    input[count - 1 - run * count / runs] = minimum;
}

/* Exits with 1 on a wrong minimum or an impossible stamp: then no time counts. */
static inline void check_blocks(const struct block_time *times, const float *found, size_t blocks) {
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        if (found[b] != minimum)
            errx(EXIT_FAILED, "block %zu of %zu found %g, not the minimum %g", b, blocks,
                 (double)found[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            errx(EXIT_FAILED, "impossible: block %zu runs from clock %llu to %llu, %llu to %llu ns",
                 b, t->start_clock, t->end_clock, t->start_ns, t->end_ns);
        if (t->unit >= MAX_UNITS)
            errx(EXIT_FAILED, "impossible: block %zu runs on SM or core %llu", b, t->unit);
    }
}

/* On how many units the blocks ran. */
static inline int count_units(const struct block_time *times, size_t blocks) {
    bool seen[MAX_UNITS] = {false};
    int count = 0;
    for (size_t b = 0; b < blocks; b++) {
        count += !seen[times[b].unit];
        seen[times[b].unit] = true;
    }
    return count;
}
