/* SPDX-License-Identifier: MIT
 *
 * How long does one block take, by its own SM's clock, and what becomes of that as blocks are
 * added?
 *
 * Measures: timedReduction, the minimum of 2 x threads floats in every block: the SM's clock at
 *   each block's start and end; the span from the first block's start to the last one's end; the
 *   time between two events; how many SMs took part.
 * Does not measure: in a block's clocks, how long it waited for a place on an SM. That is the point
 *   of the experiment: see clocks and span part ways where the device is full.
 *
 * Build: nvcc -O2 -arch=native -I../common block_clock.cu -o block_clock
 * Run:   ./block_clock
 * Try:   ./block_clock --blocks 1,132,133,264 --threads 32,256,1024
 *        ./block_clock --blocks 600 --threads 1024 --work 20 --timeline timeline.csv
 */
#include <stdio.h>

#include "block_times.h"
#include "cuda_device.h"

/* ---- The kernel ---- */

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

/* Every block finds the minimum of the same 2 x blockDim.x floats; blockDim.x may be any number. */
static __global__ void timedReduction(const float *input, float *output, struct block_time *timer,
                                      int work) {
    extern __shared__ float shared[]; /* 2 x blockDim.x floats */
    const unsigned tid = threadIdx.x;
    struct block_time t;

    if (tid == 0) {
        t.start_ns = globaltimer_ns();
        t.start_clock = clock64();
    }

    for (int i = 0; i < work; i++) { /* once, unless the block is to last longer */
        shared[tid] = input[tid];
        shared[tid + blockDim.x] = input[tid + blockDim.x];

        /* Halve what is left, rounding up: an odd element in the middle waits for the next round. */
        for (unsigned left = 2 * blockDim.x; left > 1;) {
            const unsigned half = (left + 1) / 2;
            __syncthreads();
            if (tid + half < left && shared[tid + half] < shared[tid])
                shared[tid] = shared[tid + half];
            left = half;
        }
        if (tid == 0)
            output[blockIdx.x] = shared[0];
        __syncthreads(); /* the block is done when its last warp is, not when thread 0 is */
    }

    if (tid == 0) {
        t.end_clock = clock64();
        t.end_ns = globaltimer_ns();
        t.sm = sm_number();
        timer[blockIdx.x] = t;
    }
}

/* ---- One launch ---- */

static float *input, *output; /* on the device */
static struct block_time *timer;
static float *results; /* their copies here */
static struct block_time *times;
static double *clocks;
static cudaEvent_t start, stop;

static void launch(int blocks, int threads) {
    const size_t shared_bytes = 2 * (size_t)threads * sizeof(float);
    timedReduction<<<(unsigned)blocks, (unsigned)threads, shared_bytes>>>(input, output, timer,
                                                                          (int)work);
    CHECK_CUDA(cudaGetLastError());
}

/* Launches once with a new input, and stores what the blocks' stamps say in `row`. */
static void run_once(int blocks, int threads, double row[FIELDS]) {
    static float host[2 * MAX_THREADS];
    const size_t results_bytes = (size_t)blocks * sizeof *results;
    const size_t times_bytes = (size_t)blocks * sizeof *times;
    const size_t count = 2 * (size_t)threads;
    const float minimum = random_input(host, count);
    float event_ms;

    CHECK_CUDA(cudaMemcpy(input, host, count * sizeof *host, cudaMemcpyHostToDevice));
    launch(blocks, threads); /* not timed: it brings the new input near every SM */
    CHECK_CUDA(cudaMemset(output, 0xff, results_bytes)); /* NaN: no result, if none is written */
    CHECK_CUDA(cudaMemset(timer, 0, times_bytes));
    CHECK_CUDA(cudaDeviceSynchronize());

    CHECK_CUDA(cudaEventRecord(start, 0));
    launch(blocks, threads);
    CHECK_CUDA(cudaEventRecord(stop, 0));
    CHECK_CUDA(cudaEventSynchronize(stop));
    CHECK_CUDA(cudaEventElapsedTime(&event_ms, start, stop));

    CHECK_CUDA(cudaMemcpy(results, output, results_bytes, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(times, timer, times_bytes, cudaMemcpyDeviceToHost));
    summarize_blocks(times, results, clocks, (size_t)blocks, minimum, (double)event_ms * 1e3, row);
}

/* ---- The experiment ---- */

/* As many blocks as run at once, all SMs together. */
static int full_device(int threads, int sm_count) {
    int per_sm;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, (const void *)timedReduction, threads, 2 * (size_t)threads * sizeof(float)));
    return per_sm * sm_count;
}

