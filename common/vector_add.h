/* SPDX-License-Identifier: MIT
 * The CUDA kernel that chapters 04 and 06 time. What it computes does not matter there. */
#pragma once

/* c = a + b of n floats, one by each thread. */
static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
