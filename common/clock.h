/* SPDX-License-Identifier: MIT
 *
 * The one host clock of the suite; chapter 01 says why it is this one. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC since some fixed moment (on Linux: boot). Only differences mean
 * anything. Integers throughout: beyond 2^53 ns, 104 days, a double skips some. Cannot fail: POSIX
 * lets clock_gettime() refuse only an unknown clock. Source: clock_gettime(2). */
static inline int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
