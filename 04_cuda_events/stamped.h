/* SPDX-License-Identifier: MIT
 *
 * A kernel that stamps each of its warps: a spin of known length, or vector_add. */
#pragma once

#include "../02_clfinish_sync/vector_add.h"
#include "warp_times.h"

static unsigned long long length_ns; /* of the spin; 0: vector_add instead */
static size_t blocks, n;             /* n: floats of vector_add */
static float *a, *b, *c;
static struct warp_time *times; /* on the device */

/* Spins, and then adds if there is a `c`. */
static __global__ void stamped(struct warp_time *times, unsigned long long length_ns,
                               const float *a, const float *b, float *c, size_t n) {
    const unsigned long long start_ns = globaltimer_ns();
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900 /* cudaTriggerProgrammaticLaunchCompletion(), which CUDA 11.8 lacks; for */
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); /* drain.cu, else no effect */
#endif
    while (length_ns > 0 && globaltimer_ns() - start_ns < length_ns)
        ;
    if (c && i < n)
        c[i] = a[i] + b[i];
    stamp(times, start_ns);
}

/* With the first stamps at `to`. */
static inline void launch_stamped(struct warp_time *to, cudaStream_t stream) {
    stamped<<<(unsigned)blocks, THREADS, 0, stream>>>(to, length_ns, a, b, length_ns ? NULL : c, n);
    CHECK_CUDA(cudaGetLastError());
}

/* As many blocks as run at once, all SMs together. */
static inline size_t full_device(int sms) {
    int per_sm;
    CHECK_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, (const void *)stamped, THREADS, 0));
    return (size_t)per_sm * (size_t)sms;
}

/* Makes room for `n` floats in each vector, and for the stamps of so many blocks. */
static inline void set_up_stamped(size_t stamped_blocks) {
    a = device_vector(A, n);
    b = device_vector(B, n);
    c = device_vector(C, n);
    CHECK_CUDA(cudaMalloc((void **)&times, stamped_blocks * WARPS * sizeof *times));
}
