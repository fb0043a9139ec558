/* SPDX-License-Identifier: MIT
 *
 * For on_a_gpu.py alone, which puts it in front of a program: makes one part of a real launch longer. LONGER says
 * which: the host begins the call of that name LONGER_NS later; "block": each kernel's code takes so much longer;
 * "late_seventh": the code of each 7th launch of a kernel does, of the 4th, the 11th, the 18th. */
#pragma once

#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long long longer_host_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void longer_call(const char *part) {
    const char *longer = getenv("LONGER");
    const long long start_ns = longer_host_ns();
    while (longer && strcmp(longer, part) == 0 && longer_host_ns() - start_ns < LONGER_NS)
        ;
}
#define cudaGetLastError() (longer_call("last_error"), cudaGetLastError())
#define cudaEventRecord(event, stream) (longer_call("record"), cudaEventRecord(event, stream))
#define cudaEventSynchronize(event) (longer_call("sync_event"), cudaEventSynchronize(event))
#define cudaDeviceSynchronize() (longer_call("sync"), cudaDeviceSynchronize())

static __device__ unsigned longer_launches[2]; /* of either kernel */

static __device__ unsigned long long longer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* The last line of kernel 0 or 1. */
static __device__ void longer_code(int kernel) {
    const unsigned long long start_ns = longer_ns();
    bool longer = LONGER_CODE == 1;
    if (LONGER_CODE == 2 && blockIdx.x == 0 && threadIdx.x == 0)
        longer = atomicAdd(&longer_launches[kernel], 1) % 7 == 3;
    while (longer && longer_ns() - start_ns < LONGER_NS)
        ;
}
