/* SPDX-License-Identifier: MIT
 *
 * Launches that lie about their time, and the honest ones in their place: LIE=name in the
 * environment. fooled.py runs each under each harness, and fooled.md shows the result. This is the
 * user's part of recipe.cu (-DTIMED) and of compare.cu (-DCOMPARED: B lies, A does not). By itself
 * it is a library for the harnesses of Python.
 *
 * Build: nvcc -O2 -arch=native -shared -Xcompiler=-fPIC fooled.cu -o fooled.so -lcublas */
#if !defined TIMED && !defined COMPARED
#define LIBRARY
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t code, const char *what, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, what, cudaGetErrorString(code));
        exit(1);
    }
}
static cudaStream_t stream;
#endif
#ifdef COMPARED /* compare's names for what recipe has, too */
#define CHECK CMP_CHECK
#define stream cmp_stream
#define result cmp_result
#endif
#include <cublas_v2.h>
#include <cuda_bf16.h>
#ifdef TIMED /* recipe's names */
#define CHECK RCP_CHECK
#define stream rcp_stream
#define result rcp_result
#endif

enum { THREADS = 256, N = 1 << 20, BLOCKS = N / THREADS, STEPS = 2000 }; /* 80 us on an H200 */
enum { FEW = 32, FEW_STEPS = 16000 };       /* blocks of `early`, which leave most SMs free */
enum { CHAINS = 16, LONG = 32, SHORT = 4 }; /* gather: blocks; reads of a thread, one by one */
enum { LARGE = 1 << 28, MIDDLE = 1 << 22, SMALL = 1 << 20 }; /* its tables: 1 GiB, 16 and 4 MiB */
enum { SIDE = 8192 };                                        /* of the matrices of `zeros` */
static float *input, *output, *scratch, *on_host;
static __nv_bfloat16 *left, *right;
static float product[SIDE]; /* of left and right: the first column */
static cublasHandle_t blas;
static cudaStream_t side;
static cudaEvent_t forked;
static int *first_launch, launches;

/* ---- Kernels: the host can check the result of each ---- */

static __host__ __device__ float value_of(size_t i, int version) {
    return (float)((i + (size_t)version) % 61);
}
static __global__ void fill(float *in, int version) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    in[i] = value_of(i, version);
}
static __device__ float twice(float x, int steps) { /* the steps lead to 2 * x */
    float sum = 0;
    for (int step = 0; step < steps; step++)
        sum = sum * 0.5f + x;
    return sum;
}
static __global__ void work(const float *in, float *out, int steps) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = twice(in[i], steps);
}
static __host__ __device__ unsigned place(unsigned n, unsigned entries) {
    return (n * 2654435761u) % entries; /* all over the table */
}
/* Each thread waits for one number of the table before it reads the next: no sum is below 0. */
static __global__ void gather(const float *in, float *out, unsigned entries, unsigned reads) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; k < reads; k++)
        sum += in[place(i * reads + (sum < 0 ? 0 : k), entries)];
    out[i] = sum;
}
static __host__ __device__ int entry_of(unsigned i, unsigned seed) { /* -8 to 8 */
    const unsigned x = (i + seed) * 2654435761u;
    return (int)(((x ^ x >> 15) * 2246822519u >> 13) % 17) - 8;
}
static __global__ void fill_matrix(__nv_bfloat16 *to, unsigned seed, int scale) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = __float2bfloat16((float)(entry_of(i, seed) * scale));
}

/* ---- Honest launches ---- */

