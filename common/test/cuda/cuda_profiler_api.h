/* SPDX-License-Identifier: MIT
 * In place of CUDA's own: no profiler watches the simulated GPUs, but what it would watch is known. */
#pragma once

static inline void watch(bool from_now_on) {
    if (watched == from_now_on) simulated_stop("a profiler is started, or stopped, twice");
    watched = from_now_on;
}
API(cudaProfilerStart, (void), 1000, watch(true))
API(cudaProfilerStop, (void), 1000, watch(false))
