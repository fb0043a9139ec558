/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Times one CUDA launch, which may be several kernels: a file to copy. It needs nothing else of
 * this suite. Put your kernel and its data where the first part has its own.
 *
 * Build: nvcc -O2 -arch=native recipe.cu -o recipe
 * Run:   ./recipe; ./recipe --help says what else */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RCP_CHECK(call) rcp_check((call), #call, __FILE__, __LINE__)
static void rcp_check(cudaError_t code, const char *what, const char *file, int line) {
    const int none = code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver;
    if (code != cudaSuccess) {
        fprintf(stderr, "%s%s:%d: %s: error %d, %s\n",
                none ? "no NVIDIA GPU here, or its driver is missing or too old: " : "", file, line,
                what, (int)code, cudaGetErrorString(code));
        exit(none ? 77 : 1); /* 77: what test runners count as skipped */
    }
}
#define RCP_REFUSE(...) (fprintf(stderr, "refused: " __VA_ARGS__), exit(1))

static cudaStream_t rcp_stream; /* where all work goes: the default one, or one of set_up()'s */
static struct {
    void *data; /* on the device */
    size_t bytes;
} rcp_result; /* what launch() writes: set_up() says where */

/* ---- What is timed: yours. All names outside of this part begin with rcp_ or RCP_ ---- */

#ifdef TIMED
#include TIMED /* this part in a file of its own: -DTIMED='"mine.cu"' */
#else

#ifndef N
#define N (1 << 20)
#endif
#ifndef RCP_BYTES
#define RCP_BYTES (2.0 * sizeof host) /* that a launch reads and writes, for GB/s; 0: not said */
#endif
static float host[N], *input;

static __global__ void my_kernel(const float *in, float *out, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = 2 * in[i];
}

static void set_up(void) {
    rcp_result.bytes = sizeof host;
    RCP_CHECK(cudaMalloc((void **)&input, sizeof host));
    RCP_CHECK(cudaMalloc((void **)&rcp_result.data, rcp_result.bytes));
}

/* Before each launch, not timed: writes the input of this version. Each version has another
 * result. Each of its bytes is 0xff before; what must stand there (0 for a sum), write here. */
static void prepare(int version) {
    for (int i = 0; i < N; i++)
        host[i] = (float)(i + version);
    RCP_CHECK(cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice));
}