static void plain(void) {
    work<<<BLOCKS, THREADS, 0, stream>>>(input, output, STEPS);
}
static void few_blocks(void) {
    work<<<FEW, THREADS, 0, stream>>>(input, output, FEW_STEPS);
}
static void chains(void) {
    gather<<<CHAINS, THREADS, 0, stream>>>(input, output, MIDDLE, LONG);
}
static void from_large_table(void) {
    gather<<<BLOCKS, THREADS, 0, stream>>>(input, output, LARGE, SHORT);
}
static void check_blas(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "cuBLAS: error %d\n", (int)status);
        exit(1);
    }
}
static void matrix_product(void) {
    const float one = 1, zero = 0;
    check_blas(cublasSetStream(blas, stream));
    check_blas(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, SIDE, SIDE, SIDE, &one, left,
                            CUDA_R_16BF, SIDE, right, CUDA_R_16BF, SIDE, &zero, output, CUDA_R_32F,
                            SIDE, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}
static void copy_away_and_back(cudaStream_t where) {
    CHECK(cudaMemcpyAsync(on_host, scratch, N * sizeof *output, cudaMemcpyDeviceToHost, where));
    CHECK(cudaMemcpyAsync(output, on_host, N * sizeof *output, cudaMemcpyHostToDevice, where));
}
static void work_and_copy(void) {
    work<<<BLOCKS, THREADS, 0, stream>>>(input, scratch, STEPS);
    CHECK(cudaGetLastError());
    copy_away_and_back(stream);
}

/* ---- The thirteen lies: what each does, and the remedy ---- */

/* Works in its first twelve launches only. Check the result of a timed launch. */
static void nothing_later(void) {
    if (launches <= 12)
        plain();
}
/* Works in a stream without events. Look at the result when the stop event is complete. */
static void other_stream(void) {
    work<<<BLOCKS, THREADS, 0, side>>>(input, output, STEPS);
}
/* Knows the input's address, and keeps the old result. Write new input at the same address. */
static void memo(void) {
    static const float *known;
    if (known != input)
        plain();
    known = input;
}
/* Each fourth launch does the work of four. Check each launch; take a mean, not a median. */
static void next_launch(void) {
    for (int i = 0; i < 4 && launches % 4 == 0; i++)
        plain();
}
/* Multiplies zeros, which need less power: see scale_of(). Two inputs must have two results. */
static void zeros(void) {
    matrix_product();
}
/* Reads a table of 4 MiB, where its users have 1 GiB. Take the size that your users have. */
static void small(void) {
    gather<<<BLOCKS, THREADS, 0, stream>>>(input, output, SMALL, SHORT);
}
/* Copies in a stream that nobody waits for. Look at the result when the stop event is complete. */
static void async_copy(void) {
    work<<<BLOCKS, THREADS, 0, stream>>>(input, scratch, STEPS);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(forked, stream));
    CHECK(cudaStreamWaitEvent(side, forked, 0));
    copy_away_and_back(side);
}
/* Asks for too large blocks, and not for the error. cudaGetLastError(), and check the result. */
static void fails(void) {
    work<<<N / 2048, 2048, 0, stream>>>(input, output, STEPS);
}
/* Leaves out half of the elements. Check every element. */
static void first_half(void) {
    work<<<BLOCKS / 2, THREADS, 0, stream>>>(input, output, STEPS);
}
/* Its blocks end at once if an earlier launch was here. Overwrite the result before each launch. */
static __global__ void work_once(const float *in, float *out, volatile int *first, int launch) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (*first > 0 && *first < launch)
        return;
    out[i] = twice(in[i], STEPS);
    if (i == 0)
        *first = launch;
}
static void flag(void) {
    work_once<<<BLOCKS, THREADS, 0, stream>>>(input, output, first_launch, launches);
}
/* Takes another kernel each time, which must be loaded first. Warm up with each that you time. */
#define EIGHT(one, k)                                                                              \
    one(k##0) one(k##1) one(k##2) one(k##3) one(k##4) one(k##5) one(k##6) one(k##7)
#define ALL_64(one)                                                                                \
    EIGHT(one, 0)                                                                                  \
    EIGHT(one, 1)                                                                                  \
    EIGHT(one, 2) EIGHT(one, 3) EIGHT(one, 4) EIGHT(one, 5) EIGHT(one, 6) EIGHT(one, 7)
#define KERNEL(k)                                                                                  \
    static __global__ void work_##k(const float *in, float *out) {                                 \
        const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                \
        out[i] = twice(in[i], STEPS);                                                              \
    }
#define NAME(k) work_##k,
ALL_64(KERNEL)
static void first_launches(void) {
    static void (*const kernels[])(const float *, float *) = {ALL_64(NAME)};
    kernels[launches % 64]<<<BLOCKS, THREADS, 0, stream>>>(input, output);
}
/* Lets the next launch begin while it works. Time single launches: cmp_longest_row = 1. */
static __global__ void work_and_let_go(const float *in, float *out) {
#if __CUDA_ARCH__ >= 900 /* before it, no kernel begins early */
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = twice(in[i], FEW_STEPS);
}
static void early(void) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {dim3(FEW), dim3(THREADS), 0, stream, &attribute, 1};
    CHECK(cudaLaunchKernelEx(&config, work_and_let_go, input, output));
}
/* Its input outlives a flush of the L2. Call cudaCtxResetPersistingL2Cache() before each flush. */
static void persisting(void) {
    const size_t bytes = MIDDLE * sizeof *input;
    if (launches == 1)
        CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    attribute.val.accessPolicyWindow = {input, bytes, 1, cudaAccessPropertyPersisting,
                                        cudaAccessPropertyStreaming};
    const cudaLaunchConfig_t config = {dim3(CHAINS), dim3(THREADS), 0, stream, &attribute, 1};
    CHECK(cudaLaunchKernelEx(&config, gather, input, output, MIDDLE, LONG));
}

