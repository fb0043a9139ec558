/* SPDX-License-Identifier: MIT
 *
 * Launches that lie about their time. LIE=name in the environment chooses one, and LIE=honest_name
 * the honest launch in its place. fooled.py builds this file three times and runs each lie under
 * each harness; fooled.md shows the result.
 *
 * - It is the user's part of recipe.cu (-DTIMED) and of compare.cu (-DCOMPARED: B lies, A does
 *   not).
 * - It is a library for harnesses in Python. Two plain harnesses are in the library, the host's
 *   clock and a pair of events, and the truth: the honest launch by its own stamps.
 *
 * Build: nvcc -arch=native -shared -Xcompiler=-fPIC fooled.cu -o fooled.so -lcublas */
#if !defined TIMED && !defined COMPARED
#define LIBRARY
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t code, const char *what, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, what, cudaGetErrorString(code));
        exit(1);
    }
}
#include <cuda_profiler_api.h>
static cudaStream_t stream;
#endif
#include <cublas_v2.h>
#include <cuda_bf16.h>

enum { THREADS = 256, N = 1 << 20, STEPS = 2000 }; /* 60 to 70 us on an H100 */
enum { FEW = 32 * THREADS, FEW_STEPS = 16000 };    /* a quarter of its SMs are busy */
enum { CHAINS = 1 << 12, LINKS = 32, LINE = 32 };  /* each chain waits for the memory LINKS times */
enum { GATHERED = 4, LARGE = 1 << 28, SMALL = 1 << 20 }; /* tables of 1 GiB and of 4 MiB */
enum {
    SIDE = 8192,
    COLUMNS = 16,
    BF16 = sizeof(__nv_bfloat16)
}; /* of the product; how much of it is checked */
enum { FIRST_LAUNCHES = 64, STOPS_AFTER = 12, SAVED_UP = 4, RUNS = 101 };

static float *input, *output, *scratch, *on_host;
static size_t inputs, outputs; /* how many numbers */
static cudaStream_t side;
static cudaEvent_t forked;
static int *flag, launches, is_honest, is_zero;
static unsigned long long *stamps; /* of each block: when it begins, when it ends. NULL: none */
static cublasHandle_t blas;
static __nv_bfloat16 *left, *right;
static float *product, expected[COLUMNS * SIDE];

/* ---- Work: each kernel has a result that the host can check ---- */

static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

static __device__ void stamp(unsigned long long *at, int is_end) {
    if (!at)
        return;
    if (is_end)
        __syncthreads();
    if (threadIdx.x == 0)
        at[2 * blockIdx.x + is_end] = globaltimer_ns();
}

static __global__ void mark(unsigned long long *at) {
    *at = globaltimer_ns();
}

static __global__ void read_all(float *in) {
    if (in[(size_t)blockIdx.x * blockDim.x + threadIdx.x] != 0) /* never */
        in[0] = 1;
}

static __global__ void fill(float *in, size_t n, int version, int zero) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        in[i] = zero ? 0 : (float)((i + (size_t)version) % 61);
}

/* The steps lead to 2 * x. */
static __device__ float twice(float x, int steps) {
    float sum = 0;
    for (int step = 0; step < steps; step++)
        sum = sum * 0.5f + x;
    return sum;
}

static __global__ void work(const float *in, float *out, int steps, unsigned long long *at) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    stamp(at, 0);
    out[i] = twice(in[i], steps);
    stamp(at, 1);
}

/* The next launch of the stream may begin at once. */
static __global__ void work_and_let_go(const float *in, float *out, int steps) {
#if __CUDA_ARCH__ >= 900 /* before it, no kernel begins early */
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = twice(in[i], steps);
}

/* Does nothing if an earlier launch was here. */
static __global__ void work_once(const float *in, float *out, int steps, volatile int *first,
                                 int launch) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (*first > 0 && *first < launch)
        return;
    out[i] = twice(in[i], steps);
    if (i == 0)
        *first = launch;
}

