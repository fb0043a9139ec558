/* SPDX-License-Identifier: MIT
 *
 * A pair of events behind a kernel that holds the stream until the host has queued all that is to
 * be timed. Chapter 04 explains it: minimal_blocked.cu has all of it on one page. */
#pragma once

#include "clock.h"
#include "cuda.h"
#include "stats.h"

/* ---- A kernel of known length, and the clock by which it knows it ---- */

/* The GPU's clock in nanoseconds, one for all multiprocessors (SMs), in steps of 32 ns on an H200
 * and of 1024 ns on many others; a profiler may change that. NVIDIA means it for its own tools: PTX
 * ISA, "Special Registers". "memory" keeps the compiler from moving loads and stores across the
 * reading. */
static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Runs for `length_ns`, and says how long it did run. It begins between two steps of the clock, so
 * it says half a step too much, in the mean: 16 ns where the clock steps by 32, half a us where by
 * 1024. */
static __device__ unsigned long long spin_for(unsigned long long length_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    unsigned long long elapsed_ns;
    do
        elapsed_ns = globaltimer_ns() - start_ns;
    while (elapsed_ns < length_ns);
    return elapsed_ns;
}

/* The known truth, to a step of that clock. */
static __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    *ran_ns = spin_for(length_ns);
}

/* ---- The blocker ---- */

struct gate { /* in host memory that the device sees too: volatile, or a kernel reads it once */
    int open, gave_up;
    unsigned long long ran_ns; /* of a spin that probe_gpu() launches */
};

/* Keeps the stream busy until the host opens the gate, so that what the host queues meanwhile runs
 * back to back. Gives up after `limit_ns` and says so: a mistake must not hang the device. */
static __global__ void block_stream(volatile struct gate *gate, unsigned long long limit_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    while (!gate->open)
        if (globaltimer_ns() - start_ns > limit_ns) {
            gate->gave_up = 1;
            return;
        }
}

static const unsigned long long blocker_limit_ns = 1000000000;

struct blocked_pair {
    cudaEvent_t start, stop;
    volatile struct gate *gate;
};

static inline struct blocked_pair new_blocked_pair(void) {
    struct blocked_pair pair = {new_event(), new_event(), NULL};
    CHECK_CUDA(cudaMallocHost((void **)&pair.gate, sizeof *pair.gate));
    return pair;
}

static inline void launch_blocker(const struct blocked_pair *pair) {
    block_stream<<<1, 1>>>(pair->gate, blocker_limit_ns);
    CHECK_CUDA(cudaGetLastError());
}

/* Launches the blocker, which holds the stream until the gate opens. */
static inline void hold_stream(const struct blocked_pair *pair) {
    pair->gate->open = 0;
    pair->gate->gave_up = 0;
    launch_blocker(pair);
}

/* Opens the gate and waits for all that was queued behind it, `start` first. Exits with 1 if the
 * device has come to `start` before, or the blocker gave up: then the GPU may have waited for the
 * host after all, and the time would be wrong in silence. */
static inline void release_stream(const struct blocked_pair *pair) {
    const cudaError_t answer = cudaEventQuery(pair->start);
    if (answer != cudaErrorNotReady)
        check_cuda(answer, "cudaEventQuery(start)", __FILE__, __LINE__);
    __atomic_store_n(&pair->gate->open, 1, __ATOMIC_RELEASE);
    CHECK_CUDA(cudaDeviceSynchronize());
    if (pair->gate->gave_up)
        fail(EXIT_FAILED,
             "disturbed: the launches behind the blocker took over %llu ms; run it again, without "
             "CUDA_LAUNCH_BLOCKING, profiler, sanitizer or debugger",
             blocker_limit_ns / 1000000);
    if (answer != cudaErrorNotReady)
        fail(EXIT_FAILED, "disturbed: the blocker did not hold the stream");
}

/* The floor, in microseconds: what two events cost with nothing between them. */
static inline double event_floor_us(const struct blocked_pair *pair) {
    hold_stream(pair);
    CHECK_CUDA(cudaEventRecord(pair->start, 0));
    CHECK_CUDA(cudaEventRecord(pair->stop, 0));
    release_stream(pair);
    return elapsed_us(pair->start, pair->stop);
}

/* Whether two clocks agree: for how long a spin of 1 ms ran by %globaltimer, and the time between
 * two events around it. CLOCKS_DIFFER if these are over 1 % apart in each of three runs. Launch and
 * drain of the spin, some us, are in that; the host's calls are not. */
static inline unsigned compare_gpu_clocks(const struct blocked_pair *pair) {
    double least_apart = INFINITY;
    unsigned long long *const ran_ns = (unsigned long long *)&pair->gate->ran_ns;
    spin<<<1, 1>>>(0, ran_ns); /* a first launch loads the kernel, and may wait for the gate */
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 3; i++) {
        hold_stream(pair);
        CHECK_CUDA(cudaEventRecord(pair->start, 0));
        spin<<<1, 1>>>(1000000, ran_ns);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaEventRecord(pair->stop, 0));
        release_stream(pair);
        const double ran_us = (double)*ran_ns / 1e3;
        least_apart =
            fmin(least_apart, fabs(elapsed_us(pair->start, pair->stop) - ran_us) / ran_us);
    }
    return least_apart > 0.01 ? CLOCKS_DIFFER : 0;
}

/* Launches the blocker five times with the gate open, and waits for each. RUNS_DELAYED if the host
 * waits over a millisecond for a kernel on an idle stream: then somebody else most likely has the
 * GPU, too. Times behind the blocker do not show it, though a long row of launches may have been
 * interrupted. Only a kernel shows it: an event by itself, recorded behind a copy, came at once,
 * most likely from the copy engine. */
static inline unsigned probe_sharing(const struct blocked_pair *pair) {
    double wait_us[5];
    pair->gate->open = 1;
    for (int i = 0; i < 5; i++) {
        const int64_t start_ns = now_ns();
        launch_blocker(pair);
        CHECK_CUDA(cudaDeviceSynchronize());
        wait_us[i] = (double)(now_ns() - start_ns) / 1e3;
    }
    return mark_delay(median(wait_us, 5));
}

/* Both: marks for all that is timed next. */
static inline unsigned probe_gpu(const struct blocked_pair *pair) {
    return probe_sharing(pair) | compare_gpu_clocks(pair);
}

/* INTERRUPTED if of many launches queued one behind the other one more costs clearly more than a
 * launch by itself, which does not happen on an idle GPU. 1 us: some GPUs' events step by that. */
static inline unsigned mark_interrupted(double row_us, double single_us) {
    return row_us > 1.25 * single_us + 1 ? INTERRUPTED : 0;
}
