/* SPDX-License-Identifier: MIT
 *
 * What else is warm or cold when a kernel runs? The L2 cache, and the clock.
 *
 * Measures: vector_add over a sweep of sizes, with its data in the L2 cache from the run before,
 *   with the L2 flushed by reading something else, and with it full of something else that was
 *   written; then, after an idle pause, the rate of the SMs' clock until it is steady.
 * Does not measure: which of the three is right. That depends on what comes before the kernel in
 *   the program that is to be made faster.
 *
 * Build: nvcc -O2 -arch=native -I../common cache_and_clock.cu -o cache_and_clock
 * Run:   ./cache_and_clock
 * Try:   ./cache_and_clock --ramp        the clock, sample by sample
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "cuda_device.h"
#include "host_clock.h"
#include "options.h"
#include "summary.h"
#include "vector_data.h"

enum { KEY_RAMP = KEY_OWN, RAMP_SAMPLES = 400 };
static struct number_list sizes = {7,
                                   {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26}};
static bool ramp_only;
static const unsigned long long blocker_limit_ns = 1000000000;
static const time_t idle_s = 3; /* the pause before the ramp */

/* ---- The kernels ---- */

static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __global__ void vector_add(const float *a, const float *b, float *c, size_t n) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

struct gate { /* in host memory that the device sees too */
    int open, gave_up;
};

/* Holds the stream until the host has queued all that is to be timed; see 04_cuda_events. */
static __global__ void block_stream(volatile struct gate *gate, unsigned long long limit_ns) {
    const unsigned long long start_ns = globaltimer_ns();
    while (!gate->open)
        if (globaltimer_ns() - start_ns > limit_ns) {
            gate->gave_up = 1;
            return;
        }
}

/* Reads `n` numbers: whatever else was in the L2 cache is gone then, and nothing waits there to be
 * written back to memory, as after a memset. */
static __global__ void read_through(const unsigned *data, size_t n, unsigned *sink) {
    unsigned sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += data[i];
    if (sum == 1) /* never, for zeros; but the compiler does not know */
        *sink = sum;
}

struct rate {
    long long clocks;
    unsigned long long ns;
};

/* One millisecond by the timer, and how often the SM's clock ticked meanwhile. */
static __global__ void count_clocks(struct rate *rate) {
    const unsigned long long start_ns = globaltimer_ns();
    const long long start_clock = clock64();
    unsigned long long ns;
    do
        ns = globaltimer_ns() - start_ns;
    while (ns < 1000000);
    rate->clocks = clock64() - start_clock;
    rate->ns = ns;
}

/* ---- The L2 cache, warm and flushed ---- */

static cudaEvent_t start, stop;
static volatile struct gate *gate;
static unsigned *other_data;
static size_t other_bytes; /* four times the L2 */
enum l2 { WARM, FLUSHED, WRITTEN };

/* Microseconds between two events behind the blocker; `n` of 0 leaves the pair empty. */
static double time_blocked_us(const float *a, const float *b, float *c, size_t n, enum l2 l2) {
    float elapsed_ms;
    if (l2 == WRITTEN)
        CHECK_CUDA(cudaMemsetAsync(other_data, 0, other_bytes, 0));
    if (l2 == FLUSHED)
        read_through<<<1024, 256>>>(other_data, other_bytes / sizeof *other_data, other_data);
    CHECK_CUDA(cudaGetLastError());
    gate->open = 0;
    gate->gave_up = 0;
    block_stream<<<1, 1>>>(gate, blocker_limit_ns);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(start, 0));
    if (n > 0)
        vector_add<<<(unsigned)((n + 255) / 256), 256>>>(a, b, c, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    const cudaError_t answer = cudaEventQuery(start);
    const bool held = answer == cudaErrorNotReady;
    if (!held)
        check_cuda(answer, "cudaEventQuery(start)", __FILE__, __LINE__);
    gate->open = 1;
    CHECK_CUDA(cudaEventSynchronize(stop));
    if (gate->gave_up)
        fail(EXIT_FAILED,
             "disturbed: the launches behind the blocker took over %llu ms; run it again, without "
             "CUDA_LAUNCH_BLOCKING, profiler or debugger",
             blocker_limit_ns / 1000000);
    if (!held)
        fail(EXIT_FAILED, "disturbed: the blocker did not hold the stream");
    CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, stop));
    if (!(elapsed_ms >= 0)) /* NaN too; 0 is possible where events step by 1 us */
        fail(EXIT_FAILED, "impossible: %g ms between two events", (double)elapsed_ms);
    return (double)elapsed_ms * 1e3;
}

