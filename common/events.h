/* SPDX-License-Identifier: MIT
 * A pair of CUDA events around what is timed; chapter 04 says what they measure. */
#pragma once

#include "cuda_device.h"

static cudaEvent_t start, stop;

static inline void create_events(void) {
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
}

/* Microseconds between `start` and `stop`, which the device has reached both. Exits with 1 if that
 * is no time. 0 is possible where events step by 1 us. */
static inline double elapsed_us(void) {
    float elapsed_ms;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    if (!(elapsed_ms >= 0)) /* NaN too */
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)elapsed_ms);
    return (double)elapsed_ms * 1e3;
}
