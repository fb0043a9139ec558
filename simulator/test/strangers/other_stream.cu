// SPDX-License-Identifier: MIT
// A kernel in a non-blocking stream of its own, with pinned memory and events.
#include <cassert>
#include <cstdio>

inline cudaError_t checkCuda(cudaError_t result)
{
  if (result != cudaSuccess) {
    fprintf(stderr, "CUDA Runtime Error: %s\n", cudaGetErrorString(result));
    assert(result == cudaSuccess);
  }
  return result;
}

__global__ void kernel(float *a, int offset)
{
  int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
  float x = (float)i;
  float s = sinf(x);
  float c = cosf(x);
  a[i] = a[i] + sqrtf(s * s + c * c);
}

int main(int argc, char **argv)
{
  const int blockSize = 256, n = 512 * blockSize;
  const size_t bytes = n * sizeof(float);

  cudaDeviceProp prop;
  checkCuda(cudaGetDeviceProperties(&prop, 0));
  printf("Device : %s\n", prop.name);
  checkCuda(cudaSetDevice(0));

  float *a, *d_a;
  checkCuda(cudaMallocHost((void **)&a, bytes));
  checkCuda(cudaMalloc((void **)&d_a, bytes));
  for (int i = 0; i < n; i++) a[i] = 0.0f;

  float ms;
  cudaEvent_t startEvent, stopEvent;
  cudaStream_t stream;
  checkCuda(cudaEventCreate(&startEvent));
  checkCuda(cudaEventCreate(&stopEvent));
  checkCuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  checkCuda(cudaMemcpyAsync(d_a, a, bytes, cudaMemcpyHostToDevice, stream));
  checkCuda(cudaStreamSynchronize(stream));
  checkCuda(cudaEventRecord(startEvent, 0));
  kernel<<<n / blockSize, blockSize, 0, stream>>>(d_a, 0);
  checkCuda(cudaEventRecord(stopEvent, 0));
  checkCuda(cudaEventSynchronize(stopEvent));
  checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
  printf("Time for kernel (ms): %f\n", ms);

  checkCuda(cudaMemcpyAsync(a, d_a, bytes, cudaMemcpyDeviceToHost, stream));
  checkCuda(cudaStreamSynchronize(stream));
  float maxE = 0;
  for (int i = 0; i < n; i++) {
    float error = fabsf(a[i] - 1.0f);
    if (error > maxE) maxE = error;
  }
  printf("  max error: %e\n", maxE);

  checkCuda(cudaEventDestroy(startEvent));
  checkCuda(cudaEventDestroy(stopEvent));
  checkCuda(cudaStreamDestroy(stream));
  cudaFree(d_a);
  cudaFreeHost(a);
  return maxE < 1e-4f ? 0 : 1;
}