/* ---- Which one ---- */

static const struct kind {
    const char *name;
    void (*run)(void), (*honest)(void); /* honest: A of compare */
    size_t inputs, outputs;             /* how many numbers */
    unsigned reads;                     /* of a table; 0: the result is 2 * input */
} kinds[] = {
    {"honest", plain, plain, N, N, 0},
    {"nothing_later", nothing_later, plain, N, N, 0},
    {"other_stream", other_stream, plain, N, N, 0},
    {"memo", memo, plain, N, N, 0},
    {"early", early, few_blocks, N, FEW *THREADS, 0},
    {"honest_early", few_blocks, few_blocks, N, FEW *THREADS, 0},
    {"next_launch", next_launch, plain, N, N, 0},
    {"persisting", persisting, chains, MIDDLE, CHAINS *THREADS, LONG},
    {"honest_persisting", chains, chains, MIDDLE, CHAINS *THREADS, LONG},
    {"zeros", zeros, matrix_product, 0, SIDE, 0}, /* of two matrices */
    {"honest_zeros", matrix_product, matrix_product, 0, SIDE, 0},
    {"small", small, small, SMALL, N, SHORT},
    {"honest_small", from_large_table, from_large_table, LARGE, N, SHORT},
    {"async_copy", async_copy, work_and_copy, N, N, 0},
    {"honest_async_copy", work_and_copy, work_and_copy, N, N, 0},
    {"fails", fails, plain, N, N, 0},
    {"first_launches", first_launches, plain, N, N, 0},
    {"half", first_half, plain, N, N, 0},
    {"flag", flag, plain, N, N, 0},
};
static const struct kind *kind;

static int scale_of(int version) {
    return kind->run == zeros ? 0 : 1 + version % 13;
}

static void prepare(int version) {
    if (blas)
        fill_matrix<<<SIDE * SIDE / THREADS, THREADS, 0, stream>>>(left, 1, scale_of(version));
    else
        fill<<<(unsigned)(kind->inputs / THREADS), THREADS, 0, stream>>>(input, version);
    CHECK(cudaGetLastError());
}

static void set_up(void) {
    const char *lie = getenv("LIE");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && lie; k++)
        if (strcmp(kinds[k].name, lie) == 0)
            kind = &kinds[k];
    if (!kind) {
        fprintf(stderr, "LIE=%s is no lie\n", lie ? lie : "");
        exit(2);
    }
    CHECK(cudaMalloc((void **)&input, kind->inputs * sizeof *input));
    CHECK(cudaMalloc((void **)&output, SIDE * SIDE * sizeof *output));
    CHECK(cudaMalloc((void **)&scratch, N * sizeof *scratch));
    CHECK(cudaMalloc((void **)&first_launch, sizeof *first_launch));
    CHECK(cudaMemset(first_launch, 0, sizeof *first_launch));
    CHECK(cudaMallocHost((void **)&on_host, N * sizeof *on_host));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&forked));
#ifndef LIBRARY
    result.data = output;
    result.bytes = kind->outputs * sizeof *output;
#endif
    if (kind->honest != matrix_product)
        return;
    CHECK(cudaMalloc((void **)&left, SIDE * SIDE * sizeof *left));
    CHECK(cudaMalloc((void **)&right, SIDE * SIDE * sizeof *right));
    check_blas(cublasCreate(&blas));
    fill_matrix<<<SIDE * SIDE / THREADS, THREADS>>>(right, 2, 1);
    CHECK(cudaGetLastError());
    for (unsigned i = 0; i < SIDE * SIDE; i++) /* column by column: whole numbers, so exact */
        product[i % SIDE] += (float)(entry_of(i, 1) * entry_of(i / SIDE, 2));
}

#ifdef COMPARED
static void launch(char which) {
    launches += which == 'B';
    (which == 'B' ? kind->run : kind->honest)();
}
#else
static void launch(void) {
    launches++;
    kind->run();
}
#endif

#ifdef LIBRARY
extern "C" void fooled_set_up(void) {
    set_up();
    prepare(1);
    CHECK(cudaDeviceSynchronize());
}
extern "C" void fooled_launch(void *where) {
    stream = (cudaStream_t)where;
    launch();
}
#else
static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (size_t i = 0; i < kind->outputs; i++) {
        float sum = blas ? product[i] * (float)scale_of(version) : 2 * value_of(i, version);
        if (kind->reads > 0)
            sum = 0;
        for (unsigned k = 0; k < kind->reads; k++)
            sum += value_of(place((unsigned)i * kind->reads + k, (unsigned)kind->inputs), version);
        if (!(fabsf(out[i] - sum) < 1e-3f)) /* not a number, too */
            return (long)i;
    }
    return -1;
}
#endif
