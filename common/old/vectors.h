/* SPDX-License-Identifier: MIT
 * The vectors of vector_add. Chapters 02, 03, 04 and 06 compute c = a + b. */
#pragma once
#include "base.h"

/* A, B, or C before it is written. The sum at i is i, from 2^24 on again from 0: a float holds all
 * of these numbers exactly. The caller frees the vector. */
enum { A, B, C };
static inline float *host_vector(unsigned v, size_t n) {
    float *host = (float *)new_memory(n * sizeof *host);
    for (size_t i = 0; i < n; i++)
        host[i] = v == A ? (float)(i % 4096) : v == B ? (float)(i / 4096 % 4096 * 4096) : -1;
    return host;
}

/* Exits with 1 unless c is a + b: if it is not, no time counts. */
static inline void check_sums(const float *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (c[i] != (float)(i % (1 << 24)))
            errx(EXIT_FAILED, "vector_add is wrong at element %zu: %g, not %zu", i, (double)c[i],
                 i % (1 << 24));
}

#ifdef __CUDACC__
#include "cuda.h"

/* A, B or C on the GPU, until the caller frees it or the process ends. */
static inline float *new_vector(unsigned v, size_t n) {
    float *host = host_vector(v, n), *device;
    CHECK_CUDA(cudaMalloc(&device, n * sizeof *host));
    CHECK_CUDA(cudaMemcpy(device, host, n * sizeof *host, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

/* Exits with 1 if an element of c, which is on the GPU, is not a + b. */
static inline void check_vector_add(const float *c, size_t n) {
    float *host = host_vector(C, n);
    CHECK_CUDA(cudaMemcpy(host, c, n * sizeof *host, cudaMemcpyDeviceToHost));
    check_sums(host, n);
    free(host);
}
#endif
