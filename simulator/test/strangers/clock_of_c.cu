// SPDX-License-Identifier: MIT
// Dot product with dynamic shared memory, timed with clock().
#include <ctime>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
using namespace std;

const int threadsPerBlock = 128;
const int N = 33 * 1024;
#define imin(a, b) (a < b ? a : b)
const int blocksPerGrid = imin(32, (N + threadsPerBlock - 1) / threadsPerBlock);

__global__ void dot(float *a, float *b, float *c)
{
    extern __shared__ float s[];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    float temp = 0;
    while (tid < N) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    s[threadIdx.x] = temp;
    __syncthreads();

    for (int i = blockDim.x / 2; i != 0; i /= 2) {
        if (threadIdx.x < i)
            s[threadIdx.x] += s[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        c[blockIdx.x] = s[0];
}

int main()
{
    vector<float> a(N, 2.0f), b(N, 0.5f), partial_c(blocksPerGrid);
    float *dev_a, *dev_b, *dev_c;
    cudaMalloc((void **)&dev_a, N * sizeof(float));
    cudaMalloc((void **)&dev_b, N * sizeof(float));
    cudaMalloc((void **)&dev_c, blocksPerGrid * sizeof(float));
    cudaMemcpy(dev_a, &a[0], N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_b, &b[0], N * sizeof(float), cudaMemcpyHostToDevice);

    clock_t begin = clock();
    dot<<<blocksPerGrid, threadsPerBlock, threadsPerBlock * sizeof(float)>>>(dev_a, dev_b, dev_c);
    cudaDeviceSynchronize();
    clock_t end = clock();
    double seconds = double(end - begin) / CLOCKS_PER_SEC;

    cudaMemcpy(&partial_c[0], dev_c, blocksPerGrid * sizeof(float), cudaMemcpyDeviceToHost);
    float c = 0;
    for (int i = 0; i < blocksPerGrid; i++)
        c += partial_c[i];
    cout << "GPU: " << seconds << " s" << endl;
    cout << "dot product " << c << ", should be " << float(N) << endl;
    cudaFree(dev_a);
    cudaFree(dev_b);
    cudaFree(dev_c);
    return c == float(N) ? 0 : 1;
}
