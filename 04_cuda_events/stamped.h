/* SPDX-License-Identifier: MIT
 *
 * Two kernels, each without stamps of its own and with them: when each of its warps (32 threads
 * that run together) began and ended. And what they work on. */
#pragma once

#include "spin.h"
#include "vectors.h"

enum { THREADS = 256, WARPS = THREADS / 32 }; /* in a block */

struct warp_time {
    unsigned long long start_ns, end_ns; /* by %globaltimer, the same clock on all SMs */
};

/* The last line of a kernel whose first line is
 * `const unsigned long long start_ns = globaltimer_ns();`. Waits for all threads of the warp, takes
 * the time, and stores both for the host. */
static __device__ void stamp(struct warp_time *times, unsigned long long start_ns) {
    __syncwarp();
    const unsigned long long end_ns = globaltimer_ns();
    if (threadIdx.x % 32 == 0) {
        struct warp_time *time = &times[(size_t)blockIdx.x * WARPS + threadIdx.x / 32];
        time->start_ns = start_ns;
        time->end_ns = end_ns;
    }
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
    struct warp_time *times; /* on the device, of the last launch */
} work;
static float *vectors[3]; /* on the device, of vector_add */

/* Makes room for so many floats in each vector, and for the stamps of so many blocks. */
static inline void set_up_stamped(size_t floats, size_t stamped_blocks) {
    set_up_vectors(vectors, floats);
    CHECK_CUDA(cudaMalloc((void **)&work.times, stamped_blocks * WARPS * sizeof *work.times));
}

/* As many blocks as run at once, all SMs together. */
static inline size_t full_device(int sms) {
    int per_sm;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)stamped_spin_blocks, THREADS, 0));
    return (size_t)per_sm * (size_t)sms;
}

/* With the first stamps at `to`; NULL: without stamps. */
static inline void launch_work(struct warp_time *to, cudaStream_t stream) {
    const unsigned blocks = (unsigned)work.blocks;
    if (work.length_ns > 0 && to)
        stamped_spin_blocks<<<blocks, THREADS, 0, stream>>>(work.length_ns, to);
    else if (work.length_ns > 0)
        spin_blocks<<<blocks, THREADS, 0, stream>>>(work.length_ns);
    else if (to)
        stamped_vector_add<<<blocks, THREADS, 0, stream>>>(vectors[A], vectors[B], vectors[C],
                                                           work.floats, to);
    else
        vector_add<<<blocks, THREADS, 0, stream>>>(vectors[A], vectors[B], vectors[C], work.floats);
    CHECK_CUDA(cudaGetLastError());
}

/* After this no warp has a stamp. Does not wait for the device. */
static inline void clear_stamps(struct warp_time *times, size_t blocks) {
    CHECK_CUDA(cudaMemsetAsync(times, 0, blocks * WARPS * sizeof *times, 0));
}

/* The start of the first warp and the end of the last. Exits with 1 if a warp left no stamps or
 * ended before it began. `times` is on the device; clear_stamps() before the launch. */
static inline struct warp_time first_and_last(const struct warp_time *times, size_t blocks) {
    const size_t warps = blocks * WARPS;
    struct warp_time *host = (struct warp_time *)malloc(warps * sizeof *host), code = {~0ull, 0};
    if (!host)
        fail(EXIT_FAILED, "no host memory for the stamps of %zu blocks", blocks);
    CHECK_CUDA(cudaMemcpy(host, times, warps * sizeof *host, cudaMemcpyDeviceToHost));
    for (size_t w = 0; w < warps; w++) {
        if (host[w].start_ns == 0 || host[w].end_ns < host[w].start_ns)
            fail(EXIT_FAILED, "impossible: warp %zu runs from %llu to %llu ns", w, host[w].start_ns,
                 host[w].end_ns);
        code.start_ns = host[w].start_ns < code.start_ns ? host[w].start_ns : code.start_ns;
        code.end_ns = host[w].end_ns > code.end_ns ? host[w].end_ns : code.end_ns;
    }
    free(host);
    return code;
}
