/* SPDX-License-Identifier: MIT
 * The work that chapters 02, 03, 04 and 06 time: what a and b of c = a + b hold, and the check of
 * c. On the host alone: how they come to the device stands in each program. */
#pragma once

#include "report.h"

enum { A, B, C };

/* Element i of a, of b, or of c before it is written. The sum of a and b is i, beyond 2^24 again
 * from 0 on: a float holds all of these exactly. */
static inline float vector_element(unsigned v, size_t i) {
    return v == A ? (float)(i & 4095) : v == B ? (float)(i >> 12 & 4095) * 4096 : -1;
}

/* The whole vector. The caller frees it. Exits with 1 if there is no memory. */
static inline float *host_vector(unsigned v, size_t n) {
    float *host = (float *)malloc(n * sizeof *host);
    if (!host)
        fail(EXIT_FAILED, "no host memory for %zu floats", n);
    for (size_t i = 0; i < n; i++)
        host[i] = vector_element(v, i);
    return host;
}

/* Exits with 1 at the first element of c that is not a + b: then no time counts. */
static inline void check_sums(const float *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c[i] != (float)(i % (1 << 24)))
            fail(EXIT_FAILED, "vector_add is wrong at element %zu: %g, not %zu", i, (double)c[i],
                 i % (1 << 24));
}
