/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The GPU timing suite's contributors
 *
 * Times one CUDA launch, which may be several kernels: a file to copy, with mine.cu, which has the
 * launch. It needs nothing else of this suite. Which of two is faster says compare.cu.
 *
 * Build: nvcc -O2 -arch=native recipe.cu -o recipe
 *        nvcc -O2 -arch=native -DTIMED='"other.cu"' recipe.cu -o recipe
 * Run:   ./recipe; ./recipe --cold reads other data before each launch, four times the L2 cache */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef TIMED
#define TIMED "mine.cu"
#endif
#include TIMED /* all names outside of it begin with rcp_ or RCP_ */
#ifndef MOVED_BYTES
#define MOVED_BYTES 0.0
#endif
#ifndef RCP_RUNS
#define RCP_RUNS 101 /* at least 5; fewer under a tool that makes each launch slow */
#endif

enum { RCP_VERSIONS = 199, RCP_LONGEST_S = 60, RCP_LONGEST_HOLD_US = 1000000 };
enum rcp_what { RCP_NOTHING, RCP_EMPTY, RCP_LAUNCH, RCP_CHECKED };

static volatile struct rcp_counted {
    long long clocks, ns;
} * rcp_counted; /* by rcp_hold(), in host memory that the GPU can write */
static cudaStream_t rcp_stream, rcp_aside; /* rcp_aside: waits for no other stream */
static cudaEvent_t rcp_start, rcp_stop;
static void *rcp_result, *rcp_before, *rcp_seen; /* the result; behind prepare(); later */
static size_t rcp_bytes;                         /* of it */
static ulonglong2 *rcp_others;                   /* --cold: other data, all 0 */
static unsigned rcp_others_blocks;               /* each reads 4 KiB */
static int rcp_version, rcp_late, rcp_retaken, rcp_has_persisting;

