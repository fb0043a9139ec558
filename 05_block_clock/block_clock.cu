/* SPDX-License-Identifier: MIT
 *
 * How long does one block take, by its own SM's clock, and what becomes of that as blocks are
 * added?
 *
 * Measures: timedReduction, the minimum of 2 x threads floats in each block: the SM's clock at the
 *   block's start and end; the span from the first block's start to the last one's end; the time
 *   between two events; how many SMs took part.
 * Does not measure: in the block's clocks, the time a block waits for a place on an SM. That is the
 *   point of the experiment: watch clocks and span part ways where the device is full.
 *
 * Build: nvcc -O2 -arch=native -I../common block_clock.cu -o block_clock
 * Run:   ./block_clock
 * Try:   ./block_clock --blocks 1,132,133,264 --threads 32,256,1024
 */
#include <stdint.h>
#include <stdio.h>

#include "cuda_device.h"
#include "options.h"
#include "summary.h"

static struct number_list block_counts; /* empty: the source's, then this device's landmarks */
static struct number_list thread_counts = {1, {256}};

/* ---- The kernel ---- */

/* What thread 0 of a block writes down. Clocks are its SM's own: their difference within a block
 * means something, that between blocks nothing. */
struct block_time {
    long long start_clock, end_clock;
    unsigned long long start_ns, end_ns; /* %globaltimer: one for the whole device, coarser */
    unsigned sm;
};

static __device__ unsigned long long globaltimer_ns(void) {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

static __device__ unsigned sm_number(void) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Every block finds the minimum of the same 2 x blockDim.x floats, for any blockDim.x. */
static __global__ void timedReduction(const float *input, float *output, struct block_time *timer) {
    extern __shared__ float shared[]; /* 2 x blockDim.x floats */
    const unsigned tid = threadIdx.x;
    struct block_time t;

    if (tid == 0) {
        t.start_ns = globaltimer_ns();
        t.start_clock = clock64();
    }

    shared[tid] = input[tid];
    shared[tid + blockDim.x] = input[tid + blockDim.x];

    /* Halve what is left, rounding up, so that an odd element in the middle stays for next time. */
    for (unsigned left = 2 * blockDim.x; left > 1;) {
        const unsigned half = (left + 1) / 2;
        __syncthreads();
        if (tid + half < left && shared[tid + half] < shared[tid])
            shared[tid] = shared[tid + half];
        left = half;
    }

    if (tid == 0)
        output[blockIdx.x] = shared[0];
    __syncthreads(); /* the block ends when its last warp does, not when thread 0 does */

    if (tid == 0) {
        t.end_clock = clock64();
        t.end_ns = globaltimer_ns();
        t.sm = sm_number();
        timer[blockIdx.x] = t;
    }
}

/* ---- One launch ---- */

enum { CLOCKS_MIN, CLOCKS_MEAN, CLOCKS_MEDIAN, CLOCKS_MAX, SPAN_US, EVENT_US, SMS, FIELDS };

static float *input, *output; /* on the device */
static struct block_time *timer;
static float *results; /* their copies here */
static struct block_time *times;
static double *clocks; /* of each block */
static cudaEvent_t start, stop;
static int clock_khz; /* the SMs' highest */

/* Puts the minimum in a random slot of an otherwise random input, and returns it: a reduction that
 * leaves out a slot misses it sooner or later. */
static float new_input(int threads) {
    static float host[2 * MAX_THREADS];
    const int count = 2 * threads;
    const float minimum = -(float)(1 + rand() % 1000);
    for (int i = 0; i < count; i++)
        host[i] = (float)(rand() % 1000);
    host[rand() % count] = minimum;
    CHECK_CUDA(cudaMemcpy(input, host, (size_t)count * sizeof *host, cudaMemcpyHostToDevice));
    return minimum;
}

/* Launches once, checks every block's result and stamps, and stores what they say in `row`. */
static void run_once(int blocks, int threads, double row[FIELDS]) {
    const size_t shared_bytes = 2 * (size_t)threads * sizeof(float);
    const size_t results_bytes = (size_t)blocks * sizeof *results;
    const size_t times_bytes = (size_t)blocks * sizeof *times;
    const float minimum = new_input(threads);
    unsigned char seen[4096] = {0}; /* SM numbers */
    float event_ms;

    CHECK_CUDA(cudaMemset(output, 0xff, results_bytes)); /* NaN: no result, if none is written */
    CHECK_CUDA(cudaMemset(timer, 0, times_bytes));
    CHECK_CUDA(cudaEventRecord(start, 0));
    timedReduction<<<(unsigned)blocks, (unsigned)threads, shared_bytes>>>(input, output, timer);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    CHECK_CUDA(cudaEventElapsedTime(&event_ms, start, stop));
    CHECK_CUDA(cudaMemcpy(results, output, results_bytes, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(times, timer, times_bytes, cudaMemcpyDeviceToHost));

    unsigned long long first_ns = times[0].start_ns, last_ns = times[0].end_ns;
    row[SMS] = 0;
    for (int b = 0; b < blocks; b++) {
        const struct block_time *t = &times[b];
        if (results[b] != minimum)
            fail(EXIT_FAILED, "block %d of %d, %d threads: found %g, not the minimum %g", b, blocks,
                 threads, (double)results[b], (double)minimum);
        if (t->end_clock <= t->start_clock || t->end_ns < t->start_ns || t->start_ns == 0)
            fail(EXIT_FAILED,
                 "impossible: block %d starts at clock %lld and %llu ns, ends at %lld "
                 "and %llu ns",
                 b, t->start_clock, t->start_ns, t->end_clock, t->end_ns);
        clocks[b] = (double)(t->end_clock - t->start_clock);
        first_ns = t->start_ns < first_ns ? t->start_ns : first_ns;
        last_ns = t->end_ns > last_ns ? t->end_ns : last_ns;
        row[SMS] += !seen[t->sm % sizeof seen];
        seen[t->sm % sizeof seen] = 1;
    }
    const struct summary s = summarize(clocks, (size_t)blocks);
    row[CLOCKS_MIN] = s.min;
    row[CLOCKS_MEAN] = s.mean;
    row[CLOCKS_MEDIAN] = s.median;
    row[CLOCKS_MAX] = s.max;
    row[SPAN_US] = (double)(last_ns - first_ns) / 1e3;
    row[EVENT_US] = (double)event_ms * 1e3;

    /* %globaltimer may step by 1 us (32 ns on newer devices): allow two such steps. */
    const double slowest_us = row[CLOCKS_MAX] / (clock_khz / 1e3);
    if (slowest_us > row[SPAN_US] + 2 || row[SPAN_US] > row[EVENT_US] + 2)
        fail(EXIT_FAILED,
             "impossible: a block of %.2f us in a span of %.2f us in an event pair of "
             "%.2f us",
             slowest_us, row[SPAN_US], row[EVENT_US]);
}

/* ---- The experiment ---- */

static int resident_blocks(int threads, int sm_count) {
    int per_sm;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)timedReduction, threads, 2 * (size_t)threads * sizeof(float)));
    return per_sm * sm_count;
}

