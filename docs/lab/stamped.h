/* SPDX-License-Identifier: MIT
 *
 * When each warp (32 threads that run together) of a kernel began and ended, by the kernel's own
 * stamps. */
#pragma once

#include "blocked.h"
#include "cuda.h"

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
