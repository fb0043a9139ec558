// How long does a block run, by its multiprocessor's clock, and how does that change as blocks are
// added? timedReduction reads the clock at each block's start and at its end.
// Build: nvcc -arch=native minimal.cu -o minimal
// Run:   ./minimal
#include <stdio.h>
#include <stdlib.h>

#define THREADS 256 // in each block. Try 32, 100 and 1024
#define MOST 1056   // blocks. Try 5000
// Try your GPU's number of multiprocessors in place of 132; none above MOST.
static const int block_counts[] = {1, 132, MOST};

struct block_time {
    long long start, end; // clocks of one multiprocessor: another one counts from another zero
};

struct memory {
    float input[2 * THREADS];
    struct block_time times[MOST];
    float output[MOST];
};

// Each block finds the minimum of the same 2 x blockDim.x numbers.
__global__ void timedReduction(const float *input, float *output, struct block_time *times) {
    extern __shared__ float shared[]; // the launch call gives its size
    const unsigned tid = threadIdx.x;
    const long long start = clock64();

    shared[tid] = input[tid];
    shared[tid + blockDim.x] = input[tid + blockDim.x];
    for (unsigned left = 2 * blockDim.x; left > 1;) { // halve what is left, rounding up
        const unsigned half = (left + 1) / 2;
        __syncthreads(); // all threads have done the round before
        if (tid + half < left && shared[tid + half] < shared[tid])
            shared[tid] = shared[tid + half];
        left = half;
    }
    if (tid == 0)
        output[blockIdx.x] = shared[0];

    // The last stamp needs the barrier's result, so it cannot be taken before the barrier.
    if (__syncthreads_count(1) && tid == 0) {
        times[blockIdx.x].end = clock64();
        times[blockIdx.x].start = start;
    }
}

static void check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s failed: error %d, %s\n", call, error, cudaGetErrorString(error));
        exit(1);
    }
}

int main(void) {
    static struct memory host;
    struct memory *gpu; // on the GPU: the host takes only addresses in it
    check(cudaMalloc(&gpu, sizeof host), "cudaMalloc (no GPU or no driver?)");
    for (int i = 0; i < 2 * THREADS; i++)
        host.input[i] = (float)(rand() % 1000);
    host.input[2 * THREADS - 1] = -1; // the minimum stands last, where a wrong halving loses it
    check(cudaMemcpy(gpu, &host, sizeof host, cudaMemcpyHostToDevice), "cudaMemcpy of the input");

    for (size_t i = 0; i < sizeof block_counts / sizeof *block_counts; i++) {
        const int count = block_counts[i];
        if (count > MOST) {
            fprintf(stderr, "%d blocks are above MOST\n", count);
            return 1;
        }
        for (int run = 1; run <= 2; run++) { // run 1 loads the kernel; run 2 counts
            check(cudaMemset(gpu->times, 0, sizeof host.times), "cudaMemset of the times");
            check(cudaMemset(gpu->output, 0, sizeof host.output), "cudaMemset of the output");
            timedReduction<<<count, THREADS, sizeof host.input>>>(gpu->input, gpu->output,
                                                                  gpu->times);
            check(cudaGetLastError(), "cudaGetLastError after the launch");
            check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        }
        check(cudaMemcpy(&host, gpu, sizeof host, cudaMemcpyDeviceToHost), "cudaMemcpy");
        double sum = 0;
        for (int b = 0; b < count; b++) {
            const struct block_time t = host.times[b];
            if (host.output[b] != -1 || t.end <= t.start) {
                fprintf(stderr,
                        "wrong: block %d found %g, not -1, or ran from clock %lld to %lld\n", b,
                        host.output[b], t.start, t.end);
                return 1;
            }
            sum += (double)(t.end - t.start);
        }
        printf("%5d blocks of %d threads: %.0f clocks on average\n", count, THREADS, sum / count);
    }
    return fflush(stdout) != 0;
}
