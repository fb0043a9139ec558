/* SPDX-License-Identifier: MIT
 *
 * Exercise: 04/copy
 * The answer. What changes: diff ../copy.cu copy.cu */
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 1000000 };

#define CHECK(call) check((call), #call)
static void check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s failed: error %d, %s\n", call, error, cudaGetErrorString(error));
        exit(1);
    }
}

int main(void) {
    static unsigned char bytes[BYTES];
    void *from, *to;
    CHECK(cudaMalloc(&from, BYTES));
    CHECK(cudaMalloc(&to, BYTES));
    CHECK(cudaMemset(from, 1, BYTES));
    CHECK(cudaMemset(to, 0, BYTES));
    CHECK(cudaDeviceSynchronize());

    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, 0));
    CHECK(cudaMemcpyAsync(to, from, BYTES, cudaMemcpyDeviceToDevice, 0));
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float elapsed_ms;
    CHECK(cudaEventElapsedTime(&elapsed_ms, start, stop));
    printf("the copy takes %.3f us\n", elapsed_ms * 1e3);

    CHECK(cudaMemcpy(bytes, to, BYTES, cudaMemcpyDeviceToHost));
    if (bytes[BYTES - 1] != 1)
        fprintf(stderr, "the last byte is %d, not 1: believe no time\n", bytes[BYTES - 1]);
    return bytes[BYTES - 1] != 1 || fflush(stdout) != 0;
}
