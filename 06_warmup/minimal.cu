// How much longer does the first launch of a kernel take than the later ones?
// Build: nvcc -arch=native minimal.cu -o minimal
// Run:   ./minimal
// Try:   build it without -arch=native, and run CUDA_CACHE_DISABLE=1 ./minimal: without code for
//        this GPU the driver compiles the kernel, in launch 1 of each run
#include <stdio.h>
#include <stdlib.h>

#ifndef COUNT
#define COUNT (1 << 20) // numbers to add. Try nvcc -DCOUNT=1024
#endif
#define THREADS 256 // in each block

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
    float *a, *b, *c; // no managed memory: the first launch would also have to move it
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

    float first_ms = 0, smallest_ms = 1e9f, elapsed_ms;
    for (int launch = 1; launch <= 10; launch++) {
        check(cudaEventRecord(start, 0), "cudaEventRecord");
        vector_add<<<(COUNT + THREADS - 1) / THREADS, THREADS>>>(a, b, c);
        check(cudaGetLastError(), "cudaGetLastError after the launch");
        check(cudaEventRecord(stop, 0), "cudaEventRecord");
        check(cudaEventSynchronize(stop), "cudaEventSynchronize");
        check(cudaEventElapsedTime(&elapsed_ms, start, stop), "cudaEventElapsedTime");
        printf("launch %2d: %10.3f us\n", launch, elapsed_ms * 1e3);
        first_ms = launch == 1 ? elapsed_ms : first_ms;
        if (elapsed_ms < smallest_ms)
            smallest_ms = elapsed_ms;
    }
    printf("launch 1 takes %.3f us longer than the shortest one\n", (first_ms - smallest_ms) * 1e3);

    check(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (host[COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe none of these times\n",
                host[COUNT - 1]);
    return host[COUNT - 1] != 3 || fflush(stdout) != 0;
}
