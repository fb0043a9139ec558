// How long does each block run, by its multiprocessor's clock? clock64() at its start and its end.
// Build: nvcc -arch=native minimal.cu -o minimal
// Run:   ./minimal
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 8    // Try 1, as many as the GPU has multiprocessors (132 on an H100), and 5000
#define THREADS 256 // Try 32 and 1024

struct block {
    long long start, end; // clocks of one multiprocessor: another one counts from another zero
    float values[THREADS];
};

__global__ void timed(struct block *blocks) {
    struct block *mine = &blocks[blockIdx.x];
    mine->values[threadIdx.x] = 1;
    if (threadIdx.x == 0)
        mine->start = clock64();
    __syncthreads(); // no thread begins its work before that stamp

    // From memory, so that no compiler works out the loop itself. The wait for it is in the clocks.
    float x = mine->values[threadIdx.x];
    for (int round = 0; round < 1000; round++) // the work: x comes nearer and nearer to 2
        x = x * 0.5f + 1;
    mine->values[threadIdx.x] = x;

    // The last stamp needs the barrier's result, so it cannot be taken before the barrier.
    if (__syncthreads_count(1) && threadIdx.x == 0)
        mine->end = clock64();
}

static void check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s failed: error %d, %s\n", call, error, cudaGetErrorString(error));
        exit(1);
    }
}

int main(void) {
    struct block *blocks; // managed memory: host and GPU both reach it
    check(cudaMallocManaged(&blocks, BLOCKS * sizeof *blocks), "cudaMallocManaged");
    for (int run = 1; run <= 2; run++) { // run 1 loads kernel and memory; run 2 counts
        check(cudaMemset(blocks, 0, BLOCKS * sizeof *blocks), "cudaMemset"); // its stamps, too
        timed<<<BLOCKS, THREADS>>>(blocks);
        check(cudaGetLastError(), "cudaGetLastError after the launch");
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }

    double sum = 0;
    for (int block = 0; block < BLOCKS; block++) {
        const long long clocks = blocks[block].end - blocks[block].start;
        if (blocks[block].start == 0 || clocks <= 0) {
            fprintf(stderr, "impossible: block %d has no start, or no end after it\n", block);
            return 1;
        }
        if (block < 8)
            printf("block %d: %lld clocks\n", block, clocks);
        sum += (double)clocks;
    }
    printf("%d blocks of %d threads: %.0f clocks on average\n", BLOCKS, THREADS, sum / BLOCKS);
    const float last = blocks[BLOCKS - 1].values[THREADS - 1];
    if (last != 2)
        fprintf(stderr, "the last value is %g, not 2: believe none of these clocks\n", last);
    return last != 2 || fflush(stdout) != 0;
}
