/* SPDX-License-Identifier: MIT
 *
 * Exercise: 04/blocked
 * How long does a short kernel take on the GPU? Between the two events of this program the GPU also
 * waits for the host's launch call. Add what closes this gap.
 *
 * In the number must be: preparation, kernel, drain. The events' own time may be in it.
 * Not: the host's calls. If one of them takes 0.3 ms, the number must stay. Ask
 * cudaEventQuery(start) whether the GPU began before all was queued. If it did, print no number:
 * say so on stderr, and end with 1. The GPU must never wait for ever.
 *
 * Copy:  cp 04_cuda_events/exercise/blocked.cu ~    in the suite's folder
 * Check: simulator/check ~/blocked.cu          there, too
 * Build: nvcc -arch=native blocked.cu -o blocked    for a real GPU */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4096, THREADS = 256 };

static __global__ void vector_add(const float *a, const float *b, float *c) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < COUNT)
        c[i] = a[i] + b[i];
}

#define CHECK(call) check((call), #call)
static void check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s failed: error %d, %s\n", call, error, cudaGetErrorString(error));
        exit(1);
    }
}

int main(void) {
    static float host[3][COUNT];
    float *a;
    CHECK(cudaMalloc((void **)&a, sizeof host));
    float *b = a + COUNT, *c = b + COUNT;
    for (int i = 0; i < COUNT; i++)
        host[0][i] = 1, host[1][i] = 2;
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    vector_add<<<COUNT / THREADS, THREADS>>>(a, b, c); /* the first launch loads the kernel */
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaEventRecord(start, 0));
    vector_add<<<COUNT / THREADS, THREADS>>>(a, b, c);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaDeviceSynchronize());
    float elapsed_ms;
    CHECK(cudaEventElapsedTime(&elapsed_ms, start, stop));
    printf("the kernel takes %.3f us\n", elapsed_ms * 1e3);

    CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    if (host[2][COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe no time\n", host[2][COUNT - 1]);
    return host[2][COUNT - 1] != 3 || fflush(stdout) != 0;
}