/* What --blocks says; else the source's five counts, and where this device's own story turns. */
static struct number_list blocks_to_measure(int threads, int sm_count) {
    const int full = resident_blocks(threads, sm_count);
    struct number_list list = {13,
                               {1, 8, 16, 32, 64, sm_count, sm_count + 1, full, full + 1, 2 * full,
                                4 * full, 16 * full, 64 * full}};
    if (block_counts.count > 0)
        return block_counts;
    sort_list(&list);
    return list;
}

static const char *landmark(long long blocks, int sm_count, int full) {
    return blocks == sm_count       ? "one per SM"
           : blocks == sm_count + 1 ? "one more"
           : blocks == full         ? "full device"
           : blocks == full + 1     ? "one more"
           : blocks == 2LL * full   ? "2 x full"
           : blocks == 4LL * full   ? "4 x full"
           : blocks == 16LL * full  ? "16 x full"
           : blocks == 64LL * full  ? "64 x full"
                                    : "";
}

/* Measures one pair, prints its row, and stores the medians of its runs in `row`. */
static void measure(const struct options *options, const struct cuda_device *device, int blocks,
                    int threads, const char *mark, double row[FIELDS]) {
    static double samples[FIELDS][MAX_RUNS];
    run_once(blocks, threads, row); /* warm-up */
    for (int run = 0; run < (int)options->runs; run++) {
        run_once(blocks, threads, row);
        for (int f = 0; f < FIELDS; f++)
            samples[f][run] = row[f];
    }
    for (int f = 0; f < FIELDS; f++)
        row[f] = median(samples[f], (size_t)options->runs);
    if (options->csv)
        printf("%s,%d,%d,%lld,%.0f,%.1f,%.1f,%.0f,%.3f,%.3f,%.0f\n", device->name, blocks, threads,
               options->runs, row[CLOCKS_MIN], row[CLOCKS_MEAN], row[CLOCKS_MEDIAN],
               row[CLOCKS_MAX], row[SPAN_US], row[EVENT_US], row[SMS]);
    else
        printf("%8d %8d %8.0f %8.0f %8.0f %8.0f %10.2f %10.2f %5.0f  %s\n", blocks, threads,
               row[CLOCKS_MIN], row[CLOCKS_MEAN], row[CLOCKS_MEDIAN], row[CLOCKS_MAX], row[SPAN_US],
               row[EVENT_US], row[SMS], mark);
    flush_stdout();
}

