// How long does a kernel run on the GPU? With two events behind a kernel that holds the stream.
// Build: nvcc -arch=native minimal_blocked.cu -o minimal_blocked
// Run:   ./minimal_blocked
#include <stdio.h>
#include <stdlib.h>

#ifndef COUNT
#define COUNT (1 << 24) // numbers to add. Try nvcc -DCOUNT=1024
#endif
#define THREADS 256 // in each block. Try 32 and 1024
#define RUNS 31

struct gate {
    int open, gave_up;
};
static volatile struct gate *gate; // in host memory that the GPU can read
static cudaEvent_t start, stop;
static float host[COUNT], *a, *b, *c; // a, b, c: on the GPU

__global__ void vector_add(const float *x, const float *y, float *sums) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < COUNT)
        sums[i] = x[i] + y[i];
}

// Holds the stream until the host opens the gate. Rule 1: it gives up after a second, and says so.
// A mistake of the host must not hang the GPU.
__global__ void block_stream(volatile struct gate *waits_for) {
    unsigned long long start_ns, now_ns; // by the GPU's own clock
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
    while (!waits_for->open && now_ns - start_ns < 1000000000);
    if (!waits_for->open)
        waits_for->gave_up = 1;
}

#define CHECK(call) check((call), #call)
static void check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s failed: error %d, %s\n", call, error, cudaGetErrorString(error));
        exit(1);
    }
}

// Milliseconds between two events with the kernel between them, or with nothing: the floor.
static float event_blocked_ms(int with_kernel) {
    float elapsed_ms;
    gate->open = 0;
    gate->gave_up = 0;
    block_stream<<<1, 1>>>(gate);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(start, 0)); // 0: the default stream, as in the launches
    if (with_kernel)
        vector_add<<<(COUNT + THREADS - 1) / THREADS, THREADS>>>(a, b, c);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, 0));
    // Rule 2: the blocker must still hold the stream. Else a gap may be in the time: refuse it.
    const cudaError_t answer = cudaEventQuery(start);
    // Release: no processor may open the gate before the query has its answer.
    __atomic_store_n(&gate->open, 1, __ATOMIC_RELEASE);
    CHECK(cudaDeviceSynchronize());
    if (answer != cudaErrorNotReady || gate->gave_up) {
        fprintf(stderr, "the blocker did not hold: gave_up %d, cudaEventQuery error %d, %s\n",
                gate->gave_up, answer, cudaGetErrorName(answer));
        exit(1);
    }
    CHECK(cudaEventElapsedTime(&elapsed_ms, start, stop));
    return elapsed_ms;
}

static int by_size(const void *left, const void *right) {
    const float x = *(const float *)left, y = *(const float *)right;
    return (x > y) - (x < y);
}

int main(void) {
    static float ms[2][RUNS]; // without the kernel, with the kernel
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMalloc(&c, sizeof host));
    for (size_t i = 0; i < COUNT; i++)
        host[i] = 1.5F;
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMallocHost((void **)&gate, sizeof *gate));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));

    // Rule 3: the kernel has run once before, and behind the blocker nothing allocates, copies or
    // waits. A first launch may wait until the GPU is idle: then it would wait for the blocker, and
    // the blocker waits for the host.
    vector_add<<<(COUNT + THREADS - 1) / THREADS, THREADS>>>(a, b, c);
    CHECK(cudaGetLastError());
    CHECK(cudaMemset(c, 0, sizeof host)); // the check below must see the sums of a timed launch

    for (int run = 0; run < RUNS; run++) // in turns: both meet the same GPU
        for (int with_kernel = 0; with_kernel <= 1; with_kernel++)
            ms[with_kernel][run] = event_blocked_ms(with_kernel);
    CHECK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    qsort(ms[0], RUNS, sizeof ms[0][0], by_size);
    qsort(ms[1], RUNS, sizeof ms[1][0], by_size);
    const double floor_us = ms[0][RUNS / 2] * 1e3, blocked_us = ms[1][RUNS / 2] * 1e3; // medians
    printf("event_blocked: %10.3f us\nevent_floor:   %10.3f us\nevent_net:     %10.3f us\n",
           blocked_us, floor_us, blocked_us - floor_us);
    // If these two differ much, somebody else had the GPU, or its clock was not steady.
    printf("shortest_net:  %10.3f us\nlongest_net:   %10.3f us\n", ms[1][0] * 1e3 - floor_us,
           ms[1][RUNS - 1] * 1e3 - floor_us);
    if (host[COUNT - 1] != 3 || !(blocked_us > floor_us)) {
        fprintf(stderr,
                "the last sum is %g (must be 3), event_net %.3f us (must be above 0): "
                "believe nothing\n",
                host[COUNT - 1], blocked_us - floor_us);
        return 1;
    }
    return fflush(stdout) != 0;
}
