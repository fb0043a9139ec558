/* SPDX-License-Identifier: MIT
 * The vectors a, b and c of vector_add on a CUDA device. */
#pragma once

#include "cuda.h"
#include "vectors.h"

/* Vector A, B or C on the device, with `n` floats. */
static inline float *new_vector(unsigned v, size_t n) {
    float *host = host_vector(v, n);
    float *device = (float *)new_on_device(n * sizeof *host, host);
    free(host);
    return device;
}

/* Exits with 1 if an element of c, which is on the device, is not a + b: then no time counts. */
static inline void check_vector_add(const float *c, size_t n) {
    float *host = host_vector(C, n);
    CHECK_CUDA(cudaMemcpy(host, c, n * sizeof *host, cudaMemcpyDeviceToHost));
    check_sums(host, n);
    free(host);
}
