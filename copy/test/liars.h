/* SPDX-License-Identifier: MIT
 *
 * What liars.c and liars.cu share: what is in the input, and what must be in the result. */
#pragma once

#ifdef COMPARED /* compare's names for what recipe has, too */
#define CHECK CMP_CHECK
#define MAKE CMP_MAKE
#define build_program cmp_build_program
#define code cmp_code
#define context cmp_context
#define queue cmp_queue
#define stream cmp_stream
#define result cmp_result
#define longest_row cmp_longest_row
#endif
#ifndef SIZE
#define SIZE 10000 /* whole thousands, but no whole blocks; a sum of all is exact up to 500000 */
#endif
#ifndef COMPARED /* recipe's names */
#define CHECK RCP_CHECK
#define MAKE RCP_MAKE
#define build_program rcp_build_program
#define code rcp_code
#define context rcp_context
#define queue rcp_queue
#define stream rcp_stream
#define result rcp_result
#endif
enum {
    N = SIZE, /* elements of the input */
    GROUP = 256,
    GROUPS = (N + GROUP - 1) / GROUP, /* the last one is not full */
    WIDTH = 100,
    ROWS = N / WIDTH,
    BINS = 61,
    /* long work by few work-items; in the simulation, less by one */
    AGAIN = 1 + (SIZE > 100000 ? 5000000 : 600000) / SIZE,
    FEW = SIZE > 100000 ? 384 : 1,
    FEW_GROUP = SIZE > 100000 ? 128 : 1
};
/* Of a result. SIDES: the sum of both neighbours, and 0 at the border. NEXT_3: each element and the
 * next one are added, three times. SUMS: of each group. INTS, INT_SUM and COUNTS are integers. */
enum shape { TWICE, INTS, SUM, INT_SUM, SUMS, TRANSPOSED, COPY, NEXT_3, SIDES, COUNTS, ZEROS };

static int elements_of(enum shape shape) {
    return shape == SUM || shape == INT_SUM ? 1
           : shape == SUMS                  ? GROUPS
           : shape == COUNTS                ? BINS
                                            : N;
}

static int input_at(int i, int version) {
    return (i % N + version) % BINS;
}

static int sum_of(int from, int end, int version) {
    int sum = 0;
    for (int i = from; i < end && i < N; i++)
        sum += input_at(i, version);
    return sum;
}

/* What element i of the result must be. */
static int expected(enum shape shape, int i, int version) {
    const int in = input_at(i, version), next = input_at(i + 1, version);
    switch (shape) {
    case SUM:
    case INT_SUM:
        return sum_of(0, N, version);
    case SUMS:
        return sum_of(i * GROUP, (i + 1) * GROUP, version);
    case TRANSPOSED:
        return input_at(i % ROWS * WIDTH + i / ROWS, version);
    case COPY:
        return in;
    case NEXT_3:
        return in + 3 * next + 3 * input_at(i + 2, version) + input_at(i + 3, version);
    case SIDES:
        return i == 0 || i == N - 1 ? 0 : input_at(i - 1, version) + next;
    case COUNTS: /* the first one is at element (i - version) modulo BINS */
        return N / BINS + ((i + 999 * BINS - version) % BINS < N % BINS);
    case ZEROS:
        return 0;
    default:
        return 2 * in;
    }
}

/* The first wrong element of what was found, or -1. */
static long wrong_at(enum shape shape, const void *found, int version) {
    const int is_int = shape == INTS || shape == INT_SUM || shape == COUNTS;
    const float *floats = (const float *)found;
    const int *ints = (const int *)found;
    for (int i = 0; i < elements_of(shape); i++) {
        const int right = expected(shape, i, version);
        if (is_int ? ints[i] != right : !(floats[i] == (float)right)) /* not a number, too */
            return i;
    }
    return -1;
}
