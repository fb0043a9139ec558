/* SPDX-License-Identifier: MIT
 *
 * A kernel that takes much power, its numbers, and the check of its results. For sm_clock.cu. */
#pragma once

#include "../../04_cuda_events/spin.h" /* globaltimer_ns() */
#include "cuda_device.h"

enum { NUMBERS = 1024, THREADS = 256 };
static unsigned blocks;
static unsigned *numbers;
static float *sums; /* one of each thread */

/* How long the first thread ran, by its SM's counter and by %globaltimer. */
static struct rate {
    long long clocks;
    unsigned long long ns;
} * device_rate;

/* Multiplies and adds, nothing else: on the tensor cores if `tensor` is set and there
 * are some (compute capability 8.0 and later), which takes the most power. Each unsigned
 * is two numbers of 16 bits. */
static __global__ void load(const unsigned *numbers, float *sums, long long steps, bool tensor,
                            struct rate *rate) {
    const unsigned t = threadIdx.x, *n = numbers + t % (NUMBERS - 8);
    float s[16] = {0}, f[8];
    for (int k = 0; k < 8; k++)
        f[k] = (float)n[k];
    const unsigned long long start_ns = globaltimer_ns();
    const long long start_clock = clock64();
    for (long long step = 0; step < steps; step++) {
#if __CUDA_ARCH__ >= 800
        if (tensor) {
            for (int k = 0; k < 16; k += 4)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                             "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(s[k]), "+f"(s[k + 1]), "+f"(s[k + 2]), "+f"(s[k + 3])
                             : "r"(n[0]), "r"(n[1]), "r"(n[2]), "r"(n[3]), "r"(n[4]), "r"(n[5]));
            continue;
        }
#endif
        for (int k = 0; k < 16; k++)
            s[k] = s[k] * 0.5f + f[k % 8];
    }
    if (blockIdx.x == 0 && t == 0) {
        rate->clocks = clock64() - start_clock;
        rate->ns = globaltimer_ns() - start_ns;
    }
    for (int k = 1; k < 16; k++)
        s[0] += s[k];
    sums[(size_t)blockIdx.x * blockDim.x + t] = s[0];
}

static void set_up_load(unsigned block_count) {
    blocks = block_count;
    CHECK_CUDA(cudaMalloc((void **)&numbers, NUMBERS * sizeof *numbers));
    CHECK_CUDA(cudaMalloc((void **)&sums, (size_t)blocks * THREADS * sizeof *sums));
    CHECK_CUDA(cudaMalloc((void **)&device_rate, sizeof *device_rate));
}

/* Numbers of 16 bits from 1 to 2 or from -2 to -1; 0 if `random` is not set.
 * And no sums: each is NaN. */
static void set_numbers(bool random) {
    unsigned host[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        host[i] =
            random ? 0x3c003c00u | ((unsigned)rand() & 0x83ff) | ((unsigned)rand() & 0x83ff) << 16
                   : 0;
    CHECK_CUDA(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(sums, 0xff, (size_t)blocks * THREADS * sizeof *sums));
}

/* Exits with 1 unless each block found the same as the first, and 0 of zeros alone. */
static void check_loads(bool random) {
    const size_t count = (size_t)blocks * THREADS;
    float *found = (float *)malloc(count * sizeof *found);
    if (!found)
        fail(EXIT_FAILED, "no host memory for %zu floats", count);
    CHECK_CUDA(cudaMemcpy(found, sums, count * sizeof *found, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        if (!(found[i] == found[i % THREADS]) || (found[i] == 0) == random)
            fail(EXIT_FAILED,
                 "wrong result of %s: thread %zu of block %zu has %g, of the first block %g",
                 random ? "random numbers" : "zeros", i % THREADS, i / THREADS, (double)found[i],
                 (double)found[i % THREADS]);
    free(found);
}
