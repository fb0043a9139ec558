/* SPDX-License-Identifier: MIT
 *
 * How long a finished OpenCL command ran by the device's own clock; chapter 03 explains it. */
#ifndef COMMON_EVENT_TIME_H
#define COMMON_EVENT_TIME_H

#include "check_cl.h"

/* One stamp of a finished command, in ns. It is CL_ULONG_MAX, which no clock gives, before the
 * query: a driver may answer CL_SUCCESS and leave it alone. Exits with 1 on that, on an error, and
 * on less than a microsecond since the clock began: some drivers write 0, or 0, 1, 2, 3. */
static inline cl_ulong read_stamp_ns(cl_event event, cl_profiling_info which) {
    cl_ulong stamp_ns = CL_ULONG_MAX;
    CHECK_CL(clGetEventProfilingInfo(event, which, sizeof stamp_ns, &stamp_ns, NULL));
    if (stamp_ns < 1000 || stamp_ns == CL_ULONG_MAX)
        fail(EXIT_FAILED, "impossible: clGetEventProfilingInfo(%#x) succeeds, and gives %llu ns",
             which, (unsigned long long)stamp_ns);
    return stamp_ns;
}

/* Microseconds from START to END of a command that took `host_us` by the host's clock, from before
 * it was enqueued until after it had finished; releases its event. Exits with 1 if END is before
 * START (unsigned, the difference would be 584 years), or if the command ran longer than the host
 * waited. */
static inline double start_to_end_us(cl_event event, double host_us) {
    const cl_ulong start_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_START);
    const cl_ulong end_ns = read_stamp_ns(event, CL_PROFILING_COMMAND_END);
    const double us = (double)(cl_long)(end_ns - start_ns) / 1e3;
    CHECK_CL(clReleaseEvent(event));
    if (us < 0 || us > 1.01 * host_us + 10) /* two clocks, and each has its steps */
        fail(EXIT_FAILED, "impossible: START %llu ns, END %llu ns, while the host waited %.3f us",
             (unsigned long long)start_ns, (unsigned long long)end_ns, host_us);
    return us;
}

#endif
