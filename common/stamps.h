/* SPDX-License-Identifier: MIT
 *
 * The stamps of a finished OpenCL command, checked before they are subtracted. */
#pragma once

#include "opencl.h"

/* One stamp, in ns already: not to be multiplied by the timer's resolution. Exits with 1 on an
 * error, and on a stamp that no clock gives: some drivers answer CL_SUCCESS and write nothing (it
 * stays CL_ULONG_MAX), or write 0, or number the stages 0, 1, 2, 3. */
static inline cl_ulong read_stamp_ns(cl_event event, cl_profiling_info which) {
    cl_ulong stamp_ns = CL_ULONG_MAX;
    CHECK_CL(clGetEventProfilingInfo(event, which, sizeof stamp_ns, &stamp_ns, NULL));
    if (stamp_ns < 1000 || stamp_ns == CL_ULONG_MAX)
        fail(EXIT_FAILED, "impossible: clGetEventProfilingInfo(%#x) succeeds, and gives %llu ns",
             which, (unsigned long long)stamp_ns);
    return stamp_ns;
}

/* Microseconds between two stamps, below zero if they are out of order. The stamps are unsigned:
 * subtracted and not made signed, a nanosecond below zero is 584 years. */
static inline double between_us(cl_ulong from_ns, cl_ulong to_ns) {
    return (double)(cl_long)(to_ns - from_ns) / 1e3;
}

/* Microseconds from START to END of a command that took `host_us` by the host's clock, from
 * before it was enqueued until after it had finished; releases its event. 0 is possible: a
 * short command on a coarse clock. Exits with 1 if END is before START, or if the command ran
 * longer than the host waited. */
static inline double take_start_to_end_us(cl_event event, double host_us) {
    const cl_ulong start_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_START);
    const cl_ulong end_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_END);
    const double us = between_us(start_ns, end_ns);
    CHECK_CL(clReleaseEvent(event));
    if (us < 0 || us > 1.01 * host_us + 10) /* two clocks, and each has its steps */
        fail(EXIT_FAILED, "impossible: START %llu ns, END %llu ns, while the host waited %.3f us",
             (unsigned long long)start_ns, (unsigned long long)end_ns, host_us);
    return us;
}
