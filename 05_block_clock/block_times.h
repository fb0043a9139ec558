/* SPDX-License-Identifier: MIT
 *
 * What blocks write down, and the check of it; for CUDA and OpenCL alike. How a block takes its
 * stamps is in the programs. */
#pragma once

#include "options.h" /* MAX_THREADS */

/* What thread 0 of a block writes down. Clocks are its SM's own: within a block their difference
 * means something, between blocks nothing. The nanoseconds are one clock's for the whole device,
 * and 0 where there is none. */
struct block_time {
    unsigned long long start_clock, end_clock, start_ns, end_ns;
    unsigned long long unit; /* the number of its SM, in OpenCL compute unit: on a CPU a core */
};

/* Of a launch's blocks, in host memory. */
static float host_input[2 * MAX_THREADS];
static float *results;
static struct block_time *times;
static float minimum; /* the right result */
enum { MAX_UNITS = 4096 };

/* Fills `host_input` with `count` random floats, an even number, and puts the minimum in a random
 * slot: of the upper half and of the lower half in turns. A reduction that skips elements must
 * fail. */
static inline void set_random(size_t count) {
    static size_t half = 0;
    minimum = -(float)(1 + rand() % 1000);
    for (size_t i = 0; i < count; i++)
        host_input[i] = (float)(rand() % 1000);
    half = half > 0 ? 0 : count / 2;
    host_input[half + (size_t)rand() % (count / 2)] = minimum; /* NOLINT: count is not 0 */
}

/* Host memory for the blocks of a launch, at most so many. */
static inline void set_up_host(size_t most) {
    results = (float *)malloc(most * sizeof *results);
    times = (struct block_time *)malloc(most * sizeof *times);
    if (!results || !times)
        fail(EXIT_FAILED, "no host memory for %zu blocks", most);
}

/* Exits with 1 on a wrong result or an impossible stamp. */
static inline void check_blocks(size_t blocks) {
    for (size_t b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        if (results[b] != minimum)
            fail(EXIT_FAILED, "block %zu of %zu found %g, not the minimum %g", b, blocks,
                 (double)results[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns)
            fail(EXIT_FAILED, "impossible: block %zu runs from clock %llu to %llu, %llu to %llu ns",
                 b, t->start_clock, t->end_clock, t->start_ns, t->end_ns);
        if (t->unit >= MAX_UNITS)
            fail(EXIT_FAILED, "impossible: block %zu runs on SM or core %llu", b, t->unit);
    }
}
