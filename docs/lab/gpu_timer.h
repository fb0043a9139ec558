/* SPDX-License-Identifier: MIT
 *
 * What %globaltimer tells of itself: its tick, and moments that the host's clocks have too. For
 * calibrate.cu and two_gpus.cu. */
#pragma once

#include "../../04_cuda_events/blocker.h"

enum { TICKS = 500 };

static __global__ void note_time(unsigned long long *ns) {
    *ns = globaltimer_ns();
}

/* By how much %globaltimer goes on, each time that it does. */
static __global__ void note_steps(unsigned long long *steps_ns) {
    unsigned long long last_ns = globaltimer_ns(), ns;
    for (int i = 0; i < TICKS; i++) {
        do
            ns = globaltimer_ns();
        while (ns == last_ns);
        steps_ns[i] = ns - last_ns;
        last_ns = ns;
    }
}

/* The mean tick, by `noted_ns` on the device, which has room for TICKS. It may be no whole number:
 * 52.08 shows as steps of 52 and 53. A step may be two or three ticks, where a reading takes longer
 * than one; more is an interruption. */
static double tick_ns(unsigned long long *noted_ns) {
    unsigned long long steps_ns[TICKS], least_ns = ~0ull, sum_ns = 0, ticks = 0;
    note_steps<<<1, 1>>>(noted_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(steps_ns, noted_ns, sizeof steps_ns, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TICKS; i++)
        least_ns = steps_ns[i] < least_ns ? steps_ns[i] : least_ns;
    if (least_ns == 0 || least_ns > 1000000)
        fail(EXIT_FAILED, "impossible: %%globaltimer goes on by %llu ns at least", least_ns);
    for (int i = 0; i < TICKS; i++)
        if (2 * steps_ns[i] < 7 * least_ns) {
            ticks += (steps_ns[i] + least_ns / 2) / least_ns;
            sum_ns += steps_ns[i];
        }
    return (double)sum_ns / (double)ticks;
}

enum { MONOTONIC, RAW, GPU, TIMERS };

/* One moment by three clocks. The blocker runs by then, so the GPU's is
 * later by as much each time. */
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
    CHECK_CUDA(cudaMemcpy(&ns[GPU], noted_ns, sizeof *ns, cudaMemcpyDeviceToHost));
}

/* By how many parts per million (ppm) the GPU's timer is faster than a clock of the host,
 * from `count` pairs of moments; those of a pair are `count` moments apart. Exits with 1 if
 * no crystal is so wrong. Returns whether the host was held up: the middle half of the
 * pairs is over 100 us apart. */
static inline bool compare_rates(int64_t (*ns)[TIMERS], size_t count, int clock, double *ppm) {
    const double apart_ns = (double)(ns[count][clock] - ns[0][clock]);
    for (size_t i = 0; i < count; i++)
        ppm[i] = 1e6 * ((double)(ns[i + count][GPU] - ns[i][GPU]) /
                            (double)(ns[i + count][clock] - ns[i][clock]) -
                        1);
    const double middle_ppm = median(ppm, count); /* sorts them, for the quartiles below */
    if (!(fabs(middle_ppm) < 10000))
        fail(EXIT_FAILED, "impossible: the GPU's timer is %g ppm faster than %s", middle_ppm,
             clock == RAW ? "CLOCK_MONOTONIC_RAW" : "CLOCK_MONOTONIC");
    return (ppm[count - 1 - count / 4] - ppm[count / 4]) * apart_ns > 1e5 * 1e6;
}
