/* SPDX-License-Identifier: MIT
 *
 * The one host clock of the suite; chapter 01 says why it is this one. */
#ifndef COMMON_HOST_CLOCK_H
#define COMMON_HOST_CLOCK_H

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

#if defined __x86_64__ || defined __i386__
/* Reads the time stamp counter and CLOCK_MONOTONIC at one moment: of some tries, the one between
 * whose two readings of the counter least time went by, since nothing interrupted it. */
static inline unsigned long long read_tsc(int64_t *ns) {
    unsigned long long least = ~0ull, middle = 0;
    for (int i = 0; i < 32; i++) {
        const unsigned long long before = __builtin_ia32_rdtsc();
        const int64_t at_ns = now_ns();
        const unsigned long long between = __builtin_ia32_rdtsc() - before;
        if (between < least) {
            least = between;
            middle = before + between / 2;
            *ns = at_ns;
        }
    }
    return middle;
}
#endif

/* Nanoseconds from one step to the next of the time stamp counter that x86 processors have and that
 * OpenCL kernels on the CPU can read, measured once against CLOCK_MONOTONIC for 20 ms. 0 on other
 * processors. Where /proc/cpuinfo says constant_tsc and nonstop_tsc it counts at one rate on all
 * cores. */
static inline double tsc_step_ns(void) {
    static double step_ns = 0;
#if defined __x86_64__ || defined __i386__
    if (step_ns == 0) {
        int64_t start_ns, end_ns;
        const unsigned long long start = read_tsc(&start_ns);
        while (now_ns() - start_ns < 20000000)
            ;
        const unsigned long long end = read_tsc(&end_ns);
        step_ns = (double)(end_ns - start_ns) / (double)(end - start);
    }
#endif
    return step_ns;
}

#endif
