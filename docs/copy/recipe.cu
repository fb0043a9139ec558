/* SPDX-License-Identifier: MIT
 *
 * Times one CUDA launch, which may be several kernels: a file to copy. It needs nothing else of
 * this suite. Put your kernel and its data where the first part has its own.
 *
 * Build: nvcc -O2 -arch=native recipe.cu -o recipe
 * Run:   ./recipe; or ./recipe --cold: between launches the caches lose the kernel's data */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call) check((call), #call, __FILE__, __LINE__)
static void check(cudaError_t code, const char *what, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: error %d, %s\n", file, line, what, (int)code,
                cudaGetErrorString(code));
        exit(code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ? 77 : 1);
    } /* 77: what test runners count as skipped */
}
#define REFUSE(...) (fprintf(stderr, "refused: " __VA_ARGS__), exit(1))

static cudaStream_t stream; /* where all work goes: the default one, or one that set_up() makes */
static struct {
    void *data; /* on the device */
    size_t bytes;
} result; /* what launch() writes: set_up() says where */

/* ---- What is timed: yours. Names that are taken: gate, start, stop, device, look, look_stream,
 * before, seen, host_us, empty, others and the functions below ---- */

#ifdef TIMED
#include TIMED /* this part in a file of its own: -DTIMED='"mine.cu"' */
#else

#ifndef N
#define N (1 << 20)
#endif
static float host[N], *input;

static __global__ void my_kernel(const float *in, float *out, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = 2 * in[i];
}

static void set_up(void) {
    result.bytes = sizeof host;
    CHECK(cudaMalloc((void **)&input, sizeof host));
    CHECK(cudaMalloc((void **)&result.data, result.bytes));
}

/* Before each launch, not timed: writes the input of this version. Each version has another result.
 * The result is spoilt before; if something must stand there, write it here. */
static void prepare(int version) {
    for (int i = 0; i < N; i++)
        host[i] = (float)(i + version);
    CHECK(cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice));
}

/* What is timed. It must not wait for the device. */
static void launch(void) {
    my_kernel<<<(N + 255) / 256, 256, 0, stream>>>(input, (float *)result.data, N);
    CHECK(cudaGetLastError());
}

/* The first wrong element of the result, which was copied to the host; -1: all are right. */
static long first_wrong(const void *copy, int version) {
    const float *out = (const float *)copy;
    for (int i = 0; i < N; i++)
        if (!(out[i] == 2 * (float)(i + version))) /* not a number, too */
            return i;
    return -1;
}

#endif

/* ---- How it is timed ---- */

struct gate {
    int open, gave_up;
};
static volatile struct gate *gate; /* in host memory that the GPU can read */
static cudaEvent_t start, stop;
static struct cudaDeviceProp device;
static cudaStream_t look_stream; /* waits for no other stream */
static void *before, *seen;      /* the result before the launch, and when it was looked at last */
static double host_us;           /* for which the host was in what was timed last */

/* Holds the stream until the host opens the gate. It gives up after a second, and says so. A
 * mistake of the host must not hang the GPU. */
static __global__ void block_stream(volatile struct gate *gate) {
    unsigned long long start_ns, now_ns; /* by the GPU's own clock */
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns)::"memory");
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns)::"memory");
    while (!gate->open && now_ns - start_ns < 1000000000);
    if (!gate->open)
        gate->gave_up = 1;
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Copies the result as it is now or, behind a wait in look_stream, as it will be then. */
static void look(void *copy, int now) {
    CHECK(cudaMemcpyAsync(copy, result.data, result.bytes, cudaMemcpyDeviceToHost, look_stream));
    if (now)
        CHECK(cudaStreamSynchronize(look_stream));
}

/* Microseconds between two events with `work` between them, all three queued before the first one
 * is reached, so that the host's launch is not in it. With NULL: what the events themselves cost.
 * If it is watched, for so many ms at first the result must not change, and `seen` is the result at
 * the second event, whatever happens later. */
static double time_us(void (*work)(void), int watched_ms) {
    float elapsed_ms;
    int early = 0;
    gate->open = 0;
    gate->gave_up = 0;
    block_stream<<<1, 1, 0, stream>>>(gate);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(start, stream));
    const int64_t begin_ns = now_ns();
    if (work)
        work();
    const int64_t end_ns = now_ns();
    host_us = (double)(end_ns - begin_ns) / 1e3;
    CHECK(cudaEventRecord(stop, stream));
    if (watched_ms > 0) {
        do { /* behind the gate nothing may run */
            look(seen, 1);
            early = memcmp(seen, before, result.bytes) != 0;
        } while (!early && now_ns() - end_ns < 1000000LL * watched_ms);
        CHECK(cudaStreamWaitEvent(look_stream, stop, 0));
        look(seen, 0);
        for (const int64_t queued_ns = now_ns(); now_ns() - queued_ns < 100000;)
            ; /* until the copy stands ready */
    }
    const cudaError_t answer = cudaEventQuery(start);
    check(answer == cudaErrorNotReady ? cudaSuccess : answer, "cudaEventQuery", __FILE__, __LINE__);
    __atomic_store_n(&gate->open, 1, __ATOMIC_RELEASE); /* after all that is queued, on Arm too */
    CHECK(cudaDeviceSynchronize());
    if (gate->gave_up)
        REFUSE("launch() waits on the host: the gate was shut for a second (or "
               "CUDA_LAUNCH_BLOCKING, a profiler, a debugger)\n");
    if (answer == cudaSuccess)
        REFUSE("the gate did not hold the stream\n");
    if (early)
        REFUSE("ran before its turn: its work is in another stream\n");
    CHECK(cudaEventElapsedTime(&elapsed_ms, start, stop));
    return (double)elapsed_ms * 1e3;
}

