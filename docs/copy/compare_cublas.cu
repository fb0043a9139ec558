/* SPDX-License-Identifier: MIT
 *
 * The user's part of compare.cu for a library with a workspace: a matrix product of cuBLAS in FP32
 * (A) and in TF32 (B).
 *
 * Build: nvcc -O2 -arch=native -DCOMPARED='"compare_cublas.cu"' compare.cu -o cublas -lcublas */
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

/* The matrix M has M(row, column) = x(row) * sign(column), with random whole numbers x from -7 to
 * 7: TF32 has them exactly. So M * M is x(row) * sum * sign(column); sum: of all x * sign. */
static __host__ __device__ unsigned random_of(unsigned i, unsigned version) {
    unsigned x = (i + 1) * 2654435761u ^ version * 2246822519u;
    x = (x ^ x >> 15) * 2654435761u;
    return x >> 16;
}
static __host__ __device__ int sign(int i) {
    return random_of((unsigned)i, 0) % 2 ? 1 : -1;
}
static __host__ __device__ int x_of(int i, int version) {
    return sign(i) * (1 + (int)(random_of((unsigned)i, (unsigned)version) % 7));
}

static __global__ void fill_matrix(float *matrix, int version) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    matrix[i] = (float)(x_of(i % SIZE, version) * sign(i / SIZE));
}

static void set_up(void) {
    cmp_result.bytes = (size_t)SIZE * SIZE * sizeof(float);
    CMP_CHECK(cudaMalloc((void **)&input, cmp_result.bytes));
    CMP_CHECK(cudaMalloc((void **)&cmp_result.data, cmp_result.bytes));
    CMP_CHECK(cudaMalloc(&workspace, WORKSPACE_BYTES));
    check_cublas(cublasCreate(&handle), __LINE__);
    check_cublas(cublasSetStream(handle, cmp_stream), __LINE__); /* resets the workspace */
    check_cublas(cublasSetWorkspace(handle, workspace, WORKSPACE_BYTES), __LINE__);
}

static void prepare(int version) {
    fill_matrix<<<SIZE * SIZE / 256, 256, 0, cmp_stream>>>(input, version);
    CMP_CHECK(cudaGetLastError());
}

static void launch(char which) {
    const float one = 1, zero = 0;
    check_cublas(
        cublasSetMathMode(handle, which == 'A' ? CUBLAS_PEDANTIC_MATH : CUBLAS_TF32_TENSOR_OP_MATH),
        __LINE__);
    check_cublas(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, SIZE, SIZE, SIZE, &one, input, SIZE,
                             input, SIZE, &zero, (float *)cmp_result.data, SIZE),
                 __LINE__);
}

static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    int sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += x_of(i, version) * sign(i);
    for (int i = 0; i < SIZE * SIZE; i++)
        if (!(out[i] == (float)(x_of(i % SIZE, version) * sum * sign(i / SIZE))))
            return i;
    return -1;
}