/* What is timed, in rcp_stream. It must not wait for the device. */
static void launch(void) {
    my_kernel<<<(N + 255) / 256, 256, 0, rcp_stream>>>(input, (float *)rcp_result.data, N);
    RCP_CHECK(cudaGetLastError());
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

#ifndef RCP_BYTES
#define RCP_BYTES 0
#endif
enum { RCP_RUNS = 101, RCP_LONGEST_S = 60 }; /* longer than your longest launch */
struct rcp_gate {
    int open, gave_up;
    long long clocks, ns; /* see rcp_count_clocks() */
};
static volatile struct rcp_gate *rcp_gate; /* in host memory that the GPU can read */
static cudaEvent_t rcp_start, rcp_stop;
static struct cudaDeviceProp rcp_device;
static cudaStream_t rcp_aside;      /* waits for no other stream */
static void *rcp_before, *rcp_seen; /* the result before the launch, and as it was last seen */
static const char *rcp_last_words;  /* if what follows takes too long */
static ulonglong2 *rcp_others;      /* --cold: what is read before each launch, all 0 */

/* The GPU's own clock, in steps of 32 ns on an H200 and of 1024 ns on many others. */
static __device__ unsigned long long rcp_timer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Holds the stream until the host opens the gate. Gives up at the limit: no mistake may hang. */
static __global__ void rcp_block(volatile struct rcp_gate *gate, unsigned limit_ns) {
    const unsigned long long start_ns = rcp_timer_ns();
    unsigned long long now_ns;
    do
        now_ns = rcp_timer_ns();
    while (!gate->open && now_ns - start_ns < limit_ns);
    if (!gate->open)
        gate->gave_up = 1;
}

/* How many clocks does an SM count in 20 us? From a step of the timer to a step. */
static __global__ void rcp_count_clocks(volatile struct rcp_gate *gate) {
    const unsigned long long before_ns = rcp_timer_ns();
    unsigned long long start_ns, now_ns;
    do
        start_ns = rcp_timer_ns();
    while (start_ns == before_ns);
    const long long start = clock64();
    do
        now_ns = rcp_timer_ns();
    while (now_ns - start_ns < 20000);
    gate->clocks = clock64() - start;
    gate->ns = (long long)(now_ns - start_ns);
}

static __global__ void rcp_read_all(ulonglong2 *data) {
    const ulonglong2 both = data[(size_t)blockIdx.x * blockDim.x + threadIdx.x]; /* one load */
    if ((both.x | both.y) != 0)                                                  /* never */
        data[0].x = 1;
}

static __global__ void rcp_empty(void) {
}
static void rcp_launch_empty(void) {
    rcp_empty<<<1, 1, 0, rcp_stream>>>();
    RCP_CHECK(cudaGetLastError());
}

/* No wait is without end: after so many seconds these are the program's last words. */
static void rcp_on_alarm(int number) {
    (void)number;
    _exit(write(STDERR_FILENO, rcp_last_words, strlen(rcp_last_words)) > 0 ? 1 : 3);
}
#define RCP_LIMIT(seconds, words) (alarm(0), rcp_last_words = (words), alarm(seconds))

static int64_t rcp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Copies the result as it is now or, behind a wait in rcp_aside, as it will be then. */
static void rcp_look(void *copy, int now) {
    RCP_CHECK(cudaMemcpyAsync(copy, rcp_result.data, rcp_result.bytes, cudaMemcpyDeviceToHost,
                              rcp_aside));
    if (now)
        RCP_CHECK(cudaStreamSynchronize(rcp_aside));
}

struct rcp_span {
    double us, host_us, wait_us; /* between the events; the host in `work`; until all is done */
    int64_t begin_ns;            /* when the wait began, by the host's clock */
};

/* Times `work` between two events, all queued before the first one is reached, so that the host's
 * launch is not in it. NULL: what the events cost. If it is watched, for so many ms at first the
 * result must not change, and rcp_seen is the result at the second event. */
static struct rcp_span rcp_time(void (*work)(void), int watched_ms) {
    struct rcp_span time;
    float elapsed_ms;
    int early = 0;
    RCP_LIMIT(RCP_LONGEST_S, "refused: launch() does not end, or the driver\n");
    rcp_gate->open = 0;
    rcp_gate->gave_up = 0;
    rcp_block<<<1, 1, 0, rcp_stream>>>(rcp_gate, 1000000000);
    RCP_CHECK(cudaGetLastError());
    RCP_CHECK(cudaEventRecord(rcp_start, rcp_stream));
    const int64_t launch_ns = rcp_now_ns();
    if (work)
        work();
    const int64_t launched_ns = rcp_now_ns();
    time.host_us = (double)(launched_ns - launch_ns) / 1e3;
    RCP_CHECK(cudaEventRecord(rcp_stop, rcp_stream));
    if (watched_ms > 0) {
        do { /* behind the gate nothing may run */
            rcp_look(rcp_seen, 1);
            early = memcmp(rcp_seen, rcp_before, rcp_result.bytes) != 0;
        } while (!early && rcp_now_ns() - launched_ns < 1000000LL * watched_ms);
        RCP_CHECK(cudaStreamWaitEvent(rcp_aside, rcp_stop, 0));
        rcp_look(rcp_seen, 0);
        for (const int64_t queued_ns = rcp_now_ns(); rcp_now_ns() - queued_ns < 100000;)
            ; /* until the copy stands ready */
    }
    const cudaError_t answer = cudaEventQuery(rcp_start);
    if (answer != cudaErrorNotReady)
        rcp_check(answer, "cudaEventQuery", __FILE__, __LINE__);
    time.begin_ns = rcp_now_ns();
    __atomic_store_n(&rcp_gate->open, 1, __ATOMIC_RELEASE); /* after all that is queued */
    RCP_CHECK(cudaDeviceSynchronize());
    time.wait_us = (double)(rcp_now_ns() - time.begin_ns) / 1e3;
    if (rcp_gate->gave_up && work && work != rcp_launch_empty)
        RCP_REFUSE("launch() waits on the host, or fills the launch queue\n");
    if (rcp_gate->gave_up)
        RCP_REFUSE("the gate does not open, or a launch waits, before launch() is called: "
                   "CUDA_LAUNCH_BLOCKING, a profiler, a sanitizer, a debugger?\n");
    if (answer == cudaSuccess)
        RCP_REFUSE("the gate did not hold the stream\n");
    if (early)
        RCP_REFUSE("ran before its turn: its work is in another stream\n");
    RCP_CHECK(cudaEventElapsedTime(&elapsed_ms, rcp_start, rcp_stop));
    time.us = (double)elapsed_ms * 1e3;
    if (!(time.us > 0)) /* also if it is not a number */
        RCP_REFUSE("impossible: %.2f us between two events\n", time.us);
    if (time.us > 1.01 * time.wait_us + 10)
        RCP_REFUSE("impossible: %.2f us between two events, and the host waited for %.2f us\n",
                   time.us, time.wait_us);
    return time;
}

/* The clock of an SM now. Call it behind what was timed, when that is over. */
static double rcp_clock_mhz(void) {
    rcp_count_clocks<<<1, 1, 0, rcp_stream>>>(rcp_gate);
    RCP_CHECK(cudaGetLastError());
    RCP_CHECK(cudaDeviceSynchronize());
    return 1e3 * (double)rcp_gate->clocks / (double)rcp_gate->ns;
}

/* Of a launch that was watched: what is wrong with rcp_seen? */
static void rcp_check_result(int version) {
    const long wrong = first_wrong(rcp_seen, version);
    if (wrong < 0 && first_wrong(rcp_seen, version - 1) >= 0)
        return;
    if (wrong < 0)
        RCP_REFUSE("first_wrong() accepts the result of another version: is the input the same?\n");
    rcp_look(rcp_seen, 1); /* again: by now all streams are done */
    if (first_wrong(rcp_seen, version) < 0)
        RCP_REFUSE("was not finished when the stop event was\n");
    if (memcmp(rcp_seen, rcp_before, rcp_result.bytes) == 0)
        RCP_REFUSE("did nothing: the result is what it was before\n");
    for (int earlier = version - 1; earlier >= 0; earlier--)
        if (first_wrong(rcp_seen, earlier) < 0)
            RCP_REFUSE("stale result: of input %d, not of %d\n", earlier, version);
    RCP_REFUSE("wrong result at element %ld\n", wrong);
}

/* No cache holds anything but zeros. A block reads 4 KiB. */
static void rcp_fill_caches(void) {
    if (rcp_device.major >= 8) /* before, nothing persists */
        RCP_CHECK(cudaCtxResetPersistingL2Cache());
    rcp_read_all<<<rcp_device.l2CacheSize / 2048, 256, 0, rcp_stream>>>(rcp_others);
    RCP_CHECK(cudaGetLastError());
    RCP_CHECK(cudaDeviceSynchronize()); /* or the wait for the launch would have it, too */
}

static void rcp_make_ready(int version) {
    RCP_LIMIT(RCP_LONGEST_S, "refused: prepare() does not end, or the driver\n");
    RCP_CHECK(cudaMemsetAsync(rcp_result.data, 0xff, rcp_result.bytes, rcp_stream));
    RCP_CHECK(cudaStreamSynchronize(rcp_stream)); /* prepare() may write there by another stream */
    prepare(version);
    RCP_CHECK(cudaDeviceSynchronize());
    rcp_look(rcp_before, 1);
    if (first_wrong(rcp_before, version) < 0)
        RCP_REFUSE("the result is right before the launch: prepare() must not leave it there\n");
    if (rcp_others)
        rcp_fill_caches();
}

static int rcp_by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of n samples the one that so many percent of them are below. */
static double rcp_percentile(const double *samples, size_t n, size_t percent) {
    static double sorted[RCP_RUNS];
    qsort(memcpy(sorted, samples, n * sizeof *sorted), n, sizeof *sorted, rcp_by_size);
    return sorted[n * percent / 100];
}

/* Percent that the last fifth of the runs takes more than the first; 0 if more than a quarter of
 * each is within the other, or a fifth is fewer than five. */
static double rcp_drift(const double *first, size_t n) {
    const size_t k = n / 5;
    const double *last = first + n - k;
    if (k < 5 || (rcp_percentile(first, k, 75) >= rcp_percentile(last, k, 25) &&
                  rcp_percentile(last, k, 75) >= rcp_percentile(first, k, 25)))
        return 0;
    return 100 * (rcp_percentile(last, k, 50) / rcp_percentile(first, k, 50) - 1);
}

/* Do the runs disagree? Of 101 the 41st and the 61st by size have the true median between them: is
 * one of them further away than this factor, and so many us? Do they drift? If so, returns 1. */
static int rcp_print_spread(const double *us, double factor, double slack_us) {
    const double middle = rcp_percentile(us, RCP_RUNS, 50), drift = rcp_drift(us, RCP_RUNS);
    const double low = rcp_percentile(us, RCP_RUNS, 40), high = rcp_percentile(us, RCP_RUNS, 60);
    const int drifts = fabs(drift) > 20 * (factor - 1) && fabs(drift) * middle > 40 * slack_us;
    if ((high > factor * middle && high > middle + slack_us) ||
        (middle > factor * low && middle > low + slack_us))
        printf("disturbed: the runs disagree: the median is between %.2f and %.2f us\n", low, high);
    if (drifts)
        printf("disturbed: the runs drift: the last fifth takes %+.0f %% more than the first\n",
               drift);
    return drifts;
}

/* Also which part of the most that the memory can give, where CUDA knows it. */
static void rcp_print_bandwidth(double us, int device) {
    const double gb_s = RCP_BYTES / us / 1e3;
    int khz, bits;
    RCP_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device));
    RCP_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device));
    const double peak_gb_s = 2.0 * khz * bits / 8 / 1e6;
    printf("bandwidth:     %.1f GB/s", gb_s);
    if (peak_gb_s > 0)
        printf(", %.1f %% of the memory's %.0f GB/s", 100 * gb_s / peak_gb_s, peak_gb_s);
    if (!rcp_others && RCP_BYTES < (double)rcp_device.l2CacheSize)
        printf(": less than the L2 cache holds: most likely not from memory; try --cold");
    else if (peak_gb_s > 0 && gb_s > peak_gb_s)
        printf(": most likely the data stay in the cache; try --cold");
    printf("\n");
}

