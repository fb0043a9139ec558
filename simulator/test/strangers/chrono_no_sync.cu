// SPDX-License-Identifier: MIT
// How fast is the GPU? Timing a kernel with std::chrono.
#include <chrono>
#include <iostream>
#include <memory>

__global__ void add(int n, float *x, float *y)
{
  int index = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = blockDim.x * gridDim.x;
  for (int i = index; i < n; i += stride)
    y[i] = x[i] + y[i];
}

int main(void)
{
  int N = 1 << 17;
  std::unique_ptr<float[]> x(new float[N]), y(new float[N]);
  for (int i = 0; i < N; i++) {
    x[i] = 1.0f;
    y[i] = 2.0f;
  }
  float *dx, *dy;
  cudaMalloc(&dx, N * sizeof(float));
  cudaMalloc(&dy, N * sizeof(float));
  cudaMemcpy(dx, x.get(), N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.get(), N * sizeof(float), cudaMemcpyHostToDevice);

  auto t1 = std::chrono::high_resolution_clock::now();
  add<<<(N + 255) / 256, 256>>>(N, dx, dy);
  auto t2 = std::chrono::high_resolution_clock::now();

  std::chrono::duration<double, std::micro> elapsed = t2 - t1;
  std::cout << "GPU time: " << elapsed.count() << " us" << std::endl;

  cudaMemcpy(y.get(), dy, N * sizeof(float), cudaMemcpyDeviceToHost);
  int errors = 0;
  for (int i = 0; i < N; i++)
    errors += y[i] != 3.0f;
  std::cout << "errors: " << errors << std::endl;
  cudaFree(dx);
  cudaFree(dy);
  return errors != 0;
}