/* Each thread reads one line after the other. Where the next one is, this one says. */
static __global__ void chase(const float *in, float *out, unsigned long long *at) {
    const int chain = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0;
    stamp(at, 0);
    for (int link = 0, line = chain; link < LINKS; link++) {
        const float x = in[(size_t)line * LINE];
        line += x < 0 ? 0 : CHAINS; /* it never is */
        sum += x;
    }
    out[chain] = sum;
    stamp(at, 1);
}

static __host__ __device__ unsigned place(unsigned i, int k, unsigned entries) {
    return ((i * GATHERED + (unsigned)k) * 2654435761u) %
           entries; /* Knuth's hash: all over the table */
}

static __global__ void gather(const float *in, float *out, unsigned entries,
                              unsigned long long *at) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    stamp(at, 0);
    for (int k = 0; k < GATHERED; k++)
        sum += in[place(i, k, entries)];
    out[i] = sum;
    stamp(at, 1);
}

/* Whole numbers from -8 to 8, times `scale`. bfloat16 holds them, and float holds the sums of their
 * products. */
static __global__ void fill_matrix(__nv_bfloat16 *a, unsigned seed, int scale) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = (i + seed) * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    a[i] = __float2bfloat16((float)((int)((x >> 13) % 17) - 8) * (float)scale);
}

static __global__ void multiply_slowly(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = i % SIDE, column = i / SIDE;
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += __bfloat162float(a[row + k * SIDE]) * __bfloat162float(b[k + column * SIDE]);
    c[i] = sum;
}

/* As many kernels, each of which is loaded when it is launched first. */
#define EIGHT(one, k)                                                                              \
    one(k##0) one(k##1) one(k##2) one(k##3) one(k##4) one(k##5) one(k##6) one(k##7)
#define ALL(one)                                                                                   \
    EIGHT(one, 0)                                                                                  \
    EIGHT(one, 1)                                                                                  \
    EIGHT(one, 2) EIGHT(one, 3) EIGHT(one, 4) EIGHT(one, 5) EIGHT(one, 6) EIGHT(one, 7)
#define KERNEL(k)                                                                                  \
    static __global__ void work_##k(const float *in, float *out, int steps) {                      \
        const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                \
        out[i] = twice(in[i], steps);                                                              \
    }
#define NAME(k) work_##k,
ALL(KERNEL)
static void (*const kernels[FIRST_LAUNCHES])(const float *, float *, int) = {ALL(NAME)};

/* ---- Honest ---- */

static void plain(void) {
    work<<<N / THREADS, THREADS, 0, stream>>>(input, output, STEPS, stamps);
}
static void few(void) {
    work<<<FEW / THREADS, THREADS, 0, stream>>>(input, output, FEW_STEPS, stamps);
}
static void chains(void) {
    chase<<<CHAINS / THREADS, THREADS, 0, stream>>>(input, output, stamps);
}
static void from_table(void) {
    gather<<<N / THREADS, THREADS, 0, stream>>>(input, output, (unsigned)inputs, stamps);
}
static void and_copy(cudaStream_t copies) { /* over the host's memory, as if it were sent away */
    CHECK(cudaMemcpyAsync(on_host, scratch, N * sizeof *output, cudaMemcpyDeviceToHost, copies));
    CHECK(cudaMemcpyAsync(output, on_host, N * sizeof *output, cudaMemcpyHostToDevice, copies));
}
static void work_and_copy(void) {
    work<<<N / THREADS, THREADS, 0, stream>>>(input, scratch, STEPS, NULL);
    CHECK(cudaGetLastError());
    and_copy(stream);
}
static void matrix_product(void) {
    const float one = 1, zero = 0;
    if (cublasSetStream(blas, stream) != CUBLAS_STATUS_SUCCESS ||
        cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, SIDE, SIDE, SIDE, &one, left, CUDA_R_16BF,
                     SIDE, right, CUDA_R_16BF, SIDE, &zero, product, CUDA_R_32F, SIDE,
                     CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "cuBLAS failed\n");
        exit(1);
    }
}

/* ---- Liars ---- */

