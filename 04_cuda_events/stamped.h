/* SPDX-License-Identifier: MIT
 *
 * Two kernels, each without stamps of its own and with them; and what they work on. */
#pragma once

#include "vector_add.h"
#include "vectors.h"
#include "warp_times.h"

static __device__ void spin_for(unsigned long long length_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    while (globaltimer_ns() - start_ns < length_ns)
        ;
}

/* Each block takes `length_ns`. */
static __global__ void spins(unsigned long long length_ns) {
    spin_for(length_ns);
}

static __global__ void stamped_spins(unsigned long long length_ns, struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    spin_for(length_ns);
    stamp(times, start_ns);
}

static __global__ void stamped_vector_add(const float *a, const float *b, float *c, size_t n,
                                          struct warp_time *times) {
    const unsigned long long start_ns = globaltimer_ns();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    stamp(times, start_ns);
}

/* ---- The work: a spin, or where length_ns is 0 vector_add of n floats ---- */

static unsigned long long length_ns;
static size_t blocks, n;
static float *a, *b, *c;
static struct warp_time *times; /* on the device, of the last launch */

/* Makes room for so many floats in each vector, and for the stamps of so many blocks. */
static inline void set_up_stamped(size_t floats, size_t stamped_blocks) {
    a = device_vector(A, floats);
    b = device_vector(B, floats);
    c = device_vector(C, floats);
    CHECK_CUDA(cudaMalloc((void **)&times, stamped_blocks * WARPS * sizeof *times));
}

/* As many blocks as run at once, all SMs together. */
static inline size_t full_device(int sms) {
    int per_sm;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, (const void *)stamped_spins,
                                                             THREADS, 0));
    return (size_t)per_sm * (size_t)sms;
}

static inline void launch_unstamped(cudaStream_t stream) {
    if (length_ns > 0)
        spins<<<(unsigned)blocks, THREADS, 0, stream>>>(length_ns);
    else
        vector_add<<<(unsigned)blocks, THREADS, 0, stream>>>(a, b, c, n);
    CHECK_CUDA(cudaGetLastError());
}

/* With the first stamps at `to`. */
static inline void launch_stamped(struct warp_time *to, cudaStream_t stream) {
    if (length_ns > 0)
        stamped_spins<<<(unsigned)blocks, THREADS, 0, stream>>>(length_ns, to);
    else
        stamped_vector_add<<<(unsigned)blocks, THREADS, 0, stream>>>(a, b, c, n, to);
    CHECK_CUDA(cudaGetLastError());
}
