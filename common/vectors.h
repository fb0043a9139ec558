/* SPDX-License-Identifier: MIT
 * The vectors of vector_add on the GPU. The caller frees them, or the end of the process. */
#pragma once
#include "cuda.h"

/* A, B or C of base.h. */
static inline float *new_vector(unsigned v, size_t n) {
    float *host = host_vector(v, n), *device;
    CHECK_CUDA(cudaMalloc(&device, n * sizeof *host));
    CHECK_CUDA(cudaMemcpy(device, host, n * sizeof *host, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

/* Exits with 1 if an element of c, which is on the device, is not a + b. */
static inline void check_vector_add(const float *c, size_t n) {
    float *host = host_vector(C, n);
    CHECK_CUDA(cudaMemcpy(host, c, n * sizeof *host, cudaMemcpyDeviceToHost));
    check_sums(host, n);
    free(host);
}
