// SPDX-License-Identifier: MIT
// 2D heat equation, five-point stencil, ping-pong buffers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define IDX(x, y, nx) ((y) * (nx) + (x))
#define CUDA_CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    printf("CUDA error %s (%d) at %s:%d\n", cudaGetErrorName(e), (int)e, __FILE__, __LINE__); exit(-1); } } while (0)

__host__ __device__ inline float step(float c, float l, float r, float u, float d) {
  return c + 0.2f * (l + r + u + d - 4.0f * c);
}

__global__ void heat(const float *in, float *out, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
    out[IDX(x, y, nx)] = in[IDX(x, y, nx)];
    return;
  }
  out[IDX(x, y, nx)] = step(in[IDX(x, y, nx)], in[IDX(x - 1, y, nx)], in[IDX(x + 1, y, nx)],
                            in[IDX(x, y - 1, nx)], in[IDX(x, y + 1, nx)]);
}

int main(int argc, char **argv) {
  int nx = 200, ny = 120, steps = argc > 1 ? atoi(argv[1]) : 10;
  std::vector<float> grid(nx * ny, 0.0f), next(nx * ny), result(nx * ny);
  for (int x = 0; x < nx; ++x) grid[IDX(x, 0, nx)] = 100.0f;

  float *d_in, *d_out;
  CUDA_CHECK(cudaMalloc((void **)&d_in, grid.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&d_out, grid.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d_in, grid.data(), grid.size() * sizeof(float), cudaMemcpyHostToDevice));

  dim3 block(32, 8), blocks((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  CUDA_CHECK(cudaEventRecord(begin));
  for (int s = 0; s < steps; ++s) {
    heat<<<blocks, block>>>(d_in, d_out, nx, ny);
    std::swap(d_in, d_out);
  }
  CUDA_CHECK(cudaEventRecord(end));
  CUDA_CHECK(cudaEventSynchronize(end));
  float ms;
  CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
  CUDA_CHECK(cudaMemcpy(result.data(), d_in, result.size() * sizeof(float), cudaMemcpyDeviceToHost));

  for (int s = 0; s < steps; ++s) {
    next = grid;
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x)
        next[IDX(x, y, nx)] = step(grid[IDX(x, y, nx)], grid[IDX(x - 1, y, nx)], grid[IDX(x + 1, y, nx)],
                                   grid[IDX(x, y - 1, nx)], grid[IDX(x, y + 1, nx)]);
    grid.swap(next);
  }
  double diff = 0;
  for (size_t i = 0; i < grid.size(); ++i) diff = std::fmax(diff, std::fabs(grid[i] - result[i]));
  printf("%d steps: %g ms per step, max difference %g\n", steps, ms / steps, diff);
  return diff < 1e-3 ? 0 : 1;
}