static int measure_size(const struct options *options, const char *device, size_t n,
                        double floor_us) {
    static double samples_us[MAX_RUNS];
    double us[3];
    int disturbed = 0;
    const size_t runs = (size_t)options->runs;
    float *a = device_floats(n, input_a);
    float *b = device_floats(n, input_b);
    float *c = device_floats(n, NULL);
    for (int l2 = WARM; l2 <= WRITTEN; l2++) {
        time_blocked_us(a, b, c, n, (enum l2)l2); /* warm-up */
        for (size_t run = 0; run < runs; run++)
            samples_us[run] = time_blocked_us(a, b, c, n, (enum l2)l2) - floor_us;
        const struct summary s = summarize(samples_us, runs);
        us[l2] = s.median;
        disturbed |= s.disturbed;
        if (us[l2] <= 0)
            fail(EXIT_FAILED, "impossible: a median of %g us; --size %zu is too short for events",
                 us[l2], n);
    }
    check_vector_add(copy_to_host(c, n), n);
    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(b));
    CHECK_CUDA(cudaFree(c));

    if (options->csv)
        printf("%s,%zu,%zu,%.3f,%.3f,%.3f,%d\n", device, n, runs, us[WARM], us[FLUSHED],
               us[WRITTEN], disturbed);
    else
        printf("%12zu %10.2f %12.2f %12.2f %14.2f %14.2f%s\n", n, us[WARM], us[FLUSHED],
               us[WRITTEN], us[FLUSHED] / us[WARM], us[WRITTEN] / us[WARM],
               disturbed_word(disturbed));
    flush_stdout();
    return disturbed;
}

/* ---- The clock after an idle pause ---- */

/* Fills since_ms and mhz with RAMP_SAMPLES samples, a millisecond each, after `idle_s` of nothing.
 * Returns the index of the first from which on the rate stays within 1 % of the last: one of the
 * last few, if it never settles. */
static int measure_ramp(double *since_ms, double *mhz) {
    const struct timespec pause = {idle_s, 0};
    struct rate *rates, host_rate;
    int steady = RAMP_SAMPLES - 1;
    CHECK_CUDA(cudaMalloc((void **)&rates, sizeof *rates));
    count_clocks<<<1, 1>>>(rates); /* its first launch, which loads it */
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    if (nanosleep(&pause, NULL) != 0)
        fail(EXIT_FAILED, "nanosleep: %s", strerror(errno));
    const int64_t start_ns = now_ns();
    for (int i = 0; i < RAMP_SAMPLES; i++) {
        since_ms[i] = (double)(now_ns() - start_ns) / 1e6;
        count_clocks<<<1, 1>>>(rates);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaMemcpy(&host_rate, rates, sizeof host_rate, cudaMemcpyDeviceToHost));
        mhz[i] = (double)host_rate.clocks * 1e3 / (double)host_rate.ns;
        if (!(mhz[i] > 0))
            fail(EXIT_FAILED, "impossible: %lld clocks in %llu ns", host_rate.clocks, host_rate.ns);
    }
    CHECK_CUDA(cudaFree(rates));
    while (steady > 0 && fabs(mhz[steady - 1] / mhz[RAMP_SAMPLES - 1] - 1) < 0.01)
        steady--;
    return steady;
}

