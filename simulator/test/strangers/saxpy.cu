// SPDX-License-Identifier: MIT
// SAXPY with one warm-up launch and a pair of events.
#include <algorithm>
#include <iostream>
#include <vector>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    cudaError_t err_ = (call);                                                          \
    if (err_ != cudaSuccess) {                                                          \
      std::cerr << __FILE__ << ":" << __LINE__ << ": " << cudaGetErrorString(err_) << std::endl; \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

__global__
void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

int main()
{
  const int N = 1 << 18;
  std::vector<float> x(N, 1.0f), y(N, 2.0f);
  float *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, N * sizeof(float)));
  CHECK(cudaMalloc(&d_y, N * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_y, y.data(), N * sizeof(float), cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, d_x, d_y);
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaEventRecord(start));
  saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, d_x, d_y);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaGetLastError());

  float ms = 0.0f;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(cudaMemcpy(y.data(), d_y, N * sizeof(float), cudaMemcpyDeviceToHost));

  float maxError = 0.0f;
  for (int i = 0; i < N; i++)
    maxError = std::max(maxError, std::abs(y[i] - 6.0f));
  std::cout << "Max error: " << maxError << std::endl;
  std::cout << "Time: " << ms << " ms, effective bandwidth: " << N * 4 * 3 / ms / 1e6 << " GB/s" << std::endl;
}
