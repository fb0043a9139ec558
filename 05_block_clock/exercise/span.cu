/* SPDX-License-Identifier: MIT
 *
 * Exercise: 05/span
 * How long is it from the first instruction of the first block to the last one of the last block?
 * This program reads the clock of each block's SM: each counts from a zero of its own.
 *
 * In the number must be: the work of the blocks, one behind another where they share an SM.
 * Not: preparation and drain, which are outside of the blocks.
 *
 * Copy:  cp 05_block_clock/exercise/span.cu ~    in the suite's folder
 * Check: simulator/check ~/span.cu          there, too
 * Build: nvcc -arch=native span.cu -o span       for a real GPU */
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 48, THREADS = 256 };
struct memory {
    float input[THREADS], output[BLOCKS];
    long long start[BLOCKS], end[BLOCKS];
};

static __global__ void minimum(struct memory *memory) {
    extern __shared__ float shared[];
    const unsigned tid = threadIdx.x;
    long long start, end;
    start = clock64();
    shared[tid] = memory->input[tid];
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half && shared[tid + half] < shared[tid])
            shared[tid] = shared[tid + half];
    }
    if (__syncthreads_count(1) && tid == 0) {
        end = clock64();
        memory->start[blockIdx.x] = start;
        memory->end[blockIdx.x] = end;
        memory->output[blockIdx.x] = shared[0];
    }
}

#define CHECK(call) check((call), #call)
static void check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s failed: error %d, %s\n", call, error, cudaGetErrorString(error));
        exit(1);
    }
}

int main(void) {
    static struct memory memory;
    struct memory *on_device;
    CHECK(cudaMalloc((void **)&on_device, sizeof memory));
    for (int i = 0; i < THREADS; i++)
        memory.input[i] = (float)(2 + i % 7);
    memory.input[THREADS / 3] = 1; /* the minimum */
    CHECK(cudaMemcpy(on_device, &memory, sizeof memory, cudaMemcpyHostToDevice));
    minimum<<<BLOCKS, THREADS, sizeof memory.input>>>(on_device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&memory, on_device, sizeof memory, cudaMemcpyDeviceToHost));

    long long first = memory.start[0], last = memory.end[0];
    for (int b = 0; b < BLOCKS; b++) {
        if (memory.output[b] != 1 || memory.end[b] <= memory.start[b]) {
            fprintf(stderr, "wrong: block %d found %g, not 1\n", b, memory.output[b]);
            return 1;
        }
        first = memory.start[b] < first ? memory.start[b] : first;
        last = memory.end[b] > last ? memory.end[b] : last;
    }
    printf("from the first block to the last: %.3f us\n", (double)(last - first) / 1e3);
    return fflush(stdout) != 0;
}
