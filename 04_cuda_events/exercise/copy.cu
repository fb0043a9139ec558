/* SPDX-License-Identifier: MIT
 *
 * Exercise: 04/copy
 * How long does the GPU copy a million bytes, by its own clock? This program asks the host's clock,
 * and does not wait. Change main() only, from the copy on.
 *
 * In the number must be: the copy. The events' own time and the gap before the copy may be in it.
 * Not: the way back to the host.
 *
 * Copy:  cp 04_cuda_events/exercise/copy.cu ~    in the suite's folder
 * Check: simulator/check ~/copy.cu          there, too
 * Build: nvcc -arch=native copy.cu -o copy       for a real GPU */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 1000000 };

#define CHECK(call) check((call), #call)
static void check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s failed: error %d, %s\n", call, error, cudaGetErrorString(error));
        exit(1);
    }
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(void) {
    static unsigned char bytes[BYTES];
    void *from, *to;
    CHECK(cudaMalloc(&from, BYTES));
    CHECK(cudaMalloc(&to, BYTES));
    CHECK(cudaMemset(from, 1, BYTES));
    CHECK(cudaMemset(to, 0, BYTES));
    CHECK(cudaDeviceSynchronize());

    const long long start_ns = now_ns();
    CHECK(cudaMemcpyAsync(to, from, BYTES, cudaMemcpyDeviceToDevice, 0));
    const long long end_ns = now_ns();
    printf("the copy takes %.3f us\n", (double)(end_ns - start_ns) / 1e3);

    CHECK(cudaMemcpy(bytes, to, BYTES, cudaMemcpyDeviceToHost));
    if (bytes[BYTES - 1] != 1)
        fprintf(stderr, "the last byte is %d, not 1: believe no time\n", bytes[BYTES - 1]);
    return bytes[BYTES - 1] != 1 || fflush(stdout) != 0;
}
