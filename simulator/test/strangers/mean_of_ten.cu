// SPDX-License-Identifier: MIT
// Benchmark of a templated transpose: the mean of ten launches.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

template <typename T>
void check(T err, const char *const func, const char *const file, const int line) {
  if (err != cudaSuccess) {
    std::cerr << "CUDA Runtime Error at: " << file << ":" << line << std::endl;
    std::cerr << cudaGetErrorString(err) << " " << func << std::endl;
    std::exit(EXIT_FAILURE);
  }
}
#define CHECK_CUDA_ERROR(val) check((val), #val, __FILE__, __LINE__)

template <typename T, int TILE_DIM, int BLOCK_ROWS>
__global__ void transpose(T *odata, const T *idata, int width) {
  __shared__ T tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T>
float benchmark(T *out, const T *in, int width, cudaStream_t stream, int repeats) {
  constexpr int tile = 32, rows = 8;
  const dim3 block{tile, rows, 1}, grid(width / tile, width / tile);
  cudaEvent_t start, stop;
  float total = 0.0f, ms = 0.0f;
  CHECK_CUDA_ERROR(cudaEventCreate(&start));
  CHECK_CUDA_ERROR(cudaEventCreate(&stop));
  for (int i = 0; i < repeats; i++) {
    CHECK_CUDA_ERROR(cudaEventRecord(start, stream));
    transpose<T, tile, rows><<<grid, block, 0, stream>>>(out, in, width);
    CHECK_CUDA_ERROR(cudaEventRecord(stop, stream));
    CHECK_CUDA_ERROR(cudaEventSynchronize(stop));
    CHECK_CUDA_ERROR(cudaEventElapsedTime(&ms, start, stop));
    total += ms;
  }
  return total / repeats;
}

int main() {
  const int width = 256, n = width * width;
  std::vector<float> h_in(n), h_out(n);
  for (int i = 0; i < n; ++i) h_in[i] = static_cast<float>(i);
  float *in, *out;
  cudaStream_t stream;
  CHECK_CUDA_ERROR(cudaStreamCreate(&stream));
  CHECK_CUDA_ERROR(cudaMalloc(&in, n * sizeof(float)));
  CHECK_CUDA_ERROR(cudaMalloc(&out, n * sizeof(float)));
  CHECK_CUDA_ERROR(cudaMemcpy(in, h_in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  std::printf("mean: %.4f ms\n", benchmark<float>(out, in, width, stream, 10));
  CHECK_CUDA_ERROR(cudaMemcpy(h_out.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (h_out[i] != h_in[(i % width) * width + i / width]) return std::puts("wrong"), 1;
  std::puts("correct");
  return 0;
}
