/* SPDX-License-Identifier: MIT
 *
 * Exercise: 06/steady
 * Launch until the times are steady. They are steady when the median of the last ten is within 1 %
 * of the median of the ten before. Print the median of the last ten. This program launches twenty
 * times and believes that they are. Change main() only, from the launches on.
 *
 * In the number must be: the kernel. The gap and the events' own time may be in it.
 * Not: the loading at the first launch. If the times are not steady after 10 s, say so on stderr,
 * and end with 1.
 *
 * Copy:  cp 06_warmup/exercise/steady.cu ~        in the suite's folder
 * Check: simulator/check ~/steady.cu         there, too
 * Build: nvcc -arch=native steady.cu -o steady    for a real GPU */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1024, THREADS = 256, PART = 10 };

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

static int by_size(const void *left, const void *right) {
    const float x = *(const float *)left, y = *(const float *)right;
    return (x > y) - (x < y);
}

/* Of PART times, which stay in their order. */
static float median(const float *times) {
    float sorted[PART];
    memcpy(sorted, times, sizeof sorted);
    qsort(sorted, PART, sizeof sorted[0], by_size);
    return (sorted[PART / 2 - 1] + sorted[PART / 2]) / 2;
}

int main(void) {
    static float host[3][COUNT], ms[2 * PART];
    float *a;
    CHECK(cudaMalloc((void **)&a, sizeof host));
    float *b = a + COUNT, *c = b + COUNT;
    for (int i = 0; i < COUNT; i++)
        host[0][i] = 1, host[1][i] = 2;
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));

    for (int launch = 0; launch < 2 * PART; launch++) {
        CHECK(cudaEventRecord(start, 0));
        vector_add<<<COUNT / THREADS, THREADS>>>(a, b, c);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop, 0));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms[launch], start, stop));
    }
    printf("a steady launch: %.3f us\n", median(ms + PART) * 1e3);

    CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    if (host[2][COUNT - 1] != 3)
        fprintf(stderr, "the last sum is %g, not 3: believe no time\n", host[2][COUNT - 1]);
    return host[2][COUNT - 1] != 3 || fflush(stdout) != 0;
}
