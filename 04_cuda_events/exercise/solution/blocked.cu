/* SPDX-License-Identifier: MIT
 *
 * Exercise: 04/blocked
 * The answer. What changes: diff ../blocked.cu blocked.cu */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4096, THREADS = 256 };

static __global__ void vector_add(const float *a, const float *b, float *c) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < COUNT)
        c[i] = a[i] + b[i];
}

/* Holds the stream for a millisecond of the GPU's clock, or for 4,000,000 cycles if it stands. */
static __global__ void hold(void) {
    const long long start_cycle = clock64();
    unsigned long long start_ns, now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
    while (now_ns - start_ns < 1000000 && clock64() - start_cycle < 4000000);
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
    hold<<<1, 1>>>(); /* it must be loaded, too */
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    cudaError_t answer = cudaSuccess;
    for (int tries = 0; tries < 10 && answer == cudaSuccess; tries++) {
        hold<<<1, 1>>>();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(start, 0));
        vector_add<<<COUNT / THREADS, THREADS>>>(a, b, c);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop, 0));
        answer = cudaEventQuery(start); /* cudaErrorNotReady: the stream is still held */
        CHECK(cudaDeviceSynchronize());
    }
    if (answer != cudaErrorNotReady) {
        fprintf(stderr, "the hold ended before all was queued: cudaEventQuery error %d\n", answer);
        return 1;
    }
    float elapsed_ms;
    CHECK(cudaEventElapsedTime(&elapsed_ms, start, stop));
    printf("the kernel takes %.3f us\n", elapsed_ms * 1e3);

    CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    if (host[2][COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe no time\n", host[2][COUNT - 1]);
    return host[2][COUNT - 1] != 3 || fflush(stdout) != 0;
}