/* What --blocks says; else the source's five counts, and where this device's own story turns. */
static struct number_list blocks_to_measure(int sms, int full) {
    struct number_list list = {
        13,
        {1, 8, 16, 32, 64, sms, sms + 1, full, full + 1, 2 * full, 4 * full, 16 * full, 64 * full}};
    sort_list(&list);
    return block_counts.count > 0 ? block_counts : list;
}

/* Measures one pair and prints its row, the medians of its launches. */
static void measure(const struct options *options, const struct cuda_device *device, int full,
                    int blocks, int threads, double row[CELLS]) {
    static double samples[FIELDS][MAX_RUNS];
    for (int run = 0; run < (int)options->runs; run++) {
        run_once(blocks, threads, row);
        for (int f = 0; f < FIELDS; f++)
            samples[f][run] = row[f];
    }
    summarize_launches(samples, options->runs, row);
    print_blocks(options, device->name, (size_t)blocks, (size_t)threads, row,
                 blocks == device->sm_count ? "one per SM"
                 : blocks == full           ? "full device"
                                            : "");
}

/* What the default sweep says, in words. */
static void print_verdict(const struct number_list *list, double rows[][CELLS], int sms, int full) {
    const double *one = rows[0], *spread = rows[0], *filled = rows[0], *four = rows[0];
    const double *last = rows[list->count - 1];
    for (size_t b = 0; b < list->count; b++) {
        spread = list->values[b] == sms ? rows[b] : spread;
        filled = list->values[b] == full ? rows[b] : filled;
        four = list->values[b] == 4LL * full ? rows[b] : four;
    }
    const double ns_per_block = (last[SPAN_US] - four[SPAN_US]) * 1e3 / (60.0 * full);
    printf(
        "\nA block alone takes %.0f clocks, with one on each of the %d SMs %.0f (x %.2f), on a "
        "device full\nwith %d blocks %.0f (x %.2f): the blocks of an SM share it. With 64 times as "
        "many blocks a block\ntakes %.0f clocks (x %.2f), and the span goes on: %.2f ns more for "
        "each block, %.2f us for each\nwave of %d. What a block waits for its place is in no "
        "block's clock.\n",
        one[CLOCKS_MEAN], sms, spread[CLOCKS_MEAN], spread[CLOCKS_MEAN] / one[CLOCKS_MEAN], full,
        filled[CLOCKS_MEAN], filled[CLOCKS_MEAN] / one[CLOCKS_MEAN], last[CLOCKS_MEAN],
        last[CLOCKS_MEAN] / one[CLOCKS_MEAN], ns_per_block, ns_per_block * full / 1e3, full);
}

int main(int argc, char **argv) {
    const struct options options =
        parse_block_options(argc, argv, "How long does one block take, by its own SM's clock?");
    const struct cuda_device device = choose_cuda_device(options.device);
    const int sms = device.sm_count;
    int most_threads;
    size_t most_blocks = 1; /* of any row to come */
    CHECK_CUDA(cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerBlock, device.index));
    for (size_t t = 0; t < thread_counts.count; t++) {
        const int threads = (int)thread_counts.values[t];
        if (threads > most_threads)
            fail(EXIT_BAD_USAGE, "--threads: '%d' is more than the %d that %s allows in a block",
                 threads, most_threads, device.name);
        const struct number_list list = blocks_to_measure(sms, full_device(threads, sms));
        for (size_t b = 0; b < list.count; b++)
            most_blocks =
                (size_t)list.values[b] > most_blocks ? (size_t)list.values[b] : most_blocks;
    }
    FILE *timeline_file = open_timeline();

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

    if (!options.csv)
        printf("Block clock: timedReduction on %s; %d SMs, medians of %lld launches\n\n",
               device.name, sms, options.runs);
    print_block_header(&options, "SMs");
    int disturbed_rows = 0;
    for (size_t t = 0; t < thread_counts.count; t++) {
        static double rows[sizeof thread_counts.values / sizeof thread_counts.values[0]][CELLS];
        const int threads = (int)thread_counts.values[t];
        const int full = full_device(threads, sms);
        const struct number_list list = blocks_to_measure(sms, full);
        for (size_t b = 0; b < list.count; b++) {
            measure(&options, &device, full, (int)list.values[b], threads, rows[b]);
            disturbed_rows += rows[b][DISTURBED] > 0;
        }
        if (timeline_file && t == thread_counts.count - 1)
            write_timeline(timeline_file, times, (size_t)list.values[list.count - 1]);
        if (!options.csv && block_counts.count == 0)
            print_verdict(&list, rows, sms, full);
    }
    if (!options.csv)
        printf("%s", disturbed_verdict(disturbed_rows));
    flush_stdout();

    free(results);
    free(times);
    free(clocks);
    CHECK_CUDA(cudaFree(input));
    CHECK_CUDA(cudaFree(output));
    CHECK_CUDA(cudaFree(timer));
    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(stop));
    return EXIT_SUCCESS;
}
