// SPDX-License-Identifier: MIT
// Parallel sum: warp shuffle, then one partial sum per block.
#include <cstdio>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define cudaCheck(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) exit(code);
    }
}

__inline__ __device__ int warpReduceSum(int val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(0xffffffff, val, offset);
    return val;
}

__global__ void reduceSum(const int *in, int *out, int N)
{
    extern __shared__ int partial[];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = warpReduceSum(sum);
    int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    if (lane == 0) partial[wid] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / warpSize ? partial[lane] : 0;
    if (wid == 0) sum = warpReduceSum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

int main()
{
    const int N = 100000, threads = 256, blocks = 64;
    std::vector<int> h(N);
    std::iota(h.begin(), h.end(), 0);
    for (auto &v : h) v %= 10;
    int *d_in, *d_out, result = 0;
    cudaCheck(cudaMalloc(&d_in, N * sizeof(int)));
    cudaCheck(cudaMalloc(&d_out, sizeof(int)));
    cudaCheck(cudaMemcpy(d_in, h.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemset(d_out, 0, sizeof(int)));

    cudaEvent_t t0, t1;
    cudaCheck(cudaEventCreate(&t0));
    cudaCheck(cudaEventCreate(&t1));
    cudaCheck(cudaEventRecord(t0, 0));
    reduceSum<<<blocks, threads, threads / 32 * sizeof(int)>>>(d_in, d_out, N);
    cudaCheck(cudaPeekAtLastError());
    cudaCheck(cudaEventRecord(t1, 0));
    cudaCheck(cudaEventSynchronize(t1));
    float ms;
    cudaCheck(cudaEventElapsedTime(&ms, t0, t1));
    cudaCheck(cudaMemcpy(&result, d_out, sizeof(int), cudaMemcpyDeviceToHost));

    int expected = std::accumulate(h.begin(), h.end(), 0);
    printf("sum = %d, expected = %d, %s\n", result, expected, result == expected ? "OK" : "WRONG");
    printf("reduction took %.3f us\n", ms * 1000.0f);
    return result != expected;
}
