/* SPDX-License-Identifier: MIT
 *
 * Blocks in CUDA, beside the lesson: their work, their memory on the device, a new input for each
 * launch. */
#pragma once

#include "../04_cuda_events/spin.h" /* globaltimer_ns(), for the stamps of the programs' kernels */
#include "block_times.h"
#include "cuda_device.h"

static struct {
    float *input, *output;
    struct block_time *times;
} on_device;

/* Opens the device. Exits with 2 if it does not run blocks of --threads. */
static inline struct cudaDeviceProp open_blocks(void) {
    const struct cudaDeviceProp device = open_cuda();
    for (const long long *threads = options.threads; *threads; threads++)
        if (*threads > device.maxThreadsPerBlock)
            fail(EXIT_BAD_USAGE, "--threads: '%lld' is more than the %d that %s allows in a block",
                 *threads, device.maxThreadsPerBlock, device.name);
    return device;
}

/* PTX calls this number volatile: it may change while a block runs. */
static __device__ unsigned sm_number(void) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)::"memory");
    return sm;
}

/* The work: thread 0 stores the minimum of 2 x blockDim.x numbers; blockDim.x may be any number.
 * The launch gives the block as many floats of shared memory. */
static __device__ void block_minimum(const float *numbers, float *least) {
    extern __shared__ float shared[];
    const unsigned tid = threadIdx.x;
    shared[tid] = numbers[tid];
    shared[tid + blockDim.x] = numbers[tid + blockDim.x];

    /* Halve what is left, rounding up: an odd element in the middle waits for the next round. */
    for (unsigned left = 2 * blockDim.x; left > 1;) {
        const unsigned half = (left + 1) / 2;
        __syncthreads();
        if (tid + half < left && shared[tid + half] < shared[tid])
            shared[tid] = shared[tid + half];
        left = half;
    }
    if (tid == 0)
        *least = shared[0];
}

/* As many blocks as run at once, all SMs together. Exits with 1 if not even one does. */
static inline int blocks_at_once(const void *kernel, int threads, int sms) {
    int per_sm = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads,
                                                             2 * (size_t)threads * sizeof(float)));
    if (per_sm < 1)
        fail(EXIT_FAILED, "no block of %d threads has room on an SM", threads);
    return per_sm * sms;
}

static inline void set_up_blocks(size_t most) {
    CHECK_CUDA(cudaMalloc((void **)&on_device.input, 2 * MAX_THREADS * sizeof(float)));
    CHECK_CUDA(cudaMalloc((void **)&on_device.output, most * sizeof *on_device.output));
    CHECK_CUDA(cudaMalloc((void **)&on_device.times, most * sizeof *on_device.times));
    set_up_host(most);
}

static inline void new_input(size_t threads) {
    const size_t bytes = 2 * threads * sizeof *host_input;
    set_random(2 * threads);
    CHECK_CUDA(cudaMemcpy(on_device.input, host_input, bytes, cudaMemcpyHostToDevice));
}

/* After this no block has a result (NaN) or a stamp, and the device is idle. */
static inline void clear_blocks(size_t blocks) {
    CHECK_CUDA(cudaMemset(on_device.output, 0xff, blocks * sizeof *results));
    CHECK_CUDA(cudaMemset(on_device.times, 0, blocks * sizeof *times));
    CHECK_CUDA(cudaDeviceSynchronize());
}

static inline void read_blocks(size_t blocks) {
    CHECK_CUDA(
        cudaMemcpy(results, on_device.output, blocks * sizeof *results, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(times, on_device.times, blocks * sizeof *times, cudaMemcpyDeviceToHost));
    check_blocks(blocks);
}