static void nothing_later(void) {
    if (launches <= STOPS_AFTER)
        plain();
}
static void other_stream(void) {
    work<<<N / THREADS, THREADS, 0, side>>>(input, output, STEPS, NULL);
}
static void memo(void) { /* it has seen this pointer, so it has its result */
    static const float *known;
    if (known != input)
        plain();
    known = input;
}
static void with_attribute(cudaLaunchAttribute *attribute, const void *kernel, unsigned blocks,
                           void **arguments) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks, 1, 1);
    config.blockDim = dim3(THREADS, 1, 1);
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelExC(&config, kernel, arguments));
}
static void early(void) { /* the next launch begins while this one works */
    int steps = FEW_STEPS;
    void *arguments[] = {&input, &output, &steps};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    with_attribute(&attribute, (const void *)work_and_let_go, FEW / THREADS, arguments);
}
static void next_launch(void) { /* each fourth one does the work of four */
    for (int i = 0; i < SAVED_UP && launches % SAVED_UP == 0; i++)
        plain();
}
static void persisting(void) { /* a flush of the L2 leaves its input there */
    void *arguments[] = {&input, &output, &stamps};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    attribute.val.accessPolicyWindow.base_ptr = input;
    attribute.val.accessPolicyWindow.num_bytes = inputs * sizeof *input;
    attribute.val.accessPolicyWindow.hitRatio = 1;
    attribute.val.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    attribute.val.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    with_attribute(&attribute, (const void *)chase, CHAINS / THREADS, arguments);
}
static void async_copy(void) { /* behind the work, but nobody waits for it */
    work<<<N / THREADS, THREADS, 0, stream>>>(input, scratch, STEPS, NULL);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(forked, stream));
    CHECK(cudaStreamWaitEvent(side, forked, 0));
    and_copy(side);
}
static void fails(void) { /* no block can have so many threads; nobody asks for the error */
    work<<<N / 2048, 2048, 0, stream>>>(input, output, STEPS, NULL);
}
static void first_launches(void) {
    kernels[launches % FIRST_LAUNCHES]<<<N / THREADS, THREADS, 0, stream>>>(input, output, STEPS);
}
static void first_half(void) {
    work<<<N / THREADS / 2, THREADS, 0, stream>>>(input, output, STEPS, NULL);
}
static void by_flag(void) {
    work_once<<<N / THREADS, THREADS, 0, stream>>>(input, output, STEPS, flag, launches);
}

/* ---- Which one ---- */

enum shape { TWICE, FEW_TWICE, CHASED, GATHERED_SUMS, PRODUCT };
static const struct kind {
    const char *name;
    void (*lies)(void), (*honest)(void);
    enum shape shape;
} kinds[] = {
    {"honest", plain, plain, TWICE},
    {"nothing_later", nothing_later, plain, TWICE},
    {"other_stream", other_stream, plain, TWICE},
    {"memo", memo, plain, TWICE},
    {"early", early, few, FEW_TWICE},
    {"next_launch", next_launch, plain, TWICE},
    {"persisting", persisting, chains, CHASED},
    {"zeros", matrix_product, matrix_product, PRODUCT}, /* prepare() lies, */
    {"small", from_table, from_table, GATHERED_SUMS},   /* and here set_up(): the table is small */
    {"async_copy", async_copy, work_and_copy, TWICE},
    {"fails", fails, plain, TWICE},
    {"first_launches", first_launches, plain, TWICE},
    {"half", first_half, plain, TWICE},
    {"flag", by_flag, plain, TWICE},
};
static const struct kind *kind;

static float *on_device(size_t count) {
    float *data;
    CHECK(cudaMalloc((void **)&data, count * sizeof *data));
    return data;
}

