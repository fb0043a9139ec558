/* SPDX-License-Identifier: MIT
 * A pair of events behind a kernel that holds the stream until all that is to be timed is queued.
 * 04_cuda_events/minimal_blocked.cu explains it, and has all of it on one page. */
#pragma once
#include "cuda.h"

/* The GPU's clock in nanoseconds, one for all SMs, in steps of 32 ns on an H200 and of 1024 ns on
 * many others. "memory" keeps the compiler from moving loads and stores across the reading. */
static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

struct gate {
    int open, gave_up;
};

struct blocked_pair {
    cudaEvent_t start, stop;
    volatile struct gate *gate; /* in host memory; volatile, or a kernel reads it once */
    double late_us; /* how much longer the host waited than the last time is: see doubt_wait() */
};

/* Gives up after a second, and says so: a mistake must not hang the device. */
static __global__ void block_stream(volatile struct gate *gate) {
    const unsigned long long start_ns = globaltimer_ns();
    while (!gate->open && globaltimer_ns() - start_ns < 1000000000)
        ;
    if (!gate->open)
        gate->gave_up = 1;
}

/* Launches the blocker. Then the program records p->start, launches, and records p->stop. */
static inline void hold_stream(const struct blocked_pair *p, int open) {
    p->gate->open = open;
    p->gate->gave_up = 0;
    block_stream<<<1, 1>>>(p->gate);
    CHECK_CUDA(cudaGetLastError());
}

/* Opens the gate, waits, and returns the microseconds between the events. Exits with 1 if the
 * blocker did not hold: then the GPU may have waited for the host. */
static inline double release_us(struct blocked_pair *p) {
    const cudaError_t answer = cudaEventQuery(p->start);
    if (answer != cudaErrorNotReady)
        check_cuda(answer, "cudaEventQuery(start)", __FILE__, __LINE__);
    const int64_t open_ns = now_ns();
    __atomic_store_n(&p->gate->open, 1, __ATOMIC_RELEASE); /* not before the query */
    CHECK_CUDA(cudaDeviceSynchronize());
    const double host_us = (double)(now_ns() - open_ns) / 1e3;
    if (p->gate->gave_up)
        errx(EXIT_FAILED, "disturbed: the launches behind the blocker took over a second; run it "
                          "again, without CUDA_LAUNCH_BLOCKING, profiler, sanitizer or debugger");
    if (answer != cudaErrorNotReady)
        errx(EXIT_FAILED, "disturbed: the blocker did not hold the stream");
    const double us = elapsed_us(p->start, p->stop);
    p->late_us = host_us - us;
    return us;
}

/* The blocker runs once with the gate open: a first launch may wait until the GPU is idle. */
static inline struct blocked_pair new_blocked_pair(void) {
    struct blocked_pair p = {};
    CHECK_CUDA(cudaEventCreate(&p.start));
    CHECK_CUDA(cudaEventCreate(&p.stop));
    CHECK_CUDA(cudaMallocHost((void **)&p.gate, sizeof *p.gate));
    hold_stream(&p, 1);
    CHECK_CUDA(cudaDeviceSynchronize());
    return p;
}
