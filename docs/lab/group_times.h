/* SPDX-License-Identifier: MIT
 *
 * A kernel's own stamps: when each of its work-groups began and ended. */
#pragma once

#include <math.h>

#include "../../05_block_clock/kernel_clock.h"

enum { MAX_GROUPS = 1 << 15 };

/* Of the clock that the kernel reads, or of its loop; NaN: not known. */
static double clock_step_ns;

struct group_time {
    cl_ulong start, end; /* by the same clock for all groups */
};

/* Builds the kernel spin of `file` with the clock that the device has, and makes room for the
 * stamps of so many groups. Without a clock spin counts the rounds of a loop, and clock_step_ns is
 * NaN. */
static inline struct kernel_clock open_spin(const char *file, size_t groups, cl_kernel *spin,
                                            cl_mem *stamps) {
    const struct kernel_clock clock = find_kernel_clock();
    const bool is_shared = clock.tick_ns > 0; /* by all groups; else it would do for one alone */
    const cl_program program = build_program(file, is_shared ? clock.flags : "");
    const size_t bytes = groups * sizeof(struct group_time);
    MAKE_CL(*spin = clCreateKernel(program, "spin", &cl_error));
    MAKE_CL(*stamps = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes, NULL, &cl_error));
    CHECK_CL(clSetKernelArg(*spin, 2, sizeof *stamps, stamps));
    clock_step_ns = is_shared ? clock.tick_ns : NAN;
    return clock;
}

/* The steps in `us`, with 1 ns for one of a loop, which may take longer. */
static inline cl_ulong steps_in(double us) {
    return (cl_ulong)(us * 1e3 / (clock_step_ns > 0 ? clock_step_ns : 1));
}

/* Microseconds between two stamps; NaN where no clock took them. */
static inline double steps_us(cl_ulong from, cl_ulong to) {
    return (double)(cl_long)(to - from) * clock_step_ns / 1e3;
}

/* The start of the first of `groups` work-groups and the end of the last, whose stamps begin at
 * number `first` of `times`. Exits with 1 if one left no stamps or ran for less than `us`. */
static inline struct group_time first_and_last(cl_mem times, size_t first, size_t groups,
                                               double us) {
    static struct group_time host[MAX_GROUPS];
    struct group_time code = {CL_ULONG_MAX, 0};
    CHECK_CL(clEnqueueReadBuffer(cl.queue, times, CL_TRUE, first * sizeof *host,
                                 groups * sizeof *host, host, 0, NULL, NULL));
    for (size_t g = 0; g < groups; g++) {
        if (host[g].start == 0 || (cl_long)(host[g].end - host[g].start) < (cl_long)steps_in(us))
            fail(EXIT_FAILED, "impossible: work-group %zu runs from %llu to %llu", g,
                 (unsigned long long)host[g].start, (unsigned long long)host[g].end);
        code.start = host[g].start < code.start ? host[g].start : code.start;
        code.end = host[g].end > code.end ? host[g].end : code.end;
    }
    return code;
}

/* After this the first `groups` have no stamps, and the device is idle. */
static inline void clear_groups(cl_mem times, size_t groups) {
    const cl_ulong zero = 0;
    CHECK_CL(clEnqueueFillBuffer(cl.queue, times, &zero, sizeof zero, 0,
                                 groups * sizeof(struct group_time), 0, NULL, NULL));
    CHECK_CL(clFinish(cl.queue));
}