static void set_up_product(void) {
    CHECK(cudaMalloc((void **)&left, SIDE * SIDE * BF16));
    CHECK(cudaMalloc((void **)&right, SIDE * SIDE * BF16));
    product = on_device(SIDE * SIDE);
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "cuBLAS does not start\n");
        exit(1);
    }
    fill_matrix<<<SIDE * SIDE / THREADS, THREADS>>>(left, 1, 1);
    fill_matrix<<<SIDE * SIDE / THREADS, THREADS>>>(right, 2, 1);
    multiply_slowly<<<COLUMNS * SIDE / THREADS, THREADS>>>(left, right, product);
    CHECK(cudaMemcpy(expected, product, sizeof expected, cudaMemcpyDeviceToHost));
}

/* honest: as it would be without the lie. */
static void set_up_as(int honest) {
    static const char prefix[] = "honest_";
    const char *lie = getenv("LIE");
    is_honest = honest;
    if (lie && strncmp(lie, prefix, sizeof prefix - 1) == 0) {
        lie += sizeof prefix - 1;
        is_honest = 1;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && lie; k++)
        if (strcmp(kinds[k].name, lie) == 0)
            kind = &kinds[k];
    if (!kind) {
        fprintf(stderr, "LIE=%s is no lie\n", lie ? lie : "");
        exit(2);
    }
    is_zero = !is_honest && strcmp(kind->name, "zeros") == 0;
    inputs = outputs = N;
    if (kind->shape == CHASED) {
        inputs = CHAINS * LINKS * LINE;
        outputs = CHAINS;
    } else if (kind->shape == GATHERED_SUMS) {
        inputs = is_honest ? LARGE : SMALL;
    } else if (kind->shape == FEW_TWICE) {
        outputs = FEW;
    } else if (kind->shape == PRODUCT) {
        outputs = COLUMNS * SIDE;
    }
    input = on_device(inputs);
    output = on_device(outputs);
    scratch = on_device(N);
    CHECK(cudaMallocHost((void **)&on_host, N * sizeof *on_host));
    CHECK(cudaMalloc((void **)&flag, sizeof *flag));
    CHECK(cudaMemset(flag, 0, sizeof *flag));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&forked));
    if (!is_honest && strcmp(kind->name, "persisting") == 0)
        CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, inputs * sizeof *input));
    if (kind->shape == PRODUCT)
        set_up_product();
}

static void launch_it(void) {
    launches++;
    (is_honest ? kind->honest : kind->lies)();
}

static int scale_of(int version) {
    return is_zero ? 0 : 1 + version % 13;
}

static void prepare(int version) {
    if (kind->shape == PRODUCT)
        fill_matrix<<<SIDE * SIDE / THREADS, THREADS, 0, stream>>>(left, 1, scale_of(version));
    else
        fill<<<(unsigned)(inputs / THREADS), THREADS, 0, stream>>>(input, inputs, version, is_zero);
    CHECK(cudaGetLastError());
}

#ifndef LIBRARY
static void set_up(void) {
    set_up_as(0);
    result.data = kind->shape == PRODUCT ? product : output;
    result.bytes = outputs * sizeof(float);
}

#ifdef COMPARED
static void launch(char which) {
    if (which == 'B')
        launch_it();
    else
        kind->honest();
}
#else
static void launch(void) {
    launch_it();
}
#endif

static float value_of(size_t i, int version) {
    return (float)((i + (size_t)version) % 61);
}

static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (size_t i = 0; i < outputs; i++) {
        float right_one = kind->shape == PRODUCT ? expected[i] * (float)scale_of(version) : 0;
        if (kind->shape == TWICE || kind->shape == FEW_TWICE)
            right_one = 2 * value_of(i, version);
        for (size_t link = 0; link < LINKS && kind->shape == CHASED; link++)
            right_one += value_of((i + link * CHAINS) * LINE, version);
        for (int k = 0; k < GATHERED && kind->shape == GATHERED_SUMS; k++)
            right_one += value_of(place((unsigned)i, k, (unsigned)inputs), version);
        const float apart = out[i] - right_one;
        if (!(apart < 1e-3f && apart > -1e-3f)) /* not a number, too */
            return (long)i;
    }
    return -1;
}
#endif

/* ---- The library ---- */