#define RCP_REFUSE(...)                                                                            \
    (fputs("refused: ", stderr), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#define RCP_CHECK(call) rcp_check((call), #call, __LINE__)
static void rcp_check(cudaError_t code, const char *what, int line) {
    if (code == cudaSuccess) return;
    fprintf(stderr, "recipe.cu:%d: %s: error %d, %s\n", line, what, (int)code,
            cudaGetErrorString(code));
    const int none = code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver;
    exit(none && !rcp_stream ? 77 : 1);
}

/* The GPU's own clock, in steps of 32 ns on an H200 and of 1024 ns on many others. */
static __device__ unsigned long long rcp_timer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Holds the stream for so long, and ends by itself, also if the timer stands still. */
static __global__ void rcp_hold(long long ns, volatile struct rcp_counted *to) {
    const unsigned long long start_ns = rcp_timer_ns();
    const long long start = clock64();
    long long for_ns, clocks;
    do {
        for_ns = (long long)(rcp_timer_ns() - start_ns);
        clocks = clock64() - start;
    } while (for_ns < ns && clocks < 8 * ns);
    to->clocks = clocks;
    to->ns = for_ns;
}

static __global__ void rcp_read_all(ulonglong2 *data) {
    const ulonglong2 both = data[(size_t)blockIdx.x * blockDim.x + threadIdx.x];
    if ((both.x | both.y) != 0) /* never */
        data[0].x = 1;
}

static __global__ void rcp_empty(void) {}

static int64_t rcp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int rcp_by_size(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of n samples the one that so many percent of them are below. */
static double rcp_percentile(const double *samples, int n, int percent) {
    static double sorted[RCP_RUNS];
    qsort(memcpy(sorted, samples, (size_t)n * sizeof *sorted), (size_t)n, sizeof *sorted,
          rcp_by_size);
    return sorted[n * percent / 100];
}

/* By how many percent the last fifth is longer, or shorter, than the first. 0 if more than a
 * quarter of each is within the other. */
static double rcp_drift(const double *first) {
    const int k = RCP_RUNS / 5;
    const double *last = first + RCP_RUNS - k;
    if (rcp_percentile(first, k, 75) >= rcp_percentile(last, k, 25) &&
        rcp_percentile(last, k, 75) >= rcp_percentile(first, k, 25))
        return 0;
    return 100 * fabs(rcp_percentile(last, k, 50) / rcp_percentile(first, k, 50) - 1);
}

static void rcp_look(void *copy, int now) { /* or behind a wait in rcp_aside */
    RCP_CHECK(cudaMemcpyAsync(copy, rcp_result, rcp_bytes, cudaMemcpyDeviceToHost, rcp_aside));
    if (now) RCP_CHECK(cudaStreamSynchronize(rcp_aside));
}

/* The result is spoilt, and the input is new. */
static void rcp_make_ready(void) {
    rcp_version = rcp_version % RCP_VERSIONS + 1;
    RCP_CHECK(cudaMemsetAsync(rcp_result, 0xff, rcp_bytes, rcp_stream));
    RCP_CHECK(cudaStreamSynchronize(rcp_stream)); /* prepare() may write by another stream */
    RCP_CHECK(prepare(rcp_stream, rcp_version));
    RCP_CHECK(cudaDeviceSynchronize());
    rcp_look(rcp_before, 1);
    if (first_wrong(rcp_before, rcp_version) < 0)
        RCP_REFUSE("the result is right before the launch: prepare() must not leave it there");
}

/* Is what was seen right, and of this input and no other? If not when the last event was: why? */
static void rcp_check_result(void) {
    const int is_right = first_wrong(rcp_seen, rcp_version) < 0;
    if (is_right && first_wrong(rcp_seen, rcp_version % RCP_VERSIONS + 1) >= 0) return;
    if (is_right)
        RCP_REFUSE("first_wrong() accepts the result of another version: are they the same?");
    rcp_look(rcp_seen, 1);
    const long wrong = first_wrong(rcp_seen, rcp_version);
    if (wrong < 0) RCP_REFUSE("was not finished when the stop event was");
    if (memcmp(rcp_seen, rcp_before, rcp_bytes) == 0)
        RCP_REFUSE("did nothing: the result is what it was before");
    for (int old = 1; old <= RCP_VERSIONS; old++)
        if (first_wrong(rcp_seen, old) < 0)
            RCP_REFUSE("stale result: of input %d, not of %d", old, rcp_version);
    RCP_REFUSE("wrong result at element %ld", wrong);
}

/* While a stream is captured, calls that allocate, or use the default stream, fail. */
static void rcp_check_calls(void) {
    cudaStream_t captured;
    cudaGraph_t graph;
    RCP_CHECK(cudaStreamCreate(&captured)); /* the default stream would wait for it */
    RCP_CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    const cudaError_t code = launch(rcp_stream), ended = cudaStreamEndCapture(captured, &graph);
    if (code != cudaSuccess || ended != cudaSuccess)
        RCP_REFUSE("launch() allocates, waits, or uses the default stream: %s",
                   cudaGetErrorString(code != cudaSuccess ? code : ended));
}

struct rcp_span {
    double us, host_us, rest_us; /* between the events; the host in launch(); it waited besides */
};

/* Times it between two events, all queued while the stream is held, so that no launch of the host
 * is in it. If the hold ended too early, it is taken again behind one of twice the length. If it is
 * checked, the result must not change while the stream is held, and must be right at the stop. */
static struct rcp_span rcp_time(enum rcp_what what) {
    static int is_watched;
    double hold_us = 200;
    if (what == RCP_CHECKED) /* work in another stream may start late; a copy takes its time */
        hold_us += (is_watched ? 1000 : 120000) + (double)rcp_bytes / 5e3;
    hold_us = fmin(hold_us, RCP_LONGEST_HOLD_US);
    for (; hold_us <= RCP_LONGEST_HOLD_US; hold_us *= 2, rcp_retaken++) {
        int is_early = 0;
        float elapsed_ms;
        alarm(RCP_LONGEST_S); /* no wait is without end */
        if (what >= RCP_LAUNCH) rcp_make_ready();
        if (rcp_has_persisting) /* in the L2 cache */
            RCP_CHECK(cudaCtxResetPersistingL2Cache());
        const int64_t begin_ns = rcp_now_ns();
        rcp_hold<<<1, 1, 0, rcp_stream>>>((long long)(1e3 * hold_us), rcp_counted);
        if (rcp_others) rcp_read_all<<<rcp_others_blocks, 256, 0, rcp_stream>>>(rcp_others);
        RCP_CHECK(cudaGetLastError());
        RCP_CHECK(cudaEventRecord(rcp_start, rcp_stream));
        const int64_t launch_ns = rcp_now_ns();
        if (what >= RCP_LAUNCH)
            RCP_CHECK(launch(rcp_stream));
        else if (what == RCP_EMPTY)
            rcp_empty<<<1, 1, 0, rcp_stream>>>();
        const int64_t launched_ns = rcp_now_ns();
        RCP_CHECK(cudaGetLastError());
        RCP_CHECK(cudaEventRecord(rcp_stop, rcp_stream));
        if (what == RCP_CHECKED) {
            do {
                rcp_look(rcp_seen, 1);
                is_early = memcmp(rcp_seen, rcp_before, rcp_bytes) != 0;
            } while (!is_early && cudaEventQuery(rcp_start) == cudaErrorNotReady &&
                     rcp_now_ns() - launched_ns < (is_watched ? 300000 : 100000000));
            RCP_CHECK(cudaStreamWaitEvent(rcp_aside, rcp_stop, 0));
            rcp_look(rcp_seen, 0);
        }
        const int is_held = cudaEventQuery(rcp_start) == cudaErrorNotReady;
        RCP_CHECK(cudaDeviceSynchronize());
        const double all_us = (double)(rcp_now_ns() - begin_ns) / 1e3;
        if (!is_held) continue; /* it was not held until all was queued */
        if (is_early) RCP_REFUSE("ran before its turn: its work is in another stream");
        if (what == RCP_CHECKED) rcp_check_result();
        is_watched |= what == RCP_CHECKED;
        RCP_CHECK(cudaEventElapsedTime(&elapsed_ms, rcp_start, rcp_stop));
        const double us = (double)elapsed_ms * 1e3, rest_us = all_us - hold_us - us;
        if (!(us > 0) || rest_us < -0.02 * all_us - 10 || rcp_counted->ns <= 0) /* NAN, too */
            RCP_REFUSE("impossible: %.3f us on the GPU, %.3f us on the host", hold_us + us, all_us);
        if (what != RCP_CHECKED) /* behind that one the result was copied */
            rcp_late += rest_us > 1000 || (double)rcp_counted->ns / 1e3 > hold_us + 100;
        return {us, (double)(launched_ns - launch_ns) / 1e3, rest_us};
    }
    RCP_REFUSE("the stream is not held until all is queued, not for %.0f ms: %s", hold_us / 2e3,
               what >= RCP_LAUNCH ? "launch() waits on the host"
                                  : "CUDA_LAUNCH_BLOCKING, a profiler, a sanitizer, a debugger?");
    return {};
}

static void rcp_print_row(const char *name, const double *us, double minus_us, const char *end) {
    printf("%-11s %10.3f %9.3f %9.3f %s", name, rcp_percentile(us, RCP_RUNS, 50) - minus_us,
           rcp_percentile(us, RCP_RUNS, 5) - minus_us, rcp_percentile(us, RCP_RUNS, 95) - minus_us,
           end);
}

int main(int argc, char **argv) {
    static double floor_us[RCP_RUNS], empty_us[RCP_RUNS], work_us[RCP_RUNS], host_us[RCP_RUNS];
    static double empty_rest_us[RCP_RUNS], rest_us[RCP_RUNS], mhz[RCP_RUNS];
    const int is_cold = argc == 2 && strcmp(argv[1], "--cold") == 0;
    int driver, khz, bits;
    struct cudaDeviceProp device;
    if (argc != 1 && !is_cold)
        return fputs("usage: recipe [--cold]; exit: 1 refused, 4 disturbed, 77 no GPU\n", stderr),
               2;
    RCP_CHECK(cudaStreamCreate(&rcp_stream));
    RCP_CHECK(set_up(rcp_stream, &rcp_result, &rcp_bytes));
    if (!rcp_result || rcp_bytes == 0)
        RCP_REFUSE("set_up() must say where launch() writes, and how many bytes");
    RCP_CHECK(cudaGetDeviceProperties(&device, 0));
    RCP_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
    RCP_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    RCP_CHECK(cudaDriverGetVersion(&driver)); /* 13000 for 13.0 */
    RCP_CHECK(cudaEventCreate(&rcp_start));
    RCP_CHECK(cudaEventCreate(&rcp_stop));
    RCP_CHECK(cudaStreamCreateWithFlags(&rcp_aside, cudaStreamNonBlocking));
    RCP_CHECK(cudaMallocHost(&rcp_before, rcp_bytes));
    RCP_CHECK(cudaMallocHost(&rcp_seen, rcp_bytes));
    RCP_CHECK(cudaMallocHost((void **)&rcp_counted, sizeof *rcp_counted));
    if (is_cold) {
        rcp_others_blocks = (unsigned)device.l2CacheSize / 1024; /* four times the cache */
        RCP_CHECK(cudaMalloc((void **)&rcp_others, 4096 * (size_t)rcp_others_blocks));
        RCP_CHECK(cudaMemset(rcp_others, 0, 4096 * (size_t)rcp_others_blocks));
        rcp_has_persisting = device.major >= 8;
    }
    alarm(10 * RCP_LONGEST_S); /* a first launch may compile */
    rcp_make_ready();
    rcp_hold<<<1, 1, 0, rcp_stream>>>(1000, rcp_counted); /* first launches load, and may wait */
    rcp_empty<<<1, 1, 0, rcp_stream>>>();
    RCP_CHECK(cudaGetLastError());
    RCP_CHECK(launch(rcp_stream));
    RCP_CHECK(cudaDeviceSynchronize());
    rcp_check_calls();
    rcp_time(RCP_EMPTY); /* what fails here is not launch()'s fault */
    srandom((unsigned)rcp_now_ns());
    for (int run = 0; run < RCP_RUNS; run++) {
        if (run == 0 || run == RCP_RUNS - 1 || random() % 8 == 0)
            rcp_time(RCP_CHECKED); /* its time does not count: the looks read its result */
        floor_us[run] = rcp_time(RCP_NOTHING).us;
        const struct rcp_span empty = rcp_time(RCP_EMPTY), work = rcp_time(RCP_LAUNCH);
        mhz[run] = 1e3 * (double)rcp_counted->clocks / (double)rcp_counted->ns;
        empty_us[run] = empty.us;
        empty_rest_us[run] = empty.rest_us;
        work_us[run] = work.us;
        host_us[run] = work.host_us;
        rest_us[run] = work.rest_us;
    }
    const double none_us = rcp_percentile(floor_us, RCP_RUNS, 50);
    const double us = rcp_percentile(work_us, RCP_RUNS, 50) - none_us;
    const double code_us = us - (rcp_percentile(empty_us, RCP_RUNS, 50) - none_us);
    /* A busy machine adds to most waits, not to each. */
    const double rest_5_us = rcp_percentile(rest_us, RCP_RUNS, 5);
    const double host_5_us = rcp_percentile(host_us, RCP_RUNS, 5);
    const double low_us = rcp_percentile(work_us, RCP_RUNS, 40) - none_us;
    const double high_us = rcp_percentile(work_us, RCP_RUNS, 60) - none_us;
    if (rest_5_us > 2 * rcp_percentile(empty_rest_us, RCP_RUNS, 50) + us / 4 + 20)
        RCP_REFUSE("the events do not cover the work: %.3f us, and the host waited %.3f us more",
                   us, rest_5_us);
    if (!(us > 0)) RCP_REFUSE("no time at all: too short for events, or in another stream");
    if (host_5_us > 100 && host_5_us > 3 * us)
        RCP_REFUSE("launch() keeps the host for %.0f us", host_5_us);
    const char *why = "-"; /* a cause takes the place of what it causes */
    if (rcp_drift(work_us) > 5) why = "runs_drift";
    if (high_us > 1.25 * us + 0.5 || us > 1.25 * low_us + 0.5) why = "runs_disagree";
    if (rcp_drift(mhz) > 5) why = "clock_moved";
    if (rcp_late > RCP_RUNS / 4) why = "host_waited";
#ifdef __CUDACC_DEBUG__
    why = "debug_build"; /* nvcc -G makes another kernel */
#endif
    char day[16];
    const time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    printf("# Recipe, %s: %s, driver for CUDA %d.%d, toolkit %d.%d; %d runs; the caches %s\n"
           "time         median_us     p5_us    p95_us    gb_s sm_mhz disturbed\n",
           day, device.name, driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
           CUDART_VERSION % 1000 / 10, RCP_RUNS,
           is_cold ? "full of other data" : "as prepare() and a look at the result left them");
    rcp_print_row("event_floor", floor_us, 0, "      -      - -\n");
    rcp_print_row("empty_net", empty_us, none_us, "      -      - -\n");
    rcp_print_row("launch_net", work_us, none_us, MOVED_BYTES > 0 ? "" : "      - ");
    if (MOVED_BYTES > 0) printf("%7.1f ", MOVED_BYTES / us / 1e3);
    printf("%6.0f %s\n", rcp_percentile(mhz, RCP_RUNS, 50), why);
    printf("# code_us %.3f\n# peak_gb_s %.0f\n# taken_again %d\n", code_us,
           2.0 * khz * bits / 8 / 1e6, rcp_retaken);
    if (!is_cold && MOVED_BYTES > 0 && MOVED_BYTES < (double)device.l2CacheSize)
        printf("# The L2 cache holds all that is moved: try --cold\n");
    if (fflush(stdout) != 0) return perror("cannot write the result"), 1;
    return *why == '-' ? 0 : 4;
}
