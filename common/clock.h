/* SPDX-License-Identifier: MIT
 *
 * The one host clock of the suite; chapter 01 says why it is this one. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "report.h"

/* Nanoseconds by a clock of the system. Integers throughout: beyond 2^53 ns, 104 days, a double
 * skips some. Cannot fail: clock_gettime() only refuses an unknown clock, and a time beyond its
 * type. Source: clock_gettime(2). */
static inline int64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Since some fixed moment (on Linux: boot). Only differences mean anything. */
static inline int64_t now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

static inline void sleep_for_ns(int64_t ns) {
    const struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    if (nanosleep(&pause, NULL) != 0)
        fail(EXIT_FAILED, "nanosleep: %s", strerror(errno));
}
