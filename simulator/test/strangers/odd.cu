// SPDX-License-Identifier: MIT
// Numbers that people report, each with something odd in it.
#include <algorithm>
#include <chrono>
#include <cstdio>

__global__ void step(float *x, long long *clocks) {
    if (threadIdx.x == 0) clocks[2 * blockIdx.x] = clock64();
    x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) clocks[2 * blockIdx.x + 1] = clock64();
}

int main() {
    const int bytes = 32 << 20, n = 4096;
    float *x, *y, *z, ms;
    long long *d, h[2 * n / 256];
    cudaEvent_t start, stop;
    cudaMalloc(&x, bytes), cudaMalloc(&y, bytes), cudaMalloc(&d, sizeof h);
    cudaEventCreate(&start), cudaEventCreate(&stop);
    step<<<n / 256, 256>>>(x, d);
    cudaDeviceSynchronize();
#ifdef POLL // the host asks until it is done
    const auto asked = std::chrono::steady_clock::now();
    step<<<n / 256, 256>>>(x, d);
    cudaEventRecord(stop);
    while (cudaEventQuery(stop) == cudaErrorNotReady) continue;
    printf("polled: %.3f us\n", std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - asked).count());
    return cudaGetLastError() != cudaSuccess;
#elif defined MANY // of which an int soon has too few bits
    const auto first = std::chrono::steady_clock::now();
    for (int i = 0; i < 30; i++) step<<<n / 256, 256>>>(x, d);
    cudaDeviceSynchronize();
    printf("%d ns %d steps\n", int((std::chrono::steady_clock::now() - first).count()), 30);
    return cudaGetLastError() != cudaSuccess;
#endif
    for (int i = 0; i < 8; i++) { // the start is taken anew each time
        cudaEventRecord(start);
        step<<<n / 256, 256>>>(x, d);
    }
    cudaEventRecord(stop), cudaEventSynchronize(stop), cudaEventElapsedTime(&ms, start, stop);
    printf("8 steps: %.6f ms\n", ms);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("span: %.1f s\n", (*std::max_element(h, h + 2 * n / 256) - *std::min_element(h, h + 2 * n / 256)) / 1.98e9);
    cudaEventRecord(start), cudaMemsetAsync(x, 0, bytes), cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaEventRecord(stop), cudaEventSynchronize(stop), cudaEventElapsedTime(&ms, start, stop);
    printf("memset and copies: %.3f us\n", ms * 1e3);
    const auto begin = std::chrono::steady_clock::now();
    cudaMallocAsync(&z, bytes, 0);
    printf("pool: %.3f us\n", std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    return cudaGetLastError() != cudaSuccess;
}
