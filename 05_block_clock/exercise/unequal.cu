/* SPDX-License-Identifier: MIT
 *
 * Exercise: 05/unequal
 * Block b finds the minimum b + 1 times. How many times longer than the mean block does the longest
 * one run? This program compares the clocks of two SMs. Change main() only, behind the launch.
 *
 * The number must be: the largest clocks of a block, divided by the mean of all blocks. With long
 * work it comes near to 8 / 4.5; with short work the readings of the clock count, too.
 *
 * Copy:  cp 05_block_clock/exercise/unequal.cu ~    in the suite's folder
 * Check: simulator/check ~/unequal.cu          there, too
 * Build: nvcc -arch=native unequal.cu -o unequal    for a real GPU */
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 8, THREADS = 128 };
struct memory {
    float input[THREADS], output[BLOCKS];
    long long start[BLOCKS], end[BLOCKS];
};

static __global__ void unequal(struct memory *memory) {
    extern __shared__ float shared[];
    const unsigned tid = threadIdx.x;
    const long long start = clock64();
    for (unsigned round = 0; round <= blockIdx.x; round++) {
        shared[tid] = memory->input[tid];
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (tid < half && shared[tid + half] < shared[tid])
                shared[tid] = shared[tid + half];
        }
        __syncthreads();
    }
    if (__syncthreads_count(1) && tid == 0) {
        memory->end[blockIdx.x] = clock64();
        memory->start[blockIdx.x] = start;
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
    unequal<<<BLOCKS, THREADS, sizeof memory.input>>>(on_device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&memory, on_device, sizeof memory, cudaMemcpyDeviceToHost));

    double mean = 0;
    long long first = memory.start[0], last = memory.end[0];
    for (int b = 0; b < BLOCKS; b++) {
        if (memory.output[b] != 1 || memory.end[b] <= memory.start[b]) {
            fprintf(stderr, "wrong: block %d found %g, not 1\n", b, memory.output[b]);
            return 1;
        }
        mean += (double)(memory.end[b] - memory.start[b]) / BLOCKS;
        first = memory.start[b] < first ? memory.start[b] : first;
        last = memory.end[b] > last ? memory.end[b] : last;
    }
    printf("longest to mean block: %.4f x\n", (double)(last - first) / mean);
    return fflush(stdout) != 0;
}
