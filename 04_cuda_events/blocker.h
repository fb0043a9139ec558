/* SPDX-License-Identifier: MIT
 *
 * What cuda_events.cu and onion.cu stand on: a kernel of known length, and a pair of events behind
 * a kernel that holds the stream until the host has queued all that is to be timed. */
#ifndef BLOCKER_H
#define BLOCKER_H

#include <stdbool.h>

#include "check_cuda.h"
#include "fail.h"

/* ---- The kernels ---- */

static const unsigned spin_us[] = {1, 3, 10, 30, 100, 300, 1000}; /* the lengths to spin for */
enum { SPINS = sizeof spin_us / sizeof spin_us[0] };

/* The GPU's clock in nanoseconds, one for all SMs, in steps of 32 ns on an H200 and of 1024 ns on
 * many others; a profiler may change that. NVIDIA means it for its own tools: PTX ISA, "Special
 * Registers". */
static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* The known truth, to a step of that clock: runs for `length_ns`, and says how long it did run. */
static __global__ void spin(unsigned long long length_ns, unsigned long long *ran_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    unsigned long long elapsed_ns;
    do
        elapsed_ns = globaltimer_ns() - start_ns;
    while (elapsed_ns < length_ns);
    *ran_ns = elapsed_ns;
}

struct gate { /* in host memory that the device sees too */
    int open, gave_up;
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

/* ---- The gate, and the events behind it ---- */

static const unsigned long long blocker_limit_ns = 1000000000;
static volatile struct gate *gate;
static cudaEvent_t start, stop;

static void set_up_blocker(void) {
    CHECK_CUDA(cudaMallocHost((void **)&gate, sizeof *gate));
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
}

static void release_blocker(void) {
    CHECK_CUDA(cudaFreeHost((void *)gate));
    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(stop));
}

static void close_gate(void) {
    gate->open = 0;
    gate->gave_up = 0;
    block_stream<<<1, 1>>>(gate, blocker_limit_ns);
    CHECK_CUDA(cudaGetLastError());
}

/* Opens the gate and waits for all that was queued behind it, `start` first. Exits with 1 if the
 * device has come to `start` before, or the blocker gave up: then the GPU may have waited for the
 * host after all, and the time would be wrong in silence. */
static void open_gate(void) {
    const cudaError_t answer = cudaEventQuery(start);
    const bool held = answer == cudaErrorNotReady;
    if (!held)
        check_cuda(answer, "cudaEventQuery(start)", __FILE__, __LINE__);
    gate->open = 1;
    CHECK_CUDA(cudaDeviceSynchronize());
    if (gate->gave_up)
        fail(EXIT_FAILED,
             "disturbed: the launches behind the blocker took over %llu ms; run it again, without "
             "CUDA_LAUNCH_BLOCKING, profiler or debugger",
             blocker_limit_ns / 1000000);
    if (!held)
        fail(EXIT_FAILED, "disturbed: the blocker did not hold the stream");
}

/* Microseconds between `start` and `stop`, which the device has reached both. */
static double elapsed_us(void) {
    float elapsed_ms;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    if (!(elapsed_ms >= 0)) /* NaN too; 0 is possible where events step by 1 us */
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)elapsed_ms);
    return (double)elapsed_ms * 1e3;
}

#endif
