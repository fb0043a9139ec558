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
static __global__ void spin_blocks(unsigned long long length_ns) {
    spin_for(length_ns);
}

static __global__ void stamped_spin_blocks(unsigned long long length_ns, struct warp_time *times) {
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

/* ---- The work: a spin, or where length_ns is 0 vector_add ---- */

static struct {
    unsigned long long length_ns;
    size_t floats, blocks;
    float *a, *b, *c;        /* on the device */
    struct warp_time *times; /* on the device, of the last launch */
} work;

/* Makes room for so many floats in each vector, and for the stamps of so many blocks. */
static inline void set_up_stamped(size_t floats, size_t stamped_blocks) {
    work.a = device_vector(A, floats);
    work.b = device_vector(B, floats);
    work.c = device_vector(C, floats);
    CHECK_CUDA(cudaMalloc((void **)&work.times, stamped_blocks * WARPS * sizeof *work.times));
}

/* As many blocks as run at once, all SMs together. */
static inline size_t full_device(int sms) {
    int per_sm;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)stamped_spin_blocks, THREADS, 0));
    return (size_t)per_sm * (size_t)sms;
}

static inline void launch_unstamped(cudaStream_t stream) {
    const unsigned blocks = (unsigned)work.blocks;
    if (work.length_ns > 0)
        spin_blocks<<<blocks, THREADS, 0, stream>>>(work.length_ns);
    else
        vector_add<<<blocks, THREADS, 0, stream>>>(work.a, work.b, work.c, work.floats);
    CHECK_CUDA(cudaGetLastError());
}

/* With the first stamps at `to`. */
static inline void launch_stamped(struct warp_time *to, cudaStream_t stream) {
    const unsigned blocks = (unsigned)work.blocks;
    if (work.length_ns > 0)
        stamped_spin_blocks<<<blocks, THREADS, 0, stream>>>(work.length_ns, to);
    else
        stamped_vector_add<<<blocks, THREADS, 0, stream>>>(work.a, work.b, work.c, work.floats, to);
    CHECK_CUDA(cudaGetLastError());
}
