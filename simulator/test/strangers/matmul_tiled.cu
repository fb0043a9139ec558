// SPDX-License-Identifier: MIT
// Matrix multiplication with shared memory tiles.
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

#define TILE_WIDTH 16
using namespace std;

__global__ void matMulTiled(const float* M, const float* N, float* P, int Width) {
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;

    float Pvalue = 0;
    for (int ph = 0; ph < Width / TILE_WIDTH; ++ph) {
        Mds[ty][tx] = M[Row * Width + ph * TILE_WIDTH + tx];
        Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * Width + Col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    P[Row * Width + Col] = Pvalue;
}

int main() {
    const int W = 64;
    const size_t bytes = W * W * sizeof(float);
    vector<float> a(W * W), b(W * W), c(W * W);
    for (int i = 0; i < W * W; i++) { a[i] = i % 7; b[i] = i % 5; }

    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);

    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid(W / TILE_WIDTH, W / TILE_WIDTH);
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    matMulTiled<<<dimGrid, dimBlock>>>(d_a, d_b, d_c, W);  // warm up

    const int REPS = 5;
    cudaEventRecord(start);
    for (int r = 0; r < REPS; r++)
        matMulTiled<<<dimGrid, dimBlock>>>(d_a, d_b, d_c, W);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float total_ms = 0;
    cudaEventElapsedTime(&total_ms, start, stop);

    cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
    float expected = 0;
    for (int k = 0; k < W; k++) expected += a[3 * W + k] * b[k * W + 5];
    cout << "c[3][5] = " << c[3 * W + 5] << " (expected " << expected << ")" << endl;
    cout << "Average time: " << total_ms / REPS << " ms" << endl;
    return c[3 * W + 5] == expected ? 0 : 1;
}
