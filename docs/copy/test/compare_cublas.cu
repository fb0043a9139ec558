/* SPDX-License-Identifier: MIT
 *
 * The user's part of compare.cu for a library with a workspace: a matrix product of cuBLAS in FP32
 * (A) and in TF32 (B).
 *
 * Build: nvcc -O2 -arch=native '-DCOMPARED="test/compare_cublas.cu"' compare.cu -o compare_cublas -lcublas */
#include <cublas_v2.h>

enum { SIZE = 1024, WORKSPACE_BYTES = 32 << 20 };
static cublasHandle_t handle;
static float *input;
static void *workspace;

static void check_cublas(cublasStatus_t status, int line) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "%s:%d: cuBLAS: error %d\n", __FILE__, line, (int)status);
        exit(1);
    }
}

static __global__ void fill_rows(float *matrix, int version) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    matrix[i] = (float)(i / SIZE == i % SIZE ? version : 0);
}

static void set_up(void) {
    result.bytes = (size_t)SIZE * SIZE * sizeof(float);
    CHECK(cudaMalloc((void **)&input, result.bytes));
    CHECK(cudaMalloc((void **)&result.data, result.bytes));
    CHECK(cudaMalloc(&workspace, WORKSPACE_BYTES));
    check_cublas(cublasCreate(&handle), __LINE__);
    check_cublas(cublasSetStream(handle, stream), __LINE__); /* resets the workspace */
    check_cublas(cublasSetWorkspace(handle, workspace, WORKSPACE_BYTES), __LINE__);
}

/* version times the unit matrix: TF32 has its square exactly, as versions have at most three
 * digits. */
static void prepare(int version) {
    fill_rows<<<SIZE * SIZE / 256, 256, 0, stream>>>(input, version);
    CHECK(cudaGetLastError());
}

static void launch(char which) {
    const float one = 1, zero = 0;
    check_cublas(
        cublasSetMathMode(handle, which == 'A' ? CUBLAS_PEDANTIC_MATH : CUBLAS_TF32_TENSOR_OP_MATH),
        __LINE__);
    check_cublas(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, SIZE, SIZE, SIZE, &one, input, SIZE,
                             input, SIZE, &zero, (float *)result.data, SIZE),
                 __LINE__);
}

static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (int i = 0; i < SIZE * SIZE; i++)
        if (!(out[i] == (float)(i / SIZE == i % SIZE ? version * version : 0)))
            return i;
    return -1;
}