#ifdef LIBRARY
static int by_size(const void *l, const void *r) {
    const double a = *(const double *)l, b = *(const double *)r;
    return (a > b) - (a < b);
}
static double median(double *samples, int n) {
    qsort(samples, (size_t)n, sizeof *samples, by_size);
    return samples[n / 2];
}

extern "C" void fooled_set_up(int honest) {
    set_up_as(honest);
    prepare(1);
    CHECK(cudaDeviceSynchronize());
}

extern "C" void fooled_launch(void *on) {
    stream = (cudaStream_t)on;
    launch_it();
}

static double host_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

extern "C" double fooled_by_host(void) {
    static double us[RUNS];
    for (int run = -10; run < RUNS; run++) { /* ten to warm up */
        CHECK(cudaDeviceSynchronize());
        const double start_us = host_us();
        fooled_launch(NULL);
        CHECK(cudaDeviceSynchronize());
        us[run < 0 ? 0 : run] = host_us() - start_us;
    }
    return median(us, RUNS);
}

extern "C" double fooled_by_events(void) {
    static double us[RUNS];
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int run = -10; run < RUNS; run++) {
        float ms;
        CHECK(cudaEventRecord(start, NULL));
        fooled_launch(NULL);
        CHECK(cudaEventRecord(stop, NULL));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        us[run < 0 ? 0 : run] = 1e3 * (double)ms;
    }
    return median(us, RUNS);
}

/* What a profiler watches: one launch after the other, behind ten to warm up. */
extern "C" void fooled_by_profiler(int launches_watched) {
    for (int i = -10; i < launches_watched; i++) {
        if (i == 0)
            CHECK(cudaProfilerStart());
        fooled_launch(NULL);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaProfilerStop());
}

/* The honest launch, from the beginning of its first block to the end of its last one. Copies and a
 * library's kernels have no stamps: there it is the time between two kernels that only read the
 * timer, one launch right behind the other. */
extern "C" double fooled_truth_us(void) {
    enum { BLOCKS = N / THREADS };
    static unsigned long long seen[2 * BLOCKS];
    static double us[RUNS];
    const int ours = kind->honest != work_and_copy && kind->honest != matrix_product;
    const int blocks = kind->shape == CHASED      ? CHAINS / THREADS
                       : kind->shape == FEW_TWICE ? FEW / THREADS
                                                  : BLOCKS;
    const size_t flush = (size_t)256 << 20;
    unsigned long long *at;
    float *others = on_device(flush / sizeof(float));
    CHECK(cudaMemset(others, 0, flush));
    CHECK(cudaMalloc((void **)&at, sizeof seen));
    stamps = ours ? at : NULL;
    for (int run = -10; run < RUNS; run++) {
        if (kind->shape == CHASED) { /* its input is not in the L2 */
            read_all<<<(unsigned)(flush / sizeof(float) / THREADS), THREADS, 0, stream>>>(others);
            CHECK(cudaGetLastError());
        }
        if (!ours) {
            mark<<<1, 1, 0, stream>>>(at + 2 * (run < 0 ? 0 : run));
            CHECK(cudaGetLastError());
        }
        kind->honest();
        CHECK(cudaGetLastError());
        if (!ours) {
            mark<<<1, 1, 0, stream>>>(at + 2 * (run < 0 ? 0 : run) + 1);
            CHECK(cudaGetLastError());
            continue;
        }
        CHECK(cudaMemcpy(seen, at, 2 * (size_t)blocks * sizeof *seen, cudaMemcpyDeviceToHost));
        unsigned long long first = seen[0], last = 0;
        for (int b = 0; b < blocks; b++) {
            first = seen[2 * b] < first ? seen[2 * b] : first;
            last = seen[2 * b + 1] > last ? seen[2 * b + 1] : last;
        }
        us[run < 0 ? 0 : run] = (double)(last - first) / 1e3;
    }
    CHECK(cudaMemcpy(seen, at, sizeof seen, cudaMemcpyDeviceToHost));
    for (int run = 0; run < RUNS && !ours; run++)
        us[run] = (double)(seen[2 * run + 1] - seen[2 * run]) / 1e3;
    return median(us, RUNS);
}
#endif
