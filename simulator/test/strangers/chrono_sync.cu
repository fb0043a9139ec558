// SPDX-License-Identifier: MIT
// CPU versus GPU: vector scale, std::chrono and cudaDeviceSynchronize.
#include <chrono>
#include <cstdint>
#include <iostream>
#include <vector>

#define gpuErrchk(ans) do { cudaError_t e_ = (ans); if (e_ != cudaSuccess) { \
        std::cerr << "CUDA error: " << cudaGetErrorString(e_) << " line " << __LINE__ << "\n"; return 1; } } while (0)

using Clock = std::chrono::steady_clock;

template <typename F>
static int64_t ns_between(F a, F b)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(b - a).count();
}

__global__ void scale(float *data, float factor, unsigned n)
{
    const auto i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = sqrtf(data[i]) * factor;
}

int main()
{
    constexpr unsigned n = 1u << 19;
    std::vector<float> cpu(n, 4.0f), gpu(n);
    float *d;
    gpuErrchk(cudaMalloc(&d, n * sizeof *d));
    gpuErrchk(cudaMemcpy(d, cpu.data(), n * sizeof *d, cudaMemcpyHostToDevice));
    scale<<<n / 256, 256>>>(d, 1.0f, 0);  // warm-up, touches nothing
    gpuErrchk(cudaDeviceSynchronize());

    const auto g0 = Clock::now();
    scale<<<n / 256, 256>>>(d, 3.0f, n);
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaDeviceSynchronize());
    const auto g1 = Clock::now();
    gpuErrchk(cudaMemcpy(gpu.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));

    std::cout << "GPU: " << ns_between(g0, g1) << " ns\n";
    for (const auto v : gpu)
        if (v != 6.0f)
            return 1;
    std::cout << "results match\n";
}