static error_t parse_own_option(int key, char *value, struct argp_state *state) {
    (void)value, (void)state;
    if (key != KEY_RAMP)
        return ARGP_ERR_UNKNOWN;
    ramp_only = true;
    return 0;
}

int main(int argc, char **argv) {
    static const struct argp_option own_options[] = {
        {"ramp", KEY_RAMP, NULL, 0, "Print the clock's rate after an idle pause instead", 0},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp own = {own_options, parse_own_option, NULL, NULL, NULL, NULL, NULL};
    static double since_ms[RAMP_SAMPLES], mhz[RAMP_SAMPLES], samples_us[MAX_RUNS];
    struct options options =
        default_options("What does a warm L2 cache change, and an idle pause?");
    options.has_device = true;
    options.runs = 31;
    options.sizes = &sizes;
    options.own = &own;
    parse_options(argc, argv, &options);
    const struct cuda_device device = choose_cuda_device(options.device);
    int l2_bytes;
    CHECK_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device.index));
    other_bytes = 4 * (size_t)l2_bytes;
    for (size_t i = 0; i < sizes.count && !ramp_only; i++)
        check_cuda_memory(sizes.values[i], 12.0 * (double)sizes.values[i] + (double)other_bytes);

    if (ramp_only) {
        measure_ramp(since_ms, mhz);
        printf(options.csv ? "since_ms,clock_mhz\n" : "since the pause ms   clock MHz\n");
        for (int i = 0; i < RAMP_SAMPLES; i++)
            printf(options.csv ? "%.3f,%.1f\n" : "%18.2f %11.0f\n", since_ms[i], mhz[i]);
        flush_stdout();
        return EXIT_SUCCESS;
    }

    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
    CHECK_CUDA(cudaMallocHost((void **)&gate, sizeof *gate));
    CHECK_CUDA(cudaMalloc((void **)&other_data, other_bytes));
    CHECK_CUDA(cudaMemset(other_data, 0, other_bytes));

    /* Every kernel is loaded before the first blocker: see 04_cuda_events on lazy loading. */
    vector_add<<<1, 1>>>(NULL, NULL, NULL, 0);
    CHECK_CUDA(cudaGetLastError());
    read_through<<<1, 1>>>(other_data, 1, other_data);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int run = 0; run < (int)options.runs; run++)
        samples_us[run] = time_blocked_us(NULL, NULL, NULL, 0, WARM);
    const double floor_us = median(samples_us, (size_t)options.runs);

    if (options.csv)
        printf("device,size,runs,warm_us,flushed_us,written_us,disturbed\n");
    else
        printf(
            "L2 cache: vector_add by size on %s; %d MiB of L2, event pairs behind a blocker less "
            "their floor, medians of %lld runs\n\n"
            "%12s %10s %12s %12s %14s %14s\n",
            device.name, l2_bytes >> 20, options.runs, "floats", "warm us", "flushed us",
            "written us", "flushed / warm", "written / warm");
    int disturbed_rows = 0;
    for (size_t i = 0; i < sizes.count; i++)
        disturbed_rows += measure_size(&options, device.name, (size_t)sizes.values[i], floor_us);
    if (!options.csv) {
        const int steady = measure_ramp(since_ms, mhz);
        printf("\nAfter %lld s of nothing the SMs' clock ran at %.0f MHz, and ", (long long)idle_s,
               mhz[0]);
        if (steady < RAMP_SAMPLES * 7 / 8)
            printf("within 1 %% of %.0f MHz after %.1f ms.\n", mhz[RAMP_SAMPLES - 1],
                   since_ms[steady]);
        else
            printf("was not steady after %.0f ms: see --ramp.\n", since_ms[RAMP_SAMPLES - 1]);
        printf("%s", disturbed_verdict(disturbed_rows));
    }
    flush_stdout();

    CHECK_CUDA(cudaFree(other_data));
    CHECK_CUDA(cudaFreeHost((void *)gate));
    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(stop));
    return EXIT_SUCCESS;
}
