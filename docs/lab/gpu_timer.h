/* SPDX-License-Identifier: MIT
 *
 * Readings of %globaltimer: its tick, moments that the host's clocks have too, and the rate of an
 * SM's clock by it. For calibrate.cu and two_gpus.cu. */
#pragma once

#include "../../04_cuda_events/blocker.h"
#include "device_timer.h"

enum { TICKS = 500 };

static __global__ void note_time(unsigned long long *ns) {
    *ns = globaltimer_ns();
}

/* By how much %globaltimer goes on, each time that it does; and last, how many clocks of the SM
 * that took. */
static __global__ void note_steps(unsigned long long *steps_ns) {
    const unsigned long long begin_ns = globaltimer_ns();
    unsigned long long last_ns, ns;
    do
        last_ns = globaltimer_ns();
    while (last_ns == begin_ns);
    const long long first_clock = clock64();
    for (int i = 0; i < TICKS; i++) {
        do
            ns = globaltimer_ns();
        while (ns == last_ns);
        steps_ns[i] = ns - last_ns;
        last_ns = ns;
    }
    steps_ns[TICKS] = (unsigned long long)(clock64() - first_clock);
}

/* The mean tick, by `noted_ns` on the device, which has room for TICKS + 1. *sm_mhz, unless NULL:
 * the rate of the SM's clock meanwhile. */
static inline double tick_ns(unsigned long long *noted_ns, double *sm_mhz) {
    unsigned long long steps_ns[TICKS + 1], all_ns = 0;
    note_steps<<<1, 1>>>(noted_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(steps_ns, noted_ns, sizeof steps_ns, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TICKS; i++)
        all_ns += steps_ns[i];
    const double tick_ns = mean_tick_ns(steps_ns, TICKS);
    if (!(tick_ns < 1000000))
        fail(EXIT_FAILED, "impossible: %%globaltimer goes on by %g ns", tick_ns);
    if (!sm_mhz)
        return tick_ns;
    *sm_mhz = (double)steps_ns[TICKS] * 1e3 / (double)all_ns;
    if (!(*sm_mhz > 10 && *sm_mhz < 10000))
        fail(EXIT_FAILED, "impossible: an SM's clock of %g MHz", *sm_mhz);
    return tick_ns;
}

/* The blocker runs by then, so the GPU's is later by as much each time. */
static inline void take_moment(unsigned long long *noted_ns, int64_t ns[TIMERS]) {
    close_gate();
    CHECK_CUDA(cudaEventRecord(start, 0));
    note_time<<<1, 1>>>(noted_ns);
    CHECK_CUDA(cudaGetLastError());
    for (const int64_t since_ns = now_ns(); now_ns() - since_ns < 30000;)
        continue;
    ns[RAW] = clock_ns(CLOCK_MONOTONIC_RAW);
    ns[MONOTONIC] = now_ns();
    open_gate();
    CHECK_CUDA(cudaMemcpy(&ns[DEVICE], noted_ns, sizeof *ns, cudaMemcpyDeviceToHost));
}