int main(int argc, char **argv) {
    struct options options =
        default_options("How long does one block take, by its own SM's clock?");
    options.has_device = true;
    options.runs = 31;
    options.blocks = &block_counts;
    options.threads = &thread_counts;
    parse_options(argc, argv, &options);
    const struct cuda_device device = choose_cuda_device(options.device);

    int most_threads;
    CHECK_CUDA(cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerBlock, device.index));
    CHECK_CUDA(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device.index));
    for (size_t t = 0; t < thread_counts.count; t++)
        if (thread_counts.values[t] > most_threads)
            fail(EXIT_BAD_USAGE, "--threads: '%lld' is more than the %d that %s allows in a block",
                 thread_counts.values[t], most_threads, device.name);

    size_t most_blocks = 0; /* of any row to come */
    for (size_t t = 0; t < thread_counts.count; t++) {
        const struct number_list list =
            blocks_to_measure((int)thread_counts.values[t], device.sm_count);
        for (size_t b = 0; b < list.count; b++)
            if ((size_t)list.values[b] > most_blocks)
                most_blocks = (size_t)list.values[b];
    }
    CHECK_CUDA(cudaMalloc((void **)&input, 2 * MAX_THREADS * sizeof *input));
    CHECK_CUDA(cudaMalloc((void **)&output, most_blocks * sizeof *output));
    CHECK_CUDA(cudaMalloc((void **)&timer, most_blocks * sizeof *timer));
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&stop));
    results = (float *)malloc(most_blocks * sizeof *results);
    times = (struct block_time *)malloc(most_blocks * sizeof *times);
    clocks = (double *)malloc(most_blocks * sizeof *clocks);
    if (!results || !times || !clocks)
        fail(EXIT_FAILED, "no host memory for %zu blocks", most_blocks);

    if (options.csv)
        printf("device,blocks,threads,runs,clocks_min,clocks_mean,clocks_median,clocks_max,"
               "span_us,event_us,sms\n");
    else
        printf("timedReduction on %s, %d SMs; medians of %lld launches\n\n"
               "%17s %26s %18s %10s\n%8s %8s %8s %8s %8s %8s %10s %10s %5s\n",
               device.name, device.sm_count, options.runs, "", "a block, by its SM's clock",
               "span by", "by event", "blocks", "threads", "min", "mean", "median", "max",
               "device us", "pair us", "SMs");

    for (size_t t = 0; t < thread_counts.count; t++) {
        const int threads = (int)thread_counts.values[t];
        const int full = resident_blocks(threads, device.sm_count);
        const struct number_list list = blocks_to_measure(threads, device.sm_count);
        double row[FIELDS], first[FIELDS] = {0};
        for (size_t b = 0; b < list.count; b++) {
            const int blocks = (int)list.values[b];
            measure(&options, &device, blocks, threads, landmark(blocks, device.sm_count, full),
                    row);
            if (b == 0)
                memcpy(first, row, sizeof row);
        }
        if (!options.csv)
            printf("  %d threads, from %lld to %lld blocks: a block's clocks x %.2f, the span x "
                   "%.2f\n",
                   threads, list.values[0], list.values[list.count - 1],
                   row[CLOCKS_MEAN] / first[CLOCKS_MEAN], row[SPAN_US] / first[SPAN_US]);
    }
    flush_stdout();
    return EXIT_SUCCESS;
}
