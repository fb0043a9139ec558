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

/* Nanoseconds from one step to the next of the time stamp counter that x86 processors have and that
 * OpenCL kernels on the CPU can read, measured against CLOCK_MONOTONIC for 20 ms. 0 on other
 * processors. Where /proc/cpuinfo says constant_tsc and nonstop_tsc it counts at one rate on all
 * cores. */
static inline double tsc_step_ns(void) {
#if defined __x86_64__ || defined __i386__
    const int64_t start_ns = now_ns();
    const unsigned long long start_steps = __builtin_ia32_rdtsc();
    int64_t elapsed_ns;
    do
        elapsed_ns = now_ns() - start_ns;
    while (elapsed_ns < 20000000);
    return (double)elapsed_ns / (double)(__builtin_ia32_rdtsc() - start_steps);
#else
    return 0;
#endif
}

#endif