/* The device of this number; without one CUDA takes the first, or set_up() another. */
static void rcp_choose_device(const char *wanted) {
    int count;
    RCP_CHECK(cudaGetDeviceCount(&count));
    if (!*wanted || strlen(wanted) > 4 || wanted[strspn(wanted, "0123456789")] ||
        atoi(wanted) >= count) {
        fprintf(stderr, "--device %s: 0 to %d\n", wanted, count - 1);
        exit(2);
    }
    RCP_CHECK(cudaSetDevice(atoi(wanted)));
}

int main(int argc, char **argv) {
    static double floor_us[RCP_RUNS], empty_us[RCP_RUNS], work_us[RCP_RUNS], host_us[RCP_RUNS];
    static double empty_host_us[RCP_RUNS], empty_rest_us[RCP_RUNS], rest_us[RCP_RUNS];
    static double mhz[RCP_RUNS]; /* of an SM's clock, behind each launch */
    const char *wanted = NULL;
    int cold = 0, driver, number;
    struct rcp_span work;
    float device_ms;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--cold") == 0)
            cold = 1;
        else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            wanted = argv[++i];
        else {
            const int help = strcmp(argv[i], "--help") == 0;
            fprintf(help ? stdout : stderr, "%s: there are --cold, --device N, --help\n", argv[i]);
            return help ? fflush(stdout) != 0 : 2;
        }
    signal(SIGALRM, rcp_on_alarm);
    if (wanted)
        rcp_choose_device(wanted);
    set_up();
    if (!rcp_result.data || rcp_result.bytes == 0)
        RCP_REFUSE("set_up() must say where launch() writes, and how many bytes: rcp_result\n");
    RCP_CHECK(cudaGetDevice(&number)); /* set_up() may choose another than 0 */
    RCP_CHECK(cudaGetDeviceProperties(&rcp_device, number));
    RCP_CHECK(cudaDriverGetVersion(&driver)); /* 13000 for 13.0 */
    RCP_CHECK(cudaEventCreate(&rcp_start));
    RCP_CHECK(cudaEventCreate(&rcp_stop));
    RCP_CHECK(cudaStreamCreateWithFlags(&rcp_aside, cudaStreamNonBlocking));
    RCP_CHECK(cudaMallocHost(&rcp_before, rcp_result.bytes));
    RCP_CHECK(cudaMallocHost(&rcp_seen, rcp_result.bytes));
    RCP_CHECK(cudaMallocHost((void **)&rcp_gate, sizeof *rcp_gate));
    if (cold) {
        RCP_CHECK(cudaMalloc((void **)&rcp_others, 2 * (size_t)rcp_device.l2CacheSize));
        RCP_CHECK(cudaMemset(rcp_others, 0, 2 * (size_t)rcp_device.l2CacheSize));
    }
    rcp_make_ready(0);
    rcp_launch_empty(); /* a first launch loads the kernel, and may wait */
    rcp_clock_mhz();
    const struct rcp_span first = rcp_time(rcp_launch_empty, 0); /* not launch()'s fault */
    const cudaEvent_t zero = rcp_stop;
    RCP_CHECK(cudaEventCreate(&rcp_stop));
    launch();
    rcp_check(cudaGetLastError(), "cudaGetLastError() after launch()", __FILE__, __LINE__);
    srand((unsigned)time(NULL));
    for (int run = 0, version = 1; run < RCP_RUNS; version++) {
        const int watched_ms = version == 1 ? 100 : rand() < RAND_MAX / 8 ? 1 : 0; /* 1 in 8 */
        floor_us[run] = rcp_time(NULL, 0).us;
        const struct rcp_span empty = rcp_time(rcp_launch_empty, 0);
        rcp_make_ready(version);
        work = rcp_time(launch, watched_ms);
        mhz[run] = rcp_clock_mhz();
        empty_us[run] = empty.us;
        empty_host_us[run] = empty.host_us;
        empty_rest_us[run] = empty.wait_us - empty.us;
        work_us[run] = work.us;
        host_us[run] = work.host_us;
        rest_us[run] = work.wait_us - work.us;
        if (watched_ms > 0)
            rcp_check_result(version);
        else
            run++; /* one that was watched does not count: the looks read its result before */
    }
    RCP_LIMIT(RCP_LONGEST_S, "refused: the number cannot be written\n");
    RCP_CHECK(cudaEventElapsedTime(&device_ms, zero, rcp_stop));
    const double no_work_us = rcp_percentile(floor_us, RCP_RUNS, 50);
    for (int run = 0; run < RCP_RUNS; run++)
        work_us[run] -= no_work_us;
    const double us = rcp_percentile(work_us, RCP_RUNS, 50);
    const double code_us = us - (rcp_percentile(empty_us, RCP_RUNS, 50) - no_work_us);
    /* A busy machine adds to most waits, not to each. */
    const double rest_5_us = rcp_percentile(rest_us, RCP_RUNS, 5),
                 host_5_us = rcp_percentile(host_us, RCP_RUNS, 5);
    if (rest_5_us > 2 * rcp_percentile(empty_rest_us, RCP_RUNS, 50) + us / 4 + 20)
        RCP_REFUSE("the events do not cover the work: %.2f us, and the host waited %.2f us more\n",
                   us, rest_5_us);
    if (!(us > 0))
        RCP_REFUSE("no time at all: too short for events, or in another stream\n");
    if (host_5_us > 1000 + 10 * rcp_percentile(empty_host_us, RCP_RUNS, 50) + 2 * us)
        RCP_REFUSE("launch() waits, or works, on the host, for %.0f us\n", host_5_us);
    printf("%s, driver for CUDA %d.%d; %d runs; the caches %s\n"
           "on the device: median %.2f us, 5th percentile %.2f us, 95th %.2f us; "
           "preparation and drain are in it\n95 %% sure:     median between %.2f us and %.2f us\n",
           rcp_device.name, driver / 1000, driver % 1000 / 10, RCP_RUNS,
           cold ? "full of other data" : "as prepare() left them", us,
           rcp_percentile(work_us, RCP_RUNS, 5), rcp_percentile(work_us, RCP_RUNS, 95),
           rcp_percentile(work_us, RCP_RUNS, 40), rcp_percentile(work_us, RCP_RUNS, 60));
    if (RCP_BYTES > 0)
        rcp_print_bandwidth(us, number);
    const double moved = rcp_drift(mhz, RCP_RUNS);
    printf("SM's clock:    %.0f MHz, behind each launch", rcp_percentile(mhz, RCP_RUNS, 50));
    if (fabs(moved) >= 2)
        printf("; it moved from %.0f to %.0f MHz: lock it, or warm up longer",
               rcp_percentile(mhz, RCP_RUNS / 5, 50),
               rcp_percentile(mhz + RCP_RUNS - RCP_RUNS / 5, RCP_RUNS / 5, 50));
    printf("\n");
    if (code_us > 0)
        printf("its code:      %.2f us: the median minus an empty kernel's\n", code_us);
    else
        printf("its code:      too short to tell: an empty kernel takes as long\n");

    /* Why not to believe it. */
    if (!rcp_print_spread(work_us, 1.25, 0.5) && fabs(moved) > 5)
        printf("disturbed: the SM's clock moved by %+.0f %% between the first runs and the last\n",
               moved);
    const double late_ms =
        rcp_percentile(empty_rest_us, RCP_RUNS, 90) / 1e3; /* one of ten is later */
    if (late_ms > 1)
        printf("disturbed: others have the GPU, or this processor: an empty kernel took %.1f ms\n",
               late_ms);
    /* Between two events, each recorded somewhere in its wait. */
    const double host_ms = (double)(work.begin_ns - first.begin_ns) / 1e6;
    if (device_ms < 0.99 * host_ms - first.wait_us / 1e3 ||
        device_ms > 1.01 * host_ms + work.wait_us / 1e3)
        printf("disturbed: the device's clock counts %.1f ms where the host's counts %.1f ms\n",
               device_ms, host_ms);
#ifdef __CUDACC_DEBUG__
    printf("disturbed: built for debugging (nvcc -G), which makes another kernel\n");
#endif
    return fflush(stdout) == 0 ? 0 : (perror("cannot write the result"), 1);
}