/* Of a launch that was watched: what is wrong with `seen`? */
static void check_result(int version) {
    if (first_wrong(seen, version) < 0 && first_wrong(seen, version - 1) >= 0)
        return;
    if (first_wrong(seen, version) < 0)
        REFUSE("first_wrong() accepts the result of another version: is the input the same, or "
               "zero?\n");
    look(seen, 1); /* again: by now all streams are done */
    if (first_wrong(seen, version) < 0)
        REFUSE("was not finished when the stop event was\n");
    if (memcmp(seen, before, result.bytes) == 0)
        REFUSE("did nothing: the result is what it was before\n");
    for (int earlier = version - 1; earlier >= 0; earlier--)
        if (first_wrong(seen, earlier) < 0)
            REFUSE("stale result: of input %d, not of %d\n", earlier, version);
    REFUSE("wrong result at element %ld\n", first_wrong(seen, version));
}

static __global__ void empty(void) {
}

static void launch_empty(void) {
    empty<<<1, 1, 0, stream>>>();
    CHECK(cudaGetLastError());
}

static unsigned *others; /* --cold: what is read before each launch, twice the L2 cache, all 0 */

static __global__ void read_all(unsigned *data) {
    if (data[(size_t)blockIdx.x * blockDim.x + threadIdx.x] != 0) /* never */
        data[0] = 1;
}

static void make_ready(int version) {
    CHECK(cudaMemsetAsync(result.data, 0xff, result.bytes, stream)); /* floats: not a number */
    CHECK(cudaStreamSynchronize(stream)); /* prepare() may write there by another stream */
    prepare(version);
    CHECK(cudaDeviceSynchronize());
    look(before, 1);
    if (first_wrong(before, version) < 0)
        REFUSE("the result is right before the launch: prepare() must not leave it there\n");
    if (others) {
        if (device.major >= 8) /* before, nothing persists */
            CHECK(cudaCtxResetPersistingL2Cache());
        read_all<<<2 * (device.l2CacheSize / 1024), 256, 0, stream>>>(others);
        CHECK(cudaGetLastError());
    }
}

static int by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    enum { RUNS = 101, FLOOR = 0, EMPTY, WORK, EMPTY_HOST, WORK_HOST, TIMES };
    static double us[TIMES][RUNS];
    const int cold = argc > 1 && strcmp(argv[1], "--cold") == 0;
    int driver, number;
    if (argc > 1 && !cold)
        REFUSE("%s: there is only --cold\n", argv[1]);
    set_up();
    CHECK(cudaGetDevice(&number)); /* set_up() may choose another than 0 */
    CHECK(cudaGetDeviceProperties(&device, number));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaStreamCreateWithFlags(&look_stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&before, result.bytes));
    CHECK(cudaMallocHost(&seen, result.bytes));
    CHECK(cudaMallocHost((void **)&gate, sizeof *gate));
    if (cold) {
        CHECK(cudaMalloc((void **)&others, 2 * (size_t)device.l2CacheSize));
        CHECK(cudaMemset(others, 0, 2 * (size_t)device.l2CacheSize));
    }
    make_ready(0); /* a first launch loads the kernel, and may wait for the gate */
    launch_empty();
    launch();
    srand((unsigned)time(NULL));
    for (int run = 0, version = 1; run < RUNS; version++) {
        const int watched_ms = version == 1 ? 100 : rand() < RAND_MAX / 8 ? 1 : 0; /* 1 in 8 */
        us[FLOOR][run] = time_us(NULL, 0);
        us[EMPTY][run] = time_us(launch_empty, 0);
        us[EMPTY_HOST][run] = host_us;
        make_ready(version);
        us[WORK][run] = time_us(launch, watched_ms);
        us[WORK_HOST][run] = host_us;
        if (watched_ms > 0)
            check_result(version);
        else
            run++; /* one that was watched does not count: the looks read its result before */
    }
    for (int i = 0; i < TIMES; i++)
        qsort(us[i], RUNS, sizeof *us[i], by_size);
    const double *work_us = us[WORK], floor_us = us[FLOOR][RUNS / 2];
    const double median_us = work_us[RUNS / 2], queued_us = us[WORK_HOST][RUNS / 2];
    if (!(median_us > floor_us))
        REFUSE("no time at all: too short for events, or in another stream\n");
    if (queued_us > 1000 + 10 * us[EMPTY_HOST][RUNS / 2] + 2 * median_us)
        REFUSE("launch() waits, or works, on the host, for %.0f us\n", queued_us);
    const double code_us = median_us - us[EMPTY][RUNS / 2];
    printf("%s, driver for CUDA %d.%d; %d runs; the caches %s\n"
           "on the device: median %.2f us, 5th percentile %.2f us, 95th %.2f us; launch and drain "
           "are in it\n",
           device.name, driver / 1000, driver % 1000 / 10, RUNS,
           cold ? "full of other data" : "as prepare() left them", median_us - floor_us,
           work_us[RUNS / 20] - floor_us, work_us[RUNS - 1 - RUNS / 20] - floor_us);
    if (code_us > 0)
        printf("its code:      %.2f us: the median minus an empty kernel's\n", code_us);
    else
        printf("its code:      too short to tell: an empty kernel takes as long\n");
    if (fflush(stdout) == 0)
        return 0; /* all else goes with the process */
    perror("cannot write the result");
    return 1;
}
