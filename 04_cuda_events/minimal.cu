// How long does a kernel run, by the GPU's clock? With an event before and after.
// Build: nvcc -arch=native minimal.cu -o minimal
// Run:   ./minimal
#include <stdio.h>
#include <stdlib.h>

#ifndef COUNT
#define COUNT (1 << 24) // numbers to add. Try nvcc -DCOUNT=1024
#endif
#define THREADS 256 // in each block. Try 32 and 1024
#define RUNS 5

static float host[COUNT];

__global__ void vector_add(const float *a, const float *b, float *c) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < COUNT)
        c[i] = a[i] + b[i];
}

static void check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s failed: error %d, %s\n", call, error, cudaGetErrorString(error));
        exit(1);
    }
}

int main(void) {
    float *a, *b, *c; // on the GPU; no managed memory: run 1 would also have to move it
    check(cudaMalloc(&a, sizeof host), "cudaMalloc (no GPU or no driver?)");
    check(cudaMalloc(&b, sizeof host), "cudaMalloc");
    check(cudaMalloc(&c, sizeof host), "cudaMalloc");
    for (size_t i = 0; i < COUNT; i++)
        host[i] = 1;
    check(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice), "cudaMemcpy");
    for (size_t i = 0; i < COUNT; i++)
        host[i] = 2;
    check(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice), "cudaMemcpy");

    cudaEvent_t start, stop;
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&stop), "cudaEventCreate");

    for (int run = 1; run <= RUNS; run++) { // run 1 also loads the kernel
        float elapsed_ms;
        check(cudaEventRecord(start, 0), "cudaEventRecord"); // 0: the default stream
        vector_add<<<(COUNT + THREADS - 1) / THREADS, THREADS>>>(a, b, c);
        check(cudaGetLastError(), "cudaGetLastError after the launch");
        check(cudaEventRecord(stop, 0), "cudaEventRecord");
        check(cudaEventSynchronize(stop), "cudaEventSynchronize"); // until the GPU has reached stop
        check(cudaEventElapsedTime(&elapsed_ms, start, stop), "cudaEventElapsedTime");
        // For a short kernel this is mostly not the kernel: see cuda_events.cu.
        printf("run %d: %10.3f us between the two events\n", run, elapsed_ms * 1e3);
    }

    check(cudaEventDestroy(start), "cudaEventDestroy");
    check(cudaEventDestroy(stop), "cudaEventDestroy");
    check(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaFree(a), "cudaFree");
    check(cudaFree(b), "cudaFree");
    check(cudaFree(c), "cudaFree");
    if (host[COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe none of these times\n",
                host[COUNT - 1]);
    return host[COUNT - 1] != 3 || fflush(stdout) != 0;
}
